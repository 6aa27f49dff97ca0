/* The frames of the chosen set: a bar for each, and how their lengths are spread. */
#include "host/base/cell_text.h"
#include "host/viewer/panels/frame_graph.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TOOLS_HEIGHT    30
#define HISTOGRAM_WIDTH 270
#define HISTOGRAM_FROM  620 /* a narrower panel has no histogram */

struct frames_panel {
    struct td_frame_graph graph;
    struct frames_found found;
    char number[16];
};

TD_PANEL_STATE(frames_panel, FRAMES)

/* ---- the histogram ---- */

static void draw_histogram(struct td_view *view, const struct td_frame_graph *s, const struct td_rect *place)
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
                   td_frame_color(view, s->linear ? middle : expm1(middle)), 0);
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
    const struct td_frame_graph *s = &state_of(view)->graph;
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
    const struct td_frame_times *t = &s->graph.shown;
    char count[TD_FORMAT_BYTES], mean[TD_FORMAT_BYTES], median[TD_FORMAT_BYTES], most[TD_FORMAT_BYTES];
    char p75[TD_FORMAT_BYTES], p999[TD_FORMAT_BYTES];
    char found[3 * TD_FORMAT_BYTES], lanes[60];
    if (!td_view_has_frames(view, view->selection.frame_set))
        snprintf(text, bytes, "The program marked no frames.");
    else if (!s->graph.any)
        snprintf(text, bytes, "counting, %.0f %%", (double)td_job_progress(&s->graph.job) * 100);
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
    if (td_tool_button(view, x, &right, y, s->graph.linear ? "Linear" : "Logarithmic", false))
        s->graph.linear = !s->graph.linear;
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
    td_frame_graph_update(view, &s->graph, view->selection.frame_set);
    td_frames_found_update(view, &s->found);
    draw_tools(view, s, place);
    if (!td_frame_graph_is_ready(view, &s->graph))
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
        draw_histogram(view, &s->graph, &histogram);
    }
    td_frame_graph_draw(view, &s->graph, &s->found, &graph);
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
        s->graph.linear = !s->graph.linear;
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
    return state_of(view)->graph.job.running || (view->find.active && state_of(view)->found.job.running);
}

static void free_frames_panel(struct td_view *view)
{
    struct frames_panel *s = state_of(view);
    td_frame_graph_free(&s->graph);
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
