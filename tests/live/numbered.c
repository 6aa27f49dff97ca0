/* Zones with numbers, one after the other, in two threads; and at the numbers that are given: a slow zone, a slow
 * frame, a message, a crash.
 * Usage: live_numbered COUNT LENGTH_US [slow=K] [frame=K] [message=K] [crash=K] [say=K]
 * The zone "step" with value K is the K-th of its thread; the first thread marks a frame after each tenth.
 * say=K: writes a line when that zone is over. */
#include "tracy/TracyC.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SLOW_NS INT64_C(60000000)

static uint64_t count, slow_at, frame_at, message_at, crash_at, say_at;
static int64_t length_ns;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void wait_until(int64_t until_ns)
{
    struct timespec t = {until_ns / 1000000000, until_ns % 1000000000};
    if (until_ns - now_ns() > 200000)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    while (now_ns() < until_ns) {
    }
}

static void crash(void)
{
    *(volatile int *)0 = 1;
}

static void special(uint64_t k)
{
    if (k == message_at)
        TracyCMessageL("look at this");
    if (k == frame_at) {
        wait_until(now_ns() + SLOW_NS);
        TracyCFrameMark;
    }
    if (k == say_at) {
        printf("%llu\n", (unsigned long long)k);
        fflush(stdout);
    }
    if (k == crash_at)
        crash();
}

static void *work(void *number)
{
    int first = *(int *)number == 0;
    TracyCSetThreadName(first ? "first" : "second");
    for (uint64_t k = 1; k <= count; k++) {
        int64_t end = now_ns() + (first && k == slow_at ? SLOW_NS : length_ns);
        TracyCZoneN(zone, "step", 1);
        TracyCZoneValue(zone, k);
        TracyCZoneN(inner, "part", 1);
        TracyCZoneEnd(inner);
        wait_until(end);
        TracyCZoneEnd(zone);
        if (first && k % 10 == 0)
            TracyCFrameMark;
        if (first)
            special(k);
    }
    return NULL;
}

static uint64_t number_of(const char *text, const char *name)
{
    size_t bytes = strlen(name);
    return strncmp(text, name, bytes) == 0 && text[bytes] == '=' ? strtoull(text + bytes + 1, NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    pthread_t second;
    int numbers[] = {0, 1};
    if (argc < 3)
        return 2;
    count = strtoull(argv[1], NULL, 10);
    length_ns = (int64_t)strtoull(argv[2], NULL, 10) * 1000;
    for (int i = 3; i < argc; i++) {
        slow_at += number_of(argv[i], "slow");
        frame_at += number_of(argv[i], "frame");
        message_at += number_of(argv[i], "message");
        crash_at += number_of(argv[i], "crash");
        say_at += number_of(argv[i], "say");
    }
    if (pthread_create(&second, NULL, work, &numbers[1]))
        return 1;
    work(&numbers[0]);
    pthread_join(second, NULL);
    return 0;
}
