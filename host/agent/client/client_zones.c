/* Runs of zone begins and ends, of which most of a stream consists: decoded in one loop and passed to the hub as
 * marks, without the queue of waiting events. A run ends where an item is of another kind, refers to a location
 * whose name is not known, or is not as it should be: td_client_stream_frame() then takes that item as it takes
 * all others. */
#include "host/agent/client/client_internal.h"

/* Kinds of items. A run consists of all but OTHER. Each length of a time is a kind of its own: processors
 * then guess from the order of kinds where the next item begins, and need not wait for a length. */
enum run_item { OTHER, BEGIN16, END16, BEGIN32, END32, BEGIN, END, VALIDATION };

#define LOCATION_BYTES   8u
#define VALIDATION_BYTES 4u
#define ITEM_BYTES       (1 + 8 + LOCATION_BYTES) /* of the longest item */

/* States of a location in the cache. */
enum { UNKNOWN, NAMED, PROMISED };

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

/* The number of a location that the cache lacks or that is promised. TD_NO_NUMBER: neither its name nor a
 * promise is known. */
static uint32_t find_location(struct td_client_stream *stream, uint64_t key,
                              struct td_stream_location *cached)
{
    struct td_name *name;
    if (cached->key == key && cached->state == PROMISED) {
        name = td_names_at(&stream->names, TD_NAME_SRCLOC, cached->index);
    } else {
        name = td_names_find(&stream->names, TD_NAME_SRCLOC, key);
        if (!name || name->number == TD_NO_NUMBER)
            return TD_NO_NUMBER;
        *cached = (struct td_stream_location){
            key, name->number, (uint32_t)(name - stream->names.kinds[TD_NAME_SRCLOC].all), UNKNOWN};
    }
    cached->state = name->promise == TD_PROMISE_OPEN ? PROMISED : NAMED;
    name->unnamed += name->promise == TD_PROMISE_OPEN;
    return name->number;
}

struct mark_run {
    struct td_client_stream *stream;
    const uint8_t *frame;
    size_t bytes, at;
    int64_t ticks, last_ns; /* the thread's clock; the track's last time */
    uint64_t open, zones, items, time_bent;
    struct td_zone_ids *ids; /* of the track's zones; NULL: the program sends none */
    size_t count;            /* of marks */
    struct td_zone_mark marks[TD_STREAM_MARKS];
};

static inline uint64_t read_bytes(const uint8_t *p, unsigned bytes)
{
    uint64_t value = 0;
    memcpy(&value, p, bytes);
    return value;
}

/* The difference of times in an item, in its long form. */
static inline int64_t long_delta(const uint8_t *p, bool short_forms)
{
    const int64_t time = (int64_t)read_bytes(p, 8);
    return short_forms && time >= 0 ? td_wrap_add(time, TD_WIRE_TIME32_END) : time;
}

static inline uint32_t location_number(struct td_client_stream *stream, const uint8_t *p)
{
    const uint64_t key = read_bytes(p, LOCATION_BYTES);
    /* Locations of a program are next to each other, some tens of bytes each. */
    struct td_stream_location *known = &stream->zones.locations[(key >> 3 ^ key >> 11) % TD_STREAM_LOCATIONS];
    if (__builtin_expect(known->key == key && known->state == NAMED, 1))
        return known->number;
    return find_location(stream, key, known);
}

/* Reads the difference of times of a begin or an end. Returns what follows it. */
static inline const uint8_t *take_delta(const uint8_t *p, enum run_item kind, bool short_forms,
                                        int64_t *delta)
{
    switch (kind) {
    case BEGIN16:
    case END16:
        *delta = (int64_t)read_bytes(p + 1, 2);
        return p + 3;
    case BEGIN32:
    case END32:
        *delta = (int64_t)read_bytes(p + 1, 4) + TD_WIRE_TIME16_END;
        return p + 5;
    default:
        *delta = long_delta(p + 1, short_forms);
        return p + 9;
    }
}

