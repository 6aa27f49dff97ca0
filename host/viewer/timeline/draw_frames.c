/* Draws rows of frames. */
#include "host/query/rows/frame_times.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define CELL_PIXELS 3.f /* the least width of a cell; the most is twice as much. Shorter frames are one */

struct frame_row {
    struct td_view *view;
    uint32_t set;
    float y0, y1, text_y;
    uint64_t next; /* frames before were drawn */
};

/* The frame under the mouse: its tooltip, and what a click selects. */
static void set_frame_tip(struct td_view *view, const struct td_node *node)
{
    if (!td_view_is_over(view, node))
        return;
    const double time = td_view_time(view, td_ui_mouse_x(view->ui));
    const size_t frame = td_frame_at(view->model.trace, node->number, time);
    if (frame == SIZE_MAX)
        return;
    const struct td_frame f = td_trace_frame(view->model.trace, node->number, frame);
    const double end_ns = (double)(f.end_ns == TD_OPEN ? view->model.last_ns : f.end_ns);
    if (time >= end_ns)
        return;
    td_frame_tip(view, node->number, frame, "");
    view->hover.set = node->number;
    view->hover.frame = frame + 1;
    view->hover.span = (struct td_time_span){true, (double)f.start_ns, end_ns};
}

static void draw_frame_label(const struct frame_row *row, uint64_t frame, float x0, float x1,
                             double length_ns)
{
    const struct td_view *view = row->view;
    char time[TD_FORMAT_BYTES], text[2 * TD_FORMAT_BYTES];
    x0 = fmaxf(x0, view->area.left) + TD_U(view, 5);
    const float room = fminf(x1, view->area.right) - x0 - TD_U(view, 4);
    if (room <= TD_U(view, 30))
        return;
    const uint64_t number = td_frame_number(view->model.trace, row->set, (size_t)frame);
    td_format_ns(time, length_ns);
    if (number == SIZE_MAX)
        snprintf(text, sizeof text, "%s", time);
    else
        snprintf(text, sizeof text, "#%" PRIu64 "  %s", number, time);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, x0, row->text_y, room, TD_C(TEXT_DIM), text);
}

static void draw_item(void *self, const struct td_band_item *item, int64_t end_ns, double cell_ns)
{
    const struct frame_row *row = self;
    const struct td_view *view = row->view;
    const bool many = !(item->flags & TD_ITEM_ZONE);
    const double end = many ? fmin((double)end_ns, (double)view->model.last_ns) : (double)end_ns;
    const float x0 = roundf(td_view_x(view, (double)item->start_ns)), x1 = roundf(td_view_x(view, end));
    const td_rgba fill = many ? TD_C(LIT) : item->first & 1 ? TD_C(CHOSEN) : TD_C(LIT);
    td_ui_rect(view->ui, x0, row->y0, fmaxf(x1 - (many ? 0 : 1), x0 + 1), row->y1, fill,
               many ? 0 : TD_U(view, 2));
    if (!many)
        draw_frame_label(row, item->first, x0, x1, end - (double)item->start_ns);
}

void td_draw_frames(struct td_view *view, const struct td_node *node, float y)
{
    struct frame_row row = {
        view, node->number, y + TD_U(view, 3), y + view->metrics.frames - TD_U(view, 3), 0, 0};
    row.text_y = (row.y0 + row.y1 - td_ui_text_height(view->ui, TD_FONT_SMALL)) / 2;
    set_frame_tip(view, node);
    td_draw_items(view, node->number, TD_BAND_FRAMES, CELL_PIXELS, &row.next, draw_item, &row);
}
