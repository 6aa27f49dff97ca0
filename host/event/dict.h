/* The dictionary: strings, source locations, tracks, plots and frame sets that events refer to by number.
 *
 * Equal content is one entry, so two numbers are equal exactly when the content is. Exceptions: source locations of
 * td_dict_own_srcloc() are always entries of their own; passing strings, see td_dict_use_memory(). String 0 is "", source location 0
 * is named "none".
 *
 * Entries are never removed or changed in place, except passing strings: a pointer to one stays valid until the
 * dictionary is destroyed. Adding a track or plot again with other properties replaces its entry under the same
 * number; the old entry can still be read.
 *
 * A promise is an entry whose content is added later, so that events can refer to it already. It has a number
 * of its own, even if its content later equals another entry's, and reads TD_DICT_UNKNOWN until then.
 *
 * Threads: one thread at a time may add; any thread may read meanwhile.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_dict;

struct td_srcloc {
    uint32_t name;     /* string; 0: viewers show the function instead */
    uint32_t function; /* string */
    uint32_t file;     /* string */
    uint32_t line;
    uint32_t color; /* 0x00RRGGBB, 0: none chosen */
    uint32_t flags; /* TD_SRCLOC_* */
};
#define TD_SRCLOC_WAIT       1u /* time spent waiting: has a colour and a category of its own */
#define TD_SRCLOC_LOST       2u /* made by Tendril: a gap with dropped events, or a stall of the lane */
#define TD_SRCLOC_EMPTY_NAME 4u /* name 0 is an empty name: do not show the function */
/* Bits 8 and up: 0, or the number by which td_dict_own_srcloc() distinguishes locations of equal content. */
#define TD_SRCLOC_OWN_SHIFT 8

enum td_track_kind { TD_TRACK_THREAD, TD_TRACK_CORE, TD_TRACK_GPU };

struct td_track {
    uint64_t thread;  /* OS thread id, or td_track_id() of proto/track.h; fibers: 1 << 32 | n */
    uint32_t name;    /* string; 0: not known */
    uint8_t kind;     /* enum td_track_kind */
    uint8_t unsynced; /* 1: its clock could not be related to the host's */
    uint8_t core;     /* TD_TRACK_CORE: the core of the tile */
    uint8_t fiber;    /* 1: a fiber, not a thread */
    uint16_t chip, x, y;
    uint32_t file_number; /* of the thread in the trace file that was read; 0: not from a file */
    int32_t group_hint;   /* order of tracks in viewers; 0: none */
    uint32_t context;     /* 1 + the GPU context (of the model) that its zones belong to; 0: none */
    uint32_t line;        /* of a thread in a GPU context whose zones overlap: 0 the first, 1 ... */
    uint64_t kernel_samples;
};

/* Whether the track is that of a core: also in a stream of a recorder that serves cores as threads, whose zones
 * arrive as those of threads. */
bool td_track_is_core(const struct td_track *track);

enum td_plot_kind { TD_PLOT_USER = 0, TD_PLOT_CPU_USAGE = 2, TD_PLOT_POWER = 3 };

struct td_plot {
    uint32_t name;  /* string */
    uint8_t format; /* 0 number, 1 memory size, 2 percentage, 3 watt */
    uint8_t step, fill;
    uint8_t kind; /* enum td_plot_kind */
    uint32_t color;
};

struct td_interner_memory;

struct td_dict *td_dict_create(void);       /* NULL: no memory */
void td_dict_destroy(struct td_dict *dict); /* NULL is allowed */
/* From now on, texts and the large parts of lists are in that memory (interner.h), which lives as long as the
 * dictionary. Of passing strings (below) only the last 100,000 or so are found again: an equal text that comes later
 * is an entry of its own. Not for a dictionary that may forget. */
void td_dict_use_memory(struct td_dict *dict, const struct td_interner_memory *memory);

/* Each of the following returns the entry's number, or UINT32_MAX: no memory. `text` is copied; it need not
 * end in NUL. */
uint32_t td_dict_string(struct td_dict *dict, const char *text, size_t bytes);
uint32_t td_dict_cstring(struct td_dict *dict, const char *text);
uint32_t td_dict_srcloc(struct td_dict *dict, const struct td_srcloc *srcloc);
/* Always makes a new location, even if the content is known: for sources that tell locations apart by other
 * means (a client: by address). After 2^24 - 1 of them, equal content is one location again. */
