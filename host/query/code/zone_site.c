#include "host/query/code/zone_site.h"
#include "host/query/code/symbol_ranges.h"
#include "host/query/code/symbol_sums.h"
#include "host/trace/tables.h"

#include <string.h>

#define TAIL_MOST 15 /* components of paths that are compared */

/* How well code fits a marker, compared field by field. */
struct fit {
    bool is_line;  /* it has the very line; else the function has the location's name */
    uint32_t tail; /* components at the ends of both paths that are equal */
    bool has_code; /* in the trace */
    uint32_t past; /* lines after the marker's */
    uint64_t address;
};

struct finder {
    const struct td_trace *trace;
    const struct td_dict *dict;
    struct td_srcloc loc;
    struct td_symbol_ranges ranges;
    struct td_zone_site *site;
    struct fit best;
    bool any;
    uint32_t file, tail; /* the file whose path was compared last, and the result */
};

/* The number of components at the ends of both paths that are equal; 0: the files have different names. */
static uint32_t common_tail(const char *a, const char *b)
{
    const char *x = a + strlen(a), *y = b + strlen(b);
    uint32_t common = 0;
    while (common < TAIL_MOST) {
        while (x > a && y > b && x[-1] == y[-1] && x[-1] != '/')
            x--, y--;
        if ((x > a && x[-1] != '/') || (y > b && y[-1] != '/'))
            break;
        common++;
        if (x == a || y == b)
            break;
        x--, y--;
    }
    return common;
}

static uint32_t tail_of(struct finder *f, uint32_t file)
{
    if (file != f->file) {
        f->file = file;
        f->tail = common_tail(td_dict_text(f->dict, file), td_dict_text(f->dict, f->loc.file));
    }
    return f->tail;
}

static bool is_its_function(const struct finder *f, uint32_t name)
{
    return f->loc.function &&
           td_is_function_name(td_dict_text(f->dict, name), td_dict_text(f->dict, f->loc.function));
}

static bool is_better(const struct fit *a, const struct fit *b)
{
    if (a->is_line != b->is_line)
        return a->is_line;
    if (a->tail != b->tail)
        return a->tail > b->tail;
    if (a->has_code != b->has_code)
        return a->has_code;
    return a->past != b->past ? a->past < b->past : a->address < b->address;
}

static void take_line(struct finder *f, uint64_t address, const int64_t *line)
{
    const uint32_t file = (uint32_t)line[TD_STACK_LINE_FILE], at = (uint32_t)line[TD_STACK_LINE_LINE];
    struct fit fit = {.is_line = at == f->loc.line, .past = at - f->loc.line, .address = address};
    if (!at || at < f->loc.line || !(fit.tail = tail_of(f, file)) ||
        (!fit.is_line && !is_its_function(f, (uint32_t)line[TD_STACK_LINE_FUNCTION])))
        return;
    const struct td_symbol_range *range = td_symbol_ranges_find(&f->ranges, address);
    if (!range)
        return;
    fit.has_code = range->code >= 0;
    if (f->any && !is_better(&fit, &f->best))
        return;
    f->any = true;
    f->best = fit;
    *f->site = (struct td_zone_site){.function = range->address, .address = address, .file = file};
}

static int take_frames(struct finder *f, const struct td_progress *progress)
{
    const struct td_series *frames = td_trace_table(f->trace, TD_TABLE_STACK_FRAME),
                           *lines = td_trace_table(f->trace, TD_TABLE_STACK_LINE);
    const uint64_t count = td_series_count(frames), known = td_series_count(lines);
    int rc = 0;
    for (uint64_t i = 0, at = 0; i < count && rc == 0; i++) {
        const uint64_t id = (uint64_t)td_series_get(frames, i, TD_STACK_FRAME_FRAME),
                       end = (uint64_t)td_series_get(frames, i, TD_STACK_FRAME_END);
        for (; at < end && at < known; at++) {
            int64_t line[TD_STACK_LINE_COLUMN_COUNT];
            td_series_row(lines, at, line);
            if (!(id & TD_FRAME_SCRIPTED))
                take_line(f, td_frame_address(id), line);
        }
        if (i % 4096 == 4095)
            rc = td_samples_step(progress, i, count);
    }
    return rc;
}

/* Without lines of code: the function by its name and file. */
static void take_symbols(struct finder *f)
{
    const struct td_series *symbols = td_trace_table(f->trace, TD_TABLE_SYMBOL);
    for (size_t i = 0; i < f->ranges.count; i++) {
        const struct td_symbol_range *range = &f->ranges.at[i];
        int64_t row[TD_SYMBOL_COLUMN_COUNT];
        if (range->row < 0)
            continue;
        td_series_row(symbols, (uint64_t)range->row, row);
        const uint32_t file = (uint32_t)row[TD_SYMBOL_FILE];
        const struct fit fit = {
            .tail = tail_of(f, file), .has_code = range->code >= 0, .address = range->address};
        if (!fit.tail || !is_its_function(f, (uint32_t)row[TD_SYMBOL_NAME]) ||
            (f->any && !is_better(&fit, &f->best)))
            continue;
        f->any = true;
        f->best = fit;
        *f->site = (struct td_zone_site){range->address, range->address, file};
    }
}

int td_zone_site_find(const struct td_trace *trace, uint32_t srcloc, const struct td_progress *progress,
                      struct td_zone_site *site, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct finder f = {.trace = trace, .dict = dict, .loc = *td_dict_get_srcloc(dict, srcloc), .site = site};
    *site = (struct td_zone_site){0};
    if (!f.loc.file)
        return td_fail(err, TD_E_NOTFOUND, "the place of the zone in the source is not known");
    int rc = td_symbol_ranges_make(&f.ranges, trace);
    rc = rc ? rc : take_frames(&f, progress);
    if (rc == 0 && !f.any)
        take_symbols(&f);
    td_symbol_ranges_free(&f.ranges);
    if (rc == TD_E_NOMEM)
        return td_fail_no_memory(err, "for functions");
    if (rc == 0 && !f.any)
        return td_fail(err, TD_E_NOTFOUND, "the trace has no code of this zone's function");
    return rc < 0 ? td_fail(err, rc, "stopped") : 0;
}
