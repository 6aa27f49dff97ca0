#include "host/viewer/timeline/cpu_usage.h"
#include "host/base/grow.h"
#include "host/viewer/timeline/lod.h"

#include <stdlib.h>

uint32_t td_cpu_usage_cpus(const struct td_switches *switches)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < switches->cpu_count; c++)
        count += td_switches_cpu(switches, c) != NULL;
    return count;
}

static void make_cells(struct td_cpu_usage *u, const struct td_switches *switches, int64_t first, int64_t end,
                       int64_t open_ns)
{
    for (int64_t i = first; i < end; i++)
        u->cells[i - u->first] = (struct td_usage_cell){0};
    for (uint32_t c = 0; first < end && c < switches->cpu_count; c++) {
        const struct td_busy *busy = td_switches_cpu(switches, c);
        if (!busy)
            continue;
        struct td_busy_times a = td_busy_until(busy, td_lod_time((double)first * u->cell_ns), open_ns);
        for (int64_t i = first; i < end; i++) {
            const struct td_busy_times b =
                td_busy_until(busy, td_lod_time((double)(i + 1) * u->cell_ns), open_ns);
            u->cells[i - u->first].own += (float)((double)(b.own_ns - a.own_ns) / u->cell_ns);
            u->cells[i - u->first].other += (float)((double)(b.other_ns - a.other_ns) / u->cell_ns);
            a = b;
        }
    }
}

bool td_cpu_usage_make(struct td_cpu_usage *u, const struct td_switches *switches, double cell_ns,
                       int64_t first, size_t count, int64_t open_ns)
{
    int64_t kept_first = first, kept_end = first; /* cells that are already there */
    if (td_grow(&u->cells, &u->capacity, count + 1, sizeof *u->cells) < 0)
        return false;
    if (u->cell_ns == cell_ns) {
        const int64_t from = first > u->first ? first : u->first,
                      end = first + (int64_t)count < u->first + (int64_t)u->count
                                ? first + (int64_t)count
                                : u->first + (int64_t)u->count;
        if (from < end) {
            memmove(&u->cells[from - first], &u->cells[from - u->first],
                    (size_t)(end - from) * sizeof *u->cells);
            kept_first = from;
            kept_end = end;
        }
    }
    u->cell_ns = cell_ns;
    u->first = first;
    u->count = count;
    make_cells(u, switches, first, kept_first, open_ns);
    make_cells(u, switches, kept_end, first + (int64_t)count, open_ns);
    return true;
}

void td_cpu_usage_free(struct td_cpu_usage *u)
{
    free(u->cells);
    *u = (struct td_cpu_usage){0};
}
