/* print_table FILE TABLE: a table of a trace as CSV, as the list of the viewer has it. */
#include "host/file/load.h"
#include "host/query/table/forms.h"
#include "host/query/table/tables.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct td_load_options load = {0};
    const struct td_query_table *const *table = td_query_tables;
    struct td_trace *trace = NULL;
    struct td_err err = {0};
    while (argc == 3 && *table && strcmp((*table)->name, argv[2]) != 0)
        table++;
    if (argc != 3 || !*table || td_load(argv[1], &load, "print_table", &trace, &err) < 0) {
        fprintf(stderr, "print_table: %s\n", err.code ? err.text : "usage: print_table FILE TABLE");
        return 1;
    }
    int rc;
    const struct td_query_request of = td_query_all(trace);
    struct td_query_rows *rows = td_query_make(*table, &of, &rc);
    if (rows)
        td_query_csv(stdout, rows, NULL);
    td_query_free(rows);
    td_trace_destroy(trace);
    return rows ? 0 : 1;
}
