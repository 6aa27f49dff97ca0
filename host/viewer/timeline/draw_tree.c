/* Draws the labels on the left: the tree of groups and tracks. */
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

#define FIBER_LABEL td_color_legible(0xff8fd6a0u)

static void draw_triangle(struct td_view *view, float x, float y, bool collapsed)
{
    float r = TD_U(view, 3.6f);
    td_rgba color = TD_C(TEXT_DIM);
    if (collapsed) {
        float right[6] = {x - r * .7f, y - r, x + r * .9f, y, x - r * .7f, y + r};
        td_ui_triangle(view->ui, right, color);
    } else {
        float down[6] = {x - r, y - r * .7f, x + r, y - r * .7f, x, y + r * .9f};
        td_ui_triangle(view->ui, down, color);
    }
}

/* How many rows a group has; of a GPU context: its drift, or that its program has calibrated it. */
static const char *group_detail(const struct td_view *view, const struct td_node *node,
                                char text[TD_NODE_DETAIL_BYTES])
{
    const struct td_node *first = node + 1;
    const bool has_track = node->end > (int)(first - view->layout.nodes) && first->kind == TD_NODE_TRACK;
    const uint32_t context = has_track ? td_dict_get_track(view->model.dict, first->number)->context : 0;
    td_layout_detail(node, text);
    if (!context || context > td_view_gpu_contexts(&view->model))
        return text;
    const struct td_gpu_clock clock = td_view_gpu_clock(&view->model, context - 1);
    const size_t used = strlen(text);
    if (td_gpu_clock_is_set(&clock))
        snprintf(text, TD_NODE_DETAIL_BYTES, "drift %+.0f ns/s", clock.drift);
    else if (td_view_gpu_is_calibrated(&view->model, context - 1))
        snprintf(text + used, TD_NODE_DETAIL_BYTES - used, ", calibrated");
    return text;
}

/* While there is a search: how many matches the rows have; false: none, or there is no search. */
static bool put_matches(const struct td_view *view, const struct td_node *node,
                        char text[TD_NODE_DETAIL_BYTES])
{
    char number[TD_FORMAT_BYTES];
    const uint64_t count = td_row_map_matches(view, node);
    if (count)
        snprintf(text, TD_NODE_DETAIL_BYTES, "%s found", td_format_count(number, count));
    return count != 0;
}

