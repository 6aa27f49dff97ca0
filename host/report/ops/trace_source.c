#include "host/report/ops/trace_source.h"
#include "host/base/clock.h"
#include "host/base/grow.h"
#include "host/trace/origin.h"

#include <stdlib.h>

/* An operation whose launches ended so long ago has no further ones. In a trace that grows, lanes are also
 * sent on at different times. */
#define SETTLE_NS      INT64_C(100000000)
#define GROW_SETTLE_NS INT64_C(1000000000)
#define IDLE_NS        INT64_C(2000000000) /* a core without a launch for so long is not waited for */
#define DELAY_MS       250
#define QUIET_MS       1000 /* without news for so long, no launch of what has ended is missing */

struct td_chip_clock td_trace_source_chip(const struct td_trace *trace, uint32_t device)
{
    struct td_chip_clock clock;
    const char *text;
    for (size_t i = 0; (text = td_trace_get_note(trace, TD_NOTE_CHIP_CLOCK, i)); i++)
        if (td_chip_clock_read(text, &clock) && clock.chip == device)
            return clock;
    return (struct td_chip_clock){.chip = device};
}

struct td_op_clock td_trace_source_clock(const struct td_trace *trace, uint32_t device)
{
    return (struct td_op_clock){td_trace_source_chip(trace, device).mhz, false};
}

/* Cores as a heap, the one with the earliest next launch on top. */
struct core_heap {
    struct td_core_walk *walk;
    size_t count, room;
};

static bool is_before(const struct td_core_walk *a, const struct td_core_walk *b)
{
    const int64_t s = td_core_walk_next_start(a), t = td_core_walk_next_start(b);
    return s != t ? s < t : a->place.track < b->place.track;
}

static void sink_down(struct core_heap *heap, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && is_before(&heap->walk[child + 1], &heap->walk[child]))
            child++;
        if (!is_before(&heap->walk[child], &heap->walk[at]))
            return;
        const struct td_core_walk other = heap->walk[at];
        heap->walk[at] = heap->walk[child];
        heap->walk[child] = other;
    }
}

static void free_heap(struct core_heap *heap)
{
    for (size_t i = 0; i < heap->count; i++)
        td_core_walk_end(&heap->walk[i]);
    free(heap->walk);
}

static int fill_heap(struct core_heap *heap, const struct td_trace *trace, const struct td_core_marks *marks,
                     uint64_t *zones, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    int rc = 0;
    for (uint32_t t = 0; rc == 0 && t < td_dict_track_count(dict); t++) {
        struct td_core_place place;
        if (!td_core_place_of(dict, t, &place))
            continue;
        if (td_grow(&heap->walk, &heap->room, heap->count + 1, sizeof *heap->walk) < 0 ||
            td_core_walk_begin(&heap->walk[heap->count], trace, &place, 0, false) < 0)
            return td_fail_no_memory(err, NULL);
        *zones += td_trace_track_zones(trace, t);
        if (heap->walk[heap->count].has_next) {
            heap->count++;
            continue;
        }
        rc = td_core_walk_rest(&heap->walk[heap->count], marks, err);
        td_core_walk_end(&heap->walk[heap->count]);
    }
    for (size_t i = heap->count / 2; i > 0; i--)
        sink_down(heap, i - 1);
    return rc;
}

static int read_top(struct core_heap *heap, struct td_op_sums *sums, struct td_zone_classes *classes,
                    const struct td_core_marks *marks, struct td_err *err)
{
    struct td_core_walk *top = heap->walk;
    struct td_op_launch launch;
    bool is_launch;
    int rc = td_op_sums_pass(sums, top->place.device, td_core_walk_next_start(top), SETTLE_NS, err);
    rc = rc ? rc : td_core_walk_read(top, classes, marks, &launch, &is_launch, err);
    if (rc == 0 && is_launch)
        rc = td_op_sums_add(sums, &launch, err);
    if (!top->has_next) {
        td_core_walk_end(top);
        *top = heap->walk[--heap->count];
    }
    sink_down(heap, 0);
    return rc;
}

int td_trace_source_read(const struct td_trace *trace, struct td_op_sums *sums,
                         const struct td_core_marks *marks, uint64_t *zones, struct td_err *err)
{
    struct core_heap heap = {0};
    struct td_zone_classes classes = {0};
    *zones = 0;
    int rc = fill_heap(&heap, trace, marks, zones, err);
    while (rc == 0 && heap.count)
        rc = read_top(&heap, sums, &classes, marks, err);
    free_heap(&heap);
    td_zone_classes_free(&classes);
    return rc ? rc : td_op_sums_end(sums, err);
}

/* A track, as far as it was read. */
struct followed_track {
    size_t done;      /* outermost zones */
    int64_t known_ns; /* all launches that begin before were read; INT64_MIN: it has none */
};

/* Until when launches of a device were known, now and some time ago. Lanes are drained one after the
 * other, so other cores' launches may be read later: what was known some time ago is complete. */
struct followed_device {
    uint32_t number;
    int64_t known_ns, known_before_ns; /* known_before_ns: at least DELAY_MS old */
    int64_t known_ms;
};

struct td_trace_follower {
    const struct td_trace *trace;
    struct followed_device *devices;
    size_t device_count, device_room;
    struct td_op_sums *sums;
    struct td_zone_classes classes;
    struct followed_track *tracks;
    size_t room;
    int64_t origin_ns; /* of the trace when the first launch was read: time 0 of what is given */
    bool has_origin;
    uint64_t launches, launches_before; /* that were read; when there was news */
    int64_t news_ms;                    /* when launches were read last */
};

