/* Merges trace files into one model. */
#pragma once
#include "host/file/load.h"
#include "host/tools/merge/merge_source.h"

struct merge {
    const char *command; /* "tendril merge", for messages */
    struct td_load_options *load;
    struct merge_rule rule;
    struct merge_source *sources;
    size_t count;
    bool quiet; /* no line for each source */
    char notice[240];
};

/* Reads the sources, labels and aligns them, copies them into a new finished model *trace, which the caller
 * destroys. At most one source is in memory at a time, unless all are small. Prints a line for each source.
 * The sources are in another order afterwards. */
int merge_run(struct merge *merge, struct td_trace **trace, struct td_err *err);
