#include "host/query/ops/cells.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/event/map.h"

#include <stdlib.h>
#include <string.h>

#define NO_COLUMN UINT32_MAX

/* The lanes of a kind of core that ran a name. */
struct cells_kind {
    double total_ns;
    uint32_t lanes;
};

struct cells_work {
    const struct td_dict *dict;
    const struct td_sums *sums;
    const struct td_lane_table *table;
    const struct td_lane_choice *lanes;
    enum td_cells_by by;
    struct td_cells *cells;
    uint32_t *order;     /* tracks by column */
    uint32_t *column_of; /* of each track */
    uint32_t *kind_of;   /* of each track: the number of its kind */
    struct cells_kind *kind;
    uint32_t kinds;
    int64_t *lane_ns;          /* of each track: 1 + total of the present row; 0 outside it */
    struct td_range_cell *sum; /* of each column: the same, without the 1 */
    size_t used;               /* columns that ran the present row */
    uint32_t *row_of;          /* of each location */
    size_t *range;             /* of each location: its first sum; one more at the end */
    uint32_t locations;
};

/* ---- columns ---- */

static uint64_t place_of(const struct td_lane_facts *f, enum td_cells_by by)
{
    if (!f->is_core)
        return 0;
    const uint64_t chip = (uint64_t)f->chip + 1;
    if (by == TD_CELLS_CHIP)
        return chip;
    const uint64_t tile = chip << 32 | (uint64_t)f->y << 16 | f->x;
    return by == TD_CELLS_TILE ? tile : tile << 8 | (f->core & 255);
}

/* 0: the lanes are in one column. */
static int compare_columns(const struct cells_work *w, uint32_t m, uint32_t n)
{
    const struct td_lane_facts *p = &w->table->lane[m].facts, *q = &w->table->lane[n].facts;
    if (w->by == TD_CELLS_KIND)
        return strcmp(p->kind, q->kind);
    const uint64_t x = place_of(p, w->by), y = place_of(q, w->by);
    if (w->by == TD_CELLS_LANE && w->kind_of[m] != w->kind_of[n])
        return w->kind_of[m] < w->kind_of[n] ? -1 : 1;
    if (x != y)
        return x < y ? -1 : 1;
    return w->by != TD_CELLS_LANE ? 0 : m < n ? -1 : m > n;
}

static int compare_tracks(const void *a, const void *b, void *self)
{
    const uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    int columns = compare_columns(self, m, n);
    return columns ? columns : m < n ? -1 : m > n;
}

static int compare_kinds(const void *a, const void *b, void *self)
{
    const struct td_lane_table *table = self;
    return strcmp(table->lane[*(const uint32_t *)a].facts.kind, table->lane[*(const uint32_t *)b].facts.kind);
}

/* Numbers the kinds by name. */
static void number_kinds(struct cells_work *w, size_t count)
{
    if (count)
        qsort_r(w->order, count, sizeof *w->order, compare_kinds, (void *)w->table);
    for (size_t i = 0; i < count; i++) {
        w->kinds += !i || compare_kinds(&w->order[i - 1], &w->order[i], (void *)w->table) != 0;
        w->kind_of[w->order[i]] = w->kinds - 1;
    }
}

static void make_columns(struct cells_work *w)
{
    struct td_cells *c = w->cells;
    size_t count = 0;
    for (uint32_t t = 0; t < w->table->tracks; t++) {
        w->column_of[t] = NO_COLUMN;
        if (w->table->lane[t].has_zones && td_lane_chosen(w->lanes, t))
            w->order[count++] = t;
    }
    number_kinds(w, count);
    if (count)
        qsort_r(w->order, count, sizeof *w->order, compare_tracks, w);
    for (size_t i = 0; i < count; i++) {
        if (!i || compare_columns(w, w->order[i - 1], w->order[i]))
            c->column[c->columns++] = (struct td_cells_column){w->order[i], w->table->lane[w->order[i]], 0};
        c->column[c->columns - 1].lanes++;
        w->column_of[w->order[i]] = (uint32_t)c->columns - 1;
    }
}

/* ---- rows ---- */

