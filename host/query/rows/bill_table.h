/* What profiling has cost the cores. */
#pragma once
#include "host/query/table/tables.h"
#include "proto/bill_text.h"

/* All rows together. */
struct td_bill td_bill_sum(const struct td_query_rows *rows);
