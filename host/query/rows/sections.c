#include "host/query/rows/sections.h"
#include "host/base/compare.h"
#include "host/base/sorted.h"
#include "host/trace/tables.h"

#include <stdlib.h>

TD_COMPARE(compare_numbers, struct td_section_category, TD_UP(number))

static int compare_starts(const void *a, const void *b)
{
    const struct td_section_item *x = a, *y = b;
    if (x->category != y->category)
        return x->category < y->category ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return x->end_ns > y->end_ns ? -1 : x->end_ns < y->end_ns; /* outer ones first */
}

static int compare_lanes(const void *a, const void *b)
{
    const struct td_section_item *x = a, *y = b;
    if (x->category == y->category && x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return compare_starts(a, b);
}

static uint32_t find_category(const struct td_sections *s, uint64_t number)
{
    uint32_t c = 0;
    while (c < s->category_count && s->categories[c].number != number)
        c++;
    return c;
}

static int read_categories(struct td_sections *s, const struct td_trace *trace, const struct td_series *rows)
{
    const struct td_series *named = td_trace_table(trace, TD_TABLE_SECTION_CATEGORY);
    for (uint64_t i = 0; i < td_series_count(rows); i++) {
        const uint64_t number = (uint64_t)td_series_get(rows, i, TD_SECTION_CATEGORY);
        if (find_category(s, number) < s->category_count)
            continue;
        struct td_section_category *more =
            realloc(s->categories, ((size_t)s->category_count + 1) * sizeof *more);
        if (!more)
            return TD_E_NOMEM;
        s->categories = more;
        more[s->category_count++] = (struct td_section_category){.number = number};
    }
    if (s->category_count)
        qsort(s->categories, s->category_count, sizeof *s->categories, compare_numbers);
    for (uint64_t i = 0; i < td_series_count(named); i++) {
        const uint32_t c = find_category(s, (uint64_t)td_series_get(named, i, TD_SECTION_CATEGORY_CATEGORY));
        if (c < s->category_count)
            s->categories[c].text = (uint32_t)td_series_get(named, i, TD_SECTION_CATEGORY_TEXT);
    }
    return 0;
}

/* Puts each item, in order of time, into the first lane that is free. */
static int choose_lanes(struct td_sections *s)
{
    int64_t *ends = malloc((s->count + 1) * sizeof *ends); /* of the lanes of a category */
    if (!ends)
        return TD_E_NOMEM;
    for (size_t i = 0; i < s->count; i++) {
        struct td_section_item *item = &s->items[i];
        struct td_section_category *c = &s->categories[item->category];
        c->first = c->count++ ? c->first : i;
        while (item->lane < c->lanes && ends[item->lane] > item->start_ns)
            item->lane++;
        c->lanes += item->lane == c->lanes;
        ends[item->lane] = item->end_ns;
    }
    free(ends);
    if (s->count)
        qsort(s->items, s->count, sizeof *s->items, compare_lanes);
    return 0;
}

int td_sections_build(struct td_sections *s, const struct td_trace *trace)
{
    const struct td_series *rows = td_trace_table(trace, TD_TABLE_SECTION);
    *s = (struct td_sections){0};
    int rc = read_categories(s, trace, rows);
    s->items = malloc((size_t)(td_series_count(rows) + 1) * sizeof *s->items);
    for (uint64_t i = 0; rc == 0 && s->items && i < td_series_count(rows); i++) {
        const int64_t start = td_series_get(rows, i, TD_SECTION_START),
                      end = td_series_get(rows, i, TD_SECTION_END);
        const uint32_t category = find_category(s, (uint64_t)td_series_get(rows, i, TD_SECTION_CATEGORY));
        if (category < s->category_count) /* else it came after the categories were read */
            s->items[s->count++] =
                (struct td_section_item){.start_ns = start,
                                         .end_ns = end < start ? TD_OPEN : end,
                                         .text = (uint32_t)td_series_get(rows, i, TD_SECTION_TEXT),
                                         .category = category};
    }
    if (s->items && s->count)
        qsort(s->items, s->count, sizeof *s->items, compare_starts);
    rc = rc < 0 || !s->items ? TD_E_NOMEM : choose_lanes(s);
    if (rc < 0)
        td_sections_free(s);
    return rc;
}

void td_sections_free(struct td_sections *s)
{
    free(s->items);
    free(s->categories);
    *s = (struct td_sections){0};
}

size_t td_sections_after(const struct td_sections *s, uint32_t category, uint32_t lane, double time_ns,
                         size_t *end)
{
    const struct td_section_category *c = &s->categories[category];
    const struct td_section_item *at = s->items;
    size_t low = c->first,
           high = c->first +
                  c->count; /* the first of the lane that ends after the time, or of a lane after it */
    TD_BISECT(low, high, i, at[i].lane < lane || (at[i].lane == lane && (double)at[i].end_ns <= time_ns));
    *end = low;
    high = c->first + c->count;
    TD_BISECT(*end, high, i, at[i].lane <= lane);
    return low;
}
