#include "host/agent/import/timeline_internal.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <stdio.h>

#define FACTS       100
#define FACT_BYTES  1000
#define LINE_DIGITS 9

static const char *const loss_names[][2] = {
#define TD_X(name, one, many) {one, many},
    TD_TIMELINE_LOSSES(TD_X)
#undef TD_X
};

struct td_timeline *td_timeline_create(struct td_hub *hub)
{
    struct td_timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline)
        return NULL;
    timeline->hub = hub;
    timeline->dict = td_hub_dict(hub);
    timeline->next_thread = UINT64_C(1) << 62;
    timeline->keys = td_dict_create();
    if (timeline->keys)
        return timeline;
    free(timeline);
    return NULL;
}

void td_timeline_destroy(struct td_timeline *timeline)
{
    if (!timeline)
        return;
    struct td_map *maps[] = {&timeline->by_pid,       &timeline->by_thread, &timeline->by_group,
                             &timeline->by_operation, &timeline->by_series, &timeline->by_counter,
                             &timeline->by_flow,      &timeline->by_label,  &timeline->by_named,
                             &timeline->zone_stacks};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        td_map_finish(maps[i]);
    void *arrays[] = {timeline->items,  timeline->links,   timeline->processes, timeline->owners,
                      timeline->series, timeline->samples, timeline->marks,     timeline->facts,
                      timeline->tracks, timeline->groups,  timeline->changes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    td_timeline_free_stacks(timeline->stacks);
    td_dict_destroy(timeline->keys);
    free(timeline);
}

struct td_timeline_counts *td_timeline_get_counts(struct td_timeline *timeline)
{
    return &timeline->counts;
}

void td_timeline_lose(struct td_timeline *timeline, const char *what)
{
    struct td_timeline_other *others = timeline->counts.others;
    unsigned i = 0;
    while (i < TD_TIMELINE_OTHERS - 1 && others[i].count && strcmp(others[i].what, what) != 0)
        i++;
    if (!others[i].count)
        snprintf(others[i].what, sizeof others[i].what, "%s",
                 i < TD_TIMELINE_OTHERS - 1 ? what : "item of another kind");
    others[i].count++;
}

static uint64_t sum_of_lost(const struct td_timeline_counts *counts)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < TD_LOSS_COUNT; i++)
        sum += counts->lost[i];
    for (unsigned i = 0; i < TD_TIMELINE_OTHERS; i++)
        sum += counts->others[i].count;
    return sum;
}

/* "5 items are left out: 3 damaged events, 2 ends without a begin", cut to `room` - 1 bytes. */
static void put_lost(const struct td_timeline_counts *counts, char *text, size_t room)
{
    const uint64_t lost = sum_of_lost(counts);
    int bytes = snprintf(text, room, "%" PRIu64 " %s left out", lost, lost == 1 ? "item is" : "items are");
    const char *before = ": ";
    for (unsigned i = 0; i < TD_LOSS_COUNT && bytes >= 0 && (size_t)bytes < room; i++) {
        if (!counts->lost[i])
            continue;
        bytes += snprintf(text + bytes, room - (size_t)bytes, "%s%" PRIu64 " %s", before, counts->lost[i],
                          loss_names[i][counts->lost[i] != 1]);
        before = ", ";
    }
    for (unsigned i = 0; i < TD_TIMELINE_OTHERS && bytes >= 0 && (size_t)bytes < room; i++) {
        const struct td_timeline_other *other = &counts->others[i];
        if (!other->count)
            break;
        bytes += snprintf(text + bytes, room - (size_t)bytes, "%s%" PRIu64 " %s%s", before, other->count,
                          other->what, other->count == 1 ? "" : "s");
        before = ", ";
    }
}

void td_timeline_report(const struct td_timeline_counts *counts, const struct td_import_lines *to)
{
    char text[2000];
    if (counts->renamed)
        td_import_line(to, true,
                       "ends whose names no open zone has, and that end the innermost one: %" PRIu64,
                       counts->renamed);
    if (sum_of_lost(counts)) {
        put_lost(counts, text, sizeof text);
        td_import_line(to, true, "%s", text);
    }
    td_import_line(to, false, "zones        %" PRIu64, counts->zones);
    td_import_line(to, false, "messages     %" PRIu64 ", %" PRIu64 " frames, %" PRIu64 " plot points",
                   counts->messages, counts->frames, counts->plot_points);
    if (counts->flows)
        td_import_line(to, false, "flows        %" PRIu64 " ends", counts->flows);
    if (counts->samples)
        td_import_line(to, false, "samples      %" PRIu64 ", %" PRIu64 " call stacks", counts->samples,
                       counts->stacks);
    if (counts->switches)
        td_import_line(to, false, "switches     %" PRIu64, counts->switches);
}

