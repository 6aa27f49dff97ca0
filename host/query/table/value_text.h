/* A value as a short text, for a cell of a list on the screen. */
#pragma once
#include "host/query/table/query_table.h"

/* A text of the trace, or in `room`. "none": it is not known. */
const char *td_query_value_text(const struct td_query_rows *rows, const struct td_query_column *column,
                                const struct td_query_value *value, char room[TD_QUERY_ROOM]);
/* The value of a column of integers; 0: the table has no column of that name, or the row no value. */
int64_t td_query_int(const struct td_query_rows *rows, uint64_t row, const char *key);
