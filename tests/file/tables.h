/* Comparing the tables of two models. */
#pragma once
#include "host/trace/tables.h"
#include "host/trace/trace.h"

/* Returns the expected value in `b` for a value of `a`. NULL: the same value. */
typedef int64_t (*becomes)(const struct td_trace *a, enum td_table table, unsigned column, const int64_t *row,
                           uint32_t version);

/* NULL: the tables are equal (strings, locations, tracks and bytes by content); else the first difference, in
 * a buffer that the next call overwrites. */
const char *table_difference(const struct td_trace *a, const struct td_trace *b, enum td_table table,
                             becomes become, uint32_t version);
