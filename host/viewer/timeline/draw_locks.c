/* Rows of locks: when a lock was held, by whom, and who waited for it. */
#include "host/base/plain_text.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/ui/data_colors.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define CELL_PIXELS 3

static void put_thread(const struct td_view *view, uint64_t lock, int row, char *out, size_t bytes)
{
    const struct td_series *threads = td_trace_list(view->model.trace, TD_TABLE_LOCK_THREAD, lock);
    uint64_t id = (uint64_t)row < td_series_count(threads)
                      ? (uint64_t)td_series_get(threads, (uint64_t)row, TD_LOCK_THREAD_THREAD)
                      : 0;
    for (uint32_t t = 0; t < td_dict_track_count(view->model.dict); t++) {
        const struct td_track *track = td_dict_get_track(view->model.dict, t);
        if (track->thread == id && !track->context && track->name) {
            snprintf(out, bytes, "%.60s", TD_PLAIN(td_dict_text(view->model.dict, track->name)));
            return;
        }
    }
    snprintf(out, bytes, "thread %" PRIu64, id);
}

/* Appends a line with the threads of a set. */
static void add_threads(const struct td_view *view, uint64_t lock, const char *label, uint64_t set,
                        char *text, size_t bytes)
{
    for (int i = 0; set; i++, set >>= 1) {
        if (!(set & 1))
            continue;
        char name[80];
        size_t used = strlen(text);
        put_thread(view, lock, i, name, sizeof name);
        snprintf(text + used, bytes - used, "%s\t%s\n", label, name);
        label = "";
    }
}

static void set_lock_tip(struct td_view *view, const struct td_node *node)
{
    struct td_lock_segment s;
    char text[900] = "", number[TD_FORMAT_BYTES];
    int64_t at = td_lod_time(td_view_time(view, td_ui_mouse_x(view->ui)));
    if (!td_lock_at(&view->model.locks, view->model.trace, node->number, at, &s))
        return;
    double end = s.end_ns == INT64_MAX ? (double)view->model.last_ns : (double)s.end_ns;
    const struct td_series *events = td_trace_list(view->model.trace, TD_TABLE_LOCK_EVENT, node->number);
    const struct td_srcloc *place =
        td_dict_get_srcloc(view->model.dict, (uint32_t)td_series_get(events, s.event, TD_LOCK_EVENT_SRCLOC));
    snprintf(text, sizeof text, "%s\t%s\n",
             !s.state.holders  ? "free for"
             : s.state.waiters ? "contended for"
                               : "held for",
             td_format_ns(number, end - (double)s.start_ns));
    add_threads(view, node->number, "held by", s.state.holders, text, sizeof text);
    add_threads(view, node->number, "waits", s.state.waiters, text, sizeof text);
    size_t used = strlen(text);
    if (*td_dict_text(view->model.dict, place->file))
        snprintf(text + used, sizeof text - used, "source\t%.120s:%" PRIu32 "\n",
                 TD_PLAIN(td_dict_text(view->model.dict, place->file)), place->line);
    used = strlen(text);
    struct td_lock_times all =
        td_lock_times_until(&view->model.locks, view->model.trace, node->number, view->model.last_ns);
    snprintf(text + used, sizeof text - used, "held in all\t%s\n", td_format_ns(number, all.held));
    used = strlen(text);
    snprintf(text + used, sizeof text - used, "waited in all\t%s\n", td_format_ns(number, all.waited));
    td_tip(view, node->label, "%s", text);
}

static void draw_block(struct td_view *view, float x0, float x1, float y, float height, float held,
                       float contended, float waited)
{
    float base = y + height - TD_U(view, 4), full = height - TD_U(view, 8);
    if (held > 0)
        td_ui_rect(view->ui, x0, base - fmaxf(full * held, 1), x1, base, TD_DATA_HELD, 0);
    if (contended > 0)
        td_ui_rect(view->ui, x0, base - fmaxf(full * contended, 1), x1, base, TD_DATA_CONTENDED, 0);
    if (waited > 0)
        td_ui_rect(view->ui, x0, y + TD_U(view, 1), x1, y + TD_U(view, 3), TD_C(WAIT), 0);
}

/* Cells of a few pixels: shares of the time. */
static void draw_cells(struct td_view *view, const struct td_node *node, float y)
{
    double cell = view->area.ns_per_pixel * TD_U(view, CELL_PIXELS);
    double start = floor(view->camera.start_ns / cell) * cell;
    struct td_lock_times a =
        td_lock_times_until(&view->model.locks, view->model.trace, node->number, td_lod_time(start));
    for (; start < view->camera.end_ns; start += cell) {
        struct td_lock_times b = td_lock_times_until(&view->model.locks, view->model.trace, node->number,
                                                     td_lod_time(start + cell));
        draw_block(view, roundf(td_view_x(view, start)), roundf(td_view_x(view, start + cell)), y,
                   node->height, (float)((b.held - a.held) / cell),
                   (float)((b.contended - a.contended) / cell), (float)((b.waited - a.waited) / cell));
        a = b;
    }
}

void td_draw_lock(struct td_view *view, const struct td_node *node, float y)
{
    struct td_lock_segment first, last;
    const int64_t from = td_lod_time(view->camera.start_ns), to = td_lod_time(view->camera.end_ns);
    bool any = td_lock_at(&view->model.locks, view->model.trace, node->number, to, &last);
    if (!any)
        return;
    bool has = td_lock_at(&view->model.locks, view->model.trace, node->number, from, &first);
    if (!has) { /* before the first event */
        first = (struct td_lock_segment){.event = UINT64_MAX};
        has = td_lock_next(view->model.trace, node->number, &first);
    }
    if (last.event - first.event > (uint64_t)(view->area.right - view->area.left)) {
        draw_cells(view, node, y);
    } else {
        for (; has && (double)first.start_ns < view->camera.end_ns;
             has = td_lock_next(view->model.trace, node->number, &first)) {
            double end = first.end_ns == INT64_MAX ? (double)view->model.last_ns : (double)first.end_ns;
            float x0 = floorf(td_view_x(view, (double)first.start_ns)), x1 = ceilf(td_view_x(view, end));
            draw_block(view, x0, fmaxf(x1, x0 + 1), y, node->height, first.state.holders != 0,
                       first.state.holders && first.state.waiters, first.state.waiters != 0);
        }
    }
    float my = td_ui_mouse_y(view->ui);
    if (td_view_is_over(view, node) && my >= y && my < y + node->height)
        set_lock_tip(view, node);
}
