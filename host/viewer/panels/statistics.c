/* Statistics of the source locations in the chosen range, and how their time is spread over the tracks. */
#include "host/base/cell_text.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/query/sums/location_figures.h"
#include "host/query/table/text_filter.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define SPREAD_BARS  24

enum statistics_column {
    NAME,
    TOTAL,
    SHARE,
    COUNT,
    MEAN,
    MEDIAN,
    P90,
    P99,
    SELF,
    LEAST,
    MOST,
    DEVIATION,
    TRACKS,
    SPREAD,
    SOURCE,
    COLUMNS
};

static const struct td_column columns[COLUMNS] = {
    [NAME] = {.title = "Zone"},
    [TOTAL] = {.title = "Total", .width = 92, .right = true},
    [SHARE] = {.title = "% of time", .width = 72, .right = true},
    [COUNT] = {.title = "Count", .width = 88, .right = true},
    [MEAN] = {.title = "Mean", .width = 86, .right = true},
    [MEDIAN] = {.title = "Median", .width = 86, .right = true},
    [P90] = {.title = "p90", .width = 86, .right = true},
    [P99] = {.title = "p99", .width = 86, .right = true},
    [SELF] = {.title = "Self", .width = 86, .right = true},
    [LEAST] = {.title = "Min", .width = 86, .right = true},
    [MOST] = {.title = "Max", .width = 86, .right = true},
    [DEVIATION] = {.title = "Deviation", .width = 86, .right = true},
    [TRACKS] = {.title = "Tracks", .width = 58, .right = true},
    [SPREAD] = {.title = "Over tracks", .width = 110, .fixed = true},
    [SOURCE] = {.title = "Source", .width = 190},
};

static const char *const timings[TD_TIMINGS] = {
    [TD_TIMING_WHOLE] = "With children",
    [TD_TIMING_SELF] = "Self",
    [TD_TIMING_OUTER] = "Non-reentrant",
};

/* Of which tracks zones count. */
enum statistics_of { OF_ALL, OF_HOST, OF_GPU, OFS };
static const char *const of_names[OFS] = {"All zones", "Without GPU", "GPU"};

struct statistics_row {
    struct td_sum sum; /* of all tracks */
    struct td_figures figures;
    size_t first, end; /* its entries of the sums, those of lanes that are filtered out among them */
    size_t count;      /* tracks */
};

struct statistics {
    struct td_list list;
    char filter[96];
    struct statistics_row *rows;
    size_t count, capacity;
    uint64_t version, lanes_version; /* of the sums and the filter that the rows are of */
    char made_with[96];
    double all_ns; /* busy time of all tracks */
    bool started;
    enum statistics_of of, made_of;

    enum td_timing timing; /* that is chosen */
    struct td_job job;     /* makes the figures */
    struct td_figures_wanted request;
    struct td_lane_choice lanes;
    struct td_location_figures made, shown;
    uint64_t figures_version, made_figures; /* of `shown`; of those that the rows have */
};

static struct statistics *state_of(struct td_view *view)
{
    return td_panel_state(view, TD_PANEL_STATISTICS);
}

/* The zones of the track count: it passes the filter, and is of the chosen kind. */
static bool counts_track(const struct td_view *view, const struct statistics *s, uint32_t track)
{
    const bool gpu = td_dict_get_track(view->model.dict, track)->context != 0;
    return td_lanes_passes(view, track) && (s->of == OF_ALL || gpu == (s->of == OF_GPU));
}

/* ---- rows ---- */

struct statistics_order {
    const struct td_view *view;
    int column;
    bool descending;
};

/* The figures of zones with all that is in them: the sums have them before they are counted again for percentiles. */
static void use_sums(struct td_figures *figures, const struct td_sum *sum)
{
    figures->count = sum->count + sum->open;
    figures->timed = sum->timed;
    figures->total_ns = sum->total_ns;
    figures->min_ns = sum->timed ? sum->min_ns : 0;
    figures->max_ns = sum->max_ns;
    figures->squares = sum->squares;
}

static double value_of(const struct statistics_row *row, int column)
{
    switch (column) {
    case COUNT:
        return (double)row->figures.count;
    case MEAN:
        return td_figures_mean_ns(&row->figures);
    case MEDIAN:
        return (double)row->figures.median_ns;
    case P90:
        return (double)row->figures.p90_ns;
    case P99:
        return (double)row->figures.p99_ns;
    case SELF:
        return (double)row->sum.self_ns;
    case LEAST:
        return (double)row->figures.min_ns;
    case MOST:
        return (double)row->figures.max_ns;
    case DEVIATION:
        return td_figures_deviation_ns(&row->figures);
    case TRACKS:
        return (double)row->count;
    default:
        return (double)row->figures.total_ns;
    }
}

