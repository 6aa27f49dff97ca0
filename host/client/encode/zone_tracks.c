#include "host/client/encode/zone_tracks.h"
#include "host/base/err.h"
#include "host/client/encode/announced.h"
#include "host/client/platform/epoch.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/records.h"
#include "host/wire/items.h"

#include <string.h>

/* Zones of a track that have ended while zones inside of them are open. At one more, those inside end with them: a
 * program that leaves zones by longjmp() never ends them. */
#define ENDED_MOST 64

/* Room for one more item of `bytes` in an array of the pool. False: no memory. */
static bool grow_array(void **array, uint32_t *capacity, uint32_t count, size_t bytes)
{
    if (count < *capacity)
        return 1;
    uint32_t more = *capacity ? 2 * *capacity : 16;
    void *bigger = td_pool_alloc(more * bytes);
    if (!bigger)
        return 0;
    if (count)
        memcpy(bigger, *array, count * bytes);
    td_pool_free(*array);
    *array = bigger;
    *capacity = more;
    return 1;
}

/* ---- tracks ---- */

static struct td_zone_track *make_track(uint64_t key, bool is_fiber)
{
    struct td_zone_track *track = td_pool_alloc(sizeof *track);
    if (track)
        *track = (struct td_zone_track){.key = key, .is_fiber = is_fiber};
    return track;
}

static struct td_zone_track *track_of_thread(struct td_encoder *encoder, uint32_t thread)
{
    struct td_zone_track **at = &encoder->tracks.threads;
    while (*at && (*at)->key != thread)
        at = &(*at)->next;
    if (!*at)
        *at = make_track(thread, 0);
    return *at;
}

/* The number of an announced fiber is its track's place, from 1. */
static struct td_zone_track *track_of_fiber(struct td_encoder *encoder, uint64_t fiber)
{
    struct td_zone_tracks *tracks = &encoder->tracks;
    uint32_t *number = td_announced_value(encoder->announced, TD_ANNOUNCED_FIBER, fiber);
    if (!number)
        return NULL;
    if (*number)
        return tracks->fibers[*number - 1];
    struct td_zone_track *track = make_track(fiber, 1);
    void *fibers = tracks->fibers;
    if (!track ||
        !grow_array(&fibers, &tracks->fiber_capacity, tracks->fiber_count, sizeof *tracks->fibers)) {
        td_pool_free(track);
        return NULL;
    }
    tracks->fibers = fibers;
    tracks->fibers[tracks->fiber_count++] = track;
    *number = tracks->fiber_count;
    return track;
}

struct td_zone_track *td_zone_track_of(struct td_encoder *encoder, struct td_thread_queue *queue)
{
    if (!queue->track)
        queue->track = track_of_thread(encoder, queue->thread);
    return queue->track;
}

static void free_track(struct td_zone_track *track)
{
    while (track->acts) {
        struct td_zone_act *act = track->acts;
        track->acts = act->next;
        td_pool_free(act);
    }
    td_pool_free(track->zones);
    td_pool_free(track);
}

void td_zone_track_drop(struct td_encoder *encoder, struct td_thread_queue *queue)
{
    struct td_zone_track *track = queue->track;
    queue->track = NULL;
    if (!track || queue->session != encoder->session)
        return;
    if (track->is_fiber) {
        track->thread = 0;
        return;
    }
    if (track->count || track->acts)
        return;
    struct td_zone_track **at = &encoder->tracks.threads;
    while (*at && *at != track)
        at = &(*at)->next;
    if (*at)
        *at = track->next;
    free_track(track);
}

void td_zone_tracks_destroy(struct td_encoder *encoder)
{
    struct td_zone_tracks *tracks = &encoder->tracks;
    while (tracks->threads) {
        struct td_zone_track *track = tracks->threads;
        tracks->threads = track->next;
        free_track(track);
    }
    for (uint32_t i = 0; i < tracks->fiber_count; i++)
        free_track(tracks->fibers[i]);
    td_pool_free(tracks->fibers);
    td_pool_free(tracks->firsts);
    td_pool_free(tracks->begun);
    *tracks = (struct td_zone_tracks){0};
}

void td_zone_tracks_first(struct td_encoder *encoder, const uint64_t *place)
{
    struct td_zone_tracks *tracks = &encoder->tracks;
    void *firsts = tracks->firsts;
    if (encoder->since != INT64_MIN && !tracks->begun &&
        (tracks->begun = td_pool_alloc(TD_BEGUN_ZONES * sizeof *tracks->begun)))
        memset(tracks->begun, 0, TD_BEGUN_ZONES * sizeof *tracks->begun);
    for (uint32_t i = 0; i < tracks->first_count; i++)
        if (tracks->firsts[i] >> 16 == td_queue_place(place) >> 16)
            return; /* another thread had the queue before, in this session */
    if (encoder->since == INT64_MIN ||
        !grow_array(&firsts, &tracks->first_capacity, tracks->first_count, sizeof *tracks->firsts))
        return;
    tracks->firsts = firsts;
    tracks->firsts[tracks->first_count++] = td_queue_place(place);
}

