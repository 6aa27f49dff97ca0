#include "host/serve/message_order.h"

#include <pthread.h>
#include <stdlib.h>

/* Series in groups of 16, 32, 64 ..., which never move. */
#define GROUPS 28u

struct td_message_order {
    const struct td_trace *trace;
    bool is_finished;
    struct td_store *store;
    pthread_mutex_t lock;             /* of the thread that extends */
    uint64_t rows;                    /* messages that were added */
    struct td_series *groups[GROUPS]; /* atomic */
};

static unsigned group_of(uint32_t track, uint64_t *at)
{
    unsigned k = 63u - (unsigned)__builtin_clzll((uint64_t)track / 16 + 1);
    *at = track - 16 * ((UINT64_C(1) << k) - 1);
    return k;
}

struct td_message_order *td_message_order_create(const struct td_trace *trace)
{
    struct td_message_order *order = calloc(1, sizeof *order);
    if (!order)
        return NULL;
    pthread_mutex_init(&order->lock, NULL);
    order->trace = trace;
    order->is_finished = td_trace_is_finished(trace);
    if (order->is_finished || (order->store = td_store_create(0)) != NULL)
        return order;
    td_message_order_destroy(order);
    return NULL;
}

void td_message_order_destroy(struct td_message_order *order)
{
    if (!order)
        return;
    for (size_t i = 0; i < GROUPS; i++)
        free(order->groups[i]);
    td_store_destroy(order->store);
    pthread_mutex_destroy(&order->lock);
    free(order);
}

static struct td_series *list_for(struct td_message_order *order, uint32_t track)
{
    uint64_t at;
    unsigned k = group_of(track, &at);
    if (!order->groups[k]) {
        size_t count = (size_t)16 << k;
        struct td_series *group = malloc(count * sizeof *group);
        if (!group)
            return NULL;
        for (size_t i = 0; i < count; i++)
            td_series_init(&group[i], order->store, TD_TRACK_MESSAGE_COLUMN_COUNT, 0);
        __atomic_store_n(&order->groups[k], group, __ATOMIC_RELEASE);
    }
    return &order->groups[k][at];
}

static int add_messages(struct td_message_order *order)
{
    const struct td_series *rows = td_trace_table(order->trace, TD_TABLE_MESSAGE);
    for (uint64_t count = td_series_count(rows); order->rows < count; order->rows++) {
        uint32_t track = (uint32_t)td_series_get(rows, order->rows, TD_MESSAGE_TRACK);
        const int64_t row[TD_TRACK_MESSAGE_COLUMN_COUNT] = {(int64_t)order->rows};
        struct td_series *list = list_for(order, track);
        if (!list || td_series_append(list, row) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

int td_message_order_extend(struct td_message_order *order)
{
    if (order->is_finished)
        return 0;
    pthread_mutex_lock(&order->lock);
    int rc = add_messages(order);
    pthread_mutex_unlock(&order->lock);
    return rc;
}

const struct td_series *td_message_order_of(const struct td_message_order *order, uint32_t track)
{
    static const struct td_series none;
    if (order->is_finished)
        return td_trace_list(order->trace, TD_TABLE_TRACK_MESSAGE, track);
    uint64_t at;
    struct td_series *group = __atomic_load_n(&order->groups[group_of(track, &at)], __ATOMIC_ACQUIRE);
    return group ? &group[at] : &none;
}
