/* A program whose threads all change, without a pause, the state that the client's own thread reads: names,
 * callbacks, parameters, settings of plots and sections, locks. Usage: stress_crossing; ends when its
 * standard input does. Exit status 1: a callback or a query gave an inconsistent result. */
#include "tendril/client.h"
#include "tendril/locks.h"
#include "tests/stress/crossing.h"
#include "tracy/TracyC.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int over, wrong;

static void nap_us(long us)
{
    nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

/* ---- parameters: the viewer sets them, threads read them and report the values */

static _Atomic(int32_t) values[CROSSING_PARAMETERS];
static char owners[2][8] = {"first", "second"};

static void set_first(void *data, uint32_t index, int32_t value)
{
    if (data != owners[0] || index >= CROSSING_PARAMETERS)
        atomic_store(&wrong, 1);
    else
        atomic_store(&values[index], value);
}

static void set_second(void *data, uint32_t index, int32_t value)
{
    if (data != owners[1] || index >= CROSSING_PARAMETERS)
        atomic_store(&wrong, 1);
    else
        atomic_store(&values[index], value);
}

static void parameters(unsigned round)
{
    static const char *const names[CROSSING_PARAMETERS] = {"zero", "one", "two", "three"};
    unsigned index = round % CROSSING_PARAMETERS;
    td_client_parameter_register(round % 2 ? set_second : set_first, owners[round % 2]);
    td_client_parameter_setup(index, names[index], 0, atomic_load(&values[index]));
}

static void tell_parameters(unsigned round)
{
    char text[64];
    unsigned index = round % CROSSING_PARAMETERS;
    int bytes = snprintf(text, sizeof text, CROSSING_SET, index, (int)atomic_load(&values[index]));
    TracyCMessage(text, (size_t)bytes);
}

/* ---- sources */

static char *give(const char *text, void *data, const char *text_of_data, size_t *size)
{
    if (data != text_of_data)
        atomic_store(&wrong, 1);
    char *copy = td_client_realloc(td_client_alloc(1), strlen(text) + 1);
    if (copy)
        memcpy(copy, text, *size = strlen(text));
    return copy;
}

static char *source_first(void *data, const char *file, size_t *size)
{
    return strcmp(file, CROSSING_FILE) ? NULL : give(CROSSING_TEXT_1, data, owners[0], size);
}

static char *source_second(void *data, const char *file, size_t *size)
{
    return strcmp(file, CROSSING_FILE) ? NULL : give(CROSSING_TEXT_2, data, owners[1], size);
}

static void sources(unsigned round)
{
    static const struct ___tracy_source_location_data place = {"made", "up", CROSSING_FILE, 1, 0};
    td_client_source_register(round % 2 ? source_second : source_first, owners[round % 2]);
    TracyCZoneCtx zone = ___tracy_emit_zone_begin_callstack(&place, 6, 1);
    ___tracy_emit_zone_end(zone);
}

/* ---- names */

static void program_names(unsigned round)
{
    td_client_set_program_name(round % 2 ? CROSSING_PROGRAM_1 : CROSSING_PROGRAM_2);
}

static _Atomic(uint32_t) named[2];

static void thread_names(unsigned round)
{
    char name[64], seen[64];
    uint32_t self = td_client_thread_id();
    snprintf(name, sizeof name, "%.*s", 9 + (int)(round % 20), CROSSING_THREAD);
    td_client_set_thread_name(name, (int32_t)(round % 3));
    atomic_store(&named[round % 2], self);
    uint32_t other = atomic_load(&named[1 - round % 2]);
    if (other && other != self &&
        (td_client_thread_name(other, seen, sizeof seen) < 0 ||
         strncmp(seen, CROSSING_THREAD, strlen(seen)) != 0))
        atomic_store(&wrong, 1);
}

/* ---- settings and locks */

static const char *const plots[2] = {"plot 0", "plot 1"};

static void settings(unsigned round)
{
    TracyCPlotConfig(plots[round % 2], TracyPlotFormatMemory, (int)(round >> 1) & 1, 1, 0x112233);
    TracyCPlotI(plots[round % 2], round);
    if (round % 64 == 0)
        TracyCAppInfo("crossing", 8);
}

static void sections(unsigned round)
{
    uint16_t category = (uint16_t)(1 + round % 3);
    td_client_section_setup(category, "category %u", category);
    uint32_t section = td_client_section_enter(category, CROSSING_SECTION " %u", round);
    nap_us(50);
    td_client_section_leave(section);
}

static td_mutex shared = TD_MUTEX_INITIALIZER("at first");
static td_rwlock readers = TD_RWLOCK_INITIALIZER("readers");

static void own_locks(unsigned round)
{
    char name[64];
    TracyCLockCtx lock;
    TracyCLockAnnounce(lock);
    int bytes = snprintf(name, sizeof name, CROSSING_LOCK " %u", round);
    TracyCLockCustomName(lock, name, (size_t)bytes);
    TracyCLockBeforeLock(lock);
    TracyCLockAfterLock(lock);
    TracyCLockAfterUnlock(lock);
    TracyCLockTerminate(lock);
}

static void common_locks(unsigned round)
{
    static unsigned guarded;
    char name[64];
    int bytes = snprintf(name, sizeof name, CROSSING_LOCK " common %u", round % 100);
    td_mutex_name(&shared, name, (size_t)bytes);
    td_mutex_lock(&shared);
    guarded++;
    td_mutex_mark(&shared);
    td_mutex_unlock(&shared);
    td_rwlock_rdlock(&readers);
    td_rwlock_unlock(&readers);
    if (td_rwlock_trywrlock(&readers) == 0)
        td_rwlock_unlock(&readers);
}

/* ---- objects that one thread makes and another one ends */

static void fibers(unsigned round)
{
    static td_mutex one_at_a_time = TD_MUTEX_INITIALIZER(CROSSING_LOCK " of the fiber");
    static const char *const fiber = "fiber";
    td_mutex_lock(&one_at_a_time);
    td_client_fiber_enter(fiber, (int32_t)(round % 2));
    TracyCZoneN(zone, "in the fiber", 1);
    TracyCZoneEnd(zone);
    td_client_fiber_leave();
    td_mutex_unlock(&one_at_a_time);
}

static void memory(unsigned round)
{
    static _Atomic(void *) slot;
    static const char *const pool = "pool";
    void *mine = td_client_alloc(32);
    TracyCAllocN(mine, 32, pool);
    void *theirs = atomic_exchange(&slot, mine);
    if (theirs) {
        TracyCFreeN(theirs, pool);
        td_client_free(theirs);
    }
}

static void frames(unsigned round)
{
    static uint8_t pixels[16 * 16 * 4];
    TracyCFrameMark;
    if (round % 16 == 0)
        TracyCFrameImage(pixels, 16, 16, 1, 0);
}

/* ---- state */

/* One thread asks. The client starts with the first marker of any other thread, and listens shortly after. */
static void questions(unsigned round)
{
    static int has_listened;
    const int listens = td_client_port() > 0;
    if (has_listened && (!TracyCIsStarted || !listens))
        atomic_store(&wrong, 1);
    has_listened |= listens;
    if (td_client_wait_connected(1) && TracyCIsConnected)
        TracyCMessageL("connected");
}

/* Short-lived threads with markers of their own. */
static void *short_life(void *nothing)
{
    TracyCZoneN(zone, "short", 1);
    TracyCZoneEnd(zone);
    return NULL;
}

static void short_lives(unsigned round)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, short_life, NULL) == 0)
        pthread_join(thread, NULL);
}

static void (*const what[])(unsigned) = {
    parameters, tell_parameters, sources,   program_names, thread_names, thread_names, settings,
    settings,   sections,        own_locks, common_locks,  common_locks, fibers,       fibers,
    memory,     memory,          frames,    questions,     short_lives,  parameters};
#define THREADS (sizeof what / sizeof *what)

static void *repeat(void *which)
{
    void (*const *call)(unsigned) = which;
    for (unsigned round = 0; !atomic_load(&over); round++) {
        (*call)(round);
        nap_us(1000);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, repeat, (void *)(uintptr_t)&what[i]) != 0)
            return 2;
    char byte;
    while (read(0, &byte, 1) > 0)
        ;
    atomic_store(&over, 1);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return atomic_load(&wrong);
}
