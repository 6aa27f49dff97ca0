#include "host/query/rows/busy.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"

#include <stdlib.h>

/* A row's own length. The last row may be open; it is counted by td_busy_until(). */
static int64_t length_of(const struct td_busy *b, uint64_t row)
{
    const int64_t start = td_series_get(b->rows, row, b->start);
    int64_t end = td_series_get(b->rows, row, b->end);
    if (end < start && row + 1 < td_series_count(b->rows))
        end = td_series_get(b->rows, row + 1, b->start);
    return end > start ? end - start : 0;
}

static void add_row(const struct td_busy *b, struct td_busy_times *to, uint64_t row, int64_t length)
{
    if (b->is_other && b->is_other(b->self, (uint64_t)td_series_get(b->rows, row, b->thread)))
        to->other_ns += length;
    else
        to->own_ns += length;
}

int td_busy_update(struct td_busy *b, uint64_t *most)
{
    const uint64_t rows = td_series_count(b->rows);
    if (!b->count) {
        if (td_grow(&b->marks, &b->capacity, 1, sizeof *b->marks) < 0)
            return TD_E_NOMEM;
        b->marks[b->count++] = (struct td_busy_times){0};
    }
    /* The last row may still change: a block is marked when another row follows. */
    while (b->count * TD_BUSY_BLOCK < rows) {
        if (*most < TD_BUSY_BLOCK)
            return 1;
        *most -= TD_BUSY_BLOCK;
        struct td_busy_times sum = b->marks[b->count - 1];
        for (uint64_t i = (b->count - 1) * TD_BUSY_BLOCK; i < b->count * TD_BUSY_BLOCK; i++)
            add_row(b, &sum, i, length_of(b, i));
        if (TD_APPEND(b->marks, b->count, b->capacity, sum) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

void td_busy_free(struct td_busy *b)
{
    free(b->marks);
    *b = (struct td_busy){0};
}

struct td_busy_times td_busy_before(const struct td_busy *b, uint64_t row)
{
    size_t mark = (size_t)(row / TD_BUSY_BLOCK);
    if (!b->count)
        return (struct td_busy_times){0};
    mark = mark < b->count ? mark : b->count - 1;
    struct td_busy_times sum = b->marks[mark];
    for (uint64_t i = mark * TD_BUSY_BLOCK; i < row; i++)
        add_row(b, &sum, i, length_of(b, i));
    return sum;
}

int64_t td_busy_end(const struct td_busy *b, uint64_t row, int64_t open_ns)
{
    const int64_t start = td_series_get(b->rows, row, b->start), end = td_series_get(b->rows, row, b->end);
    if (end >= start)
        return end;
    if (row + 1 < td_series_count(b->rows))
        return td_series_get(b->rows, row + 1, b->start);
    return open_ns > start ? open_ns : start;
}

struct td_busy_times td_busy_until(const struct td_busy *b, int64_t time_ns, int64_t open_ns)
{
    const uint64_t after = td_series_after(b->rows, b->start, time_ns);
    if (!after)
        return (struct td_busy_times){0};
    struct td_busy_times sum = td_busy_before(b, after - 1);
    const int64_t start = td_series_get(b->rows, after - 1, b->start);
    const int64_t end = td_busy_end(b, after - 1, open_ns), until = end < time_ns ? end : time_ns;
    add_row(b, &sum, after - 1, until > start ? until - start : 0);
    return sum;
}

uint64_t td_busy_from(const struct td_busy *b, uint64_t from, int64_t time_ns)
{
    TD_BISECT_NEAR(from, td_series_count(b->rows), i, td_series_get(b->rows, i, b->start) < time_ns);
    return from;
}

uint64_t td_busy_at(const struct td_busy *b, int64_t time_ns)
{
    const uint64_t after = td_series_after(b->rows, b->start, time_ns);
    return after && td_busy_end(b, after - 1, INT64_MAX) > time_ns ? after - 1 : after;
}