struct td_trace_follower *td_trace_follower_create(const struct td_trace *trace, struct td_op_sums *sums)
{
    struct td_trace_follower *f = calloc(1, sizeof *f);
    if (f) {
        f->trace = trace;
        f->sums = sums;
    }
    return f;
}

void td_trace_follower_destroy(struct td_trace_follower *f)
{
    if (!f)
        return;
    td_zone_classes_free(&f->classes);
    free(f->tracks);
    free(f->devices);
    free(f);
}

/* Launches are given in one time, also when the trace's origin changes, and when the trace is finished. */
static void take_origin(struct td_trace_follower *f)
{
    if (!f->has_origin)
        f->origin_ns = td_trace_origin(f->trace) + td_trace_moved(f->trace);
    f->has_origin = true;
}

static void move_launch(const struct td_trace_follower *f, struct td_op_launch *launch)
{
    int64_t *const times[] = {&launch->fw_start, &launch->fw_end, &launch->kernel_start, &launch->kernel_end};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (*times[i] != TD_OP_NO_TIME)
            *times[i] = td_wrap_add(*times[i], td_trace_moved(f->trace) - f->origin_ns);
}

static int64_t follow_time(const struct td_trace_follower *f, int64_t time_ns)
{
    return time_ns == TD_OPEN ? time_ns : td_wrap_add(time_ns, td_trace_moved(f->trace) - f->origin_ns);
}

static int follow_track(struct td_trace_follower *f, const struct td_core_place *place, struct td_err *err)
{
    const size_t rows = td_trace_row_zones(f->trace, place->track, 0);
    struct followed_track *track = &f->tracks[place->track];
    struct td_core_walk walk;
    int64_t last_end = track->known_ns;
    if (track->done >= rows)
        return 0;
    take_origin(f);
    if (td_core_walk_begin(&walk, f->trace, place, track->done, true) < 0)
        return td_fail_no_memory(err, NULL);
    int rc = 0;
    while (rc == 0 && walk.has_next) {
        struct td_op_launch launch;
        bool is_launch;
        const int64_t end = walk.step.zone.end_ns;
        rc = td_core_walk_read(&walk, &f->classes, NULL, &launch, &is_launch, err);
        move_launch(f, &launch);
        last_end = follow_time(f, end);
        track->done++;
        f->launches++;
        if (rc == 0 && is_launch)
            rc = td_op_sums_add(f->sums, &launch, err);
    }
    td_core_walk_end(&walk);
    track->known_ns = track->done < rows
                          ? follow_time(f, td_trace_zone(f->trace, place->track, 0, track->done).start_ns)
                          : last_end;
    return rc;
}

static int grow_tracks(struct td_trace_follower *f, uint32_t count)
{
    const size_t had = f->room;
    if (td_grow(&f->tracks, &f->room, count, sizeof *f->tracks) < 0)
        return TD_E_NOMEM;
    for (size_t i = had; i < f->room; i++)
        f->tracks[i] = (struct followed_track){0, INT64_MIN};
    return 0;
}

/* Until when all launches of the device are known: cores that have had no launch for long do not count. */
static int64_t known_until(const struct td_trace_follower *f, uint32_t device, uint32_t count)
{
    const struct td_dict *dict = td_trace_dict(f->trace);
    struct td_core_place place;
    int64_t latest = INT64_MIN, least = INT64_MAX;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t t = 0; t < count; t++) {
            const int64_t known = f->tracks[t].known_ns;
            if (known == INT64_MIN || !td_core_place_of(dict, t, &place) || place.device != device)
                continue;
            if (!pass)
                latest = known > latest ? known : latest;
            else if (td_wrap_sub(latest, known) < IDLE_NS)
                least = known < least ? known : least;
        }
    return latest == INT64_MIN ? INT64_MIN : least;
}

/* NULL: no memory. */
static struct followed_device *take_followed(struct td_trace_follower *f, uint32_t number)
{
    for (size_t i = 0; i < f->device_count; i++)
        if (f->devices[i].number == number)
            return &f->devices[i];
    if (td_grow(&f->devices, &f->device_room, f->device_count + 1, sizeof *f->devices) < 0)
        return NULL;
    f->devices[f->device_count] = (struct followed_device){number, INT64_MIN, INT64_MIN, 0};
    return &f->devices[f->device_count++];
}

static int pass_device(struct td_trace_follower *f, struct followed_device *d, uint32_t tracks,
                       int64_t now_ms, struct td_err *err)
{
    const bool quiet = now_ms - f->news_ms >= QUIET_MS;
    if (now_ms - d->known_ms >= DELAY_MS) {
        d->known_before_ns = d->known_ns;
        d->known_ns = known_until(f, d->number, tracks);
        d->known_ms = now_ms;
    }
    return td_op_sums_pass(f->sums, d->number, quiet ? INT64_MAX : d->known_before_ns,
                           quiet ? 0 : GROW_SETTLE_NS, err);
}

int td_trace_follower_read(struct td_trace_follower *f, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(f->trace);
    const uint32_t tracks = td_dict_track_count(dict);
    const int64_t now_ms = td_mono_ms();
    struct td_core_place place;
    int rc = grow_tracks(f, tracks) < 0 ? td_fail_no_memory(err, NULL) : 0;
    for (uint32_t t = 0; rc == 0 && t < tracks; t++) {
        if (!td_core_place_of(dict, t, &place))
            continue;
        rc = take_followed(f, place.device) ? follow_track(f, &place, err) : td_fail_no_memory(err, NULL);
    }
    if (f->launches != f->launches_before) {
        f->launches_before = f->launches;
        f->news_ms = now_ms;
    }
    for (size_t i = 0; rc == 0 && i < f->device_count; i++)
        rc = pass_device(f, &f->devices[i], tracks, now_ms, err);
    return rc;
}
