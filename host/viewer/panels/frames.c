/* The frames of the chosen set: a bar for each, and how their lengths are spread. */
#include "host/base/cell_text.h"
#include "host/event/map.h"
#include "host/query/rows/frame_times.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/frames_found.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/panels/playback.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/ui/data_colors.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT    30
#define LEAST_BAR       3 /* pixels */
#define MOST_BAR        24
#define HISTOGRAM_WIDTH 270
#define HISTOGRAM_FROM  620 /* a narrower panel has no histogram */
#define CLICK_SLACK     4

struct frames_panel {
    struct td_job job;
    const struct td_trace *trace; /* the request of the job */
    uint32_t set;
    int64_t now_ns;
    struct td_frame_times made, shown;
    uint32_t shown_set, graph_set;
    struct frames_found found;
    bool any;
    bool linear; /* height of the bars */
    char number[16];
    /* The part of the graph that is visible, and how it was laid out last. */
    double first, per_pixel; /* frames; per_pixel 0: all */
    double drag_first;
    float drag_x;
    int dragged; /* 1 + the mouse button; 0: none */
    bool drag_moved;
};

/* The graph while it is drawn. */
struct frames_graph {
    struct td_view *view;
    struct frames_panel *s;
    uint32_t set;
    size_t count;
    struct td_rect place;
};

TD_PANEL_STATE(frames_panel, FRAMES)

/* ---- the job ---- */

static void make_times(void *self, struct td_job *job)
{
    struct frames_panel *s = self;
    td_frame_times_free(&s->made);
    /* Without memory there are no statistics; the graph says so. */
    if (td_frame_times_make(&s->made, s->trace, s->set, s->now_ns, job) < 0)
        td_frame_times_free(&s->made);
}

static void update_times(struct td_view *view, struct frames_panel *s)
{
    bool fresh;
    const uint32_t set = view->selection.frame_set;
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

static float width_of(const struct frames_graph *g)
{
    return fmaxf(g->place.right - g->place.left, 1);
}

static void limit_range(struct frames_graph *g)
{
    struct frames_panel *s = g->s;
    double all = fmax((double)g->count / width_of(g), 1 / (double)TD_U(g->view, MOST_BAR));
    if (s->per_pixel <= 0 || s->per_pixel > all)
        s->per_pixel = all;
    s->per_pixel = fmax(s->per_pixel, 1 / (double)TD_U(g->view, MOST_BAR));
    s->first = fmax(fmin(s->first, (double)g->count - width_of(g) * s->per_pixel), 0);
}

static float x_of(const struct frames_graph *g, double frame)
{
    return g->place.left + (float)((frame - g->s->first) / g->s->per_pixel);
}

/* Frames that share a bar. */
static size_t frames_per_bar(const struct frames_graph *g)
{
    double frames = ceil(g->s->per_pixel * (double)TD_U(g->view, LEAST_BAR));
    return frames > 1 ? (size_t)frames : 1;
}

/* The first frame of the bar at x; SIZE_MAX: there is none. */
static size_t bar_at(const struct frames_graph *g, float x)
{
    double frame = g->s->first + (double)(x - g->place.left) * g->s->per_pixel;
    if (frame < 0 || frame >= (double)g->count)
        return SIZE_MAX;
    return (size_t)frame / frames_per_bar(g) * frames_per_bar(g);
}

static int64_t longest_of_bar(const struct frames_graph *g, size_t first, size_t *frame)
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
static float height_of(const struct frames_graph *g, double ns)
{
    const struct td_frame_times *t = &g->s->shown;
    const double most = fmax((double)t->max_ns, 1), least = fmax((double)t->min_ns / 2, 1);
    const double part = g->s->linear ? ns / most : log(fmax(ns, least) / least) / log(fmax(most / least, 2));
    return (float)fmin(fmax(part, 0), 1);
}

static td_rgba color_of_length(const struct td_view *view, double ns)
{
    const double target_ns = 1e9 / td_view_target_fps(view);
    return ns <= target_ns / 2   ? TD_DATA_FRAME_SHORT
           : ns <= target_ns     ? TD_DATA_FRAME_MEETS
           : ns <= target_ns * 2 ? TD_DATA_FRAME_LONG
                                 : TD_DATA_FRAME_LONGER;
}

static void draw_targets(const struct frames_graph *g)
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
        snprintf(text, sizeof text, "%.0f fps", fps);
        td_ui_text(g->view->ui, TD_FONT_SMALL, p->left + TD_U(g->view, 4), y + 1, lines[i].color, text);
    }
}

