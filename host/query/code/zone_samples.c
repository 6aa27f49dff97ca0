#include "host/query/code/zone_samples.h"
#include "host/base/err.h"

#include <stdlib.h>
#include <string.h>

int td_zone_samples_init(struct td_zone_samples *zones, const struct td_trace *trace, const char *name)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const uint32_t count = td_dict_srcloc_count(dict);
    *zones = (struct td_zone_samples){.trace = trace, .name = name, .count = count};
    zones->locations = malloc(((size_t)count + 1) * sizeof *zones->locations);
    for (uint32_t i = 0; zones->locations && i < count; i++)
        zones->locations[i] = !strcmp(td_dict_zone_name(dict, i), name);
    return zones->locations ? 0 : TD_E_NOMEM;
}

void td_zone_samples_free(struct td_zone_samples *zones)
{
    free(zones->locations);
    *zones = (struct td_zone_samples){0};
}

/* From the outermost zone at that time to the innermost one. */
static bool is_in_zone(const struct td_zone_samples *zones, uint32_t track, int64_t time_ns)
{
    const struct td_trace *trace = zones->trace;
    const uint32_t rows = td_trace_rows(trace, track);
    for (uint32_t row = 0; row < rows; row++) {
        const size_t at = td_trace_zone_after(trace, track, row, time_ns);
        if (at >= td_trace_row_zones(trace, track, row))
            return false;
        const struct td_zone zone = td_trace_zone(trace, track, row, at);
        if (zone.start_ns > time_ns)
            return false;
        if ((zone.srcloc < zones->count && zones->locations[zone.srcloc]) ||
            (zone.name && !strcmp(td_dict_text(td_trace_dict(trace), zone.name), zones->name)))
            return true;
    }
    return false;
}

size_t td_zone_samples_keep(const struct td_zone_samples *zones, uint32_t track, int64_t *times,
                            int64_t *stacks, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_in_zone(zones, track, times[i]))
            continue;
        times[kept] = times[i];
        stacks[kept++] = stacks[i];
    }
    return kept;
}
