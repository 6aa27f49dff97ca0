/* The inputs of `tendril import`: files, and the files of tt-metal in folders. */
#pragma once
#include "host/agent/import/tt_import.h"
#include "host/base/err.h"

struct tt_inputs { /* all zero: none */
    char **paths;
    size_t count, capacity;
    size_t left_out; /* NoC traces in folders that have a device log, which has the same events */
};
/* Adds a file, a folder that is a trace (importer.h), or the files of tt-metal in a folder and in its folder `.logs`: clocks, reports, messages
 * (if there are no reports), device logs, NoC traces. A folder without files but clocks: TD_E_NOTFOUND. */
int tt_inputs_add(struct tt_inputs *inputs, const char *path, struct td_err *err);
void tt_inputs_free(struct tt_inputs *inputs);