/* The zone may have begun before the session. Of two zones with one number, more than 4 GiB of records from each other,
 * it is the later one if the session saw that begin, and has not seen many since. */
static bool began_before(const struct td_encoder *encoder, uint32_t zone)
{
    const struct td_zone_tracks *tracks = &encoder->tracks;
    if (encoder->since == INT64_MIN)
        return 0;
    const uint64_t latest = td_queue_newest_block() << 16 | 0xffff, place = td_queue_place_of(zone, latest);
    if (place > UINT32_MAX && place <= latest)
        return !tracks->begun || tracks->begun[td_begun_at(zone)] != zone;
    for (uint32_t i = tracks->first_count; i-- > 0;)
        if (tracks->firsts[i] >> 16 == place >> 16)
            return place < tracks->firsts[i];
    return place >> 16 <= tracks->first_block;
}

/* ---- items ---- */

static uint8_t *put_act(struct td_encoder *encoder, uint8_t *p, const struct td_zone_act *act)
{
    const struct td_wire_release *release = encoder->release;
    const uint64_t rgb = act->value;
    int64_t delta;
    switch (act->kind) {
    case TD_REC_ZONE_END:
        delta = (int64_t)((uint64_t)act->time - (uint64_t)encoder->thread_time);
        encoder->thread_time = act->time;
        return td_wire_put_short_ZoneEnd(p, release, &(struct td_wire_ZoneEnd){delta});
    case TD_REC_ZONE_TEXT:
        p = td_encode_text(encoder, p, act->text, act->bytes);
        return td_wire_put_ZoneText(p, release, NULL);
    case TD_REC_ZONE_NAME:
        p = td_encode_text(encoder, p, act->text, act->bytes);
        return td_wire_put_ZoneName(p, release, NULL);
    case TD_REC_ZONE_COLOR: {
        struct td_wire_ZoneColor color = {(uint8_t)rgb, (uint8_t)(rgb >> 8), (uint8_t)(rgb >> 16)};
        return td_wire_put_ZoneColor(p, release, &color);
    }
    default:
        return td_wire_put_ZoneValue(p, release, &(struct td_wire_ZoneValue){act->value});
    }
}

uint8_t *td_encode_thread(struct td_encoder *encoder, uint8_t *p, uint32_t thread)
{
    if (thread == encoder->thread)
        return p;
    encoder->thread = thread;
    encoder->thread_time = 0;
    return td_wire_put_ThreadContext(p, encoder->release, &(struct td_wire_ThreadContext){thread});
}

/* The act, in the thread, after the number `*number` unless that is NULL. */
static int send_act(struct td_encoder *encoder, uint32_t thread, const uint32_t *number,
                    const struct td_zone_act *act)
{
    uint8_t *p = td_encode_room(encoder, 2 * TD_ENCODE_ITEM_MAX + act->bytes);
    if (!p)
        return TD_E_GONE;
    p = td_encode_thread(encoder, p, thread);
    if (number)
        p = td_wire_put_ZoneValidation(p, encoder->release, &(struct td_wire_ZoneValidation){*number});
    td_encode_put(encoder, put_act(encoder, p, act));
    return 0;
}

/* Reports the misuse, if its marker is checked, or leaves that to the act's record in its thread's queue. */
static int report_misuse(struct td_encoder *encoder, struct td_zone_act *act, bool has_record)
{
    if (!act->checked || td_setting_value(TD_SETTING_NO_VERIFY))
        return 0;
    act->reported = 1;
    if (has_record)
        return 0;
    td_announced_add(encoder->announced, TD_ANNOUNCED_THREAD, act->thread);
    return send_act(encoder, act->thread, &act->zone, act);
}

/* ---- what waits ---- */

static struct td_open_zone *innermost(const struct td_zone_track *track)
{
    return track->count ? &track->zones[track->count - 1] : NULL;
}

/* Items of the thread with that number reach the track; 0: none do at this time. */
static uint32_t thread_of(const struct td_zone_track *track)
{
    return track->is_fiber ? track->thread : track->is_left ? 0 : (uint32_t)track->key;
}

static void leave_zone(struct td_encoder *encoder, struct td_zone_track *track)
{
    track->ended -= innermost(track)->has_ended;
    track->count--;
    encoder->open_zones--;
}

