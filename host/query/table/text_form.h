/* Tables as text for a terminal, and the pieces of it. */
#pragma once
#include "host/query/table/forms.h"

/* Columns of characters after a line with their names, at most `limit` rows, then how many more there are. `order` NULL:
 * all rows as they were made. */
void td_query_text(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order,
                   uint64_t limit);
/* The same with these columns, as for td_query_choose(). */
void td_query_text_of(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order,
                      uint64_t limit, const char *columns);

/* Prints the first line of a text, shortened or padded to `width`. */
void td_text_cell(FILE *to, const char *text, int width);
/* Prints that there are more rows than were printed. */
void td_text_more(FILE *to, uint64_t hidden);
