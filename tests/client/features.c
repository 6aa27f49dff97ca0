/* A program with every kind of marker of the C interface, for the tests. Usage: client_features MODE. What
 * each mode marks is what the tests count. */
#include "tracy/TracyC.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void nap_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static TracyCLockCtx lock;
static TracyCSharedLockCtx shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void *use_locks(void *index)
{
    for (int i = 0; i < 50; i++) {
        TracyCLockBeforeLock(lock);
        pthread_mutex_lock(&mutex);
        TracyCLockAfterLock(lock);
        {
            TracyCLockMark(lock);
        }
        pthread_mutex_unlock(&mutex);
        TracyCLockAfterUnlock(lock);

        TracyCSharedLockBeforeSharedLock(shared);
        pthread_rwlock_rdlock(&rwlock);
        TracyCSharedLockAfterSharedLock(shared);
        pthread_rwlock_unlock(&rwlock);
        TracyCSharedLockAfterSharedUnlock(shared);
    }
    return index;
}

static void locks(void)
{
    {
        TracyCLockAnnounce(lock);
    }
    {
        TracyCSharedLockAnnounce(shared);
    }
    TracyCLockCustomName(lock, "custom mutex", 12);
    TracyCSharedLockCustomName(shared, "custom rwlock", 13);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, use_locks, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    TracyCLockAfterTryLock(lock, 1);
    TracyCLockAfterUnlock(lock);
    TracyCSharedLockBeforeLock(shared);
    TracyCSharedLockAfterLock(shared);
    TracyCSharedLockAfterUnlock(shared);
    TracyCLockTerminate(lock);
    TracyCSharedLockTerminate(shared);
}

static void memory(void)
{
    for (uintptr_t i = 1; i <= 64; i++) {
        TracyCAlloc((void *)(0x10000 * i), 100 * i);
        TracyCAllocN((void *)(0x10000 * i), 10, "pool");
        TracyCAllocNS((void *)(0x10000 * i), 10, 8, "discarded");
        if (i % 2)
            TracyCFree((void *)(0x10000 * i));
    }
    for (uintptr_t i = 1; i <= 32; i++)
        TracyCFreeN((void *)(0x10000 * i), "pool");
    TracyCMemoryDiscard("discarded");
}

static uint64_t place(const char *name)
{
    return ___tracy_alloc_srcloc_name(9, "gpu.c", 5, "submit", 6, name, strlen(name), 0);
}

static void gpu(void)
{
    ___tracy_emit_gpu_new_context(
        (struct ___tracy_gpu_new_context_data){.gpuTime = 1000, .period = 1, .context = 0, .type = 3});
    ___tracy_emit_gpu_context_name((struct ___tracy_gpu_context_name_data){0, "queue", 5});
    for (uint16_t i = 0; i < 20; i++) {
        uint16_t query = (uint16_t)(2 * i);
        ___tracy_emit_gpu_zone_begin_alloc_serial(
            (struct ___tracy_gpu_zone_begin_data){place("kernel"), query, 0});
        ___tracy_emit_gpu_zone_end_serial((struct ___tracy_gpu_zone_end_data){(uint16_t)(query + 1), 0});
        ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){2000 + 100 * i, query, 0});
        ___tracy_emit_gpu_time((struct ___tracy_gpu_time_data){2050 + 100 * i, (uint16_t)(query + 1), 0});
    }
    ___tracy_emit_gpu_time_sync((struct ___tracy_gpu_time_sync_data){5000, 0});
    td_client_gpu_annotation_name(0, 5, "occupancy", 9);
    struct td_client_gpu_context device = {.gpu_time = 0, .period = 1, .context = 1, .type = 10, .flags = 1};
    td_client_gpu_new_context(&device); /* a type that older releases do not know */
    static const struct ___tracy_source_location_data fixed = {"fixed", "submit", "gpu.c", 7, 0};
    for (uint32_t row = 1; row <= 3; row++) {
        td_client_gpu_zone_begin(1, (uint16_t)(2 * row), (uintptr_t)&fixed, 0, 0, 0, row);
        td_client_gpu_annotation(1, (uint16_t)(2 * row), 5, 0.5);
        td_client_gpu_time(1, (uint16_t)(2 * row), 100 * row);
        td_client_gpu_zone_end(1, (uint16_t)(2 * row + 1), 0, row);
        td_client_gpu_time(1, (uint16_t)(2 * row + 1), 100 * row + 70);
    }
    td_client_gpu_calibration(1, 1000, 1000, 0);
}

static TracyCZoneCtx in_fiber;

static void *begin_in_fiber(void *fiber)
{
    TracyCFiberEnter(fiber);
    TracyCZoneN(zone, "across threads", 1);
    in_fiber = zone;
    TracyCFiberLeave;
    return NULL;
}

