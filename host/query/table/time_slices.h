/* The rows of a table in slices: each has a number of rows that follow each other in time, although the table is sorted
 * by something else first ("track depth start_ns"). Within a slice, rows are in the table's order. A table that does not
 * rise by a time has slices of consecutive rows. For files whose readers leave out what is outside a range of time. */
#pragma once
#include "host/query/table/query_table.h"

struct td_row_run {
    uint64_t first, count;
};

struct td_time_slices {
    const struct td_query_rows *rows;
    const struct td_query_column *time; /* NULL: consecutive rows */
    struct td_row_run *group; /* what is left of the rows that are equal in all that is before the time */
    size_t groups, group_room;
    struct td_row_run *run; /* of the slice */
    size_t runs;
    uint64_t left;
    int64_t last_length_ns;
};

/* 0 or TD_E_NOMEM. The rows must outlive the slices. */
int td_time_slices_init(struct td_time_slices *slices, const struct td_query_rows *rows);
void td_time_slices_free(struct td_time_slices *slices);
/* The next slice: up to `most` rows, in slices->run. Returns their number; 0: there are no more. */
uint64_t td_time_slices_next(struct td_time_slices *slices, uint64_t most);
