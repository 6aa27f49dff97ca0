/* Bands: what is drawn of a row of zones, or of a closed group of tracks, in a range of time and at a scale.
 * A band has TD_BAND_CELLS cells of 2^level ns and begins at a multiple of its length. So it stays valid
 * while the picture pans, and for all scales at which its cells are about a pixel wide.
 *
 * A band of a row is a list of items: zones at least as long as a cell, and runs of shorter zones that end
 * in the same cell. A band of a group has the shares of the time that its tracks are busy and waiting, for
 * each cell. Rows of messages and frames have items, too; plots have points (band_lists.h). */
#pragma once
#include "host/query/code/ghosts.h"
#include "host/query/sums/matches.h"
#include "host/query/rows/messages.h"
#include "host/query/rows/switches.h"
#include "host/viewer/timeline/pyramid.h"

#define TD_BAND_CELLS     128
#define TD_BAND_GROUP     UINT32_MAX       /* as a row: the key is that of a group */
#define TD_BAND_MESSAGES  (UINT32_MAX - 1) /* as a row: messages of the key's track */
#define TD_BAND_PLOT      (UINT32_MAX - 2) /* points of the plot with the number `track` */
#define TD_BAND_FRAMES    (UINT32_MAX - 3) /* frames of the set with the number `track` */
#define TD_BAND_SWITCHES  (UINT32_MAX - 4) /* runs of the track's thread */
#define TD_BAND_CPU       (UINT32_MAX - 5) /* runs on the processor with the number `track` */
#define TD_BAND_USAGE     (UINT32_MAX - 6) /* shares of all processors */
#define TD_BAND_SAMPLES   (UINT32_MAX - 7) /* samples of the track */
#define TD_BAND_GHOSTS    (UINT32_MAX - 8) /* outermost ghost zones of the track; one less for each level */
#define TD_BAND_MIN_LEVEL (-12)
#define TD_BAND_MAX_LEVEL 56
#define TD_BAND_SHARE     65535 /* of a cell: all of it */

struct td_band_key {
    uint32_t track; /* a group: a number that the caller chose for it */
    uint32_t row;
    int32_t level;
    int64_t index;
};

/* Flags besides TD_SRCLOC_WAIT and TD_SRCLOC_LOST. Runs of a thread: it moved from another processor; it was only
 * woken. Ghost zones: of an inlined function. */
enum {
    TD_ITEM_OPEN = 0x80,
    TD_ITEM_ZONE = 0x40,
    TD_ITEM_MOVED = 0x20,
    TD_ITEM_WOKEN = 0x10,
    TD_ITEM_INLINED = 0x20
};

struct td_band_item {
    int64_t start_ns, end_ns; /* of the first and the last zone; end TD_OPEN: it has none */
    uint64_t first : 48;      /* zone or ghost zone of the row, message of the track, frame of the set */
    uint64_t flags : 8;       /* TD_ITEM_ZONE: a zone at least as long as a cell; the only run in a cell */
    uint64_t coverage : 8;    /* share of the time in zones, 0..255; of runs: in those of the program */
    uint32_t count;           /* zones, UINT32_MAX: at least as many */
    uint32_t color;           /* 0x00RRGGBB */
    union {
        uint32_t srcloc; /* of all its zones, or TD_SUM_MIXED; the first message's text */
        uint32_t woken;  /* run of a thread: how long before it, in TD_WOKEN_PARTS of a cell */
        uint32_t used;   /* runs on a processor: the share of the time in all of them, 0..255 */
        uint32_t line;   /* ghost zones: of the first, as in struct td_ghost */
    };
    uint32_t entry; /* ghost zones: of the first; else 0, so that items can be compared as bytes */
};

#define TD_CELL_MESSAGE 0x100u /* a message begins here */

#define TD_WOKEN_PARTS 256

struct td_cell {
    /* 0..TD_BAND_SHARE; wait is a part of busy. Processors: wait is for other programs */
    uint16_t busy, wait;
    uint32_t flags; /* TD_SRCLOC_LOST: data was lost here, or the lane stalled; TD_CELL_MESSAGE */
};

/* The points of a cell: when the first one is, and the range of all. NaN: they have no other values. */
struct td_band_point {
    int64_t time_ns;
    double least, most;
};

/* The content of a band. */
struct td_band_data {
    uint32_t count;               /* of items or points, or TD_BAND_CELLS */
    struct td_band_item *items;   /* of a row, else NULL */
    struct td_cell *cells;        /* of a group, else NULL */
    struct td_band_point *points; /* of a plot, else NULL. The point before the band is the first one, and
                                   * the one after it the last, if there are any */
    bool has_open;                /* with a zone or frame that is open */
    bool complete; /* messages, points, frames, runs: there are some after the band, so no more come in it */
};

struct td_ghost_cache;

/* What others make of the trace, for bands. */
struct td_band_parts {
    const struct td_messages *messages; /* NULL: those of a finished trace */
    struct td_switches *switches;       /* NULL: none */
    struct td_ghost_cache *ghosts;      /* NULL: none */
};

/* The rows of zones, with their pyramids, that bands are made of. Thread-safe. */
struct td_band_source;
struct td_band_source *td_band_source_create(const struct td_trace *trace); /* NULL: no memory */
/* Another owner, which destroys it too: the last one frees it. */
struct td_band_source *td_band_source_share(struct td_band_source *source);
void td_band_source_destroy(struct td_band_source *source); /* NULL is allowed */
/* The colours of the zones; to be called before anything is made. */
void td_band_source_color(struct td_band_source *source, struct td_zone_coloring as);
/* What was made of the trace and outlives the source. To be called before anything is made. */
void td_band_source_use(struct td_band_source *source, const struct td_band_parts *parts);
size_t td_band_source_bytes(const struct td_band_source *source);

double td_band_cell_ns(int level);
/* The least level whose cells are at least that long. */
int td_band_level_for(double cell_ns);
double td_band_start_ns(const struct td_band_key *key);
int64_t td_band_index_at(int level, double time_ns);

/* Makes the content of a band. `open_ns`: where open zones and runs are taken to end. A group: of its `count` tracks;
 * `deep`: zones in zones may be waits and losses. 0 or TD_E_NOMEM; TD_E_NOTFOUND: there are no ghost zones yet. */
int td_band_make_row(struct td_band_source *source, const struct td_band_key *key, double open_ns,
                     struct td_band_data *data);
int td_band_make_group(struct td_band_source *source, const struct td_band_key *key, const uint32_t *tracks,
                       uint32_t count, bool deep, double open_ns, struct td_band_data *data);
int td_band_make_list(struct td_band_source *source, const struct td_band_key *key, double open_ns,
                      struct td_band_data *data);
void td_band_data_free(struct td_band_data *data);
/* The share of the matches of a search for each item (of the time of its zones) or cell (of the cell): 0:
 * none, 1..255. NULL: no memory. */
uint8_t *td_band_match(struct td_band_source *source, const struct td_band_key *key,
                       const struct td_band_data *data, const uint32_t *tracks, uint32_t count,
                       const struct td_matches *matches, double open_ns);
