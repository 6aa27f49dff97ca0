/* Operations of a recording, as they end: a recorder's follower that calls back for each. */
#pragma once
#include "host/agent/recorder.h"
#include "host/report/ops/op_follow.h"

#include <stdio.h>

/* `follow` is initialised, and outlives the recording. After td_recorder_run(), call td_op_follow_finish()
 * and td_op_follow_free(), before the trace is destroyed. */
static inline void td_recorder_on_op(struct td_recorder_options *options, struct td_op_follow *follow)
{
    td_recorder_follow(options, (struct td_recorder_follower){follow, td_op_follow_begin, td_op_follow_end});
}

/* Connects to a program or a served recording at HOST:PORT and prints each of its operations as it ends,
 * until the session ends or the user presses Ctrl-C. 0 or a negative enum td_e. */
int on_op_print_all(const char *address, bool json, struct td_err *err);

/* record --report DIR: operations.jsonl gets a line for each operation as it ends; the report is made when
 * the recording has ended. All zero: not asked for. */
struct op_report {
    const char *folder; /* the option's value */
    FILE *lines;
    struct td_op_follow follow;
};
/* clang-format off */
#define OP_REPORT_OPTION(r)                                                                                  \
    {0, "report", TD_OPT_STRING, &(r).folder, "DIR",                                                         \
     "write reports of operations there, and operations.jsonl while it records", NULL, 0, 0}
/* clang-format on */
int op_report_begin(struct op_report *report, struct td_recorder_options *options, struct td_err *err);
/* `trace` is finished; NULL: there is none. Prints a line unless `quiet`. */
int op_report_end(struct op_report *report, const struct td_trace *trace, bool quiet, struct td_err *err);
