#include "host/viewer/panels/frame_graph.h"
#include "host/event/map.h"
#include "host/viewer/panels/playback.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/menu_parts.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/ui/data_colors.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_BAR   3 /* pixels */
#define MOST_BAR    24
#define CLICK_SLACK 4
#define LABELS_FROM 60 /* a lower graph has no labels of its lines */

/* The graph while it is drawn. */
struct graph_drawing {
    struct td_view *view;
    struct td_frame_graph *s;
    const struct frames_found *found;
    uint32_t set;
    size_t count;
    struct td_rect place;
};

/* ---- the job ---- */

static void make_times(void *self, struct td_job *job)
{
    struct td_frame_graph *s = self;
    td_frame_times_free(&s->made);
    /* Without memory there are no statistics; the graph says so. */
    if (td_frame_times_make(&s->made, s->trace, s->set, s->now_ns, job) < 0)
        td_frame_times_free(&s->made);
}

void td_frame_graph_update(struct td_view *view, struct td_frame_graph *s, uint32_t set)
{
    bool fresh;
    const bool growing = s->job.running && s->set == set;
    if (set != s->graph_set) {
        s->graph_set = set;
        s->first = s->per_pixel = 0;
        s->any = false;
    }
    const uint64_t key =
        growing ? s->job.key : td_mix64(set + 1) ^ td_mix64(td_trace_frames(view->model.trace, set));
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_frame_times_free);
        s->shown_set = s->set;
        s->any = s->shown.longest != NULL;
    }
    if (state != TD_JOB_WANTED)
        return;
    s->trace = view->model.trace;
    s->set = set;
    s->now_ns = view->model.last_ns;
    td_job_start(&s->job, key, make_times, s);
}

/* ---- the graph ---- */

static float width_of(const struct graph_drawing *g)
{
    return fmaxf(g->place.right - g->place.left, 1);
}

static void limit_range(struct graph_drawing *g)
{
    struct td_frame_graph *s = g->s;
    double all = fmax((double)g->count / width_of(g), 1 / (double)TD_U(g->view, MOST_BAR));
    if (s->per_pixel <= 0 || s->per_pixel > all)
        s->per_pixel = all;
    s->per_pixel = fmax(s->per_pixel, 1 / (double)TD_U(g->view, MOST_BAR));
    s->first = fmax(fmin(s->first, (double)g->count - width_of(g) * s->per_pixel), 0);
}

static float x_of(const struct graph_drawing *g, double frame)
{
    return g->place.left + (float)((frame - g->s->first) / g->s->per_pixel);
}

/* Frames that share a bar. */
static size_t frames_per_bar(const struct graph_drawing *g)
{
    double frames = ceil(g->s->per_pixel * (double)TD_U(g->view, LEAST_BAR));
    return frames > 1 ? (size_t)frames : 1;
}

/* The first frame of the bar at x; SIZE_MAX: there is none. */
static size_t bar_at(const struct graph_drawing *g, float x)
{
    double frame = g->s->first + (double)(x - g->place.left) * g->s->per_pixel;
    if (frame < 0 || frame >= (double)g->count)
        return SIZE_MAX;
    return (size_t)frame / frames_per_bar(g) * frames_per_bar(g);
}

static int64_t longest_of_bar(const struct graph_drawing *g, size_t first, size_t *frame)
{
    const size_t end = first + frames_per_bar(g) < g->count ? first + frames_per_bar(g) : g->count;
    const int64_t longest = td_frame_times_longest(&g->s->shown, g->view->model.trace, g->set, first, end,
                                                   g->view->model.last_ns);
    if (frame) {
        for (*frame = first; *frame + 1 < end; ++*frame)
            if (td_frame_length(g->view->model.trace, g->set, *frame, g->view->model.last_ns) == longest)
                break;
    }
    return longest;
}

