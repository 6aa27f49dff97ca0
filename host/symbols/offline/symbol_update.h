/* Symbols of call stack frames from the images on this machine, for `tendril update`. */
#pragma once
#include "host/base/options.h"
#include "host/trace/trace.h"

#include <stdio.h>

struct td_symbol_update {
    int resolve;                  /* resolve frames that clients left to tools, or without function or file */
    int reset;                    /* reset all frames to unresolved; with `resolve`: resolve all anew */
    int verbose;                  /* print each resolved frame */
    struct td_words paths;        /* "REGEX;REPLACEMENT" */
    const char *tool, *arguments; /* the program to ask, and additional arguments for it; NULL: none */
    FILE *out;                    /* gets a line for each image; NULL: none */
};

/* Checks paths and tool: 0 or TD_E_USAGE. */
int td_symbol_update_check(const struct td_symbol_update *update, struct td_err *err);
/* Frames that cannot be resolved stay as they are; standard error gets one line for each such image. 0 or a
 * negative enum td_e. */
int td_symbol_update_run(struct td_trace *trace, const struct td_symbol_update *update, struct td_err *err);
