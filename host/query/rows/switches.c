#include "host/query/rows/switches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAKER_LOOKS 65536 /* rows of each thread in an update */

static bool is_other(const void *self, uint64_t thread)
{
    return td_switches_runner(self, thread) == TD_RUNNER_OTHER;
}

/* ---- reading ---- */

static int read_tracks(struct td_switches *s)
{
    const struct td_dict *dict = td_trace_dict(s->trace);
    const uint32_t tracks = td_dict_track_count(dict);
    uint32_t *of_track = realloc(s->of_track, ((size_t)tracks + 1) * sizeof *of_track);
    if (!of_track)
        return TD_E_NOMEM;
    memset(of_track, 0, ((size_t)tracks + 1) * sizeof *of_track);
    s->of_track = of_track;
    for (uint32_t t = s->track_count; t < tracks; t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        if (track->kind == TD_TRACK_THREAD && !track->context &&
            td_map_add(&s->tracks, td_mix64(track->thread), t) < 0)
            return TD_E_NOMEM;
    }
    s->track_count = tracks;
    return 0;
}

static int read_names(struct td_switches *s)
{
    const struct td_series *of = td_trace_table(s->trace, TD_TABLE_THREAD_PROCESS),
                           *names = td_trace_table(s->trace, TD_TABLE_FOREIGN_THREAD);
    int rc = 0;
    for (uint64_t i = 0; rc >= 0 && i < td_series_count(of); i++)
        rc = td_map_set(&s->owner, td_mix64((uint64_t)td_series_get(of, i, TD_THREAD_PROCESS_THREAD)),
                        (uint32_t)i);
    for (uint64_t i = 0; rc >= 0 && i < td_series_count(names); i++)
        rc = td_map_set(&s->foreign, td_mix64((uint64_t)td_series_get(names, i, TD_FOREIGN_THREAD_THREAD)),
                        (uint32_t)i);
    return rc < 0 ? rc : 0;
}

/* The rows of the threads; what was counted of them stays. */
static int read_threads(struct td_switches *s)
{
    const struct td_series *table = td_trace_table(s->trace, TD_TABLE_SWITCH_THREAD);
    const uint64_t count = td_series_count(table);
    struct td_busy *threads = realloc(s->threads, ((size_t)count + 1) * sizeof *threads);
    if (!threads)
        return TD_E_NOMEM;
    s->threads = threads;
    uint64_t *looked = realloc(s->looked, ((size_t)count + 1) * sizeof *looked);
    if (!looked)
        return TD_E_NOMEM;
    s->looked = looked;
    for (; s->thread_count < count; s->thread_count++) {
        threads[s->thread_count] =
            (struct td_busy){.start = TD_SWITCH_START, .end = TD_SWITCH_END, .thread = TD_SWITCH_CPU};
        looked[s->thread_count] = 0;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t thread = (uint64_t)td_series_get(table, i, TD_SWITCH_THREAD_THREAD);
        const uint32_t track = td_switches_track(s, thread);
        if (track != UINT32_MAX && td_dict_get_track(td_trace_dict(s->trace), track)->fiber)
            continue;
        if (track != UINT32_MAX)
            s->of_track[track] = (uint32_t)i + 1;
        threads[i].rows = td_trace_list(s->trace, TD_TABLE_SWITCH, i);
    }
    return 0;
}

static int read_cpus(struct td_switches *s)
{
    const uint64_t lists = td_trace_lists(s->trace, TD_TABLE_CPU_SWITCH);
    const uint32_t count = lists < 256 ? (uint32_t)lists : 256;
    struct td_busy *cpus = realloc(s->cpus, ((size_t)count + 1) * sizeof *cpus);
    if (!cpus)
        return TD_E_NOMEM;
    s->cpus = cpus;
    for (; s->cpu_count < count; s->cpu_count++)
        cpus[s->cpu_count] = (struct td_busy){.start = TD_CPU_SWITCH_START,
                                              .end = TD_CPU_SWITCH_END,
                                              .thread = TD_CPU_SWITCH_THREAD,
                                              .is_other = is_other,
                                              .self = s};
    for (uint32_t i = 0; i < count; i++)
        cpus[i].rows = td_trace_list(s->trace, TD_TABLE_CPU_SWITCH, i);
    return 0;
}

/* Looks at rows of each thread that are new, at some of many. */
static void look_for_wakers(struct td_switches *s)
{
    for (uint64_t i = 0; !s->knows_wakers && i < s->thread_count; i++) {
        const struct td_series *rows = s->threads[i].rows;
        const uint64_t count = rows ? td_series_count(rows) : 0, from = s->looked[i],
                       end = count > from + WAKER_LOOKS ? from + WAKER_LOOKS : count;
        for (uint64_t r = from; r < end; r++)
            s->knows_wakers |=
                td_series_get(rows, r, TD_SWITCH_WAKEUP_CPU) != td_series_get(rows, r, TD_SWITCH_CPU) &&
                td_series_get(rows, r, TD_SWITCH_WAKEUP) < td_series_get(rows, r, TD_SWITCH_START);
        s->looked[i] = end ? end - 1 : 0; /* the last row may still change */
    }
}

