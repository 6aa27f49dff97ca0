/* Memory pools: allocations and frees, in the order in which the program made them. */
#include "host/serve/free_order.h"
#include "host/serve/part.h"
#include "host/wire/items.h"

struct served_pool {
    uint64_t name; /* key; 0: the default pool */
    const struct td_series *rows, *frees;
};

static uint8_t *put_name(const struct td_viewer *v, uint8_t *p, const struct served_pool *pool)
{
    if (!pool->name)
        return p;
    return td_wire_put_MemNamePayload(p, v->release, &(struct td_wire_MemNamePayload){pool->name});
}

static uint32_t thread_at(struct td_viewer *v, const struct served_pool *pool, uint64_t row, unsigned column)
{
    return td_key_thread(v, (uint64_t)td_part_get(pool->rows, row, column));
}

/* Begins a memory item: its pool's name and its call stack. Sets *with_stack. NULL: no room. */
static uint8_t *begin_item(struct td_viewer *v, const struct served_pool *pool, uint32_t stack,
                           bool *with_stack)
{
    uint8_t *p = td_put_room(v, 3 * TD_ITEM_MAX + td_put_stack_room(v, stack));
    if (!p)
        return NULL;
    *with_stack = stack && td_put_stack(v, &p, stack, TD_STACK_SERIAL);
    return put_name(v, p, pool);
}

static int send_alloc(struct td_viewer *v, const struct served_pool *pool, uint64_t row)
{
    bool stacked;
    uint8_t *p = begin_item(v, pool, (uint32_t)td_part_get(pool->rows, row, TD_MEMORY_STACK), &stacked);
    if (!p)
        return TD_PART_FULL;
    struct td_wire_MemAlloc item = {
        .time = td_put_delta(&v->serial_time, td_part_get(pool->rows, row, TD_MEMORY_TIME)),
        .thread = thread_at(v, pool, row, TD_MEMORY_THREAD),
        .ptr = (uint64_t)td_part_get(pool->rows, row, TD_MEMORY_ADDRESS),
        .size = (uint64_t)td_part_get(pool->rows, row, TD_MEMORY_SIZE)};
    /* The four items differ only in their ids. */
    uint8_t *end = td_wire_put_MemAlloc(p, v->release, &item);
    *p = td_wire_id(v->release, stacked
                                    ? pool->name ? TD_ITEM_MemAllocCallstackNamed : TD_ITEM_MemAllocCallstack
                                : pool->name ? TD_ITEM_MemAllocNamed
                                             : TD_ITEM_MemAlloc);
    td_put_end(v, end);
    return TD_PART_DONE;
}

static int send_free(struct td_viewer *v, const struct served_pool *pool, uint64_t row)
{
    bool stacked;
    uint8_t *p = begin_item(v, pool, (uint32_t)td_part_get(pool->rows, row, TD_MEMORY_FREE_STACK), &stacked);
    if (!p)
        return TD_PART_FULL;
    struct td_wire_MemFree item = {
        .time = td_put_delta(&v->serial_time, td_part_get(pool->rows, row, TD_MEMORY_FREE_TIME)),
        .thread = thread_at(v, pool, row, TD_MEMORY_FREE_THREAD),
        .ptr = (uint64_t)td_part_get(pool->rows, row, TD_MEMORY_ADDRESS)};
    uint8_t *end = td_wire_put_MemFree(p, v->release, &item);
    *p =
        td_wire_id(v->release, stacked ? pool->name ? TD_ITEM_MemFreeCallstackNamed : TD_ITEM_MemFreeCallstack
                               : pool->name ? TD_ITEM_MemFreeNamed
                                            : TD_ITEM_MemFree);
    td_put_end(v, end);
    return TD_PART_DONE;
}

static int send_pool(struct td_viewer *v, uint32_t number)
{
    struct served_pool pool = {.rows = td_trace_list(v->trace, TD_TABLE_MEMORY, number)};
    struct td_pool_place *place = &v->pools.at[number];
    uint32_t name = (uint32_t)td_part_get(td_trace_table(v->trace, TD_TABLE_POOL), number, TD_POOL_NAME);
    pool.name = name ? td_key(TD_KEY_STRING, name) : 0;
    pool.frees = td_free_order_of(v->free_order, v->trace, number);
    uint64_t alloc_end = td_place_end(v, &place->allocs, td_series_count(pool.rows));
    uint64_t free_end = td_place_end(v, &place->frees, td_series_count(pool.frees));
    if (!name && number && !v->final)
        return TD_PART_DONE; /* the pool's name is not known yet */
    for (;;) {
        /* All frees before an allocation that may be sent are visible; one that is held back holds it back. */
        uint64_t after = UINT64_MAX, row = 0;
        if (place->frees.next < td_series_count(pool.frees)) {
            after = (uint64_t)td_series_get(pool.frees, place->frees.next, TD_MEMORY_FREE_AFTER);
            row = (uint64_t)td_series_get(pool.frees, place->frees.next, TD_MEMORY_FREE_ROW);
        }
        int result;
        if (after <= place->allocs.next) {
            if (place->frees.next >= free_end)
                return TD_PART_DONE;
            result = send_free(v, &pool, row);
            place->frees.next += !result;
        } else {
            if (place->allocs.next >= alloc_end)
                return TD_PART_DONE;
            result = send_alloc(v, &pool, place->allocs.next);
            place->allocs.next += !result;
        }
        if (result)
            return result;
    }
}

int td_part_memory(struct td_viewer *v)
{
    uint64_t count = td_series_count(td_trace_table(v->trace, TD_TABLE_POOL));
    int result = TD_PLACES_GROW(&v->pools, count);
    TD_PART_EACH(v, count, result, send_pool(v, i));
    return result;
}
