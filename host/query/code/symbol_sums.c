#include "host/query/code/symbol_sums.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/query/code/symbol_ranges.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN_KERNEL UINT64_MAX /* key of functions of the kernel of which nothing is known */

struct maker {
    const struct td_trace *trace;
    bool inlines;
    struct td_symbol_sums *sums;
    struct td_symbol_ranges ranges;
    struct td_levels levels;
    struct td_map map; /* key -> index */
    uint32_t *stamps;  /* by index: the stack that it was counted in last */
    size_t capacity, stamp_capacity;
};

/* Name and place of a function, from the table of symbols, else from the level. */
static struct td_symbol_sum new_sum(const struct maker *m, const struct td_level *level)
{
    const struct td_series *symbols = td_trace_table(m->trace, TD_TABLE_SYMBOL);
    const int64_t row = level->symbol ? td_trace_symbol(m->trace, level->symbol) : -1;
    struct td_symbol_sum sum = {.address = level->symbol,
                                .name = level->function,
                                .file = level->file,
                                .image = level->image,
                                .is_inlined = level->is_inlined,
                                .is_kernel = level->is_kernel};
    if (row >= 0) {
        int64_t symbol[TD_SYMBOL_COLUMN_COUNT];
        td_series_row(symbols, (uint64_t)row, symbol);
        sum.bytes = (uint64_t)symbol[TD_SYMBOL_BYTES];
        sum.line = (uint32_t)symbol[TD_SYMBOL_LINE];
        if (symbol[TD_SYMBOL_FILE])
            sum.file = (uint32_t)symbol[TD_SYMBOL_FILE];
        if (symbol[TD_SYMBOL_NAME])
            sum.name = (uint32_t)symbol[TD_SYMBOL_NAME];
        if (symbol[TD_SYMBOL_IMAGE])
            sum.image = (uint32_t)symbol[TD_SYMBOL_IMAGE];
    }
    return sum;
}

/* The index of the level's function, or TD_E_NOMEM. */
static int64_t find_sum(struct maker *m, const struct td_level *level)
{
    uint64_t key = td_level_key(level);
    if (!key && level->is_kernel)
        key = UNKNOWN_KERNEL;
    const uint32_t known = td_map_get(&m->map, key, UINT32_MAX);
    if (known != UINT32_MAX)
        return known;
    struct td_symbol_sums *sums = m->sums;
    if (sums->count >= UINT32_MAX ||
        td_grow(&sums->at, &m->capacity, sums->count + 1, sizeof *sums->at) < 0 ||
        td_grow(&m->stamps, &m->stamp_capacity, sums->count + 1, sizeof *m->stamps) < 0 ||
        td_map_add(&m->map, key, (uint32_t)sums->count) < 0)
        return TD_E_NOMEM;
    sums->at[sums->count] = new_sum(m, level);
    m->stamps[sums->count] = 0;
    return (int64_t)sums->count++;
}

/* A frame without names may be in a function that is known by another of its addresses. */
static void name_level(const struct maker *m, struct td_level *level)
{
    if (level->symbol || level->function || level->is_inlined)
        return;
    const struct td_symbol_range *range =
        td_symbol_ranges_find(&m->ranges, level->address - (level->frame != 0));
    if (range)
        level->symbol = range->address;
}

static int add_stack(struct maker *m, uint32_t stack, uint64_t count)
{
    bool is_first = true;
    if (td_levels_read(&m->levels, m->trace, stack) < 0)
        return TD_E_NOMEM;
    for (size_t i = 0; i < m->levels.count; i++) {
        struct td_level *level = &m->levels.at[i];
        if (level->is_inlined && !m->inlines)
            continue;
        name_level(m, level);
        int64_t index = find_sum(m, level);
        if (index < 0)
            return TD_E_NOMEM;
        struct td_symbol_sum *sum = &m->sums->at[index];
        sum->self += is_first ? count : 0;
        is_first = false;
        if (m->stamps[index] == stack)
            continue;
        m->stamps[index] = stack; /* stack 0 has no frames */
        sum->total += count;
    }
    return 0;
}