static const char *source_file(const struct td_view *view, const struct statistics_row *row)
{
    return td_dict_text(view->model.dict, td_dict_get_srcloc(view->model.dict, row->sum.srcloc)->file);
}

static int compare_rows(const void *a, const void *b, void *self)
{
    const struct statistics_order *order = self;
    const struct statistics_row *x = a, *y = b;
    int result = 0;
    if (order->column == NAME || order->column == SOURCE) {
        const struct td_view *v = order->view;
        result = order->column == NAME ? strcmp(td_dict_zone_name(v->model.dict, x->sum.srcloc),
                                                td_dict_zone_name(v->model.dict, y->sum.srcloc))
                                       : strcmp(source_file(v, x), source_file(v, y));
    } else {
        double p = value_of(x, order->column), q = value_of(y, order->column);
        result = p < q ? -1 : p > q;
    }
    if (order->descending)
        result = -result;
    return result ? result : x->sum.srcloc < y->sum.srcloc ? -1 : x->sum.srcloc > y->sum.srcloc;
}

static void sort_rows(struct td_view *view, struct statistics *s)
{
    struct statistics_order order = {view, s->list.sort, s->list.descending};
    if (s->count)
        qsort_r(s->rows, s->count, sizeof *s->rows, compare_rows, &order);
}

/* Joins the sums of each location. Without memory the table ends early. */
static void make_rows(struct td_view *view, struct statistics *s, const struct td_sums *sums)
{
    const uint32_t selected = s->list.selected ? s->rows[s->list.selected - 1].sum.srcloc : UINT32_MAX;
    s->count = 0;
    for (size_t i = 0, end; i < sums->count; i = end) {
        struct statistics_row row = {.sum = {.srcloc = sums->sum[i].srcloc, .min_ns = INT64_MAX}, .first = i};
        for (end = i; end < sums->count && sums->sum[end].srcloc == row.sum.srcloc; end++)
            if (counts_track(view, s, sums->sum[end].track)) {
                td_sum_add(&row.sum, &sums->sum[end]);
                row.count++;
            }
        row.end = end;
        if (!row.count || !td_text_passes(s->filter, td_dict_zone_name(view->model.dict, row.sum.srcloc),
                                          source_file(view, &row)))
            continue;
        if (row.sum.srcloc < s->shown.locations)
            row.figures = s->shown.of[row.sum.srcloc];
        if (s->shown.timing == TD_TIMING_WHOLE)
            use_sums(&row.figures, &row.sum);
        if (td_grow(&s->rows, &s->capacity, s->count + 1, sizeof *s->rows) < 0)
            break;
        s->rows[s->count++] = row;
    }
    s->all_ns = 0;
    for (uint32_t t = 0; t < sums->tracks; t++)
        s->all_ns += counts_track(view, s, t) ? (double)sums->lane[t].busy_ns : 0;
    s->version = view->sums.version;
    s->lanes_version = view->lanes.version;
    s->made_figures = s->figures_version;
    s->made_of = s->of;
    memcpy(s->made_with, s->filter, sizeof s->made_with);
    s->list.selected = 0;
    sort_rows(view, s);
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].sum.srcloc == selected)
            s->list.selected = (int)i + 1;
}

static void make_figures(void *self, struct td_job *job)
{
    struct statistics *s = self;
    td_location_figures_free(&s->made);
    /* Without memory the table has what the sums have. */
    td_location_figures_make(&s->made, &s->request, job);
}

/* False: no memory. */
static bool copy_tracks(const struct td_view *view, struct statistics *s)
{
    const uint32_t tracks = td_dict_track_count(view->model.dict);
    if (s->of == OF_ALL)
        return td_lanes_copy(view, &s->lanes);
    td_lane_choice_free(&s->lanes);
    s->lanes.passes = malloc((size_t)tracks + 1);
    if (!s->lanes.passes)
        return false;
    s->lanes.tracks = tracks;
    for (uint32_t t = 0; t < tracks; t++)
        s->lanes.passes[t] = counts_track(view, s, t);
    return true;
}

