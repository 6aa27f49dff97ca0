/* Statistics of the source locations in the chosen range, and how their time is spread over the tracks. */
#include "host/viewer/ui/list.h"
#include "host/viewer/view.h"
#include "host/base/grow.h"

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
    [SELF] = {.title = "Self", .width = 86, .right = true},
    [LEAST] = {.title = "Min", .width = 86, .right = true},
    [MOST] = {.title = "Max", .width = 86, .right = true},
    [DEVIATION] = {.title = "Deviation", .width = 86, .right = true},
    [TRACKS] = {.title = "Tracks", .width = 58, .right = true},
    [SPREAD] = {.title = "Over tracks", .width = 110, .fixed = true},
    [SOURCE] = {.title = "Source", .width = 190},
};

struct statistics_row {
    struct td_sum sum; /* of all tracks */
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
};

static struct statistics *state_of(struct td_view *view)
{
    return td_panel_state(view, TD_PANEL_STATISTICS);
}

/* ---- rows ---- */

struct statistics_order {
    const struct td_view *view;
    int column;
    bool descending;
};

static double value_of(const struct statistics_row *row, int column)
{
    switch (column) {
    case COUNT:
        return (double)(row->sum.count + row->sum.open);
    case MEAN:
        return td_sum_mean_ns(&row->sum);
    case SELF:
        return (double)row->sum.self_ns;
    case LEAST:
        return row->sum.timed ? (double)row->sum.min_ns : 0;
    case MOST:
        return (double)row->sum.max_ns;
    case DEVIATION:
        return td_sum_deviation_ns(&row->sum);
    case TRACKS:
        return (double)row->count;
    default:
        return (double)row->sum.total_ns;
    }
}

static const char *source_file(const struct td_view *view, const struct statistics_row *row)
{
    return td_dict_text(view->dict, td_dict_get_srcloc(view->dict, row->sum.srcloc)->file);
}

