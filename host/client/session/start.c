/* Start and end of the client, and fork(). */
#include "host/client/session/start.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/machine_memory.h"
#include "host/client/collect/collect.h"
#include "host/client/crash/crash.h"
#include "host/client/encode/drain.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/epoch.h"
#include "host/client/platform/fork_locks.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/session_state.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/replayed.h"
#include "host/client/session/session.h"
#include "host/client/symbols/resolver.h"
#include "host/client/symbols/unloaded.h"

#include <stdbool.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { IDLE, MANUAL, STARTING, RUNNING, ENDED };
static atomic_int state;

static struct td_signals forking; /* of the thread that forks, which holds all locks */

/* Signals are blocked first: markers in a handler may take the locks. */
static void before_fork(void)
{
    struct td_signals signals;
    td_signals_block(&signals);
    td_fork_locks_before_fork();
    td_queue_before_fork();
    forking = signals;
}

static void in_parent(void)
{
    struct td_signals signals = forking;
    td_queue_after_fork(0);
    td_fork_locks_after_fork();
    td_signals_restore(&signals);
}

/* The child has no session, unless it starts one. */
static void in_child(void)
{
    td_queue_after_fork(1);
    td_unloaded_forked();
    td_replayed_forked();
    td_fork_locks_after_fork();
    td_client_drain_forked();
    td_session_forked();
    atomic_store(&state, ENDED);
    td_signals_restore(&forking);
}

static void stop_client(int last)
{
    int from = RUNNING;
    if (!atomic_compare_exchange_strong(&state, &from, STARTING))
        return;
    td_session_end(last);
    td_queue_set_live(0);
    atomic_store(&state, ENDED);
}

static void at_quick_end(void)
{
    stop_client(1);
}

static void first_start(void)
{
    td_epoch_begin();
    td_settings_check();
    if (td_setting_text(TD_SETTING_DEBUG)) /* not in set-user-ID programs */
        (void)td_debug_from_environment(NULL);
    pthread_atfork(before_fork, in_parent, in_child);
    (void)at_quick_exit(at_quick_end);
    if (!td_resolver_is_in_program()) /* else the session ends before libraries are unloaded */
        (void)atexit(td_unloaded_process_exits);
}

/* TENDRIL_MEMORY_MB, else half of the machine's memory. */
static size_t bytes_to_keep(void)
{
    int mb = td_setting_value(TD_SETTING_MEMORY_MB);
    return mb ? (size_t)mb << 20 : (size_t)(td_machine_memory() / 2);
}

/* A thread that finds the client starting does not wait: its markers are queued meanwhile. It may be the
 * starting thread itself, when the program's malloc() has markers. */
static void start_from(int from)
{
    int late = from != IDLE;
    if (!atomic_compare_exchange_strong(&state, &from, STARTING))
        return;
    if (late)
        td_epoch_is_late();
    if (!td_client_begin_ticks())
        first_start();
    td_queue_begin(bytes_to_keep());
    td_queue_set_live(td_setting_value(TD_SETTING_ON_DEMAND) ? 0 : 1);
    if (td_session_start() != 0) {
        td_queue_set_live(0);
        atomic_store(&state, ENDED);
        return;
    }
    td_crash_install(td_session_crashed);
    atomic_store(&state, RUNNING);
}

void td_client_start(void)
{
    if (atomic_load_explicit(&state, memory_order_acquire) != IDLE)
        return;
    int idle = IDLE;
    if (!td_setting_value(TD_SETTING_MANUAL_LIFETIME))
        start_from(IDLE);
    else if (atomic_compare_exchange_strong(&state, &idle, MANUAL))
        td_queue_set_live(0);
}

uint64_t *td_client_refill(struct td_client_producer *producer, uint64_t place, unsigned words)
{
    td_client_start();
    return td_queue_refill(producer, place, words);
}

/* Whether a peer is connected and gets what is marked from now on. */
static bool is_connected(void)
{
    return td_session_state() == TD_CLIENT_CONNECTED && td_client_is_live();
}

int td_client_wait_connected(int ms)
{
    td_client_start();
    int64_t end = td_mono_ns() + (int64_t)ms * 1000000;
    while (td_session_state() <= TD_CLIENT_CONNECTED && !is_connected() && td_mono_ns() < end)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return is_connected();
}

/* The program is linked against the client because it has markers: start before main. */
__attribute__((constructor(101))) static void at_start(void)
{
    if (td_setting_value(TD_SETTING_DELAYED_INIT) && !td_setting_value(TD_SETTING_MANUAL_LIFETIME))
        return; /* the first marker starts the client */
    td_client_start();
    int wait_ms = td_setting_value(TD_SETTING_WAIT_CONNECT_MS);
    if (wait_ms && atomic_load(&state) == RUNNING)
        td_client_wait_connected(wait_ms);
}

/* Runs after main's return, exit handlers and static objects' destructors, which may still have markers.
 * Or it runs when the library that has the client is unloaded; afterwards nothing may call this code. */
__attribute__((destructor(101))) static void at_end(void)
{
    td_resolver_unloads();
    stop_client(td_resolver_is_in_program());
    td_crash_remove();
    td_queue_finish();
}

void ___tracy_startup_profiler(void)
{
    start_from(IDLE);
    start_from(MANUAL);
    start_from(ENDED);
}

void ___tracy_shutdown_profiler(void)
{
    stop_client(0);
}

int32_t ___tracy_profiler_started(void)
{
    return atomic_load(&state) == RUNNING;
}

int32_t ___tracy_connected(void)
{
    return is_connected();
}

int64_t ___tracy_get_time(void)
{
    return (int64_t)td_client_ticks();
}

int ___tracy_begin_sampling_profiling(void)
{
    td_client_start();
    return atomic_load(&state) == RUNNING && td_session_state() <= TD_CLIENT_CONNECTED &&
           td_collect_begin(true);
}

void ___tracy_end_sampling_profiling(void)
{
    td_collect_stop();
}

int ___tracy_begin_sampling_profiler(void)
{
    return ___tracy_begin_sampling_profiling();
}

void ___tracy_end_sampling_profiler(void)
{
    ___tracy_end_sampling_profiling();
}

int td_client_port(void)
{
    return atomic_load(&state) == RUNNING ? td_session_port() : 0; /* the session's thread may be faster */
}