/* Locations of one name are one row. */
static int name_rows(struct cells_work *w)
{
    struct td_cells *c = w->cells;
    struct td_map names = {0};
    int rc = 0;
    for (uint32_t s = 0; rc == 0 && s < w->locations; s++) {
        w->row_of[s] = UINT32_MAX;
        if (w->range[s] == w->range[s + 1])
            continue;
        const char *name = td_dict_zone_name(w->dict, s);
        uint32_t row = td_map_get(&names, (uint64_t)(uintptr_t)name, UINT32_MAX);
        if (row == UINT32_MAX) {
            row = (uint32_t)c->rows;
            if (td_grow(&c->row, &c->row_capacity, c->rows + 1, sizeof *c->row) < 0 ||
                td_map_set(&names, (uint64_t)(uintptr_t)name, row) < 0)
                rc = TD_E_NOMEM;
            else
                c->row[c->rows++] = (struct td_cells_row){.name = name, .srcloc = s, .straggler = UINT32_MAX};
        }
        w->row_of[s] = row;
    }
    td_map_finish(&names);
    return rc;
}

static void find_ranges(struct cells_work *w)
{
    size_t i = 0;
    for (uint32_t s = 0; s <= w->locations; s++) {
        while (i < w->sums->count && w->sums->sum[i].srcloc < s)
            i++;
        w->range[s] = i;
    }
    w->range[w->locations] = w->sums->count;
}

static void add_sum(struct cells_work *w, struct td_cells_row *row, const struct td_sum *s)
{
    const uint32_t column = s->track < w->table->tracks ? w->column_of[s->track] : NO_COLUMN;
    if (column == NO_COLUMN || !s->count)
        return;
    struct td_range_cell *cell = &w->sum[column];
    cell->count += s->count;
    cell->total_ns = td_wrap_add(cell->total_ns, s->total_ns);
    if (s->max_ns > cell->max_ns) {
        cell->max_ns = s->max_ns;
        cell->longest = s->longest;
    }
    row->count += s->count;
    row->total_ns = td_wrap_add(row->total_ns, s->total_ns);
    /* A lane that ran it for 0 ns ran it, too. */
    row->lanes += w->lane_ns[s->track] == 0;
    w->kind[w->kind_of[s->track]].lanes += w->lane_ns[s->track] == 0;
    w->kind[w->kind_of[s->track]].total_ns += (double)s->total_ns;
    w->lane_ns[s->track] = td_wrap_add(w->lane_ns[s->track], s->total_ns + !w->lane_ns[s->track]);
}

static double ratio_to_kind(const struct cells_work *w, uint32_t track, int64_t total_ns)
{
    const struct cells_kind *kind = &w->kind[w->kind_of[track]];
    return kind->total_ns > 0 ? (double)total_ns * kind->lanes / kind->total_ns : 0;
}

static double ratio_of(const struct cells_work *w, const struct td_cells_row *row,
                       const struct td_range_cell *cell)
{
    if (w->by == TD_CELLS_LANE)
        return ratio_to_kind(w, w->cells->column[cell->column].track, cell->total_ns);
    return row->total_ns > 0 ? (double)cell->total_ns * (double)w->used / (double)row->total_ns : 0;
}

/* Moves the sums of the row's columns to its cells; the sums are 0 afterwards. */
static int take_cells(struct cells_work *w, struct td_cells_row *row)
{
    struct td_cells *c = w->cells;
    row->first = c->cells;
    for (uint32_t i = 0; i < c->columns; i++) {
        if (!w->sum[i].count)
            continue;
        if (td_grow(&c->cell, &c->cell_capacity, c->cells + 1, sizeof *c->cell) < 0)
            return TD_E_NOMEM;
        w->sum[i].column = i;
        w->sum[i].ratio = ratio_of(w, row, &w->sum[i]);
        c->cell[c->cells++] = w->sum[i];
        w->sum[i] = (struct td_range_cell){.longest = TD_NO_ZONE};
    }
    row->cells = c->cells - row->first;
    return 0;
}

/* The sums of lanes and kinds are 0 afterwards. */
static void find_straggler(struct cells_work *w, struct td_cells_row *row, const uint32_t *locations,
                           size_t count)
{
    int64_t longest = -1;
    row->longest = TD_NO_ZONE;
    for (size_t l = 0; l < count; l++)
        for (size_t i = w->range[locations[l]]; i < w->range[locations[l] + 1]; i++) {
            const uint32_t track = w->sums->sum[i].track;
            if (track >= w->table->tracks || !w->lane_ns[track])
                continue;
            const double ratio = ratio_to_kind(w, track, w->lane_ns[track] - 1);
            if (row->straggler == UINT32_MAX || ratio > row->spread) {
                row->spread = ratio;
                row->straggler = track;
            }
        }
    for (size_t l = 0; l < count; l++)
        for (size_t i = w->range[locations[l]]; i < w->range[locations[l] + 1]; i++) {
            const struct td_sum *s = &w->sums->sum[i];
            if (s->track == row->straggler && s->timed && s->max_ns > longest) {
                longest = s->max_ns;
                row->longest = s->longest;
            }
            if (s->track < w->table->tracks)
                w->lane_ns[s->track] = 0;
        }
    memset(w->kind, 0, w->kinds * sizeof *w->kind);
}

