#include "host/client/queue/queue.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/crash_thread.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/thread.h"
#include "host/client/queue/names.h"
#include "host/client/queue/record.h"

#include <stdbool.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* A place at which no record fits, not even after a few reservations have moved it on. */
#define NO_PLACE   (TD_CLIENT_BLOCK_LIMIT + 8ull)
#define LOOK_AHEAD 256 /* records; more than signal handlers write within one marker */
#define ASIDE      16  /* abandoned blocks that are kept */
#define BASE(at)   ((uint64_t)(at) & ~(uint64_t)(TD_CLIENT_BLOCK_BYTES - 1))

__thread struct td_client_producer td_client_producer = {.cur = NO_PLACE};
__thread struct td_client_producer td_ordered_producer = {.cur = NO_PLACE};
__thread const char *td_in_fiber __attribute__((tls_model("initial-exec")));
__thread uint64_t td_own_zones_from __attribute__((tls_model("initial-exec")));
uint32_t td_client_live = 1;
_Atomic(uint32_t) td_order;
atomic_ulong td_queue_lost;
atomic_int td_queue_stopped;
static atomic_size_t limit = SIZE_MAX;

static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static struct td_thread_queue *queues, *last_queue; /* oldest first */
static pthread_key_t key;
static _Atomic(uint64_t) last_number;      /* of blocks with zones */
static _Atomic(uint32_t) owners[1u << 16]; /* queues of blocks, by the lower bits of the blocks' numbers */
static atomic_int have_key;
__thread int td_thread_over __attribute__((tls_model("initial-exec")));
static __thread int muted __attribute__((tls_model("initial-exec")));

_Static_assert(sizeof(struct td_queue_block) == TD_BLOCK_HEAD, "words begin after the head");

void td_queue_set_live(uint32_t live)
{
    __atomic_store_n(&td_client_live, live, __ATOMIC_SEQ_CST);
}

void td_queue_begin(size_t bytes)
{
    atomic_store(&limit, bytes);
    atomic_store(&td_queue_stopped, 0);
}

bool td_queue_is_full(void)
{
    return td_pool_used() > atomic_load_explicit(&limit, memory_order_relaxed);
}

bool td_queue_has_room(size_t bytes)
{
    size_t most = atomic_load_explicit(&limit, memory_order_relaxed), used = td_pool_used();
    return used < most && bytes < most - used;
}

void td_queue_mute_thread(void)
{
    muted = 1;
}

/* The thread ends. Its queue stays for the consumer, or for a thread that adopts it. */
static void detach_queue(struct td_client_producer *producer)
{
    struct td_thread_queue *queue = producer->queue;
    if (!queue)
        return;
    pthread_mutex_lock(&registry);
    queue->cur = producer->cur;
    queue->block = producer->block;
    queue->orphan = 1;
    pthread_mutex_unlock(&registry);
    *producer = (struct td_client_producer){.cur = NO_PLACE};
}

static void thread_ends(void *nothing)
{
    struct td_signals signals;
    td_signals_block(&signals);
    td_thread_over = 1;
    td_client_thread_ends(td_client_thread_id());
    detach_queue(&td_client_producer);
    detach_queue(&td_ordered_producer);
    td_crash_thread_ends();
    td_signals_restore(&signals);
}

void td_queue_leave_ordered(void)
{
    struct td_signals signals;
    td_signals_block(&signals);
    detach_queue(&td_ordered_producer);
    td_crash_thread_ends();
    td_signals_restore(&signals);
}

/* An orphan: that of an earlier thread with the same id, so that its events come first, else any. So there
 * are at most as many queues as threads at a time. */
static struct td_thread_queue *adopt_locked(uint32_t thread, int ordered)
{
    struct td_thread_queue *any = NULL;
    for (struct td_thread_queue *queue = queues; queue; queue = queue->next) {
        if (!queue->orphan || queue->ordered != ordered)
            continue;
        any = queue;
        if (queue->owner == thread)
            break;
    }
    if (any)
        any->orphan = 0;
    return any;
}

