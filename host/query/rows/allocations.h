/* The table of allocations. A request may be with a struct td_allocations_wanted on the heap, for those of one pool;
 * else all of all pools are rows. */
#pragma once
#include "host/query/rows/memory_pool.h"
#include "host/query/table/tables.h"

struct td_allocations_wanted {
    uint32_t pool;
    enum td_allocation_part part;
    bool at; /* only those that include `address` */
    uint64_t address;
    size_t stack_count; /* of `stacks`; 0: with any call stack */
    uint8_t stacks[];   /* whether those with this call stack are wanted */
};
struct td_allocation td_allocations_at(const struct td_query_rows *rows, uint64_t row);
/* The place in `rows` of a row of the table MEMORY of the pool; `count`: it is not there. */
uint64_t td_allocations_find(const struct td_query_rows *rows, uint64_t row);
/* Of all rows together. */
int64_t td_allocations_bytes(const struct td_query_rows *rows);
/* The innermost zone of the thread at that time, of the fiber that it ran; TD_NO_ZONE: there is none. */
struct td_zone_ref td_allocations_zone(const struct td_query_rows *rows, uint64_t thread, int64_t time_ns);
/* The name of its track, or its number. */
const char *td_allocations_thread(const struct td_query_rows *rows, uint64_t thread, char *room,
                                  size_t bytes);
