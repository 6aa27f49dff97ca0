/* What the pages of the panel Memory share: the chosen pool and range, and the threads of allocations. */
#include "host/viewer/panels/memory.h"
#include "host/query/rows/fiber_at.h"
#include "host/query/table/track_name.h"
#include "host/query/sums/zone_at.h"
#include "host/viewer/timeline/limits.h"

#include <inttypes.h>
#include <stdio.h>

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

uint64_t memory_key(const struct td_view *view)
{
    const uint64_t rows = view->model.live ? td_trace_table_rows(view->model.trace, TD_TABLE_MEMORY) : 0;
    const uint64_t grown = view->model.live ? view->model.counted + (rows > 0) : 0;
    return td_mix64(td_view_limits_key(view) + grown) ^ td_mix64(memory_panel_of(view)->pool + 1);
}

/* ---- threads ---- */

/* The track of the thread; TD_NO_TRACK: it has none. */
static uint32_t track_of_thread(struct td_view *view, uint64_t thread)
{
    struct memory_panel *s = memory_panel_of(view);
    const uint32_t tracks = td_dict_track_count(view->model.dict);
    for (; s->threads < tracks; s->threads++) {
        const struct td_track *t = td_dict_get_track(view->model.dict, (uint32_t)s->threads);
        if (!t->context && td_map_add(&s->track_of, t->thread, (uint32_t)s->threads) < 0)
            break;
    }
    return td_map_get(&s->track_of, thread, TD_NO_TRACK);
}

struct td_zone_ref memory_zone_at(struct td_view *view, uint64_t thread, int64_t time_ns)
{
    const uint32_t track = track_of_thread(view, thread);
    if (track == TD_NO_TRACK)
        return TD_NO_ZONE;
    return td_zone_at(view->model.trace, td_fiber_at(&view->model.fibers, track, time_ns), time_ns);
}

const char *memory_thread_name(struct td_view *view, uint64_t thread, char *room, size_t bytes)
{
    char name[TD_TRACK_NAME_BYTES];
    const uint32_t track = track_of_thread(view, thread);
    if (track == TD_NO_TRACK)
        snprintf(room, bytes, "%" PRIu64, thread);
    else
        snprintf(room, bytes, "%s", td_track_name(view->model.dict, track, name));
    return room;
}
