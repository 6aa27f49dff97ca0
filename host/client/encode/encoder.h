/* The encoder of a session: turns records into items of the protocol, packs them into frames and sends these.
 * One encoder a session, used by the session's thread only.
 *
 * Functions that return int return 0, or negative: sending failed and the session is over. */
#pragma once
#include "host/client/encode/announced.h"
#include "host/client/queue/queue.h"
#include "host/wire/pack.h"
#include "host/wire/releases.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_gpu;
struct td_thread_names;
struct td_wire_keys;
struct td_encoder;
/* Names that go before the frames that use them (ahead.h). */
struct td_ahead {
    int (*ask)(struct td_encoder *encoder, enum td_query what, uint64_t ptr); /* NULL: none do */
    uint8_t *aside;                                                           /* TD_WIRE_FRAME_MAX bytes */
    size_t named;    /* announced keys whose names were sent */
    bool is_putting; /* frames of names are being sent, which need none before them */
};
struct td_zone_track;
struct td_zone_tracks { /* zone_tracks.h */
    struct td_zone_track *threads, **fibers;
    uint32_t fiber_count, fiber_capacity;
    uint64_t first_block; /* number of the newest block of zones when the session began */
    uint64_t *firsts;     /* on demand: places of the first records of queues */
    uint32_t first_count, first_capacity;
    uint32_t
        *begun;   /* on demand: TD_BEGUN_ZONES numbers of zones that began in the session, by td_begun_at() */
    uint64_t cut; /* zones that were never ended, and end with the zone around them */
    uint64_t never; /* texts, names and so on for zones that never became the innermost ones again */
};
struct td_encoder {
    const struct td_wire_release *release;
    struct td_packer *packer;
    struct td_announced *announced;
    int (*send)(void *self, const uint8_t *bytes, size_t count); /* 0, or negative: the peer is gone */
    void *self;
    bool is_new;                                     /* few records are taken at a time */
    int (*before_frame)(struct td_encoder *encoder); /* NULL, or sends what must come before the open frame */
    struct td_ahead ahead;
    /* For a saved session, which asks the queries itself; else NULL. Called after the answer about a
     * symbol, and when a source file is named for the first time. */
    int (*symbol_answered)(struct td_encoder *encoder, uint64_t address, uint32_t bytes);
    void (*file_named)(struct td_encoder *encoder, const char *file, size_t bytes);
    uint32_t thread;              /* of the last ThreadContext; 0: none was sent */
    uint32_t open_zones, session; /* zones open in all threads; the session's number */
    int64_t thread_time, serial_time, gpu_time, switch_time; /* the last of each kind: items have deltas */
    int64_t since;                                           /* earlier records are not for this peer */
    uint32_t frame_offset; /* frames of the main set before the connection */
    struct td_zone_tracks tracks;
    struct td_gpu *gpu;                         /* the contexts that were sent */
    struct td_wire_keys *keys;                  /* NULL: no library was unloaded yet */
    const struct td_thread_names *thread_names; /* of all programs, from context switches; NULL: none */
    int lost_discards;                          /* 1: the release has no item for a memory discard */
    uint32_t lost_gpu_contexts;                 /* contexts whose numbers the release has no room for */
    uint64_t lost_lock_events;                  /* events of locks that too many threads use */
    struct {
        uint64_t zones, others; /* counts of td_encode_unmatched() */
        uint32_t thread;        /* of the first of `zones` */
    } unmatched;
    struct {
        char *name; /* a source file's name, which the peer sends in parts; NULL: it sends none */
        uint32_t bytes, have;
    } transfer;
};
/* 0, or negative: no memory. `send` and `self` are to be set after it. */
int td_encoder_init(struct td_encoder *encoder, const struct td_wire_release *release);
void td_encoder_finish(struct td_encoder *encoder);
/* Encodes a record of the queue. The record's time is not before that of the record before it. */
int td_encode(struct td_encoder *encoder, struct td_thread_queue *queue, const struct td_rec *rec);
/* Takes begins and ends of zones from the queue up to the first other record, at most `most`; returns
 * their number. The other records are for td_encode(). */
int td_encode_zones(struct td_encoder *encoder, struct td_thread_queue *queue, int most);
/* A place for `bytes` in the open frame, which is sent first if it is too full. NULL: sending failed. The
 * caller writes items there and calls td_encode_put() with their end. */
uint8_t *td_encode_room(struct td_encoder *encoder, size_t bytes);
void td_encode_put(struct td_encoder *encoder, const uint8_t *end);
int td_encode_flush(struct td_encoder *encoder); /* sends the open frame */
/* Counts a record that was left out because its begin is missing and a peer would end the session over it.
 * The end of the session reports the count. Does not count where the begin may be from before the session. */
void td_encode_unmatched(struct td_encoder *encoder, const struct td_thread_queue *queue,
                         const struct td_rec *rec);
/* Writes the text that the next item takes at p, which has room for it; returns its end. */
uint8_t *td_encode_text(struct td_encoder *encoder, uint8_t *p, const void *text, size_t bytes);
/* Writes the item after which items are of that thread, unless they are; returns its end. */
uint8_t *td_encode_thread(struct td_encoder *encoder, uint8_t *p, uint32_t thread);
int td_encode_app_info(struct td_encoder *encoder, const char *text); /* a line of the trace's description */
/* Write the items of an ordered record, of GPU records, at p, which has room. Return their end; NULL: the
 * record is left out. */
uint8_t *td_encode_ordered(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                           const struct td_rec *rec);
uint8_t *td_encode_gpu(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                       const struct td_rec *rec);
void td_gpu_destroy(struct td_gpu *gpu);
#define TD_ENCODE_ITEM_MAX 96 /* more than any item without variable bytes, with the items that precede it */