uint32_t td_dict_own_srcloc(struct td_dict *dict, const struct td_srcloc *srcloc);
/* A track is identified by thread, context and line. A later call replaces the other fields, but name 0 and
 * hint 0 keep the earlier values. */
uint32_t td_dict_track(struct td_dict *dict, const struct td_track *track);
/* A plot is identified by name and kind. A later call replaces format, step, fill and colour. */
uint32_t td_dict_plot(struct td_dict *dict, const struct td_plot *plot);
/* A frame set is identified by name; the first call decides whether it is continuous. Name 0 is the base set:
 * it always exists, has number 0 and is continuous. */
uint32_t td_dict_frame_set(struct td_dict *dict, uint32_t name, int continuous);

#define TD_DICT_UNKNOWN       "???"
#define TD_DICT_PROMISE_BYTES 65535 /* the longest text of a promise */

/* A promise, UINT32_MAX: no memory. A promised location has TD_DICT_UNKNOWN as its name and function. */
uint32_t td_dict_promise_string(struct td_dict *dict);
uint32_t td_dict_promise_srcloc(struct td_dict *dict);
/* Give a promise its content. 0, TD_E_NOMEM, or TD_E_USAGE: not a promise, or too long. */
int td_dict_keep_string(struct td_dict *dict, uint32_t number, const char *text, size_t bytes);
int td_dict_keep_srcloc(struct td_dict *dict, uint32_t number, const struct td_srcloc *srcloc);

/* ---- passing strings ----
 * Texts that belong to single events: of messages, and of zones. A dictionary that was prepared for it forgets
 * those that no holder names any more. All other strings stay, also one that was passing first. A dictionary that
 * was not prepared forgets nothing.
 *
 * A forgotten text can be read, and its number is not used again, until the second next td_dict_turn(). */

/* Something that has numbers of passing strings. `hold` calls td_dict_hold() for each of them. It also drops
 * what was derived from other strings, because their numbers may become those of other texts. */
struct td_dict_holder {
    void (*hold)(void *self, struct td_dict *dict);
    void *self;
    struct td_dict *dict; /* set here; NULL: none */
    struct td_dict_holder *next;
};
void td_dict_may_forget(struct td_dict *dict);
/* The same as td_dict_string() for a text that may be forgotten. */
uint32_t td_dict_passing_string(struct td_dict *dict, const char *text, size_t bytes);
/* The holder stays where it is until it is removed, which may be after the dictionary was destroyed. */
void td_dict_add_holder(struct td_dict *dict, struct td_dict_holder *holder);
void td_dict_remove_holder(struct td_dict_holder *holder); /* does nothing if it was not added */
void td_dict_hold(struct td_dict *dict, uint32_t string);  /* any number */
/* Forgets strings, if enough were added since the last time: at least `least_bytes` of them, and as many as
 * stayed then. So the search costs little for each string. Only while all numbers that are in use have holders. */
void td_dict_forget(struct td_dict *dict, size_t least_bytes);
void td_dict_turn(struct td_dict *dict);

/* Readers. A number out of range reads "" or a zeroed entry. */
const char *td_dict_text(const struct td_dict *dict, uint32_t string);
size_t td_dict_text_bytes(const struct td_dict *dict, uint32_t string);
/* The label of the location's zones: its name, or its function if it has no name; and the number of that string. */
const char *td_dict_zone_name(const struct td_dict *dict, uint32_t srcloc);
uint32_t td_dict_zone_string(const struct td_dict *dict, uint32_t srcloc);
const struct td_srcloc *td_dict_get_srcloc(const struct td_dict *dict, uint32_t srcloc);
const struct td_track *td_dict_get_track(const struct td_dict *dict, uint32_t track);
const struct td_plot *td_dict_get_plot(const struct td_dict *dict, uint32_t plot);
/* The name; *continuous may be NULL. */
uint32_t td_dict_get_frame_set(const struct td_dict *dict, uint32_t set, int *continuous);
uint32_t td_dict_string_count(const struct td_dict *dict);
uint32_t td_dict_srcloc_count(const struct td_dict *dict);
uint32_t td_dict_track_count(const struct td_dict *dict);
uint32_t td_dict_plot_count(const struct td_dict *dict);
uint32_t td_dict_frame_set_count(const struct td_dict *dict);
