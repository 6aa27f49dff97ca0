/* Draws when a thread ran and why it did not: a strip above its zones. Where many switches fall on a few pixels, the
 * height of the green part is the share of the time in which the thread ran. */
#include "host/base/plain_text.h"
#include "host/trace/tables.h"
#include "host/query/code/stack_text.h"
#include "host/query/code/switch_samples.h"
#include "host/query/flows/wakes.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/pixels.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/ui/data_colors.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL_PIXELS 4
#define TIP_FRAMES  6
#define DARKNESS    150 /* of zones while their thread does not run; 255: they are not seen */

/* Cells of one height that follow each other, drawn as one. */
struct cell_run {
    float x0, x1, high;
    bool used;
};

/* Several runs in a cell. */
struct switch_cell {
    double start_ns, end_ns;
    uint64_t first, count;
};

struct switch_strip {
    struct td_view *view;
    const struct td_node *node;
    const struct td_busy *busy;
    float y0, y1, mx;
    float dark_y0, dark_y1; /* what is darkened while the thread does not run; equal: nothing */
    bool hovered;
    struct cell_run run;
    uint64_t next;  /* rows before were drawn */
    int64_t end_ns; /* of the last of them */
};

static int64_t column(const struct switch_strip *s, uint64_t row, unsigned at)
{
    return td_series_get(s->busy->rows, row, at);
}

static void add_line(char *text, size_t bytes, const char *label, const char *value)
{
    const size_t used = strlen(text);
    snprintf(text + used, bytes - used, "%s\t%s\n", label, value);
}

static void set_run_tip(const struct switch_strip *s, uint64_t row)
{
    struct td_view *view = s->view;
    const int64_t start = column(s, row, TD_SWITCH_START),
                  end = td_busy_end(s->busy, row, view->model.last_ns),
                  woken = column(s, row, TD_SWITCH_WAKEUP);
    char text[600] = "", number[TD_FORMAT_BYTES], cpu[40];
    add_line(text, sizeof text, "runs for", td_format_ns(number, (double)(end - start)));
    add_line(text, sizeof text, "start", td_format_time(number, (double)start, 1));
    td_switches_cpu_name(view->model.trace, (uint32_t)column(s, row, TD_SWITCH_CPU), cpu, sizeof cpu);
    add_line(text, sizeof text, "on", cpu);
    if (woken < start)
        add_line(text, sizeof text, "woken before", td_format_ns(number, (double)(start - woken)));
    if (column(s, row, TD_SWITCH_END) >= start)
        add_line(text, sizeof text, "then",
                 td_switch_reason(column(s, row, TD_SWITCH_REASON), column(s, row, TD_SWITCH_STATE)));
    td_tip(view, s->node->label, "%s", text);
    view->hover.span = (struct td_time_span){true, (double)start, (double)end};
}

/* Who ended the gap after the row, and when. */
static void add_waker(const struct switch_strip *s, uint64_t row, char *text, size_t bytes)
{
    struct td_wake wake;
    char number[TD_FORMAT_BYTES], name[170] = "a device, or a timer";
    const uint64_t thread = td_dict_get_track(s->view->model.dict, s->node->number)->thread;
    if (!td_wake_of(&s->view->model.switches, thread, s->busy, row, &wake) ||
        wake.woken_ns >= wake.started_ns)
        return;
    add_line(text, bytes, "woken after", td_format_ns(number, (double)(wake.woken_ns - wake.stopped_ns)));
    if (wake.waker)
        td_name_runner(s->view, wake.waker, name, sizeof name);
    if (wake.how != TD_WAKER_UNKNOWN)
        add_line(text, bytes, wake.how == TD_WAKER_LIKELY ? "likely by" : "by", name);
}