static struct td_thread_queue *make_queue(uint32_t thread, int ordered, struct td_queue_block *block)
{
    struct td_thread_queue *queue = td_pool_alloc(sizeof *queue);
    if (!queue)
        return NULL;
    static uint32_t last_queue_number;
    *queue =
        (struct td_thread_queue){.tail = block->words, .thread = thread, .owner = thread, .ordered = ordered};
    pthread_mutex_lock(&registry);
    queue->number = ++last_queue_number ? last_queue_number : ++last_queue_number;
    if (last_queue)
        last_queue->next = queue;
    else
        queues = queue;
    last_queue = queue;
    pthread_mutex_unlock(&registry);
    return queue;
}

uint32_t td_queue_of_zone(uint32_t zone)
{
    return atomic_load_explicit(&owners[zone >> 16], memory_order_relaxed);
}

uint64_t td_queue_newest_block(void)
{
    return atomic_load(&last_number);
}

/* Gives a block of a queue that orders zones its number. */
static void number_block(const struct td_thread_queue *queue, struct td_queue_block *block)
{
    while (!queue->ordered && !(block->number & 0xffff))
        block->number = atomic_fetch_add(&last_number, 1) + 1;
    atomic_store_explicit(&owners[block->number & 0xffff], queue->number, memory_order_relaxed);
}

/* The thread's place in its queue, from the block and the place there. */
static struct td_client_producer producer_at(struct td_thread_queue *queue, uint64_t block, uint64_t cur)
{
    const uint32_t number = (uint32_t)((const struct td_queue_block *)(uintptr_t)block)->number;
    return (struct td_client_producer){cur, block, queue, (number << 16) - (uint32_t)block, 0};
}

static bool fits(uint64_t place, unsigned words)
{
    return (place & (TD_CLIENT_BLOCK_BYTES - 1)) <= TD_CLIENT_BLOCK_LIMIT - 8 * words;
}

static bool write_thread(struct td_client_producer *producer, uint32_t thread)
{
    uint64_t place = producer->cur;
    producer->cur += 16;
    uint64_t *record = fits(place, 2) ? (uint64_t *)(uintptr_t)place : td_queue_refill(producer, place, 2);
    if (!record)
        return 0;
    record[1] = thread;
    td_client_publish(record, TD_REC_THREAD, 0);
    return 1;
}

/* Gives this thread an orphan, else a new queue. 0: no memory. */
static bool give_queue(struct td_client_producer *producer)
{
    uint32_t thread = td_client_thread_id();
    int ordered = producer == &td_ordered_producer;
    pthread_mutex_lock(&registry);
    struct td_thread_queue *queue = adopt_locked(thread, ordered);
    uint32_t owner = queue ? queue->owner : thread;
    if (queue)
        queue->owner = thread;
    if (!atomic_load(&have_key))
        atomic_store(&have_key, pthread_key_create(&key, thread_ends) == 0);
    pthread_mutex_unlock(&registry);
    if (queue) {
        *producer = producer_at(queue, queue->block, queue->cur);
        if (!ordered)
            td_own_zones_from = td_queue_producer_place(*producer);
        return owner == thread || write_thread(producer, thread);
    }
    struct td_queue_block *block = td_pool_alloc_block();
    queue = block ? make_queue(thread, ordered, block) : NULL;
    if (!queue) {
        if (block)
            td_pool_free_block(block);
        return 0;
    }
    number_block(queue, block);
    *producer = producer_at(queue, (uintptr_t)block, (uintptr_t)block->words);
    return 1;
}

static bool attach_queue(struct td_client_producer *producer)
{
    if (!give_queue(producer))
        return 0;
    td_crash_thread_begins();
    /* Last, because it may call the program's malloc(), which may have markers. */
    if (atomic_load(&have_key))
        pthread_setspecific(key, producer);
    return 1;
}

static void pad_block(uint64_t place)
{
    if (BASE(place) && (place & (TD_CLIENT_BLOCK_BYTES - 1)) < TD_CLIENT_BLOCK_LIMIT)
        td_client_publish((uint64_t *)(uintptr_t)place, TD_REC_PAD, 0);
}

/* Attaches a block after the current one, which is full. Returns its first place; 0: none may be added. */
static uint64_t next_block(struct td_client_producer *producer)
{
    int live = td_client_is_live() != 0;
    struct td_queue_block *block = live && !td_queue_is_full() ? td_pool_alloc_block() : NULL;
    if (!block) {
        if (live) {
            atomic_store(&td_queue_stopped, 1);
            td_queue_set_live(0);
        }
        producer->cur = producer->block | NO_PLACE;
        return 0;
    }
    struct td_queue_block *full = (struct td_queue_block *)(uintptr_t)producer->block;
    number_block(producer->queue, block);
    atomic_store_explicit(&full->next, block, memory_order_release);
    const uint32_t open = producer->open;
    *producer = producer_at(producer->queue, (uintptr_t)block, (uintptr_t)block->words);
    producer->open = open;
    return producer->cur;
}

