/* Compiled twice by test_locks_off.sh, without TRACY_ENABLE: with the wrappers, and with the locks themselves
 * (PLAIN). */
#ifdef PLAIN
#include <pthread.h>
#define td_mutex        pthread_mutex_t
#define td_rwlock       pthread_rwlock_t
#define CALL(name, ...) pthread_##name(__VA_ARGS__)
#define MARK(...)
#define TD_MUTEX_INITIALIZER(name) PTHREAD_MUTEX_INITIALIZER
#else
#include "tendril/locks.h"
#define CALL(name, ...) td_##name(__VA_ARGS__)
#define MARK(...)       __VA_ARGS__
#endif

struct queue {
    td_mutex lock;
    td_rwlock table;
    pthread_cond_t filled;
    int count;
};

static td_mutex whole = TD_MUTEX_INITIALIZER("whole");

int begin(struct queue *queue);
int take(struct queue *queue);
int look(struct queue *queue);

int begin(struct queue *queue)
{
    return CALL(mutex_init, &queue->lock, NULL) + CALL(rwlock_init, &queue->table, NULL);
}

int take(struct queue *queue)
{
    CALL(mutex_lock, &whole);
    MARK(td_mutex_mark(nowhere());)
    CALL(mutex_lock, &queue->lock);
    MARK(td_mutex_name(nowhere(), nowhere(), nowhere());)
    while (!queue->count)
        CALL(cond_wait, &queue->filled, &queue->lock);
    int count = queue->count--;
    CALL(mutex_unlock, &queue->lock);
    CALL(mutex_unlock, &whole);
    return count;
}

int look(struct queue *queue)
{
    CALL(rwlock_rdlock, &queue->table);
    MARK(td_rwlock_mark(nowhere());)
    int count = queue->count;
    CALL(rwlock_unlock, &queue->table);
    CALL(rwlock_wrlock, &queue->table);
    CALL(rwlock_unlock, &queue->table);
    return count + (int)sizeof queue->lock;
}
