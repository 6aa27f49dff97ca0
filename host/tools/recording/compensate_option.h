/* --compensate: statistics without the cost of kernels' markers. For commands that print tables of zones. */
#pragma once
#include "host/base/options.h"
#include "host/trace/compensate.h"

/* Entry for a command's table of options; `to` is the address of its int. */
#define COMPENSATE_OPTION(to)                                                                                \
    {                                                                                                        \
        0, "compensate", TD_OPT_FLAG, to, NULL,                                                              \
            "lengths of kernels' zones without the cost of the markers inside them", NULL, 0, 0              \
    }

/* Replaces a loaded trace by its compensated copy. 0 or a negative enum td_e; then *trace is as it was. */
static inline int compensate_loaded(struct td_trace **trace, uint64_t memory_bytes, struct td_err *err)
{
    struct td_trace *copy = td_trace_compensate(*trace, memory_bytes, err);
    if (!copy)
        return err->code;
    td_trace_destroy(*trace);
    *trace = copy;
    return 0;
}
