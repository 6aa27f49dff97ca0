/* A program with markers, for the tests: compiles with Tendril's client and with Tracy's own, unchanged.
 * Usage: client_marked MODE. What each mode marks is what the tests count. */
#include "tracy/TracyC.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static void in_threads(int count, void *(*body)(void *))
{
    pthread_t threads[16];
    for (intptr_t i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, body, (void *)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* two: 1,000,000 zones in each of two threads; each zone's value is its number. */
static void *million(void *index)
{
    TracyCSetThreadName(index ? "second" : "first");
    for (uint64_t i = 0; i < 1000000; i++) {
        TracyCZoneN(zone, "numbered", 1);
        TracyCZoneValue(zone, i);
        TracyCZoneEnd(zone);
    }
    return NULL;
}

static const char *const audio = "audio"; /* one pointer for the start and the end */

/* all: everything that the library offers. */
static void all(void)
{
    TracyCAppInfo("about this run", 14);
    TracyCPlotConfig("bytes", TracyPlotFormatMemory, 1, 0, 0x00ff00);
    TracyCPlotConfig("ratio", TracyPlotFormatWatt, 0, 1, 0);
    for (int i = 0; i < 20; i++) {
        TracyCZone(unnamed, 1);
        TracyCZoneNC(named, "named", 0x112233, 1);
        TracyCZoneText(named, "one", 3);
        TracyCZoneText(named, "two", 3);
        TracyCZoneValue(named, 42);
        TracyCZoneColor(named, 0x445566);
        TracyCZoneN(absent, "absent", 0);
        TracyCZoneText(absent, "absent", 6);
        TracyCZoneEnd(absent);
        TracyCZoneEnd(named);
        TracyCZoneC(colored, 0x778899, 1);
        TracyCZoneName(colored, "renamed", 7);
        TracyCZoneEnd(colored);
        TracyCZoneEnd(unnamed);
        uint64_t made = ___tracy_alloc_srcloc_name(7, "made.c", 6, "maker", 5, "made", 4, 0);
        TracyCZoneCtx zone = ___tracy_emit_zone_begin_alloc(made, 1);
        ___tracy_emit_zone_end(zone);
        TracyCPlotI("bytes", i * 1000);
        TracyCPlot("ratio", i / 2.0);
        TracyCPlotF("ratio32", 0.25f);
        TracyCMessageL("literal");
        TracyCMessageLC("red literal", 0xff0000);
        TracyCMessage("copied", 6);
        TracyCMessageC("green copy", 10, 0x00ff00);
        TracyCFrameMark;
        TracyCFrameMarkNamed("physics");
        TracyCFrameMarkStart(audio);
        TracyCFrameMarkEnd(audio);
    }
    static char big[65535];
    memset(big, 'b', sizeof big);
    TracyCMessage(big, sizeof big - 5);
}

/* short: many threads, one after the other. */
static void *short_life(void *index)
{
    (void)index;
    TracyCSetThreadName("short");
    for (int i = 0; i < 100; i++) {
        TracyCZoneN(zone, "short zone", 1);
        TracyCZoneEnd(zone);
    }
    return NULL;
}

/* frames: one frame set marked by four threads at once. */
static void *mark_frames(void *index)
{
    (void)index;
    for (int i = 0; i < 2000; i++)
        TracyCFrameMark;
    return NULL;
}

/* open: the program ends while zones are open. */
static int is_open; /* changed by the thread */

static void *stay_open(void *index)
{
    (void)index;
    TracyCZoneN(zone, "still open", 1);
    (void)zone;
    __atomic_store_n(&is_open, 1, __ATOMIC_RELEASE);
    pause();
    return NULL;
}

static void end_with_open_zones(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, stay_open, NULL);
    TracyCZoneN(zone, "open in main", 1);
    (void)zone;
    while (!__atomic_load_n(&is_open, __ATOMIC_ACQUIRE))
        nap_ms(1);
    exit(5);
}

/* killed, crash: ten zones done, two open. Who has them all kills it. */
static void die(int by)
{
    TracyCZoneN(outer, "outer unfinished", 1);
    for (int i = 0; i < 10; i++) {
        TracyCZoneN(done, "done", 1);
        TracyCZoneEnd(done);
        TracyCMessageL("alive");
    }
    TracyCZoneN(inner, "inner unfinished", 1);
    (void)outer;
    (void)inner;
    if (by == SIGKILL)
        pause();
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

/* fork: the child marks too, and none of it may reach the parent's trace. */
static int with_child(void)
{
    TracyCZoneN(before, "before", 1);
    TracyCZoneEnd(before);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 5000; i++) {
            TracyCZoneN(zone, "of the child", 1);
            TracyCZoneEnd(zone);
            TracyCFrameMark;
        }
        exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    for (int i = 0; i < 10; i++) {
        TracyCZoneN(after, "after", 1);
        TracyCZoneEnd(after);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* linger: zones until standard input closes. */
static void linger(void)
{
    fd_set in;
    struct timeval wait = {0, 2000};
    do {
        TracyCZoneN(zone, "lingering", 1);
        TracyCZoneEnd(zone);
        FD_ZERO(&in);
        FD_SET(0, &in);
        wait.tv_usec = 2000;
    } while (select(1, &in, NULL, NULL, &wait) == 0);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "all";
    if (!strcmp(mode, "two"))
        in_threads(2, million);
    else if (!strcmp(mode, "all"))
        all();
    else if (!strcmp(mode, "short"))
        for (int i = 0; i < 200; i++)
            in_threads(1 + i % 3, short_life);
    else if (!strcmp(mode, "frames"))
        in_threads(4, mark_frames);
    else if (!strcmp(mode, "open"))
        end_with_open_zones();
    else if (!strcmp(mode, "killed"))
        die(SIGKILL);
    else if (!strcmp(mode, "crash"))
        die(0);
    else if (!strcmp(mode, "fork"))
        return with_child();
    else if (!strcmp(mode, "linger"))
        linger();
    else
        return 2;
    return 0;
}
