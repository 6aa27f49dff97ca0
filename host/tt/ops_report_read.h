/* Reads ops_perf_results_*.csv and cpp_device_perf_report.csv (proto/tt/ops_report.h) row by row, from
 * bytes that come in any pieces.
 *
 *   create; feed all bytes; end_stream; destroy
 *
 * Errors are one line with file and row. Not thread-safe; bytes may be hostile. */
#pragma once
#include "host/base/err.h"
#include "host/tt/tt_text.h"
#include "proto/tt/ops_report.h"

enum td_tt_report_kind { TD_TT_OPS_REPORT, TD_TT_PERF_REPORT };

/* The columns of a file. Valid until the reader is destroyed. */
struct td_tt_report_head {
    enum td_tt_report_kind kind;
    size_t count;
    const char *const *names; /* trimmed, in the file's order */
    const int *columns;       /* of each: enum td_tt_ops_column or enum td_tt_perf_column; -1: another one */
};

struct td_tt_report_row {
    const struct td_tt_report_head *head;
    const struct td_tt_text *fields; /* head->count of them, trimmed, in the file's order */
    const struct td_tt_text
        *values; /* by enum td_tt_ops_column or enum td_tt_perf_column; "" where missing */
    uint64_t line;
};

struct td_tt_report_sink {
    int (*take_head)(void *self, const struct td_tt_report_head *head, struct td_err *err); /* may be NULL */
    int (*take_row)(void *self, const struct td_tt_report_row *row, struct td_err *err);
    void *self;
};

struct td_tt_report_reader;
/* `file` is the name for error lines, and must outlive the reader. NULL: no memory. The kind is that of
 * the header line. */
struct td_tt_report_reader *td_tt_report_reader_create(const char *file,
                                                       const struct td_tt_report_sink *sink);
void td_tt_report_reader_destroy(struct td_tt_report_reader *reader); /* NULL is allowed */
int td_tt_report_reader_feed(struct td_tt_report_reader *reader, const void *bytes, size_t count,
                             struct td_err *err);
int td_tt_report_reader_end_stream(struct td_tt_report_reader *reader, bool *cut, struct td_err *err);

/* A file that begins with these bytes may be a report of operations. */
bool td_tt_report_begins(const void *bytes, size_t count);

/* A value as a number. Missing (an empty field or a dash): 0, *has is false. Not a number: TD_E_FORMAT
 * with file and row. */
int td_tt_report_u64(const struct td_tt_report_row *row, const char *file, int column, uint64_t *value,
                     bool *has, struct td_err *err);

/* What a column of a tensor is about. */
struct td_tt_tensor_place {
    bool output;
    unsigned number;
    enum td_tt_tensor_column part;
    bool padded; /* its name has _PAD[LOGICAL] */
};
/* False: it is no column of a tensor. */
bool td_tt_tensor_place_read(const char *column, struct td_tt_tensor_place *place);
