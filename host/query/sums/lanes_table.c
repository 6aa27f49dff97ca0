#include "host/query/sums/lanes_table.h"
#include "host/base/grow.h"
#include "host/query/task/span.h"

struct lane_rows {
    struct td_query_rows rows;
    struct td_lanes_wanted own; /* without a request's */
    const struct td_lane_row *at;
};
#define ROWS struct lane_rows
#define LANE (&r->at[i].lane)

static struct td_query_value place_of(const struct td_lane_facts *facts, char *room)
{
    if (!facts->is_core)
        return td_is_text("host");
    snprintf(room, TD_QUERY_ROOM, "chip %u > %u,%u", facts->chip, facts->x, facts->y);
    return td_is_text(room);
}

/* clang-format off */
#define LANE_COLUMNS(X)                                                                                          \
    X(lane,       "Lane",          TRACK,    0,   td_is_uint(r->at[i].track))                                    \
    X(kind,       "Kind",          TEXT,     80,  td_is_text(LANE->facts.kind))                                  \
    X(place,      "Place",         TEXT,     118, place_of(&LANE->facts, room))                                  \
    X(kernel,     "Kernel",        TEXT,     170, td_is_text(LANE->facts.kernel))                                \
    X(busy,       "Busy",          SHARE,    84,  td_is_real(LANE->facts.busy))                                  \
    X(wait,       "Wait",          SHARE,    84,  td_is_real(LANE->facts.wait))                                  \
    X(lost,       "Lost, stalled", SHARE,    92,  td_is_real(LANE->facts.lost))                                  \
    X(zones,      "Zones",         COUNT,    88,  td_is_uint(LANE->sum.zones))                                   \
    X(longest_ns, "Longest zone",  DURATION, 104,                                                                \
      td_is_part(td_ref_valid(LANE->sum.longest), td_is_int(LANE->sum.longest_ns)))                              \
    X(first_ns,   "First start",   TIME,     104, td_is_part(LANE->sum.zones != 0, td_is_int(LANE->sum.first_ns))) \
    X(last_ns,    "Last end",      TIME,     104, td_is_part(LANE->sum.zones != 0, td_is_int(LANE->sum.last_ns)))
/* clang-format on */
TD_QUERY_COLUMNS(LANE_COLUMNS)

static void free_wanted(void *wanted)
{
    if (wanted)
        free(((struct td_lanes_wanted *)wanted)->at);
    free(wanted);
}

static int add_lanes(struct td_lanes_wanted *to, const struct td_lane_table *table)
{
    if (td_grow(&to->at, &to->capacity, (size_t)table->tracks + 1, sizeof *to->at) < 0)
        return TD_E_NOMEM;
    for (uint32_t t = 0; t < table->tracks; t++)
        if (table->lane[t].has_zones)
            to->at[to->count++] = (struct td_lane_row){t, table->lane[t]};
    return 0;
}

static int make_lanes(struct td_query_rows *rows)
{
    struct lane_rows *r = (void *)rows;
    const struct td_query_request *of = &rows->of;
    const struct td_lanes_wanted *wanted = of->with ? of->with : &r->own;
    struct td_lane_table table = {0};
    struct td_sums sums = {0};
    int64_t first_ns, last_ns;
    int rc = 0;
    if (!of->with)
        rc = td_sums_make(&sums, of->trace, of->from_ns, of->to_ns, of->now_ns, NULL, of->job);
    td_trace_span(of->trace, &first_ns, &last_ns);
    if (rc == 0 && !of->with)
        rc = td_lane_table_make(&table, of->trace, &sums, first_ns,
                                last_ns > of->now_ns ? last_ns : of->now_ns);
    if (rc == 0 && !of->with)
        rc = add_lanes(&r->own, &table);
    td_lane_table_free(&table);
    td_sums_free(&sums);
    r->at = wanted->at;
    rows->count = wanted->count;
    return rc;
}

TD_QUERY_FREES(free_lanes, free(r->own.at))

const struct td_lane_row *td_lane_row_at(const struct td_query_rows *rows, uint64_t row)
{
    return &((const struct lane_rows *)rows)->at[row];
}

/* The longest zone, else the track. */
static struct td_query_place place_of_lane(const struct td_query_rows *rows, uint64_t row)
{
    const struct td_lane_row *lane = td_lane_row_at(rows, row);
    const struct td_zone_ref longest = lane->lane.sum.longest;
    if (!td_ref_valid(longest))
        return td_at_track(lane->track);
    return td_at_zone(longest.track, longest.row, longest.index);
}

const struct td_query_table td_table_lanes = {
    .name = "lanes",
    .about = "a lane with zones, and how busy it was in the range",
    TD_QUERY_WITH_COLUMNS,
    .make = make_lanes,
    .free = free_lanes,
    .free_with = free_wanted,
    .place_of_row = place_of_lane,
    .lines = "lane kind place kernel busy wait lost zones longest_ns first_ns last_ns",
};
