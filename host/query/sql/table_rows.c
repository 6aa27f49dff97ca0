/* The rows of tables, made when a question first needs them. */
#include "host/query/sql/sql_internal.h"

struct td_query_rows *td_sql_rows(struct td_sql *sql, struct td_sql_trace *trace, size_t shape, int *rc)
{
    struct td_query_request request = td_query_all(trace->trace);
    request.job = &sql->job;
    *rc = 0;
    if (!trace->rows[shape])
        trace->rows[shape] = td_query_make(sql->shape[shape].table, &request, rc);
    return trace->rows[shape];
}

int td_sql_code(int rc)
{
    return rc == TD_E_STOPPED ? SQLITE_INTERRUPT : rc == TD_E_NOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}
