#include "host/report/ops/op.h"

#include <math.h>
#include <string.h>

enum td_op_risc td_op_risc_find(const char *name)
{
    static const char *const log_names[] = {
#define TD_X(risc, log_name) log_name,
        TD_OP_RISCS(TD_X)
#undef TD_X
    };
    static const char *const names[] = {
#define TD_X(risc, log_name) #risc,
        TD_OP_RISCS(TD_X)
#undef TD_X
    };
    for (unsigned i = 0; i < TD_OP_OTHER_RISC; i++)
        if (!strcmp(name, log_names[i]) || !strcmp(name, names[i]))
            return (enum td_op_risc)i;
    return TD_OP_OTHER_RISC;
}

double td_op_ns(const struct td_op_clock *clock, int64_t length)
{
    return clock->cycles && clock->mhz > 0 ? (double)length * 1000 / clock->mhz : (double)length;
}

int64_t td_op_cycles(const struct td_op_clock *clock, int64_t time)
{
    if (clock->cycles || !(clock->mhz > 0))
        return time;
    /* Whole milliseconds apart: a double does not hold the cycles of a long time. */
    const int64_t ms = time / 1000000;
    const double rest = (double)(time % 1000000) * clock->mhz / 1000;
    const double whole = (double)ms * (clock->mhz * 1000);
    const double cycles = whole + rest;
    return cycles >= 9e18 ? INT64_MAX : cycles <= -9e18 ? -INT64_MAX : (int64_t)llround(cycles);
}