/* 0 to 1. */
static float height_of(const struct graph_drawing *g, double ns)
{
    const struct td_frame_times *t = &g->s->shown;
    const double most = fmax((double)t->max_ns, 1), least = fmax((double)t->min_ns / 2, 1);
    const double part = g->s->linear ? ns / most : log(fmax(ns, least) / least) / log(fmax(most / least, 2));
    return (float)fmin(fmax(part, 0), 1);
}

td_rgba td_frame_color(const struct td_view *view, double ns)
{
    const double target_ns = 1e9 / td_view_target_fps(view);
    return ns <= target_ns / 2   ? TD_DATA_FRAME_SHORT
           : ns <= target_ns     ? TD_DATA_FRAME_MEETS
           : ns <= target_ns * 2 ? TD_DATA_FRAME_LONG
                                 : TD_DATA_FRAME_LONGER;
}

static void draw_targets(const struct graph_drawing *g)
{
    static const struct {
        double of;
        td_rgba color;
    } lines[] = {{2, TD_DATA_FRAME_MEETS}, {1, TD_DATA_FRAME_LONG}, {.5, TD_DATA_FRAME_LONGER}};
    const struct td_rect *p = &g->place;
    char text[32];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const double fps = td_view_target_fps(g->view) * lines[i].of;
        const float part = height_of(g, 1e9 / fps);
        if (part <= 0 || part >= 1)
            continue;
        const float y = floorf(p->bottom - part * (p->bottom - p->top));
        td_ui_rect(g->view->ui, p->left, y, p->right, y + 1, td_color_alpha(lines[i].color, .55f), 0);
        if (p->bottom - p->top < TD_U(g->view, LABELS_FROM))
            continue;
        snprintf(text, sizeof text, "%.0f fps", fps);
        td_ui_text(g->view->ui, TD_FONT_SMALL, p->left + TD_U(g->view, 4), y + 1, lines[i].color, text);
    }
}

/* The frames that the timeline shows. */
static void draw_visible(const struct graph_drawing *g)
{
    const struct td_camera *c = &g->view->camera;
    const size_t from = td_frame_at(g->view->model.trace, g->set, c->start_ns),
                 to = td_frame_at(g->view->model.trace, g->set, c->end_ns);
    if (to == SIZE_MAX)
        return;
    const float x0 = fmaxf(x_of(g, from == SIZE_MAX ? 0 : (double)from), g->place.left);
    const float x1 = fminf(fmaxf(x_of(g, (double)to + 1), x0 + 1), g->place.right);
    if (x1 <= x0)
        return;
    if ((from != SIZE_MAX && from > 0) || to + 1 < g->count) /* of all of them, the colours stay */
        td_ui_rect(g->view->ui, x0, g->place.top, x1, g->place.bottom, 0x408a5fd6, 0);
    td_ui_frame_rect(g->view->ui, x0, g->place.top, x1, g->place.bottom, 0xff8a5fd6, 0, 1);
}

/* The time that matches take is drawn into the bar; bars without matches are dim. */
static void draw_bar(const struct graph_drawing *g, const struct td_rect *bar, size_t first, size_t end,
                     double ns)
{
    struct td_ui *ui = g->view->ui;
    const float found = g->found ? td_frames_found_in(g->view, g->found, first, end) : 0;
    const bool dim = g->found && td_frames_found_any(g->view, g->found);
    td_ui_rect(ui, bar->left, bar->top, bar->right, bar->bottom,
               td_color_alpha(td_frame_color(g->view, ns), found > 0 ? .75f
                                                           : dim     ? .35f
                                                                     : 1),
               0);
    if (found <= 0)
        return;
    const float high = height_of(g, fmin((double)found, ns)) * (g->place.bottom - g->place.top);
    td_ui_rect(ui, bar->left, bar->bottom - fmaxf(high, fminf(TD_U(g->view, 3), bar->bottom - bar->top)),
               bar->right, bar->bottom, TD_C(MATCH), 0);
}

