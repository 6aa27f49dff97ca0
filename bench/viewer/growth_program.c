/* A program that a live session watches: threads with zones, messages, points, frames and flows, as fast as they are
 * taken. Usage: growth_program TURNS (of each thread); ends when a recorder has all of it (TRACY_NO_EXIT=1). */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tracy/TracyC.h>

#define THREADS    4
#define BATCH      2000 /* turns between two pauses, so that queues stay short */
#define FLOW_EVERY 8
#define WORDS      60 /* messages repeat their texts */

static unsigned long turns;

static void mark_flow(const char *what, uintptr_t thread, unsigned long turn)
{
    char text[60];
    TracyCZoneN(zone, "transfer", 1);
    const int n = snprintf(text, sizeof text, "flow %s tile #%lu", what, turn % 64 * THREADS + thread);
    TracyCZoneText(zone, text, (size_t)n);
    TracyCZoneEnd(zone);
}

static void mark_turn(uintptr_t thread, unsigned long turn)
{
    char text[40];
    TracyCZoneN(outer, "outer", 1);
    for (int i = 0; i < 3; i++) {
        TracyCZoneN(inner, "inner", 1);
        TracyCZoneEnd(inner);
    }
    const int n =
        snprintf(text, sizeof text, "message %lu of thread %lu", turn % WORDS, (unsigned long)thread);
    TracyCMessage(text, (size_t)n);
    TracyCPlot("turns", (double)(turn % 1000));
    if (turn % FLOW_EVERY == 0) {
        mark_flow("out", thread, turn / FLOW_EVERY);
        mark_flow("in", thread, turn / FLOW_EVERY);
    }
    TracyCZoneEnd(outer);
    if (!thread)
        TracyCFrameMark;
}

static void *mark(void *self)
{
    for (unsigned long turn = 0; turn < turns; turn++) {
        mark_turn((uintptr_t)self, turn);
        if (turn % BATCH == 0)
            nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    turns = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (!turns)
        return 2;
    while (!TracyCIsConnected)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    for (uintptr_t t = 0; t < THREADS; t++)
        if (pthread_create(&threads[t], NULL, mark, (void *)t) != 0)
            return 1;
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    return 0;
}