/* The place of the first act that waits for the zone, and is of that kind (0: any). */
static struct td_zone_act **find_act(struct td_zone_track *track, uint32_t zone, uint32_t kind)
{
    struct td_zone_act **at = &track->acts;
    while (*at && ((*at)->zone != zone || (kind && (*at)->kind != kind)))
        at = &(*at)->next;
    return at;
}

/* Sends what waits for the innermost zone, and for those around it that are innermost then. */
static int send_waiting(struct td_encoder *encoder, struct td_zone_track *track)
{
    static const uint32_t odd = 0;
    const uint32_t thread = thread_of(track);
    while (thread && track->acts && track->count) {
        struct td_zone_act **at = find_act(track, innermost(track)->number, 0), *act = *at;
        if (!act)
            return 0;
        *at = act->next;
        const bool ends = act->kind == TD_REC_ZONE_END;
        int failed = send_act(encoder, thread, ends && !act->reported ? &odd : NULL, act);
        td_pool_free(act);
        if (failed)
            return failed;
        if (ends)
            leave_zone(encoder, track);
    }
    return 0;
}

/* Ends zones that are inside of ended ones, until none has ended. */
static int cut_inner(struct td_encoder *encoder, struct td_zone_track *track)
{
    while (track->ended && thread_of(track)) {
        uint32_t around = track->count;
        while (!track->zones[around - 1].has_ended)
            around--;
        const struct td_zone_act *end = *find_act(track, track->zones[around - 1].number, TD_REC_ZONE_END);
        for (; track->count > around; leave_zone(encoder, track), encoder->tracks.cut++) {
            struct td_zone_act inner = {.kind = TD_REC_ZONE_END, .time = end->time};
            if (innermost(track)->begin > end->time) /* it began later, and is open */
                inner.time = (int64_t)td_client_ticks();
            if (send_waiting(encoder, track) != 0 || send_act(encoder, thread_of(track), NULL, &inner) != 0)
                return TD_E_GONE;
        }
        if (send_waiting(encoder, track) != 0)
            return TD_E_GONE;
    }
    return 0;
}

static struct td_open_zone *find_in(const struct td_zone_track *track, uint32_t number)
{
    for (uint32_t i = track->count; i-- > 0;)
        if (track->zones[i].number == number && !track->zones[i].has_ended)
            return &track->zones[i];
    return NULL;
}

/* The track where the zone is open: most likely `track`. NULL: there is none. */
static struct td_zone_track *find_zone(struct td_encoder *encoder, struct td_zone_track *track,
                                       uint32_t number)
{
    const struct td_zone_tracks *tracks = &encoder->tracks;
    if (track && find_in(track, number))
        return track;
    for (track = tracks->threads; track; track = track->next)
        if (find_in(track, number))
            return track;
    for (uint32_t i = 0; i < tracks->fiber_count; i++)
        if (find_in(tracks->fibers[i], number))
            return tracks->fibers[i];
    return NULL;
}

/* Does the act at once, to the innermost zone of the track. */
static int act_now(struct td_encoder *encoder, struct td_zone_track *track, const struct td_zone_act *act,
                   bool is_from_other)
{
    static const uint32_t odd = 0;
    const bool is_odd = is_from_other && act->kind == TD_REC_ZONE_END && !act->reported;
    if (send_act(encoder, thread_of(track), is_odd ? &odd : NULL, act) != 0)
        return TD_E_GONE;
    if (act->kind != TD_REC_ZONE_END)
        return 0;
    leave_zone(encoder, track);
    return track->acts ? send_waiting(encoder, track) : 0;
}

static int act_later(struct td_encoder *encoder, struct td_zone_track *track, const struct td_zone_act *act)
{
    struct td_zone_act *copy = td_zone_act_copy(act), **last = &track->acts;
    if (!copy) {
        encoder->tracks.never++;
        return 0;
    }
    while (*last)
        last = &(*last)->next;
    *last = copy;
    copy->next = NULL;
    if (act->kind == TD_REC_ZONE_END) {
        find_in(track, act->zone)->has_ended = 1;
        track->ended++;
    }
    return track->ended > ENDED_MOST ? cut_inner(encoder, track) : send_waiting(encoder, track);
}

/* There is no such zone, or no zone at all. */
static int act_on_nothing(struct td_encoder *encoder, struct td_zone_act *act, bool has_record)
{
    if (act->zone ? began_before(encoder, act->zone) : encoder->since != INT64_MIN || td_client_began_late())
        return 0;
    if (act->zone && report_misuse(encoder, act, has_record) != 0)
        return TD_E_GONE;
    if (!act->reported && !encoder->unmatched.zones++)
        encoder->unmatched.thread = act->thread;
    return 0;
}

