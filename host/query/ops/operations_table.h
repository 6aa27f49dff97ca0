/* The table of operations. */
#pragma once
#include "host/query/ops/operations.h"
#include "host/query/table/tables.h"

struct td_operations_wanted {
    struct td_flows flows; /* shared; none: launches are not looked up */
    struct td_lane_choice lanes;
    bool one; /* as in struct td_operations_request */
    uint32_t op;
};
/* Of its rows. */
const struct td_operations *td_operations_of(const struct td_query_rows *rows);
