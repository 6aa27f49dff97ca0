#include "host/query/table/tables.h"

const struct td_query_table *const td_query_tables[] = {
#define TD_X(name) &td_table_##name,
    TD_QUERY_TABLES(TD_X)
#undef TD_X
        NULL};
