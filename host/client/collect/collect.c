/* Any thread may begin and stop, under TD_FORK_LOCK_COLLECT. What it makes, only the session's thread uses and
 * closes: that thread takes the lock only to close, and gathers while it waits in the middle of sending. */
#include "host/client/collect/collect.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/client/collect/power.h"
#include "host/client/collect/put_records.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/fork_locks.h"
#include "host/client/platform/observed.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/settings.h"
#include "host/client/symbols/callers.h"
#include "host/perf/perf.h"
#include "host/perf/proc.h"
#include "host/perf/thread_names.h"
#include "proto/notes.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define GATHER_MS  20  /* between two gatherings */
#define REST_MS    100 /* the same when little comes */
#define LITTLE     6   /* percent of a ring; a ring that is half full ends the wait early */
#define MUCH       20
#define HZ         10000 /* as in Tracy's clients */
#define LOST_MS    1000  /* between two messages about losses */
#define TURN       4096  /* records encoded before the queues have their turn */
#define MOST_BYTES ((size_t)256 << 20)

static struct td_thread_names names; /* of all programs' threads; for the session's thread */

static const struct td_perf_host host = {.take = td_pool_alloc, .give = td_pool_free};

static struct {
    _Atomic(struct td_perf *) perf; /* NULL: nothing is collected */
    struct td_perf_report report;   /* of the last td_perf_open(); under the lock */
    atomic_int running, has_report;
    atomic_uint thread; /* the session's */
    int64_t next_ms;    /* of the next gathering; of the session's thread, as nap_ms */
    int64_t nap_ms;     /* between the last two */
} collect;

static atomic_int fd = -1; /* td_perf_fd() of collect.perf */
static _Atomic(int64_t) period_ns;

/* Of the current session; for the session's thread. */
static struct {
    uint64_t told; /* losses that were reported */
    int64_t told_ms;
    bool has_reported; /* what is missing */
    struct td_power power;
} sent;

static void lock_state(struct td_signals *signals)
{
    td_signals_block(signals);
    td_fork_lock_acquire(TD_FORK_LOCK_COLLECT);
}

static void unlock_state(const struct td_signals *signals)
{
    td_fork_lock_release(TD_FORK_LOCK_COLLECT);
    td_signals_restore(signals);
}

void td_collect_thread(uint32_t thread)
{
    atomic_store(&collect.thread, thread);
}

/* ---- what is asked for ---- */

static uint32_t wanted_kinds(void)
{
    static const struct {
        enum td_setting off;
        uint32_t kinds;
    } switches[] = {
        {TD_SETTING_NO_SAMPLING, TD_PERF_BIT(SAMPLE)},
        {TD_SETTING_NO_SAMPLE_RETIREMENT, TD_PERF_BIT(CYCLES) | TD_PERF_BIT(INSTRUCTIONS)},
        {TD_SETTING_NO_SAMPLE_CACHE, TD_PERF_BIT(CACHE_REFERENCES) | TD_PERF_BIT(CACHE_MISSES)},
        {TD_SETTING_NO_SAMPLE_BRANCH, TD_PERF_BIT(BRANCHES) | TD_PERF_BIT(BRANCH_MISSES)},
        {TD_SETTING_NO_CONTEXT_SWITCH, TD_PERF_BIT(SWITCH) | TD_PERF_BIT(WAKEUP)},
        {TD_SETTING_NO_VSYNC_CAPTURE, TD_PERF_BIT(VSYNC)},
    };
    uint32_t kinds = td_client_observed() ? TD_PERF_ALL : TD_PERF_ALL & ~TD_PERF_BIT(PROCESS);
    if (td_setting_value(TD_SETTING_NO_SYSTEM_TRACING) || td_setting_value(TD_SETTING_NO_SYS_TRACE))
        return 0;
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (td_setting_value(switches[i].off))
            kinds &= ~switches[i].kinds;
    return kinds;
}

static uint32_t wanted_hz(void)
{
    const int hz = td_setting_value(TD_SETTING_SAMPLING_HZ);
    return hz > 0 ? (uint32_t)hz : HZ;
}

/* Whether the program begins sampling itself. 2: only if no rate is given, as in the Python package. */
static bool is_manual(void)
{
    const int manual = td_setting_value(TD_SETTING_SAMPLING_MANUAL_START);
    return manual && !(manual == 2 && td_setting_value(TD_SETTING_SAMPLING_HZ));
}

