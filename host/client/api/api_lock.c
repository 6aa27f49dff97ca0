/* Locks. The client records events only; the program has the lock itself. */
#include "host/client/api/mark.h"
#include "host/client/include/tendril/locks.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/fork_locks.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/compose.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/replayed.h"

#include <stdatomic.h>

struct __tracy_lockable_context_data {
    uint32_t id;
};
struct __tracy_shared_lockable_context_data {
    struct __tracy_lockable_context_data base;
};

/* The context of locks for which memory was out: their events are not recorded. */
static struct __tracy_shared_lockable_context_data unrecorded = {{UINT32_MAX}};

static int lock_event(uint32_t kind, uint32_t id)
{
    if (!td_client_is_live())
        return 0;
    uint64_t now = td_client_ticks(), *record = td_reserve_ordered(2);
    if (!record)
        return 0;
    td_publish_ordered(record, kind, now, (uint64_t)id << 32);
    return 1;
}

static int lock_event_of(uint32_t kind, const struct __tracy_lockable_context_data *lock)
{
    return lock && lock != &unrecorded.base && lock_event(kind, lock->id);
}

uint32_t td_client_lock_next(void)
{
    static _Atomic(uint32_t) last_id;
    return 1 + atomic_fetch_add(&last_id, 1);
}

void td_client_lock_announce(uint32_t id, const void *srcloc, int shared)
{
    struct td_mark mark = {.kind = shared ? TD_REC_LOCK_ANNOUNCE_SHARED : TD_REC_LOCK_ANNOUNCE,
                           .fields = {(uint64_t)id << 32, (uintptr_t)srcloc}};
    td_mark_replayed(&mark);
}

void td_client_lock_event(uint32_t id, enum td_client_lock_action what)
{
    static const uint32_t kinds[] = {
        [TD_CLIENT_LOCK_TERMINATE] = TD_REC_LOCK_TERMINATE,
        [TD_CLIENT_LOCK_WAIT] = TD_REC_LOCK_WAIT,
        [TD_CLIENT_LOCK_OBTAIN] = TD_REC_LOCK_OBTAIN,
        [TD_CLIENT_LOCK_RELEASE] = TD_REC_LOCK_RELEASE,
        [TD_CLIENT_LOCK_SHARED_WAIT] = TD_REC_LOCK_SHARED_WAIT,
        [TD_CLIENT_LOCK_SHARED_OBTAIN] = TD_REC_LOCK_SHARED_OBTAIN,
        [TD_CLIENT_LOCK_SHARED_RELEASE] = TD_REC_LOCK_SHARED_RELEASE,
    };
    if ((uint32_t)what >= sizeof kinds / sizeof kinds[0])
        return;
    lock_event(kinds[what], id);
    if (what == TD_CLIENT_LOCK_TERMINATE)
        td_replayed_forget_lock(id);
}

void td_client_lock_mark(uint32_t id, const void *srcloc)
{
    if (!td_client_is_live())
        return;
    uint64_t now = td_client_ticks(), *record = td_reserve_ordered(3);
    if (!record)
        return;
    record[2] = (uintptr_t)srcloc;
    td_publish_ordered(record, TD_REC_LOCK_MARK, now, (uint64_t)id << 32);
}

void td_client_lock_name(uint32_t id, const char *name, size_t size)
{
    struct td_mark mark = {
        .kind = TD_REC_LOCK_NAME, .fields = {(uint64_t)id << 32, 0}, .text = name, .bytes = size};
    td_mark_replayed(&mark);
}

static struct __tracy_lockable_context_data *announce_lock(int shared, size_t bytes,
                                                           const struct ___tracy_source_location_data *srcloc)
{
    struct __tracy_lockable_context_data *lock = td_pool_alloc(bytes);
    if (!lock)
        return &unrecorded.base;
    lock->id = td_client_lock_next();
    td_client_lock_announce(lock->id, srcloc, shared);
    return lock;
}

static void terminate_lock(struct __tracy_lockable_context_data *lock)
{
    if (!lock || lock == &unrecorded.base)
        return;
    td_client_lock_event(lock->id, TD_CLIENT_LOCK_TERMINATE);
    td_pool_free(lock);
}

static void mark_place(const struct __tracy_lockable_context_data *lock,
                       const struct ___tracy_source_location_data *srcloc)
{
    if (lock && lock != &unrecorded.base)
        td_client_lock_mark(lock->id, srcloc);
}