static int compare_rows(const void *a, const void *b, void *self)
{
    const struct statistics_order *order = self;
    const struct statistics_row *x = a, *y = b;
    int result = 0;
    if (order->column == NAME || order->column == SOURCE) {
        const struct td_view *v = order->view;
        result = order->column == NAME ? strcmp(td_dict_zone_name(v->dict, x->sum.srcloc),
                                                td_dict_zone_name(v->dict, y->sum.srcloc))
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
    s->count = 0;
    for (size_t i = 0, end; i < sums->count; i = end) {
        struct statistics_row row = {.sum = {.srcloc = sums->sum[i].srcloc, .min_ns = INT64_MAX}, .first = i};
        for (end = i; end < sums->count && sums->sum[end].srcloc == row.sum.srcloc; end++)
            if (td_lanes_passes(view, sums->sum[end].track)) {
                td_sum_add(&row.sum, &sums->sum[end]);
                row.count++;
            }
        row.end = end;
        if (!row.count)
            continue;
        if (s->filter[0] && !strcasestr(td_dict_zone_name(view->dict, row.sum.srcloc), s->filter) &&
            !strcasestr(source_file(view, &row), s->filter))
            continue;
        if (td_grow(&s->rows, &s->capacity, s->count + 1, sizeof *s->rows) < 0)
            break;
        s->rows[s->count++] = row;
    }
    s->all_ns = 0;
    for (uint32_t t = 0; t < sums->tracks; t++)
        s->all_ns += td_lanes_passes(view, t) ? (double)sums->lane[t].busy_ns : 0;
    s->version = view->sums.version;
    s->lanes_version = view->lanes.version;
    memcpy(s->made_with, s->filter, sizeof s->made_with);
    s->list.selected = 0;
    sort_rows(view, s);
}

/* ---- drawing ---- */

/* The time of each track, as bars: those of many tracks are joined. */
static void draw_spread(struct td_list_drawing *d, const struct td_sums *sums,
                        const struct statistics_row *row)
{
    struct td_rect cell;
    if (!td_list_cell(d, SPREAD, &cell))
        return;
    double bar[SPREAD_BARS] = {0}, most = 0;
    int bars = row->count < SPREAD_BARS ? (int)row->count : SPREAD_BARS;
    for (size_t i = row->first, n = 0; i < row->end; i++) {
        if (!td_lanes_passes(d->view, sums->sum[i].track) || n >= row->count)
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
    const struct td_srcloc *location = td_dict_get_srcloc(view->dict, row->sum.srcloc);
    struct td_zone zone = {.srcloc = row->sum.srcloc};
    char text[TD_FORMAT_BYTES], source[300];
    double share = s->all_ns > 0 ? (double)row->sum.self_ns / s->all_ns : 0;
    td_list_bar(d, SHARE, (float)share, 0xff31495a);
    td_list_name(d, NAME, td_color_of_zone(view->dict, &zone), TD_C(TEXT),
                 td_dict_zone_name(view->dict, row->sum.srcloc));
    td_list_text(d, TOTAL, TD_C(TEXT), td_format_ns(text, (double)row->sum.total_ns));
    snprintf(text, sizeof text, "%.2f %%", share * 100);
    td_list_text(d, SHARE, TD_C(TEXT), text);
    td_list_text(d, COUNT, TD_C(TEXT), td_format_count(text, row->sum.count + row->sum.open));
    static const int times[] = {MEAN, SELF, LEAST, MOST, DEVIATION};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        td_list_text(d, times[i], TD_C(TEXT_DIM), td_format_ns(text, value_of(row, times[i])));
    td_list_text(d, TRACKS, TD_C(TEXT_DIM), td_format_count(text, row->count));
    draw_spread(d, sums, row);
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
    fprintf(f, "name\tfile\tline\tcount\ttotal_ns\tself_ns\tmean_ns\tmin_ns\tmax_ns\tstd_ns\ttracks\n");
    for (size_t i = 0; i < s->count; i++) {
        const struct statistics_row *r = &s->rows[i];
        fprintf(f,
                "%s\t%s\t%" PRIu32 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%.1f\t%.0f\t%" PRId64
                "\t%.1f\t%zu\n",
                td_dict_zone_name(view->dict, r->sum.srcloc), source_file(view, r),
                td_dict_get_srcloc(view->dict, r->sum.srcloc)->line, r->sum.count, r->sum.total_ns,
                r->sum.self_ns, td_sum_mean_ns(&r->sum), value_of(r, LEAST), r->sum.max_ns,
                td_sum_deviation_ns(&r->sum), r->count);
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
    td_ui_input(ui, "##statistics filter", "Filter by name or file", x, y, TD_U(view, 190), high, s->filter,
                sizeof s->filter, false);
    x += TD_U(view, 200);
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    if (td_ui_button(ui, "Copy", right - TD_U(view, 56), y, TD_U(view, 56), high))
        copy_table(view, s);
    right -= TD_U(view, 64);
    float progress = td_view_sums_progress(view);
    if (progress >= 0)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)progress * 100);
    else
        snprintf(text, sizeof text, "%s source location%s", td_format_count(number, s->count),
                 s->count == 1 ? "" : "s");
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

static void choose(struct td_view *view, const struct statistics_row *row)
{
    td_view_search(view, td_dict_zone_name(view->dict, row->sum.srcloc));
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
    if (sums && (s->version != view->sums.version || s->lanes_version != view->lanes.version ||
                 strcmp(s->made_with, s->filter)))
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
    if (!td_list_key(&s->list, press, (int)s->count, &enter))
        return false;
    choose(view, &s->rows[s->list.selected - 1]);
    if (enter)
        td_view_next_match(view, true);
    return true;
}

static void free_statistics(struct td_view *view)
{
    free(state_of(view)->rows);
}

static const struct td_help_line statistics_help[] = {
    {"T", "statistics of zones in the chosen range"},
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
    .take_key = take_statistics_key,
};
