/* Options that all commands have which collect events: capture and record. */
#ifndef TD_HOST_TOOLS_SHARED_COLLECT_OPTIONS_H
#define TD_HOST_TOOLS_SHARED_COLLECT_OPTIONS_H
#include "host/agent/collection.h"
#include "host/base/options.h"

struct collect_options {
    const char *memory_limit;
    int no_journal;
};

/* Entries for the command's table of options; `o` is its struct collect_options. */
/* clang-format off */
#define COLLECT_OPTIONS(o)                                                                                   \
    {'m', "memory-limit", TD_OPT_STRING, &(o).memory_limit, "LIMIT",                                         \
     "stop and save at this much memory: percent of the machine's, or 600M, 2G", NULL, 0, 0},                             \
    {0, "no-journal", TD_OPT_FLAG, &(o).no_journal, NULL,                                                    \
     "write no journal, from which a killed recording can be recovered", NULL, 0, 0}
/* clang-format on */

/* Checks what the user has given. 0 or TD_E_USAGE. */
int collect_options_parse(const struct collect_options *given, struct td_collection_options *options,
                          struct td_err *err);
#endif
