/* The matrix of a range and the grid of chips, against calculations zone by zone. */
#include "host/query/ops/cells.h"
#include "host/query/ops/grid.h"
#include "tests/query/demo_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct made {
    struct td_trace *trace;
    struct td_sums sums;
    struct td_lane_table table;
};

static struct made make(struct td_trace *trace)
{
    struct made m = {.trace = trace};
    int64_t last = td_trace_get_info(trace)->last_time_ns;
    assert_int_equal(td_sums_make(&m.sums, trace, INT64_MIN, INT64_MAX, last, NULL, NULL), 0);
    assert_int_equal(td_lane_table_make(&m.table, trace, &m.sums, 0, last), 0);
    return m;
}

static void drop(struct made *m)
{
    td_sums_free(&m->sums);
    td_lane_table_free(&m->table);
    td_trace_destroy(m->trace);
}

/* Count and time of the zones of that name in a track. */
static int64_t zones_of(const struct td_trace *trace, uint32_t track, const char *name, uint64_t *count,
                        int64_t *longest)
{
    int64_t total = 0;
    for (uint32_t r = 0; r < td_trace_rows(trace, track); r++)
        for (size_t i = 0; i < td_trace_row_zones(trace, track, r); i++) {
            struct td_zone z = td_trace_zone(trace, track, r, i);
            if (strcmp(td_dict_zone_name(td_trace_dict(trace), z.srcloc), name) || z.end_ns == TD_OPEN)
                continue;
            ++*count;
            total += z.end_ns - z.start_ns;
            *longest = z.end_ns - z.start_ns > *longest ? z.end_ns - z.start_ns : *longest;
        }
    return total;
}

static bool same_column(const struct td_lane_facts *a, const struct td_lane_facts *b, enum td_cells_by by)
{
    if (by == TD_CELLS_KIND)
        return !strcmp(a->kind, b->kind);
    if (!a->is_core || !b->is_core)
        return a->is_core == b->is_core;
    return a->chip == b->chip && (by == TD_CELLS_CHIP || (a->x == b->x && a->y == b->y));
}

static void check_row(const struct made *m, const struct td_cells *cells, const struct td_cells_row *row,
                      const uint8_t *passes, enum td_cells_by by)
{
    uint64_t all = 0;
    for (uint32_t c = 0; c < cells->columns; c++) {
        const uint32_t track = cells->column[c].track;
        uint64_t count = 0;
        int64_t longest = 0, total = 0;
        for (uint32_t t = 0; t < m->table.tracks; t++)
            if ((!passes || passes[t]) &&
                (t == track || (by != TD_CELLS_LANE &&
                                same_column(&m->table.lane[t].facts, &m->table.lane[track].facts, by))))
                total += zones_of(m->trace, t, row->name, &count, &longest);
        const struct td_range_cell *cell = td_cells_at(cells, row, c);
        assert_true(!cell == !count);
        if (!cell)
            continue;
        assert_true(cell->count == count && cell->total_ns == total && cell->max_ns == longest);
        struct td_zone z =
            td_trace_zone(m->trace, cell->longest.track, cell->longest.row, cell->longest.index);
        assert_true(z.end_ns - z.start_ns == longest);
        all += count;
    }
    assert_true(row->count == all && all > 0);
}

/* The greatest ratio of a lane's time to the mean of those of its kind that ran it. */
static void check_spread(const struct made *m, const struct td_cells_row *row, const uint8_t *passes)
{
    double most = 0;
    uint32_t lanes = 0;
    for (uint32_t t = 0; t < m->table.tracks; t++) {
        uint64_t mine = 0;
        int64_t longest = 0, total = 0, sum = 0;
        uint32_t ran = 0;
        if (passes && !passes[t])
            continue;
        total = zones_of(m->trace, t, row->name, &mine, &longest);
        lanes += mine > 0;
        for (uint32_t o = 0; mine && o < m->table.tracks; o++) {
            uint64_t count = 0;
            if ((passes && !passes[o]) || strcmp(m->table.lane[o].facts.kind, m->table.lane[t].facts.kind))
                continue;
            sum += zones_of(m->trace, o, row->name, &count, &longest);
            ran += count > 0;
        }
        if (mine && (double)total * ran / (double)sum > most)
            most = (double)total * ran / (double)sum;
        if (t == row->straggler)
            assert_true(fabs((double)total * ran / (double)sum - row->spread) < 1e-9);
    }
    assert_true(fabs(most - row->spread) < 1e-9 && lanes == row->lanes);
}

