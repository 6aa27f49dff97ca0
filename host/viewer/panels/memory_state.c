/* What the pages of the panel Memory share: the chosen pool and range. */
#include "host/viewer/panels/memory.h"
#include "host/viewer/timeline/limits.h"

struct memory_panel *memory_panel_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_MEMORY].state;
}

struct td_memory_range memory_range(const struct td_view *view)
{
    struct td_memory_range range = {.trace = view->model.trace, .pool = memory_panel_of(view)->pool};
    td_view_limits(view, &range.from_ns, &range.to_ns);
    return range;
}

uint64_t memory_selected(const struct td_view *view)
{
    return view->selection.pool == memory_panel_of(view)->pool ? view->selection.allocation : 0;
}

void memory_select(struct td_view *view, uint64_t selected)
{
    view->selection.pool = memory_panel_of(view)->pool;
    view->selection.allocation = selected;
}

uint64_t memory_key(const struct td_view *view)
{
    const uint64_t rows = view->model.live ? td_trace_table_rows(view->model.trace, TD_TABLE_MEMORY) : 0;
    const uint64_t grown = view->model.live ? view->model.counted + (rows > 0) : 0;
    return td_mix64(td_view_limits_key(view) + grown) ^ td_mix64(memory_panel_of(view)->pool + 1);
}
