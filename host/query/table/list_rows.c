#include "host/query/table/list_rows.h"
#include "host/base/sorted.h"

#include <stdlib.h>

int td_list_rows_make(struct td_list_rows *lists, const struct td_trace *trace, enum td_table table,
                      uint64_t *count)
{
    lists->lists = td_trace_lists(trace, table);
    lists->end = calloc(lists->lists + 1, sizeof *lists->end);
    *count = 0;
    for (uint64_t i = 0; lists->end && i < lists->lists; i++)
        lists->end[i] = *count += td_series_count(td_trace_list(trace, table, i));
    return lists->end ? 0 : TD_E_NOMEM;
}

void td_list_rows_free(struct td_list_rows *lists)
{
    free(lists->end);
    *lists = (struct td_list_rows){0};
}

uint64_t td_list_rows_find(const struct td_list_rows *lists, uint64_t *row)
{
    uint64_t low = 0, high = lists->end ? lists->lists : 0;
    TD_BISECT(low, high, i, lists->end[i] <= *row);
    *row -= low ? lists->end[low - 1] : 0;
    return low;
}
