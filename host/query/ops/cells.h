/* The zones of a range as a matrix: a row for each name, a column for each lane, tile, kind of core or chip.
 * It shows whether an operation takes the same time on every core of a kind, and which core is the straggler.
 * Columns of lanes are sorted by kind, then by place. */
#pragma once
#include "host/query/task/lane_choice.h"
#include "host/query/sums/lane_table.h"

enum td_cells_by { TD_CELLS_LANE, TD_CELLS_TILE, TD_CELLS_KIND, TD_CELLS_CHIP };

struct td_range_cell { /* the zones of a name in a column */
    uint32_t column;
    uint64_t count;
    int64_t total_ns, max_ns;
    struct td_zone_ref longest; /* TD_NO_ZONE: all are 0 ns long */
    double ratio; /* total / mean total of the row's cells, of those of its kind if columns are lanes */
};

struct td_cells_row {
    const char *name; /* owned by the dictionary */
    uint32_t srcloc;  /* one of its locations */
    uint64_t count;
    int64_t total_ns;
    size_t first, cells; /* range in `cell` */
    uint32_t lanes;      /* that ran it */
    /* The lane with the greatest ratio of its total to the mean of the row's lanes of its kind, that
     * ratio (0: all zones are 0 ns long), and its longest zone. */
    uint32_t straggler;
    double spread;
    struct td_zone_ref longest;
};

struct td_cells_column {
    uint32_t track; /* its first lane, */
    struct td_lane lane;
    uint32_t lanes; /* and how many it has */
};

struct td_cells { /* all zero: empty */
    struct td_cells_row *row;
    struct td_range_cell *cell; /* by row, then by column */
    struct td_cells_column *column;
    size_t rows, cells, columns;
    size_t row_capacity, cell_capacity;
};

/* `lanes` may be NULL. 0 or TD_E_NOMEM. */
int td_cells_make(struct td_cells *cells, const struct td_dict *dict, const struct td_sums *sums,
                  const struct td_lane_table *table, const struct td_lane_choice *lanes, enum td_cells_by by);
void td_cells_free(struct td_cells *cells);
/* The cell of a row in that column; NULL: there are no such zones. */
const struct td_range_cell *td_cells_at(const struct td_cells *cells, const struct td_cells_row *row,
                                        uint32_t column);
