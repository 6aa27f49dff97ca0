/* Mouse and keyboard input of the timeline. */
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/critical.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/input.h"
#include "host/viewer/timeline/label_drag.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define ZOOM_STEP   0.75
#define EDGE_SLACK  4 /* pixels around an edge of the marked range in which it can be dragged */
#define CLICK_SLACK 4 /* pixels; a longer movement is a drag */

static void scroll_to(struct td_view *view, float y, bool jump)
{
    float most = fmaxf(view->layout.height - (view->area.bottom - view->area.top), false);
    view->area.to_scroll = fminf(fmaxf(y, 0), most);
    if (jump)
        view->area.scroll = view->area.to_scroll;
}

static bool is_in_rows(const struct td_view *view, float x, float y)
{
    return x >= view->area.left && x < view->area.right && y >= view->area.pins_top && y < view->area.bottom;
}

static void take_wheel(struct td_view *view)
{
    float y = td_ui_wheel_y(view->ui), x = td_ui_wheel_x(view->ui);
    float mouse_x = td_ui_mouse_x(view->ui);
    if (y == 0 && x == 0)
        return;
    if (x != 0)
        td_camera_pan(&view->camera, x * .08, false);
    if (y == 0)
        return;
    const bool tracy = td_tracy_mouse(view);
    if ((td_ui_shift(view->ui) && !tracy) || mouse_x < view->area.left || mouse_x >= view->area.right)
        scroll_to(view, view->area.to_scroll - y * TD_U(view, 72), false);
    else
        td_camera_zoom(&view->camera, tracy ? td_tracy_wheel(view, y) : pow(ZOOM_STEP, y),
                       (mouse_x - view->area.left) / (view->area.right - view->area.left));
}

static void click_label(struct td_view *view, int number)
{
    struct td_node *node = &view->layout.nodes[number];
    if (node->kind != TD_NODE_GROUP && node->kind != TD_NODE_TRACK)
        return;
    node->collapsed = !node->collapsed;
    view->rows.arranged = true;
    td_view_place_rows(view);
    scroll_to(view, view->area.to_scroll, true);
}

/* The handle is dragged; beside it, the track moves it to the mouse first. */
static void begin_scroll(struct td_view *view, float y)
{
    float top, bottom;
    view->drag.kind = TD_DRAG_SCROLL;
    if (!td_view_scroll_handle(view, &top, &bottom) || (y >= top && y < bottom))
        return;
    const float area = view->area.bottom - view->area.top, room = area - (bottom - top);
    const float part = (y - (bottom - top) / 2 - view->area.top) / fmaxf(room, 1);
    scroll_to(view, part * (view->layout.height - area), true);
}

bool td_view_range_edge(const struct td_view *view, float x, bool *end)
{
    if (!view->selection.measured || x < view->area.left || x >= view->area.right)
        return false;
    const float from = fabsf(td_view_x(view, view->selection.measure_from_ns) - x),
                to = fabsf(td_view_x(view, view->selection.measure_to_ns) - x);
    *end = to <= from;
    return fminf(from, to) <= TD_U(view, EDGE_SLACK);
}

/* The other edge of the marked range stays. */
static void begin_edge(struct td_view *view, bool end)
{
    view->drag.kind = TD_DRAG_MEASURE;
    view->drag.from_ns = end ? view->selection.measure_from_ns : view->selection.measure_to_ns;
}

static void begin_drag(struct td_view *view, float overview_top)
{
    bool end;
    float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    const bool tracy = td_tracy_mouse(view), left = td_ui_mouse_pressed(view->ui, TD_MOUSE_LEFT),
               right = td_ui_mouse_pressed(view->ui, TD_MOUSE_RIGHT),
               middle = td_ui_mouse_pressed(view->ui, TD_MOUSE_MIDDLE);
    if (!left && !right && !middle)
        return;
    view->drag.button = left ? TD_MOUSE_LEFT : right ? TD_MOUSE_RIGHT : TD_MOUSE_MIDDLE;
    view->drag.x = x;
    view->drag.y = y;
    view->drag.moved = false;
    if (left && y >= overview_top && y < overview_top + TD_U(view, TD_OVERVIEW_HEIGHT) &&
        x >= view->area.left)
        view->drag.kind = TD_DRAG_OVERVIEW;
    else if (left && x >= view->area.right && y >= view->area.top)
        begin_scroll(view, y);
    else if (left && x < view->area.left && y >= view->area.pins_top && view->hover.node >= 0)
        td_label_drag_begin(view);
    else if (right && x < view->area.left && y >= view->area.pins_top)
        td_menu_at_mouse(view);
    else if (tracy && x < view->area.left && y >= view->area.pins_top && view->hover.node >= 0)
        td_tracy_zoom_node(view, view->hover.node);
    else if (left && y >= overview_top && td_view_range_edge(view, x, &end))
        begin_edge(view, end);
    else if ((tracy ? left : right) && x >= view->area.left && x < view->area.right) {
        view->drag.kind = TD_DRAG_MEASURE;
        view->drag.from_ns = td_view_time(view, x);
    } else if (tracy && middle && x >= view->area.left && x < view->area.right) {
        view->drag.kind = TD_DRAG_ZOOM;
        view->drag.zoom_span = (struct td_time_span){false, td_view_time(view, x), td_view_time(view, x)};
    } else if (is_in_rows(view, x, y))
        view->drag.kind = TD_DRAG_PAN;
}

