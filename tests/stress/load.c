/* A program that marks as fast as it can (numbers.h). Usage: stress_load THREADS ZONES [PAUSE_US] [SIGNAL_HZ]
 * PAUSE_US: a pause after each batch. SIGNAL_HZ: the rate of a timer that each thread has (systems may fire
 * less often). The timer's handler has markers, too.
 *
 * At its end it prints the zones that each connection must have got, one line per thread: "session N thread T
 * first F last L": the numbers of zones that began during connection N.
 *
 * With STRESS_COUNT=FILE the file has, as a uint64_t for each thread, the number of zones that the thread has
 * begun. The file is valid after the program was killed, too.
 *
 * With STRESS_TEXTS=N each batch begins with N messages of STRESS_TEXT_BYTES characters that no packing makes much
 * shorter, and no other message has. */
#include "tests/stress/numbers.h"
#include "tracy/TracyC.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SESSIONS 4096

struct session {
    uint32_t number;
    uint64_t first, last;
};
struct worker {
    pthread_t thread;
    int index, count;
    uint64_t zones;
    char name[32], plot[32];
    struct session sessions[SESSIONS];
};

static struct worker workers[STRESS_THREADS];
static uint64_t own_begun[STRESS_THREADS];
static uint64_t *begun = own_begun;
static long pause_us, signal_hz, texts;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static TracyCLockCtx lock;
static _Atomic(unsigned) signals;

#define PLACE(i)                                                                                             \
    {                                                                                                        \
        "place " #i, "work", "load.c", 1000 + i, 0                                                           \
    }
static const struct ___tracy_source_location_data places[STRESS_PLACES] = {
    PLACE(0), PLACE(1), PLACE(2),  PLACE(3),  PLACE(4),  PLACE(5),  PLACE(6),  PLACE(7),
    PLACE(8), PLACE(9), PLACE(10), PLACE(11), PLACE(12), PLACE(13), PLACE(14), PLACE(15)};

static void note(struct worker *worker, uint32_t session, uint64_t zone)
{
    struct session *last = &worker->sessions[worker->count ? worker->count - 1 : 0];
    if (!worker->count || last->number != session) {
        last = &worker->sessions[worker->count < SESSIONS ? worker->count++ : SESSIONS - 1];
        *last = (struct session){session, zone, zone};
    }
    last->last = zone;
}

static void under_lock(void)
{
    TracyCLockBeforeLock(lock);
    pthread_mutex_lock(&mutex);
    TracyCLockAfterLock(lock);
    TracyCFree((void *)(uintptr_t)STRESS_ADDRESS);
    TracyCAlloc((void *)(uintptr_t)STRESS_ADDRESS, 16);
    /* Marked before the unlock, so that all threads see the same order. */
    TracyCLockAfterUnlock(lock);
    pthread_mutex_unlock(&mutex);
}

/* Sleeps the whole time, also after signals. */
static void nap(long us)
{
    struct timespec rest = {0, us * 1000};
    while (us && clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR)
        ;
}

static void mark_texts(struct worker *worker, uint64_t batch)
{
    char text[STRESS_TEXT_BYTES];
    uint64_t random = (batch * STRESS_THREADS + (unsigned)worker->index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (long n = 0; n < texts; n++) {
        for (size_t i = 0; i < sizeof text; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            text[i] = (char)('A' + (random >> 32) % 58);
        }
        TracyCMessage(text, sizeof text);
    }
}

static void begin_batch(struct worker *worker, uint64_t batch)
{
    char text[48];
    int bytes = snprintf(text, sizeof text, "%d %" PRIu64, worker->index, batch);
    mark_texts(worker, batch);
    TracyCMessage(text, (size_t)bytes);
    TracyCPlotI(worker->plot, batch);
    under_lock();
    nap(pause_us);
}

static void on_signal(int number)
{
    uintptr_t times = signals++;
    TracyCZoneN(zone, "in a handler", 1);
    TracyCMessageL("signal");
    TracyCPlotI("signals", times);
    TracyCAlloc((void *)(uintptr_t)(0x100000 + 16 * times), 16);
    TracyCZoneEnd(zone);
}

/* A timer for this thread only. */
static void signal_often(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    struct itimerspec every = {{0, 1000000000 / signal_hz}, {0, 1000000000 / signal_hz}};
    timer_t timer;
    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &every, NULL) != 0)
        abort();
}

static void *work(void *self)
{
    struct worker *worker = self;
    TracyCSetThreadName(worker->name);
    if (signal_hz > 0)
        signal_often();
    for (uint64_t i = 0; i < worker->zones;) {
        TracyCZoneN(batch, "batch", 1);
        begin_batch(worker, i / STRESS_BATCH);
        do {
            uint32_t zone = td_client_zone_begin(&places[stress_place(i)]);
            __atomic_store_n(&begun[worker->index], i + 1, __ATOMIC_RELAXED);
            if (zone != TD_CLIENT_OFF)
                note(worker, td_client_is_live(), i);
            if (i % STRESS_BATCH == 0)
                td_client_zone_word(zone, TD_CLIENT_ZONE_VALUE, i);
            td_client_zone_end(zone);
        } while (++i % STRESS_BATCH && i < worker->zones);
        TracyCZoneEnd(batch);
    }
#if defined(__SANITIZE_THREAD__)
    /* The sanitizer frees its state of a thread before the thread ends, so handlers must not mark then. In
     * other builds they may. */
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
#endif
    return NULL;
}

static void share_counts(const char *path)
{
    int file = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    if (!path)
        return;
    if (file < 0 || ftruncate(file, sizeof own_begun) != 0)
        abort();
    begun = mmap(NULL, sizeof own_begun, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (begun == MAP_FAILED)
        abort();
    close(file);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    share_counts(getenv("STRESS_COUNT"));
    int threads = atoi(argv[1]);
    if (threads < 1 || threads > STRESS_THREADS)
        return 2;
    pause_us = argc > 3 ? atol(argv[3]) : 0;
    signal_hz = argc > 4 ? atol(argv[4]) : 0;
    texts = getenv("STRESS_TEXTS") ? atol(getenv("STRESS_TEXTS")) : 0;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
    TracyCLockAnnounce(lock);
    TracyCLockCustomName(lock, "shared", 6);
    TracyCAlloc((void *)(uintptr_t)STRESS_ADDRESS, 16);
    for (int i = 0; i < threads; i++) {
        workers[i].index = i;
        workers[i].zones = strtoull(argv[2], NULL, 10);
        snprintf(workers[i].name, sizeof workers[i].name, "load %d", i);
        snprintf(workers[i].plot, sizeof workers[i].plot, "plot %d", i);
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < threads; i++)
        for (int s = 0; s < workers[i].count; s++)
            printf("session %u thread %d first %" PRIu64 " last %" PRIu64 "\n", workers[i].sessions[s].number,
                   i, workers[i].sessions[s].first, workers[i].sessions[s].last);
    printf("signals %u\n", signals);
    return 0;
}
