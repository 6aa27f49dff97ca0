#include "host/query/flows/wakes.h"

#define COULD_RUN 103 /* enum of SWITCH_STATE: preempted, or given up */
#define YIELDS                                                                                               \
    33 /* of SWITCH_REASON on Windows: WrYieldExecution; before it the quantum's end and preemption */
#define QUANTUM_ENDS 30

const char *td_waker_word(enum td_waker_how how)
{
    static const char *const words[] = {
#define TD_X(id, word) word,
        TD_WAKER_HOW(TD_X)
#undef TD_X
    };
    return words[how];
}

uint64_t td_wake_run_on(const struct td_switches *s, uint32_t cpu, int64_t time_ns)
{
    const struct td_busy *busy = td_switches_cpu(s, cpu);
    const uint64_t row = busy ? td_busy_at(busy, time_ns) : 0;
    return busy && row < td_series_count(busy->rows) && td_series_get(busy->rows, row, busy->start) <= time_ns
               ? row
               : UINT64_MAX;
}

/* 0: no thread. */
static uint64_t thread_on(const struct td_switches *s, uint32_t cpu, int64_t time_ns)
{
    const uint64_t row = td_wake_run_on(s, cpu, time_ns);
    return row == UINT64_MAX
               ? 0
               : (uint64_t)td_series_get(td_switches_cpu(s, cpu)->rows, row, TD_CPU_SWITCH_THREAD);
}

/* The processors of wakeups are not known. */
static void guess_waker(const struct td_switches *s, struct td_wake *wake)
{
    uint32_t own = 0, ran = 0;
    for (uint32_t c = 0; c < s->cpu_count; c++) {
        const uint64_t thread = thread_on(s, c, wake->woken_ns);
        const bool other = thread && thread != wake->thread;
        ran += other;
        if (!other || td_switches_runner(s, thread) == TD_RUNNER_OTHER)
            continue;
        own++;
        wake->waker = thread;
        wake->cpu = (uint8_t)c;
    }
    wake->how = own == 1 ? TD_WAKER_LIKELY : own || ran ? TD_WAKER_UNKNOWN : TD_WAKER_DEVICE;
    wake->waker = own == 1 ? wake->waker : 0;
}

static bool could_run(const struct td_busy *runs, uint64_t row)
{
    const int64_t reason = td_series_get(runs->rows, row, TD_SWITCH_REASON);
    return td_series_get(runs->rows, row, TD_SWITCH_STATE) == COULD_RUN ||
           (reason >= QUANTUM_ENDS && reason <= YIELDS);
}

bool td_wake_of(const struct td_switches *s, uint64_t thread, const struct td_busy *runs, uint64_t row,
                struct td_wake *wake)
{
    const int64_t started = td_series_get(runs->rows, row, TD_SWITCH_START),
                  woken = td_series_get(runs->rows, row, TD_SWITCH_WAKEUP);
    if (!row || td_series_get(runs->rows, row, TD_SWITCH_REASON) == -2 || woken == TD_UNKNOWN_NS ||
        woken > started)
        return false;
    const int64_t stopped = td_series_get(runs->rows, row - 1, TD_SWITCH_END);
    *wake = (struct td_wake){.thread = thread,
                             .stopped_ns = stopped,
                             .woken_ns = woken > stopped ? woken : stopped,
                             .started_ns = started,
                             .cpu = (uint8_t)td_series_get(runs->rows, row, TD_SWITCH_WAKEUP_CPU),
                             .how = TD_WAKER_THREAD};
    if (stopped == TD_UNKNOWN_NS || stopped > started || could_run(runs, row - 1))
        return false;
    if (woken == started) { /* no wakeup was recorded */
        wake->how = TD_WAKER_UNKNOWN;
        return true;
    }
    if (!s->knows_wakers) {
        guess_waker(s, wake);
        return true;
    }
    wake->waker = thread_on(s, wake->cpu, woken);
    if (!wake->waker || wake->waker == thread) {
        wake->waker = 0;
        wake->how = TD_WAKER_DEVICE;
    }
    return true;
}
