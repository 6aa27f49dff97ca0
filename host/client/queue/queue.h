/* The queues between the threads of the program, which produce records, and the session's thread, which
 * consumes them.
 *
 * A queue has one producer and one consumer. It is a chain of blocks that grows until the consumer takes
 * records. Every thread has two queues: one whose records keep the order of the thread, and one for records
 * that have a place in an order over all threads (locks, memory, frames, GPU). The producer writes word 0 of
 * a record last. Word 0 is never zero, and the consumer clears what it has taken, so a word 0 that is not
 * zero publishes its record. records.h lists the kinds, record.h reads them, tendril/client.h has the inline
 * code that writes them.
 *
 * Ordered records carry numbers from one counter, and the consumer takes them in that order. While a thread
 * is stopped between taking a number and writing its record, records with higher numbers wait.
 */
#pragma once
#include "host/base/export.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/record.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define TD_BLOCK_HEAD 64u
struct td_queue_block {
    _Atomic(struct td_queue_block *) next;
    uint64_t number; /* counts up; the lower 16 bits, not 0, are part of the numbers of zones begun here */
    uint64_t reserved[TD_BLOCK_HEAD / 8 - 2];
    uint64_t words[];
};

struct td_thread_queue {
    /* The consumer's. */
    uint64_t *tail; /* the next record */
    int64_t last;   /* time of the record taken last; the next one gets at least this */
    int64_t until;  /* records after this time wait: what another thread does to a zone comes first */
    uint32_t
        last_zone; /* begun last, if no other event of zones came after; else 0: short records are for it */
    uint32_t session;            /* the session that track and fiber belong to */
    struct td_zone_track *track; /* that the zones belong to: the thread's or the fiber's (zone_tracks.h) */
    uint64_t fiber;              /* name of the fiber that the thread is in; 0: none */
    int64_t hole_ms; /* since when a record is missing although a later block exists; 0: none is */
    uint32_t thread; /* id of the thread that wrote the next record */
    /* Constant. */
    int ordered;
    uint32_t number; /* not 0 */
    /* Under the registry's lock. */
    struct td_thread_queue *next;
    int orphan;          /* its thread ended; another one may adopt it and continue at: */
    uint64_t cur, block; /* as in td_client_producer */
    uint32_t owner;      /* the thread that writes, or wrote last */
};

/* The calling thread's place in its queue of ordered records. */
extern TD_CLIENT_API __thread struct td_client_producer td_ordered_producer
    __attribute__((tls_model("initial-exec")));

/* 1 once the thread's end has released its queues. A marker after that (the C library frees memory of the
 * thread) attaches a queue that no destructor will release. Such callers call td_queue_leave_ordered()
 * after the marker. */
extern TD_CLIENT_API __thread int td_thread_over __attribute__((tls_model("initial-exec")));
TD_CLIENT_API void td_queue_leave_ordered(void);

static inline uint64_t *td_reserve(unsigned words)
{
    return td_client_reserve(&td_client_producer, words);
}
static inline uint64_t *td_reserve_ordered(unsigned words)
{
    return td_client_reserve(&td_ordered_producer, words);
}
extern _Atomic(uint32_t) td_order;
/* Publishes an ordered record. It takes the number last, so that other records rarely wait for this one.
 * `upper` is what word 1 holds above the number. */
static inline void td_publish_ordered(uint64_t *record, unsigned kind, uint64_t time, uint64_t upper)
{
    record[1] = upper | atomic_fetch_add_explicit(&td_order, 1, memory_order_acq_rel);
    td_client_publish(record, kind, time);
}

/* The name of the fiber that the thread is in; NULL: none. */
extern __thread const char *td_in_fiber __attribute__((tls_model("initial-exec")));
/* Where the thread's next record was (td_queue_place()) when it last entered or left a fiber, or continued the queue of
 * another thread; 0: it did not. Zones that began before may be of others. */
