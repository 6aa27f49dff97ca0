/* Uses every wrapper of tendril/locks.h, in threads that contend. Prints the counts that differ from run to
 * run, one `NAME COUNT` a line. */
#include "tendril/locks.h"
#include "tests/live/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 500 };

static td_mutex counter_lock = TD_MUTEX_INITIALIZER("counter");
static td_rwlock table_lock = TD_RWLOCK_INITIALIZER("table");
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int counter, table, waits, full;
static struct {
    td_mutex lock;
} queue;

static struct timespec in_ms(long ms)
{
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += ms * 1000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

static void *work(void *nothing)
{
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT(td_mutex_lock(&counter_lock) == 0);
        if (i % 10 == 0)
            td_mutex_mark(&counter_lock);
        counter++;
        if (i % 50 == 0)
            usleep(100); /* long enough for the others to wait */
        EXPECT(td_mutex_unlock(&counter_lock) == 0);
        if (i % 5 == 0) {
            EXPECT(td_rwlock_wrlock(&table_lock) == 0);
            table++;
            EXPECT(td_rwlock_unlock(&table_lock) == 0);
        } else {
            EXPECT(td_rwlock_rdlock(&table_lock) == 0);
            EXPECT(table <= THREADS * ROUNDS);
            if (i % 50 == 1)
                td_rwlock_mark(&table_lock);
            EXPECT(td_rwlock_unlock(&table_lock) == 0);
        }
    }
    return NULL;
}

static void *consume(void *nothing)
{
    EXPECT(td_mutex_lock(&queue.lock) == 0);
    while (!full) {
        struct timespec soon = in_ms(20);
        td_cond_timedwait(&filled, &queue.lock, &soon);
        waits++;
    }
    while (full < 2) {
        EXPECT(td_cond_wait(&filled, &queue.lock) == 0);
        waits++;
    }
    EXPECT(td_mutex_unlock(&queue.lock) == 0);
    return NULL;
}

/* Tries all locks while another thread has them. */
static void *fail(void *nothing)
{
    struct timespec soon = in_ms(10);
    EXPECT(td_mutex_trylock(&queue.lock) == EBUSY);
    EXPECT(td_mutex_timedlock(&queue.lock, &soon) == ETIMEDOUT);
    EXPECT(td_rwlock_tryrdlock(&table_lock) == EBUSY);
    EXPECT(td_rwlock_trywrlock(&table_lock) == EBUSY);
    EXPECT(td_rwlock_timedrdlock(&table_lock, &soon) == ETIMEDOUT);
    EXPECT(td_rwlock_timedwrlock(&table_lock, &soon) == ETIMEDOUT);
    return NULL;
}

static void run(int count, void *(*function)(void *))
{
    pthread_t threads[THREADS];
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, function, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void conditions(void)
{
    pthread_t consumer;
    pthread_create(&consumer, NULL, consume, NULL);
    for (int i = 0; i < 2; i++) {
        usleep(30000);
        EXPECT(td_mutex_lock(&queue.lock) == 0);
        full++;
        pthread_cond_signal(&filled);
        EXPECT(td_mutex_unlock(&queue.lock) == 0);
    }
    pthread_join(consumer, NULL);
}

static void attempts(void)
{
    struct timespec later = in_ms(10000);
    EXPECT(td_mutex_trylock(&queue.lock) == 0);
    EXPECT(td_rwlock_trywrlock(&table_lock) == 0);
    run(1, fail);
    EXPECT(td_rwlock_unlock(&table_lock) == 0);
    EXPECT(td_mutex_unlock(&queue.lock) == 0);
    EXPECT(td_mutex_timedlock(&queue.lock, &later) == 0);
    EXPECT(td_mutex_unlock(&queue.lock) == 0);
    EXPECT(td_rwlock_timedwrlock(&table_lock, &later) == 0);
    EXPECT(td_rwlock_unlock(&table_lock) == 0);
    EXPECT(td_rwlock_timedrdlock(&table_lock, &later) == 0);
    EXPECT(td_rwlock_tryrdlock(&table_lock) == 0); /* a second reader */
    EXPECT(td_rwlock_unlock(&table_lock) == 0);
    EXPECT(td_rwlock_unlock(&table_lock) == 0);
}

#ifdef TENDRIL_HAS_MTX_
static td_mtx mtx;
static cnd_t cnd;
static int turns;

static void *turn(void *nothing)
{
    for (int i = 0; i < 50; i++) {
        EXPECT(td_mtx_lock(&mtx) == thrd_success);
        turns++;
        EXPECT(td_mtx_unlock(&mtx) == thrd_success);
    }
    return NULL;
}

static void c11(void)
{
    struct timespec soon = in_ms(1), later = in_ms(10000);
    td_mtx_init(&mtx, mtx_timed);
    cnd_init(&cnd);
    run(THREADS, turn);
    EXPECT(turns == 50 * THREADS);
    EXPECT(td_mtx_trylock(&mtx) == thrd_success);
    td_mtx_mark(&mtx);
    EXPECT(td_cnd_timedwait(&cnd, &mtx, &soon) == thrd_timedout);
    EXPECT(td_mtx_unlock(&mtx) == thrd_success);
    EXPECT(td_mtx_timedlock(&mtx, &later) == thrd_success);
    EXPECT(td_mtx_unlock(&mtx) == thrd_success);
    td_mtx_destroy(&mtx);
}
#else
static void c11(void)
{
}
#endif

int main(void)
{
    EXPECT(td_mutex_init(&queue.lock, NULL) == 0);
    td_rwlock_name(&table_lock, "the table", 9);
    run(THREADS, work);
    EXPECT(counter == THREADS * ROUNDS && table == THREADS * ROUNDS / 5);
    conditions();
    attempts();
    c11();
    EXPECT(td_mutex_destroy(&queue.lock) == 0);
    printf("waits %d\n", waits);
    return 0;
}
