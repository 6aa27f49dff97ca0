/* The timeline panel: finds the zone under the mouse and draws the parts in order. */
#include "host/viewer/timeline/clock_scope.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/critical.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/input.h"
#include "host/viewer/timeline/label_drag.h"
#include "host/viewer/timeline/label_tip.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define RULER_HEIGHT    26
#define LABELS_WIDTH    196
#define SCROLLBAR_WIDTH 14

static void find_hover(struct td_view *view)
{
    float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    view->hover.zone = TD_NO_ZONE;
    view->hover.srcloc = TD_SUM_MIXED;
    view->hover.node = -1;
    if (!td_ui_region_hovered(view->ui) || x < view->area.panel.left || x >= view->area.right ||
        y < view->area.pins_top || y >= view->area.bottom)
        return;
    view->hover.node = td_view_node_at(view, y);
    if (view->hover.node < 0)
        return;
    const struct td_node *node = &view->layout.nodes[view->hover.node];
    if (node->kind != TD_NODE_TRACK || node->collapsed || x < view->area.left)
        return;
    float inside = y - td_view_node_y(view, node) + node->y;
    float row = (inside - td_layout_row_y(node, &view->metrics, 0)) / view->metrics.row;
    if (row < 0 || row >= (float)node->rows)
        return;
    struct td_zone_ref ref = {node->number, (uint32_t)row, 0};
    const struct td_clock_scope clock = td_view_enter_clock(view, ref.track);
    const double from = td_view_time(view, x - 1), to = td_view_time(view, x + 1);
    td_view_leave_clock(view, &clock);
    ref.index = td_trace_zone_after(view->model.trace, ref.track, ref.row, td_lod_time(from));
    if (ref.index >= td_trace_row_zones(view->model.trace, ref.track, ref.row))
        return;
    const struct td_zone zone = td_view_zone(view, ref);
    if ((double)zone.start_ns > to)
        return;
    view->hover.zone = ref;
    view->hover.srcloc = zone.srcloc;
}

/* The track whose clock the row has: groups of a GPU context have that of its first row. */
static uint32_t clock_track(const struct td_view *view, int number)
{
    const struct td_node *node = &view->layout.nodes[number];
    if (node->kind == TD_NODE_GROUP && number + 1 < node->end)
        node++;
    return node->kind == TD_NODE_TRACK ? node->number : UINT32_MAX;
}

static void draw_track(struct td_view *view, const struct td_node *node, float y)
{
    if (node->has_messages)
        td_draw_messages(view, node, y);
    if (node->has_runs)
        td_draw_runs(view, node, y);
    if (node->has_samples)
        td_draw_samples(view, node, y);
    td_draw_zones(view, node, y);
    if (node->has_switches) /* darkens the zones */
        td_draw_switches(view, node, y);
}

static void draw_usage(struct td_view *view, const struct td_node *node, float y)
{
    td_draw_cpu_usage(view, node, y, node->height);
}

static void draw_content(struct td_view *view, int number, float y)
{
    static void (*const draws[])(struct td_view * view, const struct td_node *node, float y) = {
#define TD_X(id, height, for_each, centred, draw) draw,
        TD_NODE_KINDS(TD_X)
#undef TD_X
    };
    const struct td_node *node = &view->layout.nodes[number];
    const uint32_t track = clock_track(view, number);
    struct td_clock_scope clock = {0};
    if (track != UINT32_MAX)
        clock = td_view_enter_clock(view, track);
    if (node->collapsed && number + 1 < node->end && node[1].kind == TD_NODE_CPU_USAGE)
        draw_usage(view, node, y);
    else if (node->collapsed)
        td_draw_density(view, number, y, node->height);
    else if (draws[node->kind])
        draws[node->kind](view, node, y);
    td_view_leave_clock(view, &clock);
}

static void draw_node(struct td_view *view, int number, float y)
{
    const struct td_node *node = &view->layout.nodes[number];
    bool group = node->kind == TD_NODE_GROUP;
    if (group || node->collapsed)
        td_ui_rect(view->ui, view->area.left, y, view->area.right, y + node->height,
                   group ? TD_C(GROUP) : TD_C(CLOSED), 0);
    draw_content(view, number, y);
    td_draw_lacks_switches(view, number, y);
    td_ui_rect(view->ui, view->area.left, y + node->height - 1, view->area.right, y + node->height,
               TD_C(TRACK_EDGE), 0);
}

