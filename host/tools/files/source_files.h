/* Puts the text of source files into a trace, for viewers on other machines. */
#pragma once
#include "host/base/source_file.h"
#include "host/base/options.h"
#include "host/trace/trace.h"

/* Entries of a command's table of options; `folders` is its struct td_words, `none` its int. */
/* clang-format off */
#define SOURCE_FILES_OPTIONS(folders, none)                                                                  \
    {0, "sources", TD_OPT_WORDS, &(folders), "DIR",                                                          \
     "store source files of this machine only from DIR; may be repeated", NULL, 0, 0},                       \
    {0, "no-sources", TD_OPT_FLAG, &(none), NULL, "store no source files", NULL, 0, 0}
/* clang-format on */

/* 0, or TD_E_USAGE: both are given. */
int source_files_check(const struct td_words *folders, int none, struct td_err *err);
/* Adds the files that source locations and symbols name, unless the trace has them already. They must be
 * older than the program (or the capture, if the program's time is unknown), and td_source_file_read() must
 * accept them. 0, or TD_E_NOMEM. */
int td_source_files(struct td_trace *trace, const struct td_source_rules *rules, struct td_err *err);
