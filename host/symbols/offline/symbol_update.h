/* Symbols of call stack frames from the images on this machine, for `tendril update`. */
#ifndef TD_HOST_SYMBOLS_OFFLINE_SYMBOL_UPDATE_H
#define TD_HOST_SYMBOLS_OFFLINE_SYMBOL_UPDATE_H
#include "host/base/options.h"
#include "host/trace/trace.h"

#include <stdio.h>

struct td_symbol_update {
    int resolve; /* frames that clients left to tools, and those without a function's or a file's name */
    int reset; /* all frames of images are as clients leave them to tools; with resolve: all are resolved anew
                */
    int verbose;
    struct td_words paths;        /* "REGEX;REPLACEMENT" */
    const char *tool, *arguments; /* a program to ask, and what it gets; NULL: none */
    FILE *out;                    /* what was done, a line an image; NULL: nothing is said of it */
};

/* Whether all that is said can be done: 0 or TD_E_USAGE. */
int td_symbol_update_check(const struct td_symbol_update *update, struct td_err *err);
/* Frames that cannot be resolved stay as they were; standard error tells of them, one line an image. */
int td_symbol_update_run(struct td_trace *trace, const struct td_symbol_update *update, struct td_err *err);
#endif
