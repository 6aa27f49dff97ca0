/* Locks: each lock's announcement, then its events in their order. */
#include "host/serve/part.h"
#include "host/wire/items.h"

/* Kinds of LOCK_EVENT; those of shared locks are larger by SHARED. */
enum { WAIT, OBTAIN, RELEASE, SHARED };

#define LOST_IDS UINT32_C(0x80000000) /* for locks whose own id another lock has, or that is too large */

static int choose_id(struct td_viewer *v, struct td_lock_place *place, const struct td_series *locks,
                     uint32_t row)
{
    uint64_t id = (uint64_t)td_part_get(locks, row, TD_LOCK_ID);
    int added = id <= UINT32_MAX ? td_map_add(&v->lock_ids, id, row) : 0;
    if (!added)
        added = td_map_add(&v->lock_ids, id = LOST_IDS | row, row);
    place->id = (uint32_t)id;
    return added < 0 ? TD_E_NOMEM : 0;
}

static int announce(struct td_viewer *v, struct td_lock_place *place, const struct td_series *locks,
                    uint32_t row)
{
    uint8_t *p = td_put_room(v, TD_ITEM_MAX);
    if (!p)
        return TD_PART_FULL;
    int result = choose_id(v, place, locks, row);
    if (result < 0)
        return result;
    struct td_wire_LockAnnounce item = {
        .id = place->id,
        .time = td_part_get(locks, row, TD_LOCK_ANNOUNCED),
        .lckloc = td_key(TD_KEY_SRCLOC, (uint32_t)td_part_get(locks, row, TD_LOCK_SRCLOC)),
        .type = (uint8_t)td_part_get(locks, row, TD_LOCK_TYPE)};
    td_put_end(v, td_wire_put_LockAnnounce(p, v->release, &item));
    place->is_announced = true;
    return TD_PART_DONE;
}

static int send_name(struct td_viewer *v, struct td_lock_place *place, uint32_t name)
{
    uint8_t *p = td_put_room(v, 2 * TD_ITEM_MAX + td_put_text_bytes(v, name));
    if (!p)
        return TD_PART_FULL;
    p = td_put_text(v, p, name);
    td_put_end(v, td_wire_put_LockName(p, v->release, &(struct td_wire_LockName){place->id}));
    place->is_named = true;
    return TD_PART_DONE;
}

static uint8_t *put_event(struct td_viewer *v, uint8_t *p, uint32_t id, uint32_t thread, int64_t ns, int kind)
{
    int64_t delta = td_put_delta(&v->serial_time, ns);
    /* The four items of waits and obtains have the same fields. */
    switch (kind) {
    case WAIT:
        return td_wire_put_LockWait(p, v->release, &(struct td_wire_LockWait){thread, id, delta});
    case OBTAIN:
        return td_wire_put_LockObtain(p, v->release, &(struct td_wire_LockObtain){thread, id, delta});
    case RELEASE:
        return td_wire_put_LockRelease(p, v->release, &(struct td_wire_LockRelease){id, delta});
    case WAIT + SHARED:
        return td_wire_put_LockSharedWait(p, v->release, &(struct td_wire_LockSharedWait){thread, id, delta});
    case OBTAIN + SHARED:
        return td_wire_put_LockSharedObtain(p, v->release,
                                            &(struct td_wire_LockSharedObtain){thread, id, delta});
    default:
        return td_wire_put_LockSharedRelease(p, v->release,
                                             &(struct td_wire_LockSharedRelease){id, delta, thread});
    }
}

static int send_event(struct td_viewer *v, const struct td_lock_place *place, uint32_t row,
                      const struct td_series *events, uint64_t event)
{
    const struct td_series *threads = td_trace_list(v->trace, TD_TABLE_LOCK_THREAD, row);
    uint8_t *p = td_put_room(v, 2 * TD_ITEM_MAX);
    if (!p)
        return TD_PART_FULL;
    uint64_t user = (uint64_t)td_part_get(events, event, TD_LOCK_EVENT_THREAD);
    int kind = (int)td_part_get(events, event, TD_LOCK_EVENT_KIND);
    uint32_t srcloc = (uint32_t)td_part_get(events, event, TD_LOCK_EVENT_SRCLOC);
    if (user >= td_series_count(threads) || kind < WAIT || kind >= 2 * SHARED)
        return TD_PART_DONE;
    uint32_t thread = td_key_thread(v, (uint64_t)td_part_get(threads, user, TD_LOCK_THREAD_THREAD));
    p = put_event(v, p, place->id, thread, td_part_get(events, event, TD_LOCK_EVENT_TIME), kind);
    if (srcloc && kind % SHARED != RELEASE) {
        struct td_wire_LockMark mark = {thread, place->id, td_key(TD_KEY_SRCLOC, srcloc)};
        p = td_wire_put_LockMark(p, v->release, &mark);
    }
    td_put_end(v, p);
    return TD_PART_DONE;
}

static int send_lock(struct td_viewer *v, const struct td_series *locks, uint32_t row)
{
    struct td_lock_place *place = &v->locks.at[row];
    int result = TD_PART_DONE;
    if (!td_part_get(locks, row, TD_LOCK_VALID)) {
        if (v->final)
            td_viewer_leave_out(v, TD_LEFT_OUT_LOCKS);
        return result;
    }
    const struct td_series *events = td_trace_list(v->trace, TD_TABLE_LOCK_EVENT, row);
    uint64_t end = td_place_end(v, &place->place, td_series_count(events));
    /* The location is set after the rest. */
    if (!place->is_announced && !v->final && !td_part_get(locks, row, TD_LOCK_SRCLOC))
        return result;
    if (!place->is_announced && (result = announce(v, place, locks, row)))
        return result;
    uint32_t name = (uint32_t)td_part_get(locks, row, TD_LOCK_NAME);
    if (name && !place->is_named && (result = send_name(v, place, name)))
        return result;
    for (; place->place.next < end; place->place.next++)
        if ((result = send_event(v, place, row, events, place->place.next)))
            return result;
    int64_t terminated = td_part_get(locks, row, TD_LOCK_TERMINATED);
    if (!terminated || place->is_terminated || place->place.next < td_series_count(events))
        return result;
    uint8_t *p = td_put_room(v, TD_ITEM_MAX);
    if (!p)
        return TD_PART_FULL;
    struct td_wire_LockTerminate item = {place->id, terminated};
    td_put_end(v, td_wire_put_LockTerminate(p, v->release, &item));
    place->is_terminated = true;
    return result;
}

int td_part_locks(struct td_viewer *v)
{
    const struct td_series *locks = td_trace_table(v->trace, TD_TABLE_LOCK);
    uint64_t count = td_series_count(locks);
    int result = TD_PLACES_GROW(&v->locks, count);
    TD_PART_EACH(v, count, result, send_lock(v, locks, i));
    return result;
}
