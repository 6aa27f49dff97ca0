/* The controls of a live session in the bar: what the session does, and whether the timeline follows it. */
#include "host/viewer/panels/connection.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>

#define NEWEST 3 /* frames */

static void toggle_follow(struct td_view *view)
{
    td_camera_follow(&view->camera, !view->camera.follow);
}

static bool is_growing(const struct td_view *view)
{
    return view->model.live && td_live_get_state(view->model.live) != TD_LIVE_FINISHED;
}

/* The range that is followed becomes that of the newest three frames, if the program marks frames. */
static void follow_frames(struct td_view *view)
{
    const size_t frames =
        td_dict_frame_set_count(view->model.dict) ? td_trace_frames(view->model.trace, 0) : 0;
    if (!view->selection.newest_frames || !view->camera.follow || frames < NEWEST + 2)
        return;
    const int64_t from = td_trace_frame(view->model.trace, 0, frames - 1 - NEWEST).start_ns;
    const double span = (double)(view->model.last_ns - from);
    if (span <= 0 || view->camera.follow_ns == span)
        return;
    view->camera.follow_ns = span;
    td_camera_follow(&view->camera, true);
}

static void draw_live_controls(struct td_view *view, struct td_bar_row *row)
{
    if (!view->model.live)
        return;
    follow_frames(view);
    const char *state = view->model.live_end[0] ? view->model.live_end : "ended";
    if (is_growing(view)) {
        state = td_live_get_state(view->model.live) == TD_LIVE_WAITING ? "waiting for the program" : "live";
        if (td_bar_button(view, row, view->camera.follow ? "Hold" : "Follow", TD_U(view, 72)))
            toggle_follow(view);
    }
    float wide = td_ui_text_width(view->ui, TD_FONT_TEXT, state), most = TD_U(view, 320);
    wide = wide < most ? wide : most;
    if (wide > row->right - row->left)
        return;
    float y = row->y + (row->height - td_ui_text_height(view->ui, TD_FONT_TEXT)) / 2;
    td_ui_text_fit(view->ui, TD_FONT_TEXT, row->right - wide, y, wide + 1,
                   is_growing(view) ? TD_C(ACCENT) : TD_C(TEXT_FAINT), state);
    row->right -= wide + TD_U(view, 12);
}

static bool take_live_key(struct td_view *view, const struct td_key_press *press)
{
    if (!view->model.live)
        return false;
    if (press->ctrl && press->key == 's') {
        td_connection_save(view);
        return true;
    }
    if (press->ctrl && press->key == 'r' && !is_growing(view)) {
        view->wishes.page = TD_WISH_RECONNECT;
        return true;
    }
    if (!is_growing(view))
        return false;
    if (press->ctrl && press->key == 'd')
        td_live_ask_end(view->model.live);
    else if (press->key != ' ')
        return false;
    else if (press->ctrl)
        td_view_follow_frames(view);
    else if (press->shift)
        td_view_follow_newest(view);
    else
        toggle_follow(view);
    return true;
}

static const struct td_help_line live_help[] = {
    {"Space", "live: hold the timeline, or follow what is new"},
    {"Shift+Space, Ctrl+Space", "live: go to the newest, follow three frames"},
    {0}};

/* It has no region of its own, and is never open. */
const struct td_panel td_panel_live = {
    .name = "live",
    .dock = TD_DOCK_OVERLAY,
    .help = live_help,
    .bar_rank = 4,
    .draw_controls = draw_live_controls,
    .take_key = take_live_key,
};
