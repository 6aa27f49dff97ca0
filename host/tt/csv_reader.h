/* Splits CSV into rows and fields, from bytes that come in any pieces, also from a file that still grows.
 *
 *   create; feed all bytes; end_stream; destroy
 *
 * Lines end in LF or CRLF. A byte order mark at the begin is skipped, and so are lines without any byte. A
 * field that begins with a quote ends at the next quote that is not doubled, and may have separators and
 * newlines. Spaces stay in the fields. Fields are parts of the fed bytes where possible, so reading copies
 * little. Not thread-safe; bytes may be hostile. */
#pragma once
#include "host/base/err.h"
#include "host/tt/tt_text.h"

#define TD_CSV_FIELDS_MAX    4096u       /* of a row */
#define TD_CSV_ROW_BYTES_MAX (64u << 20) /* of a row: more is an error */

/* Takes a row. `line` is the number of its first line, from 1. Returns 0, or a negative enum td_e to stop. */
typedef int td_csv_take_row(void *self, const struct td_tt_text *fields, size_t count, uint64_t line,
                            struct td_err *err);

struct td_csv_options {
    const char *file; /* name for error lines: "FILE:LINE: what is wrong". It must outlive the reader */
    char separator;   /* 0: a comma */
    char quote;       /* 0: none; '"' or '`' */
    td_csv_take_row *take_row;
    void *self;
};

struct td_csv_reader;
struct td_csv_reader *td_csv_reader_create(const struct td_csv_options *options); /* NULL: no memory */
void td_csv_reader_destroy(struct td_csv_reader *reader);                         /* NULL is allowed */
/* 0, TD_E_FORMAT, TD_E_NOMEM, or what take_row returned. After an error, it must not be called again. */
int td_csv_reader_feed(struct td_csv_reader *reader, const void *bytes, size_t count, struct td_err *err);
/* Passes the last row, if no newline ends it. *cut: it ends inside of quotes, and is not passed. */
int td_csv_reader_end_stream(struct td_csv_reader *reader, bool *cut, struct td_err *err);

/* TD_E_FORMAT with "FILE:LINE: " before the text. */
int td_csv_fail(struct td_err *err, const char *file, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Finds columns by their trimmed names; upper and lower case do not matter. Sets number_of[i] to the field
 * whose name is names[i] or also[i] (either may be NULL or ""), the first one of several; -1: there is
 * none. */
void td_csv_find_columns(const struct td_tt_text *header, size_t fields, const char *const *names,
                         const char *const *also, size_t count, int *number_of);
