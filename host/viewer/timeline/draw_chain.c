/* The critical chain of the selected zone: drawing it, and following it step by step. */
#include "host/viewer/timeline/critical.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

static void draw_links(struct td_view *view, const struct td_flow_pair *links, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct td_flow_pair *link = &links[i];
        int64_t first = link->from->start_ns, last = link->to->start_ns;
        if (first > last) {
            first = last;
            last = link->from->start_ns;
        }
        if ((double)last >= view->camera.start_ns && (double)first <= view->camera.end_ns)
            td_draw_flow_arrow(view, link, TD_C(MATCH));
    }
}

void td_draw_chain(struct td_view *view)
{
    struct td_chain *chain = &view->selection.chain;
    if (td_panel_is_open(view, TD_PANEL_OPERATIONS) &&
        view->selection.operation_chain.ends == view->model.flows.ends)
        draw_links(view, view->selection.operation_chain.links, view->selection.operation_chain.count);
    if (!td_ref_valid(view->selection.zone))
        return;
    if (!td_ref_equal(chain->of, view->selection.zone) || chain->ends != view->model.flows.ends)
        td_chain_make(chain, &view->model.flows, view->model.trace, view->selection.zone);
    draw_links(view, chain->links, chain->count);
}

void td_view_follow_chain(struct td_view *view, bool back)
{
    struct td_flow_pair link;
    if (!td_ref_valid(view->selection.zone)) {
        if (back)
            td_view_follow_waker(view);
        return;
    }
    const struct td_zone zone = td_view_zone(view, view->selection.zone);
    if (!td_chain_step(&view->model.flows, view->selection.zone, back ? zone.end_ns : zone.start_ns, back,
                       &link)) {
        if (back)
            td_view_follow_waker(view);
        return;
    }
    const struct td_zone_ref next = back ? link.from->zone : link.to->zone;
    td_view_select(view, next);
    td_view_show_zone(view, next, false);
}
