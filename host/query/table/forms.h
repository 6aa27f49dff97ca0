/* The forms of a table's rows. A form has the columns that the table names for it, else all. */
#pragma once
#include "host/base/json.h"
#include "host/query/table/query_table.h"
#include "host/query/table/row_order.h"

#include <stdio.h>

/* ---- which columns ---- */

#define TD_QUERY_COLUMNS_MAX 32

struct td_query_choice {
    struct td_query_chosen {
        const struct td_query_column *column;
        char head[32];
        int width; /* of text, in characters; 0: as wide as it is */
    } at[TD_QUERY_COLUMNS_MAX];
    size_t count;
};

/* By names of columns with spaces between them, each "key", "head=key" or "head=key:width". NULL: all, with their keys.
 * False: a column has no such name, or there are too many. */
bool td_query_choose(struct td_query_choice *choice, const struct td_query_table *table, const char *names);

/* The column of that name; NULL: there is none. */
const struct td_query_column *td_query_column_named(const struct td_query_table *table, const char *key);

/* ---- forms: with `order` NULL, all rows as they were made ---- */

/* The columns of one row, into the object that is open. */
void td_query_json_row(struct td_json *j, const struct td_query_rows *rows, uint64_t row);
/* An array of objects. 0, or TD_E_NOMEM: a row lacks its further tables. */
int td_query_json(struct td_json *j, const char *key, const struct td_query_rows *rows,
                  const struct td_query_order *order);
/* The same for all of a table, made for it. 0 or TD_E_NOMEM. */
int td_query_json_table(struct td_json *j, const char *key, const struct td_query_table *table,
                        const struct td_query_request *request);
/* A line for each row with tabs between its cells (cell_text.h), after one with the columns' names. */
void td_query_lines(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order);
/* The same with commas, texts in quotation marks where they need them (RFC 4180). */
void td_query_csv(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order);

/* ---- the pieces ---- */

/* A number, or nothing for a value that is none. */
void td_query_number(FILE *to, enum td_query_type type, const struct td_query_value *value);
/* A text in CSV. */
void td_query_csv_text(FILE *to, const char *text);
void td_query_json_value(struct td_json *j, const char *key, const struct td_query_value *value);
