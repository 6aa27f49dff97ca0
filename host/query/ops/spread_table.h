/* The table of names of zones, with how their time is spread over the lanes (cells.h). A request may be with a struct
 * td_spread_wanted on the heap; else the columns are all lanes. */
#pragma once
#include "host/query/ops/cells.h"
#include "host/query/table/tables.h"
#include "host/query/table/track_name.h"

struct td_spread_wanted {
    enum td_cells_by by;
    struct td_lane_choice lanes;
    const struct td_sums *sums; /* of the range; the table calls release(self) when it no longer reads them */
    const struct td_lane_table *table;
    void (*release)(void *self);
    void *self;
};

const struct td_cells *td_spread_cells(const struct td_query_rows *rows);
/* The name of a column. */
const char *td_spread_label(const struct td_query_rows *rows, uint32_t column, char room[TD_QUERY_ROOM]);