/* Counts at most `most` rows. 1: there are more; 0; TD_E_NOMEM. */
static int count_rows(struct td_switches *s, uint64_t most)
{
    int rc = 0, more = 0;
    for (uint64_t i = 0; rc >= 0 && i < s->thread_count; i++) {
        rc = s->threads[i].rows ? td_busy_update(&s->threads[i], &most) : 0;
        more |= rc;
    }
    for (uint32_t i = 0; rc >= 0 && i < s->cpu_count; i++) {
        rc = td_busy_update(&s->cpus[i], &most);
        more |= rc;
    }
    return rc < 0 ? rc : more;
}

void td_switches_init(struct td_switches *s)
{
    pthread_rwlockattr_t as;
    *s = (struct td_switches){.trace = NULL};
    pthread_rwlockattr_init(&as);
    /* An update, which a picture waits for, comes before all that has not begun. */
    pthread_rwlockattr_setkind_np(&as, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&s->lock, &as);
    pthread_rwlockattr_destroy(&as);
}

void td_switches_hold(struct td_switches *s)
{
    pthread_rwlock_rdlock(&s->lock);
}

bool td_switches_try_hold(struct td_switches *s)
{
    return pthread_rwlock_tryrdlock(&s->lock) == 0;
}

void td_switches_release(struct td_switches *s)
{
    pthread_rwlock_unlock(&s->lock);
}

int td_switches_update(struct td_switches *s, const struct td_trace *trace, uint64_t most)
{
    pthread_rwlock_wrlock(&s->lock);
    s->trace = trace;
    int rc = read_tracks(s);
    rc = rc ? rc : read_names(s);
    rc = rc ? rc : read_threads(s);
    rc = rc ? rc : read_cpus(s);
    if (!rc)
        look_for_wakers(s);
    rc = rc ? rc : count_rows(s, most);
    pthread_rwlock_unlock(&s->lock);
    return rc;
}

int td_switches_count(struct td_switches *s)
{
    pthread_rwlock_wrlock(&s->lock);
    const int rc = count_rows(s, UINT64_MAX);
    pthread_rwlock_unlock(&s->lock);
    return rc;
}

static void free_rows(struct td_switches *s)
{
    for (uint64_t i = 0; i < s->thread_count; i++)
        td_busy_free(&s->threads[i]);
    for (uint32_t i = 0; i < s->cpu_count; i++)
        td_busy_free(&s->cpus[i]);
    free(s->threads);
    free(s->looked);
    free(s->cpus);
    free(s->of_track);
    td_map_finish(&s->tracks);
    td_map_finish(&s->owner);
    td_map_finish(&s->foreign);
}

void td_switches_forget(struct td_switches *s)
{
    pthread_rwlock_wrlock(&s->lock);
    free_rows(s);
    s->threads = s->cpus = NULL;
    s->of_track = NULL;
    s->looked = NULL;
    s->thread_count = 0;
    s->track_count = s->cpu_count = 0;
    s->knows_wakers = false;
    pthread_rwlock_unlock(&s->lock);
}

void td_switches_free(struct td_switches *s)
{
    free_rows(s);
    pthread_rwlock_destroy(&s->lock);
}

/* ---- questions ---- */

const struct td_busy *td_switches_of(const struct td_switches *s, uint32_t track)
{
    if (track >= s->track_count || !s->of_track[track])
        return NULL;
    const struct td_busy *b = &s->threads[s->of_track[track] - 1];
    return b->rows && td_series_count(b->rows) ? b : NULL;
}

const struct td_busy *td_switches_cpu(const struct td_switches *s, uint32_t cpu)
{
    return cpu < s->cpu_count && td_series_count(s->cpus[cpu].rows) ? &s->cpus[cpu] : NULL;
}

uint32_t td_switches_track(const struct td_switches *s, uint64_t thread)
{
    return td_map_get(&s->tracks, td_mix64(thread), UINT32_MAX);
}

enum td_runner td_switches_runner(const struct td_switches *s, uint64_t thread)
{
    if (td_switches_track(s, thread) != UINT32_MAX)
        return TD_RUNNER_TRACK;
    const uint64_t pid = td_trace_get_info(s->trace)->pid;
    return pid && td_switches_process(s, thread) == pid ? TD_RUNNER_OWN : TD_RUNNER_OTHER;
}

uint64_t td_switches_process(const struct td_switches *s, uint64_t thread)
{
    const uint32_t row = td_map_get(&s->owner, td_mix64(thread), UINT32_MAX);
    const struct td_series *of = td_trace_table(s->trace, TD_TABLE_THREAD_PROCESS);
    if (row < td_series_count(of))
        return (uint64_t)td_series_get(of, row, TD_THREAD_PROCESS_PROCESS);
    return td_switches_track(s, thread) == UINT32_MAX ? 0 : td_trace_get_info(s->trace)->pid;
}

