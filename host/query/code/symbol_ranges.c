#include "host/query/code/symbol_ranges.h"
#include "host/base/sorted.h"
#include "host/trace/tables.h"

#include <stdlib.h>

static int by_address(const void *a, const void *b)
{
    const struct td_symbol_range *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    /* Of several with one address the first has the code, of inlined functions less. */
    if ((x->code >= 0) != (y->code >= 0))
        return x->code >= 0 ? -1 : 1;
    if (x->code >= 0 && x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Joins a function with its code, and drops further ones of the same address. */
static void join_equal(struct td_symbol_ranges *ranges)
{
    size_t kept = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        struct td_symbol_range *last = kept ? &ranges->at[kept - 1] : NULL;
        if (!last || last->address != ranges->at[i].address) {
            ranges->at[kept++] = ranges->at[i];
            continue;
        }
        if (last->row < 0)
            last->row = ranges->at[i].row;
        if (last->code < 0)
            last->bytes = last->bytes > ranges->at[i].bytes ? last->bytes : ranges->at[i].bytes;
    }
    ranges->count = kept;
}

/* Code of an inlined function is a part of the function around it. */
static void drop_inlined(struct td_symbol_ranges *ranges, const struct td_trace *trace)
{
    const struct td_series *symbols = td_trace_table(trace, TD_TABLE_SYMBOL);
    size_t kept = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct td_symbol_range *range = &ranges->at[i];
        const int64_t row = range->row < 0 ? td_trace_symbol(trace, range->address) : -1;
        if (row < 0 || !td_series_get(symbols, (uint64_t)row, TD_SYMBOL_INLINED))
            ranges->at[kept++] = *range;
    }
    ranges->count = kept;
}

int td_symbol_ranges_make(struct td_symbol_ranges *ranges, const struct td_trace *trace)
{
    const struct td_series *symbols = td_trace_table(trace, TD_TABLE_SYMBOL),
                           *codes = td_trace_table(trace, TD_TABLE_CODE);
    const uint64_t count = td_series_count(symbols), coded = td_series_count(codes);
    *ranges = (struct td_symbol_ranges){malloc((size_t)(count + coded + 1) * sizeof *ranges->at), 0};
    if (!ranges->at)
        return TD_E_NOMEM;
    for (uint64_t i = 0; i < count; i++)
        if (!td_series_get(symbols, i, TD_SYMBOL_INLINED))
            ranges->at[ranges->count++] = (struct td_symbol_range){
                (uint64_t)td_series_get(symbols, i, TD_SYMBOL_ADDRESS),
                (uint64_t)td_series_get(symbols, i, TD_SYMBOL_BYTES), (int64_t)i, -1};
    for (uint64_t i = 0; i < coded; i++)
        ranges->at[ranges->count++] =
            (struct td_symbol_range){(uint64_t)td_series_get(codes, i, TD_CODE_ADDRESS),
                                     (uint64_t)td_series_get(codes, i, TD_CODE_BYTES), -1, (int64_t)i};
    qsort(ranges->at, ranges->count, sizeof *ranges->at, by_address);
    join_equal(ranges);
    drop_inlined(ranges, trace);
    return 0;
}

void td_symbol_ranges_free(struct td_symbol_ranges *ranges)
{
    free(ranges->at);
    *ranges = (struct td_symbol_ranges){0};
}

const struct td_symbol_range *td_symbol_ranges_find(const struct td_symbol_ranges *ranges, uint64_t address)
{
    const size_t after = TD_SORTED_UP_TO(ranges->at, ranges->count, address, address);
    if (!after)
        return NULL;
    const struct td_symbol_range *range = &ranges->at[after - 1];
    return address - range->address < (range->bytes ? range->bytes : 1) ? range : NULL;
}
