/* --rank-output DIR: one trace for each rank of a parallel job. */
#pragma once
#include "host/base/rank.h"
#include "host/trace/trace.h"

struct rank_output {
    const char *dir; /* the option's value, NULL: not given */
    long rank;
    char path[4200];
};

/* Finds the rank, makes the folder (but not its parents), and sets *path to DIR/rank-0003.tracy. Does nothing
 * without the option. */
int rank_output_begin(struct rank_output *output, const char **path, struct td_err *err);
/* Adds the rank to the program's name: "solver rank 3". To be called before the trace is written. */
int rank_output_name(const struct rank_output *output, struct td_trace *trace, struct td_err *err);
/* The same for a given rank. */
int rank_output_add(struct td_trace *trace, long rank, struct td_err *err);
