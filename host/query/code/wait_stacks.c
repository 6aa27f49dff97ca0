#include "host/query/code/wait_stacks.h"
#include "host/base/compare.h"
#include "host/base/wrap.h"
#include "host/trace/tables.h"

#include <stdlib.h>

struct maker {
    const struct td_trace *trace;
    struct td_wait_stacks *waits;
    struct td_wait_stack *by_stack; /* `stacks` elements */
    size_t stacks;
    uint32_t track; /* whose switches are in `switches` */
    const struct td_series *switches;
};

/* The switches of a track's thread; an empty series if there are none. */
static const struct td_series *find_switches(const struct td_trace *trace, uint32_t track)
{
    const struct td_series *threads = td_trace_table(trace, TD_TABLE_SWITCH_THREAD);
    const uint64_t thread = td_dict_get_track(td_trace_dict(trace), track)->thread;
    for (uint64_t i = 0; i < td_series_count(threads); i++)
        if ((uint64_t)td_series_get(threads, i, TD_SWITCH_THREAD_THREAD) == thread)
            return td_trace_list(trace, TD_TABLE_SWITCH, i);
    return td_trace_list(trace, TD_TABLE_SWITCH, UINT64_MAX);
}

/* The wait that belongs to a sample: from the end of one run to the start of the next. Linux takes the stack when
 * the thread stops, other systems when it runs again. False: the length is not known. */
static bool find_wait(const struct td_series *switches, int64_t time_ns, int64_t *wait_ns, int64_t *woken_ns)
{
    const uint64_t count = td_series_count(switches),
                   after = td_series_after(switches, TD_SWITCH_START, time_ns);
    if (!time_ns || !after)
        return false;
    uint64_t before = after - 1; /* the run that ends with the wait's begin */
    if (td_series_get(switches, before, TD_SWITCH_START) == time_ns &&
        td_series_get(switches, before, TD_SWITCH_END) != time_ns) {
        if (!before)
            return false;
        before--;
    }
    const int64_t end = td_series_get(switches, before, TD_SWITCH_END);
    if (end < 0 || end > time_ns || before + 1 >= count)
        return false;
    const int64_t start = td_series_get(switches, before + 1, TD_SWITCH_START),
                  wakeup = td_series_get(switches, before + 1, TD_SWITCH_WAKEUP);
    *wait_ns = td_wrap_sub(start, end);
    *woken_ns = wakeup >= end && wakeup <= start ? start - wakeup : 0;
    return *wait_ns >= 0;
}

static int add_waits(void *self, uint32_t track, const int64_t *times, const int64_t *stacks, size_t count)
{
    struct maker *m = self;
    if (track != m->track) {
        m->track = track;
        m->switches = find_switches(m->trace, track);
    }
    for (size_t i = 0; i < count; i++) {
        int64_t wait_ns, woken_ns;
        if ((uint64_t)stacks[i] >= m->stacks)
            continue;
        struct td_wait_stack *wait = &m->by_stack[stacks[i]];
        wait->count++;
        m->waits->waits++;
        m->waits->counts.at[stacks[i]]++;
        if (!find_wait(m->switches, times[i], &wait_ns, &woken_ns))
            continue;
        wait->timed++;
        wait->total_ns = td_wrap_add(wait->total_ns, wait_ns);
        wait->woken_ns = td_wrap_add(wait->woken_ns, woken_ns);
        wait->max_ns = wait->max_ns > wait_ns ? wait->max_ns : wait_ns;
        m->waits->timed++;
        m->waits->total_ns = td_wrap_add(m->waits->total_ns, wait_ns);
        m->waits->times_ns.at[stacks[i]] += (uint64_t)wait_ns;
    }
    return 0;
}

TD_COMPARE(by_time, struct td_wait_stack, TD_DOWN(total_ns) TD_DOWN(count) TD_UP(stack))

int td_wait_stacks_make(const struct td_trace *trace, const struct td_samples_choice *choice,
                        const struct td_progress *progress, struct td_wait_stacks *waits, struct td_err *err)
{
    struct td_samples_choice waiting = *choice;
    waiting.kind = TD_SAMPLES_WAITING;
    const size_t stacks = (size_t)td_series_count(td_trace_table(trace, TD_TABLE_STACK));
    *waits = (struct td_wait_stacks){.counts = {.stacks = stacks}, .times_ns = {.stacks = stacks}};
    struct maker m = {.trace = trace, .waits = waits, .stacks = stacks, .track = UINT32_MAX};
    waits->counts.at = calloc(stacks + 1, sizeof *waits->counts.at);
    waits->times_ns.at = calloc(stacks + 1, sizeof *waits->times_ns.at);
    m.by_stack = calloc(stacks + 1, sizeof *m.by_stack);
    waits->at = m.by_stack;
    if (!waits->counts.at || !waits->times_ns.at || !m.by_stack)
        return td_fail_no_memory(err, "for wait stacks");
    if (td_samples_walk(trace, &waiting, progress, add_waits, &m) < 0)
        return td_fail(err, TD_E_STOPPED, "stopped");
    for (size_t s = 0; s < stacks; s++)
        if (m.by_stack[s].count) {
            m.by_stack[s].stack = (uint32_t)s;
            waits->at[waits->count++] = m.by_stack[s];
        }
    qsort(waits->at, waits->count, sizeof *waits->at, by_time);
    waits->counts.total = waits->waits;
    waits->times_ns.total = (uint64_t)waits->total_ns;
    return 0;
}

void td_wait_stacks_free(struct td_wait_stacks *waits)
{
    free(waits->at);
    td_stack_counts_free(&waits->counts);
    td_stack_counts_free(&waits->times_ns);
    *waits = (struct td_wait_stacks){0};
}
