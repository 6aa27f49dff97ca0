/* The dictionary: every name that events refer to, stored once, found by number.
 *
 * Equal content is one entry, so numbers compare like names; only source locations that their source tells
 * apart otherwise (td_dict_own_srcloc()) are entries of their own. Entries are never changed or removed;
 * their addresses stay valid until the dictionary is destroyed. One thread at a time may add; reading is safe
 * while another thread adds. What is known of a track or a plot may be changed by adding it again: then its
 * number has a new entry, and the old one can still be read. Number 0 of strings is "", of source locations
 * is "none".
 *
 * A promise is an entry whose content comes later: events can refer to it before. It has a number of its own,
 * even if its content turns out to be that of another entry, and reads TD_DICT_UNKNOWN until it is kept.
 */
#ifndef TD_HOST_EVENT_DICT_H
#define TD_HOST_EVENT_DICT_H
#include <stddef.h>
#include <stdint.h>

struct td_dict;

struct td_srcloc {
    uint32_t name;     /* string; 0: show the function */
    uint32_t function; /* string */
    uint32_t file;     /* string */
    uint32_t line;
    uint32_t color; /* 0x00RRGGBB, 0: none chosen */
    uint32_t flags; /* TD_SRCLOC_* */
};
#define TD_SRCLOC_WAIT       1u /* time spent waiting: own colour and category */
#define TD_SRCLOC_LOST       2u /* made by Tendril: a gap in which events were dropped, or a stall of the lane */
#define TD_SRCLOC_EMPTY_NAME 4u /* name 0 means a name that is empty: do not show the function */
/* Bits 8 and up: 0: the location is known by its content; else a number that keeps it apart from others of
 * equal content, see td_dict_own_srcloc(). */
#define TD_SRCLOC_OWN_SHIFT 8

enum td_track_kind { TD_TRACK_THREAD, TD_TRACK_CORE, TD_TRACK_GPU };

struct td_track {
    uint64_t thread;  /* OS thread id, or td_track_id() of proto/track.h; fibers: 1 << 32 | n */
    uint32_t name;    /* string; 0: none known */
    uint8_t kind;     /* enum td_track_kind */
    uint8_t unsynced; /* 1: its clock could not be related to the host's */
    uint8_t core;     /* TD_TRACK_CORE: place on the board */
    uint8_t fiber;    /* 1: a fiber, not a thread */
    uint16_t chip, x, y;
    uint32_t file_number; /* of the thread in the file the trace was read from, 0: not from a file */
    int32_t group_hint;   /* order of tracks in viewers, 0 = none */
    uint32_t context;     /* its zones belong to GPU context number context - 1 of the model; 0: to none */
    uint64_t kernel_samples;
};

enum td_plot_kind { TD_PLOT_USER = 0, TD_PLOT_CPU_USAGE = 2, TD_PLOT_POWER = 3 };

struct td_plot {
    uint32_t name;  /* string */
    uint8_t format; /* 0 number, 1 memory size, 2 percentage, 3 watt */
    uint8_t step, fill;
    uint8_t kind; /* enum td_plot_kind */
    uint32_t color;
};

struct td_dict *td_dict_create(void);       /* NULL: no memory */
void td_dict_destroy(struct td_dict *dict); /* NULL is allowed */

/* Each returns the number, or UINT32_MAX when memory is out. `text` is copied; need not end in NUL. */
uint32_t td_dict_string(struct td_dict *dict, const char *text, size_t bytes);
uint32_t td_dict_cstring(struct td_dict *dict, const char *text);
uint32_t td_dict_srcloc(struct td_dict *dict, const struct td_srcloc *srcloc);
/* A new location, be there others of equal content: for sources that know locations by something else, as a
 * client by its pointer. After 2^24 - 1 of them equal content is one location again. */
uint32_t td_dict_own_srcloc(struct td_dict *dict, const struct td_srcloc *srcloc);
/* Same thread and context: same number; a later call's fields win, except that name 0 and hint 0 leave what
 * is there. */
uint32_t td_dict_track(struct td_dict *dict, const struct td_track *track);
/* Same name and kind: same number; a later call's format, step, fill and colour win. */
uint32_t td_dict_plot(struct td_dict *dict, const struct td_plot *plot);
/* Name 0: the base set, number 0, continuous, always there. Same name: same number, the first call's
 * `continuous` stays. */
uint32_t td_dict_frame_set(struct td_dict *dict, uint32_t name, int continuous);

#define TD_DICT_UNKNOWN       "???"
#define TD_DICT_PROMISE_BYTES 65535 /* a promised string is no longer */

uint32_t td_dict_promise_string(struct td_dict *dict);
uint32_t td_dict_promise_srcloc(struct td_dict *dict); /* TD_DICT_UNKNOWN is its name and function */
/* 0, or -1: no memory, not a promise, or too long. */
int td_dict_keep_string(struct td_dict *dict, uint32_t number, const char *text, size_t bytes);
int td_dict_keep_srcloc(struct td_dict *dict, uint32_t number, const struct td_srcloc *srcloc);

/* Number out of range: "" / a zeroed entry. */
const char *td_dict_text(const struct td_dict *dict, uint32_t string);
size_t td_dict_text_bytes(const struct td_dict *dict, uint32_t string);
/* What a zone of this location is called: its name, or its function when it has none. */
const char *td_dict_zone_name(const struct td_dict *dict, uint32_t srcloc);
const struct td_srcloc *td_dict_get_srcloc(const struct td_dict *dict, uint32_t srcloc);
const struct td_track *td_dict_get_track(const struct td_dict *dict, uint32_t track);
const struct td_plot *td_dict_get_plot(const struct td_dict *dict, uint32_t plot);
uint32_t td_dict_get_frame_set(const struct td_dict *dict, uint32_t set, int *continuous); /* its name */
uint32_t td_dict_string_count(const struct td_dict *dict);
uint32_t td_dict_srcloc_count(const struct td_dict *dict);
uint32_t td_dict_track_count(const struct td_dict *dict);
uint32_t td_dict_plot_count(const struct td_dict *dict);
uint32_t td_dict_frame_set_count(const struct td_dict *dict);
#endif
