/* Draws what each processor ran, how much they were used, and how a thread moved from one to another. */
#include "host/base/plain_text.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/band_switches.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/pixels.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/followed.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/ui/data_colors.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define CELL_PIXELS     4
#define USAGE_PIXELS    3
#define MOST_MIGRATIONS 2000
#define TIP_CPUS        12
#define DIMMED          .75f /* how far what is not followed is from its colour */
#define MOST_LOOKS      16   /* runs of a cell that are looked at for a followed thread */

void td_name_runner(const struct td_view *view, uint64_t thread, char *text, size_t bytes)
{
    const char *name = td_switches_thread_name(&view->model.switches, thread),
               *program = td_switches_program(&view->model.switches, thread);
    if (td_switches_runner(&view->model.switches, thread) == TD_RUNNER_OTHER && *program &&
        strcmp(name, program) != 0)
        snprintf(text, bytes, "%.60s (%.60s)", TD_PLAIN(name), TD_PLAIN(program));
    else if (*name)
        snprintf(text, bytes, "%.80s", TD_PLAIN(name));
    else
        snprintf(text, bytes, "thread %" PRIu64, thread);
}

/* ---- one processor ---- */

struct cpu_row {
    struct td_view *view;
    const struct td_node *node;
    const struct td_busy *busy;
    float y0, y1, mx;
    bool hovered;
    uint64_t next; /* rows before were drawn */
};

static uint64_t thread_of(const struct cpu_row *r, uint64_t row)
{
    return (uint64_t)td_series_get(r->busy->rows, row, TD_CPU_SWITCH_THREAD);
}

