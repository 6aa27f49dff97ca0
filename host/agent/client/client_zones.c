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

#define FEW_ITEMS    4u                 /* after which times may be steady again */
#define STEADY_TICKS (INT64_C(1) << 40) /* from one item to the next */
#define STEADY_RANGE (INT64_C(1) << 60) /* of ticks */
_Static_assert(STEADY_TICKS *TD_STREAM_MARKS < STEADY_RANGE, "sums of ticks do not overflow");

#define EACH static inline __attribute__((always_inline))

/* The place of a location in the cache. Locations of a program are next to each other, some tens of bytes
 * each. A place that is not in use has the key 0, which belongs to place 0; that one has OTHER_KEY. */
#define OTHER_KEY 8u
static inline size_t place_of(uint64_t key)
{
    return (key >> 3 ^ key >> 11) % TD_STREAM_LOCATIONS;
}

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
    if (!zones->release)
        zones->locations[0].key = OTHER_KEY;
    zones->release = release;
}

/* Adds what the cache has counted to the location's name. */
static void count_zones(struct td_client_stream *stream, struct td_stream_location *cached)
{
    if (cached->zones)
        td_names_at(&stream->names, TD_NAME_SRCLOC, cached->index)->unnamed += cached->zones;
    cached->zones = 0;
}

void td_stream_zones_counted(struct td_client_stream *stream)
{
    for (size_t i = 0; i < TD_STREAM_LOCATIONS; i++)
        count_zones(stream, &stream->zones.locations[i]);
}

/* Puts a location into the cache. False: neither its name nor a promise is known. */
static bool learn_location(struct td_client_stream *stream, uint64_t key, struct td_stream_location *cached)
{
    const struct td_name *name = td_names_find(&stream->names, TD_NAME_SRCLOC, key);
    if (!name || name->number == TD_NO_NUMBER)
        return false;
    count_zones(stream, cached);
    *cached = (struct td_stream_location){key, name->number,
                                          (uint32_t)(name - stream->names.kinds[TD_NAME_SRCLOC].all), 0};
    return true;
}

