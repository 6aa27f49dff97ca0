/* The plots of the trace with their least, greatest, mean and last value in the chosen range. */
#include "host/base/cell_text.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/query/rows/plot_sums.h"
#include "host/query/table/text_filter.h"
#include "host/viewer/ui/list.h"
#include "host/viewer/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30

enum plots_column { SHOWN, NAME, LEAST, MEAN, MOST, LAST, POINTS, RATE, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [SHOWN] = {.title = "Row", .width = 46, .fixed = true},
    [NAME] = {.title = "Plot"},
    [LEAST] = {.title = "Min", .width = 96, .right = true},
    [MEAN] = {.title = "Mean", .width = 96, .right = true},
    [MOST] = {.title = "Max", .width = 96, .right = true},
    [LAST] = {.title = "Last", .width = 96, .right = true},
    [POINTS] = {.title = "Points", .width = 84, .right = true},
    [RATE] = {.title = "Points per s", .width = 96, .right = true},
};

struct plots_panel {
    struct td_list list;
    struct td_job job;
    const struct td_trace *trace; /* the request of the job */
    int64_t from_ns, to_ns;
    uint64_t limits;
    struct td_plot_sums made, shown;
    uint32_t *rows; /* plots that pass the filter and have points */
    size_t count, capacity;
    char filter[96], made_with[96];
    bool started, any;
};

static struct plots_panel *state_of(const struct td_view *view)
{
    return view->panel[TD_PANEL_PLOTS].state;
}

/* ---- rows ---- */

static void make_sums(void *self, struct td_job *job)
{
    struct plots_panel *s = self;
    td_plot_sums_free(&s->made);
    /* Without memory there are no rows. */
    if (td_plot_sums_make(&s->made, s->trace, s->from_ns, s->to_ns, job) < 0)
        td_plot_sums_free(&s->made);
}

static const char *name_of(const struct td_view *view, uint32_t plot)
{
    return td_dict_text(view->dict, td_dict_get_plot(view->dict, plot)->name);
}

static double mean_of(const struct td_plot_sum *sum)
{
    return sum->finite ? sum->sum / (double)sum->finite : 0;
}

static double rate_of(const struct td_plot_sum *sum)
{
    return sum->last_ns > sum->first_ns
               ? (double)(sum->points - 1) * 1e9 / (double)(sum->last_ns - sum->first_ns)
               : 0;
}

static double value_of(const struct td_plot_sum *sum, int column)
{
    switch (column) {
    case LEAST:
        return sum->min;
    case MEAN:
        return mean_of(sum);
    case MOST:
        return sum->max;
    case LAST:
        return sum->last;
    case RATE:
        return rate_of(sum);
    default:
        return (double)sum->points;
    }
}

static int compare_plots(const void *a, const void *b, void *self)
{
    const struct td_view *view = self;
    const struct plots_panel *s = state_of(view);
    const uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    int result;
    if (s->list.sort == NAME) {
        result = strverscmp(name_of(view, m), name_of(view, n));
    } else {
        double x = value_of(&s->shown.of[m], s->list.sort), y = value_of(&s->shown.of[n], s->list.sort);
        result = x < y ? -1 : x > y;
    }
    if (s->list.descending)
        result = -result;
    return result ? result : m < n ? -1 : m > n;
}

static void sort_rows(struct td_view *view, struct plots_panel *s)
{
    if (s->count)
        qsort_r(s->rows, s->count, sizeof *s->rows, compare_plots, view);
}

static void make_rows(struct td_view *view, struct plots_panel *s)
{
    s->count = 0;
    for (uint32_t p = 0; p < s->shown.plots; p++) {
        if (!td_trace_plot_points(view->trace, p) || !td_text_passes(s->filter, name_of(view, p), NULL))
            continue;
        if (td_grow(&s->rows, &s->capacity, s->count + 1, sizeof *s->rows) < 0)
            break;
        s->rows[s->count++] = p;
    }
    memcpy(s->made_with, s->filter, sizeof s->made_with);
    sort_rows(view, s);
}

static void update_plots(struct td_view *view, struct plots_panel *s)
{
    bool fresh;
    uint64_t points = 0;
    if (!s->started)
        s->list.sort = NAME;
    s->started = true;
    int64_t from_ns, to_ns;
    td_view_limits(view, &from_ns, &to_ns);
    const uint64_t limits = td_mix64(td_mix64((uint64_t)from_ns) ^ (uint64_t)to_ns);
    for (uint32_t p = 0; view->live && p < view->plot_count; p++)
        points += view->plots[p].points;
    const bool growing = s->job.running && s->limits == limits;
    const uint64_t key = growing ? s->job.key : td_mix64(limits ^ td_mix64(points + 1));
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_plot_sums_free);
        s->any = true;
    }
    if (fresh || strcmp(s->filter, s->made_with))
        make_rows(view, s);
    if (state != TD_JOB_WANTED)
        return;
    s->trace = view->trace;
    s->from_ns = from_ns;
    s->to_ns = to_ns;
    s->limits = limits;
    td_job_start(&s->job, key, make_sums, s);
}

/* ---- the plots in the timeline ---- */

static int node_of(const struct td_view *view, uint32_t plot)
{
    return td_layout_row_node(&view->layout, TD_NODE_PLOT, plot);
}

