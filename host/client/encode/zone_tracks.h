/* The open zones of a session's threads and fibers, so that what a marker does goes to the zone that it names. Used by
 * the session's thread.
 *
 * The protocol has no names of zones: ends, texts and so on are for the innermost open zone of a thread or fiber. What is
 * for another zone waits until that zone is the innermost one, and is sent then; an end keeps its own time. Such misuse
 * is reported to the peer as stock clients do: the item with the number of a zone (ZoneValidation) that is not that of
 * the innermost zone. Stock recorders end the session there, with a report; Tendril's note it and leave the item out.
 * Where stock's markers have no numbers (C++), or with TRACY_NO_VERIFY, the end that waited is sent after the number 0,
 * which means nothing to stock recorders, and Tendril's note it.
 */
#pragma once
#include "host/client/encode/encoder.h"
#include "host/client/queue/zone_acts.h"

#include <stdbool.h>

struct td_open_zone {
    int64_t begin;
    uint32_t number;
    bool has_ended; /* its end waits */
};
#define TD_BEGUN_ZONES 65536
/* Zones that began within 1 MiB of records have places of their own. */
static inline uint32_t td_begun_at(uint32_t zone)
{
    return zone >> 4 & (TD_BEGUN_ZONES - 1);
}

struct td_zone_track {
    struct td_zone_track *next;
    uint64_t key; /* thread, or name of the fiber */
    bool is_fiber;
    bool is_left;    /* a thread: it is in a fiber */
    uint32_t thread; /* a fiber: the thread that is in it; 0: none is */
    struct td_open_zone *zones;
    uint32_t count, capacity;
    uint32_t ended;           /* of the zones */
    struct td_zone_act *acts; /* that wait, in their order */
};

/* The track that the queue's zones belong to now. NULL: no memory. */
struct td_zone_track *td_zone_track_of(struct td_encoder *encoder, struct td_thread_queue *queue);
/* The queue's thread enters a fiber, or leaves it (0). Returns 0, or negative: sending failed. */
int td_zone_track_switch(struct td_encoder *encoder, struct td_thread_queue *queue, uint64_t fiber);
/* The queue is another thread's from here on. */
void td_zone_track_drop(struct td_encoder *encoder, struct td_thread_queue *queue);
/* The first record of a queue in this session. */
void td_zone_tracks_first(struct td_encoder *encoder, const uint64_t *place);
/* Adds a zone that begins at that place. False: no memory. */
bool td_zone_track_begin(struct td_zone_track *track, const uint64_t *place, int64_t time);
/* Does `act`, whose text is the caller's, in the session; `track` is the one that its thread is in, or NULL. Returns 0,
 * or negative: sending failed. */
int td_zone_act_encode(struct td_encoder *encoder, struct td_zone_track *track, struct td_zone_act *act);
/* At the end of the session: sends what waits, as far as it can be sent. */
int td_zone_tracks_end(struct td_encoder *encoder);
void td_zone_tracks_destroy(struct td_encoder *encoder);
