#include "host/viewer/timeline/label_drag.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define SCROLL_STEP 12 /* pixels in a frame, while the mouse is above or below the rows */

void td_label_drag_begin(struct td_view *view)
{
    view->drag.kind = TD_DRAG_LABEL;
    view->drag.node = view->hover.node;
    view->drag.to = -1;
    view->drag.arrangement = view->rows.arrangement;
}

/* The row among those that the dragged one can change places with, which is at that height, or around it; -1: none. */
static int find_place(const struct td_view *view, float y)
{
    const struct td_layout *layout = &view->layout;
    const int parent = layout->nodes[view->drag.node].parent;
    int at = td_view_node_at(view, y);
    while (at >= 0 && layout->nodes[at].parent != parent)
        at = layout->nodes[at].parent;
    /* What belongs to a thread, such as its plots, is below it. */
    while (at >= 0 && layout->nodes[at].parent == parent && !layout->nodes[at].tracks)
        at--;
    while (at >= 0 && layout->nodes[at].parent != parent)
        at = layout->nodes[at].parent;
    return at == view->drag.node ? -1 : at;
}

float td_label_drag_move(struct td_view *view)
{
    const float y = td_ui_mouse_y(view->ui);
    view->drag.to = -1;
    /* A trace that grows may have got other rows. */
    if (view->drag.node < 0 || view->drag.arrangement != view->rows.arrangement ||
        !view->layout.nodes[view->drag.node].tracks)
        return 0;
    view->drag.to = find_place(view, y);
    const float step = y < view->area.top                                  ? -TD_U(view, SCROLL_STEP)
                       : y > view->area.bottom - view->metrics.group * .5f ? TD_U(view, SCROLL_STEP)
                                                                           : 0;
    const float most = fmaxf(view->layout.height - (view->area.bottom - view->area.top), 0);
    if (step < 0 ? view->area.scroll <= 0 : view->area.scroll >= most)
        return 0;
    view->panels.plays |= step != 0;
    return step;
}

bool td_label_drag_end(struct td_view *view)
{
    const bool same = view->drag.arrangement == view->rows.arrangement;
    if (view->drag.moved && same && view->drag.to >= 0)
        td_lanes_move(view, view->drag.node, view->drag.to);
    return !view->drag.moved && same;
}

void td_draw_label_drag(struct td_view *view)
{
    const int from = view->drag.node, to = view->drag.to;
    const struct td_layout *layout = &view->layout;
    if (view->drag.kind != TD_DRAG_LABEL || !view->drag.moved || to < 0 ||
        view->drag.arrangement != view->rows.arrangement)
        return;
    const struct td_node *at = &layout->nodes[to];
    float y = td_view_node_y(view, at);
    for (int i = to; to > from && i < at->end; i++)
        y = fmaxf(y, td_view_node_y(view, &layout->nodes[i]) + layout->nodes[i].height);
    y = fminf(fmaxf(roundf(y), view->area.pins_top), view->area.bottom);
    td_ui_rect(view->ui, view->area.panel.left, y - TD_U(view, 1), view->area.right, y + TD_U(view, 1),
               TD_C(ACCENT), 0);
    const struct td_node *node = &layout->nodes[from];
    const float x = view->area.panel.left + TD_U(view, 12), high = TD_U(view, 20),
                top = td_ui_mouse_y(view->ui) - high / 2,
                wide = fminf(td_ui_text_width(view->ui, TD_FONT_TEXT, node->label) + TD_U(view, 16),
                             view->area.left - x);
    td_ui_rect(view->ui, x, top, x + wide, top + high, TD_C(LIT), TD_U(view, 4));
    td_ui_text_fit(view->ui, TD_FONT_TEXT, x + TD_U(view, 8),
                   top + (high - td_ui_text_height(view->ui, TD_FONT_TEXT)) / 2, wide - TD_U(view, 12),
                   TD_C(TEXT), node->label);
}
