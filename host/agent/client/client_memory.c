/* Allocations in pools, each with the free that ended it. */
#include "host/agent/client/client_internal.h"
#include "host/base/compare.h"
#include "host/base/grow.h"

#include <stdlib.h>

static int failure(const struct td_client_stream *stream)
{
    return stream->err.code ? stream->err.code : TD_E_NOMEM;
}

/* The pool with this name, made at the first call. NULL: no memory, or the sinks' error. */
static struct td_stream_pool *find_pool(struct td_client_stream *stream, uint64_t name)
{
    struct td_stream_memory *m = &stream->memory;
    uint32_t known = td_map_get(&m->by_name, name, TD_NO_NUMBER);
    if (known != TD_NO_NUMBER)
        return &m->pools.at[known];
    uint32_t text = name ? td_names_see(&stream->names, TD_NAME_TEXT, name) : 0;
    const int64_t values[TD_POOL_COLUMN_COUNT] = {[TD_POOL_LOW] = -1};
    if (text == TD_NO_NUMBER || TD_LIST_ROOM(&m->pools) < 0)
        return NULL;
    int64_t added = td_stream_row(stream, TD_TABLE_POOL, 0, values);
    if (added < 0 || td_map_add(&m->by_name, name, (uint32_t)m->pools.count) < 0)
        return NULL;
    if (name &&
        td_pending_set(stream, TD_TABLE_POOL, 0, (uint64_t)added, TD_POOL_NAME, TD_REF_TEXT, text) != 0)
        return NULL;
    struct td_stream_pool *pool = &m->pools.at[m->pools.count++];
    memset(pool, 0, sizeof *pool);
    pool->low = UINT64_MAX;
    pool->row = (uint32_t)added;
    return pool;
}

/* The pool whose name came before the item, or the default one. */
static struct td_stream_pool *take_pool(struct td_client_stream *stream, int named)
{
    uint64_t name = named ? stream->pool : 0;
    stream->pool = 0;
    return find_pool(stream, name);
}

static uint32_t take_stack(struct td_client_stream *stream, int wanted)
{
    uint32_t stack = wanted ? stream->serial_stack : 0;
    stream->serial_stack = 0;
    return td_stream_stack_row(stream, stack);
}

int td_take_memory_name(struct td_client_stream *stream, const struct td_wire_view *view)
{
    stream->pool = TD_GET(MemNamePayload).name;
    return 0;
}

static int mark_freed(struct td_client_stream *stream, const struct td_stream_pool *pool, uint32_t row,
                      int64_t ns, uint32_t thread, uint32_t stack)
{
    int bad = td_stream_set(stream, TD_TABLE_MEMORY, pool->row, row, TD_MEMORY_FREE_TIME, ns);
    bad = bad ? bad : td_stream_set(stream, TD_TABLE_MEMORY, pool->row, row, TD_MEMORY_FREE_THREAD, thread);
    if (!bad && stack)
        bad = td_stream_set(stream, TD_TABLE_MEMORY, pool->row, row, TD_MEMORY_FREE_STACK, stack);
    return bad;
}

/* `index`: in the list of what is not freed; the last one takes its place. */
static int end_allocation(struct td_client_stream *stream, struct td_stream_pool *pool, uint32_t index,
                          int64_t ns, uint32_t thread, uint32_t stack)
{
    const struct td_stream_allocation ended = pool->live.at[index];
    td_map_remove(&pool->active, ended.address);
    if (index != --pool->live.count) {
        pool->live.at[index] = pool->live.at[pool->live.count];
        td_map_set(&pool->active, pool->live.at[index].address, index); /* is there: needs no memory */
    }
    pool->usage -= ended.bytes;
    pool->changed = 1;
    return mark_freed(stream, pool, ended.row, ns, thread, stack);
}

static int begin_allocation(struct td_client_stream *stream, struct td_stream_pool *pool,
                            const struct td_wire_MemAlloc *item, int64_t ns, uint32_t stack)
{
    const int64_t values[TD_MEMORY_COLUMN_COUNT] = {
        [TD_MEMORY_ADDRESS] = (int64_t)item->ptr,
        [TD_MEMORY_SIZE] = (int64_t)item->size,
        [TD_MEMORY_STACK] = stack,
        [TD_MEMORY_TIME] = ns,
        [TD_MEMORY_FREE_TIME] = -1,
        [TD_MEMORY_THREAD] = item->thread,
    };
    if (TD_LIST_ROOM(&pool->live) < 0 || td_map_set(&pool->active, item->ptr, (uint32_t)pool->live.count) < 0)
        return TD_E_NOMEM;
    int64_t added = td_stream_row(stream, TD_TABLE_MEMORY, pool->row, values);
    if (added < 0) {
        td_map_remove(&pool->active, item->ptr);
        return (int)added;
    }
    pool->live.at[pool->live.count++] = (struct td_stream_allocation){item->ptr, item->size, (uint32_t)added};
    uint64_t high = item->ptr + item->size;
    pool->high = high > pool->high ? high : pool->high;
    pool->low = item->ptr < pool->low ? item->ptr : pool->low;
    pool->usage += item->size;
    pool->changed = 1;
    return 0;
}

