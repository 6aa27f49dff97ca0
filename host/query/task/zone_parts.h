/* The zones of a range of time, cut into parts that any thread may take: the way in which an analysis reads every zone
 * once on all processors. */
#pragma once
#include "host/trace/trace.h"
#include "host/trace/walk.h"
#include "host/query/task/lane_choice.h"

#define TD_PART_ZONES (64u * TD_ZONES_AT_ONCE) /* at most, in a part */

struct td_zone_part {
    uint32_t track, row;
    uint64_t first, end; /* zones of the row */
};

struct td_zone_parts { /* all zero: none; by track, row and zone */
    struct td_zone_part *part;
    size_t count, capacity;
};

/* The parts of all zones that touch the range. `lanes` may be NULL. Returns 0 or TD_E_NOMEM. */
int td_zone_parts_make(struct td_zone_parts *parts, const struct td_trace *trace, int64_t from_ns,
                       int64_t to_ns, const struct td_lane_choice *lanes);
void td_zone_parts_free(struct td_zone_parts *parts);

/* The time of the finished zones of a row from *at to `end`, where *at arrives; `block` keeps what was read for the
 * next call, and begins with count 0. */
int64_t td_zones_length(const struct td_trace *trace, uint32_t track, uint32_t row, struct td_zones *block,
                        uint64_t *at, uint64_t end);