/* The gap after the row; its call stack is shown by a click. */
static void set_wait_tip(const struct switch_strip *s, uint64_t row, int64_t end, int64_t next)
{
    struct td_view *view = s->view;
    char text[1000] = "", number[TD_FORMAT_BYTES], frames[600], from[40], to[40];
    const bool more = row + 1 < td_series_count(s->busy->rows);
    add_line(text, sizeof text, "does not run for", td_format_ns(number, (double)(next - end)));
    add_line(text, sizeof text, "since", td_format_time(number, (double)end, 1));
    add_line(text, sizeof text, "because it",
             td_switch_reason(column(s, row, TD_SWITCH_REASON), column(s, row, TD_SWITCH_STATE)));
    if (more)
        add_waker(s, row + 1, text, sizeof text);
    if (more && column(s, row + 1, TD_SWITCH_CPU) != column(s, row, TD_SWITCH_CPU)) {
        char both[90];
        td_switches_cpu_name(view->model.trace, (uint32_t)column(s, row, TD_SWITCH_CPU), from, sizeof from);
        td_switches_cpu_name(view->model.trace, (uint32_t)column(s, row + 1, TD_SWITCH_CPU), to, sizeof to);
        snprintf(both, sizeof both, "%s to %s", from, to);
        add_line(text, sizeof text, "migrates", both);
    }
    const uint64_t sample = td_switch_sample_of(view->model.trace, s->node->number, end, next);
    if (sample != UINT64_MAX) {
        const uint32_t stack = td_switch_sample_stack(view->model.trace, s->node->number, sample);
        td_stack_text(view->model.trace, stack, "\n", TIP_FRAMES, frames, sizeof frames);
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%.500s\n", frames);
        view->hover.stack = (struct td_stack_spot){TD_STACK_SWITCH, s->node->number, sample};
    }
    td_tip(view, s->node->label, "%s", text);
    view->hover.span = (struct td_time_span){true, (double)end, (double)next};
    view->hover.waits = true;
}