static void toggle_row(struct td_view *view, uint32_t plot)
{
    const int node = node_of(view, plot);
    if (node < 0)
        return;
    if (view->layout.nodes[node].hidden)
        td_view_show_row(view, node, 0);
    else
        td_lanes_hide(view, node);
}

static void show_plot(struct td_view *view, uint32_t plot)
{
    td_view_show_row(view, node_of(view, plot), 0);
}

/* ---- drawing ---- */

static void draw_value(struct td_list_drawing *d, int column, const struct td_plot_sum *sum, double value,
                       int format)
{
    char text[TD_FORMAT_BYTES];
    td_list_text(d, column, TD_C(TEXT), sum->finite ? td_format_value(text, value, format) : "none");
}

static void draw_row(struct td_list_drawing *d, uint32_t plot, const struct td_plot_sum *sum)
{
    struct td_view *view = d->view;
    const struct td_plot *of = td_dict_get_plot(view->dict, plot);
    const int node = node_of(view, plot);
    const bool hidden = node < 0 || view->layout.nodes[node].hidden;
    char text[TD_FORMAT_BYTES];
    td_list_text(d, SHOWN, hidden ? TD_C(TEXT_FAINT) : TD_C(ACCENT), hidden ? "off" : "on");
    td_list_name(d, NAME, of->color ? 0xff000000u | of->color : td_color_of_name(name_of(view, plot)),
                 hidden ? TD_C(TEXT_FAINT) : TD_C(TEXT), name_of(view, plot));
    draw_value(d, LEAST, sum, sum->min, of->format);
    draw_value(d, MEAN, sum, mean_of(sum), of->format);
    draw_value(d, MOST, sum, sum->max, of->format);
    draw_value(d, LAST, sum, sum->last, of->format);
    td_list_text(d, POINTS, TD_C(TEXT_DIM), td_format_count(text, sum->points));
    snprintf(text, sizeof text, "%.4g", rate_of(sum));
    td_list_text(d, RATE, TD_C(TEXT_DIM), text);
}

/* The list as lines with tabs. */
static void copy_list(struct td_view *view, const struct plots_panel *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "plot\tpoints\tmin\tmean\tmax\tlast\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct td_plot_sum *sum = &s->shown.of[s->rows[i]];
        fprintf(f, "%s\t%" PRIu64 "\t%.17g\t%.17g\t%.17g\t%.17g\n", TD_CELL(name_of(view, s->rows[i])),
                sum->points, sum->min, mean_of(sum), sum->max, sum->last);
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void draw_tools(struct td_view *view, struct plots_panel *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[100], number[TD_FORMAT_BYTES];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3), x = place->left + pad;
    float text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, button = TD_U(view, 56);
    td_ui_input(ui, "##plots filter", "Filter: name, -not", x, y, TD_U(view, 190), high, s->filter,
                sizeof s->filter, false);
    x += TD_U(view, 200);
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    if (td_ui_button(ui, "Copy", right - button, y, button, high))
        copy_list(view, s);
    right -= button + pad;
    if (!s->any)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else
        snprintf(text, sizeof text, "%s plot%s", td_format_count(number, s->count), s->count == 1 ? "" : "s");
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

static void draw_plots_panel(struct td_view *view, const struct td_rect *place)
{
    struct plots_panel *s = state_of(view);
    struct td_rect rows = *place, cell;
    struct td_list_drawing d;
    int chosen = -1;
    bool toggled = false;
    update_plots(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->count, &rows, &d); i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED) {
            chosen = i;
            toggled = td_list_cell(&d, SHOWN, &cell) && td_ui_mouse_x(view->ui) < cell.right;
        }
        draw_row(&d, s->rows[i], &s->shown.of[s->rows[i]]);
    }
    td_list_end(&d);
    if (chosen >= 0)
        (toggled ? toggle_row : show_plot)(view, s->rows[chosen]);
    if (d.sorted)
        sort_rows(view, s);
}

static bool take_plots_key(struct td_view *view, const struct td_key_press *press)
{
    struct plots_panel *s = state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_PLOTS))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_list(view, s);
        return true;
    }
    if (press->key == 'x' && s->list.selected) {
        toggle_row(view, s->rows[s->list.selected - 1]);
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->count, &enter))
        return false;
    show_plot(view, s->rows[s->list.selected - 1]);
    return true;
}

static bool plots_are_busy(const struct td_view *view)
{
    return state_of(view)->job.running;
}

static void free_plots_panel(struct td_view *view)
{
    struct plots_panel *s = state_of(view);
    td_job_stop(&s->job);
    td_plot_sums_free(&s->made);
    td_plot_sums_free(&s->shown);
    free(s->rows);
}

static const struct td_help_line plots_help[] = {
    {"Shift+P", "list of plots"},
    {"X in it", "hide and show the row of the plot"},
    {0},
};

const struct td_panel td_panel_plots = {
    .name = "plots",
    .dock = TD_DOCK_BOTTOM,
    .title = "Plots",
    .keys = {{.key = 'p', .shift = true}},
    .help = plots_help,
    .state_bytes = sizeof(struct plots_panel),
    .draw = draw_plots_panel,
    .free_state = free_plots_panel,
    .is_busy = plots_are_busy,
    .take_key = take_plots_key,
};