/* ---- processes, threads, operations */

static uint32_t key_of(struct td_timeline *timeline, struct td_timeline_id id)
{
    return td_dict_string(timeline->keys, id.at, id.bytes);
}

uint32_t td_timeline_process(struct td_timeline *timeline, struct td_timeline_id pid)
{
    const uint32_t key = key_of(timeline, pid);
    if (key == UINT32_MAX)
        return UINT32_MAX;
    const uint32_t known = td_map_get(&timeline->by_pid, key, UINT32_MAX),
                   number = (uint32_t)timeline->process_count;
    if (known != UINT32_MAX)
        return known;
    if (td_grow(&timeline->processes, &timeline->process_room, number + 1, sizeof *timeline->processes) ||
        td_map_add(&timeline->by_pid, key, number) < 0)
        return UINT32_MAX;
    timeline->processes[timeline->process_count++] = (struct td_process){.pid = key};
    return number;
}

static uint32_t owner_of(struct td_timeline *timeline, struct td_map *map, const struct td_track_owner *owner)
{
    const uint64_t key = (uint64_t)owner->process << 32 | owner->id;
    const uint32_t known = td_map_get(map, key, UINT32_MAX), number = (uint32_t)timeline->owner_count;
    if (known != UINT32_MAX)
        return known;
    if (td_grow(&timeline->owners, &timeline->owner_room, number + 1, sizeof *timeline->owners) ||
        td_map_add(map, key, number) < 0)
        return UINT32_MAX;
    timeline->owners[timeline->owner_count++] = *owner;
    return number;
}

uint32_t td_timeline_thread(struct td_timeline *timeline, uint32_t process, struct td_timeline_id tid)
{
    const uint32_t key = process == UINT32_MAX ? UINT32_MAX : key_of(timeline, tid);
    return key == UINT32_MAX ? UINT32_MAX
                             : owner_of(timeline, &timeline->by_thread,
                                        &(struct td_track_owner){.process = process, .id = key});
}

static uint32_t add_operation(struct td_timeline *timeline, uint32_t process,
                              struct td_timeline_id group_name, struct td_timeline_id key, bool named)
{
    const uint32_t name = key_of(timeline, key), group_id = key_of(timeline, group_name);
    if (process == UINT32_MAX || name == UINT32_MAX || group_id == UINT32_MAX)
        return UINT32_MAX;
    const uint32_t known = td_map_get(&timeline->by_operation, name, UINT32_MAX);
    if (known != UINT32_MAX)
        return known;
    const uint32_t group =
        owner_of(timeline, named ? &timeline->by_named : &timeline->by_group,
                 &(struct td_track_owner){.process = process, .id = group_id, .async = true, .named = named});
    const uint32_t number = (uint32_t)timeline->operation_count + 1;
    if (group == UINT32_MAX ||
        td_grow(&timeline->groups, &timeline->operation_room, number, sizeof *timeline->groups) ||
        td_map_add(&timeline->by_operation, name, number) < 0)
        return UINT32_MAX;
    timeline->groups[timeline->operation_count++] = group;
    return number;
}

uint32_t td_timeline_operation(struct td_timeline *timeline, uint32_t process, struct td_timeline_id category,
                               struct td_timeline_id key)
{
    return add_operation(timeline, process, category, key, false);
}

uint32_t td_timeline_named(struct td_timeline *timeline, uint32_t process, struct td_timeline_id name,
                           struct td_timeline_id key)
{
    return add_operation(timeline, process, name, key, true);
}

uint32_t td_timeline_later(struct td_timeline *timeline)
{
    return TD_APPEND(timeline->owners, timeline->owner_count, timeline->owner_room,
                     (struct td_track_owner){.process = 0}) < 0
               ? UINT32_MAX
               : (uint32_t)timeline->owner_count - 1;
}