struct mark_run {
    struct td_client_stream *stream;
    const uint8_t *frame;
    size_t bytes, at;
    struct td_stream_clock clock;
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

/* TD_NO_NUMBER: neither the location's name nor a promise is known. */
EACH uint32_t location_number(struct td_client_stream *stream, const uint8_t *p)
{
    const uint64_t key = read_bytes(p, LOCATION_BYTES);
    struct td_stream_location *known = &stream->zones.locations[place_of(key)];
    if (__builtin_expect(known->key != key, 0) && !learn_location(stream, key, known))
        return TD_NO_NUMBER;
    known->zones++;
    return known->number;
}

/* Reads the difference of times of a begin or an end. Returns what follows it. */
EACH const uint8_t *take_delta(const uint8_t *p, enum run_item kind, bool short_forms, int64_t *delta)
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

EACH bool begins_zone(enum run_item kind)
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

/* False: another zone ends than the innermost one, or one that ended out of order. */
static inline bool end_id(struct td_zone_ids *ids)
{
    if (!ids || !ids->count)
        return true;
    if (ids->is_odd || ids->at[ids->count - 1] != ids->next)
        return false;
    ids->count--;
    ids->next = 0;
    return true;
}

/* Where a loop over items is: what it changes of a run. */
struct item_loop {
    const uint8_t *p;
    struct td_zone_mark *mark;
    int64_t ticks;
    uint64_t open;
};

static inline struct item_loop begin_loop(struct mark_run *run)
{
    return (struct item_loop){run->frame + run->at, run->marks + run->count, run->ticks, run->open};
}

/* Of the items taken, the begins are as many more than the ends as zones are open now that were not before. */
static inline void end_loop(struct mark_run *run, const struct item_loop *loop)
{
    const size_t count = (size_t)(loop->mark - run->marks), taken = count - run->count;
    run->items += taken;
    run->zones += (taken + loop->open - run->open) / 2;
    run->at = (size_t)(loop->p - run->frame);
    run->count = count;
    run->ticks = loop->ticks;
    run->open = loop->open;
    if (taken)
        run->last_ns = loop->mark[-1].time_ns;
}

/* A frame's last bytes are left to the caller of the run, so that no item needs a check of its length. */
static inline const uint8_t *end_of_items(const struct mark_run *run)
{
    return run->bytes < ITEM_BYTES ? run->frame : run->frame + (run->bytes - ITEM_BYTES + 1);
}

/* Takes up to `most` begins and ends of any kind. */
static void take_any(struct mark_run *run, size_t most)
{
    struct td_client_stream *const stream = run->stream;
    const uint8_t *const end = end_of_items(run);
    const size_t room = TD_STREAM_MARKS - run->count;
    struct item_loop loop = begin_loop(run);
    struct td_zone_mark *const full = loop.mark + (room < most ? room : most);
    int64_t last_ns = run->last_ns;
    while (loop.mark < full && loop.p < end) {
        const enum run_item kind = (enum run_item)stream->zones.kind_of_id[*loop.p];
        const uint32_t id = kind == VALIDATION ? (uint32_t)read_bytes(loop.p + 1, VALIDATION_BYTES) : 0;
        if (id && run->ids) {
            run->ids->next = id;
            loop.p += 1 + VALIDATION_BYTES;
            run->items++;
            continue;
        }
        if (kind == OTHER || kind == VALIDATION)
            break;
        int64_t delta;
        const uint8_t *next = take_delta(loop.p, kind, stream->release->short_forms, &delta);
        const int64_t ns = td_stream_clock_ns(&run->clock, td_wrap_add(loop.ticks, delta));
        uint32_t number = TD_ZONE_MARK_END;
        if (begins_zone(kind)) {
            number = location_number(stream, next);
            if (number == TD_NO_NUMBER || !begin_id(run->ids))
                break;
            next += LOCATION_BYTES;
            loop.open++;
        } else if (loop.open && ns >= last_ns && end_id(run->ids)) {
            loop.open--;
        } else {
            break;
        }
        loop.p = next;
        loop.ticks = td_wrap_add(loop.ticks, delta);
        run->time_bent += ns < last_ns || (!ns && td_stream_clock_is_early(&run->clock, loop.ticks));
        last_ns = ns < last_ns ? last_ns : ns;
        *loop.mark++ = (struct td_zone_mark){last_ns, number};
    }
    end_loop(run, &loop);
}

/* The times of as many items as there are marks, of which none is later than the one before by more than
 * STEADY_TICKS, are after the track's last time and inside the range of a trace's times. */
static bool is_steady(const struct mark_run *run)
{
    const int64_t since = (int64_t)((uint64_t)run->ticks - run->clock.zero_ticks);
    if (run->ids || since > STEADY_RANGE || since < -STEADY_RANGE || !(run->clock.ns_per_tick > 0))
        return false;
    const int64_t most = td_wrap_add(run->ticks, STEADY_TICKS * TD_STREAM_MARKS);
    return td_stream_clock_about(&run->clock, run->ticks) > 0 &&
           td_stream_clock_about(&run->clock, most) < TD_STREAM_NS_MOST &&
           td_stream_clock_exact(&run->clock, run->ticks) >= run->last_ns;
}

/* False: the loop ends before this item. */
EACH bool take_steady_item(struct td_client_stream *stream, const struct td_stream_clock *clock,
                           struct item_loop *loop, enum run_item kind)
{
    int64_t delta;
    const uint8_t *next = take_delta(loop->p, kind, stream->release->short_forms, &delta);
    uint32_t number = TD_ZONE_MARK_END;
    if ((uint64_t)delta > STEADY_TICKS)
        return false;
    if (begins_zone(kind)) {
        number = location_number(stream, next);
        if (number == TD_NO_NUMBER)
            return false;
        next += LOCATION_BYTES;
        loop->open++;
    } else {
        if (!loop->open)
            return false;
        loop->open--;
    }
    loop->p = next;
    loop->ticks += delta;
    *loop->mark++ = (struct td_zone_mark){td_stream_clock_exact(clock, loop->ticks), number};
    return true;
}

/* Takes begins and ends whose times rise steadily, as nearly all do: without checks of the times. Each kind has
 * its own code. The function is not inlined so that what `loop` has stays in registers. */
static __attribute__((noinline)) void take_steady(struct mark_run *run)
{
    struct td_client_stream *const stream = run->stream;
    const struct td_stream_clock clock = run->clock;
    const uint8_t *const end = end_of_items(run);
    const struct td_zone_mark *const full = run->marks + TD_STREAM_MARKS;
    struct item_loop loop = begin_loop(run);
    bool more = true;
    while (more && loop.mark < full && loop.p < end) {
        switch ((enum run_item)stream->zones.kind_of_id[*loop.p]) {
        case BEGIN16:
            more = take_steady_item(stream, &clock, &loop, BEGIN16);
            break;
        case END16:
            more = take_steady_item(stream, &clock, &loop, END16);
            break;
        case BEGIN32:
            more = take_steady_item(stream, &clock, &loop, BEGIN32);
            break;
        case END32:
            more = take_steady_item(stream, &clock, &loop, END32);
            break;
        case BEGIN:
            more = take_steady_item(stream, &clock, &loop, BEGIN);
            break;
        case END:
            more = take_steady_item(stream, &clock, &loop, END);
            break;
        default:
            more = false;
        }
    }
    end_loop(run, &loop);
}

/* Takes items until the marks are full or the run ends. */
static void take_items(struct mark_run *run)
{
    size_t before;
    do {
        before = run->at;
        if (is_steady(run))
            take_steady(run);
        take_any(run, run->ids ? TD_STREAM_MARKS : FEW_ITEMS);
    } while (run->at != before && run->count < TD_STREAM_MARKS);
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
    if (run->count)
        td_stream_begins(stream, run->marks[0].time_ns);
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
    run.clock = td_stream_get_clock(stream);
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