static void *end_in_fiber(void *fiber)
{
    TracyCFiberEnter(fiber);
    TracyCZoneEnd(in_fiber);
    TracyCFiberLeave;
    return NULL;
}

static void fibers(void)
{
    static char fiber[] = "job";
    for (int i = 0; i < 30; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, begin_in_fiber, fiber);
        pthread_join(thread, NULL);
        pthread_create(&thread, NULL, end_in_fiber, fiber);
        pthread_join(thread, NULL);
    }
}

static void images(void)
{
    static uint8_t pixels[16 * 8 * 4];
    for (int i = 0; i < 5; i++) {
        memset(pixels, 50 * i, sizeof pixels / 2);
        TracyCFrameImage(pixels, 16, 8, 0, i == 0);
        TracyCFrameMark;
    }
}

static void texts(void)
{
    char big[1000];
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = 0;
    for (int i = 0; i < 10; i++) {
        TracyCZoneNS(zone, "with stack", 10, 1);
        TracyCZoneTextF(zone, "number %d", i);
        TracyCZoneNameF(zone, "long %s", big);
        TracyCZoneEnd(zone);
        TracyCMessageS("with stack", 10, 10);
        TracyCMessageLS("literal with stack", 10);
        ___tracy_emit_logString(TracyMessageSeverityError, 0, 0, 5, "error");
        ___tracy_emit_logStringL(TracyMessageSeverityDebug, 0x00ff00, 0, "debug");
    }
    uint32_t section = td_client_section_enter(1, "part %d", 1);
    td_client_section_setup(1, "category %s", "one");
    td_client_section_leave(section);
    td_client_parameter_setup(0, "parameter", 0, 42);
}

static void features(void)
{
    TracyCAppInfo("features", 8);
    locks();
    memory();
    gpu();
    fibers();
    images();
    texts();
    TracyCPlotConfig("plot", TracyPlotFormatPercentage, 0, 1, 0xff);
    for (int i = 0; i < 10; i++)
        TracyCPlotI("plot", i);
}

/* later: markers before anyone connects, then those that count. */
static void later(void)
{
    TracyCAppInfo("said before", 11);
    TracyCPlotConfig("late plot", TracyPlotFormatMemory, 1, 1, 0);
    {
        TracyCLockAnnounce(lock);
    }
    TracyCZoneN(over, "begun before", 1);
    for (int i = 0; i < 5; i++) {
        TracyCZoneN(zone, "before", 1);
        TracyCZoneEnd(zone);
        TracyCFrameMark;
    }
    for (int round = 0; round < 2; round++) {
        while (!TracyCIsConnected)
            nap_ms(1);
        nap_ms(100); /* the connection is whole */
        if (round == 0) {
            TracyCZoneEnd(over);
        }
        for (int i = 0; i < 20; i++) {
            TracyCZoneN(zone, "after", 1);
            TracyCLockBeforeLock(lock);
            TracyCLockAfterLock(lock);
            TracyCLockAfterUnlock(lock);
            TracyCFrameMark;
            TracyCPlotI("late plot", i);
            TracyCZoneEnd(zone);
        }
        TracyCMessageL("done");
        while (TracyCIsConnected && round == 0)
            nap_ms(1);
    }
}

/* signals: a handler with markers interrupts markers. */
static volatile sig_atomic_t handled;

static void on_alarm(int number)
{
    (void)number;
    TracyCZoneN(zone, "handler", 1);
    TracyCZoneText(zone, "text", 4);
    TracyCFrameMarkNamed("alarms");
    TracyCAllocN((void *)(uintptr_t)(handled + 1), 1, "alarms");
    TracyCZoneEnd(zone);
    handled++;
}

static void signals(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 50}, {0, 50}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 200000; i++) {
        TracyCZoneN(zone, "interrupted", 1);
        TracyCZoneText(zone, "text", 4);
        TracyCFrameMarkNamed("works");
        TracyCZoneEnd(zone);
    }
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    char text[32];
    int bytes = snprintf(text, sizeof text, "handled %d", (int)handled);
    TracyCMessage(text, (size_t)bytes);
}

/* child: a forked child that starts a session of its own. */
static int child(void)
{
    pid_t pid = fork();
    if (pid == 0) {
        ___tracy_startup_profiler();
        td_client_wait_connected(10000);
        TracyCZoneN(zone, "of the child", 1);
        TracyCZoneEnd(zone);
        exit(7);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "features";
    if (!strcmp(mode, "features"))
        features();
    else if (!strcmp(mode, "later"))
        later();
    else if (!strcmp(mode, "signals"))
        signals();
    else if (!strcmp(mode, "child"))
        return child();
    else
        return 2;
    if (argc > 2)
        quick_exit(0);
    return 0;
}
