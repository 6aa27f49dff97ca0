/* The details of the selected zone, and the ways from it to others: parent, child, next of its name, back. */
#include "host/base/cell_text.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/details.h"
#include "host/viewer/panels/label.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/base/stream.h"

#include <math.h>
#include <stdlib.h>

#define HEAD_HEIGHT   62
#define FEW_CHILDREN  4096                /* are grouped at once */
#define LOOK_AT       (UINT64_C(1) << 22) /* zones, to find the next of a name */
#define SCROLL_MARGIN 12

TD_PANEL_STATE(details, DETAILS)

/* ---- moving on ---- */

static bool go_to(struct td_view *view, struct td_zone_ref zone)
{
    if (!td_ref_valid(zone))
        return false;
    td_view_select(view, zone);
    td_view_follow_zone(view, zone);
    return true;
}

static bool go_to_next(struct td_view *view, bool forward)
{
    return go_to(view, td_zone_next_of_name(view->model.trace, view->selection.zone, forward, LOOK_AT));
}

/* The longest child: of many, it is known when they have been grouped. */
static struct td_zone_ref longest_child(struct td_view *view)
{
    struct details *s = state_of(view);
    const struct td_zone zone = td_view_zone(view, view->selection.zone);
    struct td_children children;
    if (td_ref_equal(s->children_of, view->selection.zone))
        return s->children.longest;
    if (zone.child_end - zone.child_begin > FEW_CHILDREN ||
        td_children_make(&children, view->model.trace, view->selection.zone, view->model.last_ns, false,
                         NULL) < 0)
        return TD_NO_ZONE;
    struct td_zone_ref longest = children.longest;
    td_children_free(&children);
    return longest;
}

/* ---- the jobs ---- */

static void make_children(void *self, struct td_job *job)
{
    struct details *s = self;
    td_children_free(&s->children_made);
    td_children_make(&s->children_made, s->trace, s->child_request, s->now_ns, s->request_deep, job);
}

static void take_children(struct details *s)
{
    TD_JOB_TAKE(&s->children, &s->children_made, td_children_free);
    s->children_of = s->child_request;
}

static void request_children(struct td_view *view, struct details *s)
{
    s->trace = view->model.trace;
    s->now_ns = view->model.last_ns;
    s->child_request = view->selection.zone;
    s->request_deep = s->deep;
}

static void want_children(struct td_view *view, struct details *s, const struct td_zone *zone)
{
    const struct td_zone_ref z = view->selection.zone;
    const uint64_t key = ((uint64_t)z.track << 40 ^ (uint64_t)z.row << 32 ^ z.index) * 2 + s->deep +
                         (zone->end_ns == TD_OPEN ? (uint64_t)view->model.last_ns << 1 : 0);
    bool fresh;
    if (!s->deep && zone->child_end - zone->child_begin <= FEW_CHILDREN) {
        if (td_ref_equal(s->children_of, z) && !s->request_deep && zone->end_ns != TD_OPEN)
            return;
        td_job_stop(&s->child_job);
        request_children(view, s);
        if (td_children_make(&s->children_made, s->trace, z, s->now_ns, false, NULL) == 0)
            take_children(s);
        return;
    }
    enum td_job_state state = td_job_want(&s->child_job, key, &fresh);
    if (fresh)
        take_children(s);
    if (state == TD_JOB_WANTED) {
        request_children(view, s);
        td_job_start(&s->child_job, key, make_children, s);
    }
}

static void run_jobs(struct td_view *view, struct details *s, const struct td_zone *zone)
{
    if (!s->started)
        s->children_of = s->events.of = s->own.of = TD_NO_ZONE;
    s->started = true;
    want_children(view, s, zone);
    td_details_want_events(view, &s->events, zone);
    if (td_instances_want(view, &s->set, td_instances_name(view->model.dict, zone), TD_LENGTH_WHOLE, false))
        td_instances_take(&s->set);
}

static bool is_busy(const struct td_view *view)
{
    const struct details *s = state_of(view);
    return s->own.looks || s->child_job.running || s->events.job.running || s->set.job.running;
}

