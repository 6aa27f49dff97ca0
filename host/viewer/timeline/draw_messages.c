/* Draws rows of messages, and finds the messages under the mouse. */
#include "host/base/plain_text.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

#define CELL_PIXELS 5.f /* the least width of a cell, which has one mark; the most is twice as much */
#define TIP_LINES   8

struct message_row {
    struct td_view *view;
    const struct td_node *node;
    float half, middle;
    struct td_band_item mark; /* that is drawn when the next one is known; count 0: none */
    uint64_t next;            /* messages before were drawn */
};

static void set_message_tip(struct td_view *view, uint32_t track, size_t first, size_t count)
{
    char text[900], time[TD_FORMAT_BYTES], number[TD_FORMAT_BYTES];
    size_t used = 0;
    text[0] = 0;
    view->hover.message = td_messages_number(&view->model.messages, view->model.trace, track, first) + 1;
    for (size_t i = 0; i < count && i < TIP_LINES; i++) {
        struct td_message m = td_messages_get(&view->model.messages, view->model.trace, track, first + i);
        td_format_time(time, (double)m.time_ns, 1);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\t%.80s\n", time,
                                 TD_PLAIN(td_dict_text(view->model.dict, m.text)));
        if (used >= sizeof text - 130)
            break;
    }
    if (count > TIP_LINES)
        snprintf(text + used, sizeof text - used, "\tand %s more\n",
                 td_format_count(number, count - TIP_LINES));
    td_tip(view, count == 1 ? "Message" : "Messages", "%s", text);
}

/* The mark, and a text if there is room before next_x. */
static void draw_mark(struct message_row *row, float next_x)
{
    struct td_view *view = row->view;
    const struct td_band_item *mark = &row->mark;
    if (!mark->count)
        return;
    const float x = td_view_x(view, (double)mark->start_ns), middle = row->middle;
    const td_rgba color = mark->color ? td_color_legible(mark->color) : TD_C(MESSAGE);
    const float size = mark->count > 1 ? row->half * 1.15f : row->half;
    const float up[6] = {x - size, middle, x, middle - size, x + size, middle};
    const float down[6] = {x - size, middle, x + size, middle, x, middle + size};
    td_ui_triangle(view->ui, up, color);
    td_ui_triangle(view->ui, down, color);
    float label = 0;
    if (next_x - x > TD_U(view, 44))
        label = td_ui_text_fit(view->ui, TD_FONT_SMALL, x + row->half + TD_U(view, 4),
                               middle - td_ui_text_height(view->ui, TD_FONT_SMALL) / 2,
                               next_x - x - row->half - TD_U(view, 12), color,
                               td_dict_text(view->model.dict, mark->srcloc));
    const float mx = td_ui_mouse_x(view->ui) - x, my = td_ui_mouse_y(view->ui) - middle;
    if (mx > -row->half - 2 && mx < row->half + 2 + label && fabsf(my) < view->metrics.messages / 2 &&
        view->hover.node >= 0)
        set_message_tip(view, row->node->number, (size_t)mark->first, mark->count);
}

static void draw_items(void *self, const struct td_band *band, const struct td_band_key *key, double from_ns,
                       double to_ns)
{
    struct message_row *row = self;
    const struct td_view *view = row->view;
    for (uint32_t i = 0; i < band->data.count; i++) {
        const struct td_band_item *item = &band->data.items[i];
        const double time = (double)item->start_ns;
        if (item->first < row->next || time < from_ns)
            continue;
        if (time >= to_ns || time > view->camera.end_ns)
            break;
        row->next = item->first + item->count;
        if (time < view->camera.start_ns - view->area.ns_per_pixel * TD_U(view, CELL_PIXELS))
            continue;
        draw_mark(row, td_view_x(view, time));
        row->mark = *item;
    }
}

void td_draw_messages(struct td_view *view, const struct td_node *node, float y)
{
    struct message_row row = {.view = view, .node = node, .half = TD_U(view, 3.5f)};
    const double cell_ns = view->area.ns_per_pixel * TD_U(view, CELL_PIXELS);
    row.middle = y + view->metrics.pad + view->metrics.messages / 2 - 1;
    td_draw_bands(view, node->number, TD_BAND_MESSAGES, NULL, view->camera.start_ns - cell_ns,
                  view->camera.end_ns, cell_ns, draw_items, &row);
    draw_mark(&row, view->area.right);
}

void td_closed_message_tip(struct td_view *view, int number, double from_ns, double to_ns)
{
    for (int i = number; i < view->layout.nodes[number].end; i++) {
        const struct td_node *node = &view->layout.nodes[i];
        if (node->kind != TD_NODE_TRACK || !node->has_messages)
            continue;
        const size_t first =
            td_messages_after(&view->model.messages, view->model.trace, node->number, from_ns);
        const size_t end = td_messages_after(&view->model.messages, view->model.trace, node->number, to_ns);
        if (first < end) {
            set_message_tip(view, node->number, first, end - first);
            return;
        }
    }
}
