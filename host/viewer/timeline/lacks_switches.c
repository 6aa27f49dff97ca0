/* What the group of threads says where the trace has no context switches. */
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/view.h"

bool td_lacks_switches(const struct td_view *view)
{
    const struct td_switches *switches = &view->model.switches;
    return td_trace_is_finished(view->model.trace) && !view->model.loading && !view->model.lacks_switches &&
           !switches->thread_count && !switches->cpu_count;
}

void td_draw_lacks_switches(struct td_view *view, int number, float y)
{
    static const char text[] =
        "No context switches were recorded: a program records them as root, or with CAP_PERFMON "
        "and a readable tracefs.";
    const struct td_node *node = &view->layout.nodes[number];
    const bool is_threads = node->kind == TD_NODE_GROUP && !node->collapsed && !node->is_device &&
                            !node->level && number + 1 < node->end && node[1].kind == TD_NODE_TRACK;
    if (!is_threads || !td_lacks_switches(view))
        return;
    td_ui_text_fit(view->ui, TD_FONT_SMALL, view->area.left + TD_U(view, 8),
                   y + (node->height - td_ui_text_height(view->ui, TD_FONT_SMALL)) / 2,
                   view->area.right - view->area.left - TD_U(view, 16), TD_C(TEXT_FAINT), text);
}
