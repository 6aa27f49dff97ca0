/* The model's own tables (host/trace/tables.h) as tables. */
#pragma once
#include "host/query/table/query_table.h"
#include "host/trace/tables.h"

/* By enum td_table. Names of tables and columns are in capital letters here; forms write small ones. */
extern const struct td_query_table td_model_tables[TD_TABLE_COUNT];