static const char *foreign_text(const struct td_switches *s, uint64_t thread, unsigned column)
{
    const uint32_t row = td_map_get(&s->foreign, td_mix64(thread), UINT32_MAX);
    const struct td_series *names = td_trace_table(s->trace, TD_TABLE_FOREIGN_THREAD);
    return row < td_series_count(names)
               ? td_dict_text(td_trace_dict(s->trace), (uint32_t)td_series_get(names, row, column))
               : "";
}

const char *td_switches_thread_name(const struct td_switches *s, uint64_t thread)
{
    const struct td_dict *dict = td_trace_dict(s->trace);
    const uint32_t track = td_switches_track(s, thread);
    const char *name = track == UINT32_MAX ? "" : td_dict_text(dict, td_dict_get_track(dict, track)->name);
    return *name ? name : foreign_text(s, thread, TD_FOREIGN_THREAD_NAME);
}

const char *td_switches_program(const struct td_switches *s, uint64_t thread)
{
    const char *program = td_trace_get_info(s->trace)->program;
    if (td_switches_runner(s, thread) != TD_RUNNER_OTHER)
        return program ? program : "";
    return foreign_text(s, thread, TD_FOREIGN_THREAD_PROCESS);
}

/* The count of rows: the processor is not known. */
static uint64_t topology_row(const struct td_series *topology, int64_t cpu)
{
    uint64_t row = 0;
    while (row < td_series_count(topology) && td_series_get(topology, row, TD_TOPOLOGY_CPU) != cpu)
        row++;
    return row;
}

void td_switches_cpu_name(const struct td_trace *trace, uint32_t cpu, char *text, size_t bytes)
{
    const struct td_series *topology = td_trace_table(trace, TD_TABLE_TOPOLOGY);
    const uint64_t row = topology_row(topology, cpu);
    if (row < td_series_count(topology))
        snprintf(text, bytes, "[%" PRId64 ":%" PRId64 "] CPU %" PRIu32,
                 td_series_get(topology, row, TD_TOPOLOGY_PACKAGE),
                 td_series_get(topology, row, TD_TOPOLOGY_CORE), cpu);
    else
        snprintf(text, bytes, "CPU %" PRIu32, cpu);
}

const char *td_switches_distance(const struct td_trace *trace, int64_t from_cpu, int64_t to_cpu)
{
    const struct td_series *topology = td_trace_table(trace, TD_TABLE_TOPOLOGY);
    const uint64_t from = topology_row(topology, from_cpu), to = topology_row(topology, to_cpu),
                   count = td_series_count(topology);
    if (from >= count || to >= count)
        return "";
    if (td_series_get(topology, from, TD_TOPOLOGY_PACKAGE) !=
        td_series_get(topology, to, TD_TOPOLOGY_PACKAGE))
        return ", other package";
    /* Numbers of cores are those of their die. */
    return td_series_get(topology, from, TD_TOPOLOGY_DIE) != td_series_get(topology, to, TD_TOPOLOGY_DIE) ||
                   td_series_get(topology, from, TD_TOPOLOGY_CORE) !=
                       td_series_get(topology, to, TD_TOPOLOGY_CORE)
               ? ", other core"
               : "";
}

/* ---- reasons ---- */

#define LINUX_STATES 101

const char *td_switch_reason(int64_t reason, int64_t state)
{
    static const char *const states[] = {
        "waits for a device (D)",    "idle (I)",   "could run (R)", "sleeps (S)", "stopped (T)",
        "stopped by a debugger (t)", "paging (W)", "dead (X)",      "ended (Z)",  "parked (P)"};
    static const char *const reasons[] = {"Executive",
                                          "FreePage",
                                          "PageIn",
                                          "PoolAllocation",
                                          "DelayExecution",
                                          "Suspended",
                                          "UserRequest",
                                          "WrExecutive",
                                          "WrFreePage",
                                          "WrPageIn",
                                          "WrPoolAllocation",
                                          "WrDelayExecution",
                                          "WrSuspended",
                                          "WrUserRequest",
                                          "WrEventPair",
                                          "WrQueue",
                                          "WrLpcReceive",
                                          "WrLpcReply",
                                          "WrVirtualMemory",
                                          "WrPageOut",
                                          "WrRendezvous",
                                          "WrKeyedEvent",
                                          "WrTerminated",
                                          "WrProcessInSwap",
                                          "WrCpuRateControl",
                                          "WrCalloutStack",
                                          "WrKernel",
                                          "WrResource",
                                          "WrPushLock",
                                          "WrMutex",
                                          "WrQuantumEnd",
                                          "WrDispatchInt",
                                          "WrPreempted",
                                          "WrYieldExecution",
                                          "WrFastMutex",
                                          "WrGuardedMutex",
                                          "WrRundown",
                                          "WrAlertByThreadId",
                                          "WrDeferredPreempt",
                                          "WrPhysicalFault",
                                          "WrIoRing",
                                          "WrMdlCache",
                                          "WrRcu"};
    const int64_t linux = state - LINUX_STATES;
    if (linux >= 0 && linux < (int64_t)(sizeof states / sizeof *states))
        return states[linux];
    if (reason >= 0 && reason < (int64_t)(sizeof reasons / sizeof *reasons))
        return reasons[reason];
    return reason == -2 ? "woken" : "not known";
}
