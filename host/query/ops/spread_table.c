/* The table of names of zones, with how their time is spread over the lanes. */
#include "host/base/json.h"
#include "host/query/ops/spread_table.h"

#include <stdlib.h>

struct spread_rows {
    struct td_query_rows rows;
    struct td_cells cells;
    enum td_cells_by by;
};
#define ROWS struct spread_rows
#define NAME (&r->cells.row[i])

static struct td_query_value mean_of(const struct td_cells_row *row)
{
    return td_is_real(row->count ? (double)row->total_ns / (double)row->count : 0);
}

/* clang-format off */
#define SPREAD_COLUMNS(X)                                                                                     \
    X(name,      "Zone",       TEXT,     180, td_is_text(NAME->name))                                         \
    X(spread,    "Max / mean", NUMBER,   84,  td_is_real(NAME->spread))                                       \
    X(straggler, "Straggler",  TRACK,    176, td_is_uint(NAME->straggler))                                    \
    X(matrix,    "",           TEXT,     0,   td_is_part(false, td_is_text("")))                              \
    X(count,     "Count",      COUNT,    80,  td_is_uint(NAME->count))                                        \
    X(total_ns,  "Total",      DURATION, 86,  td_is_int(NAME->total_ns))                                      \
    X(mean_ns,   "Mean",       MEAN,     82,  mean_of(NAME))                                                  \
    X(lanes,     "Lanes",      COUNT,    56,  td_is_uint(NAME->lanes))
/* clang-format on */
TD_QUERY_COLUMNS(SPREAD_COLUMNS)

static void release_sums(struct td_spread_wanted *wanted)
{
    if (wanted && wanted->release)
        wanted->release(wanted->self);
    if (wanted)
        wanted->release = NULL;
}

static int make_spread(struct td_query_rows *rows)
{
    struct spread_rows *r = (void *)rows;
    const struct td_query_request *of = &rows->of;
    struct td_spread_wanted *wanted = of->with;
    struct td_sums own = {0};
    struct td_lane_table table = {0};
    int rc = 0;
    r->by = wanted ? wanted->by : TD_CELLS_LANE;
    if (!wanted)
        rc = td_sums_make(&own, of->trace, of->from_ns, of->to_ns, of->now_ns, NULL, of->job);
    if (rc == 0 && !wanted)
        rc = td_lane_table_make(&table, of->trace, &own, 0, of->now_ns);
    if (rc == 0)
        rc = td_cells_make(&r->cells, rows->dict, wanted ? wanted->sums : &own,
                           wanted ? wanted->table : &table, wanted ? &wanted->lanes : NULL, r->by);
    release_sums(wanted);
    td_lane_table_free(&table);
    td_sums_free(&own);
    rows->count = r->cells.rows;
    return rc;
}

TD_QUERY_FREES(free_spread, td_cells_free(&r->cells))

static void free_wanted(void *with)
{
    struct td_spread_wanted *wanted = with;
    release_sums(wanted);
    if (wanted)
        td_lane_choice_free(&wanted->lanes);
    free(wanted);
}

const struct td_cells *td_spread_cells(const struct td_query_rows *rows)
{
    return &((const struct spread_rows *)rows)->cells;
}

const char *td_spread_label(const struct td_query_rows *rows, uint32_t column, char text[TD_QUERY_ROOM])
{
    const struct spread_rows *r = (const void *)rows;
    const struct td_cells_column *c = &r->cells.column[column];
    const struct td_lane_facts *facts = &c->lane.facts;
    if (r->by == TD_CELLS_LANE)
        return td_track_name(rows->dict, c->track, text);
    if (r->by == TD_CELLS_KIND)
        snprintf(text, TD_QUERY_ROOM, "%s", facts->kind);
    else if (!facts->is_core)
        snprintf(text, TD_QUERY_ROOM, "host");
    else if (r->by == TD_CELLS_CHIP)
        snprintf(text, TD_QUERY_ROOM, "chip %u", facts->chip);
    else
        snprintf(text, TD_QUERY_ROOM, "chip %u tile %u,%u", facts->chip, facts->x, facts->y);
    return text;
}

/* The straggler's longest zone, else its track. */
static struct td_query_place place_of_spread(const struct td_query_rows *rows, uint64_t row)
{
    const struct td_cells_row *name = &td_spread_cells(rows)->row[row];
    if (!td_ref_valid(name->longest))
        return td_at_track(name->straggler);
    return td_at_zone(name->longest.track, name->longest.row, name->longest.index);
}

static int json_cells(struct td_json *j, const struct td_query_rows *rows, uint64_t row)
{
    const struct td_cells *cells = td_spread_cells(rows);
    const struct td_cells_row *name = &cells->row[row];
    char room[TD_QUERY_ROOM];
    td_json_array(j, "cells");
    for (size_t c = name->first; c < name->first + name->cells; c++) {
        const struct td_range_cell *cell = &cells->cell[c];
        td_json_object(j, NULL);
        td_json_string(j, "column", td_spread_label(rows, cell->column, room));
        td_json_uint(j, "count", cell->count);
        td_json_int(j, "total_ns", cell->total_ns);
        td_json_int(j, "longest_ns", cell->max_ns);
        td_json_double(j, "ratio", cell->ratio);
        td_json_end_object(j);
    }
    td_json_end_array(j);
    return 0;
}

const struct td_query_table td_table_spread = {
    .name = "spread",
    .about = "a name of zones, and how its time is spread over the lanes in the range",
    TD_QUERY_WITH_COLUMNS,
    .make = make_spread,
    .free = free_spread,
    .free_with = free_wanted,
    .place_of_row = place_of_spread,
    .json = "name count total_ns lanes spread straggler",
    .lines = "name count total_ns lanes spread straggler",
    .text = "name spread straggler count total_ns mean_ns lanes",
    .json_more = json_cells,
};
