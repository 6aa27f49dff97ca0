/* The selected allocation: its address, times, threads, zones and call stacks. */
#include "host/viewer/panels/memory.h"
#include "host/query/code/stack_text.h"
#include "host/viewer/timeline/navigate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_FUNCTIONS 40

struct details_pen {
    struct td_view *view;
    const struct td_query_rows *rows;
    float left, right, y, bottom;
};

static void draw_pair(struct details_pen *p, const char *label, td_rgba color, const char *value)
{
    struct td_view *view = p->view;
    float high = td_ui_text_height(view->ui, TD_FONT_SMALL) + TD_U(view, 4), x = p->left + TD_U(view, 84);
    if (p->y + high > p->bottom)
        return;
    td_ui_text_fit(view->ui, TD_FONT_SMALL, p->left, p->y, x - p->left, TD_C(TEXT_FAINT), label);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, x, p->y, p->right - x, color, value);
    p->y += high;
}

/* A zone that a click selects. */
static void draw_zone(struct details_pen *p, struct td_zone_ref ref)
{
    struct td_view *view = p->view;
    char id[60];
    float y = p->y;
    if (!td_ref_valid(ref)) {
        draw_pair(p, "zone", TD_C(TEXT_FAINT), "none");
        return;
    }
    const struct td_zone zone = td_view_zone(view, ref);
    draw_pair(p, "zone", TD_C(ACCENT), td_zone_label(view->model.dict, &zone));
    snprintf(id, sizeof id, "memory zone %.0f", (double)y);
    if (p->y > y && td_ui_click_area(view->ui, id, p->left, y, p->right - p->left, p->y - y, NULL)) {
        td_view_select(view, ref);
        td_view_show_zone(view, ref, false);
    }
}

static void draw_stack(struct details_pen *p, uint32_t stack)
{
    char text[4000], *line = text;
    if (!stack)
        return;
    td_stack_text(p->view->model.trace, stack, "\n", MOST_FUNCTIONS, text, sizeof text);
    for (char *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        draw_pair(p, line == text ? "call stack" : "", TD_C(TEXT_DIM), line);
    }
}

static void draw_event(struct details_pen *p, const char *title, int64_t time_ns, uint64_t thread,
                       uint32_t stack)
{
    char text[TD_FORMAT_BYTES], name[80];
    p->y += TD_U(p->view, 4);
    draw_pair(p, title, TD_C(TEXT), td_format_time(text, (double)time_ns, 1));
    draw_pair(p, "thread", TD_C(TEXT_DIM), td_allocations_thread(p->rows, thread, name, sizeof name));
    draw_zone(p, td_allocations_zone(p->rows, thread, time_ns));
    draw_stack(p, stack);
}

void memory_draw_details(struct td_view *view, const struct td_rect *place)
{
    const struct memory_panel *s = memory_panel_of(view);
    if (!s->list.shown ||
        memory_selected(view) > td_series_count(td_trace_list(view->model.trace, TD_TABLE_MEMORY, s->pool)))
        return;
    const struct td_allocation a = td_allocation_get(view->model.trace, s->pool, memory_selected(view) - 1);
    struct details_pen p = {view,
                            s->list.shown,
                            place->left + TD_U(view, 12),
                            place->right - TD_U(view, 8),
                            place->top + TD_U(view, 6),
                            place->bottom};
    char text[80], number[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES];
    td_ui_rect(view->ui, place->left, place->top, place->left + 1, place->bottom, TD_C(EDGE), 0);
    snprintf(text, sizeof text, "0x%" PRIx64, a.address);
    draw_pair(&p, "address", TD_C(TEXT), text);
    snprintf(text, sizeof text, "%s (%s B)", td_format_value(number, (double)a.bytes, 1),
             td_format_count(more, (uint64_t)a.bytes));
    draw_pair(&p, "size", TD_C(TEXT), text);
    if (a.free_ns < 0)
        draw_pair(&p, "duration", TD_MEMORY_ACTIVE_COLOR, "still active");
    else
        draw_pair(&p, "duration", TD_C(TEXT), td_format_ns(number, (double)a.free_ns - (double)a.time_ns));
    draw_event(&p, "allocated", a.time_ns, a.thread, a.stack);
    if (a.free_ns >= 0)
        draw_event(&p, "freed", a.free_ns, a.free_thread, a.free_stack);
}