extern __thread uint64_t td_own_zones_from __attribute__((tls_model("initial-exec")));
/* The number of the queue that the zone was begun in. */
uint32_t td_queue_of_zone(uint32_t zone);
uint64_t td_queue_newest_block(void); /* its number */

/* A place in a block as a number that is greater for later blocks. */
static inline uint64_t td_queue_place(const void *at)
{
    const uint64_t base = (uint64_t)(uintptr_t)at & ~(uint64_t)(TD_CLIENT_BLOCK_BYTES - 1);
    const struct td_queue_block *block = (const struct td_queue_block *)(uintptr_t)base;
    return block->number << 16 | ((uintptr_t)at - base);
}
/* Where the producer's next record will be. It has a queue. */
static inline uint64_t td_queue_producer_place(struct td_client_producer producer)
{
    return td_queue_place((const void *)(uintptr_t)producer.block) + (producer.cur - producer.block);
}
/* The number of a zone whose begin is at that place: the lower half, so numbers come again after 65,535 blocks. */
static inline uint32_t td_queue_zone_at(const uint64_t *place)
{
    return (uint32_t)td_queue_place(place);
}
/* The last place of a zone with that number, up to `latest`; greater than that: there is none. */
static inline uint64_t td_queue_place_of(uint32_t zone, uint64_t latest)
{
    return latest - (uint32_t)(latest - zone);
}

/* ---- The consumer: one thread at a time. ---- */

/* The queues in the order in which they were made. td_queue_after() frees `queue` if its thread has ended
 * and all of its records were taken. NULL: no more queues. */
struct td_thread_queue *td_queue_first(void);
struct td_thread_queue *td_queue_after(struct td_thread_queue *queue);
/* 1: *rec is the queue's next record, valid until it is taken; 0: the queue has none. */
bool td_thread_queue_peek(struct td_thread_queue *queue, struct td_rec *rec);
/* Takes the record that td_thread_queue_peek() gave, and frees what it owns. */
void td_thread_queue_take(struct td_thread_queue *queue, const struct td_rec *rec);
/* The earliest time of the queues' next records; INT64_MAX: there are none. Times that the program gives are left
 * out. */
int64_t td_queue_earliest(void);
/* Looks for the record with that number further on in the queue; 1: *rec is it. A thread's records can be
 * out of order: a signal handler may run between a marker's taking of a place and of a number. */
bool td_thread_queue_find(const struct td_thread_queue *queue, uint32_t number, struct td_rec *rec);
void td_thread_queue_take_ahead(const struct td_rec *rec); /* takes what td_thread_queue_find() found */
/* Skips the rest of the block if its next record has been missing for `ms` although the thread writes to a
 * later block: a signal handler jumped out of a marker. */
void td_thread_queue_mend(struct td_thread_queue *queue, int64_t now_ms, int64_t ms);
/* The end of the records in the block of `tail`. */
const uint64_t *td_thread_queue_limit(const struct td_thread_queue *queue);

/* ---- Any thread. ---- */

/* Attaches the next block, or the thread's first one. As td_client_refill(), which starts the client
 * first. */
uint64_t *td_queue_refill(struct td_client_producer *producer, uint64_t place, unsigned words);
void td_queue_set_live(uint32_t live); /* td_client_live */
/* Sets how many bytes may wait and clears td_queue_stopped. Once more bytes wait, or memory is out, recording
 * stops for all threads. What waits then is complete up to that moment. */
void td_queue_begin(size_t limit);
bool td_queue_is_full(void);          /* more bytes wait than may */
bool td_queue_has_room(size_t bytes); /* that many more may be kept */
extern atomic_int td_queue_stopped;   /* 1: recording has stopped */
void td_queue_mute_thread(void);      /* drops all further markers of the calling thread */
/* Around fork(). The child forgets the queues: they belong to the parent. */
void td_queue_before_fork(void);
void td_queue_after_fork(int in_child);
void td_queue_finish(void);        /* the client's code is about to be unloaded, or the program ends */
extern atomic_ulong td_queue_lost; /* records lost for want of memory */