/* The rows that stay while the others scroll. */
static void draw_pins(struct td_view *view)
{
    const struct td_layout *layout = &view->layout;
    if (view->area.pins_top >= view->area.top)
        return;
    td_ui_clip(view->ui, view->area.left, view->area.pins_top, view->area.right, view->area.top);
    td_ui_strips_begin(view->ui);
    for (int p = 0; p < layout->pin_count; p++)
        draw_node(view, layout->pins[p], td_view_node_y(view, &layout->nodes[layout->pins[p]]));
    td_ui_strips_end(view->ui);
    td_ui_unclip(view->ui);
    td_ui_rect(view->ui, view->area.panel.left, view->area.top - TD_U(view, 2), view->area.right,
               view->area.top, TD_C(ACCENT), 0);
}

static void draw_emptiness(struct td_view *view)
{
    const char *text = td_trace_is_finished(view->model.trace)
                           ? "This trace is empty: it has no zones, messages, plots or frames."
                           : "Nothing has been recorded yet.";
    const float wide = td_ui_text_width(view->ui, TD_FONT_TEXT, text),
                room = view->area.right - view->area.left;
    td_ui_text_fit(view->ui, TD_FONT_TEXT, view->area.left + fmaxf((room - wide) / 2, TD_U(view, 12)),
                   (view->area.top + view->area.bottom) / 2, room - TD_U(view, 24), TD_C(TEXT_DIM), text);
}

static void draw_rows(struct td_view *view)
{
    const struct td_layout *layout = &view->layout;
    view->hover.message = 0;
    view->hover.span.used = view->hover.waits = false;
    view->hover.frame = 0;
    view->hover.stack = (struct td_stack_spot){0};
    view->hover.pool = 0;
    view->hover.allocation = 0;
    view->hover.thread = 0;
    td_ui_clip(view->ui, view->area.left, view->area.top, view->area.right, view->area.bottom);
    td_draw_grid(view);
    td_draw_frame_targets(view);
    td_ui_strips_begin(view->ui);
    for (int s = td_layout_at(layout, view->area.scroll); s < layout->shown_count; s++) {
        float y = td_view_node_y(view, &layout->nodes[layout->shown[s]]);
        if (y > view->area.bottom)
            break;
        draw_node(view, layout->shown[s], y);
    }
    td_ui_strips_end(view->ui);
    td_ui_unclip(view->ui);
    draw_pins(view);
    td_ui_clip(view->ui, view->area.left, view->area.pins_top, view->area.right, view->area.bottom);
    if (!layout->count)
        draw_emptiness(view);
    td_draw_frame_lines(view);
    td_draw_migrations(view);
    td_draw_transfers(view);
    td_draw_flows(view);
    td_draw_chain(view);
    td_draw_critical(view);
    td_draw_spots(view);
    td_ui_unclip(view->ui);
}

static void draw_measure(struct td_view *view, float ruler_y)
{
    if (!view->selection.measured ||
        fmax(view->selection.measure_from_ns, view->selection.measure_to_ns) < view->camera.start_ns ||
        fmin(view->selection.measure_from_ns, view->selection.measure_to_ns) > view->camera.end_ns)
        return;
    struct td_ui *ui = view->ui;
    double from = fmin(view->selection.measure_from_ns, view->selection.measure_to_ns);
    double to = fmax(view->selection.measure_from_ns, view->selection.measure_to_ns);
    float x0 = floorf(td_view_x(view, from)), x1 = ceilf(td_view_x(view, to));
    char text[TD_FORMAT_BYTES];
    td_format_ns(text, to - from);
    td_ui_clip(ui, view->area.left, ruler_y, view->area.right, view->area.bottom);
    td_ui_rect(ui, x0, ruler_y, x1, view->area.bottom, td_color_alpha(TD_C(ACCENT), .13f), 0);
    td_ui_rect(ui, x0, ruler_y, x0 + 1, view->area.bottom, TD_C(ACCENT), 0);
    td_ui_rect(ui, x1 - 1, ruler_y, x1, view->area.bottom, TD_C(ACCENT), 0);
    bool end;
    const float edge = TD_U(view, 3), mouse = td_ui_mouse_x(ui);
    if (td_ui_region_hovered(ui) && td_ui_mouse_y(ui) >= ruler_y && td_view_range_edge(view, mouse, &end)) {
        const float x =
            td_view_x(view, end ? view->selection.measure_to_ns : view->selection.measure_from_ns);
        td_ui_rect(ui, x - edge / 2, ruler_y, x + edge / 2, view->area.bottom, TD_C(ACCENT), 0);
    }
    float wide = td_ui_text_width(ui, TD_FONT_BOLD, text) + TD_U(view, 16), high = TD_U(view, 21);
    float x = fminf(fmaxf((x0 + x1 - wide) / 2, view->area.left + 2), view->area.right - wide - 2);
    float y = view->area.top + TD_U(view, 6);
    td_ui_rect(ui, x, y, x + wide, y + high, TD_C(ACCENT), TD_U(view, 4));
    td_ui_text(ui, TD_FONT_BOLD, x + TD_U(view, 8), y + (high - td_ui_text_height(ui, TD_FONT_BOLD)) / 2,
               td_color_text_on(TD_C(ACCENT)), text);
    td_ui_unclip(ui);
}

