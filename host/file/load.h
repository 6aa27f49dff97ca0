/* Loading a trace in a command: the options, the progress bar and the message about a damaged file. */
#pragma once
#include "host/base/options.h"
#include "host/file/file.h"

struct td_load_options { /* all zero: the defaults */
    const char *memory;  /* "512M" */
    int salvage;
    long threads;
    uint64_t memory_bytes; /* in: the limit without `memory`; out: `memory` as a number; 0: no limit */
    uint32_t version;      /* out: of the payload */
};

/* For a command's table of options. */
/* clang-format off */
#define TD_LOAD_OPTIONS(load)                                                                                 \
    {0, "memory", TD_OPT_STRING, &(load)->memory, "SIZE",                                                     \
     "keep about SIZE of the trace in memory (512M, 4G), the rest in a temporary file", NULL, 0, 0},       \
    {0, "salvage", TD_OPT_FLAG, &(load)->salvage, NULL, "read the intact part of a damaged file", NULL, 0, 0},  \
    {0, "threads", TD_OPT_INT, &(load)->threads, "N", "use N threads (default: one for each processor)",       \
     NULL, 1, 1024}
/* clang-format on */

/* Reads a trace or a folder of shards with these options. `options` has the progress and the growth that the
 * caller wants, and gets `salvaged`. The growth of a folder's model is not reported. */
int td_load_with(const char *path, struct td_load_options *load, struct td_file_read_options *options,
                 struct td_trace **trace, struct td_err *err);
/* Reads a trace with these options and a progress bar. If a damaged file was salvaged, prints a line about it
 * to standard error that begins with `command` ("tendril info"). */
int td_load(const char *path, struct td_load_options *load, const char *command, struct td_trace **trace,
            struct td_err *err);