static void set_run_tip(const struct cpu_row *r, uint64_t row, int64_t start, int64_t end)
{
    struct td_view *view = r->view;
    static const char *const kinds[] = {"another program", "this program, without zones", "this program"};
    char name[160], length[TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    const uint64_t thread = thread_of(r, row);
    td_name_runner(view, thread, name, sizeof name);
    td_tip(view, r->node->label, "runs\t%s\nthread\t%" PRIu64 "\nof\t%s\nfor\t%s\nstart\t%s\n", name, thread,
           kinds[td_switches_runner(&view->model.switches, thread)],
           td_format_ns(length, (double)(end - start)), td_format_time(time, (double)start, 1));
    view->hover.span = (struct td_time_span){true, (double)start, (double)end};
    view->hover.thread = thread;
}

static void draw_one(const struct cpu_row *r, uint64_t row, int64_t start, int64_t end, td_rgba color)
{
    struct td_view *view = r->view;
    const float x0 = td_pixel_below(td_view_x(view, (double)start)),
                x1 = fmaxf(td_pixel_above(td_view_x(view, (double)end)), x0 + 1);
    const bool under = r->hovered && r->mx >= x0 && r->mx < x1;
    if (td_view_follows(view) && !td_view_is_followed(view, thread_of(r, row)))
        color = td_color_mix(color, TD_C(BACK), DIMMED);
    if (under)
        color = td_color_mix(color, 0xffffffff, .2f);
    td_ui_rect(view->ui, x0, r->y0, x1 - x0 > 3 ? x1 - 1 : x1, r->y1, color, 0);
    const float left = fmaxf(x0, view->area.left) + TD_U(view, 4),
                room = fminf(x1, view->area.right) - left - TD_U(view, 4);
    if (room > TD_U(view, 18)) {
        char name[160];
        td_name_runner(view, thread_of(r, row), name, sizeof name);
        td_ui_text_fit(view->ui, TD_FONT_SMALL, left,
                       (r->y0 + r->y1 - td_ui_text_height(view->ui, TD_FONT_SMALL)) / 2, room,
                       td_color_text_on(color), name);
    }
    if (under)
        set_run_tip(r, row, start, end);
}

static void set_cell_tip(const struct cpu_row *r, const struct td_band_item *item)
{
    char number[TD_FORMAT_BYTES];
    if (!td_switches_try_hold(&r->view->model.switches))
        return;
    const struct td_busy_times a = td_busy_before(r->busy, item->first),
                               b = td_busy_before(r->busy, item->first + item->count);
    td_switches_release(&r->view->model.switches);
    const double part = 100 / fmax((double)(item->end_ns - item->start_ns), 1);
    td_tip(r->view, r->node->label, "runs\t%s\nthis program\t%.1f %%\nothers\t%.1f %%\n",
           td_format_count(number, item->count), (double)(b.own_ns - a.own_ns) * part,
           (double)(b.other_ns - a.other_ns) * part);
    r->view->hover.span = (struct td_time_span){true, (double)item->start_ns, (double)item->end_ns};
}

/* The part of a cell in which followed threads ran; of many runs, by some of them. */
static float followed_share(const struct cpu_row *r, const struct td_band_item *item)
{
    const uint64_t step = (item->count + MOST_LOOKS - 1) / MOST_LOOKS;
    int64_t followed_ns = 0;
    for (uint64_t i = item->first; i < item->first + item->count; i += step)
        if (td_view_is_followed(r->view, thread_of(r, i)))
            followed_ns += td_busy_end(r->busy, i, r->view->model.last_ns) -
                           td_series_get(r->busy->rows, i, TD_CPU_SWITCH_START);
    const double cell_ns = fmax((double)(item->end_ns - item->start_ns), 1);
    return (float)fmin((double)followed_ns * (double)step / cell_ns, 1);
}

/* Several runs in a cell: the shares of this program and of others, and of what is followed. */
static void draw_cell(const struct cpu_row *r, const struct td_band_item *item)
{
    struct td_view *view = r->view;
    const bool follows = td_view_follows(view);
    const float dim = follows ? DIMMED : 0, followed = follows ? followed_share(r, item) : 0;
    const float own = (float)item->coverage / 255, all = (float)item->used / 255;
    const float x0 = td_pixel_below(td_view_x(view, (double)item->start_ns)),
                x1 = fmaxf(td_pixel_below(td_view_x(view, (double)item->end_ns)), x0 + 1),
                high = r->y1 - r->y0;
    if (all > own)
        td_ui_rect(view->ui, x0, r->y1 - fmaxf(high * all, 1), x1, r->y1,
                   td_color_mix(TD_DATA_OTHER, TD_C(BACK), dim), 0);
    if (own > 0)
        td_ui_rect(view->ui, x0, r->y1 - fmaxf(high * own, 1), x1, r->y1,
                   td_color_mix(TD_DATA_OWN, TD_C(BACK), dim), 0);
    if (followed > 0)
        td_ui_rect(view->ui, x0, r->y1 - fmaxf(high * followed, 1), x1, r->y1, TD_C(ACCENT), 0);
    if (r->hovered && r->mx >= x0 && r->mx < x1)
        set_cell_tip(r, item);
}

static void draw_run(void *self, const struct td_band_item *item, int64_t end_ns, double cell_ns)
{
    if (item->flags & TD_ITEM_ZONE)
        draw_one(self, item->first, item->start_ns, end_ns, 0xff000000u | item->color);
    else
        draw_cell(self, item);
}

/* A run that began before the picture may be in no band of it. */
static void draw_first_run(struct cpu_row *r)
{
    const struct td_view *view = r->view;
    const uint64_t row = td_busy_at(r->busy, td_lod_time(view->camera.start_ns));
    if (row >= td_series_count(r->busy->rows))
        return;
    const int64_t start = td_series_get(r->busy->rows, row, TD_CPU_SWITCH_START);
    if ((double)start >= view->camera.start_ns)
        return;
    draw_one(r, row, start, td_busy_end(r->busy, row, view->model.last_ns),
             td_runner_color(&view->model.switches, thread_of(r, row)));
    r->next = row + 1;
}

void td_draw_cpu(struct td_view *view, const struct td_node *node, float y)
{
    const struct td_busy *busy = td_switches_cpu(&view->model.switches, node->number);
    const float mx = td_ui_mouse_x(view->ui);
    struct cpu_row r = {view, node, busy, y + TD_U(view, 2), y + node->height - TD_U(view, 2), mx, false, 0};
    r.hovered = td_view_is_over(view, node);
    if (!busy)
        return;
    draw_first_run(&r);
    td_draw_items(view, node->number, TD_BAND_CPU, CELL_PIXELS, &r.next, draw_run, &r);
}

/* ---- all of them ---- */

/* What runs at the mouse. */
static void set_usage_tip(struct td_view *view, const struct td_node *node, double own, double other)
{
    const int64_t at = td_lod_time(td_view_time(view, td_ui_mouse_x(view->ui)));
    char text[900] = "", name[160];
    size_t used = 0, listed = 0;
    for (uint32_t c = 0; c < view->model.switches.cpu_count && listed < TIP_CPUS; c++) {
        const struct td_busy *busy = td_switches_cpu(&view->model.switches, c);
        const uint64_t row = busy ? td_busy_at(busy, at) : 0;
        if (!busy || row >= td_series_count(busy->rows) ||
            td_series_get(busy->rows, row, TD_CPU_SWITCH_START) > at)
            continue;
        td_name_runner(view, (uint64_t)td_series_get(busy->rows, row, TD_CPU_SWITCH_THREAD), name,
                       sizeof name);
        used += (size_t)snprintf(text + used, sizeof text - used, "CPU %u\t%.60s\n", c, name);
        listed++;
        if (used > sizeof text - 100)
            break;
    }
    td_tip(view, node->label, "this program\t%.1f %%\nothers\t%.1f %%\n%s", own * 100, other * 100, text);
}

struct usage_row {
    struct td_view *view;
    const struct td_node *node;
    float base, high;
    bool hovered;
};

static void draw_usage(void *self, const struct td_band *band, const struct td_band_key *key, double from_ns,
                       double to_ns)
{
    const struct usage_row *r = self;
    struct td_view *view = r->view;
    const double cell_ns = td_band_cell_ns(key->level), start_ns = td_band_start_ns(key);
    const float mx = td_ui_mouse_x(view->ui);
    from_ns = fmax(from_ns, view->camera.start_ns);
    to_ns = fmin(to_ns, view->camera.end_ns);
    for (uint32_t c = 0; c < band->data.count; c++) {
        const struct td_cell *cell = &band->data.cells[c];
        if (start_ns + (c + 1) * cell_ns < from_ns || start_ns + c * cell_ns > to_ns)
            continue;
        const float x0 = td_pixel_below(td_view_x(view, start_ns + c * cell_ns)),
                    x1 = td_pixel_below(td_view_x(view, start_ns + (c + 1) * cell_ns));
        const float all = (float)cell->busy / TD_BAND_SHARE, other = (float)cell->wait / TD_BAND_SHARE;
        if (other > 0)
            td_ui_rect(view->ui, x0, r->base - r->high * all, x1, r->base, TD_DATA_OTHER, 0);
        if (all > other)
            td_ui_rect(view->ui, x0, r->base - r->high * (all - other), x1, r->base, TD_DATA_OWN, 0);
        if (r->hovered && mx >= x0 && mx < x1)
            set_usage_tip(view, r->node, (double)(all - other), (double)other);
    }
}

void td_draw_cpu_usage(struct td_view *view, const struct td_node *node, float y, float height)
{
    struct usage_row r = {view, node, y + height - TD_U(view, 3), height - TD_U(view, 6), false};
    r.hovered = td_view_is_over(view, node);
    td_draw_bands(view, 0, TD_BAND_USAGE, NULL, view->camera.start_ns, view->camera.end_ns,
                  view->area.ns_per_pixel * TD_U(view, USAGE_PIXELS), draw_usage, &r);
}

/* ---- migrations ---- */

/* The thread whose way is drawn; 0: none. */
static uint64_t wanted_thread(const struct td_view *view)
{
    const int choice = td_view_choice(view, TD_CHOICE_MIGRATIONS);
    uint32_t track = view->lanes.selected;
    if (choice == 2)
        return 0;
    if (choice == 0) {
        if (view->hover.thread || view->selection.followed.thread)
            return view->hover.thread ? view->hover.thread : view->selection.followed.thread;
        const struct td_node *node = view->hover.node >= 0 ? &view->layout.nodes[view->hover.node] : NULL;
        track = node && node->kind == TD_NODE_TRACK && td_ui_mouse_x(view->ui) < view->area.left
                    ? node->number
                    : TD_NO_LANE;
    } else if (td_ref_valid(view->selection.zone)) {
        track = view->selection.zone.track;
    }
    return track == TD_NO_LANE ? 0 : td_dict_get_track(view->model.dict, track)->thread;
}

float td_cpu_row_y(const struct td_view *view, int64_t cpu)
{
    for (int s = 0; s < view->layout.shown_count + view->layout.pin_count; s++) {
        const int at = s < view->layout.shown_count ? view->layout.shown[s]
                                                    : view->layout.pins[s - view->layout.shown_count];
        const struct td_node *node = &view->layout.nodes[at];
        if (node->kind == TD_NODE_CPU && node->number == cpu)
            return td_view_node_y(view, node) + node->height / 2;
    }
    return NAN;
}

void td_draw_migrations(struct td_view *view)
{
    const uint64_t thread = wanted_thread(view);
    const uint32_t track = thread ? td_switches_track(&view->model.switches, thread) : UINT32_MAX;
    const struct td_busy *busy = track == UINT32_MAX ? NULL : td_switches_of(&view->model.switches, track);
    if (!busy || !view->model.switches.cpu_count || view->drag.kind != TD_DRAG_NONE)
        return;
    float rows[256];
    for (uint32_t c = 0; c < 256; c++)
        rows[c] = c < view->model.switches.cpu_count ? td_cpu_row_y(view, c) : NAN;
    const td_rgba color = TD_C(FLOW);
    const uint64_t count = td_series_count(busy->rows);
    uint64_t i = td_busy_at(busy, td_lod_time(view->camera.start_ns)), drawn = 0;
    for (i -= i > 0; i < count && drawn < MOST_MIGRATIONS; i++, drawn++) {
        const int64_t start = td_series_get(busy->rows, i, TD_SWITCH_START),
                      end = td_busy_end(busy, i, view->model.last_ns);
        const float y = rows[td_series_get(busy->rows, i, TD_SWITCH_CPU) & 255];
        if ((double)start > view->camera.end_ns)
            break;
        if (isnan(y))
            continue;
        const float x0 = td_view_x(view, (double)start), x1 = td_view_x(view, (double)end);
        td_ui_rect(view->ui, x0, y - 1, fmaxf(x1, x0 + 1), y + 1, color, 0);
        if (i + 1 >= count)
            break;
        const float next_y = rows[td_series_get(busy->rows, i + 1, TD_SWITCH_CPU) & 255],
                    next_x = td_view_x(view, (double)td_series_get(busy->rows, i + 1, TD_SWITCH_START));
        if (!isnan(next_y) && next_y != y)
            td_ui_line(view->ui, x1, y, next_x, next_y, color, TD_U(view, 1.4f));
        else if (!isnan(next_y))
            td_ui_rect(view->ui, x1, y, next_x, y + 1, td_color_alpha(color, .4f), 0);
    }
}