/* The range that a drag of the middle button will zoom to. */
static void draw_zoom_span(struct td_view *view, float ruler_y)
{
    if (view->drag.kind != TD_DRAG_ZOOM || !view->drag.zoom_span.used)
        return;
    const float x0 = floorf(td_view_x(view, fmin(view->drag.zoom_span.from_ns, view->drag.zoom_span.to_ns))),
                x1 = ceilf(td_view_x(view, fmax(view->drag.zoom_span.from_ns, view->drag.zoom_span.to_ns)));
    td_ui_clip(view->ui, view->area.left, ruler_y, view->area.right, view->area.bottom);
    td_ui_rect(view->ui, x0, ruler_y, x1, view->area.bottom, td_color_alpha(TD_C(MATCH), .13f), 0);
    td_ui_rect(view->ui, x0, ruler_y, x0 + 1, view->area.bottom, TD_C(MATCH), 0);
    td_ui_rect(view->ui, x1 - 1, ruler_y, x1, view->area.bottom, TD_C(MATCH), 0);
    td_ui_unclip(view->ui);
}

/* Its time is below the ruler, whose labels stay visible. */
static void draw_cursor(struct td_view *view, float ruler_y)
{
    struct td_ui *ui = view->ui;
    float x = floorf(td_ui_mouse_x(ui)), y = td_ui_mouse_y(ui);
    if (!td_ui_region_hovered(ui) || x < view->area.left || x >= view->area.right || y < ruler_y ||
        y >= view->area.bottom)
        return;
    td_ui_rect(ui, x, ruler_y, x + 1, view->area.bottom, td_color_alpha(TD_C(FLOW), .2f), 0);
    char text[TD_FORMAT_BYTES];
    td_format_time(text, td_view_time(view, x), fmax(view->area.ns_per_pixel, 1));
    const float wide = td_ui_text_width(ui, TD_FONT_SMALL, text) + TD_U(view, 12), top = view->area.pins_top,
                high = TD_U(view, 18);
    const float left = fminf(fmaxf(x - wide / 2, view->area.left), view->area.right - wide);
    td_ui_rect(ui, left, top, left + wide, top + high, TD_C(LIT), TD_U(view, 4));
    td_ui_text(ui, TD_FONT_SMALL, left + TD_U(view, 6),
               top + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, TD_C(TEXT), text);
}

static void draw_scrollbar(struct td_view *view)
{
    float y, bottom;
    td_ui_rect(view->ui, view->area.right, view->area.top, view->area.panel.right, view->area.bottom,
               TD_C(GUTTER), 0);
    if (!td_view_scroll_handle(view, &y, &bottom))
        return;
    const float inset = TD_U(view, 2), left = view->area.right + inset,
                right = view->area.panel.right - inset;
    const td_rgba color = view->drag.kind == TD_DRAG_SCROLL ? TD_C(TEXT) : TD_C(TEXT_FAINT);
    td_draw_row_map(view, left, right);
    td_ui_rect(view->ui, left - inset, y, right + inset, bottom, td_color_alpha(color, .25f), TD_U(view, 3));
    td_ui_frame_rect(view->ui, left - inset, y, right + inset, bottom, color, TD_U(view, 3), 1);
}

