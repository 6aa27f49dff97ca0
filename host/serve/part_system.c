/* What concerns the whole program or machine: topology, processes of threads, parameters, trace sections; and when
 * fibers run. */
#include "host/serve/part.h"
#include "host/serve/track.h"
#include "host/wire/items.h"

int td_part_topology(struct td_viewer *v)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_TOPOLOGY);
    uint64_t end = td_place_end(v, &v->topology, td_series_count(rows));
    for (; v->topology.next < end; v->topology.next++) {
        uint8_t *p = td_put_room(v, TD_ITEM_MAX);
        if (!p)
            return TD_PART_FULL;
        uint64_t row = v->topology.next;
        struct td_wire_CpuTopology item = {.package = (uint32_t)td_part_get(rows, row, TD_TOPOLOGY_PACKAGE),
                                           .die = (uint32_t)td_part_get(rows, row, TD_TOPOLOGY_DIE),
                                           .core = (uint32_t)td_part_get(rows, row, TD_TOPOLOGY_CORE),
                                           .thread = (uint32_t)td_part_get(rows, row, TD_TOPOLOGY_CPU)};
        td_put_end(v, td_wire_put_CpuTopology(p, v->release, &item));
    }
    return TD_PART_DONE;
}

int td_part_processes(struct td_viewer *v)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_THREAD_PROCESS);
    uint64_t end = td_place_end(v, &v->processes, td_series_count(rows));
    for (; v->processes.next < end; v->processes.next++) {
        uint8_t *p = td_put_room(v, TD_ITEM_MAX);
        if (!p)
            return TD_PART_FULL;
        uint64_t thread = (uint64_t)td_part_get(rows, v->processes.next, TD_THREAD_PROCESS_THREAD);
        uint64_t process = (uint64_t)td_part_get(rows, v->processes.next, TD_THREAD_PROCESS_PROCESS);
        struct td_wire_TidToPid item = {td_key_thread(v, thread), process};
        td_put_end(v, td_wire_put_TidToPid(p, v->release, &item));
    }
    return TD_PART_DONE;
}

int td_part_parameters(struct td_viewer *v)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_PARAMETER);
    uint64_t end = td_place_end(v, &v->parameters, td_series_count(rows));
    for (; v->parameters.next < end; v->parameters.next++) {
        uint8_t *p = td_put_room(v, TD_ITEM_MAX);
        if (!p)
            return TD_PART_FULL;
        uint64_t row = v->parameters.next;
        uint8_t type = (uint8_t)td_part_get(rows, row, TD_PARAMETER_TYPE);
        struct td_wire_ParamSetup item = {
            .idx = (uint32_t)td_part_get(rows, row, TD_PARAMETER_INDEX),
            .name = td_key(TD_KEY_STRING, (uint32_t)td_part_get(rows, row, TD_PARAMETER_NAME)),
            .type = v->release->parameter_types ? type : type != 0,
            .val = (int32_t)td_part_get(rows, row, TD_PARAMETER_VALUE)};
        td_put_end(v, td_wire_put_ParamSetup(p, v->release, &item));
    }
    return TD_PART_DONE;
}

/* ---- sections ---- */

static int send_categories(struct td_viewer *v)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_SECTION_CATEGORY);
    uint64_t end = td_place_end(v, &v->categories, td_series_count(rows));
    for (; v->categories.next < end; v->categories.next++) {
        uint32_t text = (uint32_t)td_part_get(rows, v->categories.next, TD_SECTION_CATEGORY_TEXT);
        if (!text)
            continue;
        uint8_t *p = td_put_room(v, 2 * TD_ITEM_MAX + td_put_text_bytes(v, text));
        if (!p)
            return TD_PART_FULL;
        p = td_put_text(v, p, text);
        uint16_t category = (uint16_t)td_part_get(rows, v->categories.next, TD_SECTION_CATEGORY_CATEGORY);
        td_put_end(v, td_wire_put_SectionSetup(p, v->release, &(struct td_wire_SectionSetup){category}));
    }
    return TD_PART_DONE;
}

static uint8_t *put_section_thread(struct td_viewer *v, uint8_t *p)
{
    return v->has_thread ? p : td_put_thread(v, p, 0);
}

static int send_section_end(struct td_viewer *v, uint64_t row, int64_t end_ns)
{
    uint8_t *p = td_put_room(v, 2 * TD_ITEM_MAX);
    if (!p)
        return TD_PART_FULL;
    p = put_section_thread(v, p);
    struct td_wire_SectionLeave item = {td_put_delta(&v->thread_time, end_ns), (uint32_t)row + 1};
    td_put_end(v, td_wire_put_SectionLeave(p, v->release, &item));
    return TD_PART_DONE;
}

