/* Marks some of everything in two threads, for viewers that follow: in each turn nested zones with texts, names and
 * colours, messages, a plot point, an allocation, a lock, frames; then a pause. Waits for a recorder first.
 * Usage: serve_marker TURNS PAUSE_US [PARAMETER_FILE] */
#include "tendril/client.h"
#include "tracy/TracyC.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 2

static TracyCLockCtx lock;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long turns, pause_us;
static const char *parameter_file;

/* What a viewer's user set goes to the file. */
static void parameter_changed(void *data, uint32_t index, int32_t value)
{
    FILE *file = fopen(parameter_file, "a");
    (void)data;
    if (!file)
        return;
    fprintf(file, "%u %d\n", (unsigned)index, (int)value);
    fclose(file);
}

static void mark_zones(long turn)
{
    char text[64];
    int n = snprintf(text, sizeof text, "turn %ld", turn);
    TracyCZoneN(outer, "outer", 1);
    TracyCZoneN(inner, "inner", 1);
    TracyCZoneText(inner, text, (size_t)n);
    if (turn % 3 == 0)
        TracyCZoneName(inner, text, (size_t)n);
    if (turn % 5 == 0)
        TracyCZoneColor(inner, 0x123456);
    TracyCZoneNS(deep, "with stack", 4, 1);
    TracyCMessage(text, (size_t)n);
    TracyCZoneEnd(deep);
    TracyCZoneEnd(inner);
    TracyCMessageL("always the same");
    TracyCZoneEnd(outer);
}

static void mark_others(uintptr_t thread, long turn)
{
    uintptr_t address = (thread + 1) << 20 | (uintptr_t)(turn % 7 + 1) << 8;
    if (turn >= 7)
        TracyCFree((void *)address);
    TracyCAlloc((void *)address, 100);
    TracyCPlot("waves", (double)(turn % 100));
    TracyCLockBeforeLock(lock);
    pthread_mutex_lock(&mutex);
    TracyCLockAfterLock(lock);
    TracyCLockMark(lock);
    pthread_mutex_unlock(&mutex);
    TracyCLockAfterUnlock(lock);
    if (thread == 0) {
        TracyCFrameMark;
        TracyCFrameMarkStart("named");
        TracyCFrameMarkEnd("named");
    }
}

static void *work(void *number)
{
    uintptr_t thread = (uintptr_t)number;
    TracyCSetThreadName(thread ? "second" : "first");
    for (long turn = 0; turn < turns; turn++) {
        mark_zones(turn);
        mark_others(thread, turn);
        if (pause_us)
            usleep((useconds_t)pause_us);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc < 3) {
        fprintf(stderr, "usage: serve_marker TURNS PAUSE_US [PARAMETER_FILE]\n");
        return 2;
    }
    turns = strtol(argv[1], NULL, 10);
    pause_us = strtol(argv[2], NULL, 10);
    parameter_file = argc > 3 ? argv[3] : NULL;
    if (parameter_file) {
        td_client_parameter_register(parameter_changed, NULL);
        td_client_parameter_setup(5, "speed", 0, 10);
    }
    TracyCLockAnnounce(lock);
    TracyCAppInfo("marks some of everything", 24);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
