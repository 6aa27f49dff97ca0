/* Draws the sections of a category. */
#include "host/query/rows/sections.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

#define LEAST_PIXELS 3 /* narrower sections are joined with those after them */
#define JOINED       TD_C(EDGE)

static double end_of(const struct td_view *view, const struct td_section_item *item)
{
    return item->end_ns == TD_OPEN ? fmax((double)view->model.last_ns, (double)item->start_ns)
                                   : (double)item->end_ns;
}

static void set_section_tip(struct td_view *view, const struct td_node *node,
                            const struct td_section_item *item, size_t count, double end_ns)
{
    char length[TD_FORMAT_BYTES], start[TD_FORMAT_BYTES], number[TD_FORMAT_BYTES];
    td_format_ns(length, end_ns - (double)item->start_ns);
    td_format_time(start, (double)item->start_ns, 1);
    if (count > 1)
        td_tip(view, node->label, "sections\t%s\nduration\t%s\nstart\t%s\n", td_format_count(number, count),
               length, start);
    else
        td_tip(view, td_dict_text(view->model.dict, item->text),
               "section of\t%.100s\nduration\t%s%s\nstart\t%s\n", node->label, length,
               item->end_ns == TD_OPEN ? " so far, not ended" : "", start);
    view->hover.span = (struct td_time_span){true, (double)item->start_ns, end_ns};
}

/* Sections `first` to `next` - 1, of which there is one if it is wide enough. */
static void draw_section(struct td_view *view, const struct td_node *node, size_t first, size_t next,
                         float y0, float y1)
{
    struct td_ui *ui = view->ui;
    const struct td_section_item *item = &view->model.sections.items[first];
    const double end_ns = end_of(view, &view->model.sections.items[next - 1]);
    const float x0 = roundf(td_view_x(view, (double)item->start_ns)),
                x1 = fmaxf(roundf(td_view_x(view, end_ns)), x0 + TD_U(view, LEAST_PIXELS));
    const char *text = td_dict_text(view->model.dict, item->text);
    const td_rgba fill = next - first > 1 ? JOINED : td_color_of_name(text);
    const float mx = td_ui_mouse_x(ui), my = td_ui_mouse_y(ui);
    td_ui_rect(ui, x0, y0, fmaxf(x1 - 1, x0 + 1), y1, fill, TD_U(view, 2));
    if (td_view_is_over(view, node) && mx >= x0 && mx < x1 && my >= y0 && my < y1)
        set_section_tip(view, node, item, next - first, end_ns);
    const float left = fmaxf(x0, view->area.left) + TD_U(view, 5),
                room = fminf(x1, view->area.right) - left - TD_U(view, 4);
    char number[TD_FORMAT_BYTES];
    if (next - first > 1)
        text = td_format_count(number, next - first);
    if (room > TD_U(view, 12))
        td_ui_text_fit(ui, TD_FONT_SMALL, left, (y0 + y1 - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, room,
                       td_color_text_on(fill), text);
}

void td_draw_sections(struct td_view *view, const struct td_node *node, float y)
{
    const struct td_sections *s = &view->model.sections;
    const double least_ns = view->area.ns_per_pixel * TD_U(view, LEAST_PIXELS);
    if (node->number >= s->category_count)
        return;
    for (uint32_t lane = 0; lane < s->categories[node->number].lanes; lane++) {
        const float y0 = y + TD_U(view, 2) + (float)lane * view->metrics.row;
        size_t end;
        for (size_t i = td_sections_after(s, node->number, lane, view->camera.start_ns, &end), next; i < end;
             i = next) {
            const struct td_section_item *item = &s->items[i];
            if ((double)item->start_ns > view->camera.end_ns)
                break;
            next = i + 1;
            if (end_of(view, item) - (double)item->start_ns < least_ns) {
                next = td_sections_after(s, node->number, lane, (double)item->start_ns + least_ns, &end);
                next = next > i ? next : i + 1;
                if (next > i + 1 && (double)s->items[next - 1].start_ns > (double)item->start_ns + least_ns)
                    next--;
            }
            draw_section(view, node, i, next, y0, y0 + view->metrics.row - TD_U(view, 2));
        }
    }
}
