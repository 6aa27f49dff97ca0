#include "host/query/code/line_sums.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#include <stdlib.h>

struct maker {
    struct td_line_sums *sums;
    uint32_t file;
    uint64_t symbol;
    struct td_levels levels;
    struct td_map map; /* line -> index */
    uint32_t *stamps;  /* by index: the stack that it was counted in last */
    size_t capacity, stamp_capacity;
};

static int64_t find_line(struct maker *m, uint32_t line)
{
    const uint32_t known = td_map_get(&m->map, line, UINT32_MAX);
    if (known != UINT32_MAX)
        return known;
    struct td_line_sums *sums = m->sums;
    if (td_grow(&sums->at, &m->capacity, sums->count + 1, sizeof *sums->at) < 0 ||
        td_grow(&m->stamps, &m->stamp_capacity, sums->count + 1, sizeof *m->stamps) < 0 ||
        td_map_add(&m->map, line, (uint32_t)sums->count) < 0)
        return TD_E_NOMEM;
    sums->at[sums->count] = (struct td_line_sum){.line = line};
    m->stamps[sums->count] = 0;
    return (int64_t)sums->count++;
}

/* The levels of the frame from `first` on that belong to the chosen function: those up to it. Returns the end; `first`
 * if the function is not in this frame. */
static size_t end_of_function(const struct maker *m, size_t first, size_t end)
{
    if (!m->symbol)
        return end;
    for (size_t i = end; i-- > first;)
        if (m->levels.at[i].symbol == m->symbol)
            return i + 1;
    return first;
}

static int add_stack(struct maker *m, const struct td_trace *trace, uint32_t stack, uint64_t count)
{
    if (td_levels_read(&m->levels, trace, stack) < 0)
        return TD_E_NOMEM;
    bool has_self = false, has_inlined = false, has_called = false;
    for (size_t first = 0, end; first < m->levels.count; first = end) {
        for (end = first + 1; end < m->levels.count && m->levels.at[end].frame == m->levels.at[first].frame;)
            end++;
        const size_t last = end_of_function(m, first, end);
        for (size_t i = first; i < last; i++) {
            const struct td_level *level = &m->levels.at[i];
            if (level->file != m->file)
                continue;
            const int64_t index = find_line(m, level->line);
            if (index < 0)
                return TD_E_NOMEM;
            if (m->stamps[index] == stack)
                continue;
            m->stamps[index] = stack;
            struct td_line_sum *sum = &m->sums->at[index];
            bool *has = level->frame ? &has_called : i == first ? &has_self : &has_inlined;
            *(level->frame ? &sum->called : i == first ? &sum->self : &sum->inlined) += count;
            *has = true;
        }
    }
    struct td_line_sum *all = &m->sums->all;
    if (has_self || has_inlined || has_called)
        *(has_self ? &all->self : has_inlined ? &all->inlined : &all->called) += count;
    return 0;
}

TD_COMPARE(by_line, struct td_line_sum, TD_UP(line))

int td_line_sums_make(const struct td_trace *trace, const struct td_stack_counts *counts, uint32_t file,
                      uint64_t symbol, const struct td_progress *progress, struct td_line_sums *sums,
                      struct td_err *err)
{
    *sums = (struct td_line_sums){.samples = counts->total};
    struct maker m = {.sums = sums, .file = file, .symbol = symbol};
    int rc = 0;
    for (size_t s = 1; s < counts->stacks && rc == 0; s++) {
        if (s % 1024 == 1)
            rc = td_samples_step(progress, s, counts->stacks);
        if (rc == 0 && counts->at[s])
            rc = add_stack(&m, trace, (uint32_t)s, counts->at[s]);
    }
    if (rc == 0 && sums->count)
        qsort(sums->at, sums->count, sizeof *sums->at, by_line);
    td_levels_free(&m.levels);
    td_map_finish(&m.map);
    free(m.stamps);
    return rc == 0              ? 0
           : rc == TD_E_STOPPED ? td_fail(err, rc, "stopped")
                                : td_fail_no_memory(err, "for source lines");
}

void td_line_sums_free(struct td_line_sums *sums)
{
    free(sums->at);
    *sums = (struct td_line_sums){0};
}

const struct td_line_sum *td_line_sums_find(const struct td_line_sums *sums, uint32_t line)
{
    const struct td_line_sum key = {.line = line};
    return sums->count ? bsearch(&key, sums->at, sums->count, sizeof *sums->at, by_line) : NULL;
}
