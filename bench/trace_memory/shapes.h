/* Traces of the shapes that programs and boards make, each from numbers that are the same every time. */
#pragma once
#include "host/trace/trace.h"

struct shape {
    const char *name, *what;
    /* About `zones` zones; the model is not finished yet. 0 or a negative enum td_e. */
    int (*fill)(struct td_trace *trace, uint64_t zones, struct td_err *err);
    int extras;   /* 1: zones have texts and colours of their own */
    int recorded; /* 1: zones come as events and wait for the end, so the peak is higher */
};

extern const struct shape shapes[];
extern const unsigned shape_count;
