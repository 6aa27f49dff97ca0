/* Columns of a report by name, and the values of one row. Columns of td_tt_ops_column come first and have
 * their numbers; others get the next ones when they are first named. */
#pragma once
#include "host/event/name_table.h"
#include "host/report/tt/text_arena.h"
#include "host/tt/ops_report_write.h"

struct td_columns { /* all zero: not initialised */
    struct td_tt_text *names;
    bool *used; /* a row has a value */
    size_t count, room, used_room;
    struct td_name_table by_name;
};
int td_columns_init(struct td_columns *columns); /* 0 or TD_E_NOMEM */
void td_columns_free(struct td_columns *columns);
/* The number of a column; SIZE_MAX: no memory. */
size_t td_columns_number(struct td_columns *columns, struct td_tt_text name);
/* The numbers of the columns to write, in tt-metal's order: fixed ones, with those of tensors in their
 * middle; others; host functions by name. `all`: also fixed columns that no row uses. The caller frees;
 * NULL: no memory. */
size_t *td_columns_order(const struct td_columns *columns, bool all, size_t *count);

struct td_row_values {
    struct td_tt_text *value; /* by number of a column */
    size_t room;
};
/* Sets a value and marks its column as used. 0 or TD_E_NOMEM. */
int td_row_values_set(struct td_row_values *row, struct td_columns *columns, size_t column,
                      struct td_tt_text value);
static inline struct td_tt_text td_row_values_get(const struct td_row_values *row, size_t column)
{
    return column < row->room && row->value[column].at ? row->value[column] : TD_TT_TEXT_NONE;
}
void td_row_values_clear(struct td_row_values *row);
void td_row_values_free(struct td_row_values *row);
