/* Names the plots, and pushes all that was collected. */
#include "host/agent/import/json_text.h"
#include "host/base/sorted.h"
#include "host/agent/import/timeline_internal.h"
#include "host/base/compare.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <stdio.h>

#define BATCH 1024

struct pusher {
    struct td_timeline *timeline;
    int64_t zero_ns;
    uint32_t *order; /* of owners */
    uint32_t *tops;  /* of the lines of an owner: the zone that is open there */
    size_t tops_room;
    uint32_t *zones; /* of an owner, as they were put on lines */
    size_t zones_room, count;
    struct td_event events[BATCH];
};

static const char purpose[] = "for the events of a trace"; /* of td_fail_no_memory() */

static int flush(struct pusher *pusher, struct td_err *err)
{
    const size_t count = pusher->count;
    pusher->count = 0;
    return count ? td_hub_push(pusher->timeline->hub, pusher->events, count, err) : 0;
}

static int push(struct pusher *pusher, const struct td_event *event, struct td_err *err)
{
    if (pusher->count == BATCH && flush(pusher, err) != 0)
        return err->code;
    pusher->events[pusher->count] = *event;
    pusher->events[pusher->count++].time_ns -= event->kind == TD_EVENT_APP_INFO ? 0 : pusher->zero_ns;
    return 0;
}

/* ---- order */

TD_COMPARE(compare_items, struct td_timeline_item, TD_UP(owner) TD_UP(time_ns) TD_UP(order))

TD_COMPARE(compare_samples, struct td_sample, TD_UP(series) TD_UP(time_ns) TD_UP(order))

TD_COMPARE(compare_marks, struct td_moment, TD_UP(time_ns) TD_UP(order))

/* Processes by their sort index and then as they came; in each the threads, likewise, and then the operations. */
static int compare_owners(const void *a, const void *b, void *self)
{
    const struct td_timeline *timeline = self;
    const uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    const struct td_track_owner *x = &timeline->owners[m], *y = &timeline->owners[n];
    const int64_t p = timeline->processes[x->process].sort, q = timeline->processes[y->process].sort;
    if (p != q)
        return p < q ? -1 : 1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->async != y->async)
        return x->async ? 1 : -1;
    if (x->sort != y->sort)
        return x->sort < y->sort ? -1 : 1;
    return m < n ? -1 : m > n;
}

/* ---- zones */

static int end_zones(struct pusher *pusher, uint32_t track, uint32_t *top, uint32_t until, struct td_err *err)
{
    const struct td_timeline_item *items = pusher->timeline->items;
    int bad = 0;
    for (; *top != until && !bad; *top = items[*top].below)
        if (items[*top].end_ns != TD_TIMELINE_OPEN)
            bad = push(
                pusher,
                &(struct td_event){.time_ns = items[*top].end_ns, .track = track, .kind = TD_EVENT_ZONE_END},
                err);
    return bad;
}

/* The zone's text with the further ones, in order; UINT32_MAX: no memory. */
static uint32_t whole_text(struct td_timeline *timeline, const struct td_timeline_item *zone)
{
    uint32_t turned = 0, string = zone->text;
    for (uint32_t at = zone->links, next; at; at = next) {
        next = timeline->links[at - 1].next;
        timeline->links[at - 1].next = turned;
        turned = at;
    }
    if (!turned)
        return string;
    struct td_text text = {0};
    const uint32_t first = string;
    int bad =
        td_text_add(&text, td_dict_text(timeline->dict, first), td_dict_text_bytes(timeline->dict, first));
    for (uint32_t at = turned; at && !bad; at = timeline->links[at - 1].next) {
        const uint32_t link = timeline->links[at - 1].text;
        bad =
            td_text_add(&text, td_dict_text(timeline->dict, link), td_dict_text_bytes(timeline->dict, link));
        if (!bad && text.bytes && text.at[text.bytes - 1] != '\n')
            bad = td_text_add(&text, "\n", 1);
    }
    string = bad ? UINT32_MAX : td_dict_string(timeline->dict, text.at, text.bytes);
    td_text_free(&text);
    return string;
}

