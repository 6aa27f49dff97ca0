#include "host/base/grow.h"
#include "host/trace/model.h"

#define PART_ZONES (64u * TD_SERIES_ROWS)

struct part *td_trace_parts_(const struct td_trace *trace, int gpu, size_t *count)
{
    size_t capacity = 64;
    struct part *parts = malloc(capacity * sizeof *parts);
    uint32_t tracks = __atomic_load_n(&trace->tracks.count, __ATOMIC_ACQUIRE);
    *count = 0;
    for (uint32_t t = 0; parts && t < tracks; t++) {
        uint32_t rows =
            (td_dict_get_track(trace->dict, t)->context != 0) == gpu ? td_trace_rows(trace, t) : 0;
        for (uint32_t r = 0; r < rows; r++) {
            uint64_t zones = td_trace_row_zones(trace, t, r);
            for (uint64_t first = 0; first < zones; first += PART_ZONES) {
                if (td_grow(&parts, &capacity, *count + 1, sizeof *parts) < 0) {
                    free(parts);
                    return NULL;
                }
                uint64_t end = first + PART_ZONES < zones ? first + PART_ZONES : zones;
                parts[(*count)++] = (struct part){t, r, first, end};
            }
        }
    }
    return parts;
}
