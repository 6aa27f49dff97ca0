#include "host/query/rows/messages.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 256
#define MOST  131072 /* messages that an update adds, in a few ms */

struct td_message_lists {
    pthread_mutex_t lock; /* for the directory, which other threads read */
    struct td_store *store;
    struct td_series **tracks; /* NULL: no message */
    size_t capacity;
    struct td_series none;
};

static struct td_message_lists *create_lists(void)
{
    struct td_message_lists *lists = calloc(1, sizeof *lists);
    if (!lists)
        return NULL;
    lists->store = td_store_create(0);
    if (!lists->store) {
        free(lists);
        return NULL;
    }
    pthread_mutex_init(&lists->lock, NULL);
    td_series_init(&lists->none, lists->store, 1, 0);
    return lists;
}

static struct td_series *find_or_add_list(struct td_message_lists *lists, uint32_t track)
{
    struct td_series *list = track < lists->capacity ? lists->tracks[track] : NULL;
    if (list)
        return list;
    const size_t before = lists->capacity;
    pthread_mutex_lock(&lists->lock);
    if (td_grow(&lists->tracks, &lists->capacity, (size_t)track + 1, sizeof *lists->tracks) == 0) {
        memset(lists->tracks + before, 0, (lists->capacity - before) * sizeof *lists->tracks);
        list = td_store_alloc(lists->store, sizeof *list);
        if (list)
            td_series_init(list, lists->store, 1, 0);
        lists->tracks[track] = list;
    }
    pthread_mutex_unlock(&lists->lock);
    return list;
}

static int add_messages(struct td_messages *messages, const struct td_series *table, size_t count)
{
    int64_t track[BATCH];
    while (messages->scanned < count) {
        const size_t left = count - messages->scanned, n = left < BATCH ? left : BATCH;
        td_series_read(table, TD_MESSAGE_TRACK, messages->scanned, n, track);
        for (size_t i = 0; i < n; i++) {
            const int64_t number = (int64_t)messages->scanned;
            struct td_series *list = find_or_add_list(messages->lists, (uint32_t)track[i]);
            if (!list || td_series_append(list, &number) < 0)
                return TD_E_NOMEM;
            messages->scanned++;
        }
    }
    return 0;
}

int td_messages_update(struct td_messages *messages, const struct td_trace *trace, struct td_err *err)
{
    const struct td_series *table = td_trace_table(trace, TD_TABLE_MESSAGE);
    const size_t all = td_series_count(table), left = all - messages->scanned;
    const size_t count = left > MOST ? messages->scanned + MOST : all;
    if (!left)
        return 0;
    if (!messages->lists)
        __atomic_store_n(&messages->lists, create_lists(), __ATOMIC_RELEASE);
    if (!messages->lists || add_messages(messages, table, count) < 0)
        return td_fail_no_memory(err, NULL);
    return count < all;
}

void td_messages_free(struct td_messages *messages)
{
    struct td_message_lists *lists = messages->lists;
    *messages = (struct td_messages){0};
    if (!lists)
        return;
    free(lists->tracks);
    td_store_destroy(lists->store);
    pthread_mutex_destroy(&lists->lock);
    free(lists);
}

const struct td_series *td_messages_list(const struct td_messages *messages, const struct td_trace *trace,
                                         uint32_t track)
{
    struct td_message_lists *lists = __atomic_load_n(&messages->lists, __ATOMIC_ACQUIRE);
    if (!lists)
        return td_trace_list(trace, TD_TABLE_TRACK_MESSAGE, track);
    pthread_mutex_lock(&lists->lock);
    const struct td_series *list = track < lists->capacity ? lists->tracks[track] : NULL;
    pthread_mutex_unlock(&lists->lock);
    return list ? list : &lists->none;
}

size_t td_messages_count(const struct td_messages *messages, const struct td_trace *trace, uint32_t track)
{
    return td_series_count(td_messages_list(messages, trace, track));
}

size_t td_messages_number(const struct td_messages *messages, const struct td_trace *trace, uint32_t track,
                          size_t index)
{
    const struct td_series *list = td_messages_list(messages, trace, track);
    return index < td_series_count(list) ? (size_t)td_series_get(list, index, TD_TRACK_MESSAGE_MESSAGE)
                                         : SIZE_MAX;
}

struct td_message td_messages_get(const struct td_messages *messages, const struct td_trace *trace,
                                  uint32_t track, size_t index)
{
    return td_trace_message(trace, td_messages_number(messages, trace, track, index));
}

size_t td_messages_after(const struct td_messages *messages, const struct td_trace *trace, uint32_t track,
                         double time_ns)
{
    size_t low = 0, high = td_messages_count(messages, trace, track);
    TD_BISECT(low, high, i, (double)td_messages_get(messages, trace, track, i).time_ns < time_ns);
    return low;
}