static int begin_zone(struct pusher *pusher, const struct td_timeline_item *zone, uint32_t track,
                      struct td_err *err)
{
    const uint32_t text = whole_text(pusher->timeline, zone);
    if (text == UINT32_MAX)
        return td_fail_no_memory(err, purpose);
    pusher->timeline->counts.zones++;
    const uint32_t stack = td_map_get(&pusher->timeline->zone_stacks, zone->order, 0);
    int bad = push(
        pusher,
        &(struct td_event){
            .time_ns = zone->time_ns, .track = track, .kind = TD_EVENT_ZONE_BEGIN, .srcloc = zone->srcloc},
        err);
    if (stack && !bad)
        bad =
            push(pusher,
                 &(struct td_event){
                     .time_ns = zone->time_ns, .track = track, .kind = TD_EVENT_ZONE_STACK, .subject = stack},
                 err);
    if (bad || !text)
        return bad;
    return push(pusher,
                &(struct td_event){
                    .time_ns = zone->time_ns, .track = track, .kind = TD_EVENT_ZONE_TEXT, .subject = text},
                err);
}

static int push_zones(struct pusher *pusher, size_t count, const uint32_t *tracks, uint32_t lines,
                      struct td_err *err)
{
    const struct td_timeline_item *items = pusher->timeline->items;
    if (td_grow(&pusher->tops, &pusher->tops_room, lines, sizeof *pusher->tops))
        return td_fail_no_memory(err, purpose);
    for (uint32_t i = 0; i < lines; i++)
        pusher->tops[i] = TD_NO_ITEM;
    int bad = 0;
    for (size_t i = 0; i < count && !bad; i++) {
        const struct td_timeline_item *zone = &items[pusher->zones[i]];
        bad = end_zones(pusher, tracks[zone->line], &pusher->tops[zone->line], zone->below, err);
        bad = bad ? bad : begin_zone(pusher, zone, tracks[zone->line], err);
        pusher->tops[zone->line] = pusher->zones[i];
    }
    for (uint32_t i = 0; i < lines && !bad; i++)
        bad = end_zones(pusher, tracks[i], &pusher->tops[i], TD_NO_ITEM, err);
    return bad;
}

static int add_mark(struct td_timeline *timeline, const struct td_timeline_item *message, uint32_t track)
{
    return TD_APPEND(timeline->marks, timeline->mark_count, timeline->mark_room,
                     (struct td_moment){.time_ns = message->time_ns,
                                        .order = message->order,
                                        .track = track,
                                        .text = message->text,
                                        .stack = message->stack});
}

/* Lists the zones of the range in `zones`, and its messages as marks. */
static int list_items(struct pusher *pusher, size_t first, size_t end, const uint32_t *tracks, size_t *zones)
{
    struct td_timeline *timeline = pusher->timeline;
    int bad = 0;
    *zones = 0;
    if (td_grow(&pusher->zones, &pusher->zones_room, end - first, sizeof *pusher->zones))
        return TD_E_NOMEM;
    for (size_t i = first; i < end && !bad; i++) {
        const struct td_timeline_item *item = &timeline->items[i];
        if (item->kind == TD_ITEM_MESSAGE)
            bad = add_mark(timeline, item, tracks[item->line]);
        if (item->kind > TD_ITEM_BEGIN)
            continue;
        pusher->zones[item->place] = (uint32_t)i;
        ++*zones;
    }
    return bad;
}