static void draw_group_label(struct td_view *view, const struct td_node *node, float x, float y, float height)
{
    char text[TD_NODE_DETAIL_BYTES];
    const bool has_matches = put_matches(view, node, text);
    const char *shown = has_matches ? text : group_detail(view, node, text);
    struct td_ui *ui = view->ui;
    float right = view->area.left - TD_U(view, 10);
    float text_y = y + (height - td_ui_text_height(ui, TD_FONT_BOLD)) / 2;
    float wide = td_ui_text_fit(ui, TD_FONT_BOLD, x, text_y, right - x, TD_C(TEXT), node->label);
    float small_y = y + (height - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    float detail = td_ui_text_width(ui, TD_FONT_SMALL, shown);
    if (x + wide + TD_U(view, 12) + detail < right)
        td_ui_text(ui, TD_FONT_SMALL, right - detail, small_y, has_matches ? TD_C(MATCH) : TD_C(TEXT_FAINT),
                   shown);
}

static void draw_leaf_label(struct td_view *view, const struct td_node *node, float x, float y)
{
    struct td_ui *ui = view->ui;
    float room = view->area.left - TD_U(view, 10) - x;
    const bool is_low = td_layout_centres_label(node);
    const bool has_numbers = node->kind == TD_NODE_PLOT || node->kind == TD_NODE_MEMORY;
    const float line = is_low ? node->height : view->metrics.row,
                top = is_low || has_numbers ? y : y + view->metrics.pad;
    float text_y = top + (line - td_ui_text_height(ui, TD_FONT_TEXT)) / 2;
    td_rgba color = node->kind == TD_NODE_TRACK ? TD_C(TEXT) : TD_C(TEXT_DIM);
    if (node->kind == TD_NODE_TRACK && td_dict_get_track(view->model.dict, node->number)->fiber)
        color = FIBER_LABEL;
    if (node->kind == TD_NODE_PLOT && node->rows) {
        td_draw_plot_names(view, node, x, text_y, room);
        return;
    }
    if (has_numbers)
        room = td_draw_plot_numbers(view, node, x, y, room);
    float wide = td_ui_text_fit(ui, TD_FONT_TEXT, x, text_y, room, color, node->label);
    char found[TD_NODE_DETAIL_BYTES];
    const bool has_matches = node->kind == TD_NODE_TRACK && put_matches(view, node, found);
    const char *shown = has_matches ? found : node->detail;
    if (!shown[0])
        return;
    float small = td_ui_text_height(ui, TD_FONT_SMALL);
    td_rgba faint = has_matches                   ? TD_C(MATCH)
                    : node->kind == TD_NODE_TRACK ? TD_C(MESSAGE)
                                                  : TD_C(TEXT_FAINT);
    float detail = td_ui_text_width(ui, TD_FONT_SMALL, shown);
    if (wide + detail + TD_U(view, 8) < room)
        td_ui_text(ui, TD_FONT_SMALL, x + room - detail, top + (line - small) / 2, faint, shown);
    else if (node->height > 2 * line)
        td_ui_text_fit(ui, TD_FONT_SMALL, x, top + line, room, faint, shown);
}

static void draw_node(struct td_view *view, int number, float y)
{
    const struct td_node *node = &view->layout.nodes[number];
    struct td_ui *ui = view->ui;
    bool group = node->kind == TD_NODE_GROUP;
    float left = view->area.panel.left, edge = left + TD_U(view, 3);
    float x = left + TD_U(view, 12) + TD_U(view, 12) * (float)node->level;
    float middle =
        group || node->collapsed ? y + node->height / 2 : y + view->metrics.pad + view->metrics.row / 2;
    td_ui_rect(ui, left, y, view->area.left, y + node->height, group ? TD_C(GROUP) : TD_C(GUTTER), 0);
    /* A stripe at the left edge: one colour for host rows, one for device rows. */
    td_rgba stripe = node->is_device ? td_color_mix(TD_C(GUTTER), TD_C(DENSITY), .75f)
                                     : td_color_mix(TD_C(GUTTER), TD_C(HOST), .7f);
    td_ui_rect(ui, left, y, edge, y + node->height, stripe, 0);
    td_draw_lane_light(view, node, y, edge);
    if (number == view->hover.node)
        td_ui_rect(ui, edge, y, view->area.left, y + node->height, TD_C(HOVER), 0);
    if (group || node->kind == TD_NODE_TRACK)
        draw_triangle(view, x + TD_U(view, 3), middle, node->collapsed);
    x += TD_U(view, 14);
    if (group)
        draw_group_label(view, node, x, y, node->height);
    else
        draw_leaf_label(view, node, x, y);
    td_ui_rect(ui, left, y + node->height - 1, view->area.left, y + node->height, TD_C(EDGE), 0);
}

/* When the rows of the groups around the first visible row are scrolled out, their names stay at the top, followed by
 * the row's own. */
static void draw_sticky(struct td_view *view, int first)
{
    const struct td_node *node = &view->layout.nodes[first];
    const struct td_node *group = node->parent >= 0 ? &view->layout.nodes[node->parent] : NULL;
    struct td_ui *ui = view->ui;
    float height = view->metrics.group, y = view->area.top, edge = view->area.panel.left + TD_U(view, 3);
    if (!group || (node->y >= view->area.scroll && node->kind != TD_NODE_GROUP))
        return;
    /* The next row pushes the label out. */
    float below = node->y + node->height - view->area.scroll;
    if (node->kind != TD_NODE_GROUP)
        y -= floorf(fmaxf(height - below, 0));
    td_ui_rect(ui, edge, y, view->area.left, y + height, TD_C(GROUP), 0);
    td_ui_rect(ui, edge, y + height - 1, view->area.left, y + height, TD_C(EDGE), 0);
    float x = view->area.panel.left + TD_U(view, 14), right = view->area.left - TD_U(view, 10);
    float text_y = y + (height - td_ui_text_height(ui, TD_FONT_BOLD)) / 2;
    if (group->parent >= 0)
        x += td_ui_text_fit(ui, TD_FONT_TEXT, x, text_y, right - x, TD_C(TEXT_DIM),
                            view->layout.nodes[group->parent].label) +
             TD_U(view, 8);
    x += td_ui_text_fit(ui, TD_FONT_BOLD, x, text_y, right - x, TD_C(TEXT), group->label) + TD_U(view, 8);
    td_ui_text_fit(ui, TD_FONT_TEXT, x, text_y, right - x, TD_C(TEXT_DIM), node->label);
}

void td_draw_labels(struct td_view *view)
{
    const struct td_layout *layout = &view->layout;
    td_ui_clip(view->ui, view->area.panel.left, view->area.pins_top, view->area.left, view->area.top);
    for (int p = 0; p < layout->pin_count; p++)
        draw_node(view, layout->pins[p], td_view_node_y(view, &layout->nodes[layout->pins[p]]));
    td_ui_unclip(view->ui);
    td_ui_clip(view->ui, view->area.panel.left, view->area.top, view->area.left, view->area.bottom);
    td_ui_rect(view->ui, view->area.panel.left, view->area.top, view->area.left, view->area.bottom,
               TD_C(GUTTER), 0);
    for (int s = td_layout_at(layout, view->area.scroll); s < layout->shown_count; s++) {
        float y = td_view_node_y(view, &layout->nodes[layout->shown[s]]);
        if (y > view->area.bottom)
            break;
        draw_node(view, layout->shown[s], y);
    }
    /* Of closed groups, the label covers the one of which it hides most. */
    int first = td_layout_at(layout, view->area.scroll);
    const int covered = td_layout_at(layout, view->area.scroll + view->metrics.group / 2);
    if (first < layout->shown_count && layout->nodes[layout->shown[first]].kind == TD_NODE_GROUP)
        first = covered;
    if (first < layout->shown_count)
        draw_sticky(view, layout->shown[first]);
    td_ui_unclip(view->ui);
    td_ui_rect(view->ui, view->area.left - 1, view->area.pins_top, view->area.left, view->area.bottom,
               TD_C(EDGE), 0);
}