static inline bool begins_zone(enum run_item kind)
{
    return kind == BEGIN16 || kind == BEGIN32 || kind == BEGIN;
}

/* The zone's number. False: there is no room for it. */
static inline bool begin_id(struct td_zone_ids *ids)
{
    if (!ids)
        return true;
    if (ids->count == ids->capacity)
        return false;
    ids->at[ids->count++] = ids->next;
    ids->next = 0;
    return true;
}

/* False: another zone ends than the innermost one. */
static inline bool end_id(struct td_zone_ids *ids)
{
    if (!ids || !ids->count)
        return true;
    if (ids->at[ids->count - 1] != ids->next)
        return false;
    ids->count--;
    ids->next = 0;
    return true;
}

/* Takes items until the marks are full or the run ends. A frame's last bytes are left to the caller, so that
 * no item needs a check of its length. */
static void take_items(struct mark_run *run)
{
    struct td_client_stream *const stream = run->stream;
    const bool short_forms = stream->release->short_forms;
    const struct td_stream_clock clock = td_stream_get_clock(stream);
    const uint8_t *p = run->frame + run->at, *const end = run->frame + run->bytes;
    struct td_zone_mark *mark = run->marks + run->count, *const full = run->marks + TD_STREAM_MARKS;
    int64_t ticks = run->ticks, last_ns = run->last_ns, delta;
    uint64_t open = run->open, begins = 0, validations = 0, bent = 0;
    while (mark < full && (size_t)(end - p) >= ITEM_BYTES) {
        const enum run_item kind = (enum run_item)stream->zones.kind_of_id[*p];
        if (kind == OTHER)
            break;
        if (kind == VALIDATION) {
            if (!run->ids)
                break;
            run->ids->next = (uint32_t)read_bytes(p + 1, VALIDATION_BYTES);
            p += 1 + VALIDATION_BYTES;
            validations++;
            continue;
        }
        const uint8_t *next = take_delta(p, kind, short_forms, &delta);
        uint32_t number = TD_ZONE_MARK_END;
        if (begins_zone(kind)) {
            number = location_number(stream, next);
            if (number == TD_NO_NUMBER || !begin_id(run->ids))
                break;
            next += LOCATION_BYTES;
            open++;
            begins++;
        } else if (open && end_id(run->ids)) {
            open--;
        } else {
            break;
        }
        p = next;
        ticks = td_wrap_add(ticks, delta);
        const int64_t ns = td_stream_clock_ns(&clock, ticks);
        bent += ns < last_ns;
        last_ns = ns < last_ns ? last_ns : ns;
        *mark++ = (struct td_zone_mark){last_ns, number};
    }
    const size_t count = (size_t)(mark - run->marks);
    run->items += validations + count - run->count;
    run->zones += begins;
    run->at = (size_t)(p - run->frame);
    run->count = count;
    run->ticks = ticks;
    run->last_ns = last_ns;
    run->open = open;
    run->time_bent += bent;
}

/* For messages about faults of markers. */
static void note_last_zone(const struct mark_run *run, struct td_name *track)
{
    for (size_t i = run->count; run->zones && i--;)
        if (run->marks[i].srcloc != TD_ZONE_MARK_END) {
            track->u.thread.last_srcloc = run->marks[i].srcloc;
            track->u.thread.last_ref = TD_REF_NONE;
            track->u.thread.has_begun = true;
            return;
        }
}

/* Passes the marks on and brings the stream up to date. */
static int end_part(struct mark_run *run, struct td_name *track, uint64_t open_before)
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
    note_last_zone(run, track);
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
    struct td_zone_ids *ids = stream->faults.has_ids ? td_stream_zone_ids(stream) : NULL;
    if (stream->faults.has_ids && !ids)
        return 0;
    struct mark_run run;
    run.ids = ids;
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
