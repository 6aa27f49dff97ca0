/* Samples by line of a source file. */
#pragma once
#include "host/query/code/samples.h"

struct td_line_sum {
    uint32_t line;
    uint64_t self;    /* samples in the line's own code */
    uint64_t inlined; /* in functions that are inlined there */
    uint64_t
        called; /* in functions that the line calls; a sample counts once, and for the first that applies */
};
struct td_line_sums { /* by line, ascending */
    struct td_line_sum *at;
    size_t count;
    uint64_t samples;       /* all that were counted, of any file */
    struct td_line_sum all; /* the sums of all lines; `line` is 0 */
};

/* The lines of the file (a string of the trace) that have samples. With `symbol` (a function's address; 0: all)
 * only the code of that function, with what is inlined into it, if the function's own lines are in this file. 0,
 * TD_E_STOPPED or TD_E_NOMEM. */
int td_line_sums_make(const struct td_trace *trace, const struct td_stack_counts *counts, uint32_t file,
                      uint64_t symbol, const struct td_progress *progress, struct td_line_sums *sums,
                      struct td_err *err);
void td_line_sums_free(struct td_line_sums *sums);
const struct td_line_sum *td_line_sums_find(const struct td_line_sums *sums, uint32_t line); /* NULL: none */
