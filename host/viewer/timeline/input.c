/* Mouse and keyboard input of the timeline. */
#include "host/viewer/view.h"

#include <math.h>

#define ZOOM_STEP   0.75
#define CLICK_SLACK 4 /* pixels; a longer movement is a drag */

static void scroll_to(struct td_view *view, float y, bool jump)
{
    float most = fmaxf(view->layout.height - (view->bottom - view->top), false);
    view->to_scroll = fminf(fmaxf(y, 0), most);
    if (jump)
        view->scroll = view->to_scroll;
}

static bool is_in_rows(const struct td_view *view, float x, float y)
{
    return x >= view->left && x < view->right && y >= view->pins_top && y < view->bottom;
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
    if (td_ui_shift(view->ui) || mouse_x < view->left || mouse_x >= view->right)
        scroll_to(view, view->to_scroll - y * TD_U(view, 72), false);
    else
        td_camera_zoom(&view->camera, pow(ZOOM_STEP, y), (mouse_x - view->left) / (view->right - view->left));
}

static void click_label(struct td_view *view)
{
    if (view->hover_node < 0)
        return;
    struct td_node *node = &view->layout.nodes[view->hover_node];
    if (node->kind != TD_NODE_GROUP && node->kind != TD_NODE_TRACK)
        return;
    node->collapsed = !node->collapsed;
    view->arranged = true;
    td_view_place_rows(view);
    scroll_to(view, view->to_scroll, true);
}

/* The handle is dragged; beside it, the track moves it to the mouse first. */
static void begin_scroll(struct td_view *view, float y)
{
    float top, bottom;
    view->drag = TD_DRAG_SCROLL;
    if (!td_view_scroll_handle(view, &top, &bottom) || (y >= top && y < bottom))
        return;
    const float area = view->bottom - view->top, room = area - (bottom - top);
    const float part = (y - (bottom - top) / 2 - view->top) / fmaxf(room, 1);
    scroll_to(view, part * (view->layout.height - area), true);
}

/* With the mouse as in Tracy's viewer, the left button measures and the right one pans. */
static bool is_swapped(const struct td_view *view)
{
    return td_view_choice(view, TD_CHOICE_MOUSE);
}

static void begin_drag(struct td_view *view, float overview_top)
{
    float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    bool left = td_ui_mouse_pressed(view->ui, TD_MOUSE_LEFT),
         right = td_ui_mouse_pressed(view->ui, TD_MOUSE_RIGHT);
    bool middle = td_ui_mouse_pressed(view->ui, TD_MOUSE_MIDDLE);
    if (!left && !right && !middle)
        return;
    view->drag_x = x;
    view->drag_y = y;
    view->drag_moved = false;
    if (left && y >= overview_top && y < overview_top + TD_U(view, TD_OVERVIEW_HEIGHT) && x >= view->left)
        view->drag = TD_DRAG_OVERVIEW;
    else if (left && x >= view->right && y >= view->top)
        begin_scroll(view, y);
    else if (left && x < view->left && y >= view->pins_top)
        click_label(view);
    else if ((is_swapped(view) ? left : right) && x >= view->left && x < view->right) {
        view->drag = TD_DRAG_MEASURE;
        view->measured = false;
        view->measure_from_ns = td_view_time(view, x);
    } else if (is_in_rows(view, x, y))
        view->drag = TD_DRAG_PAN;
}

