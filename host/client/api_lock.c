/* Locks. What happens to them is only recorded; the program's lock is its own. */
#include "host/client/client.h"
#include "host/client/include/tracy/TracyC.h"
#include "host/client/include/tendril/locks.h"

struct __tracy_lockable_context_data {
    uint32_t id;
};
struct __tracy_shared_lockable_context_data {
    struct __tracy_lockable_context_data base;
};

/* For locks that no memory was left for: they are used like others and not recorded. */
static struct __tracy_shared_lockable_context_data nobody = {{UINT32_MAX}};

static int event(uint32_t kind, const struct __tracy_lockable_context_data *lock)
{
    if (!lock || !td_client_is_live() || lock == &nobody.base)
        return 0;
    uint64_t now = td_client_ticks(), *record = td_reserve_ordered(2);
    if (!record)
        return 0;
    td_publish_ordered(record, kind, now, (uint64_t)lock->id << 32);
    return 1;
}

static struct __tracy_lockable_context_data *announce(uint32_t kind, size_t bytes,
                                                      const struct ___tracy_source_location_data *srcloc)
{
    static _Atomic(uint32_t) last_id;
    struct __tracy_lockable_context_data *lock = td_pool_take(bytes);
    if (!lock)
        return &nobody.base;
    lock->id = 1 + atomic_fetch_add(&last_id, 1);
    struct td_mark mark = {.kind = kind, .fields = {(uint64_t)lock->id << 32, (uintptr_t)srcloc}};
    td_mark_kept(&mark);
    return lock;
}

static void terminate(struct __tracy_lockable_context_data *lock)
{
    if (!lock || lock == &nobody.base)
        return;
    event(TD_REC_LOCK_TERMINATE, lock);
    td_kept_forget_lock(lock->id);
    td_pool_give(lock);
}

static void mark_place(const struct __tracy_lockable_context_data *lock,
                       const struct ___tracy_source_location_data *srcloc)
{
    if (!lock || !td_client_is_live() || lock == &nobody.base)
        return;
    uint64_t now = td_client_ticks(), *record = td_reserve_ordered(3);
    if (!record)
        return;
    record[2] = (uintptr_t)srcloc;
    td_publish_ordered(record, TD_REC_LOCK_MARK, now, (uint64_t)lock->id << 32);
}

static void name_it(const struct __tracy_lockable_context_data *lock, const char *name, size_t bytes)
{
    if (!lock || lock == &nobody.base)
        return;
    struct td_mark mark = {
        .kind = TD_REC_LOCK_NAME, .fields = {(uint64_t)lock->id << 32, 0}, .text = name, .bytes = bytes};
    td_mark_kept(&mark);
}

struct __tracy_lockable_context_data *
___tracy_announce_lockable_ctx(const struct ___tracy_source_location_data *srcloc)
{
    return announce(TD_REC_LOCK_ANNOUNCE, sizeof(struct __tracy_lockable_context_data), srcloc);
}

void ___tracy_terminate_lockable_ctx(struct __tracy_lockable_context_data *lockdata)
{
    terminate(lockdata);
}

int32_t ___tracy_before_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata)
{
    return event(TD_REC_LOCK_WAIT, lockdata);
}

void ___tracy_after_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata)
{
    event(TD_REC_LOCK_OBTAIN, lockdata);
}

void ___tracy_after_unlock_lockable_ctx(struct __tracy_lockable_context_data *lockdata)
{
    event(TD_REC_LOCK_RELEASE, lockdata);
}

void ___tracy_after_try_lock_lockable_ctx(struct __tracy_lockable_context_data *lockdata, int32_t acquired)
{
    if (acquired)
        event(TD_REC_LOCK_OBTAIN, lockdata);
}

void ___tracy_mark_lockable_ctx(struct __tracy_lockable_context_data *lockdata,
                                const struct ___tracy_source_location_data *srcloc)
{
    mark_place(lockdata, srcloc);
}

void ___tracy_custom_name_lockable_ctx(struct __tracy_lockable_context_data *lockdata, const char *name,
                                       size_t nameSz)
{
    name_it(lockdata, name, nameSz);
}

/* Also of none. */
static struct __tracy_lockable_context_data *base_of(struct __tracy_shared_lockable_context_data *shared)
{
    return (struct __tracy_lockable_context_data *)shared;
}

struct __tracy_shared_lockable_context_data *
___tracy_announce_shared_lockable_ctx(const struct ___tracy_source_location_data *srcloc)
{
    return (struct __tracy_shared_lockable_context_data *)announce(
        TD_REC_LOCK_ANNOUNCE_SHARED, sizeof(struct __tracy_shared_lockable_context_data), srcloc);
}

void ___tracy_terminate_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    terminate(base_of(lockdata));
}

int32_t ___tracy_before_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    return event(TD_REC_LOCK_WAIT, base_of(lockdata));
}

void ___tracy_after_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    event(TD_REC_LOCK_OBTAIN, base_of(lockdata));
}

void ___tracy_after_unlock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    event(TD_REC_LOCK_RELEASE, base_of(lockdata));
}

void ___tracy_after_try_lock_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                                 int32_t acquired)
{
    if (acquired)
        event(TD_REC_LOCK_OBTAIN, base_of(lockdata));
}

int32_t ___tracy_before_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    return event(TD_REC_LOCK_SHARED_WAIT, base_of(lockdata));
}

void ___tracy_after_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    event(TD_REC_LOCK_SHARED_OBTAIN, base_of(lockdata));
}

void ___tracy_after_unlock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata)
{
    event(TD_REC_LOCK_SHARED_RELEASE, base_of(lockdata));
}

void ___tracy_after_try_lock_shared_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                                        int32_t acquired)
{
    if (acquired)
        event(TD_REC_LOCK_SHARED_OBTAIN, base_of(lockdata));
}

void ___tracy_mark_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                       const struct ___tracy_source_location_data *srcloc)
{
    mark_place(base_of(lockdata), srcloc);
}

void ___tracy_custom_name_shared_lockable_ctx(struct __tracy_shared_lockable_context_data *lockdata,
                                              const char *name, size_t nameSz)
{
    name_it(base_of(lockdata), name, nameSz);
}

void *td_client_lock_context(void **slot, const struct ___tracy_source_location_data *site, int shared)
{
    struct td_quiet quiet;
    td_quiet_begin(&quiet);
    td_guard_enter(TD_GUARD_LOCKS);
    void *context = *slot;
    if (!context) {
        context = shared ? (void *)___tracy_announce_shared_lockable_ctx(site)
                         : (void *)___tracy_announce_lockable_ctx(site);
        __atomic_store_n(slot, context, __ATOMIC_RELEASE);
    }
    td_guard_leave(TD_GUARD_LOCKS);
    td_quiet_end(&quiet);
    return context;
}