uint64_t *td_queue_refill(struct td_client_producer *producer, uint64_t place, unsigned words)
{
    if (muted) {
        producer->cur = NO_PLACE;
        return NULL;
    }
    struct td_signals signals;
    td_signals_block(&signals);
    for (;;) {
        /* A signal handler may have attached another block since `place` was reserved. */
        pad_block(place);
        if (BASE(place) == producer->block) {
            if (!producer->queue)
                place = td_client_is_live() && attach_queue(producer);
            else
                place = next_block(producer);
            if (!place) {
                if (td_client_is_live())
                    atomic_fetch_add(&td_queue_lost, 1);
                producer->cur = producer->block | NO_PLACE;
                break;
            }
        }
        place = producer->cur;
        producer->cur += 8ull * words;
        if (fits(place, words))
            break;
    }
    td_signals_restore(&signals);
    return (uint64_t *)(uintptr_t)place;
}

struct td_thread_queue *td_queue_first(void)
{
    pthread_mutex_lock(&registry);
    struct td_thread_queue *first = queues;
    pthread_mutex_unlock(&registry);
    return first;
}

static void unlink_locked(struct td_thread_queue *queue)
{
    struct td_thread_queue *before = NULL;
    if (queues == queue) {
        queues = queue->next;
    } else {
        before = queues;
        while (before->next != queue)
            before = before->next;
        before->next = queue->next;
    }
    if (last_queue == queue)
        last_queue = before;
}

static bool is_inside(uint64_t place)
{
    return (place & (TD_CLIENT_BLOCK_BYTES - 1)) < TD_CLIENT_BLOCK_LIMIT;
}

const uint64_t *td_thread_queue_limit(const struct td_thread_queue *queue)
{
    return (const uint64_t *)(uintptr_t)(BASE((uintptr_t)queue->tail) + TD_CLIENT_BLOCK_LIMIT);
}

/* Whether all of an orphan was taken. Its place may be past the end of the block. */
static bool is_empty(const struct td_thread_queue *queue)
{
    uint64_t tail = (uintptr_t)queue->tail;
    if (tail == queue->cur)
        return 1;
    return BASE(tail) == queue->block && !is_inside(queue->cur) &&
           (!is_inside(tail) || *queue->tail == TD_REC_PAD);
}

struct td_thread_queue *td_queue_after(struct td_thread_queue *queue)
{
    pthread_mutex_lock(&registry);
    struct td_thread_queue *next = queue->next;
    int gone = queue->orphan && is_empty(queue);
    if (gone)
        unlink_locked(queue);
    pthread_mutex_unlock(&registry);
    if (gone) {
        struct td_queue_block *block = (struct td_queue_block *)(uintptr_t)BASE((uintptr_t)queue->tail);
        if (is_inside((uintptr_t)queue->tail))
            *queue->tail = 0;
        block->number = 0;
        td_pool_free_block(block);
        td_pool_free(queue);
    }
    return next;
}

bool td_thread_queue_peek(struct td_thread_queue *queue, struct td_rec *rec)
{
    for (;;) {
        uint64_t *at = queue->tail;
        int inside = is_inside((uintptr_t)at);
        if (inside) {
            uint64_t first = __atomic_load_n(at, __ATOMIC_ACQUIRE);
            if (!first)
                return 0;
            if ((first & 0xff) != TD_REC_PAD) {
                td_rec_read(at, rec);
                return 1;
            }
        }
        struct td_queue_block *block = (struct td_queue_block *)(uintptr_t)BASE((uintptr_t)at);
        struct td_queue_block *next = atomic_load_explicit(&block->next, memory_order_acquire);
        if (!next)
            return 0;
        if (inside)
            *at = 0;
        atomic_store_explicit(&block->next, NULL, memory_order_relaxed);
        block->number = 0;
        queue->tail = next->words;
        td_pool_free_block(block);
    }
}