/* The locations sorted by row. */
static int compare_rows_of(const void *a, const void *b, void *self)
{
    const uint32_t *row_of = self, m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    if (row_of[m] != row_of[n])
        return row_of[m] < row_of[n] ? -1 : 1;
    return m < n ? -1 : m > n;
}

static void count_used(struct cells_work *w)
{
    w->used = 0;
    for (size_t i = 0; i < w->cells->columns; i++)
        w->used += w->sum[i].count > 0;
}

static int fill_rows(struct cells_work *w)
{
    uint32_t *locations = malloc(((size_t)w->locations + 1) * sizeof *locations);
    size_t used = 0;
    int rc = locations ? 0 : TD_E_NOMEM;
    for (uint32_t s = 0; rc == 0 && s < w->locations; s++)
        if (w->row_of[s] != UINT32_MAX)
            locations[used++] = s;
    if (rc == 0 && used)
        qsort_r(locations, used, sizeof *locations, compare_rows_of, w->row_of);
    for (size_t first = 0, end; rc == 0 && first < used; first = end) {
        struct td_cells_row *row = &w->cells->row[w->row_of[locations[first]]];
        for (end = first; end < used && w->row_of[locations[end]] == w->row_of[locations[first]]; end++)
            for (size_t i = w->range[locations[end]]; i < w->range[locations[end] + 1]; i++)
                add_sum(w, row, &w->sums->sum[i]);
        count_used(w);
        rc = take_cells(w, row);
        find_straggler(w, row, locations + first, end - first);
    }
    free(locations);
    return rc;
}

/* Names that no lane which passes has run. */
static void drop_empty_rows(struct td_cells *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->rows; i++)
        if (c->row[i].count)
            c->row[kept++] = c->row[i];
    c->rows = kept;
}

int td_cells_make(struct td_cells *cells, const struct td_dict *dict, const struct td_sums *sums,
                  const struct td_lane_table *table, const struct td_lane_choice *lanes, enum td_cells_by by)
{
    const size_t tracks = (size_t)table->tracks + 1;
    struct cells_work w = {
        .dict = dict, .sums = sums, .table = table, .lanes = lanes, .by = by, .cells = cells};
    td_cells_free(cells);
    for (size_t i = 0; i < sums->count; i++)
        w.locations = sums->sum[i].srcloc >= w.locations ? sums->sum[i].srcloc + 1 : w.locations;
    cells->column = calloc(tracks, sizeof *cells->column);
    w.order = malloc(tracks * sizeof *w.order);
    w.column_of = malloc(tracks * sizeof *w.column_of);
    w.lane_ns = calloc(tracks, sizeof *w.lane_ns);
    w.kind_of = calloc(tracks, sizeof *w.kind_of);
    w.kind = calloc(tracks, sizeof *w.kind);
    w.sum = malloc(tracks * sizeof *w.sum);
    w.row_of = malloc(((size_t)w.locations + 1) * sizeof *w.row_of);
    w.range = malloc(((size_t)w.locations + 2) * sizeof *w.range);
    int rc = TD_E_NOMEM;
    if (cells->column && w.order && w.column_of && w.kind_of && w.kind && w.lane_ns && w.sum && w.row_of &&
        w.range) {
        for (size_t i = 0; i < tracks; i++)
            w.sum[i] = (struct td_range_cell){.longest = TD_NO_ZONE};
        make_columns(&w);
        find_ranges(&w);
        rc = name_rows(&w);
        rc = rc ? rc : fill_rows(&w);
        drop_empty_rows(cells);
    }
    free(w.order);
    free(w.column_of);
    free(w.lane_ns);
    free(w.kind_of);
    free(w.kind);
    free(w.sum);
    free(w.row_of);
    free(w.range);
    if (rc < 0)
        td_cells_free(cells);
    return rc;
}

void td_cells_free(struct td_cells *cells)
{
    free(cells->row);
    free(cells->cell);
    free(cells->column);
    *cells = (struct td_cells){0};
}

const struct td_range_cell *td_cells_at(const struct td_cells *cells, const struct td_cells_row *row,
                                        uint32_t column)
{
    size_t low = row->first, high = row->first + row->cells;
    TD_BISECT(low, high, middle, cells->cell[middle].column < column);
    const bool found = low < row->first + row->cells && cells->cell[low].column == column;
    return found ? &cells->cell[low] : NULL;
}
