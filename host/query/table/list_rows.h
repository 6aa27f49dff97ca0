/* The rows of a table of the model that has a list for each parent, numbered through: those of parent 0, then those of
 * parent 1 ... */
#pragma once
#include "host/trace/tables.h"

struct td_list_rows { /* all zero: of a table with one list */
    uint64_t *end;    /* of each parent's rows */
    uint64_t lists;
};

/* *count: how many rows there are. 0 or TD_E_NOMEM. */
int td_list_rows_make(struct td_list_rows *lists, const struct td_trace *trace, enum td_table table,
                      uint64_t *count);
void td_list_rows_free(struct td_list_rows *lists);
/* The parent of a row, whose number in the parent's list *row becomes. */
uint64_t td_list_rows_find(const struct td_list_rows *lists, uint64_t *row);
