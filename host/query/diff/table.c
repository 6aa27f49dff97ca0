#include "host/query/diff/table.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/query/diff/samples.h"

#include <stdlib.h>
#include <string.h>

struct found_row {
    const struct td_stat *stat;
    const char *name, *file;
    uint32_t line;
    size_t entry;
};

const char *td_compare_by_name(enum td_compare_by by)
{
    static const char *const names[TD_COMPARE_TABLES] = {"zone", "op", "core", "text"};
    return names[by];
}

TD_COMPARE(by_key, struct found_row, TD_UP_TEXT(name) TD_UP_TEXT(file))

TD_COMPARE(entry_by_key, struct td_compare_entry, TD_UP_TEXT(name) TD_UP_TEXT(file))

int64_t td_compare_impact_ns(const struct td_compare_entry *entry)
{
    return (int64_t)((uint64_t)entry->side[1].total_ns - (uint64_t)entry->side[0].total_ns);
}

static uint64_t size_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static int by_impact(const void *a, const void *b)
{
    const struct td_compare_entry *x = a, *y = b;
    uint64_t left = size_of(td_compare_impact_ns(x)), right = size_of(td_compare_impact_ns(y));
    return left != right ? (left < right ? 1 : -1) : entry_by_key(a, b);
}

static void add_stat(struct td_compare_side *side, const struct td_stat *stat, uint32_t line)
{
    if (stat->timed) {
        side->min_ns = !side->timed || stat->min_ns < side->min_ns ? stat->min_ns : side->min_ns;
        side->max_ns = stat->max_ns > side->max_ns ? stat->max_ns : side->max_ns;
    }
    side->line = side->count ? side->line : line;
    side->count += stat->count;
    side->timed += stat->timed;
    side->total_ns = td_wrap_add(side->total_ns, stat->total_ns);
    side->self_ns = td_wrap_add(side->self_ns, stat->self_ns);
    side->mean_ns = side->timed ? (double)side->total_ns / (double)side->timed : 0;
}

/* Index of the entry with that name and file among the first `sorted` ones, or of a new entry at the end.
 * SIZE_MAX: out of memory. */
static size_t entry_of(struct td_compare_table *t, size_t sorted, const struct found_row *f)
{
    struct td_compare_entry key = {.name = (char *)f->name, .file = (char *)f->file}; /* only read */
    struct td_compare_entry *have =
        sorted ? bsearch(&key, t->entries, sorted, sizeof *t->entries, entry_by_key) : NULL;
    if (have)
        return (size_t)(have - t->entries);
    if (td_grow(&t->entries, &t->capacity, t->count + 1, sizeof *t->entries) < 0)
        return SIZE_MAX;
    struct td_compare_entry *e = &t->entries[t->count];
    *e = (struct td_compare_entry){.name = strdup(f->name), .file = strdup(f->file)};
    if (!e->name || !e->file) {
        free(e->name);
        free(e->file);
        return SIZE_MAX;
    }
    return t->count++;
}

static struct found_row *find_all(const struct td_trace *trace, const struct td_stat *stats, size_t all,
                                  size_t *count)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct found_row *found = stats ? calloc(all + 1, sizeof *found) : NULL;
    *count = 0;
    for (size_t i = 0; found && i < all; i++) {
        const struct td_srcloc *loc = td_dict_get_srcloc(dict, stats[i].srcloc);
        if (stats[i].count)
            found[(*count)++] = (struct found_row){.stat = &stats[i],
                                                   .name = td_dict_zone_name(dict, stats[i].srcloc),
                                                   .file = td_dict_text(dict, loc->file),
                                                   .line = loc->line};
    }
    if (found)
        qsort(found, *count, sizeof *found, by_key);
    return found;
}

static int add_percentiles(struct td_compare_table *table, const struct td_trace *trace,
                           const struct found_row *found, size_t found_count, int side)
{
    static const double fractions[] = {.5, .99};
    const struct td_stat *stats;
    size_t used = td_trace_stats(trace, &stats);
    uint32_t *entries = malloc((used + 1) * sizeof *entries);
    int64_t *values = calloc(table->count + 1, sizeof fractions / sizeof *fractions * sizeof *values);
    int rc = stats && entries && values ? 0 : TD_E_NOMEM;
    for (size_t i = 0; rc == 0 && i < used; i++)
        entries[i] = TD_TRACE_NO_GROUP;
    for (size_t i = 0; rc == 0 && i < found_count; i++)
        entries[found[i].stat - stats] = (uint32_t)found[i].entry;
    rc = rc ? rc : td_trace_percentiles(trace, entries, table->count, fractions, 2, values);
    for (size_t i = 0; rc == 0 && i < table->count; i++) {
        table->entries[i].side[side].median_ns = (double)values[2 * i];
        table->entries[i].side[side].p99_ns = (double)values[2 * i + 1];
    }
    free(values);
    free(entries);
    return rc;
}

int td_compare_table_add(struct td_compare_table *table, const struct td_trace *trace, int side,
                         struct td_err *err)
{
    const struct td_stat *stats;
    const size_t all = td_trace_stats(trace, &stats);
    return td_compare_table_add_stats(table, trace, stats, all, side, err);
}

int td_compare_table_add_stats(struct td_compare_table *table, const struct td_trace *trace,
                               const struct td_stat *stats, size_t all, int side, struct td_err *err)
{
    size_t count, before = table->count;
    struct found_row *found = find_all(trace, stats, all, &count);
    int rc = found ? 0 : TD_E_NOMEM;
    if (before)
        qsort(table->entries, before, sizeof *table->entries, entry_by_key);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        int same = i && by_key(&found[i - 1], &found[i]) == 0;
        found[i].entry = same ? found[i - 1].entry : entry_of(table, before, &found[i]);
        if (found[i].entry == SIZE_MAX)
            rc = TD_E_NOMEM;
        else
            add_stat(&table->entries[found[i].entry].side[side], found[i].stat, found[i].line);
    }
    if (rc == 0 && table->percentiles)
        rc = add_percentiles(table, trace, found, count, side);
    free(found);
    if (rc == 0 && table->count)
        qsort(table->entries, table->count, sizeof *table->entries, by_impact);
    return rc ? td_fail_no_memory(err, NULL) : 0;
}

int td_compare_table_add_samples(struct td_compare_table *table, struct td_compare_samples *samples, int side,
                                 struct td_err *err)
{
    size_t before = table->count;
    int rc = 0;
    td_compare_samples_finish(samples);
    if (before)
        qsort(table->entries, before, sizeof *table->entries, entry_by_key);
    for (size_t i = 0; rc == 0 && i < samples->count; i++) {
        const struct found_row found = {.name = samples->groups[i].name, .file = ""};
        size_t entry = entry_of(table, before, &found);
        if (entry == SIZE_MAX)
            rc = TD_E_NOMEM;
        else
            table->entries[entry].side[side] = samples->groups[i].sums;
    }
    if (rc == 0 && table->count)
        qsort(table->entries, table->count, sizeof *table->entries, by_impact);
    return rc ? td_fail_no_memory(err, NULL) : 0;
}

void td_compare_table_free(struct td_compare_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        free(table->entries[i].name);
        free(table->entries[i].file);
    }
    free(table->entries);
    *table = (struct td_compare_table){0};
}