/* The frames that the timeline shows. */
static void draw_visible(const struct frames_graph *g)
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
    td_ui_rect(g->view->ui, x0, g->place.top, x1, g->place.bottom, 0x408a5fd6, 0);
    td_ui_frame_rect(g->view->ui, x0, g->place.top, x1, g->place.bottom, 0xff8a5fd6, 0, 1);
}

/* The time that matches take is drawn into the bar; bars without matches are dim. */
static void draw_bar(const struct frames_graph *g, const struct td_rect *bar, size_t first, size_t end,
                     double ns)
{
    struct td_ui *ui = g->view->ui;
    const float found = td_frames_found_in(g->view, &g->s->found, first, end);
    const bool dim = td_frames_found_any(g->view, &g->s->found);
    td_ui_rect(ui, bar->left, bar->top, bar->right, bar->bottom,
               td_color_alpha(color_of_length(g->view, ns), found > 0 ? .75f
                                                            : dim     ? .35f
                                                                      : 1),
               0);
    if (found <= 0)
        return;
    const float high = height_of(g, fmin((double)found, ns)) * (g->place.bottom - g->place.top);
    td_ui_rect(ui, bar->left, bar->bottom - fmaxf(high, fminf(TD_U(g->view, 3), bar->bottom - bar->top)),
               bar->right, bar->bottom, TD_C(MATCH), 0);
}

static void draw_bars(const struct frames_graph *g)
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
        if (g->view->selection.frame > i && g->view->selection.frame <= i + step)
            td_ui_frame_rect(g->view->ui, x0 - 1, y - 1, fmaxf(x1, x0 + 2) + 1, p->bottom, TD_C(SELECTED), 0,
                             TD_U(g->view, 1.5f));
    }
}

static void set_bar_tip(const struct frames_graph *g, size_t first)
{
    char more[160] = "", time[TD_FORMAT_BYTES];
    size_t frame;
    longest_of_bar(g, first, &frame);
    const float found = td_frames_found_in(g->view, &g->s->found, frame, frame + 1);
    if (found > TD_FRAME_TOUCHED)
        snprintf(more, sizeof more, "matches\t%s\n", td_format_ns(time, (double)found));
    if (frames_per_bar(g) > 1)
        snprintf(more + strlen(more), sizeof more - strlen(more), "\tthe longest of %zu frames\n",
                 frames_per_bar(g));
    td_frame_tip(g->view, g->set, frame, more);
}

/* Drag with the left button: shows the frames that were passed. */
static void show_dragged(const struct frames_graph *g, float x)
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

static void take_drag(const struct frames_graph *g, float x)
{
    struct frames_panel *s = g->s;
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
    if (s->drag_moved || button != TD_MOUSE_LEFT || bar == SIZE_MAX)
        return;
    longest_of_bar(g, bar, &frame);
    td_view_show_frame(g->view, frame, true);
    if (td_ui_ctrl(g->view->ui))
        td_playback_show_at(g->view, td_trace_frame(g->view->model.trace, g->set, frame).start_ns);
}

