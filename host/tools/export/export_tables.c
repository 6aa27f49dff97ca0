#include "host/tools/export/export_tables.h"
#include "host/base/nearest.h"

#include <stdio.h>
#include <string.h>

int export_table_rows(const struct export_work *work, const struct export_table *table,
                      const struct td_sql_sink *sink, struct td_err *err)
{
    char text[120];
    snprintf(text, sizeof text, "SELECT * FROM \"%s\"", table->name);
    const struct td_sql_question question = {.text = text, .progress = work->progress};
    return td_sql_run(table->sql, &question, sink, NULL, err);
}

static bool is_chosen(const struct export_work *work, const char *name)
{
    for (size_t i = 0; i < work->tables.count; i++)
        if (!strcmp(work->tables.words[i], name))
            return true;
    return !work->tables.count;
}

static struct export_table table_of(struct td_sql *sql, size_t number)
{
    struct export_table table = {.sql = sql};
    table.name = td_sql_table(sql, number, &table.columns, &table.count, &table.described);
    return table;
}

/* The model's own tables have a name before theirs: their rows are in the others. */
static bool is_answer(const struct export_table *table)
{
    return !strcmp(table->name, table->described->name);
}

static int check_choice(struct td_sql *sql, const struct export_work *work, struct td_err *err)
{
    for (size_t i = 0; i < work->tables.count; i++) {
        struct td_nearest nearest = {.word = work->tables.words[i]};
        bool is_known = false;
        for (size_t t = 0; t < td_sql_tables(sql); t++) {
            const struct export_table table = table_of(sql, t);
            if (!is_answer(&table))
                continue;
            is_known |= !strcmp(table.name, nearest.word);
            td_nearest_offer(&nearest, table.name);
        }
        if (!is_known && nearest.name)
            return td_fail(err, TD_E_USAGE, "--table '%.60s': did you mean %s?", nearest.word, nearest.name);
        if (!is_known)
            return td_fail(err, TD_E_USAGE, "there is no table '%.60s'", nearest.word);
    }
    return 0;
}

int export_each_table(const struct export_work *work,
                      int (*write)(void *self, const struct export_table *table, struct td_err *err),
                      void *self, struct td_err *err)
{
    struct td_sql *sql = td_sql_open(0, err);
    int rc = sql ? td_sql_add(sql, NULL, work->trace, err) : err->code;
    rc = rc ? rc : check_choice(sql, work, err);
    for (size_t t = 0; rc == 0 && t < td_sql_tables(sql); t++) {
        const struct export_table table = table_of(sql, t);
        if (!is_answer(&table) || !is_chosen(work, table.name))
            continue;
        rc = write(self, &table, err);
        td_sql_forget(sql);
    }
    td_sql_close(sql);
    return rc;
}