static void continue_drag(struct td_view *view)
{
    float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    float dx = x - view->drag.x, dy = y - view->drag.y;
    if (!view->drag.moved && fabsf(dx) < TD_U(view, CLICK_SLACK) && fabsf(dy) < TD_U(view, CLICK_SLACK) &&
        view->drag.kind != TD_DRAG_OVERVIEW)
        return;
    view->drag.moved = true;
    float area = view->area.bottom - view->area.top;
    double full = view->camera.full_end_ns - view->camera.full_start_ns;
    double span = view->camera.to_end_ns - view->camera.to_start_ns;
    double middle =
        view->camera.full_start_ns + (x - view->area.left) / (view->area.right - view->area.left) * full;
    switch (view->drag.kind) {
    case TD_DRAG_PAN:
        td_camera_pan(&view->camera, -dx / (view->area.right - view->area.left), true);
        scroll_to(view, view->area.scroll - dy, true);
        break;
    case TD_DRAG_MEASURE:
        view->selection.measured = true;
        view->selection.measure_from_ns = view->drag.from_ns;
        view->selection.measure_to_ns = td_view_time(view, x);
        return;
    case TD_DRAG_ZOOM:
        view->drag.zoom_span.used = true;
        view->drag.zoom_span.to_ns = td_view_time(view, x);
        return;
    case TD_DRAG_OVERVIEW:
        td_camera_set_range(&view->camera, middle - span / 2, middle + span / 2, true);
        break;
    case TD_DRAG_SCROLL:
        scroll_to(view, view->area.scroll + dy * view->layout.height / area, true);
        break;
    case TD_DRAG_LABEL:
        scroll_to(view, view->area.scroll + td_label_drag_move(view), true);
        break;
    case TD_DRAG_NONE:
        break;
    }
    view->drag.x = x;
    view->drag.y = y;
}

/* A click on what is under the mouse. */
static void click_rows(struct td_view *view)
{
    if (td_ui_ctrl(view->ui) && td_panel_click(view, TD_PANEL_PLAYBACK))
        return;
    if (view->hover.message) {
        td_view_show_message(view, view->hover.message - 1);
    } else if (view->hover.stack.kind || view->hover.waits) {
        const struct td_time_span span = view->hover.span;
        if (view->hover.waits)
            td_view_select_wait(view, view->layout.nodes[view->hover.node].number, (int64_t)span.from_ns,
                                (int64_t)span.to_ns);
        td_panel_click(view, TD_PANEL_CALLSTACK);
    } else if (view->hover.pool) {
        td_panel_click(view, TD_PANEL_MEMORY);
    } else if (view->hover.thread) {
        td_panel_click(view, TD_PANEL_CPUS);
    } else if (view->hover.frame) {
        td_view_choose_frame_set(view, view->hover.set);
        td_view_show_frame(view, view->hover.frame - 1, false);
    } else {
        view->drag.clicked = td_ref_valid(view->hover.zone);
        view->drag.click = view->hover.zone;
        view->selection.followed = (struct td_followed){0};
        td_view_select(view, view->hover.zone);
        if (td_tracy_mouse(view) && td_ui_ctrl(view->ui) && td_ref_valid(view->hover.zone))
            td_panel_set_open(view, TD_PANEL_INSTANCES, true);
    }
}

static void end_drag(struct td_view *view)
{
    const bool in_rows = view->drag.kind == TD_DRAG_MEASURE || view->drag.kind == TD_DRAG_PAN;
    if (td_ui_mouse_down(view->ui, view->drag.button))
        return;
    if (in_rows && view->drag.button == TD_MOUSE_LEFT && !view->drag.moved)
        click_rows(view);
    const double from = view->selection.measure_from_ns, to = view->selection.measure_to_ns;
    if (view->drag.kind == TD_DRAG_MEASURE && view->drag.button == TD_MOUSE_LEFT && !view->drag.moved &&
        view->drag.from_ns != from && view->drag.from_ns != to)
        view->selection.measured = false;
    if (in_rows && view->drag.button == TD_MOUSE_RIGHT && !view->drag.moved)
        td_menu_at_mouse(view);
    if (view->drag.kind == TD_DRAG_ZOOM)
        td_tracy_end_zoom(view);
    if (view->drag.kind == TD_DRAG_LABEL && td_label_drag_end(view))
        click_label(view, view->drag.node);
    if (view->drag.kind == TD_DRAG_MEASURE && view->selection.measured && td_tracy_mouse(view) &&
        td_ui_ctrl(view->ui))
        view->selection.limit = TD_LIMIT_MARKED;
    view->drag.kind = TD_DRAG_NONE;
}