int64_t td_collect_period_ns(void)
{
    const int64_t known = atomic_load(&period_ns);
    int64_t hz = wanted_hz(), most;
    if (known || !td_setting_value(TD_SETTING_ON_DEMAND) || !(wanted_kinds() & TD_PERF_BIT(SAMPLE)) ||
        is_manual())
        return known;
    if (td_proc_number("/proc/sys/kernel/perf_event_max_sample_rate", &most) && most > 0 && most < hz)
        hz = most;
    return 1000000000 / (hz > TD_PERF_HZ_MAX ? TD_PERF_HZ_MAX : hz);
}

/* ---- begin and end ---- */

static size_t bytes_to_keep(void)
{
    const int mb = td_setting_value(TD_SETTING_MEMORY_MB);
    return mb && ((size_t)mb << 20) < MOST_BYTES ? (size_t)mb << 20 : MOST_BYTES;
}

static void log_report(const struct td_perf *perf, const struct td_perf_report *report)
{
    for (unsigned i = 0; i < report->count; i++)
        td_debug(collect, "%s", report->missing[i].why);
    if (perf)
        td_debug(collect, "%u threads are sampled %u times a second, %s the kernel's functions",
                 td_perf_threads(perf), td_perf_hz(perf), td_perf_has_kernel(perf) ? "with" : "without");
}

int td_collect_begin(bool asked)
{
    struct td_signals signals;
    struct td_perf_report report = {.count = 0};
    const uint32_t kinds = wanted_kinds();
    if (!kinds || (!asked && is_manual()))
        return 0;
    const uint32_t except = atomic_load(&collect.thread);
    const struct td_observed *others = td_client_observed();
    const struct td_perf_options options = {.pid = others ? others->pid : 0,
                                            .children = others && others->children,
                                            .kinds = kinds,
                                            .hz = wanted_hz(),
                                            .most_bytes = bytes_to_keep(),
                                            .except = &except,
                                            .except_count = 1,
                                            .find_callers = others ? NULL : td_callers_find,
                                            .host = &host,
                                            .names = &names};
    lock_state(&signals);
    struct td_perf *perf = atomic_load(&collect.perf);
    if (!perf) {
        perf = td_perf_open(&options, &report);
        collect.report = report;
        atomic_store(&collect.has_report, 1);
        atomic_store(&fd, perf ? td_perf_fd(perf) : -1);
        if (perf && td_perf_kinds(perf) & TD_PERF_BIT(SAMPLE))
            atomic_store(&period_ns, 1000000000 / td_perf_hz(perf));
        log_report(perf, &report);
    }
    if (perf && !atomic_exchange(&collect.running, 1))
        td_perf_start(perf);
    atomic_store(&collect.perf, perf);
    const int running = atomic_load(&collect.running);
    unlock_state(&signals);
    return running;
}

bool td_collect_samples(struct td_perf_report *report)
{
    struct td_signals signals;
    lock_state(&signals);
    const struct td_perf *perf = atomic_load(&collect.perf);
    const bool samples = perf && td_perf_kinds(perf) & TD_PERF_BIT(SAMPLE);
    *report = collect.report;
    unlock_state(&signals);
    return samples;
}

void td_collect_stop(void)
{
    struct td_signals signals;
    lock_state(&signals);
    if (atomic_exchange(&collect.running, 0))
        td_perf_stop(atomic_load(&collect.perf));
    unlock_state(&signals);
}

void td_collect_close(void)
{
    struct td_signals signals;
    lock_state(&signals);
    atomic_store(&fd, -1);
    atomic_store(&period_ns, 0);
    td_perf_close(atomic_exchange(&collect.perf, NULL));
    atomic_store(&collect.running, 0);
    atomic_store(&collect.has_report, 0);
    collect.next_ms = 0;
    unlock_state(&signals);
    td_power_close(&sent.power);
}

void td_collect_forked(void)
{
    atomic_store(&fd, -1);
    atomic_store(&period_ns, 0);
    td_perf_forked(atomic_exchange(&collect.perf, NULL));
    atomic_store(&collect.running, 0);
    atomic_store(&collect.has_report, 0);
    td_power_close(&sent.power);
}

/* ---- gathering ---- */

int td_collect_fd(void)
{
    return atomic_load(&fd);
}

int64_t td_collect_wait_ms(int64_t now_ms, int64_t most_ms)
{
    if (!atomic_load(&collect.running))
        return most_ms;
    const int64_t left_ms = collect.next_ms > now_ms ? collect.next_ms - now_ms : 0;
    return left_ms < most_ms ? left_ms : most_ms;
}

static void gather(struct td_perf *perf, int64_t now_ms)
{
    (void)td_perf_gather(perf);
    const unsigned filled = td_perf_filled(perf);
    if (filled >= MUCH || !collect.nap_ms)
        collect.nap_ms = GATHER_MS;
    else if (filled < LITTLE)
        collect.nap_ms = collect.nap_ms * 2 < REST_MS ? collect.nap_ms * 2 : REST_MS;
    collect.next_ms = now_ms + collect.nap_ms;
}