static int push_owner(struct pusher *pusher, uint32_t number, size_t first, size_t end, struct td_err *err)
{
    struct td_timeline *timeline = pusher->timeline;
    struct td_track_owner *owner = &timeline->owners[number];
    size_t zones, shown = 0;
    if (first < end &&
        (td_timeline_pair(timeline, first, end) != 0 || td_timeline_lay(timeline, first, end) != 0))
        return td_fail_no_memory(err, purpose);
    for (size_t i = first; i < end; i++)
        shown += timeline->items[i].kind <= TD_ITEM_BEGIN || timeline->items[i].kind == TD_ITEM_MESSAGE;
    if (!shown && !owner->is_sampled)
        return 0;
    if (td_timeline_add_tracks(timeline, owner) != 0 ||
        list_items(pusher, first, end, timeline->tracks + owner->tracks, &zones) != 0)
        return td_fail_no_memory(err, purpose);
    return push_zones(pusher, zones, timeline->tracks + owner->tracks, owner->lines, err);
}

/* The first item of the owner, in the sorted list. */
static size_t first_of(const struct td_timeline *timeline, uint32_t owner)
{
    size_t low = 0, high = timeline->count;
    TD_BISECT(low, high, middle, timeline->items[middle].owner < owner);
    return low;
}

static int push_owners(struct pusher *pusher, struct td_err *err)
{
    struct td_timeline *timeline = pusher->timeline;
    const size_t count = timeline->owner_count;
    if (timeline->count > 1)
        qsort(timeline->items, timeline->count, sizeof *timeline->items, compare_items);
    pusher->order = malloc((count + 1) * sizeof *pusher->order);
    if (!pusher->order || td_timeline_number_flows(timeline) != 0)
        return td_fail_no_memory(err, purpose);
    for (size_t i = 0; i < count; i++)
        pusher->order[i] = (uint32_t)i;
    qsort_r(pusher->order, count, sizeof *pusher->order, compare_owners, timeline);
    int bad = 0;
    for (size_t i = 0; i < count && !bad; i++) {
        const size_t first = first_of(timeline, pusher->order[i]),
                     end = first_of(timeline, pusher->order[i] + 1);
        if (first < end || timeline->owners[pusher->order[i]].is_sampled)
            bad = push_owner(pusher, pusher->order[i], first, end, err);
    }
    return bad;
}

/* ---- messages, frames, points */

static int push_marks(struct pusher *pusher, struct td_err *err)
{
    struct td_timeline *timeline = pusher->timeline;
    int bad = 0;
    if (timeline->mark_count > 1)
        qsort(timeline->marks, timeline->mark_count, sizeof *timeline->marks, compare_marks);
    for (size_t i = 0; i < timeline->mark_count && !bad; i++) {
        const struct td_moment *mark = &timeline->marks[i];
        struct td_event event = {.time_ns = mark->time_ns,
                                 .track = mark->track,
                                 .kind = mark->frame ? TD_EVENT_FRAME : TD_EVENT_MESSAGE,
                                 .subject = mark->text,
                                 .value.u64 = mark->stack};
        if (mark->frame) /* sets are numbered in order of their first frames, as in Tracy */
            event.subject = td_dict_frame_set(timeline->dict, mark->text, 1);
        timeline->counts.frames += mark->frame;
        timeline->counts.messages += !mark->frame;
        bad = event.subject == UINT32_MAX ? td_fail_no_memory(err, purpose) : push(pusher, &event, err);
    }
    return bad;
}

/* "COUNTER KEY", or "COUNTER" if the key says nothing; of a process: with it. UINT32_MAX: no memory. */
static uint32_t plot_name(struct td_timeline *timeline, const struct td_series_of *series, bool with_process)
{
    const char *counter = td_dict_text(timeline->keys, series->counter);
    const char *key = td_dict_text(timeline->keys, series->key);
    const struct td_process *process = &timeline->processes[series->process];
    const char *of = td_dict_text(timeline->dict, process->name);
    char *text = NULL;
    int bytes;
    if (!strcmp(key, "value") || !strcmp(key, counter))
        key = "";
    if (with_process)
        bytes = asprintf(&text, "%s%s%s (%s%sPID %s)", counter, *counter && *key ? " " : "", key, of,
                         *of ? " " : "", td_dict_text(timeline->keys, process->pid));
    else
        bytes = asprintf(&text, "%s%s%s", counter, *counter && *key ? " " : "", key);
    if (bytes < 0)
        return UINT32_MAX;
    const uint32_t string = td_dict_string(timeline->dict, text, (size_t)bytes);
    free(text);
    return string;
}

