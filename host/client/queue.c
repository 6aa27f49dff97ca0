#include "host/client/queue.h"
#include "host/client/client.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FREE_BLOCKS 64 /* kept for reuse */

__thread struct td_producer td_producer;
static __thread struct td_rec scratch[TD_TEXT_RECS];
static struct td_lane nowhere; /* the lane of producers that write to scratch */

atomic_ulong td_queue_lost;
static atomic_int muted;
static pthread_mutex_t registry = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct td_lane *) lanes; /* in order of their making */
static struct td_block *free_blocks;
static unsigned free_count;
static pthread_key_t key;
static int have_key;

static pthread_mutex_t serial_lock = PTHREAD_MUTEX_INITIALIZER;
static struct td_producer serial;

static struct td_block *take_block(void)
{
    pthread_mutex_lock(&registry);
    struct td_block *block = free_blocks;
    if (block) {
        free_blocks = block->next;
        free_count--;
    }
    pthread_mutex_unlock(&registry);
    if (!block)
        block = malloc(sizeof *block);
    if (block)
        block->next = NULL;
    return block;
}

static void give_block(struct td_block *block)
{
    pthread_mutex_lock(&registry);
    if (free_count < FREE_BLOCKS) {
        block->next = free_blocks;
        free_blocks = block;
        free_count++;
        block = NULL;
    }
    pthread_mutex_unlock(&registry);
    free(block);
}

/* The thread ends: its lane waits for the consumer, or for a thread that gets the same id. */
static void detach(void *producer_)
{
    struct td_producer *producer = producer_;
    struct td_lane *lane = producer->lane;
    if (lane && lane != &nowhere) {
        td_client_thread_ends(lane->thread);
        pthread_mutex_lock(&registry);
        lane->cur = producer->cur;
        lane->end = producer->end;
        lane->block = producer->block;
        lane->orphan = 1;
        pthread_mutex_unlock(&registry);
    }
    *producer = (struct td_producer){NULL, NULL, NULL, NULL};
}

static struct td_lane *adopt(uint32_t thread)
{
    for (struct td_lane *lane = lanes; lane; lane = lane->next)
        if (lane->orphan && lane->thread == thread) {
            lane->orphan = 0;
            return lane;
        }
    return NULL;
}

static struct td_lane *make_lane(uint32_t thread, struct td_block *block)
{
    struct td_lane *lane = aligned_alloc(64, (sizeof *lane + 63) / 64 * 64);
    if (!lane)
        return NULL;
    *lane = (struct td_lane){.tail = block->recs, .tail_block = block, .thread = thread, .block = block};
    lane->cur = block->recs;
    lane->end = block->recs + TD_BLOCK_RECS;
    atomic_init(&lane->head, block->recs);
    return lane;
}

static void append(struct td_lane *lane)
{
    struct td_lane *last = lanes;
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = lane;
    else
        lanes = lane;
}

static int attach(struct td_producer *producer)
{
    uint32_t thread = producer == &serial ? 0 : (uint32_t)syscall(SYS_gettid);
    pthread_mutex_lock(&registry);
    struct td_lane *lane = thread ? adopt(thread) : NULL;
    pthread_mutex_unlock(&registry);
    if (!lane) {
        struct td_block *block = take_block();
        lane = block ? make_lane(thread, block) : NULL;
        if (!lane) {
            free(block);
            return 0;
        }
        pthread_mutex_lock(&registry);
        append(lane);
        pthread_mutex_unlock(&registry);
    }
    *producer = (struct td_producer){lane->cur, lane->end, lane, lane->block};
    pthread_mutex_lock(&registry);
    if (!have_key)
        have_key = pthread_key_create(&key, detach) == 0;
    pthread_mutex_unlock(&registry);
    if (thread && have_key)
        pthread_setspecific(key, producer);
    return 1;
}

/* The place for records that are not kept. */
static struct td_rec *to_nowhere(struct td_producer *producer)
{
    static struct td_rec serial_scratch[TD_TEXT_RECS];
    struct td_rec *place = producer == &serial ? serial_scratch : scratch;
    *producer = (struct td_producer){place, place, &nowhere, NULL};
    return place;
}

struct td_rec *td_queue_refill(struct td_producer *producer, unsigned n)
{
    td_client_start();
    if (atomic_load_explicit(&muted, memory_order_relaxed))
        return to_nowhere(producer);
    if ((!producer->lane || producer->lane == &nowhere) && !attach(producer)) {
        atomic_fetch_add(&td_queue_lost, 1);
        return to_nowhere(producer);
    }
    if (producer->end - producer->cur >= (ptrdiff_t)n)
        return producer->cur;
    struct td_block *block = take_block();
    if (!block) {
        /* This record is lost; the lane stays, and the next record tries again. */
        atomic_fetch_add(&td_queue_lost, 1);
        detach(producer);
        return to_nowhere(producer);
    }
    if (producer->cur < producer->end)
        producer->cur->kind = TD_REC_PAD;
    producer->block->next = block;
    producer->block = block;
    producer->cur = block->recs;
    producer->end = block->recs + TD_BLOCK_RECS;
    return producer->cur;
}

struct td_producer *td_queue_serial_lock(void)
{
    pthread_mutex_lock(&serial_lock);
    return &serial;
}

void td_queue_serial_unlock(void)
{
    pthread_mutex_unlock(&serial_lock);
}

struct td_lane *td_queue_first(void)
{
    return lanes;
}

struct td_lane *td_queue_after(struct td_lane *lane)
{
    struct td_block *gone = NULL;
    pthread_mutex_lock(&registry);
    struct td_lane *next = lane->next;
    if (lane->orphan && lane->tail == atomic_load(&lane->head)) {
        gone = lane->tail_block;
        struct td_lane *before = lanes;
        if (before == lane) {
            lanes = next;
        } else {
            while (before->next != lane)
                before = before->next;
            before->next = next;
        }
        free(lane);
    }
    pthread_mutex_unlock(&registry);
    if (gone)
        give_block(gone);
    return next;
}

const struct td_rec *td_lane_peek(struct td_lane *lane)
{
    struct td_rec *head = atomic_load_explicit(&lane->head, memory_order_acquire);
    while (lane->tail != head) {
        struct td_block *block = lane->tail_block;
        if (lane->tail != block->recs + TD_BLOCK_RECS && lane->tail->kind != TD_REC_PAD)
            return lane->tail;
        lane->tail_block = block->next;
        lane->tail = block->next->recs;
        give_block(block);
    }
    return NULL;
}

void td_lane_take(struct td_lane *lane, const struct td_rec *rec)
{
    size_t text = td_rec_has_text(rec) ? rec->bytes : 0;
    if (text > TD_INLINE_TEXT) {
        free(rec->b.p);
        text = 0;
    }
    if (rec->kind == TD_ITEM_ZoneBeginAllocSrcLoc)
        free((void *)(uintptr_t)rec->a);
    lane->tail += 1 + (text + sizeof *rec - 1) / sizeof *rec;
}

void td_queue_mute(void)
{
    atomic_store(&muted, 1);
}

void td_queue_forked(void)
{
    pthread_mutex_init(&registry, NULL);
    pthread_mutex_init(&serial_lock, NULL);
    atomic_store(&muted, 1);
    to_nowhere(&serial);
    to_nowhere(&td_producer);
}
