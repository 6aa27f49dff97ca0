/* The dictionary: every name that events refer to, stored once, found by number.
 *
 * Equal content is one entry, so numbers compare like names. Entries are never changed or removed; their
 * addresses stay valid until the dictionary is destroyed. One thread at a time may add; reading an entry
 * whose number one has is safe while another thread adds. Number 0 of strings is "", of source locations is "none".
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
#define TD_SRCLOC_WAIT 1u /* time spent waiting: own colour and category */
#define TD_SRCLOC_LOST 2u /* made by Tendril: a gap in which events were dropped, or a stall of the lane */

enum td_track_kind { TD_TRACK_THREAD, TD_TRACK_CORE };

struct td_track {
    uint64_t thread; /* OS thread id, or td_track_id() of proto/track.h */
    uint32_t name;   /* string */
    uint8_t kind;    /* enum td_track_kind */
    uint8_t unsynced;  /* 1: its clock could not be related to the host's */
    uint8_t core;      /* TD_TRACK_CORE: place on the board */
    uint8_t reserved;
    uint16_t chip, x, y;
    int32_t group_hint; /* order of tracks in viewers, 0 = none */
};

struct td_plot {
    uint32_t name;   /* string */
    uint8_t format;  /* 0 number, 1 memory size, 2 percentage, 3 watt */
    uint8_t step, fill;
    uint32_t color;
};

struct td_dict *td_dict_create(void); /* NULL: no memory */
void td_dict_destroy(struct td_dict *dict); /* NULL is allowed */

/* Each returns the number, or UINT32_MAX when memory is out. `text` is copied; need not end in NUL. */
uint32_t td_dict_string(struct td_dict *dict, const char *text, size_t bytes);
uint32_t td_dict_cstring(struct td_dict *dict, const char *text);
uint32_t td_dict_srcloc(struct td_dict *dict, const struct td_srcloc *srcloc);
uint32_t td_dict_track(struct td_dict *dict, const struct td_track *track);    /* same thread: same number; later name and hint win */
uint32_t td_dict_plot(struct td_dict *dict, const struct td_plot *plot);       /* same name: same number; later format wins */
uint32_t td_dict_frame_set(struct td_dict *dict, uint32_t name, int continuous); /* name 0: the base set, number 0, always there */

/* Number out of range: "" / a zeroed entry. */
const char *td_dict_text(const struct td_dict *dict, uint32_t string);
size_t td_dict_text_bytes(const struct td_dict *dict, uint32_t string);
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
