#include "tests/stress/order.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void stress_order_init(struct stress_order *order)
{
    memset(order, 0, sizeof *order);
    order->holder = -1;
    for (int i = 0; i < STRESS_TRACKS; i++)
        order->tracks[i].thread = -1;
}

__attribute__((format(printf, 2, 3))) static void fault(struct stress_order *order, const char *format, ...)
{
    va_list args;
    if (order->faults++)
        return;
    va_start(args, format);
    vsnprintf(order->fault, sizeof order->fault, format, args);
    va_end(args);
}

int stress_index(const char *name, const char *kind)
{
    size_t bytes = strlen(kind);
    return !strncmp(name, kind, bytes) && name[bytes] == ' ' ? atoi(name + bytes) : -1;
}

static struct stress_track *track_at(struct stress_order *order, uint32_t track)
{
    if (track >= STRESS_TRACKS) {
        fault(order, "more than %d tracks", STRESS_TRACKS);
        track = STRESS_TRACKS - 1;
    }
    return &order->tracks[track];
}

void stress_order_zone(struct stress_order *order, uint32_t track, unsigned place)
{
    struct stress_track *t = track_at(order, track);
    t->zones++;
    if (!t->anchored) {
        if (t->kept == STRESS_BATCH)
            fault(order, "thread %d: more than %u zones without a number", t->thread, STRESS_BATCH);
        else
            t->places[t->kept++] = (uint8_t)place;
        return;
    }
    if (place != stress_place(t->next))
        fault(order, "thread %d: zone %" PRIu64 " is at place %u instead of %u", t->thread, t->next, place,
              stress_place(t->next));
    t->next++;
}

void stress_order_value(struct stress_order *order, uint32_t track, uint64_t value)
{
    struct stress_track *t = track_at(order, track);
    if (t->anchored) {
        if (value + 1 != t->next)
            fault(order, "thread %d: zone %" PRIu64 " says that it is %" PRIu64, t->thread, t->next - 1,
                  value);
        return;
    }
    t->anchored = 1;
    t->next = value + 1;
    t->first = t->next - t->kept;
    for (unsigned i = 0; i < t->kept; i++)
        if (t->places[i] != stress_place(t->first + i))
            fault(order, "thread %d: zone %" PRIu64 " is not where it belongs", t->thread, t->first + i);
}

/* Checks that numbers have no gaps; the first may be any number. */
static void follow(struct stress_order *order, unsigned thread, const char *what, uint64_t number,
                   uint64_t *count, uint64_t *next)
{
    if ((*count)++ && number != *next)
        fault(order, "thread %u: %s %" PRIu64 " instead of %" PRIu64, thread, what, number, *next);
    *next = number + 1;
}

void stress_order_message(struct stress_order *order, uint32_t track, const char *text, int ahead)
{
    char *end;
    unsigned long thread = strtoul(text, &end, 10);
    uint64_t batch = strtoull(end, &end, 10);
    if (*end || end == text || thread >= STRESS_THREADS)
        return;
    struct stress_track *t = track_at(order, track);
    if (t->thread >= 0 && t->thread != (int)thread)
        fault(order, "a message of thread %lu on the track of thread %d", thread, t->thread);
    t->thread = (int)thread;
    follow(order, (unsigned)thread, "message", batch, &t->messages, &t->next_message);
    if (ahead && t->anchored && t->next != batch * STRESS_BATCH)
        fault(order, "thread %lu: message %" PRIu64 " behind zone %" PRIu64, thread, batch, t->next - 1);
}

void stress_order_point(struct stress_order *order, int thread, double value)
{
    follow(order, (unsigned)thread, "point", (uint64_t)value, &order->points[thread].count,
           &order->points[thread].next);
}

void stress_order_lock(struct stress_order *order, int thread, int kind)
{
    order->lock_events++;
    if (kind == 1) {
        if (order->holder >= 0)
            fault(order, "thread %d got the lock while thread %d had it", thread, order->holder);
        order->holder = thread;
    } else if (kind == 2) {
        if (order->holder != thread)
            fault(order, "thread %d let the lock go, which thread %d had", thread, order->holder);
        order->holder = -1;
    }
}

int stress_order_print(const struct stress_order *order, FILE *to)
{
    for (int i = 0; i < STRESS_TRACKS; i++) {
        const struct stress_track *t = &order->tracks[i];
        if (!t->zones && !t->messages)
            continue;
        fprintf(to, "thread %d", t->thread);
        if (t->anchored)
            fprintf(to, " first %" PRIu64 " last %" PRIu64, t->first, t->next - 1);
        fprintf(to, " zones %" PRIu64 " messages %" PRIu64 " points %" PRIu64 "\n", t->zones, t->messages,
                t->thread < 0 ? 0 : order->points[t->thread].count);
    }
    fprintf(to, "lock_events %" PRIu64 "\nallocations %" PRIu64 "\nfaults %" PRIu64 "%s%s\n",
            order->lock_events, order->allocations, order->faults, order->faults ? ": " : "", order->fault);
    return order->faults != 0;
}