static bool ends_in_bytes(const char *text)
{
    const size_t bytes = strlen(text);
    return bytes >= 6 && !strcmp(text + bytes - 6, "_bytes");
}

/* The plot of each series. Series of the same name in several processes have the process in theirs. */
static int make_plots(struct td_timeline *timeline, uint32_t *plots)
{
    struct td_map uses = {0};
    int bad = 0;
    for (size_t i = 0; i < timeline->series_count && !bad; i++) {
        const uint32_t name = plot_name(timeline, &timeline->series[i], false);
        bad = name == UINT32_MAX || td_map_set(&uses, name, 1 + td_map_get(&uses, name, 0)) != 0;
    }
    for (size_t i = 0; i < timeline->series_count && !bad; i++) {
        const struct td_series_of *series = &timeline->series[i];
        struct td_plot plot = {.name = plot_name(timeline, series, false), .fill = 1};
        if (td_map_get(&uses, plot.name, 0) > 1)
            plot.name = plot_name(timeline, series, true);
        plot.format = series->is_memory || ends_in_bytes(td_dict_text(timeline->keys, series->key)) ||
                      ends_in_bytes(td_dict_text(timeline->keys, series->counter));
        plots[i] = plot.name == UINT32_MAX ? UINT32_MAX : td_dict_plot(timeline->dict, &plot);
        bad = plots[i] == UINT32_MAX;
    }
    td_map_finish(&uses);
    return bad ? TD_E_NOMEM : 0;
}

static int push_points(struct pusher *pusher, struct td_err *err)
{
    struct td_timeline *timeline = pusher->timeline;
    uint32_t *plots = malloc((timeline->series_count + 1) * sizeof *plots);
    int bad = plots && make_plots(timeline, plots) == 0 ? 0 : td_fail_no_memory(err, purpose);
    for (size_t i = 0; i < timeline->sample_count && !bad; i++)
        timeline->samples[i].series = plots[timeline->samples[i].series];
    if (timeline->sample_count > 1)
        qsort(timeline->samples, timeline->sample_count, sizeof *timeline->samples, compare_samples);
    for (size_t i = 0; i < timeline->sample_count && !bad; i++) {
        const struct td_sample *sample = &timeline->samples[i];
        timeline->counts.plot_points++;
        bad = push(pusher,
                   &(struct td_event){.time_ns = sample->time_ns,
                                      .kind = TD_EVENT_PLOT,
                                      .subject = sample->series,
                                      .value.f64 = sample->value},
                   err);
    }
    free(plots);
    return bad;
}

int td_timeline_finish(struct td_timeline *timeline, int64_t *zero_ns, struct td_err *err)
{
    struct pusher *pusher = calloc(1, sizeof *pusher);
    if (!pusher)
        return td_fail_no_memory(err, purpose);
    pusher->timeline = timeline;
    td_timeline_decide(timeline);
    int bad = td_timeline_window(timeline, zero_ns) == 0 ? 0 : td_fail_no_memory(err, purpose);
    pusher->zero_ns = *zero_ns;
    bad = bad ? bad : push_owners(pusher, err);
    bad = bad ? bad : td_timeline_push_stacks(timeline, *zero_ns, err);
    bad = bad ? bad : push_marks(pusher, err);
    bad = bad ? bad : push_points(pusher, err);
    for (size_t i = 0; i < timeline->fact_count && !bad; i++)
        bad = push(pusher, &(struct td_event){.kind = TD_EVENT_APP_INFO, .subject = timeline->facts[i]}, err);
    bad = bad ? bad : flush(pusher, err);
    bad = bad ? bad : td_timeline_push_switches(timeline, *zero_ns, err);
    free(pusher->order);
    free(pusher->tops);
    free(pusher->zones);
    free(pusher);
    return bad;
}
