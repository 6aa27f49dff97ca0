/* P16 and P17: the source locations that zones use, in the order in which stock tools list them. The counts
 * are not needed. */
#include "host/file/reader.h"
#include "host/trace/tables.h"

static uint32_t location(const struct reader *r, int16_t number)
{
    size_t place = number >= 0 ? (size_t)number : (size_t)(-number - 1);
    if (number >= 0)
        return place < r->static_number_count ? r->static_numbers[place] : 0;
    return place < r->dynamic_count ? r->dynamic_numbers[place] : 0;
}

static void read_order(struct reader *r, enum td_table table)
{
    struct td_series *series = td_trace_fill_table(r->trace, table);
    uint64_t count = td_in_u64(&r->in);
    if (!series)
        td_in_no_memory(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        int16_t number = (int16_t)td_in_u16(&r->in);
        td_in_skip(&r->in, 8);
        const int64_t row[] = {location(r, number), number};
        if (!r->in.failed && row[0] && td_series_append(series, row) < 0)
            td_in_no_memory(&r->in);
    }
}

void td_reader_zone_locations_(struct reader *r)
{
    read_order(r, TD_TABLE_ZONE_LOCATION);
}

void td_reader_gpu_locations_(struct reader *r)
{
    read_order(r, TD_TABLE_GPU_LOCATION);
}
