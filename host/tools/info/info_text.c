#include "host/query/table/text_form.h"
#include "host/tools/info/info.h"

#include <stdio.h>

const char *info_version(char *to, size_t bytes, uint32_t version)
{
    to[0] = 0;
    if (version)
        snprintf(to, bytes, "%u.%u.%u", version >> 16, version >> 8 & 255, version & 255);
    return to;
}

static void print_empty_line(const struct td_query_rows *rows)
{
    putchar('\n');
}

int info_print_table(const struct td_trace *trace, const struct td_query_table *table, const char *greatest,
                     void (*head)(const struct td_query_rows *rows), size_t limit, struct td_err *err)
{
    const struct td_query_request all = td_query_all(trace);
    struct td_query_order order = {0};
    int rc;
    struct td_query_rows *rows = td_query_make(table, &all, &rc);
    if (rows)
        rc = td_query_order_all(&order, rows);
    if (rc == 0 && greatest)
        td_query_order_sort(&order, rows, td_query_column_named(table, greatest), true);
    if (rc == 0 && (rows->count || !head)) {
        (head ? head : print_empty_line)(rows);
        td_query_text(stdout, rows, &order, limit);
    }
    td_query_order_free(&order);
    td_query_free(rows);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}