static void name_lock(const struct __tracy_lockable_context_data *lock, const char *name, size_t bytes)
{
    if (lock && lock != &unrecorded.base)
        td_client_lock_name(lock->id, name, bytes);
}

struct __tracy_lockable_context_data *
___tracy_announce_lockable_ctx(const struct ___tracy_source_location_data *srcloc)
{
    return announce_lock(0, sizeof(struct __tracy_lockable_context_data), srcloc);
}

void ___tracy_terminate_lockable_ctx(struct __tracy_lockable_context_data *lockdata)
{
    terminate_lock(lockdata);
}

int32_t ___tracy_before_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata)
{
    return lock_event_of(TD_REC_LOCK_WAIT, lockdata);
}

void ___tracy_after_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata)
{
    lock_event_of(TD_REC_LOCK_OBTAIN, lockdata);
}

void ___tracy_after_unlock_lockable_ctx(struct __tracy_lockable_context_data *lockdata)
{
    lock_event_of(TD_REC_LOCK_RELEASE, lockdata);
}

void ___tracy_after_try_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata, int32_t acquired)
{
    if (acquired)
        lock_event_of(TD_REC_LOCK_OBTAIN, lockdata);
}

void ___tracy_mark_lockable_ctx(struct __tracy_lockable_context_data *lockdata,
                                const struct ___tracy_source_location_data *srcloc)
{
    mark_place(lockdata, srcloc);
}

void ___tracy_custom_name_lockable_ctx(struct __tracy_lockable_context_data *lockdata, const char *name,
                                       size_t nameSz)
{
    name_lock(lockdata, name, nameSz);
}

/* NULL for NULL. */
static struct __tracy_lockable_context_data *base_of(struct __tracy_shared_lockable_context_data *shared)
{
    return (struct __tracy_lockable_context_data *)shared;
}

struct __tracy_shared_lockable_context_data *
___tracy_announce_shared_lockable_ctx(const struct ___tracy_source_location_data *srcloc)
{
    return (struct __tracy_shared_lockable_context_data *)announce_lock(
        1, sizeof(struct __tracy_shared_lockable_context_data), srcloc);
}

void ___tracy_terminate_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    terminate_lock(base_of(lockdata));
}

int32_t ___tracy_before_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    return lock_event_of(TD_REC_LOCK_WAIT, base_of(lockdata));
}

void ___tracy_after_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    lock_event_of(TD_REC_LOCK_OBTAIN, base_of(lockdata));
}

void ___tracy_after_unlock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    lock_event_of(TD_REC_LOCK_RELEASE, base_of(lockdata));
}

void ___tracy_after_try_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                                 int32_t acquired)
{
    if (acquired)
        lock_event_of(TD_REC_LOCK_OBTAIN, base_of(lockdata));
}

int32_t ___tracy_before_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    return lock_event_of(TD_REC_LOCK_SHARED_WAIT, base_of(lockdata));
}

void ___tracy_after_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    lock_event_of(TD_REC_LOCK_SHARED_OBTAIN, base_of(lockdata));
}

void ___tracy_after_unlock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    lock_event_of(TD_REC_LOCK_SHARED_RELEASE, base_of(lockdata));
}

void ___tracy_after_try_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                                        int32_t acquired)
{
    if (acquired)
        lock_event_of(TD_REC_LOCK_SHARED_OBTAIN, base_of(lockdata));
}

void ___tracy_mark_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                       const struct ___tracy_source_location_data *srcloc)
{
    mark_place(base_of(lockdata), srcloc);
}

void ___tracy_custom_name_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                              const char *name, size_t nameSz)
{
    name_lock(base_of(lockdata), name, nameSz);
}

void *td_client_lock_context(void **slot, const struct ___tracy_source_location_data *site, int shared)
{
    struct td_signals signals;
    td_signals_block(&signals);
    td_fork_lock_acquire(TD_FORK_LOCK_LOCKS);
    void *context = *slot;
    if (!context) {
        context = shared ? (void *)___tracy_announce_shared_lockable_ctx(site)
                         : (void *)___tracy_announce_lockable_ctx(site);
        __atomic_store_n(slot, context, __ATOMIC_RELEASE);
    }
    td_fork_lock_release(TD_FORK_LOCK_LOCKS);
    td_signals_restore(&signals);
    return context;
}