/* ---- drawing ---- */

static struct details_drawing begin(struct td_view *view)
{
    return (struct details_drawing){.view = view,
                                    .state = state_of(view),
                                    .zone = td_view_zone(view, view->selection.zone),
                                    .chosen = TD_NO_ZONE,
                                    .centre_ns = NAN};
}

/* All that the panel says about the zone, as text. */
static char *copy_all(struct td_view *view, enum td_copy_form form)
{
    char *text = NULL;
    size_t bytes = 0;
    struct details_drawing d = begin(view);
    d.copy =
        form == TD_COPY_LINES && td_ref_valid(view->selection.zone) ? open_memstream(&text, &bytes) : NULL;
    if (!d.copy)
        return NULL;
    fprintf(d.copy, "%s\n", TD_CELL(td_zone_label(view->model.dict, &d.zone)));
    td_details_sections(&d);
    if (td_text_close(d.copy, &text))
        return text;
    free(text);
    return NULL;
}

static void copy_name(struct td_view *view)
{
    struct td_zone zone = td_view_zone(view, view->selection.zone);
    td_ui_set_clipboard(view->ui, td_zone_label(view->model.dict, &zone));
}

/* A button of the head, from the left; those that do not fit are left out. */
static bool draw_button(struct td_view *view, const struct td_rect *place, const char *label, const char *tip,
                        float wide, float *x)
{
    float y = place->top + TD_U(view, 34), high = TD_U(view, 22), mx = td_ui_mouse_x(view->ui);
    if (*x + TD_U(view, wide) > place->right - TD_U(view, 8))
        return false;
    bool clicked = td_ui_button(view->ui, label, *x, y, TD_U(view, wide), high);
    if (mx >= *x && mx < *x + TD_U(view, wide) && td_ui_mouse_y(view->ui) >= y &&
        td_ui_mouse_y(view->ui) < y + high && td_ui_region_hovered(view->ui))
        td_tip(view, tip, "%s", "");
    *x += TD_U(view, wide + 4);
    return clicked;
}

static void draw_head(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    const struct td_zone zone = td_view_zone(view, view->selection.zone);
    float pad = TD_U(view, 12), box = TD_U(view, 12), x = place->left + pad, y = place->top + TD_U(view, 10);
    td_ui_rect(ui, x, y + TD_U(view, 2), x + box, y + TD_U(view, 2) + box,
               td_view_zone_color(view, view->selection.zone, &zone), TD_U(view, 2));
    float name = x + box + TD_U(view, 8);
    td_label(view, TD_FONT_BOLD, name, y, place->right - name - pad, TD_C(TEXT),
             td_zone_label(view->model.dict, &zone), TD_CUT_END);
    if (draw_button(view, place, "<##back", "Back (Backspace)", 26, &x))
        td_history_go(view, false);
    if (draw_button(view, place, ">##forward", "Forward (Alt+Right)", 26, &x))
        td_history_go(view, true);
    if (!td_ref_valid(view->selection.zone))
        return;
    if (draw_button(view, place, "Zoom", "Zoom to the zone (Z)", 52, &x))
        td_view_show_zone(view, view->selection.zone, true);
    if (draw_button(view, place, "Prev", "Previous zone of this name here (,)", 48, &x))
        go_to_next(view, false);
    if (draw_button(view, place, "Next", "Next zone of this name here (.)", 48, &x))
        go_to_next(view, true);
    if (draw_button(view, place, "Copy", "Copy all of this (Ctrl+C); with Shift, the name", 50, &x)) {
        if (td_ui_shift(ui))
            copy_name(view);
        else
            td_panel_copy(view, TD_PANEL_DETAILS, TD_COPY_LINES);
    }
}