static void update_figures(struct td_view *view, struct statistics *s)
{
    bool fresh;
    const uint64_t key = td_mix64(td_view_limits_key(view) ^ td_lanes_key(view)) + (uint64_t)s->timing +
                         (uint64_t)s->of * TD_TIMINGS;
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_location_figures_free);
        s->figures_version++;
    }
    if (state != TD_JOB_WANTED)
        return;
    s->request =
        (struct td_figures_wanted){.trace = view->model.trace, .timing = s->timing, .lanes = &s->lanes};
    td_view_limits(view, &s->request.from_ns, &s->request.to_ns);
    if (copy_tracks(view, s))
        td_job_start(&s->job, key, make_figures, s);
}

/* ---- drawing ---- */

/* The time of each track, as bars: those of many tracks are joined. */
static void draw_spread(struct td_list_drawing *d, const struct statistics *s, const struct td_sums *sums,
                        const struct statistics_row *row)
{
    struct td_rect cell;
    if (!td_list_cell(d, SPREAD, &cell))
        return;
    double bar[SPREAD_BARS] = {0}, most = 0;
    int bars = row->count < SPREAD_BARS ? (int)row->count : SPREAD_BARS;
    for (size_t i = row->first, n = 0; i < row->end; i++) {
        if (!counts_track(d->view, s, sums->sum[i].track) || n >= row->count)
            continue;
        double *b = &bar[n++ * (size_t)bars / row->count];
        *b = fmax(*b, (double)sums->sum[i].total_ns);
        most = fmax(most, *b);
    }
    float wide = (cell.right - cell.left) / SPREAD_BARS, base = cell.bottom - TD_U(d->view, 3);
    float high = base - cell.top - TD_U(d->view, 3);
    for (int i = 0; i < bars && most > 0; i++)
        td_ui_rect(d->view->ui, cell.left + wide * (float)i, base - fmaxf(high * (float)(bar[i] / most), 1),
                   cell.left + wide * (float)(i + 1) - 1, base, TD_C(DENSITY), 0);
}

static void draw_row(struct td_list_drawing *d, const struct statistics *s, const struct td_sums *sums,
                     const struct statistics_row *row)
{
    struct td_view *view = d->view;
    const struct td_srcloc *location = td_dict_get_srcloc(view->model.dict, row->sum.srcloc);
    struct td_zone zone = {.srcloc = row->sum.srcloc};
    char text[TD_FORMAT_BYTES], source[300];
    double share = s->all_ns > 0 ? (double)row->sum.self_ns / s->all_ns : 0;
    td_list_bar(d, SHARE, (float)share, 0xff31495a);
    td_list_name(d, NAME, td_color_of_zone(view->model.dict, &zone), TD_C(TEXT),
                 td_dict_zone_name(view->model.dict, row->sum.srcloc));
    td_list_text(d, TOTAL, TD_C(TEXT), td_format_ns(text, value_of(row, TOTAL)));
    snprintf(text, sizeof text, "%.2f %%", share * 100);
    td_list_text(d, SHARE, TD_C(TEXT), text);
    td_list_text(d, COUNT, TD_C(TEXT), td_format_count(text, row->figures.count));
    static const int times[] = {MEAN, MEDIAN, P90, P99, SELF, LEAST, MOST, DEVIATION};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        td_list_text(d, times[i], TD_C(TEXT_DIM), td_format_ns(text, value_of(row, times[i])));
    td_list_text(d, TRACKS, TD_C(TEXT_DIM), td_format_count(text, row->count));
    draw_spread(d, s, sums, row);
    snprintf(source, sizeof source, "%.200s:%" PRIu32, source_file(view, row), location->line);
    td_list_text(d, SOURCE, TD_C(TEXT_FAINT), *source_file(view, row) ? source : "");
}