static void take_mouse(const struct frames_graph *g)
{
    struct td_ui *ui = g->view->ui;
    struct frames_panel *s = g->s;
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
static void show_selected(const struct frames_graph *g, size_t frame)
{
    const double wide = width_of(g) * g->s->per_pixel;
    if ((double)frame < g->s->first || (double)frame + 1 > g->s->first + wide)
        g->s->first = (double)frame - wide / 2;
}

static void draw_graph(struct frames_graph *g)
{
    limit_range(g);
    take_mouse(g);
    limit_range(g);
    td_ui_rect(g->view->ui, g->place.left, g->place.top, g->place.right, g->place.bottom, TD_C(GUTTER), 0);
    td_ui_clip(g->view->ui, g->place.left, g->place.top, g->place.right, g->place.bottom);
    draw_bars(g);
    draw_visible(g);
    draw_targets(g);
    td_ui_unclip(g->view->ui);
}

/* ---- the histogram ---- */

static void draw_histogram(struct td_view *view, const struct frames_panel *s, const struct td_rect *place)
{
    const struct td_frame_times *t = &s->shown;
    const uint64_t *bins = s->linear ? t->linear : t->logarithmic;
    struct td_ui *ui = view->ui;
    uint64_t most = 1;
    char low[TD_FORMAT_BYTES], high[TD_FORMAT_BYTES];
    const float small = td_ui_text_height(ui, TD_FONT_SMALL), bottom = place->bottom - small - TD_U(view, 3);
    const float wide = (place->right - place->left) / TD_FRAME_BINS, room = bottom - place->top;
    for (int i = 0; i < TD_FRAME_BINS; i++)
        most = bins[i] > most ? bins[i] : most;
    td_ui_rect(ui, place->left, place->top, place->right, bottom, TD_C(GUTTER), 0);
    for (int i = 0; i < TD_FRAME_BINS; i++) {
        if (!bins[i])
            continue;
        const double from = s->linear ? (double)t->min_ns : log1p((double)t->min_ns);
        const double to = s->linear ? (double)t->max_ns : log1p((double)t->max_ns);
        const double middle = from + (to - from) * (i + .5) / TD_FRAME_BINS;
        /* Logarithmic, so that single frames are visible beside thousands. */
        const float part = (float)(log1p((double)bins[i]) / log1p((double)most));
        td_ui_rect(ui, place->left + wide * (float)i, bottom - fmaxf(part * room, 1),
                   place->left + wide * (float)(i + 1), bottom,
                   color_of_length(view, s->linear ? middle : expm1(middle)), 0);
    }
    td_ui_text(ui, TD_FONT_SMALL, place->left, bottom + TD_U(view, 2), TD_C(TEXT_FAINT),
               td_format_ns(low, (double)t->min_ns));
    td_format_ns(high, (double)t->max_ns);
    td_ui_text(ui, TD_FONT_SMALL, place->right - td_ui_text_width(ui, TD_FONT_SMALL, high),
               bottom + TD_U(view, 2), TD_C(TEXT_FAINT), high);
}

/* ---- tools ---- */

#define STATISTICS_BYTES 500
static char *copy_statistics(struct td_view *view, enum td_copy_form form)
{
    const struct frames_panel *s = state_of(view);
    const struct td_frame_times *t = &s->shown;
    const char *name =
        td_dict_text(view->model.dict, td_dict_get_frame_set(view->model.dict, s->shown_set, NULL));
    char *text = form == TD_COPY_LINES ? malloc(STATISTICS_BYTES) : NULL;
    if (!text)
        return NULL;
    snprintf(text, STATISTICS_BYTES,
             "set\tframes\ttotal_ns\tmean_ns\tmedian_ns\tmin_ns\tmax_ns\tstd_ns\n%.100s\t%" PRIu64
             "\t%" PRId64 "\t%.1f\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.1f\n",
             s->shown_set ? TD_CELL(name) : "Frame", t->count, t->total_ns, t->mean_ns, t->median_ns,
             t->min_ns, t->max_ns, t->deviation_ns);
    return text;
}

static void describe(const struct td_view *view, const struct frames_panel *s, char *text, size_t bytes)
{
    const struct td_frame_times *t = &s->shown;
    char count[TD_FORMAT_BYTES], mean[TD_FORMAT_BYTES], median[TD_FORMAT_BYTES], most[TD_FORMAT_BYTES];
    char p75[TD_FORMAT_BYTES], p999[TD_FORMAT_BYTES];
    char found[3 * TD_FORMAT_BYTES], lanes[60];
    if (!td_view_has_frames(view, view->selection.frame_set))
        snprintf(text, bytes, "The program marked no frames.");
    else if (!s->any)
        snprintf(text, bytes, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else
        snprintf(
            text, bytes,
            "%s frames%s%s, mean %s (%.1f fps), median %s (%.1f fps), p75 %s, p99.9 %s, most %s, deviation "
            "%.1f %%",
            td_format_count(count, t->count), td_frames_found_text(view, &s->found, found, sizeof found),
            *found ? td_lanes_note(view, lanes, sizeof lanes) : "", td_format_ns(mean, t->mean_ns),
            t->mean_ns > 0 ? 1e9 / t->mean_ns : 0., td_format_ns(median, (double)t->median_ns),
            t->median_ns > 0 ? 1e9 / (double)t->median_ns : 0., td_format_ns(p75, (double)t->p75_ns),
            td_format_ns(p999, (double)t->p999_ns), td_format_ns(most, (double)t->max_ns),
            t->mean_ns > 0 ? t->deviation_ns / t->mean_ns * 100 : 0.);
}

static void draw_tools(struct td_view *view, struct frames_panel *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[400], label[80];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float x = place->left + pad, right = place->right - pad, field = TD_U(view, 90);
    float text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    if (td_ui_input(ui, "##frame number", "Frame ...", x, y, field, high, s->number, sizeof s->number,
                    false) &
        TD_INPUT_ENTER)
        td_view_show_frame_number(view, s->number);
    x += field + pad;
    if (td_tool_button(view, x, &right, y, "Next", false))
        td_view_next_frame(view, true);
    if (td_tool_button(view, x, &right, y, "Back", false))
        td_view_next_frame(view, false);
    if (td_tool_button(view, x, &right, y, s->linear ? "Linear" : "Logarithmic", false))
        s->linear = !s->linear;
    snprintf(label, sizeof label, "%d fps", td_view_target_fps(view));
    if (td_tool_button(view, x, &right, y, label, false))
        td_view_next_choice(view, TD_CHOICE_FPS);
    snprintf(label, sizeof label, "Set: %.40s", td_view_frame_set_name(view));
    if (td_tool_button(view, x, &right, y, label, false))
        td_view_next_frame_set(view);
    if (td_tool_button(view, x, &right, y, "Copy", false))
        td_panel_copy(view, TD_PANEL_FRAMES, TD_COPY_LINES);
    describe(view, s, text, sizeof text);
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

static void draw_frames_panel(struct td_view *view, const struct td_rect *place)
{
    struct frames_panel *s = state_of(view);
    const size_t selected = view->selection.frame;
    update_times(view, s);
    td_frames_found_update(view, &s->found);
    draw_tools(view, s, place);
    if (!s->any || s->shown_set != view->selection.frame_set ||
        !td_view_has_frames(view, view->selection.frame_set))
        return;
    float pad = TD_U(view, 8), bottom = place->bottom - pad;
    struct td_rect graph = {place->left + pad, place->top + TD_U(view, TOOLS_HEIGHT), place->right - pad,
                            bottom};
    if (graph.bottom - graph.top < TD_U(view, 20))
        return;
    if (graph.right - graph.left >= TD_U(view, HISTOGRAM_FROM)) {
        struct td_rect histogram = graph;
        histogram.left = graph.right - TD_U(view, HISTOGRAM_WIDTH);
        graph.right = histogram.left - pad;
        draw_histogram(view, s, &histogram);
    }
    struct frames_graph g = {view, s, view->selection.frame_set,
                             td_trace_frames(view->model.trace, view->selection.frame_set), graph};
    draw_graph(&g);
    if (view->selection.frame && view->selection.frame != selected)
        show_selected(&g, view->selection.frame - 1);
}

static bool take_frames_key(struct td_view *view, const struct td_key_press *press)
{
    struct frames_panel *s = state_of(view);
    if (press->key == 'k' && !press->ctrl) {
        td_view_next_frame(view, !press->shift);
        return true;
    }
    if (!td_panel_has_keys(view, TD_PANEL_FRAMES))
        return false;
    switch (press->key) {
    case TD_KEY_LEFT:
    case TD_KEY_RIGHT:
        td_view_next_frame(view, press->key == TD_KEY_RIGHT);
        return true;
    case 'v':
        td_view_next_frame_set(view);
        return true;
    case 'y':
        s->linear = !s->linear;
        return true;
    case 'q':
        td_view_next_choice(view, TD_CHOICE_FPS);
        return true;
    default:
        return false;
    }
}

static bool frames_are_busy(const struct td_view *view)
{
    return state_of(view)->job.running || state_of(view)->found.job.running;
}

static void free_frames_panel(struct td_view *view)
{
    struct frames_panel *s = state_of(view);
    td_job_stop(&s->job);
    td_frame_times_free(&s->made);
    td_frame_times_free(&s->shown);
    td_frames_found_free(&s->found);
}

static const struct td_help_line frames_help[] = {
    {"Shift+F", "frame times"},
    {"K, Shift+K", "next and previous frame"},
    {"V, Y, Q in it", "frame set, scale, target"},
    {0},
};

const struct td_panel td_panel_frames = {
    .name = "frames",
    .dock = TD_DOCK_BOTTOM,
    .title = "Frames",
    .group = TD_GROUP_SESSION,
    .page = "Which frames are slow?",
    .lacks = td_lacks_frames,
    .keys = {{.key = 'f', .shift = true}},
    .help = frames_help,
    .state_bytes = sizeof(struct frames_panel),
    .draw = draw_frames_panel,
    .free_state = free_frames_panel,
    .is_busy = frames_are_busy,
    .copy = copy_statistics,
    .take_key = take_frames_key,
};
