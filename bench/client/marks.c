/* A program with markers that bench/client measures; built against our headers and against stock's.
 *
 *   marks            reads lines KIND COUNT THREADS from its input. For each it writes COUNT markers in each of
 *                    THREADS threads and answers with the nanoseconds of processor time that a marker took.
 *                    "wait 0 0" answers when a viewer is connected.
 *   marks step KIND  is traced by the process that started it: it raises SIGUSR1, marks once, raises it, marks
 *                    17 times, raises it.
 */
#include "bench/client/marks.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>
#include <tracy/TracyC.h>

#define WAIT_MS 20000
#define STEPS   17 /* 16 more than before: steps.c relies on it */

static void nothing(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        __asm__ volatile("" : : "r"(i));
}

static void clock_pair(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
#if defined(__x86_64__)
        uint64_t a = __builtin_ia32_rdtsc(), b = __builtin_ia32_rdtsc();
#else
        int64_t a = ___tracy_get_time(), b = ___tracy_get_time();
#endif
        __asm__ volatile("" : : "r"(a), "r"(b));
    }
}

static void zone(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        TracyCZoneN(ctx, "zone", 1);
        TracyCZoneEnd(ctx);
    }
}

static void zone_text(unsigned count)
{
    TracyCZoneN(ctx, "with texts", 1);
    for (unsigned i = 0; i < count; i++) {
        TracyCZoneText(ctx, "sixteen letters.", 16);
    }
    TracyCZoneEnd(ctx);
}

static void zone_value(unsigned count)
{
    TracyCZoneN(ctx, "with values", 1);
    for (unsigned i = 0; i < count; i++) {
        TracyCZoneValue(ctx, i);
    }
    TracyCZoneEnd(ctx);
}

static void message(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        TracyCMessage("sixteen letters.", 16);
    }
}

static void message_literal(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        TracyCMessageL("sixteen letters.");
    }
}

static void message_format(unsigned count)
{
    char text[64];
    for (unsigned i = 0; i < count; i++) {
        int bytes = snprintf(text, sizeof text, "tile %u of %s", i, "all");
        TracyCMessage(text, (size_t)bytes);
    }
}

static void plot(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        TracyCPlot("plot", (double)i);
    }
}

static void plot_int(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        TracyCPlotI("plot of integers", (int64_t)i);
    }
}

static void memory(unsigned count)
{
    char at;
    for (unsigned i = 0; i < count; i++) {
        TracyCAlloc(&at, 64);
        TracyCFree(&at);
    }
}

static void lock(unsigned count)
{
    TracyCLockCtx(mutex);
    TracyCLockAnnounce(mutex);
    for (unsigned i = 0; i < count; i++) {
        TracyCLockBeforeLock(mutex);
        TracyCLockAfterLock(mutex);
        TracyCLockAfterUnlock(mutex);
    }
    TracyCLockTerminate(mutex);
}

static void frame(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        TracyCFrameMark;
    }
}

static const struct kind {
    const char *name;
    void (*run)(unsigned count);
} kinds[] = {{"nothing", nothing},
             {"clock", clock_pair},
             {"zone", zone},
             {"zone_cpp", marks_cpp_zone},
             {"zone_format", marks_cpp_zone_format},
             {"zone_text", zone_text},
             {"zone_value", zone_value},
             {"message", message},
             {"message_literal", message_literal},
             {"message_format", message_format},
             {"plot", plot},
             {"plot_int", plot_int},
             {"memory", memory},
             {"lock", lock},
             {"frame", frame},
             {NULL, NULL}};

static const struct kind *kind_of(const char *name)
{
    const struct kind *kind = kinds;
    while (kind->name && strcmp(kind->name, name))
        kind++;
    return kind->name ? kind : NULL;
}

/* One measurement: all threads begin at the same time. */
static struct {
    const struct kind *kind;
    unsigned count, threads;
    atomic_uint here;
} work;
static pthread_barrier_t begin, end;

/* The thread's own time: others may want the processor, too. */
static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The n-th processor from the last one that this program may use. */
static void pin(unsigned n)
{
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    int cpu = CPU_SETSIZE, count = CPU_COUNT(&all);
    for (unsigned i = 0; i <= n % (unsigned)count; i++)
        do
            cpu--;
        while (!CPU_ISSET(cpu, &all));
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}

static double mark(void)
{
    atomic_fetch_add(&work.here, 1);
    for (unsigned tries = 0; atomic_load(&work.here) < work.threads; tries++)
        if (tries > 1000)
            sched_yield();
    double before = now_ns();
    work.kind->run(work.count);
    return now_ns() - before;
}

static void *second_thread(void *took)
{
    pin(1);
    for (;;) {
        pthread_barrier_wait(&begin);
        *(double *)took = work.threads > 1 ? mark() : 0;
        pthread_barrier_wait(&end);
    }
    return NULL;
}

static int serve(void)
{
    char line[64], name[32];
    static double second;
    pthread_t thread;
    if (pthread_barrier_init(&begin, NULL, 2) || pthread_barrier_init(&end, NULL, 2) ||
        pthread_create(&thread, NULL, second_thread, &second))
        return 1;
    pin(0);
    while (fgets(line, sizeof line, stdin)) {
        double ns = 0;
        if (sscanf(line, "%31s %u %u", name, &work.count, &work.threads) != 3)
            return 2;
        if (!strcmp(name, "wait")) {
            for (int ms = 0; !___tracy_connected(); ms++) {
                if (ms > WAIT_MS)
                    return 3;
                nanosleep(&(struct timespec){0, 1000000}, NULL);
            }
        } else {
            work.kind = kind_of(name);
            if (!work.kind || !work.count)
                return 2;
            atomic_store(&work.here, 0);
            if (work.threads > 1)
                pthread_barrier_wait(&begin);
            ns = mark();
            if (work.threads > 1) {
                pthread_barrier_wait(&end);
                ns = (ns + second) / 2;
            }
            ns /= work.count;
        }
        printf("%.3f\n", ns);
        fflush(stdout);
    }
    return 0;
}

static int step(const char *name)
{
    const struct kind *kind = kind_of(name);
    if (!kind || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        return 2;
    kind->run(64); /* warm up: set-up work that happens only once */
    raise(SIGUSR1);
    kind->run(1);
    raise(SIGUSR1);
    kind->run(STEPS);
    raise(SIGUSR1);
    _Exit(0);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "step"))
        return step(argv[2]);
    return serve();
}
