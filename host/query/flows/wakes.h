/* Which thread woke which one: from the wakeups among the context switches, and from what each processor ran then.
 *
 * A trace of a client of Tracy 0.12 or later, in a file of 0.11.3 or later, has the processor of each wakeup: the thread
 * that ran there is the waker. Of other traces the waker is likely the only thread of the program that ran elsewhere. */
#pragma once
#include "host/query/rows/switches.h"

#define TD_WAKER_HOW(X)                                                                                      \
    X(THREAD, "thread")   /* it ran on the processor of the wakeup */                                        \
    X(LIKELY, "likely")   /* it was the only thread of the program that ran */                               \
    X(DEVICE, "device")   /* no thread ran there: a timer, or a device */                                    \
    X(UNKNOWN, "unknown") /* several threads of the program ran, or only others */
enum td_waker_how {
#define TD_X(id, word) TD_WAKER_##id,
    TD_WAKER_HOW(TD_X)
#undef TD_X
};
const char *td_waker_word(enum td_waker_how how);

struct td_wake {
    uint64_t thread, waker; /* waker 0: none is known */
    int64_t stopped_ns, woken_ns, started_ns;
    uint8_t cpu, how; /* the waker's processor; enum td_waker_how */
};

/* The wakeup that led to the run `row` of a thread's runs. False: there is none, as the thread could have run since it
 * had stopped, or has not begun to run. */
bool td_wake_of(const struct td_switches *switches, uint64_t thread, const struct td_busy *runs, uint64_t row,
                struct td_wake *wake);
/* The row of the processor's runs that contains the time; UINT64_MAX: it ran nothing. */
uint64_t td_wake_run_on(const struct td_switches *switches, uint32_t cpu, int64_t time_ns);
