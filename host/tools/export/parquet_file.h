/* Writes a file of Parquet: groups of rows, in which each column is a chunk of pages that zstd packs. All columns may lack
 * values. The file is written from the beginning to the end; only the descriptions of the chunks are kept until then.
 *
 *   struct parquet_file *file = parquet_create(to, columns, count);
 *   for each group: parquet_begin_group(file, rows);
 *       for each column: parquet_put_numbers(), or parquet_add_text() ... for each row, then parquet_end_texts();
 *       parquet_end_group(file);
 *   parquet_end(file, keys, count, &err);
 *   parquet_destroy(file);
 *
 * What goes wrong in between is reported by parquet_end(); parquet_is_bad() says it early. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum parquet_kind { PARQUET_INTEGERS, PARQUET_REALS, PARQUET_TEXTS };

struct parquet_column {
    const char *name;
    enum parquet_kind kind;
};

struct parquet_file;
/* The columns must outlive the file. NULL: no memory. */
struct parquet_file *parquet_create(FILE *to, const struct parquet_column *columns, size_t count);
void parquet_destroy(struct parquet_file *file); /* NULL is allowed */
bool parquet_is_bad(const struct parquet_file *file);
/* A group has at least one row. */
void parquet_begin_group(struct parquet_file *file, size_t rows);
void parquet_end_group(struct parquet_file *file);

/* The next column: `present` says by row whether there is a value, 0 or 1. There are `count` values. Reals are the bits of
 * doubles, none of which is NaN. */
void parquet_put_numbers(struct parquet_file *file, const uint32_t *present, const int64_t *values,
                         size_t count);

/* The next column, row by row. `stays`: the bytes stay where they are and do not change until the column ends. Returns a
 * number with which the text may be added again, or UINT32_MAX. */
uint32_t parquet_add_text(struct parquet_file *file, const char *text, size_t bytes, bool stays);
void parquet_add_text_again(struct parquet_file *file, uint32_t number);
void parquet_add_no_text(struct parquet_file *file);
void parquet_end_texts(struct parquet_file *file);

struct parquet_key {
    const char *name, *value;
};
/* Writes the end of the file: 0, TD_E_NOMEM or TD_E_IO. */
int parquet_end(struct parquet_file *file, const struct parquet_key *keys, size_t count, struct td_err *err);
