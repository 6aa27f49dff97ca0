/* Locks: which threads wait for them, obtain and release them. */
#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"

#define LOCK_THREADS_MAX 64 /* that files have room for */

/* Kinds of LOCK_EVENT; those of shared locks are larger by 3. */
enum { WAIT, OBTAIN, RELEASE, SHARED };

/* The lock's entry. Makes an invalid one if the lock was never announced. */
static struct td_stream_lock *find_lock(struct td_client_stream *stream, uint32_t id)
{
    struct td_stream_locks *l = &stream->locks;
    uint32_t index = td_map_get(&l->by_id, id, TD_NO_NUMBER);
    if (index != TD_NO_NUMBER)
        return &l->all.at[index];
    const int64_t row[TD_LOCK_COLUMN_COUNT] = {[TD_LOCK_ID] = id};
    if (TD_LIST_ROOM(&l->all) < 0)
        return NULL;
    int64_t added = td_stream_row(stream, TD_TABLE_LOCK, 0, row);
    if (added < 0 || td_map_add(&l->by_id, id, (uint32_t)l->all.count) < 0)
        return NULL;
    struct td_stream_lock *lock = &l->all.at[l->all.count++];
    memset(lock, 0, sizeof *lock);
    lock->row = (uint32_t)added;
    lock->owner = TD_NO_NUMBER;
    stream->counts.locks++;
    return lock;
}

static int failure(const struct td_client_stream *stream)
{
    return stream->err.code ? stream->err.code : TD_E_NOMEM;
}

static int set(struct td_client_stream *stream, const struct td_stream_lock *lock, unsigned column,
               int64_t value)
{
    return td_stream_set(stream, TD_TABLE_LOCK, 0, lock->row, column, value);
}

int td_take_lock_announce(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_LockAnnounce item = TD_GET(LockAnnounce);
    const struct td_stream_lock *lock = find_lock(stream, item.id);
    uint32_t place = td_names_see(&stream->names, TD_NAME_SRCLOC, item.lckloc);
    if (!lock || place == TD_NO_NUMBER)
        return failure(stream);
    int bad = set(stream, lock, TD_LOCK_TYPE, item.type != 0);
    bad = bad ? bad : set(stream, lock, TD_LOCK_VALID, 1);
    bad = bad ? bad : set(stream, lock, TD_LOCK_ANNOUNCED, td_stream_ns(stream, item.time));
    return bad ? bad
               : td_pending_set(stream, TD_TABLE_LOCK, 0, lock->row, TD_LOCK_SRCLOC, TD_REF_PLACE, place);
}

int td_take_lock_terminate(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_LockTerminate item = TD_GET(LockTerminate);
    const struct td_stream_lock *lock = find_lock(stream, item.id);
    return lock ? set(stream, lock, TD_LOCK_TERMINATED, td_stream_ns(stream, item.time)) : failure(stream);
}

int td_take_lock_name(struct td_client_stream *stream, const struct td_wire_view *view)
{
    const struct td_stream_lock *lock = find_lock(stream, TD_GET(LockName).id);
    uint32_t text;
    if (!lock || td_stream_text(stream, &text) != 0)
        return failure(stream);
    return set(stream, lock, TD_LOCK_NAME, text);
}

static uint64_t user_key(const struct td_client_stream *stream, const struct td_stream_lock *lock,
                         uint32_t thread)
{
    return (uint64_t)(lock - stream->locks.all.at) << 32 | thread;
}

/* The index in locks.users of a thread that uses the lock. TD_NO_NUMBER: no memory, or the sinks' error. */
static uint32_t user_of(struct td_client_stream *stream, struct td_stream_lock *lock, uint32_t thread)
{
    struct td_stream_locks *l = &stream->locks;
    uint64_t key = user_key(stream, lock, thread);
    uint32_t user = td_map_get(&l->threads, key, TD_NO_NUMBER);
    if (user != TD_NO_NUMBER)
        return user;
    const int64_t row[] = {thread};
    user = (uint32_t)l->users.count;
    if (TD_LIST_ROOM(&l->users) < 0 || td_stream_row(stream, TD_TABLE_LOCK_THREAD, lock->row, row) < 0 ||
        td_map_add(&l->threads, key, user) < 0)
        return TD_NO_NUMBER;
    l->users.at[user].number = lock->thread_count++;
    if (lock->thread_count > LOCK_THREADS_MAX) {
        const uint64_t which = thread;
        td_stream_fault(stream, TD_CLIENT_FAULT_LOCK_THREADS, td_stream_ns(stream, stream->serial_time),
                        &which);
    }
    l->users.at[user].marked = 0;
    return (uint32_t)l->users.count++;
}

