#include "host/query/table/query_table.h"

#include <stdlib.h>

struct td_query_request td_query_all(const struct td_trace *trace)
{
    return (struct td_query_request){.trace = trace,
                                     .from_ns = INT64_MIN,
                                     .to_ns = INT64_MAX,
                                     .now_ns = td_trace_get_info(trace)->last_time_ns};
}

struct td_query_rows *td_query_make(const struct td_query_table *table,
                                    const struct td_query_request *request, int *rc)
{
    struct td_query_rows *rows = calloc(1, table->rows_bytes);
    *rc = TD_E_NOMEM;
    if (!rows) {
        if (table->free_with)
            table->free_with(request->with);
        return NULL;
    }
    *rows = (struct td_query_rows){
        .table = table, .of = *request, .dict = request->trace ? td_trace_dict(request->trace) : NULL};
    *rc = table->make(rows);
    if (*rc == 0)
        return rows;
    td_query_free(rows);
    return NULL;
}

void td_query_free(struct td_query_rows *rows)
{
    if (!rows)
        return;
    if (rows->table->free)
        rows->table->free(rows);
    if (rows->table->free_with)
        rows->table->free_with(rows->of.with);
    free(rows);
}
