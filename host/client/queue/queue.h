/* The queues between the threads of the program and the client's own thread.
 *
 * A queue is a queue with one producer and one consumer, a chain of blocks that grows as long as nobody takes
 * anything. Every thread has two: one for what keeps the order of the thread, one for records that have a
 * place in an order over all threads (locks, memory, frames, GPU). A record's word 0 is written last and not
 * zero, so nothing else is published; the consumer leaves zeros behind. records.h has the kinds, record.h
 * reads them, the inline part of writing them is in tendril/client.h.
 *
 * Ordered records carry numbers of one counter. The consumer takes them in that order; while a thread is
 * stopped between taking a number and writing its record, the ones behind it wait.
 */
#ifndef TD_HOST_CLIENT_QUEUE_QUEUE_H
#define TD_HOST_CLIENT_QUEUE_QUEUE_H
#include "host/client/platform/client_api.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/record.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TD_BLOCK_HEAD 64u
struct td_queue_block {
    _Atomic(struct td_queue_block *) next;
    uint64_t reserved[TD_BLOCK_HEAD / 8 - 1];
    uint64_t words[];
};

struct td_thread_queue {
    /* Consumer. */
    uint64_t *tail;
    int64_t last;     /* time of the record taken last: the next one's is not before it */
    uint32_t depth;   /* zones open in what was taken */
    uint32_t session; /* that depth and fiber are of */
    uint64_t fiber;   /* that its thread is in; 0: none */
    int64_t hole_ms;  /* since when a record is missing although later blocks exist; 0: none is */
    uint32_t thread;  /* that the next record is of */
    /* Constant. */
    int ordered;
    /* Under the registry's lock. */
    struct td_thread_queue *next;
    int orphan; /* its thread ended: a later one continues at */
    uint64_t cur, block;
    uint32_t owner; /* the thread that writes or wrote last */
};

/* For ordered records. */
extern __thread struct td_client_producer td_ordered_producer __attribute__((tls_model("initial-exec")));

/* 1 once this thread has left its queues at its end. What it marks after that (the C library frees what
 * belonged to the thread) needs a queue again, and nobody notices when that is the last time: whoever may be
 * there calls td_queue_leave_ordered() behind it. */
extern __thread int td_thread_over __attribute__((tls_model("initial-exec")));
void td_queue_leave_ordered(void);

static inline uint64_t *td_reserve(unsigned words)
{
    return td_client_reserve(&td_client_producer, words);
}
static inline uint64_t *td_reserve_ordered(unsigned words)
{
    return td_client_reserve(&td_ordered_producer, words);
}
extern _Atomic(uint32_t) td_order;
/* Publishes an ordered record: its number is taken at the last moment, so that hardly anyone waits for it.
 * `upper` is what word 1 holds above the number. */
static inline void td_publish_ordered(uint64_t *record, unsigned kind, uint64_t time, uint64_t upper)
{
    record[1] = upper | atomic_fetch_add_explicit(&td_order, 1, memory_order_acq_rel);
    td_client_publish(record, kind, time);
}

/* Consumer. Queues in the order of their making; NULL ends. */
struct td_thread_queue *td_queue_first(void);
struct td_thread_queue *
td_queue_after(struct td_thread_queue *queue); /* frees `queue` if its thread ended and all was taken */
int td_thread_queue_peek(struct td_thread_queue *queue, struct td_rec *rec); /* 1: *rec is its next record */
/* Taking it frees what it owns. */
void td_thread_queue_take(struct td_thread_queue *queue, const struct td_rec *rec);
/* 1: *rec is a record further on in the queue with that number. A thread's own records stand the wrong way
 * round where a signal handler came between a record's place and its number. */
int td_thread_queue_find(const struct td_thread_queue *queue, uint32_t number, struct td_rec *rec);
void td_thread_queue_take_ahead(const struct td_rec *rec); /* one that td_thread_queue_find() found */
/* Where a record has been missing for `ms`, although its thread has gone on to other blocks (a signal handler
 * jumped out of a marker): skips the rest of its block. */
void td_thread_queue_mend(struct td_thread_queue *queue, int64_t now_ms, int64_t ms);
/* Where the records of its block end. */
const uint64_t *td_thread_queue_limit(const struct td_thread_queue *queue);

/* Another block, as td_client_refill(), which is where the client is started if need be. */
uint64_t *td_queue_refill(struct td_client_producer *producer, uint64_t place, unsigned words);
void td_queue_set_live(uint32_t live);
/* How many bytes may wait. When it are more, or memory is out, nobody's events are recorded any more: what
 * waits is whole up to there. */
void td_queue_begin(size_t limit);   /* and nothing was stopped */
int td_queue_is_full(void);          /* more than may wait do */
int td_queue_has_room(size_t bytes); /* so much more may be kept */
extern atomic_int td_queue_stopped;
void td_queue_mute_thread(void); /* markers of the calling thread are dropped from here on */
/* Around fork(), and in the child: the calling thread's queues belong to the parent. */
void td_queue_before_fork(void);
void td_queue_after_fork(int in_child);
void td_queue_finish(void);        /* the library is about to be unloaded, or the program ends */
extern atomic_ulong td_queue_lost; /* records lost because memory was out */
#endif
