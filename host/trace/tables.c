#include "host/trace/tables.h"

#include "host/trace/model.h"

#include <string.h>

static const struct td_table_shape shapes[TD_TABLE_COUNT] = {
#define TD_ONE                     0
#define TD_EACH                    1
#define TD_COLUMN_(table, n, type) {#n, TD_TYPE_##type},
#define TD_X(n, of, is_loose)      {#n, TD_##of, is_loose, TD_##n##_COLUMN_COUNT, {TD_##n##_COLUMNS(TD_COLUMN_)}},
    TD_TABLES(TD_X)
#undef TD_X
};

const struct td_table_shape *td_table_get_shape(enum td_table table)
{
    return &shapes[table];
}

const struct td_series *td_trace_list(const struct td_trace *trace, enum td_table table, uint64_t parent)
{
    static const struct td_series empty;
    const struct table_lists *lists = &trace->tables[table];
    uint64_t at;
    if (parent >= __atomic_load_n(&lists->count, __ATOMIC_ACQUIRE))
        return &empty;
    unsigned k = td_trace_place_(parent, &at);
    const struct td_series *group = __atomic_load_n(&lists->groups[k], __ATOMIC_ACQUIRE);
    return group ? &group[at] : &empty;
}

const struct td_series *td_trace_table(const struct td_trace *trace, enum td_table table)
{
    return td_trace_list(trace, table, 0);
}

uint64_t td_trace_lists(const struct td_trace *trace, enum td_table table)
{
    return __atomic_load_n(&trace->tables[table].count, __ATOMIC_ACQUIRE);
}

static struct td_series *make_list(struct td_trace *trace, enum td_table table, uint64_t parent)
{
    struct table_lists *lists = &trace->tables[table];
    uint64_t at;
    unsigned k = td_trace_place_(parent, &at);
    if (k >= TABLE_GROUPS)
        return NULL;
    if (!lists->groups[k]) {
        size_t count = (size_t)16 << k;
        struct td_series *group = td_store_alloc(trace->store, count * sizeof *group);
        if (!group)
            return NULL;
        for (size_t i = 0; i < count; i++)
            td_series_init(&group[i], trace->store, shapes[table].columns, shapes[table].loose);
        __atomic_store_n(&lists->groups[k], group, __ATOMIC_RELEASE);
    }
    if (parent >= lists->count)
        __atomic_store_n(&lists->count, parent + 1, __ATOMIC_RELEASE);
    return &lists->groups[k][at];
}

uint64_t td_trace_table_rows(const struct td_trace *trace, enum td_table table)
{
    uint64_t rows = 0, lists = td_trace_lists(trace, table);
    for (uint64_t i = 0; i < lists; i++)
        rows += td_series_count(td_trace_list(trace, table, i));
    return rows;
}

struct td_series *td_trace_fill_list(struct td_trace *trace, enum td_table table, uint64_t parent)
{
    if (parent < td_trace_lists(trace, table)) {
        const struct td_series *made = td_trace_list(trace, table, parent);
        if (made->store)
            return (struct td_series *)(uintptr_t)made;
    }
    pthread_mutex_lock(&trace->fill_lock);
    struct td_series *list = make_list(trace, table, parent);
    pthread_mutex_unlock(&trace->fill_lock);
    return list;
}

struct td_series *td_trace_fill_table(struct td_trace *trace, enum td_table table)
{
    return td_trace_fill_list(trace, table, 0);
}

int64_t td_trace_fill_blob(struct td_trace *trace, const void *data, size_t bytes)
{
    void *room = bytes ? td_store_alloc_chunk(trace->store, bytes) : NULL;
    if (room && data)
        memcpy(room, data, bytes);
    return (int64_t)(uintptr_t)room;
}