static int send_section(struct td_viewer *v, const struct td_series *rows, uint64_t row)
{
    uint32_t text = (uint32_t)td_part_get(rows, row, TD_SECTION_TEXT);
    int64_t end_ns = td_part_get(rows, row, TD_SECTION_END);
    uint8_t *p = td_put_room(v, 5 * TD_ITEM_MAX + td_put_text_bytes(v, text));
    if (!p)
        return TD_PART_FULL;
    if (end_ns < 0) {
        if (TD_PLACES_GROW(&v->open_sections, v->open_sections.count + 1) < 0)
            return TD_E_NOMEM;
        v->open_sections.at[v->open_sections.count - 1] = row;
    }
    p = put_section_thread(v, p);
    p = td_put_text(v, p, text);
    struct td_wire_SectionEnter item = {
        .time = td_put_delta(&v->thread_time, td_part_get(rows, row, TD_SECTION_START)),
        .id = (uint32_t)row + 1,
        .category = (uint16_t)td_part_get(rows, row, TD_SECTION_CATEGORY)};
    td_put_end(v, td_wire_put_SectionEnter(p, v->release, &item));
    return end_ns < 0 ? TD_PART_DONE : send_section_end(v, row, end_ns);
}

int td_part_sections(struct td_viewer *v)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_SECTION);
    uint64_t end = td_place_end(v, &v->sections, td_series_count(rows));
    if (!td_wire_has(v->release, TD_ITEM_SectionEnter)) {
        if (end)
            td_viewer_leave_out(v, TD_LEFT_OUT_SECTIONS);
        return TD_PART_DONE;
    }
    int result = send_categories(v);
    for (size_t i = 0; i < v->open_sections.count && !result; i++) {
        uint64_t row = v->open_sections.at[i];
        int64_t end_ns = td_part_get(rows, row, TD_SECTION_END);
        if (end_ns < 0)
            continue;
        result = send_section_end(v, row, end_ns);
        if (!result)
            v->open_sections.at[i--] = v->open_sections.at[--v->open_sections.count];
    }
    for (; v->sections.next < end && !result; v->sections.next += !result)
        result = send_section(v, rows, v->sections.next);
    return result;
}

/* ---- fibers ---- */

/* The list of SWITCH of a thread or fiber, plus 1; 0: none yet. */
static uint64_t switch_list(struct td_viewer *v, uint64_t thread)
{
    int64_t row = td_key_row(&v->switch_threads, td_trace_table(v->trace, TD_TABLE_SWITCH_THREAD),
                             TD_SWITCH_THREAD_THREAD, thread);
    return row < 0 ? 0 : (uint64_t)row + 1;
}

static uint8_t *put_leave(struct td_viewer *v, uint8_t *p, struct td_track_place *track, int64_t ns)
{
    p = td_put_thread(v, p, track->wire_thread);
    struct td_wire_FiberLeave item = {td_put_delta(&v->thread_time, ns), track->wire_thread};
    track->is_fiber_entered = false;
    return td_wire_put_FiberLeave(p, v->release, &item);
}

/* A fiber is left only when its next run is sent, or at the end: its zones and messages, which are sent after this
 * part, need it to be entered. */
static int send_fiber(struct td_viewer *v, uint32_t number)
{
    const struct td_track *known = td_dict_get_track(v->dict, number);
    struct td_track_place *track = &v->tracks.at[number];
    if (!known->fiber)
        return TD_PART_DONE;
    if (!track->switches)
        track->switches = switch_list(v, known->thread);
    if (!track->switches)
        return TD_PART_DONE;
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_SWITCH, track->switches - 1);
    uint64_t end = td_place_end(v, &track->run, td_series_count(rows));
    while (track->run.next < end) {
        uint8_t *p = td_put_room(v, 2 * TD_TRACK_ROOM);
        if (!p)
            return TD_PART_FULL;
        uint64_t run = track->run.next;
        if (track->is_fiber_entered) {
            int64_t end_ns = run ? td_part_get(rows, run - 1, TD_SWITCH_END) : -1;
            p = put_leave(v, p, track, end_ns >= 0 ? end_ns : td_part_get(rows, run, TD_SWITCH_START));
        }
        p = td_track_put(v, p, track, number, td_part_get(rows, run, TD_SWITCH_START));
        td_put_end(v, p);
        track->run.next++;
    }
    return TD_PART_DONE;
}

int td_part_fibers(struct td_viewer *v)
{
    uint32_t count = td_dict_track_count(v->dict);
    int result = TD_PLACES_GROW(&v->tracks, count);
    TD_PART_EACH(v, count, result, send_fiber(v, i));
    return result;
}

static int leave_fiber(struct td_viewer *v, uint32_t number)
{
    struct td_track_place *track = &v->tracks.at[number];
    if (!track->is_fiber_entered || !track->switches || !v->final || !track->run.next)
        return TD_PART_DONE;
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_SWITCH, track->switches - 1);
    int64_t end_ns = td_part_get(rows, track->run.next - 1, TD_SWITCH_END);
    if (end_ns < 0)
        return TD_PART_DONE;
    uint8_t *p = td_put_room(v, TD_TRACK_ROOM);
    if (!p)
        return TD_PART_FULL;
    td_put_end(v, put_leave(v, p, track, end_ns));
    return TD_PART_DONE;
}

int td_part_fiber_ends(struct td_viewer *v)
{
    uint32_t count = v->final ? (uint32_t)v->tracks.count : 0;
    int result = TD_PART_DONE;
    TD_PART_EACH(v, count, result, leave_fiber(v, i));
    return result;
}
