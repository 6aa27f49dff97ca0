/* Keeps the bands that the viewer draws, and has them made by worker threads: a frame takes what there is and
 * never waits. What was not drawn for the longest time goes first when there are too many.
 *
 * The functions are for the viewer's thread. A frame: td_bands_begin_frame(), td_bands_get() for what is to
 * be drawn, td_bands_end_frame(). */
#pragma once
#include "host/viewer/timeline/band.h"

/* Tracks of a group, shared with the threads. */
struct td_track_list {
    int references; /* atomic */
    uint32_t count;
    uint32_t tracks[];
};
struct td_track_list *td_track_list_create(uint32_t count); /* NULL: no memory */
void td_track_list_release(struct td_track_list *list);     /* NULL is allowed */

struct td_band {
    struct td_band_data data;
    uint8_t *match; /* shares of the matches; NULL: not known (yet) */
};

/* What bands are made of now. */
struct td_band_state {
    unsigned generation; /* changes when the trace has grown */
    double settled_ns; /* zones before that do not change any more, but for open ones; INFINITY: none does */
    bool deep;         /* zones in zones may be waits and losses */
    double last_ns;    /* end of the trace; open zones are taken to end there */
    struct td_matches *matches;       /* of the search; NULL: none */
    unsigned match_generation;        /* changes when there are more matches, or others */
    struct td_zone_coloring coloring; /* bands with other colours are drawn until those with these are made */
};

struct td_bands;

/* `threads` 0: bands are made at once, in td_bands_get(). NULL: no memory. */
struct td_bands *td_bands_create(const struct td_trace *trace, unsigned threads);
/* What was made of the trace and outlives the bands. To be called before the first frame. */
void td_bands_use(struct td_bands *bands, const struct td_band_parts *parts);
void td_bands_destroy(struct td_bands *bands); /* NULL is allowed */
/* Forgets all bands; the trace has changed otherwise than by growing. Until the call returns and from then
 * to the next frame, no thread reads the trace. */
void td_bands_forget(struct td_bands *bands);

void td_bands_begin_frame(struct td_bands *bands, const struct td_band_state *state);
/* The band, perhaps not of the latest state; NULL: it is being made. `list`: the tracks of a group. */
const struct td_band *td_bands_get(struct td_bands *bands, const struct td_band_key *key,
                                   struct td_track_list *list);
/* The band if there is one; does not have it made. */
const struct td_band *td_bands_peek(struct td_bands *bands, const struct td_band_key *key);
/* Has the band made after all that this frame draws, because a later one may draw it. */
void td_bands_prefetch(struct td_bands *bands, const struct td_band_key *key, struct td_track_list *list);
void td_bands_end_frame(struct td_bands *bands);

/* True: bands of the last frame are still being made. */
bool td_bands_pending(struct td_bands *bands);
/* True: bands have been made since the last frame began. */
bool td_bands_arrived(struct td_bands *bands);
/* Bytes of bands and pyramids; exact while nothing is pending. */
size_t td_bands_bytes(const struct td_bands *bands);
