/* Locks of C programs, recorded: which threads wait for them and which have them, and for how long. Wrappers
 * of pthread mutexes and rwlocks, and of C11 mutexes where <threads.h> is. Each function has
 * the arguments and the result of the one that it wraps.
 *
 *   static td_mutex lock = TD_MUTEX_INITIALIZER("queue");    or   td_mutex_init(&lock, NULL);
 *   td_mutex_lock(&lock);
 *   td_mutex_unlock(&lock);
 *
 * Without TRACY_ENABLE a td_mutex is a pthread_mutex_t and td_mutex_lock is pthread_mutex_lock.
 *
 * The name of a lock is the text of its initializer, or of the argument of ..._init(). td_..._name() replaces
 * it by a copy of its own. An initializer is for locks that live as long as the program. td_..._mark()
 * records the place that holds the lock now. td_..._raw() returns the lock itself; its use is not recorded.
 *
 * Recorded are: lock(): a wait, then that the lock was obtained; trylock() and timedlock(): that it was
 * obtained, or nothing; unlock() and waits for conditions: that it was released, just before it is (the
 * thread that gets the lock next may destroy it at once). An rwlock distinguishes readers from writers by
 * itself.
 */
#ifndef TENDRIL_LOCKS_H
#define TENDRIL_LOCKS_H
#include <errno.h>
#include <pthread.h>
#include "../tracy/TracyC.h"

#if !defined(__STDC_NO_THREADS__) && defined(__has_include)
#if __has_include(<threads.h>)
#include <threads.h>
#define TENDRIL_HAS_MTX_
#endif
#endif

#ifndef TRACY_ENABLE

typedef pthread_mutex_t td_mutex;
typedef pthread_rwlock_t td_rwlock;

/* clang-format off */
#define TD_MUTEX_INITIALIZER(name)                   PTHREAD_MUTEX_INITIALIZER
#define td_mutex_init(mutex, attr)                   pthread_mutex_init(mutex, attr)
#define td_mutex_destroy(mutex)                      pthread_mutex_destroy(mutex)
#define td_mutex_lock(mutex)                         pthread_mutex_lock(mutex)
#define td_mutex_trylock(mutex)                      pthread_mutex_trylock(mutex)
#define td_mutex_timedlock(mutex, until)             pthread_mutex_timedlock(mutex, until)
#define td_mutex_unlock(mutex)                       pthread_mutex_unlock(mutex)
#define td_cond_wait(cond, mutex)                    pthread_cond_wait(cond, mutex)
#define td_cond_timedwait(cond, mutex, until)        pthread_cond_timedwait(cond, mutex, until)
#define td_mutex_name(mutex, name, bytes)            ((void)0)
#define td_mutex_mark(mutex)                         ((void)0)
#define td_mutex_raw(mutex)                          (mutex)

#define TD_RWLOCK_INITIALIZER(name)                  PTHREAD_RWLOCK_INITIALIZER
#define td_rwlock_init(rwlock, attr)                 pthread_rwlock_init(rwlock, attr)
#define td_rwlock_destroy(rwlock)                    pthread_rwlock_destroy(rwlock)
#define td_rwlock_rdlock(rwlock)                     pthread_rwlock_rdlock(rwlock)
#define td_rwlock_tryrdlock(rwlock)                  pthread_rwlock_tryrdlock(rwlock)
#define td_rwlock_timedrdlock(rwlock, until)         pthread_rwlock_timedrdlock(rwlock, until)
#define td_rwlock_wrlock(rwlock)                     pthread_rwlock_wrlock(rwlock)
#define td_rwlock_trywrlock(rwlock)                  pthread_rwlock_trywrlock(rwlock)
#define td_rwlock_timedwrlock(rwlock, until)         pthread_rwlock_timedwrlock(rwlock, until)
#define td_rwlock_unlock(rwlock)                     pthread_rwlock_unlock(rwlock)
#define td_rwlock_name(rwlock, name, bytes)          ((void)0)
#define td_rwlock_mark(rwlock)                       ((void)0)
#define td_rwlock_raw(rwlock)                        (rwlock)

