/* Spends known shares of its processor time in known functions, waits for a lock in a known place, and counts its
 * own switches. Says what it did on standard output. */
#include <tracy/TracyC.h>

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sink;

static int64_t thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline __attribute__((always_inline)) void inlined_work(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        sink = sink * 7 + i;
}

#define WORK(name, turns)                                                                                    \
    static __attribute__((noinline)) int64_t name(void)                                                      \
    {                                                                                                        \
        const int64_t begin = thread_ns();                                                                   \
        inlined_work(turns);                                                                                 \
        return thread_ns() - begin;                                                                          \
    }
WORK(spends_much, 650000)
WORK(spends_some, 220000)
WORK(spends_little, 130000)

static void shares(int ms)
{
    int64_t much = 0, some = 0, little = 0;
    while (much + some + little < ms * INT64_C(1000000)) {
        much += spends_much();
        some += spends_some();
        little += spends_little();
    }
    printf("spends_much %lld\nspends_some %lld\nspends_little %lld\n", (long long)much, (long long)some,
           (long long)little);
}

/* ---- the lock ---- */

static pthread_mutex_t planted_lock = PTHREAD_MUTEX_INITIALIZER;

/* The C library has no frame pointers: the kernel misses its direct caller. */
static __attribute__((noinline)) void lock_and_unlock(void)
{
    pthread_mutex_lock(&planted_lock);
    pthread_mutex_unlock(&planted_lock);
    sink = 1;
}

static __attribute__((noinline)) void waits_for_the_planted_lock(void)
{
    lock_and_unlock();
    sink = 2;
}

static void *wait_for_lock(void *nothing)
{
    printf("waiter %ld\n", syscall(SYS_gettid));
    for (int i = 0; i < 20; i++) {
        waits_for_the_planted_lock();
        nanosleep(&(struct timespec){0, 500000}, NULL);
    }
    return nothing;
}

static void hold_lock(void)
{
    pthread_t waiter;
    pthread_create(&waiter, NULL, wait_for_lock, NULL);
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&planted_lock);
        nanosleep(&(struct timespec){0, 3000000}, NULL);
        pthread_mutex_unlock(&planted_lock);
        nanosleep(&(struct timespec){0, 200000}, NULL);
    }
    pthread_join(waiter, NULL);
}

/* ---- switches ---- */

/* How often this thread gave its processor up, by the kernel's count. */
static long voluntary_switches(void)
{
    char path[64], line[256];
    long count = -1;
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", syscall(SYS_gettid));
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "voluntary_ctxt_switches:", 24))
            count = strtol(line + 24, NULL, 10);
    if (f)
        fclose(f);
    return count;
}

static void *sleep_often(void *nothing)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    for (int i = 0; i < 300; i++)
        nanosleep(&(struct timespec){0, 200000}, NULL);
    printf("sleeper %ld\nsleeps %ld\n", syscall(SYS_gettid), voluntary_switches());
    return nothing;
}

static void *end_at_once(void *nothing)
{
    return nothing;
}

/* Of perf events. */
static unsigned open_descriptors(void)
{
    char path[64], what[64];
    unsigned count = 0;
    for (int fd = 0; fd < 1024; fd++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        const ssize_t bytes = readlink(path, what, sizeof what - 1);
        what[bytes > 0 ? bytes : 0] = 0;
        count += strstr(what, "perf") != NULL;
    }
    return count;
}

static void many_threads(int count)
{
    const unsigned before = open_descriptors();
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, end_at_once, NULL) == 0)
            pthread_join(thread, NULL);
    }
    printf("descriptors %d\n", (int)open_descriptors() - (int)before);
}

int main(int argc, char **argv)
{
    pthread_t sleeper;
    const char *what = argc > 1 ? argv[1] : "all";
    const int count = argc > 2 ? atoi(argv[2]) : 300;
    TracyCZoneN(zone, "the program", 1);
    if (!strcmp(what, "manual"))
        printf("began %d\n", TracyCBeginSamplingProfiling());
    if (!strcmp(what, "threads")) {
        many_threads(count);
    } else {
        shares(count);
        hold_lock();
        pthread_create(&sleeper, NULL, sleep_often, NULL);
        pthread_join(sleeper, NULL);
    }
    if (!strcmp(what, "manual")) {
        TracyCEndSamplingProfiling();
    }
    TracyCZoneEnd(zone);
    return 0;
}
