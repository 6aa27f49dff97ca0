#include "tests/file/tables.h"

#include <stdio.h>
#include <string.h>

static int same_string(const struct td_trace *a, int64_t x, const struct td_trace *b, int64_t y)
{
    const struct td_dict *d = td_trace_dict(a), *e = td_trace_dict(b);
    size_t bytes = td_dict_text_bytes(d, (uint32_t)x);
    return bytes == td_dict_text_bytes(e, (uint32_t)y) &&
           !memcmp(td_dict_text(d, (uint32_t)x), td_dict_text(e, (uint32_t)y), bytes);
}

static int same_location(const struct td_trace *a, int64_t x, const struct td_trace *b, int64_t y)
{
    const struct td_srcloc *s = td_dict_get_srcloc(td_trace_dict(a), (uint32_t)x);
    const struct td_srcloc *t = td_dict_get_srcloc(td_trace_dict(b), (uint32_t)y);
    return same_string(a, s->name, b, t->name) && same_string(a, s->function, b, t->function) &&
           same_string(a, s->file, b, t->file) && s->line == t->line && s->color == t->color;
}

static int same_bytes(int64_t x, int64_t x_bytes, int64_t y, int64_t y_bytes)
{
    return x_bytes == y_bytes && (!x_bytes || !memcmp(td_trace_blob(x), td_trace_blob(y), (size_t)x_bytes));
}

static int same_value(const struct td_trace *a, const struct td_trace *b, enum td_column_type type,
                      const int64_t *x, const int64_t *y)
{
    switch (type) {
    case TD_TYPE_STRING:
        return same_string(a, *x, b, *y);
    case TD_TYPE_SRCLOC:
        return same_location(a, *x, b, *y);
    case TD_TYPE_TRACK:
        return td_dict_get_track(td_trace_dict(a), (uint32_t)*x)->thread ==
               td_dict_get_track(td_trace_dict(b), (uint32_t)*y)->thread;
    case TD_TYPE_BLOB:
        return same_bytes(x[0], x[1], y[0], y[1]);
    default:
        return *x == *y;
    }
}

static const char *list_difference(const struct td_trace *a, const struct td_trace *b, enum td_table table,
                                   uint64_t list, becomes become, uint32_t version)
{
    static char text[200];
    const struct td_table_shape *shape = td_table_get_shape(table);
    const struct td_series *s = td_trace_list(a, table, list), *t = td_trace_list(b, table, list);
    uint64_t count = td_series_count(s);
    if (count != td_series_count(t)) {
        snprintf(text, sizeof text, "%s %llu has %llu and %llu rows", shape->name, (unsigned long long)list,
                 (unsigned long long)count, (unsigned long long)td_series_count(t));
        return text;
    }
    for (uint64_t i = 0; i < count; i++) {
        int64_t x[TD_SERIES_COLUMNS], y[TD_SERIES_COLUMNS], wanted[TD_SERIES_COLUMNS];
        td_series_row(s, i, x);
        td_series_row(t, i, y);
        for (unsigned c = 0; c < shape->columns; c++)
            wanted[c] = become ? become(a, table, c, x, version) : x[c];
        for (unsigned c = 0; c < shape->columns; c++) {
            if (same_value(a, b, shape->column[c].type, &wanted[c], &y[c]))
                continue;
            snprintf(text, sizeof text, "%s %llu row %llu: %s is %lld, not %lld", shape->name,
                     (unsigned long long)list, (unsigned long long)i, shape->column[c].name, (long long)y[c],
                     (long long)wanted[c]);
            return text;
        }
    }
    return NULL;
}

const char *table_difference(const struct td_trace *a, const struct td_trace *b, enum td_table table,
                             becomes become, uint32_t version)
{
    uint64_t x = td_trace_lists(a, table), y = td_trace_lists(b, table);
    for (uint64_t list = 0; list < (x > y ? x : y); list++) {
        const char *what = list_difference(a, b, table, list, become, version);
        if (what)
            return what;
    }
    return NULL;
}
