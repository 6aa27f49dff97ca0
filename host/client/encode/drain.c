/* Each queue is taken in its order, ordered records over all queues by their numbers. A queue whose next
 * record has a number that is not due waits in `order` until the records before it are taken. */
#include "host/client/encode/drain.h"
#include "host/base/err.h"
#include "host/base/clock.h"
#include "host/client/encode/encoder.h"
#include "host/client/encode/wire_keys.h"
#include "host/client/encode/zone_tracks.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/frame_image.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/record.h"
#include "host/client/queue/zone_acts.h"
#include "host/client/symbols/unloaded.h"

#include <stdatomic.h>
#include <string.h>

#define TURN     8192 /* records taken from a queue before the next one has its turn */
#define NEW_TURN 64   /* the same while the encoder is new */
#define WINDOW   1024
#define STUCK_MS 2000 /* wait for a missing record */
#define SWEEP_MS 500  /* between two calls of td_unloaded_sweep() */

/* Only the session's thread drains. */
static struct {
    uint32_t next;                           /* number of the ordered record that is due */
    int64_t last;                            /* time of the ordered record taken last */
    struct td_thread_queue *waiting[WINDOW]; /* by the number of the queue's next record, mod WINDOW */
    uint32_t nearest;                        /* lowest waiting number, less `next`; 0: none waits */
    int64_t stuck_ms;                        /* since when the record that is due is missing; 0: it is not */
} order;

/* What threads have done to zones of other queues, by time. Records of a zone's queue that are later wait for it. */
static struct {
    struct td_zone_act *first;
    int64_t up_to; /* acts before this time are known */
    bool is_held;  /* a record was later than `up_to` */
} acts;

static void sort_act_in(struct td_zone_act *act)
{
    struct td_zone_act **at = &acts.first;
    while (*at && (*at)->time <= act->time)
        at = &(*at)->next;
    act->next = *at;
    *at = act;
}

static void take_acts(void)
{
    acts.up_to = (int64_t)td_client_ticks();
    for (struct td_zone_act *next, *act = td_zone_acts_take(); act; act = next) {
        next = act->next;
        sort_act_in(act);
    }
}

static void drop_acts(void)
{
    take_acts();
    while (acts.first) {
        struct td_zone_act *act = acts.first;
        acts.first = act->next;
        td_pool_free(act);
    }
}

/* Up to which time records may be taken: those of all queues up to an act's time come before the act, because a fiber's
 * events may be in any of them. */
static int64_t get_until(void)
{
    return acts.first && acts.first->time < acts.up_to ? acts.first->time : acts.up_to;
}

/* Does the first act if its time has come. Returns 1, 0, or negative: sending failed. */
static int do_act(struct td_encoder *encoder)
{
    struct td_zone_act *act = acts.first;
    if (!act || act->time > acts.up_to)
        return 0;
    acts.first = act->next;
    int failed = td_zone_act_encode(encoder, NULL, act);
    td_pool_free(act);
    return failed ? TD_E_GONE : 1;
}

#define AHEAD (INT64_C(1) << 32) /* ticks: a time so far ahead is not of the clock, but of the program */

static bool is_due(const struct td_thread_queue *queue, const struct td_rec *rec)
{
    if (queue->ordered || rec->kind >= TD_REC_GPU_CONTEXT || rec->time <= queue->until ||
        rec->time - acts.up_to > AHEAD)
        return 1;
    acts.is_held = 1;
    return 0;
}

static void wait_for_turn(struct td_thread_queue *queue, uint32_t distance)
{
    if (distance < WINDOW)
        order.waiting[(order.next + distance) % WINDOW] = queue;
    if (!order.nearest || distance < order.nearest)
        order.nearest = distance;
}

/* Makes times not go back. Within a thread they may: a signal handler can write its record between a
 * marker's reading of the clock and its record. Among ordered records they may: a thread can be stopped
 * between reading the clock and taking a number. */
static void straighten(const struct td_thread_queue *queue, int64_t *last, struct td_rec *rec)
{
    if (rec->kind >= TD_REC_GPU_CONTEXT)
        return; /* the program may give the times of these kinds and of all later ones */
    if (rec->time < *last)
        rec->time = *last;
    else
        *last = rec->time;
}

static int take_record(struct td_encoder *encoder, struct td_thread_queue *queue, struct td_rec *rec)
{
    straighten(queue, queue->ordered ? &order.last : &queue->last, rec);
    if (encoder && td_encode(encoder, queue, rec) != 0)
        return TD_E_GONE;
    td_thread_queue_take(queue, rec);
    return 0;
}

