#include "host/query/rows/memory_map.h"
#include "host/base/compare.h"
#include "host/event/map.h"

#include <stdlib.h>

#define CHECK_EVERY 1024

/* The last byte of an allocation. */
static uint64_t last_of(const struct td_allocation *a)
{
    const uint64_t bytes = a->bytes > 0 ? (uint64_t)a->bytes : 1;
    return a->address + bytes - 1 < a->address ? UINT64_MAX : a->address + bytes - 1;
}

/* ---- which pages there are ---- */

struct page_set {
    struct td_map map; /* by page */
    uint64_t page_bytes;
};

static int enlarge_pages(struct page_set *set)
{
    struct page_set larger = {.page_bytes = set->page_bytes * 2};
    int rc = 0;
    for (size_t i = 0; rc >= 0 && set->map.slots && i <= set->map.mask; i++)
        if (set->map.slots[i].used)
            rc = td_map_add(&larger.map, set->map.slots[i].key / 2, 0);
    td_map_finish(&set->map);
    *set = larger;
    return rc < 0 ? rc : 0;
}

static int add_pages(struct page_set *set, const struct td_allocation *a)
{
    while ((last_of(a) - a->address) / set->page_bytes >= TD_MAP_PAGES)
        if (enlarge_pages(set) < 0)
            return TD_E_NOMEM;
    for (uint64_t p = a->address / set->page_bytes; p <= last_of(a) / set->page_bytes; p++)
        if (td_map_add(&set->map, p, 0) < 0)
            return TD_E_NOMEM;
    while (set->map.count > TD_MAP_PAGES)
        if (enlarge_pages(set) < 0)
            return TD_E_NOMEM;
    return 0;
}

TD_COMPARE_NUMBERS(compare_pages, uint64_t)

/* Numbers the pages in the order of addresses. */
static int place_pages(struct td_memory_map *map, struct page_set *set)
{
    map->page_bytes = set->page_bytes;
    map->page = malloc((set->map.count + 1) * sizeof *map->page);
    map->cell = malloc((set->map.count + 1) * TD_MAP_CELLS * sizeof *map->cell);
    if (!map->page || !map->cell)
        return TD_E_NOMEM;
    for (size_t i = 0; set->map.slots && i <= set->map.mask; i++)
        if (set->map.slots[i].used)
            map->page[map->pages++] = set->map.slots[i].key;
    qsort(map->page, map->pages, sizeof *map->page, compare_pages);
    for (size_t i = 0; i < map->pages * TD_MAP_CELLS; i++)
        map->cell[i] = (struct td_map_cell){.time_ns = INT64_MIN};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < map->pages; i++)
        rc = td_map_set(&set->map, map->page[i], (uint32_t)i);
    return rc;
}

/* ---- cells ---- */

static void mark_cells(struct td_memory_map *map, const struct page_set *set, const struct td_allocation *a,
                       bool active)
{
    const uint64_t cell_bytes = map->page_bytes / TD_MAP_CELLS, last = last_of(a) / cell_bytes;
    const int64_t time = active ? a->time_ns : a->free_ns;
    map->first_ns = a->time_ns < map->first_ns ? a->time_ns : map->first_ns;
    map->last_ns = time > map->last_ns ? time : map->last_ns;
    uint64_t c = a->address / cell_bytes;
    for (;; c++) {
        const uint32_t page = td_map_get(&set->map, c / TD_MAP_CELLS, UINT32_MAX);
        if (page != UINT32_MAX) {
            struct td_map_cell *cell = &map->cell[(size_t)page * TD_MAP_CELLS + c % TD_MAP_CELLS];
            if (active > cell->active || (active == cell->active && time > cell->time_ns))
                *cell = (struct td_map_cell){time, active};
        }
        if (c == last)
            return;
    }
}

/* Calls add_pages() for the allocations of the range, then mark_cells(): rows of twice their number. */
static int pass(struct td_memory_map *map, struct page_set *set, const struct td_memory_range *range,
                bool marks, struct td_job *job)
{
    uint64_t first, end;
    int rc = 0;
    td_memory_rows(range, &first, &end);
    for (uint64_t i = first; rc == 0 && i < end; i++) {
        const struct td_allocation a = td_allocation_get(range->trace, range->pool, i);
        if (job && (i - first) % CHECK_EVERY == 0) {
            if (td_job_cancelled(job))
                return TD_E_STOPPED;
            td_job_set_progress(job, i - first + (marks ? end - first : 0), 2 * (end - first));
        }
        if (marks)
            mark_cells(map, set, &a, td_allocation_is_active(&a, range));
        else
            rc = add_pages(set, &a);
    }
    return rc;
}

int td_memory_map_make(struct td_memory_map *map, const struct td_memory_range *range, struct td_job *job)
{
    struct page_set set = {.page_bytes = TD_MAP_LEAST_PAGE};
    *map = (struct td_memory_map){.first_ns = INT64_MAX, .last_ns = INT64_MIN};
    int rc = pass(map, &set, range, false, job);
    rc = rc ? rc : place_pages(map, &set);
    rc = rc ? rc : pass(map, &set, range, true, job);
    td_map_finish(&set.map);
    return rc;
}

void td_memory_map_free(struct td_memory_map *map)
{
    free(map->page);
    free(map->cell);
    *map = (struct td_memory_map){0};
}
