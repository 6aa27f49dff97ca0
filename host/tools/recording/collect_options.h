/* Options that all commands have which collect events: capture and record. */
#pragma once
#include "host/agent/collection.h"
#include "host/base/options.h"

#include <limits.h>

struct collect_options {
    const char *memory_limit, *max_size;
    long max_seconds;
    double keep, after;
    struct td_words triggers;
    int rotate, strict, no_journal;
};

/* Entries for the command's table of options; `o` is its struct collect_options. */
/* clang-format off */
#define COLLECT_OPTIONS(o)                                                                                   \
    {'m', "memory-limit", TD_OPT_STRING, &(o).memory_limit, "LIMIT",                                         \
     "keep no more than this in memory: percent of the machine's, or 600M, 2G", NULL, 0, 0},                \
    {0, "max-size", TD_OPT_STRING, &(o).max_size, "SIZE",                                                    \
     "stop and save when the trace file would reach about SIZE: 600M, 2G", NULL, 0, 0},                      \
    {0, "max-seconds", TD_OPT_INT, &(o).max_seconds, "N", "stop and save after N seconds", NULL, 1, INT_MAX}, \
    {0, "keep", TD_OPT_DOUBLE, &(o).keep, "SECONDS",                                                         \
     "keep only the last SECONDS, before the end or before a --trigger", NULL, 0, 0},                        \
    {0, "trigger", TD_OPT_WORDS, &(o).triggers, "WHAT",                                                      \
     "end and save at the first of: message:TEXT, zone:NAME>5ms, frame>20ms, frame:SET>20ms, fault, crash, " \
     "signal (SIGUSR1); may be repeated", NULL, 0, 0},                                                       \
    {0, "after", TD_OPT_DOUBLE, &(o).after, "SECONDS", "continue for SECONDS after a --trigger", NULL, 0, 0}, \
    {0, "rotate", TD_OPT_FLAG, &(o).rotate, NULL,                                                            \
     "do not end at a --trigger: write FILE-0001, FILE-0002 ..., one at each", NULL, 0, 0},                  \
    {0, "strict", TD_OPT_FLAG, &(o).strict, NULL, "fail (exit code 1) if anything was lost", NULL, 0, 0},                \
    {0, "no-journal", TD_OPT_FLAG, &(o).no_journal, NULL,                                                    \
     "write no journal, from which a killed recording can be recovered", NULL, 0, 0}
/* clang-format on */

/* Checks what the user has given. 0 or TD_E_USAGE. */
int collect_options_parse(const struct collect_options *given, struct td_collection_options *options,
                          struct td_err *err);
