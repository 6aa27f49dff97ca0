#include "host/agent/import/timeline_internal.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/trace/rows.h"

#include <stdio.h>

#define CPUS         256
#define REASON_NONE  (-1)
#define REASON_STATE 100 /* the state says it */

static const char purpose[] = "for context switches of a trace"; /* of td_fail_no_memory() */

/* Tracy's numbers of the states of Linux. */
static const struct {
    char letter;
    int16_t state;
} states[] = {{'D', 101}, {'I', 102}, {'R', 103}, {'S', 104}, {'T', 105},
              {'t', 106}, {'X', 108}, {'Z', 109}, {'P', 110}};

char td_timeline_linux_state(int64_t prev_state)
{
    static const char letters[] = "SDTtXZPI"; /* by bit */
    for (unsigned bit = 0; bit < sizeof letters - 1; bit++)
        if (prev_state >> bit & 1)
            return letters[bit];
    return 'R';
}

static int add_change(struct td_timeline *timeline, struct td_timeline_change change)
{
    if (timeline->order == UINT32_MAX)
        return TD_E_NOMEM;
    change.order = timeline->order++;
    return TD_APPEND(timeline->changes, timeline->change_count, timeline->change_room, change);
}

int td_timeline_switch(struct td_timeline *timeline, const struct td_timeline_switched *change)
{
    int16_t state = -1;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (states[i].letter == change->state)
            state = states[i].state;
    return add_change(timeline, (struct td_timeline_change){.time_ns = change->time_ns,
                                                            .out = change->out,
                                                            .in = change->in,
                                                            .cpu = change->cpu,
                                                            .state = state});
}

int td_timeline_wakeup(struct td_timeline *timeline, int64_t time_ns, uint32_t cpu, uint32_t thread)
{
    return add_change(
        timeline,
        (struct td_timeline_change){
            .time_ns = time_ns, .out = TD_TIMELINE_NO_THREAD, .in = thread, .cpu = cpu, .wakes = true});
}

/* ---- rows of the model */

struct running { /* what is known of a thread */
    int64_t woken_ns, start_ns, total_ns;
    uint64_t regions, migrations;
    uint32_t list; /* 1 + its row of SWITCH_THREAD; 0: none */
    uint32_t cpu, woken_cpu;
    bool is_running, was_running, is_woken;
};

struct mover {
    struct td_timeline *timeline;
    int64_t zero_ns;
    struct running *threads; /* by owner */
    struct {
        uint32_t thread; /* TD_TIMELINE_NO_THREAD: none */
        int64_t start_ns;
    } cpus[CPUS];
    struct td_err *err;
};

static int push_row(const struct mover *mover, enum td_table table, uint64_t parent, const int64_t *row)
{
    const int64_t added = td_hub_row(mover->timeline->hub, table, parent, row, mover->err);
    return added < 0 ? (int)added : 0;
}

static uint64_t id_of(const struct mover *mover, uint32_t thread)
{
    return td_timeline_thread_id(mover->timeline, &mover->timeline->owners[thread]);
}

