/* Collection: what every recording has, whatever its sources are: the model that is filled, the hub that fills
 * it, and the limits: of memory, of time, of the file's size, and of what is kept (limits/flight.h). `tendril
 * capture` has one with a single client; the recorder has one with a board and a program.
 *
 *   options; begin; started; loop { pump the sources; look } ; finish; end
 *
 * Not thread-safe. */
#pragma once
#include "host/agent/journal/journal.h"
#include "host/agent/limits/flight.h"
#include "host/agent/memory_watch.h"

struct td_size_watch;

struct td_collection_options {
    struct td_memory_limit memory;      /* all 0: the default */
    const char *folder;                 /* for the temporary file of rows, if it can be there; NULL: any */
    uint64_t max_bytes;                 /* of the file, about; 0: no limit */
    long max_seconds;                   /* 0: no limit */
    int64_t keep_ns, after_ns, late_ns; /* as of struct td_flight_options */
    int64_t (*now)(const void *self);   /* the same */
    const void *now_self;
    int rotate;
    struct td_words triggers;
    int strict;                 /* a loss is a failure */
    struct td_cut_files files;  /* with max_bytes (measure) or rotate (save) */
    struct td_journal *journal; /* of what the sources receive; the caller's; NULL: none */
    bool journal_only;          /* the model stays empty: the journal goes to another machine */
    void (*tell)(void *self, const char *line); /* a line for the user; NULL: lines are dropped */
    void *tell_self;
};

/* Why td_collection_look() returned true. */
enum td_stop { TD_STOP_NOT, TD_STOP_MEMORY, TD_STOP_SECONDS, TD_STOP_SIZE, TD_STOP_TRIGGER };

struct td_collection {
    struct td_collection_options options; /* set by the caller */
    struct td_memory_watch memory;
    struct td_trace *trace; /* the caller may take it and set it to NULL */
    struct td_hub *hub;
    enum td_stop stop;

    /* For the functions below only. */
    struct td_trace *whole; /* what `trace` was cut out of */
    struct td_triggers *triggers;
    struct td_flight *flight;
    struct td_size_watch *size;
    int64_t began_ns;
    char loss[300];
};

/* Makes the model and its hub. 0 or a negative enum td_e; then td_collection_end() is still to be called. */
int td_collection_begin(struct td_collection *collection, struct td_err *err);
/* The recording begins now: its seconds count. Only the first call has an effect. */
void td_collection_started(struct td_collection *collection);
/* Looks whether the collection has to stop; to be called often, by the loop that pumps the sources. The other
 * arguments are those of td_memory_watch_look(). True: the sources are to be asked to end. */
bool td_collection_look(struct td_collection *collection, const struct td_client_source *source,
                        uint64_t waiting_bytes, uint64_t folder_bytes);
/* Fills a line for the user: why td_collection_look() returned true; "": it did not. */
void td_collection_tell(const struct td_collection *collection, char *line, size_t bytes);
/* Fails with a line for the user: why the collection ended before a program was there; the user or a limit. */
int td_collection_fail_empty(const struct td_collection *collection, struct td_err *err);
/* There is a trigger of this kind. */
bool td_collection_waits_for(const struct td_collection *collection, enum td_trigger_kind kind);
/* For sources that notice it: a core has stopped by a fault, or the program has crashed. */
void td_collection_report(struct td_collection *collection, enum td_trigger_kind kind, const char *what);
/* Before facts of the trace (its strings) are changed while it is being filled. */
void td_collection_settle(struct td_collection *collection);
/* After the last event: `trace` becomes what is to be saved, not finished. With `rotate` all files are written,
 * and nothing is left to save. `lost`: why the program or board was lost, or NULL. Fills `line` for the user if
 * triggers were given, else with "". */
int td_collection_finish(struct td_collection *collection, const char *lost, char *line, size_t bytes,
                         struct td_err *err);
/* Notes a loss for --strict. Only the first one counts. */
void td_collection_lose(struct td_collection *collection, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The losses that the collection itself knows. To be called when the trace is finished. With `strict`, fails
 * with the first loss; otherwise 0. */
int td_collection_check_losses(struct td_collection *collection, struct td_err *err);
/* Destroys the hub, and the model unless the caller has taken it. */
void td_collection_end(struct td_collection *collection);
