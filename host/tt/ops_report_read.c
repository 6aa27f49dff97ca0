#include "host/tt/ops_report_read.h"
#include "host/tt/csv_reader.h"
#include "host/tt/ops_report_write.h"

#include <stdio.h>
#include <stdlib.h>

#define COLUMNS_MOST TD_TT_OPS_COLUMN_COUNT /* a report of the other kind has fewer */
_Static_assert((int)TD_TT_PERF_COLUMN_COUNT <= (int)COLUMNS_MOST, "all columns have room");

struct td_tt_report_reader {
    const char *file;
    struct td_tt_report_sink sink;
    struct td_csv_reader *csv;
    struct td_tt_report_head head; /* count 0: the header has not come */
    char *text;                    /* of the names */
    const char **names;
    int *columns;
    int number_of[COLUMNS_MOST]; /* the field of each column, -1: none */
    struct td_tt_text values[COLUMNS_MOST];
    struct td_tt_text *fields;
    bool at_end, cut; /* at_end: the row that comes is the last one, and no newline ends it */
};

static const char *const ops_old_names[] = {
#define TD_X(name, column, before, kind) before,
    TD_TT_OPS_COLUMNS(TD_X)
#undef TD_X
};

/* ---- the header */

static int keep_names(struct td_tt_report_reader *reader, const struct td_tt_text *fields, size_t count,
                      struct td_err *err)
{
    size_t bytes = 1;
    for (size_t i = 0; i < count; i++)
        bytes += fields[i].bytes + 1;
    reader->text = malloc(bytes);
    reader->names = calloc(count, sizeof *reader->names);
    reader->columns = calloc(count, sizeof *reader->columns);
    reader->fields = calloc(count, sizeof *reader->fields);
    if (!reader->text || !reader->names || !reader->columns || !reader->fields)
        return td_fail_no_memory(err, "for the columns of a report");
    char *to = reader->text;
    for (size_t i = 0; i < count; i++) {
        const struct td_tt_text name = td_tt_text_trim(fields[i]);
        memcpy(to, name.at, name.bytes);
        to[name.bytes] = 0;
        reader->names[i] = to;
        reader->columns[i] = -1;
        to += name.bytes + 1;
    }
    return 0;
}

static void forget_columns(struct td_tt_report_reader *reader)
{
    for (size_t i = 0; i < COLUMNS_MOST; i++)
        reader->number_of[i] = -1;
}

static int take_header(struct td_tt_report_reader *reader, const struct td_tt_text *fields, size_t count,
                       uint64_t line, struct td_err *err)
{
    td_csv_find_columns(fields, count, td_tt_ops_names, ops_old_names, TD_TT_OPS_COLUMN_COUNT,
                        reader->number_of);
    const bool is_ops = reader->number_of[TD_TT_OPS_OP_CODE] >= 0;
    size_t known = TD_TT_OPS_COLUMN_COUNT;
    if (!is_ops) {
        known = TD_TT_PERF_COLUMN_COUNT;
        forget_columns(reader);
        td_csv_find_columns(fields, count, td_tt_perf_names, NULL, known, reader->number_of);
        if (reader->number_of[TD_TT_PERF_OP_NAME] < 0 && reader->number_of[TD_TT_PERF_FW_START] < 0)
            return td_csv_fail(err, reader->file, line,
                               "this is no report of operations: there is no column '%s' or '%s'",
                               td_tt_ops_names[TD_TT_OPS_OP_CODE], td_tt_perf_names[TD_TT_PERF_OP_NAME]);
    }
    const int needed = is_ops ? (int)TD_TT_OPS_CALL_COUNT : (int)TD_TT_PERF_CALL_COUNT;
    if (reader->number_of[needed] < 0)
        return td_csv_fail(err, reader->file, line, "the column '%s' is missing",
                           td_tt_ops_names[TD_TT_OPS_CALL_COUNT]);
    int bad = keep_names(reader, fields, count, err);
    if (bad)
        return bad;
    for (size_t i = 0; i < known; i++)
        if (reader->number_of[i] >= 0)
            reader->columns[reader->number_of[i]] = (int)i;
    reader->head = (struct td_tt_report_head){.kind = is_ops ? TD_TT_OPS_REPORT : TD_TT_PERF_REPORT,
                                              .count = count,
                                              .names = reader->names,
                                              .columns = reader->columns};
    return reader->sink.take_head ? reader->sink.take_head(reader->sink.self, &reader->head, err) : 0;
}

/* ---- rows */