/* Names the thread, and makes its list. */
static int see_thread(const struct mover *mover, uint32_t number)
{
    struct td_timeline *timeline = mover->timeline;
    const struct td_track_owner *owner = &timeline->owners[number];
    const struct td_process *process = &timeline->processes[owner->process];
    const int64_t thread[] = {(int64_t)id_of(mover, number)};
    const char *pid = td_dict_text(timeline->keys, process->pid);
    const int64_t list = td_hub_row(timeline->hub, TD_TABLE_SWITCH_THREAD, 0, thread, mover->err);
    if (list < 0)
        return (int)list;
    mover->threads[number].list = 1 + (uint32_t)list;
    const int64_t of[] = {thread[0], (int64_t)strtoull(pid, NULL, 10)};
    const int bad = *pid ? push_row(mover, TD_TABLE_THREAD_PROCESS, 0, of) : 0;
    if (bad || owner->has_tracks)
        return bad;
    char *text = NULL;
    if (asprintf(&text, "TID %s", td_dict_text(timeline->keys, owner->id)) < 0)
        return TD_E_NOMEM;
    const uint32_t tid = td_dict_cstring(timeline->dict, text);
    free(text);
    if (tid == UINT32_MAX || asprintf(&text, "PID %s", *pid ? pid : "not known") < 0)
        return TD_E_NOMEM;
    const uint32_t unnamed = td_dict_cstring(timeline->dict, text);
    free(text);
    const int64_t row[TD_FOREIGN_THREAD_COLUMN_COUNT] = {
        [TD_FOREIGN_THREAD_THREAD] = thread[0],
        [TD_FOREIGN_THREAD_PROCESS] = process->name ? process->name : unnamed,
        [TD_FOREIGN_THREAD_NAME] = owner->name ? owner->name : tid};
    return unnamed == UINT32_MAX ? TD_E_NOMEM : push_row(mover, TD_TABLE_FOREIGN_THREAD, 0, row);
}

/* The time in which the thread ran; end_ns: TD_TIMELINE_OPEN: it runs still. */
static int push_run(const struct mover *mover, uint32_t number, int64_t end_ns, int16_t state)
{
    const struct running *thread = &mover->threads[number];
    const bool open = end_ns == TD_TIMELINE_OPEN;
    const int64_t row[TD_SWITCH_COLUMN_COUNT] = {
        [TD_SWITCH_WAKEUP] = (thread->is_woken ? thread->woken_ns : thread->start_ns) - mover->zero_ns,
        [TD_SWITCH_START] = thread->start_ns - mover->zero_ns,
        [TD_SWITCH_END] = open ? -1 : end_ns - mover->zero_ns,
        [TD_SWITCH_CPU] = thread->cpu,
        [TD_SWITCH_REASON] = state < 0 ? REASON_NONE : REASON_STATE,
        [TD_SWITCH_STATE] = state,
        [TD_SWITCH_WAKEUP_CPU] = thread->is_woken ? thread->woken_cpu : thread->cpu};
    mover->timeline->counts.switches++;
    return push_row(mover, TD_TABLE_SWITCH, thread->list - 1, row);
}

static int stop_thread(const struct mover *mover, uint32_t number, int64_t end_ns, int16_t state)
{
    struct running *thread = &mover->threads[number];
    if (!thread->is_running)
        return 0;
    const int bad = push_run(mover, number, end_ns, state);
    thread->is_running = thread->is_woken = false;
    thread->regions++;
    thread->total_ns = td_wrap_add(thread->total_ns, td_wrap_sub(end_ns, thread->start_ns));
    return bad;
}

/* What ran on the processor has stopped; also if the switch says that another thread has. */
static int stop_cpu(struct mover *mover, uint32_t cpu, int64_t end_ns)
{
    const uint32_t number = cpu < CPUS ? mover->cpus[cpu].thread : TD_TIMELINE_NO_THREAD;
    if (number == TD_TIMELINE_NO_THREAD)
        return 0;
    const bool open = end_ns == TD_TIMELINE_OPEN;
    const int64_t row[TD_CPU_SWITCH_COLUMN_COUNT] = {
        [TD_CPU_SWITCH_START] = mover->cpus[cpu].start_ns - mover->zero_ns,
        [TD_CPU_SWITCH_END] = open ? -1 : end_ns - mover->zero_ns,
        [TD_CPU_SWITCH_THREAD] = (int64_t)id_of(mover, number)};
    mover->cpus[cpu].thread = TD_TIMELINE_NO_THREAD;
    return push_row(mover, TD_TABLE_CPU_SWITCH, cpu, row);
}

