#include "host/query/code/ghosts.h"
#include "host/base/code_address.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PERIOD_NS 1000000
#define STEP              1024 /* samples until a job is asked whether it is still wanted */

int64_t td_sample_period_ns(const struct td_trace *trace)
{
    const int64_t period = td_trace_get_info(trace)->sampling_period_ns;
    return period > 0 ? period : DEFAULT_PERIOD_NS;
}

/* ---- functions of stacks ---- */

/* The levels of a stack, outermost first. Returns their number. */
static uint32_t expand_stack(const struct td_trace *trace, uint32_t stack, struct td_ghost *levels)
{
    const struct td_series *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY);
    uint64_t first, count, line, end;
    uint32_t depth = 0;
    td_trace_stack(trace, stack, &first, &count);
    for (uint64_t i = count; i-- > 0 && depth < TD_GHOST_ROWS;) {
        const uint64_t frame = (uint64_t)td_series_get(entries, first + i, TD_STACK_ENTRY_FRAME);
        const uint32_t entry = (uint32_t)(first + i);
        td_trace_frame_lines(trace, frame, &line, &end);
        if (line == end) {
            levels[depth++] = (struct td_ghost){.line = TD_GHOST_NO_LINE, .entry = entry};
            continue;
        }
        for (uint64_t k = end; k-- > line && depth < TD_GHOST_ROWS;)
            levels[depth++] = (struct td_ghost){.line = (uint32_t)k, .entry = entry};
    }
    return depth;
}

uint16_t *td_ghosts_depths(const struct td_trace *trace, uint64_t *count)
{
    const uint64_t stacks = td_series_count(td_trace_table(trace, TD_TABLE_STACK));
    struct td_ghost levels[TD_GHOST_ROWS];
    uint16_t *depths = calloc((size_t)stacks + 1, sizeof *depths);
    for (uint64_t i = 1; depths && i < stacks; i++)
        depths[i] = (uint16_t)expand_stack(trace, (uint32_t)i, levels);
    *count = depths ? stacks : 0;
    return depths;
}

int td_ghosts_depths_update(const struct td_trace *trace, uint16_t **depths, uint64_t *count, uint64_t *next,
                            uint64_t most)
{
    const uint64_t stacks = td_series_count(td_trace_table(trace, TD_TABLE_STACK));
    struct td_ghost levels[TD_GHOST_ROWS];
    if (stacks > *count) {
        uint16_t *all = realloc(*depths, (size_t)stacks * sizeof *all);
        if (!all)
            return TD_E_NOMEM;
        memset(all + *count, 0, (size_t)(stacks - *count) * sizeof *all);
        *depths = all;
        *count = stacks;
    }
    for (uint64_t i = 0; i < most && i < *count; i++) {
        *next = *next + 1 < *count ? *next + 1 : 0;
        (*depths)[*next] = *next ? (uint16_t)expand_stack(trace, (uint32_t)*next, levels) : 0;
    }
    return 0;
}

/* Samples that were taken at context switches are in both tables, in order of time. */
struct switch_cursor {
    const struct td_series *rows;
    uint64_t at;
};

static bool is_switch(struct switch_cursor *c, int64_t time)
{
    const uint64_t count = td_series_count(c->rows);
    while (c->at < count && td_series_get(c->rows, c->at, TD_SWITCH_SAMPLE_TIME) < time)
        c->at++;
    if (c->at >= count || td_series_get(c->rows, c->at, TD_SWITCH_SAMPLE_TIME) != time)
        return false;
    c->at++;
    return true;
}

uint32_t td_ghosts_rows(const struct td_trace *trace, uint32_t track, const uint16_t *depths,
                        uint64_t depth_count)
{
    const struct td_series *samples = td_trace_list(trace, TD_TABLE_SAMPLE, track);
    const uint64_t count = td_series_count(samples);
    struct switch_cursor switches = {td_trace_list(trace, TD_TABLE_SWITCH_SAMPLE, track), 0};
    int64_t stack[256], time[256];
    uint32_t most = 0;
    for (uint64_t i = 0; i < count; i += 256) {
        const uint64_t n = count - i < 256 ? count - i : 256;
        td_series_read(samples, TD_SAMPLE_STACK, i, n, stack);
        td_series_read(samples, TD_SAMPLE_TIME, i, n, time);
        for (uint64_t k = 0; k < n; k++)
            if (!is_switch(&switches, time[k]) && (uint64_t)stack[k] < depth_count && depths[stack[k]] > most)
                most = depths[stack[k]];
    }
    return most;
}

/* ---- making ---- */

static uint64_t symbol_of(const struct td_trace *trace, uint32_t line)
{
    return (uint64_t)td_series_get(td_trace_table(trace, TD_TABLE_STACK_LINE), line, TD_STACK_LINE_SYMBOL);
}

/* Different addresses in one function are one zone. */
static bool is_same_function(const struct td_trace *trace, const struct td_ghost *a, const struct td_ghost *b)
{
    const struct td_series *lines = td_trace_table(trace, TD_TABLE_STACK_LINE),
                           *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY);
    if (a->line == b->line && a->line != TD_GHOST_NO_LINE)
        return true;
    if (a->line == TD_GHOST_NO_LINE || b->line == TD_GHOST_NO_LINE)
        return a->line == b->line && td_series_get(entries, a->entry, TD_STACK_ENTRY_FRAME) ==
                                         td_series_get(entries, b->entry, TD_STACK_ENTRY_FRAME);
    return symbol_of(trace, a->line) == symbol_of(trace, b->line) &&
           td_series_get(lines, a->line, TD_STACK_LINE_FUNCTION) ==
               td_series_get(lines, b->line, TD_STACK_LINE_FUNCTION) &&
           td_ghost_is_inline(trace, a) == td_ghost_is_inline(trace, b);
}

