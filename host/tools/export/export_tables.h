/* All rows of all tables of a trace (docs/query-tables.md), one table after the other. */
#pragma once
#include "host/query/sql/sql.h"
#include "host/tools/export/export.h"

struct export_table {
    const char *name;
    const struct td_sql_column *columns;
    size_t count;
};

struct export_tables {
    /* Begins a table; *sink gets its rows. */
    int (*open)(void *self, const struct export_table *table, struct td_sql_sink *sink, struct td_err *err);
    /* Ends it, also after errors; returns `rc`, or what went wrong. */
    int (*close)(void *self, int rc, struct td_err *err);
    void *self;
};

int export_each_table(const struct export_work *work, const struct export_tables *to, struct td_err *err);
