/* Makes markers of one kind as fast as it can, in two threads, until it is killed or has made COUNT.
 * Usage: live_flood KIND COUNT */
#include "tracy/TracyC.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 2

struct worker {
    pthread_t thread;
    uint64_t index, count;
    void (*mark)(uint64_t number);
};

static TracyCLockCtx lock;
static volatile unsigned depth_reached;

static void zones(uint64_t number)
{
    TracyCZoneN(outer, "outer", 1);
    for (int i = 0; i < 7; i++) {
        TracyCZoneN(inner, "inner", 1);
        TracyCZoneEnd(inner);
    }
    TracyCZoneEnd(outer);
}

static void messages(uint64_t number)
{
    TracyCMessageL("the same again");
}

static void strings(uint64_t number)
{
    char text[80];
    int n = snprintf(text, sizeof text, "message %llu is like no other", (unsigned long long)number);
    TracyCMessage(text, (size_t)n);
}

static void texts(uint64_t number)
{
    char text[40];
    int n = snprintf(text, sizeof text, "turn %llu", (unsigned long long)number);
    TracyCZoneN(zone, "with text", 1);
    TracyCZoneText(zone, text, (size_t)n);
    TracyCZoneEnd(zone);
}

static void memory(uint64_t number)
{
    const uint64_t address = (number % 3 ? 1 : number) << 8 | 8;
    TracyCAlloc((void *)(uintptr_t)address, 64);
    TracyCFree((void *)(uintptr_t)address);
}

static void leaks(uint64_t number)
{
    TracyCAlloc((void *)(uintptr_t)((number + 1) << 6), 64);
}

static void locks(uint64_t number)
{
    TracyCLockBeforeLock(lock);
    TracyCLockAfterLock(lock);
    TracyCLockAfterUnlock(lock);
}

static void plots(uint64_t number)
{
    TracyCPlot("number", (double)number / 3);
}

/* At each depth a bit of the number selects which of the two functions is called, so that stacks differ. */
static void turn_left(uint64_t bits, int depth);
static void turn_right(uint64_t bits, int depth);
#define TURN(bits, depth) ((bits)&1 ? turn_right : turn_left)((bits) >> 1, (depth)-1)

__attribute__((noinline)) static void turn_left(uint64_t bits, int depth)
{
    if (depth > 0) {
        TURN(bits, depth);
    } else {
        TracyCZoneNS(zone, "stack", 40, 1);
        TracyCZoneEnd(zone);
    }
    depth_reached += 1;
}

__attribute__((noinline)) static void turn_right(uint64_t bits, int depth)
{
    if (depth > 0) {
        TURN(bits, depth);
    } else {
        TracyCZoneNS(zone, "stack", 40, 1);
        TracyCZoneEnd(zone);
    }
    depth_reached += 2;
}

static void stacks(uint64_t number)
{
    turn_left(number, 30);
}

static const struct {
    const char *name;
    void (*mark)(uint64_t number);
} kinds[] = {{"zones", zones}, {"messages", messages}, {"strings", strings},
             {"texts", texts}, {"memory", memory},     {"leaks", leaks},
             {"locks", locks}, {"plots", plots},       {"stacks", stacks}};

static void *work(void *self)
{
    struct worker *w = self;
    for (uint64_t i = 0; i < w->count; i++)
        w->mark(i * THREADS + w->index);
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker workers[THREADS] = {0};
    void (*mark)(uint64_t number) = NULL;
    for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++)
        mark = strcmp(argv[1], kinds[i].name) == 0 ? kinds[i].mark : mark;
    if (!mark) {
        fprintf(stderr, "usage: live_flood KIND COUNT\n");
        return 2;
    }
    TracyCLockAnnounce(lock);
    for (uint64_t i = 0; i < THREADS; i++) {
        workers[i] =
            (struct worker){.index = i, .count = strtoull(argv[2], NULL, 10) / THREADS, .mark = mark};
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    return 0;
}