/* If the address is allocated already, its free was not recorded. */
int td_take_alloc(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_MemAlloc item = TD_GET(MemAlloc); /* the four items have the same layout */
    int64_t ns = td_stream_event_ns(stream, td_stream_advance(&stream->serial_time, item.time));
    int named = view->item == TD_ITEM_MemAllocNamed || view->item == TD_ITEM_MemAllocCallstackNamed;
    int with_stack = view->item == TD_ITEM_MemAllocCallstack || view->item == TD_ITEM_MemAllocCallstackNamed;
    uint32_t stack = take_stack(stream, with_stack);
    struct td_stream_pool *pool = take_pool(stream, named);
    if (!pool || td_stream_thread(stream, item.thread) != 0)
        return failure(stream);
    uint32_t active = td_map_get(&pool->active, item.ptr, TD_NO_NUMBER);
    if (active != TD_NO_NUMBER) {
        stream->counts.odd_memory++;
        int bad = end_allocation(stream, pool, active, ns, item.thread, 0);
        if (bad)
            return bad;
    }
    stream->counts.allocations++;
    return begin_allocation(stream, pool, &item, ns, stack);
}

int td_take_free(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_MemFree item = TD_GET(MemFree); /* the four items have the same layout */
    int64_t ns = td_stream_event_ns(stream, td_stream_advance(&stream->serial_time, item.time));
    int named = view->item == TD_ITEM_MemFreeNamed || view->item == TD_ITEM_MemFreeCallstackNamed;
    int with_stack = view->item == TD_ITEM_MemFreeCallstack || view->item == TD_ITEM_MemFreeCallstackNamed;
    uint32_t stack = take_stack(stream, with_stack);
    struct td_stream_pool *pool = take_pool(stream, named);
    if (!pool || td_stream_thread(stream, item.thread) != 0)
        return failure(stream);
    uint32_t active = td_map_get(&pool->active, item.ptr, TD_NO_NUMBER);
    if (active != TD_NO_NUMBER)
        return end_allocation(stream, pool, active, ns, item.thread, stack);
    stream->counts.odd_memory += item.ptr != 0; /* its allocation was not recorded */
    return 0;
}

TD_COMPARE(compare_rows, struct td_stream_allocation, TD_UP(row))

/* Frees all allocations of a pool, in the order in which they were made. */
int td_take_discard(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_MemDiscard item = TD_GET(MemDiscard);
    int64_t ns = td_stream_event_ns(stream, td_stream_advance(&stream->serial_time, item.time));
    uint32_t stack = take_stack(stream, view->item == TD_ITEM_MemDiscardCallstack);
    stream->pool = 0;
    struct td_stream_pool *pool = find_pool(stream, item.name);
    if (!pool || td_stream_thread(stream, item.thread) != 0)
        return failure(stream);
    int bad = 0;
    if (pool->live.count)
        qsort(pool->live.at, pool->live.count, sizeof *pool->live.at, compare_rows);
    for (size_t i = 0; i < pool->live.count && !bad; i++)
        bad = mark_freed(stream, pool, pool->live.at[i].row, ns, item.thread, stack);
    pool->changed |= pool->live.count != 0;
    pool->usage = 0;
    pool->live.count = 0;
    td_map_finish(&pool->active);
    return bad;
}

int td_stream_memory_flush(struct td_client_stream *stream)
{
    int bad = 0;
    for (size_t i = 0; i < stream->memory.pools.count && !bad; i++) {
        struct td_stream_pool *pool = &stream->memory.pools.at[i];
        if (!pool->changed)
            continue;
        pool->changed = 0;
        bad = td_stream_set(stream, TD_TABLE_POOL, 0, pool->row, TD_POOL_HIGH, (int64_t)pool->high);
        bad = bad ? bad : td_stream_set(stream, TD_TABLE_POOL, 0, pool->row, TD_POOL_LOW, (int64_t)pool->low);
        if (!bad)
            bad = td_stream_set(stream, TD_TABLE_POOL, 0, pool->row, TD_POOL_USAGE, (int64_t)pool->usage);
    }
    return bad;
}

uint64_t td_stream_memory_growth(const struct td_client_stream *stream)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < stream->memory.pools.count; i++)
        bytes += td_map_growth(&stream->memory.pools.at[i].active);
    return bytes;
}

/* Makes the default pool, which every trace has. */
int td_stream_memory_begin(struct td_client_stream *stream)
{
    return find_pool(stream, 0) ? 0 : failure(stream);
}

void td_stream_memory_finish(struct td_client_stream *stream)
{
    for (size_t i = 0; i < stream->memory.pools.count; i++) {
        td_map_finish(&stream->memory.pools.at[i].active);
        free(stream->memory.pools.at[i].live.at);
    }
    td_map_finish(&stream->memory.by_name);
    free(stream->memory.pools.at);
}