void td_thread_queue_take(struct td_thread_queue *queue, const struct td_rec *rec)
{
    if (td_record_infos[rec->kind].tail)
        td_rec_free_owned(rec);
    memset(queue->tail, 0, 8 * (size_t)rec->words);
    queue->tail += rec->words;
    queue->hole_ms = 0;
}

int64_t td_queue_earliest(void)
{
    int64_t earliest = INT64_MAX;
    struct td_rec rec;
    for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue))
        if (td_thread_queue_peek(queue, &rec) && rec.kind < TD_REC_GPU_CONTEXT && rec.time != INT64_MIN &&
            rec.time < earliest)
            earliest = rec.time;
    return earliest;
}

/* The first record of the block after that of `at`; NULL: there is no such block yet. */
static uint64_t *next_words(const uint64_t *at)
{
    struct td_queue_block *block = (struct td_queue_block *)(uintptr_t)BASE((uintptr_t)at);
    struct td_queue_block *next = atomic_load_explicit(&block->next, memory_order_acquire);
    return next ? next->words : NULL;
}

bool td_thread_queue_find(const struct td_thread_queue *queue, uint32_t number, struct td_rec *rec)
{
    uint64_t *at = queue->tail;
    for (int i = 0; at && i < LOOK_AHEAD; i++) {
        uint64_t first = is_inside((uintptr_t)at) ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : TD_REC_PAD;
        if (!first || (first & 0xff) == TD_REC_THREAD)
            return 0;
        if ((first & 0xff) == TD_REC_PAD) {
            at = next_words(at);
            continue;
        }
        td_rec_read(at, rec);
        if (td_record_infos[rec->kind].ordered && (uint32_t)rec->word[1] == number)
            return 1;
        at += rec->words;
    }
    return 0;
}

void td_thread_queue_take_ahead(const struct td_rec *rec)
{
    uint64_t *word = (uint64_t *)(uintptr_t)rec->word;
    if (td_record_infos[rec->kind].tail)
        td_rec_free_owned(rec);
    word[0] = TD_REC_VOID;
    word[1] = rec->words;
}

/* Keeps a skipped block for a while, because the thread may still write its missing record. Only the last few
 * are kept, so that threads that never do cost bounded memory. */
static void set_block_aside(struct td_queue_block *block)
{
    static struct td_queue_block *aside[ASIDE];
    static unsigned count;
    struct td_queue_block **place = &aside[count++ % ASIDE];
    if (*place) {
        memset(*place, 0, TD_CLIENT_BLOCK_BYTES);
        td_pool_free_block(*place);
    }
    *place = block;
}

void td_thread_queue_mend(struct td_thread_queue *queue, int64_t now_ms, int64_t ms)
{
    struct td_queue_block *block = (struct td_queue_block *)(uintptr_t)BASE((uintptr_t)queue->tail);
    struct td_queue_block *next = atomic_load_explicit(&block->next, memory_order_acquire);
    if (!next || __atomic_load_n(queue->tail, __ATOMIC_ACQUIRE))
        return;
    if (!queue->hole_ms)
        queue->hole_ms = now_ms;
    if (now_ms - queue->hole_ms < ms)
        return;
    /* Where the skipped records begin is unknown, so what they own is lost, too. */
    queue->tail = next->words;
    queue->hole_ms = 0;
    set_block_aside(block);
    atomic_fetch_add(&td_queue_lost, 1);
}

void td_queue_before_fork(void)
{
    pthread_mutex_lock(&registry);
    td_pool_lock();
}

void td_queue_after_fork(int in_child)
{
    td_pool_unlock();
    pthread_mutex_unlock(&registry);
    if (!in_child)
        return;
    td_queue_set_live(0);
    queues = last_queue = NULL;
    td_thread_forked();
    td_client_producer = (struct td_client_producer){.cur = NO_PLACE};
    td_ordered_producer = (struct td_client_producer){.cur = NO_PLACE};
    td_in_fiber = NULL;
    td_own_zones_from = 0;
}

void td_queue_finish(void)
{
    struct td_signals signals;
    td_signals_block(&signals); /* a handler's first marker takes the registry's lock */
    pthread_mutex_lock(&registry);
    if (atomic_exchange(&have_key, 0))
        pthread_key_delete(key);
    pthread_mutex_unlock(&registry);
    td_signals_restore(&signals);
}