struct ghost_maker {
    const struct td_trace *trace;
    struct td_ghosts *to;
    struct td_ghost open[TD_GHOST_ROWS], next[TD_GHOST_ROWS];
    uint32_t depth; /* of `open` */
};

/* Ends the zones from this level on. */
static int close_levels(struct ghost_maker *m, uint32_t level, int64_t end_ns)
{
    for (uint32_t i = level; i < m->depth; i++) {
        struct td_ghost_row *row = &m->to->rows[i];
        m->open[i].end_ns = end_ns;
        if (TD_APPEND(row->zones, row->count, row->capacity, m->open[i]) < 0)
            return TD_E_NOMEM;
    }
    m->depth = level < m->depth ? level : m->depth;
    return 0;
}

static int add_sample(struct ghost_maker *m, uint32_t stack, int64_t start_ns)
{
    const uint32_t depth = expand_stack(m->trace, stack, m->next);
    uint32_t same = 0;
    while (same < depth && same < m->depth && is_same_function(m->trace, &m->open[same], &m->next[same]))
        same++;
    if (close_levels(m, same, start_ns) < 0)
        return TD_E_NOMEM;
    for (uint32_t i = same; i < depth; i++) {
        m->open[i] = m->next[i];
        m->open[i].start_ns = start_ns;
    }
    m->depth = depth;
    if (m->to->row_count < depth)
        m->to->row_count = depth;
    return 0;
}

int td_ghosts_make(struct td_ghosts *ghosts, const struct td_trace *trace, uint32_t track,
                   const struct td_job *job)
{
    const struct td_series *samples = td_trace_list(trace, TD_TABLE_SAMPLE, track);
    const uint64_t count = td_series_count(samples);
    struct switch_cursor switches = {td_trace_list(trace, TD_TABLE_SWITCH_SAMPLE, track), 0};
    const int64_t period = td_sample_period_ns(trace);
    struct ghost_maker *m = calloc(1, sizeof *m);
    int64_t last = 0;
    bool stopped = false;
    *ghosts = (struct td_ghosts){.rows = calloc(TD_GHOST_ROWS, sizeof *ghosts->rows)};
    int rc = m && ghosts->rows ? 0 : TD_E_NOMEM;
    if (m)
        *m = (struct ghost_maker){.trace = trace, .to = ghosts};
    for (uint64_t i = 0; rc == 0 && i < count && !stopped; i++) {
        const int64_t time = td_series_get(samples, i, TD_SAMPLE_TIME);
        if (is_switch(&switches, time))
            continue;
        if (ghosts->samples++ && time - last > 2 * period)
            rc = close_levels(m, 0, last + period);
        rc = rc ? rc : add_sample(m, (uint32_t)td_series_get(samples, i, TD_SAMPLE_STACK), time);
        last = time;
        stopped = job && i % STEP == 0 && td_job_cancelled(job);
    }
    if (rc == 0 && ghosts->samples)
        rc = close_levels(m, 0, last + period);
    free(m);
    if (rc < 0 || stopped)
        td_ghosts_free(ghosts);
    return rc;
}

void td_ghosts_free(struct td_ghosts *ghosts)
{
    for (uint32_t i = 0; ghosts->rows && i < TD_GHOST_ROWS; i++)
        free(ghosts->rows[i].zones);
    free(ghosts->rows);
    *ghosts = (struct td_ghosts){0};
}

size_t td_ghosts_bytes(const struct td_ghosts *ghosts)
{
    size_t bytes = sizeof *ghosts + TD_GHOST_ROWS * sizeof *ghosts->rows;
    for (uint32_t i = 0; i < ghosts->row_count; i++)
        bytes += ghosts->rows[i].capacity * sizeof *ghosts->rows[i].zones;
    return bytes;
}

size_t td_ghosts_after(const struct td_ghost_row *row, size_t from, double time_ns)
{
    TD_BISECT_NEAR(from, row->count, i, (double)row->zones[i].end_ns <= time_ns);
    return from;
}

/* ---- facts ---- */

uint64_t td_ghost_address(const struct td_trace *trace, const struct td_ghost *ghost)
{
    const struct td_series *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY);
    return td_frame_address((uint64_t)td_series_get(entries, ghost->entry, TD_STACK_ENTRY_FRAME));
}

bool td_ghost_is_kernel(const struct td_trace *trace, const struct td_ghost *ghost)
{
    return td_is_kernel_address(td_ghost_address(trace, ghost));
}

bool td_ghost_is_inline(const struct td_trace *trace, const struct td_ghost *ghost)
{
    const struct td_series *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY);
    uint64_t first, end;
    return ghost->line != TD_GHOST_NO_LINE &&
           td_trace_frame_lines(trace, (uint64_t)td_series_get(entries, ghost->entry, TD_STACK_ENTRY_FRAME),
                                &first, &end) >= 0 &&
           ghost->line + 1 < end;
}

const char *td_ghost_name(const struct td_trace *trace, const struct td_ghost *ghost, char room[32])
{
    const struct td_series *lines = td_trace_table(trace, TD_TABLE_STACK_LINE);
    if (ghost->line != TD_GHOST_NO_LINE && ghost->line < td_series_count(lines))
        return td_dict_text(td_trace_dict(trace),
                            (uint32_t)td_series_get(lines, ghost->line, TD_STACK_LINE_FUNCTION));
    snprintf(room, 32, "0x%" PRIx64, td_ghost_address(trace, ghost));
    return room;
}
