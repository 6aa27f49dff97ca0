/* How many rows of ghost zones are shown: as many as have zones that can be seen in the visible range. */
#include "host/viewer/timeline/ghost_rows.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define LEAST_ROWS  3
#define SEEN_PIXELS 4
#define LOOKS       4096 /* at zones of a row */

/* Whether the row has a zone of that length in the range. */
static bool has_long(const struct td_ghost_row *row, double from_ns, double to_ns, double least_ns)
{
    size_t at = td_ghosts_after(row, 0, from_ns);
    for (size_t looks = 0; at < row->count && looks < LOOKS; at++, looks++) {
        const struct td_ghost *zone = &row->zones[at];
        if ((double)zone->start_ns > to_ns)
            break;
        if ((double)(zone->end_ns - zone->start_ns) >= least_ns)
            return true;
    }
    return false;
}

static uint32_t rows_of(struct td_view *view, const struct td_node *node, double from_ns, double to_ns,
                        double least_ns)
{
    struct td_track_ghosts *of = td_ghost_cache_hold(&view->drawn.ghosts, node->number);
    uint32_t rows = of ? of->ghosts.row_count : 0;
    while (rows > LEAST_ROWS && !has_long(&of->ghosts.rows[rows - 1], from_ns, to_ns, least_ns))
        rows--;
    td_track_ghosts_release(of);
    return rows > LEAST_ROWS ? rows : LEAST_ROWS;
}

void td_view_fit_ghosts(struct td_view *view)
{
    const double from = view->camera.to_start_ns, to = view->camera.to_end_ns,
                 least = (to - from) / fmax(view->area.right - view->area.left, 1) * TD_U(view, SEEN_PIXELS);
    bool changed = false;
    if (view->model.rests_ms)
        return;
    for (int i = 0; i < view->layout.count; i++) {
        struct td_node *node = &view->layout.nodes[i];
        if (node->kind != TD_NODE_GHOSTS || node->height <= 0)
            continue;
        const uint32_t rows = rows_of(view, node, from, to, least);
        changed |= rows != node->most_rows;
        node->most_rows = rows;
    }
    if (changed)
        td_view_place_rows(view);
}
