/* Checks that the events of stress_load (numbers.h) arrived without gaps and in order. */
#pragma once
#include "tests/stress/numbers.h"
#include <stdio.h>

#define STRESS_TRACKS 256

/* The numbers of a track's zones. Until the first value arrives, the places of zones are kept to check
 * later. */
struct stress_track {
    int anchored, thread; /* thread: from its messages, -1: unknown */
    uint64_t first, next; /* numbers of zones */
    uint64_t zones, messages, next_message;
    unsigned kept;
    uint8_t places[STRESS_BATCH];
};
struct stress_order {
    struct stress_track tracks[STRESS_TRACKS];
    struct {
        uint64_t count, next;
    } points[STRESS_THREADS];
    uint64_t lock_events, allocations, faults;
    int holder;      /* the thread that has the lock, -1: none */
    char fault[160]; /* the first one */
};

void stress_order_init(struct stress_order *order);
/* `track`: any numbers that differ between threads. */
void stress_order_zone(struct stress_order *order, uint32_t track, unsigned place);
void stress_order_value(struct stress_order *order, uint32_t track, uint64_t value);
/* "THREAD BATCH". ahead: 1 if the message comes before the zones of its batch, 0 if the caller does not
 * know. */
void stress_order_message(struct stress_order *order, uint32_t track, const char *text, int ahead);
void stress_order_point(struct stress_order *order, int thread, double value);
/* kind 0 wait, 1 obtain, 2 release */
void stress_order_lock(struct stress_order *order, int thread, int kind);
/* "thread T first F last L zones N messages M points P" a line. Returns 0, or 1 after a fault. */
int stress_order_print(const struct stress_order *order, FILE *to);
/* The number in "plot 3", "place 3"; -1: another name. */
int stress_index(const char *name, const char *kind);