/* The visible table as tab separated lines with times in ns. */
static void copy_table(struct td_view *view, const struct statistics *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f,
            "name\tfile\tline\tcount\ttotal_ns\tself_ns\tmean_ns\tmedian_ns\tp90_ns\tp99_ns\tmin_ns\tmax_ns\t"
            "std_ns\ttracks\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct statistics_row *r = &s->rows[i];
        const struct td_figures *g = &r->figures;
        fprintf(f,
                "%s\t%s\t%" PRIu32 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%.1f\t%" PRId64 "\t%" PRId64
                "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.1f\t%zu\n",
                TD_CELL(td_dict_zone_name(view->model.dict, r->sum.srcloc)), TD_CELL(source_file(view, r)),
                td_dict_get_srcloc(view->model.dict, r->sum.srcloc)->line, g->count, g->total_ns,
                r->sum.self_ns, td_figures_mean_ns(g), g->median_ns, g->p90_ns, g->p99_ns, g->min_ns,
                g->max_ns, td_figures_deviation_ns(g), r->count);
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void draw_tools(struct td_view *view, struct statistics *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[160], number[TD_FORMAT_BYTES];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float x = place->left + pad, text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2;
    float right = td_draw_limits(view, place->right - pad, y, high) - pad, timing_width = TD_U(view, 104);
    const float buttons = TD_U(view, 72) + timing_width,
                field = fminf(TD_U(view, 190), fmaxf(right - x - buttons, TD_U(view, 60)));
    td_ui_input(ui, "##statistics filter", "Filter: name or file, -not", x, y, field, high, s->filter,
                sizeof s->filter, false);
    x += field + pad;
    if (td_ui_button(ui, "Copy", right - TD_U(view, 56), y, TD_U(view, 56), high))
        copy_table(view, s);
    right -= TD_U(view, 64) + timing_width;
    if (td_ui_button(ui, timings[s->timing], right, y, timing_width, high))
        s->timing = (s->timing + 1) % TD_TIMINGS;
    right -= pad;
    if (td_view_gpu_contexts(view) && right - timing_width > x) {
        right -= timing_width;
        if (td_ui_button(ui, of_names[s->of], right, y, timing_width, high))
            s->of = (s->of + 1) % OFS;
        right -= pad;
    }
    float progress = td_view_sums_progress(view);
    if (progress < 0 && s->job.running)
        progress = td_job_progress(&s->job);
    if (progress >= 0)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)progress * 100);
    else
        snprintf(text, sizeof text, "%s source location%s", td_format_count(number, s->count),
                 s->count == 1 ? "" : "s");
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

static void choose(struct td_view *view, const struct statistics_row *row)
{
    td_view_search_name(view, td_dict_zone_name(view->model.dict, row->sum.srcloc));
}

static void draw_statistics(struct td_view *view, const struct td_rect *place)
{
    struct statistics *s = state_of(view);
    const struct td_sums *sums = td_view_sums(view);
    struct td_rect rows = *place;
    struct td_list_drawing d;
    if (!s->started) {
        s->list.sort = TOTAL;
        s->list.descending = s->started = true;
    }
    update_figures(view, s);
    if (sums &&
        (s->version != view->sums.version || s->lanes_version != view->lanes.version ||
         s->made_figures != s->figures_version || s->made_of != s->of || strcmp(s->made_with, s->filter)))
        make_rows(view, s, sums);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    int chosen = -1;
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->count, &rows, &d); i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        draw_row(&d, s, sums, &s->rows[i]);
    }
    td_list_end(&d);
    if (chosen >= 0)
        choose(view, &s->rows[chosen]);
    if (d.sorted)
        sort_rows(view, s);
}

static bool take_statistics_key(struct td_view *view, const struct td_key_press *press)
{
    struct statistics *s = state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_STATISTICS))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_table(view, s);
        return true;
    }
    if (press->key == 'y' && td_view_gpu_contexts(view)) {
        s->of = (s->of + 1) % OFS;
        return true;
    }
    if (press->key == 'v') {
        s->timing = (s->timing + 1) % TD_TIMINGS;
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->count, &enter))
        return false;
    choose(view, &s->rows[s->list.selected - 1]);
    if (enter)
        td_view_next_match(view, true);
    return true;
}

static void free_statistics(struct td_view *view)
{
    struct statistics *s = state_of(view);
    td_job_stop(&s->job);
    td_location_figures_free(&s->made);
    td_location_figures_free(&s->shown);
    td_lane_choice_free(&s->lanes);
    free(s->rows);
}

static bool statistics_are_busy(const struct td_view *view)
{
    const struct statistics *s = view->panels.slot[TD_PANEL_STATISTICS].state;
    return s->job.running;
}

static const struct td_help_line statistics_help[] = {
    {"T", "statistics of zones in the chosen range"},
    {"V in it", "with children, self, non-reentrant"},
    {"Y in it", "all zones, without those of GPUs, only those"},
    {0},
};

const struct td_panel td_panel_statistics = {
    .name = "statistics",
    .dock = TD_DOCK_BOTTOM,
    .title = "Zones",
    .keys = {{'t', false}},
    .help = statistics_help,
    .state_bytes = sizeof(struct statistics),
    .draw = draw_statistics,
    .free_state = free_statistics,
    .is_busy = statistics_are_busy,
    .take_key = take_statistics_key,
};
