/* Collection: what every recording has, whatever its sources are: the model that is filled, the hub that fills
 * it, and the watch of memory. `tendril capture` has one with a single client; the recorder has one with a
 * board and a program.
 *
 *   options; begin; loop { pump the sources; look } ; end
 *
 * Not thread-safe. */
#ifndef TD_HOST_AGENT_COLLECTION_H
#define TD_HOST_AGENT_COLLECTION_H
#include "host/agent/journal/journal.h"
#include "host/agent/memory_watch.h"

struct td_collection_options {
    struct td_memory_limit memory;              /* above it the recording ends; all 0: the default */
    struct td_journal *journal;                 /* of what the sources receive; the caller's; NULL: none */
    void (*tell)(void *self, const char *line); /* a line for the user; NULL: lines are dropped */
    void *tell_self;
};

struct td_collection {
    struct td_collection_options options; /* set by the caller */
    struct td_memory_watch memory;
    struct td_trace *trace; /* the caller may take it and set it to NULL */
    struct td_hub *hub;
};

/* Makes the model and its hub. 0 or a negative enum td_e; then td_collection_end() is still to be called. */
int td_collection_begin(struct td_collection *collection, struct td_err *err);
/* Looks whether the collection has to stop; to be called often, by the loop that pumps the sources. The
 * arguments are those of td_memory_watch_look(). True: the sources are to be asked to end. */
bool td_collection_look(struct td_collection *collection, const struct td_client_source *source,
                        uint64_t waiting_bytes, uint64_t waiting_in_file);
/* Fills a line for the user: why td_collection_look() returned true; "": it did not. */
void td_collection_tell(const struct td_collection *collection, char *line, size_t bytes);
/* Destroys the hub, and the model unless the caller has taken it. */
void td_collection_end(struct td_collection *collection);
#endif
