/* The tables of a trace (docs/query-tables.md), one after the other. */
#pragma once
#include "host/query/sql/sql.h"
#include "host/tools/export/export.h"

struct export_table {
    const char *name;
    const struct td_sql_column *columns;
    size_t count;
    const struct td_query_table *described;
    struct td_sql *sql;
};

/* Calls write() for each table that work->tables chooses, until one returns a negative enum td_e. TD_E_USAGE: it chooses
 * one that does not exist. */
int export_each_table(const struct export_work *work,
                      int (*write)(void *self, const struct export_table *table, struct td_err *err),
                      void *self, struct td_err *err);
/* Passes all rows to the sink. */
int export_table_rows(const struct export_work *work, const struct export_table *table,
                      const struct td_sql_sink *sink, struct td_err *err);