void td_timeline_settle(struct td_timeline *timeline, uint32_t later, const struct td_timeline_place *is)
{
    struct td_track_owner *owner = &timeline->owners[later];
    owner->is = 1 + (is->async ? timeline->groups[is->owner - 1] : is->owner);
    owner->is_chain = is->async ? is->owner : 0;
}

static void decide(const struct td_timeline *timeline, uint32_t *owner)
{
    if (*owner != TD_TIMELINE_NO_THREAD && timeline->owners[*owner].is)
        *owner = timeline->owners[*owner].is - 1;
}

void td_timeline_decide(struct td_timeline *timeline)
{
    for (size_t i = 0; i < timeline->count; i++) {
        struct td_timeline_item *item = &timeline->items[i];
        if (timeline->owners[item->owner].is)
            item->chain = timeline->owners[item->owner].is_chain;
        decide(timeline, &item->owner);
    }
    for (size_t i = 0; timeline->stacks && i < timeline->stacks->sample_count; i++) {
        decide(timeline, &timeline->stacks->samples[i].owner);
        timeline->owners[timeline->stacks->samples[i].owner].is_sampled = true;
    }
    for (size_t i = 0; i < timeline->change_count; i++) {
        decide(timeline, &timeline->changes[i].out);
        decide(timeline, &timeline->changes[i].in);
    }
}

void td_timeline_name_process(struct td_timeline *timeline, uint32_t process, uint32_t name)
{
    timeline->processes[process].name = name;
}

void td_timeline_name_thread(struct td_timeline *timeline, uint32_t thread, uint32_t name)
{
    timeline->owners[thread].name = name;
}

void td_timeline_sort_process(struct td_timeline *timeline, uint32_t process, int64_t index)
{
    timeline->processes[process].sort = index;
}

void td_timeline_sort_thread(struct td_timeline *timeline, uint32_t thread, int64_t index)
{
    timeline->owners[thread].sort = index;
}

/* ---- items */

int td_timeline_add(struct td_timeline *timeline, struct td_timeline_place at,
                    const struct td_timeline_item *item)
{
    if (timeline->order == UINT32_MAX ||
        td_grow(&timeline->items, &timeline->room, timeline->count + 1, sizeof *timeline->items))
        return TD_E_NOMEM;
    struct td_timeline_item *to = &timeline->items[timeline->count++];
    *to = *item;
    to->time_ns = at.time_ns;
    to->order = timeline->order++;
    to->owner = at.async ? timeline->groups[at.owner - 1] : at.owner;
    to->chain = at.async ? at.owner : 0;
    to->parent = to->below = TD_NO_ITEM;
    return 0;
}

int td_timeline_zone(struct td_timeline *timeline, struct td_timeline_place at, int64_t end_ns,
                     uint32_t srcloc, uint32_t text)
{
    return td_timeline_add(timeline, at,
                           &(struct td_timeline_item){
                               .kind = TD_ITEM_COMPLETE, .end_ns = end_ns, .srcloc = srcloc, .text = text});
}

int td_timeline_begin(struct td_timeline *timeline, struct td_timeline_place at, uint32_t srcloc,
                      uint32_t name, uint32_t text)
{
    return td_timeline_add(timeline, at,
                           &(struct td_timeline_item){.kind = TD_ITEM_BEGIN,
                                                      .end_ns = TD_TIMELINE_OPEN,
                                                      .srcloc = srcloc,
                                                      .begin_name = name,
                                                      .text = text});
}

int td_timeline_end(struct td_timeline *timeline, struct td_timeline_place at, uint32_t name, uint32_t text)
{
    return td_timeline_add(timeline, at,
                           &(struct td_timeline_item){.kind = TD_ITEM_END, .name = name, .text = text});
}

int td_timeline_message(struct td_timeline *timeline, struct td_timeline_place at, uint32_t text)
{
    return td_timeline_stack_message(timeline, at, text, 0);
}

int td_timeline_stack_message(struct td_timeline *timeline, struct td_timeline_place at, uint32_t text,
                              uint32_t stack)
{
    return td_timeline_add(timeline, at,
                           &(struct td_timeline_item){.kind = TD_ITEM_MESSAGE, .text = text, .stack = stack});
}

int td_timeline_frame(struct td_timeline *timeline, int64_t time_ns, uint32_t name)
{
    if (timeline->order == UINT32_MAX ||
        td_grow(&timeline->marks, &timeline->mark_room, timeline->mark_count + 1, sizeof *timeline->marks))
        return TD_E_NOMEM;
    timeline->marks[timeline->mark_count++] =
        (struct td_moment){.time_ns = time_ns, .order = timeline->order++, .text = name, .frame = true};
    return 0;
}