/* Takes the records of a queue that are due. Returns their number, or negative: sending failed. */
static int run_queue(struct td_encoder *encoder, struct td_thread_queue *queue)
{
    struct td_rec rec;
    const int turn = encoder && encoder->is_new ? NEW_TURN : TURN;
    int taken = 0;
    queue->until = get_until();
    while (taken < turn) {
        if (encoder && !queue->ordered)
            taken += td_encode_zones(encoder, queue, turn - taken);
        if (!td_thread_queue_peek(queue, &rec)) {
            td_thread_queue_mend(queue, td_mono_ms(), STUCK_MS);
            break;
        }
        if (encoder && !is_due(queue, &rec))
            break;
        if (rec.kind == TD_REC_THREAD) {
            if (encoder)
                td_zone_track_drop(encoder, queue);
            queue->thread = (uint32_t)rec.word[1];
            queue->session = 0; /* no zones, no fiber */
            td_thread_queue_take(queue, &rec);
            continue;
        }
        if (rec.kind == TD_REC_VOID) {
            td_thread_queue_take(queue, &rec);
            continue;
        }
        if (td_record_infos[rec.kind].ordered) {
            int32_t distance = (int32_t)((uint32_t)rec.word[1] - order.next);
            if (distance > 0 && encoder) {
                wait_for_turn(queue, (uint32_t)distance);
                break;
            }
            if (distance >= 0)
                order.next += (uint32_t)distance + 1;
        }
        if (take_record(encoder, queue, &rec) != 0)
            return TD_E_GONE;
        taken++;
    }
    return taken;
}

/* The queue that waited for the record taken last; NULL: none did. */
static struct td_thread_queue *next_in_order(void)
{
    struct td_thread_queue **slot = &order.waiting[order.next % WINDOW], *queue = *slot;
    *slot = NULL;
    return queue;
}

/* The record that is due may be after one that waits for it, in the same queue. It is not taken before records that wait
 * for acts. Returns as run_queue(). */
static int take_ahead(struct td_encoder *encoder)
{
    struct td_rec rec;
    for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue)) {
        if (td_thread_queue_peek(queue, &rec) && !is_due(queue, &rec))
            continue;
        if (!td_thread_queue_find(queue, order.next, &rec))
            continue;
        straighten(queue, queue->ordered ? &order.last : &queue->last, &rec);
        if (td_encode(encoder, queue, &rec) != 0)
            return TD_E_GONE;
        td_thread_queue_take_ahead(&rec);
        order.next++;
        return 1;
    }
    return 0;
}

/* Skips a number whose record is missing for STUCK_MS (its thread ended between taking the number and
 * writing). If the record still comes, it is taken then. */
static void watch_order(int moved)
{
    int64_t now = td_mono_ms();
    if (moved || !order.nearest) {
        order.stuck_ms = 0;
    } else if (!order.stuck_ms) {
        order.stuck_ms = now;
    } else if (now - order.stuck_ms > STUCK_MS) {
        order.next += order.nearest;
        order.stuck_ms = 0;
    }
}

/* The time up to which all records have been taken. */
static int64_t taken_up_to(void)
{
    int64_t up_to = (int64_t)td_client_ticks();
    struct td_rec rec;
    for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue)) {
        int64_t last = queue->ordered ? order.last : queue->last;
        if (last < up_to && td_thread_queue_peek(queue, &rec))
            up_to = last;
    }
    return up_to;
}

static void sweep_unloaded(struct td_encoder *encoder)
{
    static int64_t last_ms;
    if (!td_unloaded_any_kept())
        return;
    int64_t now_ms = td_mono_ms();
    if (now_ms - last_ms < SWEEP_MS)
        return;
    last_ms = now_ms;
    int64_t up_to = taken_up_to();
    td_unloaded_sweep(up_to, td_wire_keys_settled(encoder));
}

/* Takes what is due from each queue once. Returns as run_queue(). */
static int run_queues(struct td_encoder *encoder)
{
    int all = 0;
    order.nearest = 0;
    memset(order.waiting, 0, sizeof order.waiting);
    acts.is_held = 0;
    for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue)) {
        struct td_thread_queue *due = queue;
        do {
            int taken = run_queue(encoder, due);
            if (taken < 0)
                return TD_E_GONE;
            all += taken;
        } while ((due = next_in_order()) != NULL);
    }
    return all;
}

int td_client_drain(struct td_encoder *encoder, int *rest)
{
    int all = 0, taken, acted;
    uint32_t begin = order.next;
    take_acts();
    do {
        if ((taken = run_queues(encoder)) < 0 || (acted = taken ? 0 : do_act(encoder)) < 0)
            return TD_E_GONE;
        all += taken + acted;
    } while (acted || (taken && acts.first));
    if (order.nearest && order.next == begin) {
        taken = take_ahead(encoder);
        if (taken < 0)
            return TD_E_GONE;
        all += taken;
    }
    *rest = order.nearest != 0 || acts.is_held || acts.first;
    watch_order(order.next != begin);
    td_frame_image_pack_offered();
    sweep_unloaded(encoder);
    return all;
}

void td_client_drain_discard(void)
{
    int taken;
    do {
        taken = 0;
        for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue))
            taken += run_queue(NULL, queue);
    } while (taken);
    drop_acts();
    td_frame_image_pack_offered();
    td_frame_image_give_spare();
    if (td_unloaded_any_kept())
        td_unloaded_sweep(INT64_MAX, atomic_load(&td_unloaded_count));
}

void td_client_drain_forked(void)
{
    td_frame_image_forked();
    td_zone_acts_forked();
    acts.first = NULL;
    order.next = atomic_load(&td_order);
    order.last = 0;
    order.stuck_ms = 0;
}
