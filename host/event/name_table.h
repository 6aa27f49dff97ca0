/* Numbers for names: the first name is 0, a new one gets the next number. Names are copied. Not thread-safe. */
#pragma once
#include "host/event/interner.h"

struct td_name_table { /* all zero: empty */
    struct td_interner names;
};

/* The number of a name; UINT32_MAX: the table does not have it. */
uint32_t td_name_table_find(struct td_name_table *table, const char *name, size_t bytes);
/* The same, and adds it. UINT32_MAX: no memory. */
uint32_t td_name_table_number(struct td_name_table *table, const char *name, size_t bytes);
/* With a NUL after it; the text lives as long as the table. */
const char *td_name_table_at(const struct td_name_table *table, uint32_t number);
void td_name_table_free(struct td_name_table *table);
