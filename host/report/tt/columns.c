#include "host/report/tt/columns.h"
#include "host/base/grow.h"
#include "host/tt/ops_report_read.h"

#include <stdlib.h>

int td_columns_init(struct td_columns *c)
{
    *c = (struct td_columns){0};
    for (int i = 0; i < TD_TT_OPS_COLUMN_COUNT; i++)
        if (td_columns_number(c, td_tt_text_of(td_tt_ops_column_name((enum td_tt_ops_column)i))) == SIZE_MAX)
            return TD_E_NOMEM;
    return 0;
}

void td_columns_free(struct td_columns *c)
{
    free(c->names);
    free(c->used);
    td_name_table_free(&c->by_name);
    *c = (struct td_columns){0};
}

size_t td_columns_number(struct td_columns *c, struct td_tt_text name)
{
    const uint32_t number = td_name_table_number(&c->by_name, name.at, name.bytes);
    if (number == UINT32_MAX || td_grow(&c->names, &c->room, number + 1, sizeof *c->names) < 0 ||
        td_grow(&c->used, &c->used_room, number + 1, sizeof *c->used) < 0)
        return SIZE_MAX;
    if (number == c->count) {
        c->names[c->count] = (struct td_tt_text){td_name_table_at(&c->by_name, number), name.bytes};
        c->used[c->count++] = false;
    }
    return number;
}

/* A column that is not fixed, for sorting. */
struct free_column {
    const struct td_tt_text *name;
    size_t number;
    int group; /* 0 tensors, 1 others, 2 host functions */
    struct td_tt_tensor_place place;
};

static int compare_names(const struct td_tt_text *a, const struct td_tt_text *b)
{
    const size_t least = a->bytes < b->bytes ? a->bytes : b->bytes;
    const int order = memcmp(a->at, b->at, least);
    return order ? order : a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static int compare_columns(const void *a, const void *b)
{
    const struct free_column *x = a, *y = b;
    if (x->group != y->group)
        return x->group - y->group;
    if (x->group == 2)
        return compare_names(x->name, y->name);
    if (x->group == 0 && x->place.output != y->place.output)
        return x->place.output - y->place.output;
    if (x->group == 0 && x->place.number != y->place.number)
        return x->place.number < y->place.number ? -1 : 1;
    if (x->group == 0 && x->place.part != y->place.part)
        return x->place.part < y->place.part ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static struct free_column describe_column(const struct td_columns *c, size_t number)
{
    static const char host[] = TD_TT_HOST_FUNC;
    const struct td_tt_text *name = &c->names[number];
    struct free_column column = {.name = name, .number = number, .group = 1};
    char text[128];
    if (name->bytes >= sizeof host - 1 &&
        !memcmp(name->at + name->bytes - (sizeof host - 1), host, sizeof host - 1))
        column.group = 2;
    else if (name->bytes < sizeof text) {
        memcpy(text, name->at, name->bytes);
        text[name->bytes] = 0;
        column.group = td_tt_tensor_place_read(text, &column.place) ? 0 : 1;
    }
    return column;
}

size_t *td_columns_order(const struct td_columns *c, bool all, size_t *count)
{
    const size_t fixed = TD_TT_OPS_COLUMN_COUNT;
    size_t *order = malloc((c->count + 1) * sizeof *order), n = 0, others = 0, at = 0;
    struct free_column *other = malloc((c->count - fixed + 1) * sizeof *other);
    *count = 0;
    if (!order || !other) {
        free(order);
        free(other);
        return NULL;
    }
    for (size_t i = fixed; i < c->count; i++)
        if (c->used[i])
            other[others++] = describe_column(c, i);
    qsort(other, others, sizeof *other, compare_columns);
    for (size_t i = 0; i < fixed; i++) {
        if (i == TD_TT_OPS_TENSORS)
            for (; at < others && other[at].group == 0; at++)
                order[n++] = other[at].number;
        if (all || c->used[i])
            order[n++] = i;
    }
    for (; at < others; at++)
        order[n++] = other[at].number;
    free(other);
    *count = n;
    return order;
}

int td_row_values_set(struct td_row_values *row, struct td_columns *columns, size_t column,
                      struct td_tt_text value)
{
    const size_t had = row->room;
    if (column == SIZE_MAX || td_grow(&row->value, &row->room, column + 1, sizeof *row->value) < 0)
        return TD_E_NOMEM;
    memset(row->value + had, 0, (row->room - had) * sizeof *row->value);
    row->value[column] = value;
    columns->used[column] = true;
    return 0;
}

void td_row_values_clear(struct td_row_values *row)
{
    if (row->room)
        memset(row->value, 0, row->room * sizeof *row->value);
}

void td_row_values_free(struct td_row_values *row)
{
    free(row->value);
    *row = (struct td_row_values){0};
}
