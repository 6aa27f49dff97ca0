/* What profiling has cost the cores. */
#ifndef TD_HOST_QUERY_ROWS_BILL_TABLE_H
#define TD_HOST_QUERY_ROWS_BILL_TABLE_H
#include "host/query/table/tables.h"
#include "proto/bill_text.h"

/* All rows together. */
struct td_bill td_bill_sum(const struct td_query_rows *rows);
#endif
