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

static bool is_word(const char *at, size_t bytes, const char *word)
{
    return strlen(word) == bytes && !strncmp(at, word, bytes);
}

const struct td_query_column *td_query_leader(const struct td_query_table *table,
                                              const struct td_query_column *column)
{
    const char *leader = NULL;
    size_t leader_bytes = 0;
    for (const char *at = table->follow; at && *at;) {
        const size_t bytes = strcspn(at, " ;");
        if (!leader) {
            leader = at;
            leader_bytes = bytes;
        } else if (is_word(at, bytes, column->key)) {
            for (size_t c = 0; c < table->column_count; c++)
                if (is_word(leader, leader_bytes, table->columns[c].key))
                    return &table->columns[c];
        }
        at += bytes;
        if (*at == ';')
            leader = NULL;
        at += strspn(at, " ;");
    }
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