uint32_t td_timeline_place_file(struct td_dict *dict, struct td_timeline_id place, uint32_t *line)
{
    const char *end = place.at + place.bytes, *at = end;
    while (at > place.at && at[-1] >= '0' && at[-1] <= '9')
        at--;
    const size_t digits = (size_t)(end - at);
    *line = 0;
    if (!digits || digits > LINE_DIGITS || at == place.at || at[-1] != ':')
        return td_dict_string(dict, place.at, place.bytes);
    for (; at < end; at++)
        *line = *line * 10 + (uint32_t)(*at - '0');
    return td_dict_string(dict, place.at, place.bytes - digits - 1);
}

static uint32_t series_of(struct td_timeline *timeline, uint32_t process, struct td_timeline_id counter,
                          struct td_timeline_id key)
{
    const struct td_series_of series = {process, key_of(timeline, counter), key_of(timeline, key), false};
    if (series.counter == UINT32_MAX || series.key == UINT32_MAX)
        return UINT32_MAX;
    /* Of a process and a counter, and then of that pair and a key. */
    const uint64_t first = (uint64_t)process << 32 | series.counter;
    uint32_t pair = td_map_get(&timeline->by_counter, first, UINT32_MAX);
    if (pair == UINT32_MAX) {
        pair = (uint32_t)timeline->by_counter.count;
        if (td_map_add(&timeline->by_counter, first, pair) < 0)
            return UINT32_MAX;
    }
    const uint64_t second = (uint64_t)pair << 32 | series.key;
    const uint32_t known = td_map_get(&timeline->by_series, second, UINT32_MAX);
    const uint32_t number = (uint32_t)timeline->series_count;
    if (known != UINT32_MAX)
        return known;
    if (td_grow(&timeline->series, &timeline->series_room, number + 1, sizeof *timeline->series) ||
        td_map_add(&timeline->by_series, second, number) < 0)
        return UINT32_MAX;
    timeline->series[timeline->series_count++] = series;
    return number;
}

uint32_t td_timeline_series(struct td_timeline *timeline)
{
    return TD_APPEND(timeline->series, timeline->series_count, timeline->series_room,
                     (struct td_series_of){.process = 0}) < 0
               ? UINT32_MAX
               : (uint32_t)timeline->series_count - 1;
}

int td_timeline_name_series(struct td_timeline *timeline, uint32_t series, uint32_t process,
                            struct td_timeline_id name, bool is_memory)
{
    const struct td_series_of of = {process, key_of(timeline, name),
                                    key_of(timeline, (struct td_timeline_id){"", 0}), is_memory};
    if (of.counter == UINT32_MAX || of.key == UINT32_MAX)
        return TD_E_NOMEM;
    timeline->series[series] = of;
    return 0;
}

int td_timeline_point(struct td_timeline *timeline, uint32_t process, int64_t time_ns,
                      struct td_timeline_id counter, struct td_timeline_id key, double value)
{
    return td_timeline_series_point(timeline, series_of(timeline, process, counter, key), time_ns, value);
}

int td_timeline_series_point(struct td_timeline *timeline, uint32_t series, int64_t time_ns, double value)
{
    if (series == UINT32_MAX || timeline->order == UINT32_MAX ||
        td_grow(&timeline->samples, &timeline->sample_room, timeline->sample_count + 1,
                sizeof *timeline->samples))
        return TD_E_NOMEM;
    timeline->samples[timeline->sample_count++] =
        (struct td_sample){.time_ns = time_ns, .order = timeline->order++, .series = series, .value = value};
    return 0;
}

int td_timeline_fact(struct td_timeline *timeline, struct td_timeline_id text)
{
    if (text.bytes > FACT_BYTES || timeline->fact_count == FACTS) {
        timeline->counts.lost[TD_LOSS_FACT]++;
        return 0;
    }
    const uint32_t string = td_dict_string(timeline->dict, text.at, text.bytes);
    if (string == UINT32_MAX ||
        td_grow(&timeline->facts, &timeline->fact_room, timeline->fact_count + 1, sizeof *timeline->facts))
        return TD_E_NOMEM;
    timeline->facts[timeline->fact_count++] = string;
    return 0;
}
