/* Runs of zone begins and ends, of which most of a stream consists: decoded in one loop and passed to the hub as
 * marks, without the queue of waiting events. A run ends where an item is of another kind, refers to a location
 * whose name is not known, or is not as it should be: td_client_stream_frame() then takes that item as it takes
 * all others. */
#include "host/agent/client/client_internal.h"

/* Items that a run consists of; TIME..: bytes of the item's time. */
enum run_item { OTHER, BEGIN, BEGIN32, BEGIN16, END, END32, END16, VALIDATION };

#define LOCATION_BYTES   8u
#define VALIDATION_BYTES 4u

static void learn_items(struct td_stream_zones *zones, const struct td_wire_release *release)
{
    static const struct {
        enum td_item item;
        enum run_item kind;
    } items[] = {{TD_ITEM_ZoneBegin, BEGIN},          {TD_ITEM_ZoneBegin32, BEGIN32},
                 {TD_ITEM_ZoneBegin16, BEGIN16},      {TD_ITEM_ZoneEnd, END},
                 {TD_ITEM_ZoneEnd32, END32},          {TD_ITEM_ZoneEnd16, END16},
                 {TD_ITEM_ZoneValidation, VALIDATION}};
    memset(zones->kind_of_id, OTHER, sizeof zones->kind_of_id);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        if (td_wire_has(release, items[i].item))
            zones->kind_of_id[td_wire_id(release, items[i].item)] = (uint8_t)items[i].kind;
    zones->release = release;
}

/* Finds a location that has a number of the dictionary. False: its name, or a promise, is missing. */
static bool find_location(struct td_client_stream *stream, uint64_t key, struct td_stream_location *location)
{
    const struct td_name *name = td_names_find(&stream->names, TD_NAME_SRCLOC, key);
    if (!name || name->number == TD_NO_NUMBER)
        return 0;
    const size_t index = (size_t)(name - stream->names.kinds[TD_NAME_SRCLOC].all);
    *location =
        (struct td_stream_location){key, name->number, (uint32_t)index, 1, name->promise == TD_PROMISE_OPEN};
    return 1;
}

static inline uint32_t location_number(struct td_client_stream *stream, const uint8_t *at)
{
    uint64_t key;
    memcpy(&key, at, sizeof key);
    /* Locations of a program are next to each other, some tens of bytes each. */
    struct td_stream_location *known = &stream->zones.locations[(key >> 3 ^ key >> 11) % TD_STREAM_LOCATIONS];
    if (!(known->key == key && known->is_known) && !find_location(stream, key, known))
        return TD_NO_NUMBER;
    if (known->is_promise) {
        struct td_name *name = td_names_at(&stream->names, TD_NAME_SRCLOC, known->index);
        known->is_promise = name->promise == TD_PROMISE_OPEN;
        name->unnamed += known->is_promise;
    }
    return known->number;
}

struct run {
    struct td_client_stream *stream;
    const uint8_t *frame;
    size_t bytes, at;
    int64_t ticks, last_ns; /* the thread's clock; the track's last time */
    uint64_t open, zones, items, time_bent;
    size_t count; /* of marks */
    struct td_zone_mark marks[TD_STREAM_MARKS];
};

static inline uint64_t wide(const uint8_t *p, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, p, bytes);
    return value;
}

/* An item's difference of times; see td_wire_next() on short forms. */
static inline int64_t delta64(const uint8_t *p, bool short_forms)
{
    int64_t delta = (int64_t)wide(p, 8);
    return short_forms && delta >= 0 ? td_wrap_add(delta, TD_WIRE_TIME32_END) : delta;
}

static inline int64_t run_time(struct run *run, int64_t ticks)
{
    int64_t ns = td_stream_ns(run->stream, ticks);
    run->time_bent += ns < run->last_ns;
    return run->last_ns = ns < run->last_ns ? run->last_ns : ns;
}