static int start_thread(struct mover *mover, const struct td_timeline_change *change)
{
    struct running *thread = &mover->threads[change->in];
    int bad = stop_thread(mover, change->in, change->time_ns, -1); /* its stop is missing */
    thread->migrations += thread->was_running && thread->cpu != change->cpu;
    thread->is_running = thread->was_running = true;
    thread->start_ns = change->time_ns;
    thread->cpu = change->cpu;
    if (change->cpu < CPUS) {
        mover->cpus[change->cpu].thread = change->in;
        mover->cpus[change->cpu].start_ns = change->time_ns;
    }
    return bad;
}

static int take_change(struct mover *mover, const struct td_timeline_change *change)
{
    int bad = 0;
    if (change->in != TD_TIMELINE_NO_THREAD && !mover->threads[change->in].list)
        bad = see_thread(mover, change->in);
    if (change->wakes) {
        struct running *thread = &mover->threads[change->in];
        if (!thread->is_running && !thread->is_woken) {
            thread->is_woken = true;
            thread->woken_ns = change->time_ns;
            thread->woken_cpu = change->cpu;
        }
        return bad;
    }
    const uint32_t ran = change->cpu < CPUS ? mover->cpus[change->cpu].thread : TD_TIMELINE_NO_THREAD;
    bad = bad ? bad : stop_cpu(mover, change->cpu, change->time_ns);
    if (!bad && ran != TD_TIMELINE_NO_THREAD && ran != change->out)
        bad = stop_thread(mover, ran, change->time_ns, -1);
    if (!bad && change->out != TD_TIMELINE_NO_THREAD)
        bad = stop_thread(mover, change->out, change->time_ns, change->state);
    return bad || change->in == TD_TIMELINE_NO_THREAD ? bad : start_thread(mover, change);
}

static int push_rest(struct mover *mover)
{
    int bad = 0;
    for (uint32_t cpu = 0; cpu < CPUS && !bad; cpu++)
        bad = stop_cpu(mover, cpu, TD_TIMELINE_OPEN);
    for (uint32_t i = 0; i < mover->timeline->owner_count && !bad; i++) {
        const struct running *thread = &mover->threads[i];
        if (thread->is_running)
            bad = push_run(mover, i, TD_TIMELINE_OPEN, -1);
        const int64_t total[TD_CPU_TOTAL_COLUMN_COUNT] = {
            [TD_CPU_TOTAL_THREAD] = thread->list ? (int64_t)id_of(mover, i) : 0,
            [TD_CPU_TOTAL_RUNNING_NS] = thread->total_ns,
            [TD_CPU_TOTAL_REGIONS] = (int64_t)thread->regions,
            [TD_CPU_TOTAL_MIGRATIONS] = (int64_t)thread->migrations};
        if (thread->list && !bad)
            bad = push_row(mover, TD_TABLE_CPU_TOTAL, 0, total);
    }
    return bad;
}

TD_COMPARE(compare_changes, struct td_timeline_change, TD_UP(time_ns) TD_UP(order))

int td_timeline_push_switches(struct td_timeline *timeline, int64_t zero_ns, struct td_err *err)
{
    if (!timeline->change_count)
        return 0;
    struct mover *mover = calloc(1, sizeof *mover);
    struct running *threads = calloc(timeline->owner_count + 1, sizeof *threads);
    int bad = mover && threads ? 0 : TD_E_NOMEM;
    if (!bad) {
        *mover = (struct mover){.timeline = timeline, .zero_ns = zero_ns, .threads = threads, .err = err};
        for (unsigned cpu = 0; cpu < CPUS; cpu++)
            mover->cpus[cpu].thread = TD_TIMELINE_NO_THREAD;
        if (timeline->change_count > 1)
            qsort(timeline->changes, timeline->change_count, sizeof *timeline->changes, compare_changes);
    }
    for (size_t i = 0; i < timeline->change_count && !bad; i++)
        bad = take_change(mover, &timeline->changes[i]);
    bad = bad ? bad : push_rest(mover);
    free(mover);
    free(threads);
    return bad == TD_E_NOMEM ? td_fail_no_memory(err, purpose) : bad;
}