static int take_row(void *self, const struct td_tt_text *fields, size_t count, uint64_t line,
                    struct td_err *err)
{
    struct td_tt_report_reader *reader = self;
    const struct td_tt_report_head *head = &reader->head;
    if (!head->count)
        return take_header(reader, fields, count, line, err);
    if (reader->at_end && count < head->count) {
        reader->cut = true;
        return 0;
    }
    if (count != head->count)
        return td_csv_fail(err, reader->file, line, "the row has %zu fields, the file has %zu columns", count,
                           head->count);
    for (size_t i = 0; i < count; i++)
        reader->fields[i] = td_tt_text_trim(fields[i]);
    for (size_t i = 0; i < COLUMNS_MOST; i++)
        reader->values[i] =
            reader->number_of[i] >= 0 ? reader->fields[reader->number_of[i]] : TD_TT_TEXT_NONE;
    const struct td_tt_report_row row = {
        .head = head, .fields = reader->fields, .values = reader->values, .line = line};
    return reader->sink.take_row(reader->sink.self, &row, err);
}

static int fail_value(const struct td_tt_report_row *row, const char *file, int column, struct td_err *err)
{
    const struct td_tt_text value = row->values[column];
    const char *name =
        row->head->kind == TD_TT_OPS_REPORT ? td_tt_ops_names[column] : td_tt_perf_names[column];
    return td_csv_fail(err, file, row->line, "%s is '%.*s', which is no number", name,
                       (int)(value.bytes < 80 ? value.bytes : 80), value.at);
}

/* Some years' reports have a dash where a value is missing. */
static bool has_value(struct td_tt_text text)
{
    return text.bytes && !td_tt_text_is(text, "-");
}

int td_tt_report_u64(const struct td_tt_report_row *row, const char *file, int column, uint64_t *value,
                     bool *has, struct td_err *err)
{
    *value = 0;
    *has = has_value(row->values[column]);
    if (!*has || td_tt_text_u64(row->values[column], value))
        return 0;
    return fail_value(row, file, column, err);
}

bool td_tt_tensor_place_read(const char *column, struct td_tt_tensor_place *place)
{
    const size_t input = strlen(TD_TT_TENSOR_INPUT), output = strlen(TD_TT_TENSOR_OUTPUT);
    place->output = !strncmp(column, TD_TT_TENSOR_OUTPUT, output);
    if (!place->output && strncmp(column, TD_TT_TENSOR_INPUT, input) != 0)
        return false;
    const char *number = column + (place->output ? output : input), *end = number;
    place->number = 0;
    for (; *end >= '0' && *end <= '9' && place->number < 10000; end++)
        place->number = place->number * 10 + (unsigned)(*end - '0');
    if (end == number || *end != '_')
        return false;
    for (unsigned i = 0; i < TD_TT_TENSOR_COLUMN_COUNT; i++) {
        const bool now = !strcmp(end + 1, td_tt_tensor_ends[i][0]);
        place->part = (enum td_tt_tensor_column)i;
        place->padded = now && *td_tt_tensor_ends[i][1];
        if (now || (*td_tt_tensor_ends[i][1] && !strcmp(end + 1, td_tt_tensor_ends[i][1])))
            return true;
    }
    return false;
}

/* ---- the interface */

struct td_tt_report_reader *td_tt_report_reader_create(const char *file, const struct td_tt_report_sink *sink)
{
    struct td_tt_report_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->file = file;
    reader->sink = *sink;
    forget_columns(reader);
    reader->csv = td_csv_reader_create(
        &(struct td_csv_options){.file = file, .quote = '"', .take_row = take_row, .self = reader});
    if (reader->csv)
        return reader;
    free(reader);
    return NULL;
}

void td_tt_report_reader_destroy(struct td_tt_report_reader *reader)
{
    if (!reader)
        return;
    td_csv_reader_destroy(reader->csv);
    free(reader->text);
    free(reader->names);
    free(reader->columns);
    free(reader->fields);
    free(reader);
}

int td_tt_report_reader_feed(struct td_tt_report_reader *reader, const void *bytes, size_t count,
                             struct td_err *err)
{
    return td_csv_reader_feed(reader->csv, bytes, count, err);
}

int td_tt_report_reader_end_stream(struct td_tt_report_reader *reader, bool *cut, struct td_err *err)
{
    reader->at_end = true;
    const int bad = td_csv_reader_end_stream(reader->csv, cut, err);
    *cut |= reader->cut;
    if (bad || reader->head.count)
        return bad;
    return td_fail(err, TD_E_FORMAT,
                   "%s: this is no report of operations: the names of the columns are missing", reader->file);
}

bool td_tt_report_begins(const void *bytes, size_t count)
{
    const struct td_tt_text text = {bytes, count < 65536 ? count : 65536};
    const char *end = memchr(text.at, '\n', text.bytes);
    const size_t first = end ? (size_t)(end - text.at) : text.bytes;
    if (!first || *text.at == '{' || *text.at == '[')
        return false;
    return memmem(text.at, first, "GLOBAL CALL COUNT", 17) &&
           (memmem(text.at, first, "OP CODE", 7) || memmem(text.at, first, "DEVICE FW START CYCLE", 21));
}
