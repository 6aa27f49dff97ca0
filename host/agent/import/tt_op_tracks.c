#include "host/agent/import/tt_op_tracks.h"
#include "host/base/compare.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TRACKS_MAX  16u /* of the host, or of a chip; zones that fit on none of them are on the last */
#define DEPTH_MAX   64u
#define HOST_THREAD 1u
#define CHIP_THREADS                                                                                         \
    0x1000u /* chip c has the threads from (c + 1) * this on; no system's thread has such an id */

/* A track while its zones are placed. */
struct op_track {
    uint32_t chip, track;
    int64_t ends[DEPTH_MAX]; /* of the zones that are open, the outermost first */
    size_t depth;
};

struct td_tt_op_tracks {
    struct td_hub *hub;
    struct td_dict *dict;
    struct td_tt_op_zone *zones;
    size_t count, capacity;
    struct op_track *tracks;
    size_t track_count, track_capacity;
    uint32_t host_track; /* UINT32_MAX: not made yet */
};

static const char purpose[] = "for the operations of a report"; /* of td_fail_no_memory() */

struct td_tt_op_tracks *td_tt_op_tracks_create(struct td_hub *hub)
{
    struct td_tt_op_tracks *tracks = calloc(1, sizeof *tracks);
    if (!tracks)
        return NULL;
    tracks->hub = hub;
    tracks->dict = td_hub_dict(hub);
    tracks->host_track = UINT32_MAX;
    return tracks;
}

void td_tt_op_tracks_destroy(struct td_tt_op_tracks *tracks)
{
    if (!tracks)
        return;
    free(tracks->zones);
    free(tracks->tracks);
    free(tracks);
}

/* The number-th track of the host or of a chip; UINT32_MAX: no memory. */
static uint32_t name_track(struct td_dict *dict, uint32_t chip, size_t number)
{
    char name[64];
    int bytes = chip == TD_TT_OP_HOST ? snprintf(name, sizeof name, "host")
                                      : snprintf(name, sizeof name, "chip %" PRIu32 " operations", chip);
    if (number)
        snprintf(name + bytes, sizeof name - (size_t)bytes, " %zu", number + 1);
    struct td_track track = {.thread = chip == TD_TT_OP_HOST ? HOST_THREAD + number
                                                             : (uint64_t)CHIP_THREADS * (chip + 1) + number,
                             .name = td_dict_cstring(dict, name),
                             .kind = TD_TRACK_THREAD};
    return track.name == UINT32_MAX ? UINT32_MAX : td_dict_track(dict, &track);
}

int td_tt_op_tracks_message(struct td_tt_op_tracks *tracks, int64_t time_ns, uint32_t text,
                            struct td_err *err)
{
    if (tracks->host_track == UINT32_MAX)
        tracks->host_track = name_track(tracks->dict, TD_TT_OP_HOST, 0);
    if (tracks->host_track == UINT32_MAX)
        return td_fail_no_memory(err, purpose);
    const struct td_event event = {
        .time_ns = time_ns, .track = tracks->host_track, .subject = text, .kind = TD_EVENT_MESSAGE};
    return td_hub_push(tracks->hub, &event, 1, err);
}

int td_tt_op_tracks_add(struct td_tt_op_tracks *tracks, const struct td_tt_op_zone *zone, struct td_err *err)
{
    if (td_grow(&tracks->zones, &tracks->capacity, tracks->count + 1, sizeof *tracks->zones))
        return td_fail_no_memory(err, purpose);
    tracks->zones[tracks->count] = *zone;
    tracks->zones[tracks->count].order = tracks->count;
    tracks->count++;
    return 0;
}

/* In order of begins, the longer one of two that begin together first. */
TD_COMPARE(compare_zones, struct td_tt_op_zone, TD_UP(chip) TD_UP(start_ns) TD_DOWN(end_ns) TD_UP(order))

static int push_end(struct td_tt_op_tracks *tracks, struct op_track *track, struct td_err *err)
{
    const struct td_event event = {
        .time_ns = track->ends[--track->depth], .track = track->track, .kind = TD_EVENT_ZONE_END};
    return td_hub_push(tracks->hub, &event, 1, err);
}

/* Whether the zone begins after what has ended, and ends inside of what is still open then. */
static bool has_place(const struct op_track *track, const struct td_tt_op_zone *zone)
{
    size_t depth = track->depth;
    while (depth && track->ends[depth - 1] <= zone->start_ns)
        depth--;
    return depth < DEPTH_MAX && (!depth || track->ends[depth - 1] >= zone->end_ns);
}

/* The track for a zone: the first of its chip that has a place for it. NULL: no memory. */
static struct op_track *find_track(struct td_tt_op_tracks *tracks, const struct td_tt_op_zone *zone)
{
    size_t of_chip = 0, last = 0;
    for (size_t i = 0; i < tracks->track_count; i++) {
        if (tracks->tracks[i].chip != zone->chip)
            continue;
        if (has_place(&tracks->tracks[i], zone))
            return &tracks->tracks[i];
        of_chip++;
        last = i;
    }
    if (of_chip == TRACKS_MAX)
        return &tracks->tracks[last];
    if (td_grow(&tracks->tracks, &tracks->track_capacity, tracks->track_count + 1, sizeof *tracks->tracks))
        return NULL;
    struct op_track *track = &tracks->tracks[tracks->track_count];
    *track = (struct op_track){.chip = zone->chip, .track = name_track(tracks->dict, zone->chip, of_chip)};
    tracks->track_count += track->track != UINT32_MAX;
    return track->track == UINT32_MAX ? NULL : track;
}

static int push_zone(struct td_tt_op_tracks *tracks, const struct td_tt_op_zone *zone, struct td_err *err)
{
    struct op_track *track = find_track(tracks, zone);
    const struct td_srcloc location = {.name = zone->name};
    const uint32_t srcloc = td_dict_srcloc(tracks->dict, &location);
    int64_t end = zone->end_ns;
    int bad = track && srcloc != UINT32_MAX ? 0 : td_fail_no_memory(err, purpose);
    while (!bad && track->depth && track->ends[track->depth - 1] <= zone->start_ns)
        bad = push_end(tracks, track, err);
    while (!bad && track->depth == DEPTH_MAX)
        bad = push_end(tracks, track, err);
    if (bad)
        return bad;
    if (track->depth && track->ends[track->depth - 1] < end)
        end = track->ends[track->depth - 1];
    const struct td_event events[] = {
        {.time_ns = zone->start_ns, .track = track->track, .srcloc = srcloc, .kind = TD_EVENT_ZONE_BEGIN},
        {.time_ns = zone->start_ns,
         .track = track->track,
         .subject = zone->text,
         .kind = TD_EVENT_ZONE_TEXT}};
    track->ends[track->depth++] = end;
    return td_hub_push(tracks->hub, events, zone->text ? 2 : 1, err);
}

int td_tt_op_tracks_push(struct td_tt_op_tracks *tracks, struct td_err *err)
{
    int bad = 0;
    if (tracks->count)
        qsort(tracks->zones, tracks->count, sizeof *tracks->zones, compare_zones);
    for (size_t i = 0; i < tracks->count && !bad; i++)
        bad = push_zone(tracks, &tracks->zones[i], err);
    for (size_t i = 0; i < tracks->track_count && !bad; i++)
        while (!bad && tracks->tracks[i].depth)
            bad = push_end(tracks, &tracks->tracks[i], err);
    return bad;
}
