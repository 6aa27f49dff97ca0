/* The table of lanes (tracks) with what a range of time says of each. A request may be with a struct td_lanes_wanted on
 * the heap; else all lanes with zones are rows. */
#pragma once
#include "host/query/sums/lane_table.h"
#include "host/query/table/tables.h"

struct td_lane_row {
    uint32_t track;
    struct td_lane lane;
};

struct td_lanes_wanted { /* in the order of the rows */
    struct td_lane_row *at;
    size_t count, capacity;
};

const struct td_lane_row *td_lane_row_at(const struct td_query_rows *rows, uint64_t row);
