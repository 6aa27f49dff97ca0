/* The values of a row of a report of operations (section "Columns" of docs/report.md). */
#pragma once
#include "host/report/tt/columns.h"
#include "host/report/tt/rows.h"

/* Sets the values of the row; texts are in the arena or those of the host. 0, or TD_E_NOMEM. */
int td_report_values(const struct td_report_rows *rows, const struct td_report_row *row,
                     struct td_columns *columns, struct td_row_values *values, struct td_text_arena *arena);
/* A time of the device's clock as cycles. */
int64_t td_report_cycle(const struct td_op_clock *clock, const struct td_chip_clock *chip, int64_t time);
