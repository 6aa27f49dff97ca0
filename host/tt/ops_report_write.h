/* Writes ops_perf_results_*.csv and cpp_device_perf_report.csv. Errors are left in the stream (ferror()). */
#pragma once
#include "host/tt/tt_text.h"
#include "proto/tt/ops_report.h"

#include <stdio.h>

/* The names of columns, as of today; the ends of those of tensors, and the ends that they had before. */
extern const char *const td_tt_ops_names[TD_TT_OPS_COLUMN_COUNT],
    *const td_tt_perf_names[TD_TT_PERF_COLUMN_COUNT], *const td_tt_tensor_ends[TD_TT_TENSOR_COLUMN_COUNT][2];
const char *td_tt_ops_column_name(enum td_tt_ops_column column);
const char *td_tt_perf_column_name(enum td_tt_perf_column column);
/* The name of a tensor's column, as since autumn 2025 if `padded`. Returns what snprintf() returns. */
int td_tt_tensor_column_name(char *name, size_t room, bool output, unsigned number,
                             enum td_tt_tensor_column part, bool padded);
/* Writes a line of values (or names). Lines end in CRLF, as those of tt-metal's scripts. */
void td_tt_report_write_line(FILE *to, const struct td_tt_text *values, size_t count);