static void set_cell_tip(const struct switch_strip *s, const struct switch_cell *cell)
{
    char number[TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    if (!td_switches_try_hold(&s->view->model.switches))
        return;
    const double ran = (double)(td_busy_before(s->busy, cell->first + cell->count).own_ns -
                                td_busy_before(s->busy, cell->first).own_ns);
    td_switches_release(&s->view->model.switches);
    td_tip(s->view, s->node->label, "runs\t%s\nfor\t%s\nshare\t%.1f %%\n",
           td_format_count(number, cell->count), td_format_ns(time, ran),
           fmin(ran / fmax(cell->end_ns - cell->start_ns, 1), 1) * 100);
    s->view->hover.span = (struct td_time_span){true, cell->start_ns, cell->end_ns};
}

static bool is_under_mouse(const struct switch_strip *s, float x0, float x1)
{
    return s->hovered && s->mx >= x0 && s->mx < x1;
}

/* Darkens the zones where the thread does not run; part: of the time. */
static void darken(const struct switch_strip *s, float x0, float x1, float part)
{
    const td_rgba alpha = (td_rgba)(DARKNESS * part);
    if (s->dark_y1 > s->dark_y0 && alpha)
        td_ui_rect(s->view->ui, x0, s->dark_y0, x1, s->dark_y1, (TD_C(BACK) & 0xffffff) | alpha << 24, 0);
}

/* The gap between a row and the next one. Before end_ns, the row or its cell is drawn. */
static void draw_gap(const struct switch_strip *s, uint64_t row, int64_t end_ns, int64_t next_ns,
                     double woken_ns, bool moves)
{
    struct td_view *view = s->view;
    const float x0 = td_pixel_above(td_view_x(view, (double)end_ns)),
                x1 = td_pixel_below(td_view_x(view, (double)next_ns)), middle = floorf((s->y0 + s->y1) / 2);
    if (x1 <= x0)
        return;
    td_ui_rect(view->ui, x0, middle - 1, x1, middle + 1, moves ? TD_DATA_MIGRATES : TD_DATA_WAITS, 0);
    darken(s, x0, x1, 1);
    if (woken_ns > (double)end_ns && woken_ns < (double)next_ns) {
        const float from = td_pixel_below(td_view_x(view, woken_ns));
        td_ui_rect(view->ui, from, middle - 1, x1, middle + 1, TD_DATA_WOKEN, 0);
    }
    if (is_under_mouse(s, x0, x1))
        set_wait_tip(s, row, td_busy_end(s->busy, row, view->model.last_ns), next_ns);
}

/* The gap after a row, at an edge of the picture. */
static void draw_edge_gap(const struct switch_strip *s, uint64_t row)
{
    if (row + 1 < td_series_count(s->busy->rows))
        draw_gap(s, row, td_busy_end(s->busy, row, s->view->model.last_ns),
                 column(s, row + 1, TD_SWITCH_START), (double)column(s, row + 1, TD_SWITCH_WAKEUP),
                 column(s, row + 1, TD_SWITCH_CPU) != column(s, row, TD_SWITCH_CPU));
}

static void draw_run(const struct switch_strip *s, uint64_t row, int64_t start_ns, int64_t end_ns,
                     bool woken_only)
{
    const float x0 = td_pixel_below(td_view_x(s->view, (double)start_ns)),
                x1 = fmaxf(td_pixel_above(td_view_x(s->view, (double)end_ns)), x0 + 1);
    td_ui_rect(s->view->ui, x0, s->y0, x1, s->y1, woken_only ? TD_DATA_WOKEN : TD_DATA_RUNS, 0);
    if (is_under_mouse(s, x0, x1))
        set_run_tip(s, row);
}

static void draw_cells(struct switch_strip *s)
{
    const struct cell_run *r = &s->run;
    if (r->used && s->y1 - s->y0 > r->high)
        td_ui_rect(s->view->ui, r->x0, s->y0, r->x1, s->y1 - r->high,
                   td_color_mix(TD_C(BACK), TD_DATA_WAITS, .6f), 0);
    if (r->used && r->high > 0)
        td_ui_rect(s->view->ui, r->x0, s->y1 - r->high, r->x1, s->y1, TD_DATA_RUNS, 0);
    if (r->used)
        darken(s, r->x0, r->x1, 1 - r->high / (s->y1 - s->y0));
    s->run.used = false;
}

static void draw_several(struct switch_strip *s, const struct td_band_item *item)
{
    const struct switch_cell cell = {(double)item->start_ns, (double)item->end_ns, item->first, item->count};
    const float x0 = td_pixel_below(td_view_x(s->view, cell.start_ns)),
                x1 = fmaxf(td_pixel_below(td_view_x(s->view, cell.end_ns)), x0 + 1);
    const float high = item->coverage ? fmaxf(roundf((s->y1 - s->y0) * (float)item->coverage / 255), 1) : 0;
    if (s->run.used && (s->run.high != high || s->run.x1 < x0))
        draw_cells(s);
    s->run = (struct cell_run){s->run.used ? s->run.x0 : x0, x1, high, true};
    if (is_under_mouse(s, x0, x1))
        set_cell_tip(s, &cell);
}

static void draw_item(void *self, const struct td_band_item *item, int64_t end_ns, double cell_ns)
{
    struct switch_strip *s = self;
    if (s->next && s->next == item->first)
        draw_gap(s, item->first - 1, s->end_ns, item->start_ns,
                 (double)item->start_ns - item->woken * cell_ns / TD_WOKEN_PARTS,
                 item->flags & TD_ITEM_MOVED);
    else if (item->first > s->next)
        draw_edge_gap(s, item->first - 1);
    if (item->flags & TD_ITEM_ZONE)
        draw_run(s, item->first, item->start_ns, end_ns, item->flags & TD_ITEM_WOKEN);
    else
        draw_several(s, item);
    s->end_ns = end_ns;
}

/* A run that began before the picture may be in no band of it. */
static void draw_first_run(struct switch_strip *s)
{
    const struct td_view *view = s->view;
    const uint64_t row = td_busy_at(s->busy, td_lod_time(view->camera.start_ns));
    if (row >= td_series_count(s->busy->rows) ||
        (double)column(s, row, TD_SWITCH_START) >= view->camera.start_ns)
        return;
    s->next = row + 1;
    s->end_ns = td_busy_end(s->busy, row, view->model.last_ns);
    draw_run(s, row, column(s, row, TD_SWITCH_START), s->end_ns, column(s, row, TD_SWITCH_REASON) == -2);
}

void td_draw_switches(struct td_view *view, const struct td_node *node, float y)
{
    const struct td_busy *busy = td_switches_of(&view->model.switches, node->number);
    const float y0 = y + td_layout_switches_y(node, &view->metrics) - node->y,
                y1 = y0 + view->metrics.switches - TD_U(view, 2), my = td_ui_mouse_y(view->ui);
    struct switch_strip s = {
        .view = view, .node = node, .busy = busy, .y0 = y0, .y1 = y1, .mx = td_ui_mouse_x(view->ui)};
    s.hovered = td_view_is_over(view, node) && my >= y0 - 1 && my < y1 + 1;
    if (!busy)
        return;
    if (td_view_choice(view, TD_CHOICE_INACTIVE)) {
        s.dark_y0 = y + td_layout_row_y(node, &view->metrics, 0) - node->y;
        s.dark_y1 = s.dark_y0 + (float)node->rows * view->metrics.row;
    }
    draw_first_run(&s);
    td_draw_items(view, node->number, TD_BAND_SWITCHES, CELL_PIXELS, &s.next, draw_item, &s);
    draw_cells(&s);
    if (!s.next) /* no row is visible: a gap may be */
        s.next = td_busy_at(busy, td_lod_time(view->camera.start_ns));
    if (s.next)
        draw_edge_gap(&s, s.next - 1);
}