/* Takes items until the marks are full or the run ends. */
static void take_items(struct run *run)
{
    struct td_client_stream *stream = run->stream;
    const uint8_t *const kind_of_id = stream->zones.kind_of_id;
    const bool short_forms = stream->release->short_forms;
    while (run->at < run->bytes && run->count < TD_STREAM_MARKS) {
        const uint8_t *p = run->frame + run->at;
        const size_t left = run->bytes - run->at - 1;
        const unsigned kind = kind_of_id[*p++];
        unsigned time_bytes;
        int64_t delta;
        switch (kind) {
        case BEGIN:
        case END:
            time_bytes = 8;
            if (left < 8)
                return;
            delta = delta64(p, short_forms);
            break;
        case BEGIN32:
        case END32:
            time_bytes = 4;
            if (left < 4)
                return;
            delta = (int64_t)wide(p, 4) + TD_WIRE_TIME16_END;
            break;
        case BEGIN16:
        case END16:
            time_bytes = 2;
            if (left < 2)
                return;
            delta = (int64_t)wide(p, 2);
            break;
        case VALIDATION:
            if (left < VALIDATION_BYTES)
                return;
            run->at += 1 + VALIDATION_BYTES;
            run->items++;
            continue;
        default:
            return;
        }
        uint32_t srcloc = TD_ZONE_MARK_END;
        if (kind <= BEGIN16) {
            if (left < time_bytes + LOCATION_BYTES)
                return;
            srcloc = location_number(stream, p + time_bytes);
            if (srcloc == TD_NO_NUMBER)
                return;
            run->open++;
            run->zones++;
            run->at += LOCATION_BYTES;
        } else {
            if (!run->open)
                return;
            run->open--;
        }
        run->at += 1 + time_bytes;
        run->ticks = td_wrap_add(run->ticks, delta);
        run->marks[run->count++] = (struct td_zone_mark){run_time(run, run->ticks), srcloc};
        run->items++;
    }
}

/* Passes the marks on and brings the stream up to date. */
static int end_part(struct run *run, struct td_name *track, uint64_t open_before)
{
    struct td_client_stream *stream = run->stream;
    stream->thread_time = run->ticks;
    track->u.thread.last_ns = run->last_ns;
    track->u.thread.open_zones = run->open;
    stream->counts.open_zones = stream->counts.open_zones - open_before + run->open;
    stream->counts.zones += run->zones;
    stream->counts.items += run->items;
    stream->counts.time_bent += run->time_bent;
    stream->leave.events += run->items;
    run->zones = run->items = run->time_bent = 0;
    size_t count = run->count;
    run->count = 0;
    return count ? td_hub_zones(stream->hub, track->number, run->marks, count, &stream->err) : 0;
}

/* A run can begin: events that came before are with the hub. */
static int can_begin(struct td_client_stream *stream)
{
    if (stream->leave.left || !stream->have_context || stream->zones.waits)
        return 0;
    if (stream->begin == stream->count)
        return 1;
    int bad = td_pending_push(stream, 0);
    stream->zones.waits = stream->begin != stream->count;
    return bad ? bad : !stream->zones.waits;
}

/* The current track, if it has been made. The first item of a thread makes it, after asking for what the item
 * refers to. */
static struct td_name *find_track(struct td_client_stream *stream)
{
    const struct td_names *names = &stream->names;
    if (stream->thread == TD_NO_NUMBER)
        stream->thread = td_map_get(&names->kinds[TD_NAME_THREAD].map, stream->context, TD_NO_NUMBER);
    if (stream->thread == TD_NO_NUMBER)
        return NULL;
    struct td_name *track = td_names_at(&stream->names, TD_NAME_THREAD, stream->thread);
    if (track->u.thread.fiber != TD_NO_NUMBER)
        track = td_names_at(&stream->names, TD_NAME_FIBER, track->u.thread.fiber);
    return track->number == TD_NO_NUMBER ? NULL : track;
}

int td_stream_zone_run(struct td_client_stream *stream, const uint8_t *frame, size_t bytes, size_t *at)
{
    if (stream->zones.release != stream->release)
        learn_items(&stream->zones, stream->release);
    if (*at >= bytes || stream->zones.kind_of_id[frame[*at]] == OTHER)
        return 0;
    int begins = can_begin(stream);
    if (begins <= 0)
        return begins;
    struct td_name *track = find_track(stream);
    if (!track)
        return 0;
    struct run run;
    run.stream = stream;
    run.frame = frame;
    run.bytes = bytes;
    run.at = *at;
    run.ticks = stream->thread_time;
    run.last_ns = track->u.thread.last_ns;
    run.open = track->u.thread.open_zones;
    run.zones = run.items = run.time_bent = run.count = 0;
    int bad = 0;
    bool is_full = true;
    while (is_full && !bad) {
        const uint64_t open_before = run.open;
        take_items(&run);
        is_full = run.count == TD_STREAM_MARKS;
        bad = end_part(&run, track, open_before);
    }
    *at = run.at;
    return bad;
}
