#include "host/viewer/timeline/row_map.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdlib.h>

void td_row_map_update(struct td_view *view)
{
    struct td_row_map *map = &view->rows.map;
    const struct td_matches *matches = view->find.active ? view->find.matches : NULL;
    if (map->of == matches && (!matches || map->generation == view->find.generation))
        return;
    const uint32_t tracks = matches ? matches->tracks : 0;
    uint64_t *counts = realloc(map->matches, ((size_t)tracks + 1) * sizeof *counts);
    if (!counts)
        return;
    map->matches = counts;
    map->tracks = tracks;
    map->of = matches;
    map->generation = view->find.generation;
    for (uint32_t t = 0; t < tracks; t++)
        counts[t] = td_matches_count_of(matches, t);
}

void td_row_map_free(struct td_row_map *map)
{
    free(map->matches);
    *map = (struct td_row_map){0};
}

uint64_t td_row_map_matches(const struct td_view *view, const struct td_node *node)
{
    const struct td_row_map *map = &view->rows.map;
    uint64_t count = 0;
    const int number = (int)(node - view->layout.nodes);
    for (int i = number; map->of && i < node->end; i++) {
        const struct td_node *n = &view->layout.nodes[i];
        if (n->kind == TD_NODE_TRACK && n->number < map->tracks && td_lanes_passes(view, n->number))
            count += map->matches[n->number];
    }
    return count;
}

/* A closed group has the mean of its lanes; shares below 0: nothing was counted. */
static void find_shares(const struct td_view *view, const struct td_node *node, float *busy, float *wait)
{
    const int number = (int)(node - view->layout.nodes);
    double sum[2] = {0, 0};
    int lanes = 0;
    *busy = *wait = -1;
    for (int i = number; i < (node->collapsed ? node->end : number + 1); i++) {
        const struct td_node *n = &view->layout.nodes[i];
        const struct td_lane *lane = n->kind == TD_NODE_TRACK ? td_lanes_get(view, n->number) : NULL;
        if (!lane || !lane->sum.zones || !td_lanes_passes(view, n->number))
            continue;
        sum[0] += lane->facts.busy;
        sum[1] += lane->facts.wait;
        lanes++;
    }
    if (!lanes)
        return;
    *busy = (float)(sum[0] / lanes);
    *wait = (float)(sum[1] / lanes);
}

struct row_map_line { /* what is drawn of the rows of a pixel */
    float busy, wait;
    uint64_t matches;
    bool is_group, is_device;
};

static void draw_line(struct td_view *view, const struct row_map_line *line, float left, float right,
                      float y0, float y1, uint64_t most)
{
    const float wide = right - left, match = wide * .35f;
    const td_rgba plain = td_color_mix(TD_C(GUTTER), line->is_device ? TD_C(DENSITY) : TD_C(HOST), .3f);
    if (line->busy >= 0) {
        const float wait = fminf(line->wait, line->busy), work = line->busy - wait;
        td_ui_rect(view->ui, left, y0, left + wide * work, y1, TD_C(DENSITY), 0);
        td_ui_rect(view->ui, left + wide * work, y0, left + wide * (work + wait), y1, TD_C(WAIT), 0);
    } else if (!line->is_group) {
        td_ui_rect(view->ui, left, y0, left + wide * .4f, y1, plain, 0);
    }
    if (line->matches && most)
        td_ui_rect(view->ui, right - match * (float)(.3 + .7 * (double)line->matches / (double)most), y0,
                   right, y1, TD_C(MATCH), 0);
}

static uint64_t most_matches(const struct td_view *view)
{
    uint64_t most = 0;
    for (int s = 0; view->rows.map.of && s < view->layout.shown_count; s++) {
        const struct td_node *node = &view->layout.nodes[view->layout.shown[s]];
        const uint64_t count =
            node->kind == TD_NODE_GROUP && !node->collapsed ? 0 : td_row_map_matches(view, node);
        most = count > most ? count : most;
    }
    return most;
}

/* Rows that share a pixel: the busiest one, and all matches. */
static void join_line(struct row_map_line *line, const struct row_map_line *other)
{
    if (other->busy > line->busy) {
        line->busy = other->busy;
        line->wait = other->wait;
    }
    line->matches = other->matches > line->matches ? other->matches : line->matches;
    line->is_group = line->is_group && other->is_group;
}

void td_draw_row_map(struct td_view *view, float left, float right)
{
    const struct td_layout *layout = &view->layout;
    const float area = view->area.bottom - view->area.top, scale = area / fmaxf(layout->height, 1);
    const uint64_t most = most_matches(view);
    struct row_map_line line = {.busy = -1, .is_group = true};
    float from = view->area.top;
    if (layout->height <= area)
        return;
    for (int s = 0; s < layout->shown_count; s++) {
        const struct td_node *node = &layout->nodes[layout->shown[s]];
        const bool is_open = node->kind == TD_NODE_GROUP && !node->collapsed;
        struct row_map_line next = {.is_group = is_open, .is_device = node->is_device};
        find_shares(view, node, &next.busy, &next.wait);
        next.matches = is_open ? 0 : td_row_map_matches(view, node);
        if (from == view->area.top + floorf(node->y * scale) && s) {
            join_line(&line, &next);
            continue;
        }
        if (s)
            draw_line(view, &line, left, right, from,
                      fmaxf(view->area.top + floorf(node->y * scale), from + 1), most);
        from = view->area.top + floorf(node->y * scale);
        line = next;
    }
    draw_line(view, &line, left, right, from, view->area.bottom, most);
}