static void continue_drag(struct td_view *view)
{
    float x = td_ui_mouse_x(view->ui), y = td_ui_mouse_y(view->ui);
    float dx = x - view->drag_x, dy = y - view->drag_y;
    if (!view->drag_moved && fabsf(dx) < TD_U(view, CLICK_SLACK) && fabsf(dy) < TD_U(view, CLICK_SLACK) &&
        view->drag != TD_DRAG_OVERVIEW)
        return;
    view->drag_moved = true;
    float area = view->bottom - view->top;
    double full = view->camera.full_end_ns - view->camera.full_start_ns;
    double span = view->camera.to_end_ns - view->camera.to_start_ns;
    double middle = view->camera.full_start_ns + (x - view->left) / (view->right - view->left) * full;
    switch (view->drag) {
    case TD_DRAG_PAN:
        td_camera_pan(&view->camera, -dx / (view->right - view->left), true);
        scroll_to(view, view->scroll - dy, true);
        break;
    case TD_DRAG_MEASURE:
        view->measured = true;
        view->measure_to_ns = td_view_time(view, x);
        return;
    case TD_DRAG_OVERVIEW:
        td_camera_set_range(&view->camera, middle - span / 2, middle + span / 2, true);
        break;
    case TD_DRAG_SCROLL:
        scroll_to(view, view->scroll + dy * view->layout.height / area, true);
        break;
    case TD_DRAG_NONE:
        break;
    }
    view->drag_x = x;
    view->drag_y = y;
}

static void end_drag(struct td_view *view)
{
    const bool in_rows = view->drag == TD_DRAG_MEASURE || view->drag == TD_DRAG_PAN;
    const enum td_drag by_right = is_swapped(view) ? TD_DRAG_PAN : TD_DRAG_MEASURE;
    int button = in_rows && view->drag == by_right ? TD_MOUSE_RIGHT : TD_MOUSE_LEFT;
    if (td_ui_mouse_down(view->ui, button) || td_ui_mouse_down(view->ui, TD_MOUSE_MIDDLE))
        return;
    if (in_rows && view->drag != by_right && !view->drag_moved &&
        td_ui_mouse_released(view->ui, TD_MOUSE_LEFT)) {
        if (view->hover_message)
            td_view_show_message(view, view->hover_message - 1);
        else
            td_view_select(view, view->hover);
    }
    view->drag = TD_DRAG_NONE;
}

void td_view_mouse(struct td_view *view, float overview_top)
{
    if (view->drag != TD_DRAG_NONE) {
        continue_drag(view);
        end_drag(view);
    } else if (td_ui_region_hovered(view->ui)) {
        take_wheel(view);
        if (td_ui_double_click(view->ui) && td_ref_valid(view->hover)) {
            td_view_select(view, view->hover);
            td_view_show_zone(view, view->hover, true);
            return;
        }
        begin_drag(view, overview_top);
    }
    scroll_to(view, view->to_scroll, false);
    view->scroll = fminf(view->scroll, fmaxf(view->layout.height - (view->bottom - view->top), 0));
}

bool td_timeline_key(struct td_view *view, const struct td_key_press *press)
{
    float page = view->bottom - view->top;
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
        scroll_to(view, view->to_scroll - TD_U(view, 60), false);
        break;
    case TD_KEY_DOWN:
        scroll_to(view, view->to_scroll + TD_U(view, 60), false);
        break;
    case TD_KEY_PAGE_UP:
        scroll_to(view, view->to_scroll - page * .9f, false);
        break;
    case TD_KEY_PAGE_DOWN:
        scroll_to(view, view->to_scroll + page * .9f, false);
        break;
    case TD_KEY_HOME:
        scroll_to(view, 0, false);
        break;
    case TD_KEY_END:
        scroll_to(view, view->layout.height, false);
        break;
    case '+':
    case 'w':
        td_camera_zoom(&view->camera, ZOOM_STEP, .5);
        break;
    case '-':
    case 's':
        td_camera_zoom(&view->camera, 1 / ZOOM_STEP, .5);
        break;
    case 'p':
        if (view->hover_node >= 0)
            td_lanes_pin(view, view->hover_node);
        break;
    case 'x':
        if (press->shift)
            td_lanes_pin(view, -1);
        if (press->shift || view->hover_node >= 0)
            td_lanes_hide(view, press->shift ? -1 : view->hover_node);
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
