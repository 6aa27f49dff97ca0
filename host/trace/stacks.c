/* Call stacks, and looking up their frames. */
#include "host/trace/model.h"

#define AT_ONCE 64

void td_trace_stack(const struct td_trace *trace, uint32_t stack, uint64_t *first, uint64_t *count)
{
    const struct td_series *stacks = td_trace_table(trace, TD_TABLE_STACK);
    *first = *count = 0;
    if (!stack || stack >= td_series_count(stacks))
        return;
    *first = (uint64_t)td_series_get(stacks, stack - 1, TD_STACK_END);
    uint64_t end = (uint64_t)td_series_get(stacks, stack, TD_STACK_END);
    uint64_t entries = td_series_count(td_trace_table(trace, TD_TABLE_STACK_ENTRY));
    end = end < entries ? end : entries;
    *count = end > *first ? end - *first : 0;
}

static uint64_t hash_frame(uint64_t hash, uint64_t frame)
{
    return td_mix64(hash ^ frame) + frame;
}

static uint64_t hash_stack(const struct td_trace *trace, uint32_t stack)
{
    int64_t frames[AT_ONCE];
    uint64_t first, count, hash = 0;
    td_trace_stack(trace, stack, &first, &count);
    while (count) {
        size_t n = count < AT_ONCE ? count : AT_ONCE;
        td_series_read(td_trace_table(trace, TD_TABLE_STACK_ENTRY), TD_STACK_ENTRY_FRAME, first, n, frames);
        for (size_t i = 0; i < n; i++)
            hash = hash_frame(hash, (uint64_t)frames[i]);
        first += n;
        count -= n;
    }
    return hash;
}

static bool is_same_stack(const struct td_trace *trace, uint32_t stack, const uint64_t *frames, size_t count)
{
    const struct td_series *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY);
    uint64_t first, own;
    td_trace_stack(trace, stack, &first, &own);
    if (own != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if ((uint64_t)td_series_get(entries, first + i, TD_STACK_ENTRY_FRAME) != frames[i])
            return false;
    }
    return true;
}

/* Adds stacks to the index that it lacks, such as those read from a file; of equal ones the first. */
static int index_stacks(struct td_trace *trace, uint64_t count)
{
    struct lookup *known = &trace->stacks;
    for (; known->rows < count; known->rows++) {
        uint64_t hash = known->rows ? hash_stack(trace, (uint32_t)known->rows) : 0;
        if (known->rows && td_map_get(&known->map, hash, 0) == 0 &&
            td_map_add(&known->map, hash, (uint32_t)known->rows) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

static int append_stack(struct td_series *stacks, struct td_series *entries, const uint64_t *frames,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t entry[] = {(int64_t)frames[i]};
        if (td_series_append(entries, entry) < 0)
            return TD_E_NOMEM;
    }
    const int64_t end[] = {(int64_t)entries->count};
    return td_series_append(stacks, end);
}

/* If two stacks have the same hash, the later one is not found in the index and may be added repeatedly. */
uint32_t td_trace_fill_stack(struct td_trace *trace, const uint64_t *frames, size_t count)
{
    struct td_series *stacks = td_trace_fill_table(trace, TD_TABLE_STACK);
    struct td_series *entries = td_trace_fill_table(trace, TD_TABLE_STACK_ENTRY);
    uint64_t hash = 0;
    if (!count)
        return 0;
    if (!stacks || !entries || stacks->count >= UINT32_MAX || index_stacks(trace, stacks->count) < 0)
        return UINT32_MAX;
    for (size_t i = 0; i < count; i++)
        hash = hash_frame(hash, frames[i]);
    uint32_t known = td_map_get(&trace->stacks.map, hash, 0);
    if (known && is_same_stack(trace, known, frames, count))
        return known;
    if (!stacks->count && append_stack(stacks, entries, NULL, 0) < 0)
        return UINT32_MAX;
    if (append_stack(stacks, entries, frames, count) < 0 || index_stacks(trace, stacks->count) < 0)
        return UINT32_MAX;
    return (uint32_t)(stacks->count - 1);
}

static int64_t find_row(const struct td_trace *constant, struct lookup *known, enum td_table table,
                        uint64_t key)
{
    struct td_trace *trace = (struct td_trace *)(uintptr_t)constant; /* the index is extended */
    const struct td_series *rows = td_trace_table(trace, table);
    pthread_mutex_lock(&trace->lookup_lock);
    for (uint64_t count = td_series_count(rows); known->rows < count && known->rows < UINT32_MAX;
         known->rows++) {
        if (td_map_add(&known->map, (uint64_t)td_series_get(rows, known->rows, 0), (uint32_t)known->rows) < 0)
            break;
    }
    uint32_t row = td_map_get(&known->map, key, UINT32_MAX);
    pthread_mutex_unlock(&trace->lookup_lock);
    return row == UINT32_MAX ? -1 : (int64_t)row;
}

int64_t td_trace_stack_frame(const struct td_trace *trace, uint64_t frame)
{
    _Static_assert(TD_STACK_FRAME_FRAME == 0, "looked up by the first column");
    return find_row(trace, &((struct td_trace *)(uintptr_t)trace)->frames, TD_TABLE_STACK_FRAME, frame);
}

int td_trace_index_frames(const struct td_trace *trace)
{
    td_trace_stack_frame(trace, 0);
    return trace->frames.rows < td_series_count(td_trace_table(trace, TD_TABLE_STACK_FRAME)) ? TD_E_NOMEM : 0;
}

int64_t td_trace_frame_lines(const struct td_trace *trace, uint64_t frame, uint64_t *first, uint64_t *end)
{
    const struct td_series *frames = td_trace_table(trace, TD_TABLE_STACK_FRAME);
    const uint64_t lines = td_series_count(td_trace_table(trace, TD_TABLE_STACK_LINE));
    const int64_t row = td_trace_stack_frame(trace, frame);
    *first = row > 0 ? (uint64_t)td_series_get(frames, (uint64_t)row - 1, TD_STACK_FRAME_END) : 0;
    *end = row >= 0 ? (uint64_t)td_series_get(frames, (uint64_t)row, TD_STACK_FRAME_END) : 0;
    *end = *end < lines ? *end : lines;
    *end = *end > *first ? *end : *first;
    return row;
}

int64_t td_trace_symbol(const struct td_trace *trace, uint64_t address)
{
    _Static_assert(TD_SYMBOL_ADDRESS == 0, "looked up by the first column");
    return find_row(trace, &((struct td_trace *)(uintptr_t)trace)->symbols, TD_TABLE_SYMBOL, address);
}
