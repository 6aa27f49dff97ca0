/* Writes reports of operations. Errors of the stream are left in it (ferror()). */
#pragma once
#include "host/report/tt/rows.h"

#include <stdio.h>

/* ops_perf_results_*.csv: the columns that tt-metal's script writes. 0 or TD_E_NOMEM. */
int td_ops_csv_write(FILE *to, struct td_report_rows *rows);
/* cpp_device_perf_report.csv: the operations of devices. */
int td_perf_csv_write(FILE *to, const struct td_report_rows *rows);