void td_collect_gather(int64_t now_ms, bool at_once)
{
    struct td_perf *perf = atomic_load(&collect.perf);
    if (perf && (at_once || now_ms >= collect.next_ms))
        gather(perf, now_ms);
}

/* ---- sending ---- */

void td_collect_session_begins(void)
{
    sent.told = 0;
    sent.told_ms = 0;
    sent.has_reported = false;
    (void)td_callers_take_cut(&(uint64_t){0});
    td_records_session_begins();
}

/* What is missing for want of rights, as lines of the trace's description. */
static int put_report(struct td_encoder *encoder)
{
    char line[280];
    int failed = 0;
    struct td_signals signals;
    lock_state(&signals);
    const struct td_perf_report report = collect.report;
    unlock_state(&signals);
    for (unsigned i = 0; !failed && i < report.count; i++) {
        snprintf(line, sizeof line, TD_NOTE_CLIENT_SYSTEM ": %s", report.missing[i].why);
        failed = report.missing[i].denied ? td_encode_app_info(encoder, line) : 0;
    }
    return failed;
}

static uint64_t lost_now(const struct td_perf *perf)
{
    const struct td_perf_losses losses = td_perf_lost(perf);
    return losses.records + losses.pauses + losses.damaged;
}

/* A message at the time when records were lost. `all`: also right after another one, at the end. */
static int put_lost_message(struct td_encoder *encoder, const struct td_perf *perf, int64_t now_ms, bool all)
{
    char text[160];
    const uint64_t lost = lost_now(perf);
    if (lost == sent.told || (!all && now_ms - sent.told_ms < LOST_MS))
        return 0;
    snprintf(text, sizeof text, "%llu samples and context switches were lost here: the system is too busy",
             (unsigned long long)(lost - sent.told));
    sent.told = lost;
    sent.told_ms = now_ms;
    return td_records_put_message(encoder, atomic_load(&collect.thread), text);
}

int td_collect_send(struct td_encoder *encoder, int64_t now_ms, bool all)
{
    struct td_perf *perf = atomic_load(&collect.perf);
    struct td_perf_record record;
    int count = 0, failed = td_power_send(&sent.power, encoder, now_ms);
    encoder->thread_names = &names;
    if (!failed && !sent.has_reported && atomic_load(&collect.has_report)) {
        sent.has_reported = true;
        failed = put_report(encoder);
    }
    if (failed || !perf)
        return failed;
    if (all || now_ms >= collect.next_ms)
        gather(perf, now_ms);
    if (all)
        td_perf_count_lost(perf);
    while (!failed && (all || count < TURN) && td_perf_next(perf, &record, all)) {
        failed = td_records_put(encoder, &record);
        count++;
    }
    if (!failed)
        failed = put_lost_message(encoder, perf, now_ms, all);
    return failed ? failed : count;
}

static int put_cut_stacks(struct td_encoder *encoder)
{
    char text[160];
    uint64_t of;
    const uint64_t cut = td_callers_take_cut(&of);
    snprintf(text, sizeof text,
             TD_NOTE_CLIENT_SAMPLES
             ": callers are missing in %llu of %llu call stacks: their inner functions have "
             "no frame pointers",
             (unsigned long long)cut, (unsigned long long)of);
    return cut ? td_encode_app_info(encoder, text) : 0;
}

int td_collect_session_ends(struct td_encoder *encoder)
{
    char text[200];
    const int64_t now_ms = td_mono_ms();
    td_collect_stop();
    const struct td_perf *perf = atomic_load(&collect.perf);
    int failed = td_collect_send(encoder, now_ms, true);
    failed = failed < 0 || !perf ? failed : put_cut_stacks(encoder);
    if (failed < 0 || !perf)
        return failed < 0 ? failed : 0;
    const struct td_perf_losses losses = td_perf_lost(perf);
    td_debug(collect, "lost: %llu records, %llu damaged, %llu pauses", (unsigned long long)losses.records,
             (unsigned long long)losses.damaged, (unsigned long long)losses.pauses);
    snprintf(text, sizeof text,
             TD_NOTE_CLIENT_LOST
             ": %llu samples and context switches; sampling was paused by the system %llu "
             "times "
             "(lower TRACY_SAMPLING_HZ)",
             (unsigned long long)(losses.records + losses.damaged), (unsigned long long)losses.pauses);
    return lost_now(perf) ? td_encode_app_info(encoder, text) : 0;
}