static void draw_bars(const struct graph_drawing *g)
{
    const size_t step = frames_per_bar(g);
    const struct td_rect *p = &g->place;
    for (size_t i = (size_t)g->s->first / step * step; i < g->count; i += step) {
        const float x0 = x_of(g, (double)i), x1 = x_of(g, (double)(i + step));
        if (x0 >= p->right)
            break;
        const int64_t ns = longest_of_bar(g, i, NULL);
        const float y = p->bottom - fmaxf(height_of(g, (double)ns) * (p->bottom - p->top), 1);
        const float gap = x1 - x0 >= TD_U(g->view, 5) ? 1 : 0;
        const struct td_rect bar = {fmaxf(x0, p->left), y, fminf(fmaxf(x1 - gap, x0 + 1), p->right),
                                    p->bottom};
        draw_bar(g, &bar, i, i + step < g->count ? i + step : g->count, (double)ns);
        if (g->set == g->view->selection.frame_set && g->view->selection.frame > i &&
            g->view->selection.frame <= i + step)
            td_ui_frame_rect(g->view->ui, x0 - 1, y - 1, fmaxf(x1, x0 + 2) + 1, p->bottom, TD_C(SELECTED), 0,
                             TD_U(g->view, 1.5f));
    }
}

static void set_bar_tip(const struct graph_drawing *g, size_t first)
{
    char more[160] = "", time[TD_FORMAT_BYTES];
    size_t frame;
    longest_of_bar(g, first, &frame);
    const float found = g->found ? td_frames_found_in(g->view, g->found, frame, frame + 1) : 0;
    if (found > TD_FRAME_TOUCHED)
        snprintf(more, sizeof more, "matches\t%s\n", td_format_ns(time, (double)found));
    if (frames_per_bar(g) > 1)
        snprintf(more + strlen(more), sizeof more - strlen(more), "\tthe longest of %zu frames\n",
                 frames_per_bar(g));
    td_frame_tip(g->view, g->set, frame, more);
}

/* Drag with the left button: shows the frames that were passed. */
static void show_dragged(const struct graph_drawing *g, float x)
{
    size_t a = bar_at(g, fminf(g->s->drag_x, x)), b = bar_at(g, fmaxf(g->s->drag_x, x));
    if (a == SIZE_MAX)
        return;
    b = b == SIZE_MAX ? g->count : b + frames_per_bar(g);
    b = b > g->count ? g->count : b;
    const struct td_frame first = td_trace_frame(g->view->model.trace, g->set, a);
    const double end = (double)td_trace_frame(g->view->model.trace, g->set, b - 1).start_ns +
                       (double)td_frame_length(g->view->model.trace, g->set, b - 1, g->view->model.last_ns);
    td_camera_set_range(&g->view->camera, (double)first.start_ns, end, false);
}

/* Of the frame of the bar, and of the set. */
static void open_frame_menu(const struct graph_drawing *g, size_t bar)
{
    struct td_view *view = g->view;
    struct td_menu *menu = td_menu_begin(view, td_ui_mouse_x(view->ui), td_ui_mouse_y(view->ui));
    char name[80];
    size_t frame;
    if (bar != SIZE_MAX) {
        longest_of_bar(g, bar, &frame);
        td_menu_head(menu, td_frame_name(view->model.trace, g->set, frame, name, sizeof name));
        const int64_t start_ns = td_trace_frame(view->model.trace, g->set, frame).start_ns;
        td_menu_span_parts(
            menu, (double)start_ns,
            (double)(start_ns + td_frame_length(view->model.trace, g->set, frame, view->model.last_ns)));
    }
    td_menu_frame_parts(view, menu);
}

