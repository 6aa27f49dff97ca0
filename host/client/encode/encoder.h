/* encode.c. One encoder a session; used by the session's thread only. */
#ifndef TD_HOST_CLIENT_ENCODE_ENCODER_H
#define TD_HOST_CLIENT_ENCODE_ENCODER_H
#include "host/client/encode/announced.h"
#include "host/client/queue/queue.h"
#include "host/wire/pack.h"

#include <stddef.h>
#include <stdint.h>

struct td_gpu;
struct td_wire_keys;
struct td_encoder {
    const struct td_wire_release *release;
    struct td_packer *packer;
    struct td_announced *announced;
    int (*send)(void *self, const uint8_t *bytes, size_t count); /* not 0: the peer is gone */
    void *self;
    int (*before_frame)(struct td_encoder *encoder); /* NULL, or sends what must come before the open frame */
    /* NULL, or of a session that asks itself: a symbol was answered, a file named for the first time. */
    int (*symbol_answered)(struct td_encoder *encoder, uint64_t address, uint32_t bytes);
    void (*file_named)(struct td_encoder *encoder, const char *file, size_t bytes);
    uint32_t thread; /* of the last ThreadContext; 0 none */
    uint32_t open_zones, session;
    int64_t thread_time, serial_time, gpu_time; /* the last of each clock */
    int64_t since;                              /* records from before this time are not for this peer */
    uint32_t frame_offset;
    struct td_gpu *gpu;
    struct td_wire_keys *keys;  /* NULL: no library that left was asked for yet */
    int lost_discards;          /* memory discards that the release has no item for */
    uint32_t lost_gpu_contexts; /* the release's numbers are too narrow for */
    uint64_t lost_lock_events;  /* of more threads than a lock may have */
    struct {
        uint64_t zones, others;
        uint32_t thread; /* of the first of `zones` */
    } unmatched;
    struct {
        char *name; /* NULL: none is on the way */
        uint32_t bytes, have;
    } transfer;            /* of a source file's name */
    uint32_t called_bytes; /* of functions that were named though no call stack has them */
};
int td_encoder_init(struct td_encoder *encoder, const struct td_wire_release *release); /* 0, -1: no memory */
void td_encoder_finish(struct td_encoder *encoder);
/* `queue`: where it comes from; its time has been put right. 0, or -1 when sending failed. */
int td_encode(struct td_encoder *encoder, struct td_thread_queue *queue, const struct td_rec *rec);
/* encode_zones.c. Takes begins and ends of zones from the queue as long as nothing else comes, at most so
 * many; returns how many. What it leaves, td_encode() takes. */
int td_encode_zones(struct td_encoder *encoder, struct td_thread_queue *queue, int most);
/* encoder.c. Room for `bytes` in the open frame, sending what is there if it must; NULL when sending failed.
 * Then td_encode_put. */
uint8_t *td_encode_room(struct td_encoder *encoder, size_t bytes);
void td_encode_put(struct td_encoder *encoder, const uint8_t *end);
int td_encode_flush(struct td_encoder *encoder); /* sends the open frame; 0 or -1 */
/* What the program did wrong and a peer would give up at was left out; the end of the session says so. Not
 * where it may belong to the time before the session. */
void td_encode_unmatched(struct td_encoder *encoder, const struct td_thread_queue *queue,
                         const struct td_rec *rec);
/* The text that the next item takes, at p; room is the caller's. */
uint8_t *td_encode_text(struct td_encoder *encoder, uint8_t *p, const void *text, size_t bytes);
int td_encode_app_info(struct td_encoder *encoder, const char *text);
/* encode_ordered.c: records with a place in the order of all. p has room; NULL: nothing to send. */
uint8_t *td_encode_ordered(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                           const struct td_rec *rec);
uint8_t *td_encode_gpu(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                       const struct td_rec *rec);
void td_gpu_destroy(struct td_gpu *gpu);
#define TD_ENCODE_ITEM_MAX 96 /* more than any item without variable bytes, with what stands before it */
#endif