/* The track that the act's thread was in. */
static bool is_own_track(const struct td_zone_track *track, const struct td_zone_act *act)
{
    return track->is_fiber ? track->key == act->fiber : !act->fiber && track->key == act->thread;
}

int td_zone_act_encode(struct td_encoder *encoder, struct td_zone_track *track, struct td_zone_act *act)
{
    const struct td_open_zone *inner = track ? innermost(track) : NULL;
    const bool is_listed = !track;
    if (track && act->twin && !find_in(track, act->zone))
        return began_before(encoder, act->zone) ? 0 : report_misuse(encoder, act, 0);
    if (inner && (!act->zone || act->zone == inner->number))
        return act_now(encoder, track, act, 0);
    struct td_zone_track *of = act->zone ? find_zone(encoder, track, act->zone) : NULL;
    if (!of)
        return act_on_nothing(encoder, act, is_listed);
    if (is_listed && is_own_track(of, act))
        return 0; /* its twin is for it */
    inner = innermost(of);
    const bool is_odd = of != track || inner->number != act->zone;
    if (is_odd && report_misuse(encoder, act, is_listed) != 0)
        return TD_E_GONE;
    return inner->number == act->zone && thread_of(of) ? act_now(encoder, of, act, 1)
                                                       : act_later(encoder, of, act);
}

bool td_zone_track_begin(struct td_zone_track *track, const uint64_t *place, int64_t time)
{
    void *zones = track->zones;
    if (!grow_array(&zones, &track->capacity, track->count, sizeof *track->zones))
        return 0;
    track->zones = zones;
    track->zones[track->count++] = (struct td_open_zone){time, td_queue_zone_at(place), 0};
    return 1;
}

int td_zone_track_switch(struct td_encoder *encoder, struct td_thread_queue *queue, uint64_t fiber)
{
    struct td_zone_track *own = track_of_thread(encoder, queue->thread);
    if (queue->track && queue->track->is_fiber)
        queue->track->thread = 0;
    queue->track = fiber ? track_of_fiber(encoder, fiber) : own;
    if (!queue->track || !own)
        return TD_E_GONE;
    own->is_left = fiber != 0;
    if (fiber)
        queue->track->thread = queue->thread;
    return send_waiting(encoder, queue->track);
}

/* ---- the end ---- */

/* Makes items reach the track, through `thread` if it is a fiber. */
static int enter_track(struct td_encoder *encoder, struct td_zone_track *track, uint32_t *thread)
{
    uint8_t *p = thread_of(track) ? NULL : td_encode_room(encoder, 2 * TD_ENCODE_ITEM_MAX);
    if (thread_of(track))
        return 0;
    if (!p)
        return TD_E_GONE;
    p = td_encode_thread(encoder, p, track->is_fiber ? *thread : (uint32_t)track->key);
    if (track->is_fiber) {
        track->thread = *thread;
        struct td_wire_FiberEnter enter = {0, track->key, *thread, 0};
        p = td_wire_put_FiberEnter(p, encoder->release, &enter);
    } else {
        *thread = (uint32_t)track->key;
        track->is_left = 0;
        p = td_wire_put_FiberLeave(p, encoder->release, &(struct td_wire_FiberLeave){0, *thread});
    }
    td_encode_put(encoder, p);
    return 0;
}

static int end_track(struct td_encoder *encoder, struct td_zone_track *track, uint32_t *thread)
{
    if (track->acts && enter_track(encoder, track, thread) != 0)
        return TD_E_GONE;
    if (cut_inner(encoder, track) != 0)
        return TD_E_GONE;
    for (const struct td_zone_act *act = track->acts; act; act = act->next)
        encoder->tracks.never++;
    return 0;
}

int td_zone_tracks_end(struct td_encoder *encoder)
{
    struct td_zone_tracks *tracks = &encoder->tracks;
    uint32_t thread = encoder->thread;
    for (uint32_t i = 0; i < tracks->fiber_count; i++)
        if (tracks->fibers[i]->thread && end_track(encoder, tracks->fibers[i], &thread) != 0)
            return TD_E_GONE;
    for (struct td_zone_track *track = tracks->threads; track; track = track->next)
        if (end_track(encoder, track, &thread) != 0)
            return TD_E_GONE;
    for (uint32_t i = 0; i < tracks->fiber_count; i++)
        if (!tracks->fibers[i]->thread && end_track(encoder, tracks->fibers[i], &thread) != 0)
            return TD_E_GONE;
    return 0;
}
