/* The queues between the threads of the program and the client's own thread.
 *
 * A lane is one thread's queue: single producer, single consumer, a chain of blocks that grows as long as
 * nobody takes anything. Writing a record is: room in the block?, fields, one release store. A marker neither
 * locks nor allocates nor calls the system, except when a block is full (every TD_BLOCK_RECS records).
 */
#ifndef TD_HOST_CLIENT_QUEUE_H
#define TD_HOST_CLIENT_QUEUE_H
#include "host/wire/items.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* One event. Which fields count depends on the kind; texts of up to TD_INLINE_TEXT bytes stand in the records
 * behind theirs, longer ones in memory of their own at `b`. */
struct td_rec {
    uint32_t kind;  /* enum td_item or TD_REC_PAD */
    uint32_t bytes; /* of its text; else a small argument */
    int64_t time;
    uint64_t a;
    union {
        uint64_t u;
        int64_t i;
        double f;
        void *p;
    } b;
};
#define TD_REC_PAD     TD_ITEM_COUNT /* nothing more in this block */
#define TD_INLINE_TEXT 480u
#define TD_TEXT_RECS   (1 + TD_INLINE_TEXT / sizeof(struct td_rec))
#define TD_BLOCK_RECS  2047

struct td_block {
    struct td_block *next;
    uint64_t reserved[3];
    struct td_rec recs[TD_BLOCK_RECS];
};

struct td_lane {
    _Alignas(64) _Atomic(struct td_rec *) head; /* producer: everything before it is written */
    /* Consumer. */
    _Alignas(64) struct td_rec *tail;
    struct td_block *tail_block;
    uint32_t depth; /* zones open in what was taken */
    /* Under the registry's lock. */
    struct td_lane *next;
    uint32_t thread;          /* 0: the serial lane */
    int orphan;               /* its thread ended */
    struct td_rec *cur, *end; /* where a later thread of the same id continues */
    struct td_block *block;
};

/* A thread's view of its lane. All zero: none yet. */
struct td_producer {
    struct td_rec *cur, *end;
    struct td_lane *lane;
    struct td_block *block;
};
extern __thread struct td_producer td_producer __attribute__((tls_model("initial-exec")));

/* Room for n consecutive records, n <= TD_TEXT_RECS. Never NULL: where nothing can be kept, it is a scratch
 * place. */
struct td_rec *td_queue_refill(struct td_producer *producer, unsigned n);
static inline struct td_rec *td_queue_reserve(struct td_producer *producer, unsigned n)
{
    if (__builtin_expect(producer->end - producer->cur < (ptrdiff_t)n, 0))
        return td_queue_refill(producer, n);
    return producer->cur;
}
static inline void td_queue_publish(struct td_producer *producer, struct td_rec *next)
{
    producer->cur = next;
    atomic_store_explicit(&producer->lane->head, next, memory_order_release);
}

/* The serial lane: events that belong to no thread and must keep their order (frames). Hold its lock around
 * reserve and publish. */
struct td_producer *td_queue_serial_lock(void);
void td_queue_serial_unlock(void);

/* Consumer. Lanes in the order of their making; NULL ends. */
struct td_lane *td_queue_first(void);
struct td_lane *td_queue_after(struct td_lane *lane); /* frees `lane` if its thread ended and all was taken */
/* The next record or NULL; its text's records follow it. Taking it frees the memory that it owns. */
const struct td_rec *td_lane_peek(struct td_lane *lane);
void td_lane_take(struct td_lane *lane, const struct td_rec *rec);
/* Text of a record that has one. */
static inline int td_rec_has_text(const struct td_rec *rec)
{
    return rec->kind == TD_ITEM_ZoneText || rec->kind == TD_ITEM_ZoneName || rec->kind == TD_ITEM_Message ||
           rec->kind == TD_ITEM_MessageColor || rec->kind == TD_ITEM_MessageAppInfo;
}
static inline const void *td_rec_text(const struct td_rec *rec)
{
    return rec->bytes <= TD_INLINE_TEXT ? (const void *)(rec + 1) : rec->b.p;
}

/* From now on every marker that needs a new block writes to nowhere: no connection will ever come. */
void td_queue_mute(void);
/* In a forked child: the calling thread's lanes belong to the parent. */
void td_queue_forked(void);
extern atomic_ulong td_queue_lost; /* records lost because memory was out */
#endif