static void draw_details(struct td_view *view, const struct td_rect *place)
{
    struct details *s = state_of(view);
    float pad = TD_U(view, 12);
    s->own.looks = false;
    if (!td_ref_valid(view->selection.zone)) {
        td_ui_text_fit(view->ui, TD_FONT_TEXT, place->left + pad, place->top + TD_U(view, 10),
                       place->right - place->left - 2 * pad, TD_C(TEXT_FAINT),
                       "Click a zone to see its details.");
        return;
    }
    draw_head(view, place);
    struct td_rect body = *place;
    body.top += TD_U(view, HEAD_HEIGHT);
    if (!td_ref_valid(view->selection.zone) || body.bottom - body.top < TD_U(view, 20))
        return;
    struct details_drawing d = begin(view);
    run_jobs(view, s, &d.zone);
    int first, last;
    float top;
    td_ui_list_begin(view->ui, "details", place->left, body.top, place->right - place->left,
                     body.bottom - body.top, (int)s->height, 1, &first, &last, &top);
    d.left = place->left + pad;
    d.right = place->right - pad;
    d.top = body.top;
    d.bottom = body.bottom;
    const float origin = top - (float)first;
    d.y = origin;
    td_details_sections(&d);
    view->panels.plays |= s->own.looks;
    s->height = d.y - origin + TD_U(view, SCROLL_MARGIN);
    td_ui_list_end(view->ui);
    go_to(view, d.chosen);
    if (isfinite(d.centre_ns)) {
        double half = (view->camera.to_end_ns - view->camera.to_start_ns) / 2;
        td_camera_set_range(&view->camera, d.centre_ns - half, d.centre_ns + half, false);
    }
}

/* ---- keys ---- */

static bool take_details_key(struct td_view *view, const struct td_key_press *press)
{
    if (press->key == TD_KEY_BACKSPACE || (press->alt && press->key == TD_KEY_LEFT))
        return td_history_go(view, false), true;
    if (press->alt && press->key == TD_KEY_RIGHT)
        return td_history_go(view, true), true;
    if (!td_ref_valid(view->selection.zone))
        return false;
    if (press->ctrl && press->key == 'c') {
        if (press->shift)
            copy_name(view);
        else
            td_panel_copy(view, TD_PANEL_DETAILS, TD_COPY_LINES);
        return true;
    }
    if (press->ctrl || press->alt)
        return false;
    switch (press->key) {
    case 'u':
        return go_to(view, td_zone_parent(view->model.trace, view->selection.zone)), true;
    case TD_KEY_ENTER:
        return go_to(view, longest_child(view)), true;
    case '.':
        return go_to_next(view, true), true;
    case ',':
        return go_to_next(view, false), true;
    default:
        return false;
    }
}

/* Esc: the selection ends first; the panel closes with it if the selection has opened it. */
static bool close_details(struct td_view *view)
{
    if (td_ref_valid(view->selection.zone) || !td_panel_is_open(view, TD_PANEL_DETAILS))
        return false;
    td_panel_set_open(view, TD_PANEL_DETAILS, false);
    return true;
}

static void free_details(struct td_view *view)
{
    struct details *s = state_of(view);
    td_job_stop(&s->child_job);
    td_job_stop(&s->events.job);
    td_children_free(&s->children_made);
    td_children_free(&s->children);
    td_zone_events_free(&s->events.made);
    td_zone_events_free(&s->events.shown);
    td_instances_job_free(&s->set);
}

static const struct td_help_line details_help[] = {
    {"U, Enter", "select the parent, the longest child"},
    {", and .", "previous and next zone of this name in the track"},
    {"Backspace, Alt+Left, Alt+Right", "back and forward through selections and ranges"},
    {"Ctrl+C, Ctrl+Shift+C", "copy the details, the name"},
    {0},
};

const struct td_panel td_panel_details = {
    .name = "details",
    .dock = TD_DOCK_RIGHT,
    .title = "Zone",
    .group = TD_GROUP_ZONES,
    .page = "What happened in this zone, and around it?",
    .lacks = td_lacks_selection,
    .help = details_help,
    .state_bytes = sizeof(struct details),
    .draw = draw_details,
    .free_state = free_details,
    .close = close_details,
    .is_busy = is_busy,
    .copy = copy_all,
    .take_key = take_details_key,
};