/* Zooms to the zone of the first click, which may have opened a panel that moves or covers what is under the mouse. */
static bool take_double_click(struct td_view *view)
{
    const bool again = td_ui_double_click(view->ui) && view->drag.clicked;
    if (again || td_ui_mouse_pressed(view->ui, TD_MOUSE_LEFT))
        view->drag.clicked = false;
    if (again)
        td_view_show_zone(view, view->drag.click, true);
    return again;
}

void td_view_mouse(struct td_view *view, float overview_top)
{
    if (take_double_click(view))
        return;
    if (view->drag.kind != TD_DRAG_NONE) {
        continue_drag(view);
        end_drag(view);
    } else if (td_ui_region_hovered(view->ui)) {
        take_wheel(view);
        if (td_ui_double_click(view->ui) && td_ref_valid(view->hover.zone)) {
            td_view_select(view, view->hover.zone);
            td_view_show_zone(view, view->hover.zone, true);
            return;
        }
        if (td_ui_double_click(view->ui) && view->hover.span.used) {
            td_camera_set_range(&view->camera, view->hover.span.from_ns, view->hover.span.to_ns, false);
            return;
        }
        begin_drag(view, overview_top);
    }
    scroll_to(view, view->area.to_scroll, false);
    view->area.scroll =
        fminf(view->area.scroll, fmaxf(view->layout.height - (view->area.bottom - view->area.top), 0));
}

/* Where keys zoom: in the middle, with the mouse as in Tracy's viewer at the mouse. */
static double key_anchor(const struct td_view *view)
{
    const float x = td_ui_mouse_x(view->ui);
    if (!td_tracy_mouse(view) || x < view->area.left || x >= view->area.right)
        return .5;
    return (x - view->area.left) / (view->area.right - view->area.left);
}

bool td_timeline_key(struct td_view *view, const struct td_key_press *press)
{
    float page = view->area.bottom - view->area.top;
    if (press->ctrl || press->alt)
        return false;
    switch (press->key) {
    case TD_KEY_LEFT:
    case 'a':
        td_camera_pan(&view->camera, -.12, false);
        break;
    case TD_KEY_RIGHT:
    case 'd':
        td_camera_pan(&view->camera, .12, false);
        break;
    case TD_KEY_UP:
        scroll_to(view, view->area.to_scroll - TD_U(view, 60), false);
        break;
    case TD_KEY_DOWN:
        scroll_to(view, view->area.to_scroll + TD_U(view, 60), false);
        break;
    case TD_KEY_PAGE_UP:
        scroll_to(view, view->area.to_scroll - page * .9f, false);
        break;
    case TD_KEY_PAGE_DOWN:
        scroll_to(view, view->area.to_scroll + page * .9f, false);
        break;
    case TD_KEY_HOME:
        scroll_to(view, 0, false);
        break;
    case TD_KEY_END:
        scroll_to(view, view->layout.height, false);
        break;
    case '+':
    case 'w':
        td_camera_zoom(&view->camera, ZOOM_STEP, key_anchor(view));
        break;
    case '-':
    case 's':
        td_camera_zoom(&view->camera, 1 / ZOOM_STEP, key_anchor(view));
        break;
    case 'p':
        if (view->hover.node >= 0)
            td_lanes_pin(view, view->hover.node);
        break;
    case 'x':
        if (press->shift)
            td_lanes_pin(view, -1);
        if (press->shift || view->hover.node >= 0)
            td_lanes_hide(view, press->shift ? -1 : view->hover.node);
        break;
    default:
        return false;
    }
    return true;
}

void td_view_keys(struct td_view *view)
{
    const struct td_key_press *keys;
    size_t count = td_ui_keys(view->ui, &keys);
    for (size_t i = 0; i < count; i++) {
        const bool always = keys[i].key == TD_KEY_ESCAPE || keys[i].key == TD_KEY_F3 ||
                            (keys[i].key >= TD_KEY_F9 && keys[i].key <= TD_KEY_F11);
        if (keys[i].key != TD_KEY_NONE && (always || !keys[i].typed))
            td_panels_key(view, &keys[i]);
    }
}
