/* The addresses of a memory pool as pages of cells: which are in use, and when something happened there last. Pages
 * without allocations are left out. As large as they must be for at most TD_MAP_PAGES of them. */
#pragma once
#include "host/query/rows/memory_pool.h"

#define TD_MAP_CELLS      256u /* in a page */
#define TD_MAP_PAGES      512u
#define TD_MAP_LEAST_PAGE UINT64_C(16384) /* bytes */

struct td_map_cell {
    int64_t time_ns; /* of the last allocation, or release, in it; INT64_MIN: there was none */
    bool active;     /* some of it is in use when the range ends */
};

struct td_memory_map { /* all zero: none */
    uint64_t page_bytes;
    uint64_t *page; /* its first address divided by page_bytes, sorted */
    size_t pages;
    struct td_map_cell *cell; /* TD_MAP_CELLS of each page */
    int64_t first_ns, last_ns;
};

/* 0, TD_E_NOMEM or TD_E_STOPPED; td_memory_map_free() frees the result in any case. `job` may be NULL. */
int td_memory_map_make(struct td_memory_map *map, const struct td_memory_range *range, struct td_job *job);
void td_memory_map_free(struct td_memory_map *map);
