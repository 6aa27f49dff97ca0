#include "host/tools/export/export_tables.h"

#include <stdio.h>
#include <string.h>

static int export_table(struct td_sql *sql, const struct export_work *work, const struct export_table *table,
                        const struct export_tables *to, struct td_err *err)
{
    char text[120];
    struct td_sql_sink sink;
    snprintf(text, sizeof text, "SELECT * FROM \"%s\"", table->name);
    const struct td_sql_question question = {.text = text, .progress = work->progress};
    int rc = to->open(to->self, table, &sink, err);
    rc = rc ? rc : td_sql_run(sql, &question, &sink, NULL, err);
    return to->close(to->self, rc, err);
}

int export_each_table(const struct export_work *work, const struct export_tables *to, struct td_err *err)
{
    struct td_sql *sql = td_sql_open(0, err);
    int rc = sql ? td_sql_add(sql, NULL, work->trace, err) : err->code;
    for (size_t t = 0; rc == 0 && t < td_sql_tables(sql); t++) {
        const struct td_query_table *described;
        struct export_table table;
        table.name = td_sql_table(sql, t, &table.columns, &table.count, &described);
        if (strcmp(table.name, described->name) != 0)
            continue; /* of the model: its rows are in the others */
        rc = export_table(sql, work, &table, to, err);
        td_sql_forget(sql);
    }
    td_sql_close(sql);
    return rc;
}
