/* Prints the rows of a question as they come: the form is one of QUERY_FORMS. */
#pragma once
#include "host/query/sql/sql.h"

#include <stdio.h>

#define QUERY_FORMS "text|csv|tsv|json|jsonl|markdown"
enum query_form { QUERY_TEXT, QUERY_CSV, QUERY_TSV, QUERY_JSON, QUERY_JSONL, QUERY_MARKDOWN };

struct query_print;
/* `before` is called once before anything is printed; NULL: nothing is. NULL: no memory. */
struct query_print *query_print_create(FILE *to, enum query_form form, void (*before)(void *self),
                                       void *self);
void query_print_destroy(struct query_print *print); /* NULL is allowed */
struct td_sql_sink query_print_sink(struct query_print *print);
void query_print_choose(struct query_print *print, enum query_form form);