static int add_hardware(struct maker *m, const struct td_samples_choice *choice)
{
    const struct td_series *addresses = td_trace_table(m->trace, TD_TABLE_HW_ADDRESS);
    for (uint64_t row = 0; row < td_series_count(addresses); row++) {
        struct td_hardware found;
        td_hardware_of_row(m->trace, choice, row, &found);
        if (td_hardware_is_empty(&found))
            continue;
        m->levels.count = 0;
        if (td_levels_add_frame(
                &m->levels, m->trace,
                (uint64_t)td_series_get(addresses, row, TD_HW_ADDRESS_ADDRESS) & TD_FRAME_BITS, 0) < 0)
            return TD_E_NOMEM;
        struct td_level *level = &m->levels.at[m->inlines ? 0 : m->levels.count - 1];
        name_level(m, level);
        int64_t index = find_sum(m, level);
        if (index < 0)
            return TD_E_NOMEM;
        td_hardware_add(&m->sums->at[index].hardware, &found);
    }
    return 0;
}

TD_COMPARE(by_samples, struct td_symbol_sum, TD_DOWN(self) TD_DOWN(total) TD_UP(name) TD_UP(address))

int td_symbol_sums_make(const struct td_trace *trace, const struct td_samples_choice *choice,
                        const struct td_stack_counts *counts, bool inlines,
                        const struct td_progress *progress, struct td_symbol_sums *sums, struct td_err *err)
{
    *sums = (struct td_symbol_sums){.samples = counts->total};
    struct maker m = {.trace = trace, .inlines = inlines, .sums = sums};
    int rc = td_symbol_ranges_make(&m.ranges, trace);
    for (size_t s = 1; s < counts->stacks && rc == 0; s++) {
        if (s % 1024 == 1)
            rc = td_samples_step(progress, s, counts->stacks);
        if (rc == 0 && counts->at[s])
            rc = add_stack(&m, (uint32_t)s, counts->at[s]);
    }
    rc = rc ? rc : add_hardware(&m, choice);
    if (rc == 0 && sums->count)
        qsort(sums->at, sums->count, sizeof *sums->at, by_samples);
    td_symbol_ranges_free(&m.ranges);
    td_levels_free(&m.levels);
    td_map_finish(&m.map);
    free(m.stamps);
    return rc == 0              ? 0
           : rc == TD_E_STOPPED ? td_fail(err, rc, "stopped")
                                : td_fail_no_memory(err, "for functions");
}

void td_symbol_sums_free(struct td_symbol_sums *sums)
{
    free(sums->at);
    *sums = (struct td_symbol_sums){0};
}

const char *td_symbol_sum_name(const struct td_trace *trace, const struct td_symbol_sum *sum)
{
    const char *name = td_dict_text(td_trace_dict(trace), sum->name);
    return *name ? name : sum->is_kernel ? "[unknown kernel]" : "[unknown]";
}

bool td_is_function_name(const char *whole, const char *name)
{
    const size_t bytes = strlen(name);
    return !strncmp(whole, name, bytes) && (!whole[bytes] || whole[bytes] == '(');
}

const struct td_symbol_sum *td_symbol_sums_find(const struct td_symbol_sums *sums,
                                                const struct td_trace *trace, const char *name,
                                                size_t *others)
{
    const struct td_symbol_sum *found = NULL;
    char *end;
    const uint64_t address = !strncmp(name, "0x", 2) ? strtoull(name, &end, 16) : 0;
    if (others)
        *others = 0;
    for (size_t i = 0; i < sums->count; i++) {
        const struct td_symbol_sum *sum = &sums->at[i];
        if (address ? sum->address != address : !td_is_function_name(td_symbol_sum_name(trace, sum), name))
            continue;
        if (found && others)
            ++*others;
        if (!found)
            found = sum;
    }
    return found;
}