static void cells_equal_those_zone_by_zone(void **state)
{
    struct made m = make(grid_trace(2, 2, 2));
    uint8_t passes[256];
    srand(5);
    for (int round = 0; round < 8; round++) {
        const enum td_cells_by by = (enum td_cells_by)(round % 4);
        struct td_cells cells = {0};
        for (size_t t = 0; t < sizeof passes; t++)
            passes[t] = rand() % 3 != 0;
        uint8_t *chosen = round < 4 ? NULL : passes;
        const struct td_lane_choice lanes = {chosen, sizeof passes};
        assert_int_equal(td_cells_make(&cells, td_trace_dict(m.trace), &m.sums, &m.table, &lanes, by), 0);
        assert_true(cells.rows > 8);
        for (size_t i = 0; i < cells.rows; i++) {
            check_row(&m, &cells, &cells.row[i], chosen, by);
            check_spread(&m, &cells.row[i], chosen);
            for (size_t j = 0; j < i; j++)
                assert_string_not_equal(cells.row[i].name, cells.row[j].name);
        }
        td_cells_free(&cells);
    }
    drop(&m);
}

static void the_slow_tile_is_the_straggler(void **state)
{
    struct made m = make(grid_trace(2, 4, 3));
    struct td_cells cells = {0};
    int checked = 0;
    assert_int_equal(td_cells_make(&cells, td_trace_dict(m.trace), &m.sums, &m.table, NULL, TD_CELLS_LANE),
                     0);
    for (size_t i = 0; i < cells.rows; i++) {
        const struct td_cells_row *row = &cells.row[i];
        const struct td_lane_facts *f = &m.table.lane[row->straggler].facts;
        if (strcmp(row->name, "multiply") && strcmp(row->name, "unpack"))
            continue;
        assert_true(f->chip == 0 && f->x == 1 && f->y == 0 && row->spread > 1.5);
        assert_int_equal(row->longest.track, row->straggler);
        assert_int_equal(row->lanes, 22);
        checked++;
    }
    assert_int_equal(checked, 2);
    td_cells_free(&cells);
    drop(&m);
}

static void no_lanes_make_no_cells(void **state)
{
    struct made m = make(grid_trace(1, 2, 2));
    struct td_cells cells = {0};
    uint8_t none[64] = {0};
    const struct td_lane_choice lanes = {none, sizeof none};
    assert_int_equal(td_cells_make(&cells, td_trace_dict(m.trace), &m.sums, &m.table, &lanes, TD_CELLS_TILE),
                     0);
    assert_true(!cells.rows && !cells.columns);
    td_cells_free(&cells);
    drop(&m);
}

static void the_grid_has_each_core_once_and_gaps(void **state)
{
    struct made m = make(grid_trace(3, 4, 3));
    struct td_grid grid = {0};
    assert_int_equal(td_grid_make(&grid, &m.table, 0, 0, NULL), 0);
    assert_true(grid.chips == 3 && grid.width == 4 && grid.height == 3 && grid.cores == 5);
    assert_true(grid.left == 0 && grid.top == 0 && grid.tiles == 3 * 11 && grid.tracks == 3 * 11 * 5);
    for (size_t chip = 0; chip < 3; chip++)
        assert_null(td_grid_at(&grid, chip, (uint32_t)chip, 2)); /* harvested */
    for (uint32_t t = 0; t < m.table.tracks; t++) {
        const struct td_lane_facts *f = &m.table.lane[t].facts;
        const struct td_grid_tile *tile = td_grid_tile_of(&grid, f);
        assert_int_equal(tile != NULL, f->is_core);
        if (tile)
            assert_true(tile->x == f->x && tile->y == f->y && grid.track[tile->first + f->core] == t);
    }
    /* A board that is larger has empty places; a size that is too small is not used. */
    assert_int_equal(td_grid_make(&grid, &m.table, 9, 10, NULL), 0);
    assert_true(grid.width == 9 && grid.height == 10 && !td_grid_at(&grid, 0, 8, 9));
    assert_int_equal(td_grid_make(&grid, &m.table, 2, 2, NULL), 0);
    assert_true(grid.width == 4 && grid.height == 3);
    td_grid_free(&grid);
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_equal_those_zone_by_zone),
        cmocka_unit_test(the_slow_tile_is_the_straggler),
        cmocka_unit_test(no_lanes_make_no_cells),
        cmocka_unit_test(the_grid_has_each_core_once_and_gaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