static int add_event(struct td_client_stream *stream, const struct td_stream_lock *lock, int64_t ns,
                     uint32_t user, int kind)
{
    const int64_t row[TD_LOCK_EVENT_COLUMN_COUNT] = {
        [TD_LOCK_EVENT_TIME] = ns,
        [TD_LOCK_EVENT_THREAD] = stream->locks.users.at[user].number,
        [TD_LOCK_EVENT_KIND] = kind,
    };
    int64_t added = td_stream_row(stream, TD_TABLE_LOCK_EVENT, lock->row, row);
    if (added < 0)
        return (int)added;
    if (kind % SHARED != RELEASE)
        stream->locks.users.at[user].marked = (uint64_t)added + 1;
    stream->counts.lock_events++;
    return 0;
}

static int event_of_thread(struct td_client_stream *stream, uint32_t id, uint32_t thread, int64_t ticks,
                           int kind)
{
    struct td_stream_lock *lock = find_lock(stream, id);
    if (!lock || td_stream_thread(stream, thread) != 0)
        return failure(stream);
    uint32_t user = user_of(stream, lock, thread);
    if (user == TD_NO_NUMBER)
        return failure(stream);
    if (kind == OBTAIN)
        lock->owner = user;
    return add_event(stream, lock, td_stream_event_ns(stream, ticks), user, kind);
}

int td_take_lock_event(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_LockWait item = TD_GET(LockWait); /* the four items have the same layout */
    int64_t ticks = td_stream_advance(&stream->serial_time, item.time);
    int obtain = view->item == TD_ITEM_LockObtain || view->item == TD_ITEM_LockSharedObtain;
    int shared = view->item == TD_ITEM_LockSharedWait || view->item == TD_ITEM_LockSharedObtain;
    return event_of_thread(stream, item.id, item.thread, ticks,
                           (obtain ? OBTAIN : WAIT) + (shared ? SHARED : 0));
}

/* The item does not name the thread: it is the one that obtained the lock last. */
int td_take_lock_release(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_LockRelease item = TD_GET(LockRelease);
    int64_t ticks = td_stream_advance(&stream->serial_time, item.time);
    struct td_stream_lock *lock = find_lock(stream, item.id);
    if (!lock)
        return failure(stream);
    if (lock->owner == TD_NO_NUMBER) {
        stream->counts.ignored++;
        return 0;
    }
    return add_event(stream, lock, td_stream_event_ns(stream, ticks), lock->owner, RELEASE);
}

int td_take_lock_shared_release(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_LockSharedRelease item = TD_GET(LockSharedRelease);
    int64_t ticks = td_stream_advance(&stream->serial_time, item.time);
    return event_of_thread(stream, item.id, item.thread, ticks, RELEASE + SHARED);
}

/* The source location of the thread's last wait or obtain. */
int td_take_lock_mark(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_LockMark item = TD_GET(LockMark);
    const struct td_stream_lock *lock = find_lock(stream, item.id);
    uint32_t place = td_names_see(&stream->names, TD_NAME_SRCLOC, item.srcloc);
    if (!lock || place == TD_NO_NUMBER)
        return failure(stream);
    uint32_t user = td_map_get(&stream->locks.threads, user_key(stream, lock, item.thread), TD_NO_NUMBER);
    if (user != TD_NO_NUMBER && stream->locks.users.at[user].marked)
        return td_pending_set(stream, TD_TABLE_LOCK_EVENT, lock->row, stream->locks.users.at[user].marked - 1,
                              TD_LOCK_EVENT_SRCLOC, TD_REF_PLACE, place);
    stream->counts.ignored++;
    return 0;
}

void td_stream_locks_finish(struct td_client_stream *stream)
{
    td_map_finish(&stream->locks.by_id);
    td_map_finish(&stream->locks.threads);
    free(stream->locks.all.at);
    free(stream->locks.users.at);
}