static void draw_timeline(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    float y = place->top, overview = TD_U(view, TD_OVERVIEW_HEIGHT), ruler = TD_U(view, RULER_HEIGHT);
    td_ui_region_begin(ui, td_panel_timeline.name, place->left, y, place->right - place->left,
                       place->bottom - y, TD_C(BACK), TD_LAYER_BASE);
    view->area.panel = *place;
    view->area.left = place->left + roundf(TD_U(view, LABELS_WIDTH));
    view->area.right = fmaxf(place->right - TD_U(view, SCROLLBAR_WIDTH), view->area.left + 1);
    view->area.pins_top = y + overview + ruler;
    view->area.bottom = fmaxf(place->bottom, view->area.pins_top);
    view->area.top = td_lanes_pins_bottom(view);
    td_view_set_scale(view);
    find_hover(view);
    td_view_mouse(view, y);
    /* Mouse input may have changed the range. */
    td_view_set_scale(view);
    find_hover(view);
    td_view_begin_bands(view);
    td_row_map_update(view);
    draw_rows(view);
    td_draw_labels(view);
    td_draw_label_drag(view);
    draw_scrollbar(view);
    td_draw_overview(view, y, overview);
    td_bands_end_frame(view->drawn.bands);
    td_draw_ruler(view, y + overview, ruler);
    td_draw_notes(view, y + overview);
    td_draw_lane_corner(view, y, overview);
    draw_measure(view, y + overview);
    draw_zoom_span(view, y + overview);
    draw_cursor(view, y + overview);
    td_label_tip(view);
    td_ruler_tip(view, y + overview, y + overview + ruler);
    td_ui_region_end(ui);
}

static void draw_timeline_buttons(struct td_view *view, struct td_bar_row *row)
{
    if (td_bar_button(view, row, "Fit", TD_U(view, 54)))
        td_camera_fit(&view->camera, false);
    bool any_closed = false;
    for (int i = 0; i < view->layout.count; i++)
        any_closed |= view->layout.nodes[i].collapsed;
    if (td_bar_button(view, row, any_closed ? "Expand" : "Collapse", TD_U(view, 84)))
        td_view_collapse(view, !any_closed);
}

/* Esc clears the measurement, then the thread whose runs are shown, then the selection. */
static bool close_choice(struct td_view *view)
{
    const bool follows = view->selection.followed.thread || view->selection.followed.process,
               chosen = view->selection.measured || follows || view->selection.wait.used ||
                        td_ref_valid(view->selection.zone);
    if (view->selection.measured)
        view->selection.measured = false;
    else if (follows)
        view->selection.followed = (struct td_followed){0};
    else
        td_view_select(view, TD_NO_ZONE);
    return chosen;
}

static const struct td_help_line timeline_help[] = {
    {"Wheel", "zoom in and out at the mouse"},
    {"W, S, +, -", "zoom in and out at the middle"},
    {"Drag, A, D, arrows", "move through time and tracks"},
    {"Shift+wheel, Page Up, Page Down", "move through tracks"},
    {"Home, End", "go to the first and last track"},
    {"Right drag", "mark a range of time"},
    {"Right click", "a menu of the zone, row, range or frame"},
    {"Drag of its edge", "change the range"},
    {"Mouse over a zone", "outline the zones of its source location"},
    {"Click", "select a zone and see its details"},
    {"Click on a frame", "select it, and choose its set"},
    {"Ctrl+click on frame, message", "show the image of the frame"},
    {"Double click", "zoom to the zone, frame, section or run of a fiber"},
    {"Click on a label", "collapse and expand a group"},
    {"Drag of a label", "move the thread, core or group among its like"},
    {"5, 6, 7, 8", "show or hide CPU data, context switches, samples; change ghost zones"},
    {"P", "pin the row under the mouse above the others, or unpin it"},
    {"X, Shift+X", "hide the row under the mouse, show all rows again and unpin them"},
    {0},
};

static const struct td_help_line *choose_help(const struct td_view *view)
{
    return td_tracy_mouse(view) ? td_tracy_help : timeline_help;
}

const struct td_panel td_panel_timeline = {
    .name = "timeline",
    .page = "What can be done here?",
    .dock = TD_DOCK_CENTRE,
    .help = timeline_help,
    .choose_help = choose_help,
    .bar_rank = 2,
    .is_open = td_panel_always_open,
    .draw = draw_timeline,
    .draw_controls = draw_timeline_buttons,
    .close = close_choice,
    .take_key = td_timeline_key,
};