static void take_drag(const struct graph_drawing *g, float x)
{
    struct td_frame_graph *s = g->s;
    const int button = s->dragged - 1;
    s->drag_moved |= fabsf(x - s->drag_x) > TD_U(g->view, CLICK_SLACK);
    if (s->drag_moved && button == TD_MOUSE_LEFT)
        show_dragged(g, x);
    else if (s->drag_moved)
        s->first = s->drag_first - (double)(x - s->drag_x) * s->per_pixel;
    if (td_ui_mouse_down(g->view->ui, button))
        return;
    const size_t bar = bar_at(g, x);
    size_t frame;
    s->dragged = 0;
    if (!s->drag_moved && button == TD_MOUSE_RIGHT)
        open_frame_menu(g, bar);
    if (s->drag_moved || button != TD_MOUSE_LEFT || bar == SIZE_MAX)
        return;
    longest_of_bar(g, bar, &frame);
    td_view_choose_frame_set(g->view, g->set);
    td_view_show_frame(g->view, frame, true);
    if (td_ui_ctrl(g->view->ui))
        td_playback_show_at(g->view, td_trace_frame(g->view->model.trace, g->set, frame).start_ns);
}

static void take_mouse(const struct graph_drawing *g)
{
    struct td_ui *ui = g->view->ui;
    struct td_frame_graph *s = g->s;
    const float x = td_ui_mouse_x(ui), y = td_ui_mouse_y(ui), wheel = td_ui_wheel_y(ui);
    const struct td_rect *p = &g->place;
    if (s->dragged) {
        take_drag(g, x);
        return;
    }
    if (!td_ui_region_hovered(ui) || x < p->left || x >= p->right || y < p->top || y >= p->bottom)
        return;
    if (wheel != 0) {
        const double at = s->first + (double)(x - p->left) * s->per_pixel;
        s->per_pixel *= pow(.75, wheel);
        s->per_pixel = fmax(s->per_pixel, 1 / (double)TD_U(g->view, MOST_BAR));
        s->first = at - (double)(x - p->left) * s->per_pixel;
    }
    for (int button = TD_MOUSE_LEFT; button <= TD_MOUSE_RIGHT; button++)
        if (td_ui_mouse_pressed(ui, button)) {
            s->dragged = button + 1;
            s->drag_x = x;
            s->drag_first = s->first;
            s->drag_moved = false;
        }
    const size_t bar = bar_at(g, x);
    if (bar != SIZE_MAX)
        set_bar_tip(g, bar);
}

/* Where the selected frame is not visible, the graph moves to it. */
static void show_selected(const struct graph_drawing *g, size_t frame)
{
    const double wide = width_of(g) * g->s->per_pixel;
    if ((double)frame < g->s->first || (double)frame + 1 > g->s->first + wide)
        g->s->first = (double)frame - wide / 2;
}

void td_frame_graph_draw(struct td_view *view, struct td_frame_graph *s, const struct frames_found *found,
                         const struct td_rect *place)
{
    struct graph_drawing of = {view,
                               s,
                               found,
                               s->graph_set,
                               td_trace_frames(view->model.trace, s->graph_set),
                               *place},
                         *g = &of;
    if (!td_frame_graph_is_ready(view, s))
        return;
    limit_range(g);
    take_mouse(g);
    limit_range(g);
    td_ui_rect(view->ui, place->left, place->top, place->right, place->bottom, TD_C(GUTTER), 0);
    td_ui_clip(view->ui, place->left, place->top, place->right, place->bottom);
    draw_bars(g);
    draw_visible(g);
    draw_targets(g);
    td_ui_unclip(view->ui);
    if (s->graph_set != view->selection.frame_set || view->selection.frame == s->selected)
        return;
    s->selected = view->selection.frame;
    if (s->selected)
        show_selected(g, s->selected - 1);
}

bool td_frame_graph_is_ready(const struct td_view *view, const struct td_frame_graph *s)
{
    return s->any && s->shown_set == s->graph_set && td_view_has_frames(view, s->graph_set);
}

void td_frame_graph_free(struct td_frame_graph *s)
{
    td_job_stop(&s->job);
    td_frame_times_free(&s->made);
    td_frame_times_free(&s->shown);
}