#ifdef TENDRIL_HAS_MTX_
typedef mtx_t td_mtx;
#define td_mtx_init(mtx, type)                       mtx_init(mtx, type)
#define td_mtx_destroy(mtx)                          mtx_destroy(mtx)
#define td_mtx_lock(mtx)                             mtx_lock(mtx)
#define td_mtx_trylock(mtx)                          mtx_trylock(mtx)
#define td_mtx_timedlock(mtx, until)                 mtx_timedlock(mtx, until)
#define td_mtx_unlock(mtx)                           mtx_unlock(mtx)
#define td_cnd_wait(cond, mtx)                       cnd_wait(cond, mtx)
#define td_cnd_timedwait(cond, mtx, until)           cnd_timedwait(cond, mtx, until)
#define td_mtx_name(mtx, name, bytes)                ((void)0)
#define td_mtx_mark(mtx)                             ((void)0)
#define td_mtx_raw(mtx)                              (mtx)
#endif
/* clang-format on */

#else

#ifdef __cplusplus
extern "C" {
#endif

/* What is recorded of one lock. The context is made at the first use, if ..._init() has not. */
struct td_lock_record_ {
    void *context;
    struct ___tracy_source_location_data site;
};
/* The context in *slot, made if there is none; never NULL. Thread-safe. */
__attribute__((visibility("default"))) void *
td_client_lock_context(void **slot, const struct ___tracy_source_location_data *site, int shared);

typedef struct td_mutex {
    pthread_mutex_t lock;
    struct td_lock_record_ record;
} td_mutex;

typedef struct td_rwlock {
    pthread_rwlock_t lock;
    int writing; /* written and read by the threads that have the lock */
    struct td_lock_record_ record;
} td_rwlock;

/* NULL: events are dropped. */
static inline void *td_lock_context_(struct td_lock_record_ *record, int shared)
{
    if (__builtin_expect(!td_client_is_live(), 0))
        return NULL;
    void *context = __atomic_load_n(&record->context, __ATOMIC_ACQUIRE);
    return context ? context : td_client_lock_context(&record->context, &record->site, shared);
}

static inline TracyCLockCtx td_lock_plain_(struct td_lock_record_ *record)
{
    return (TracyCLockCtx)td_lock_context_(record, 0);
}

static inline TracyCSharedLockCtx td_lock_shared_(struct td_lock_record_ *record)
{
    return (TracyCSharedLockCtx)td_lock_context_(record, 1);
}

static inline void td_lock_waits_(struct td_lock_record_ *record)
{
    TracyCLockCtx context = td_lock_plain_(record);
    if (context)
        ___tracy_before_lock_lockable_ctx(context);
}

static inline void td_lock_obtained_(struct td_lock_record_ *record)
{
    TracyCLockCtx context = td_lock_plain_(record);
    if (context)
        ___tracy_after_lock_lockable_ctx(context);
}

static inline void td_lock_released_(struct td_lock_record_ *record)
{
    TracyCLockCtx context = td_lock_plain_(record);
    if (context)
        ___tracy_after_unlock_lockable_ctx(context);
}

/* A lock exists from its initialization on, not only once it is used. */
static inline void td_lock_begins_(struct td_lock_record_ *record,
                                   const struct ___tracy_source_location_data *site, int shared)
{
    record->context = NULL;
    td_client_lock_context(&record->context, site, shared);
}

#define TENDRIL_LOCK_SITE_(what)                                                                             \
    static const struct ___tracy_source_location_data td_site_ = {what, __func__, TracyFile,                 \
                                                                  (uint32_t)TracyLine, 0}
#define TENDRIL_LOCK_RECORD_(name)                                                                           \
    {                                                                                                        \
        NULL,                                                                                                \
        {                                                                                                    \
            name, "", TracyFile, (uint32_t)TracyLine, 0                                                      \
        }                                                                                                    \
    }

/* ---- mutexes */

#define TD_MUTEX_INITIALIZER(name)                                                                           \
    {                                                                                                        \
        PTHREAD_MUTEX_INITIALIZER, TENDRIL_LOCK_RECORD_(name)                                                \
    }
#define td_mutex_init(mutex, attr)                                                                           \
    __extension__({                                                                                          \
        TENDRIL_LOCK_SITE_(#mutex);                                                                          \
        td_mutex_init_(mutex, attr, &td_site_);                                                              \
    })
#define td_mutex_mark(mutex)                                                                                 \
    __extension__({                                                                                          \
        TENDRIL_LOCK_SITE_(NULL);                                                                            \
        td_lock_mark_(&(mutex)->record, &td_site_);                                                          \
    })
#define td_mutex_name(mutex, name, bytes) td_lock_name_(&(mutex)->record, name, bytes)
#define td_mutex_raw(mutex)               (&(mutex)->lock)

static inline void td_lock_mark_(struct td_lock_record_ *record,
                                 const struct ___tracy_source_location_data *site)
{
    TracyCLockCtx context = td_lock_plain_(record);
    if (context)
        ___tracy_mark_lockable_ctx(context, site);
}

static inline void td_lock_name_(struct td_lock_record_ *record, const char *name, size_t bytes)
{
    ___tracy_custom_name_lockable_ctx(
        (TracyCLockCtx)td_client_lock_context(&record->context, &record->site, 0), name, bytes);
}

static inline void td_lock_ends_(struct td_lock_record_ *record)
{
    if (record->context)
        ___tracy_terminate_lockable_ctx((TracyCLockCtx)record->context);
    record->context = NULL;
}

static inline int td_mutex_init_(td_mutex *mutex, const pthread_mutexattr_t *attr,
                                 const struct ___tracy_source_location_data *site)
{
    int error = pthread_mutex_init(&mutex->lock, attr);
    if (!error)
        td_lock_begins_(&mutex->record, site, 0);
    return error;
}

static inline int td_mutex_destroy(td_mutex *mutex)
{
    int error = pthread_mutex_destroy(&mutex->lock);
    if (!error)
        td_lock_ends_(&mutex->record);
    return error;
}

static inline int td_mutex_got_(td_mutex *mutex, int error)
{
    if (!error || error == EOWNERDEAD)
        td_lock_obtained_(&mutex->record);
    return error;
}

static inline int td_mutex_lock(td_mutex *mutex)
{
    td_lock_waits_(&mutex->record);
    return td_mutex_got_(mutex, pthread_mutex_lock(&mutex->lock));
}

static inline int td_mutex_trylock(td_mutex *mutex)
{
    return td_mutex_got_(mutex, pthread_mutex_trylock(&mutex->lock));
}

static inline int td_mutex_timedlock(td_mutex *mutex, const struct timespec *until)
{
    return td_mutex_got_(mutex, pthread_mutex_timedlock(&mutex->lock, until));
}

static inline int td_mutex_unlock(td_mutex *mutex)
{
    td_lock_released_(&mutex->record);
    return pthread_mutex_unlock(&mutex->lock);
}

/* A wait for a condition holds the lock again when it returns, also with an error. */
static inline int td_cond_wait(pthread_cond_t *cond, td_mutex *mutex)
{
    td_lock_released_(&mutex->record);
    int error = pthread_cond_wait(cond, &mutex->lock);
    td_lock_waits_(&mutex->record);
    td_lock_obtained_(&mutex->record);
    return error;
}

static inline int td_cond_timedwait(pthread_cond_t *cond, td_mutex *mutex, const struct timespec *until)
{
    td_lock_released_(&mutex->record);
    int error = pthread_cond_timedwait(cond, &mutex->lock, until);
    td_lock_waits_(&mutex->record);
    td_lock_obtained_(&mutex->record);
    return error;
}

/* ---- rwlocks */

#define TD_RWLOCK_INITIALIZER(name)                                                                          \
    {                                                                                                        \
        PTHREAD_RWLOCK_INITIALIZER, 0, TENDRIL_LOCK_RECORD_(name)                                            \
    }
#define td_rwlock_init(rwlock, attr)                                                                         \
    __extension__({                                                                                          \
        TENDRIL_LOCK_SITE_(#rwlock);                                                                         \
        td_rwlock_init_(rwlock, attr, &td_site_);                                                            \
    })
#define td_rwlock_mark(rwlock)                                                                               \
    __extension__({                                                                                          \
        TENDRIL_LOCK_SITE_(NULL);                                                                            \
        td_rwlock_mark_(rwlock, &td_site_);                                                                  \
    })
#define td_rwlock_raw(rwlock) (&(rwlock)->lock)

static inline int td_rwlock_init_(td_rwlock *rwlock, const pthread_rwlockattr_t *attr,
                                  const struct ___tracy_source_location_data *site)
{
    int error = pthread_rwlock_init(&rwlock->lock, attr);
    rwlock->writing = 0;
    if (!error)
        td_lock_begins_(&rwlock->record, site, 1);
    return error;
}

static inline int td_rwlock_destroy(td_rwlock *rwlock)
{
    int error = pthread_rwlock_destroy(&rwlock->lock);
    if (error || !rwlock->record.context)
        return error;
    ___tracy_terminate_shared_lockable_ctx((TracyCSharedLockCtx)rwlock->record.context);
    rwlock->record.context = NULL;
    return 0;
}

static inline int td_rwlock_read_(td_rwlock *rwlock, int error)
{
    TracyCSharedLockCtx context = error ? NULL : td_lock_shared_(&rwlock->record);
    if (context)
        ___tracy_after_lock_shared_shared_lockable_ctx(context);
    return error;
}

static inline int td_rwlock_write_(td_rwlock *rwlock, int error)
{
    TracyCSharedLockCtx context = error ? NULL : td_lock_shared_(&rwlock->record);
    if (!error)
        rwlock->writing = 1;
    if (context)
        ___tracy_after_lock_shared_lockable_ctx(context);
    return error;
}

static inline int td_rwlock_rdlock(td_rwlock *rwlock)
{
    TracyCSharedLockCtx context = td_lock_shared_(&rwlock->record);
    if (context)
        ___tracy_before_lock_shared_shared_lockable_ctx(context);
    return td_rwlock_read_(rwlock, pthread_rwlock_rdlock(&rwlock->lock));
}

static inline int td_rwlock_tryrdlock(td_rwlock *rwlock)
{
    return td_rwlock_read_(rwlock, pthread_rwlock_tryrdlock(&rwlock->lock));
}

static inline int td_rwlock_timedrdlock(td_rwlock *rwlock, const struct timespec *until)
{
    return td_rwlock_read_(rwlock, pthread_rwlock_timedrdlock(&rwlock->lock, until));
}

static inline int td_rwlock_wrlock(td_rwlock *rwlock)
{
    TracyCSharedLockCtx context = td_lock_shared_(&rwlock->record);
    if (context)
        ___tracy_before_lock_shared_lockable_ctx(context);
    return td_rwlock_write_(rwlock, pthread_rwlock_wrlock(&rwlock->lock));
}

static inline int td_rwlock_trywrlock(td_rwlock *rwlock)
{
    return td_rwlock_write_(rwlock, pthread_rwlock_trywrlock(&rwlock->lock));
}

static inline int td_rwlock_timedwrlock(td_rwlock *rwlock, const struct timespec *until)
{
    return td_rwlock_write_(rwlock, pthread_rwlock_timedwrlock(&rwlock->lock, until));
}

static inline int td_rwlock_unlock(td_rwlock *rwlock)
{
    TracyCSharedLockCtx context = td_lock_shared_(&rwlock->record);
    int writing = rwlock->writing; /* readers see 0: there is no writer while they have the lock */
    if (writing)
        rwlock->writing = 0;
    if (context && writing)
        ___tracy_after_unlock_shared_lockable_ctx(context);
    else if (context)
        ___tracy_after_unlock_shared_shared_lockable_ctx(context);
    return pthread_rwlock_unlock(&rwlock->lock);
}

static inline void td_rwlock_mark_(td_rwlock *rwlock, const struct ___tracy_source_location_data *site)
{
    TracyCSharedLockCtx context = td_lock_shared_(&rwlock->record);
    if (context)
        ___tracy_mark_shared_lockable_ctx(context, site);
}

static inline void td_rwlock_name(td_rwlock *rwlock, const char *name, size_t bytes)
{
    ___tracy_custom_name_shared_lockable_ctx(
        (TracyCSharedLockCtx)td_client_lock_context(&rwlock->record.context, &rwlock->record.site, 1), name,
        bytes);
}

/* ---- C11 mutexes */

#ifdef TENDRIL_HAS_MTX_
typedef struct td_mtx {
    mtx_t lock;
    struct td_lock_record_ record;
} td_mtx;

#define td_mtx_init(mtx, type)                                                                               \
    __extension__({                                                                                          \
        TENDRIL_LOCK_SITE_(#mtx);                                                                            \
        td_mtx_init_(mtx, type, &td_site_);                                                                  \
    })
#define td_mtx_mark(mtx)              td_mutex_mark(mtx)
#define td_mtx_name(mtx, name, bytes) td_mutex_name(mtx, name, bytes)
#define td_mtx_raw(mtx)               (&(mtx)->lock)

static inline int td_mtx_init_(td_mtx *mtx, int type, const struct ___tracy_source_location_data *site)
{
    int result = mtx_init(&mtx->lock, type);
    if (result == thrd_success)
        td_lock_begins_(&mtx->record, site, 0);
    return result;
}

static inline void td_mtx_destroy(td_mtx *mtx)
{
    mtx_destroy(&mtx->lock);
    td_lock_ends_(&mtx->record);
}

static inline int td_mtx_got_(td_mtx *mtx, int result)
{
    if (result == thrd_success)
        td_lock_obtained_(&mtx->record);
    return result;
}

static inline int td_mtx_lock(td_mtx *mtx)
{
    td_lock_waits_(&mtx->record);
    return td_mtx_got_(mtx, mtx_lock(&mtx->lock));
}

static inline int td_mtx_trylock(td_mtx *mtx)
{
    return td_mtx_got_(mtx, mtx_trylock(&mtx->lock));
}

static inline int td_mtx_timedlock(td_mtx *mtx, const struct timespec *until)
{
    return td_mtx_got_(mtx, mtx_timedlock(&mtx->lock, until));
}

static inline int td_mtx_unlock(td_mtx *mtx)
{
    td_lock_released_(&mtx->record);
    return mtx_unlock(&mtx->lock);
}

static inline int td_cnd_wait(cnd_t *cond, td_mtx *mtx)
{
    td_lock_released_(&mtx->record);
    int result = cnd_wait(cond, &mtx->lock);
    td_lock_waits_(&mtx->record);
    td_lock_obtained_(&mtx->record);
    return result;
}

static inline int td_cnd_timedwait(cnd_t *cond, td_mtx *mtx, const struct timespec *until)
{
    td_lock_released_(&mtx->record);
    int result = cnd_timedwait(cond, &mtx->lock, until);
    td_lock_waits_(&mtx->record);
    td_lock_obtained_(&mtx->record);
    return result;
}
#endif

#ifdef __cplusplus
}
#endif
#endif
#endif
