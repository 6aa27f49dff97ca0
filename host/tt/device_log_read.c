#include "host/tt/device_log_read.h"
#include "host/base/plain_text.h"
#include "host/tt/csv_reader.h"

#include <stdio.h>
#include <stdlib.h>

struct td_tt_log_reader {
    const char *file;
    struct td_tt_log_sink sink;
    struct td_csv_reader *csv;
    struct td_tt_log_head head;
    bool has_header;
    bool at_end; /* the row that comes is the last one, and no newline ends it */
    bool cut;
    size_t fields;                         /* of each row */
    int number_of[TD_TT_LOG_COLUMN_COUNT]; /* the field of each column, -1: none */
};

static const char *const column_names[] = {
#define TD_X(name, eras, now, before) now,
    TD_TT_LOG_COLUMNS(TD_X)
#undef TD_X
};
static const char *const old_names[] = {
#define TD_X(name, eras, now, before) before,
    TD_TT_LOG_COLUMNS(TD_X)
#undef TD_X
};

/* The columns without which a file is no device log. */
#define NEEDED                                                                                               \
    (1u << TD_TT_LOG_CHIP | 1u << TD_TT_LOG_CORE_X | 1u << TD_TT_LOG_CORE_Y | 1u << TD_TT_LOG_RISC |         \
     1u << TD_TT_LOG_TIMER_ID | 1u << TD_TT_LOG_TIME)

/* ---- the first two lines */

static void read_arch(struct td_tt_log_head *head, struct td_tt_text value)
{
    const size_t bytes = value.bytes < sizeof head->arch ? value.bytes : sizeof head->arch - 1;
    memcpy(head->arch, value.at, bytes);
    head->arch[bytes] = 0;
    td_plain(head->arch);
}

/* "1.2 GHz", before 2024 */
static bool read_old_clock(struct td_tt_text text, double *mhz)
{
    double ghz;
    text.at += strlen(TD_TT_LOG_2023_CLOCK);
    text.bytes -= strlen(TD_TT_LOG_2023_CLOCK);
    const char *space = memchr(text.at, ' ', text.bytes);
    if (space)
        text.bytes = (size_t)(space - text.at);
    if (!td_tt_text_double(text, &ghz))
        return false;
    *mhz = ghz * 1000;
    return true;
}

static bool is_frequency(double mhz)
{
    return mhz > 0 && mhz < 1e6;
}

static int take_fact(struct td_tt_log_reader *reader, struct td_tt_text fact, uint64_t line,
                     struct td_err *err)
{
    struct td_tt_log_head *head = &reader->head;
    const char *colon = memchr(fact.at, ':', fact.bytes);
    struct td_tt_text key = {fact.at, colon ? (size_t)(colon - fact.at) : fact.bytes};
    struct td_tt_text value = TD_TT_TEXT_NONE;
    if (colon)
        value = td_tt_text_trim((struct td_tt_text){colon + 1, fact.bytes - key.bytes - 1});
    key = td_tt_text_trim(key);
    bool good = true;
    if (td_tt_text_is_name(key, TD_TT_LOG_ARCH))
        read_arch(head, value);
    else if (td_tt_text_is_name(key, TD_TT_LOG_FREQUENCY))
        good = td_tt_text_double(value, &head->frequency_mhz) && is_frequency(head->frequency_mhz);
    else if (td_tt_text_is_name(key, TD_TT_LOG_MAX_CORES))
        good = td_tt_text_u32(value, &head->max_compute_cores);
    else if (td_tt_text_begins(td_tt_text_trim(fact), TD_TT_LOG_2023_CLOCK))
        good =
            read_old_clock(td_tt_text_trim(fact), &head->frequency_mhz) && is_frequency(head->frequency_mhz);
    return good ? 0
                : td_csv_fail(err, reader->file, line, "'%.*s' is no number that makes sense",
                              (int)fact.bytes, fact.at);
}

static bool is_header(const struct td_tt_text *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (td_tt_text_is_name(td_tt_text_trim(fields[i]), column_names[TD_TT_LOG_RISC]))
            return true;
    return false;
}

/* The era with these columns; if there is none, the one of most files. */
static enum td_tt_log_era era_of(uint32_t columns)
{
    static const uint32_t eras_of[] = {
#define TD_X(name, eras, now, before) eras,
        TD_TT_LOG_COLUMNS(TD_X)
#undef TD_X
    };
    uint32_t eras = TD_TT_ALL_ERAS;
    for (unsigned i = 0; i < TD_TT_LOG_COLUMN_COUNT; i++)
        if (columns >> i & 1)
            eras &= eras_of[i] | (i == TD_TT_LOG_RUN_ID ? TD_TT_ERA(2023) : 0);
        else
            eras &= ~eras_of[i];
    for (unsigned era = 0; era < TD_TT_LOG_ERA_COUNT; era++)
        if (eras >> era & 1)
            return (enum td_tt_log_era)era;
    return TD_TT_LOG_ERA_2025C;
}

static int take_header(struct td_tt_log_reader *reader, const struct td_tt_text *fields, size_t count,
                       uint64_t line, struct td_err *err)
{
    struct td_tt_log_head *head = &reader->head;
    static const char *const run_id[] = {TD_TT_LOG_RUN_ID_2023};
    if (count > TD_TT_LOG_COLUMNS_MAX)
        return td_csv_fail(err, reader->file, line, "%zu columns are not those of a device log", count);
    td_csv_find_columns(fields, count, column_names, old_names, TD_TT_LOG_COLUMN_COUNT, reader->number_of);
    if (reader->number_of[TD_TT_LOG_RUN_ID] < 0)
        td_csv_find_columns(fields, count, run_id, NULL, 1, &reader->number_of[TD_TT_LOG_RUN_ID]);
    for (unsigned i = 0; i < TD_TT_LOG_COLUMN_COUNT; i++)
        if (reader->number_of[i] >= 0)
            head->columns |= 1u << i;
        else if (NEEDED >> i & 1)
            return td_csv_fail(err, reader->file, line, "the column '%s' is missing", column_names[i]);
    head->era = era_of(head->columns);
    reader->fields = count;
    reader->has_header = true;
    return reader->sink.take_head ? reader->sink.take_head(reader->sink.self, head, err) : 0;
}

/* ---- rows */

static int fail_number(const struct td_tt_log_reader *reader, unsigned column, struct td_tt_text text,
                       uint64_t line, struct td_err *err)
{
    return td_csv_fail(err, reader->file, line, "%s is '%.*s', which is no number that it can be",
                       column_names[column], (int)(text.bytes < 80 ? text.bytes : 80), text.at);
}

/* Reads a number; an empty field is `empty`, except in a column that must have a value. */
static inline int read_number(const struct td_tt_log_reader *reader, const struct td_tt_text *fields,
                              unsigned column, uint64_t most, uint64_t empty, uint64_t line, uint64_t *value,
                              struct td_err *err)
{
    *value = empty;
    if (reader->number_of[column] < 0)
        return 0;
    struct td_tt_text text = fields[reader->number_of[column]];
    if (td_tt_text_u64(text, value) && *value <= most)
        return 0;
    text = td_tt_text_trim(text);
    *value = empty;
    if ((!text.bytes && !(NEEDED >> column & 1)) || (td_tt_text_u64(text, value) && *value <= most))
        return 0;
    return fail_number(reader, column, text, line, err);
}

static struct td_tt_text text_of(const struct td_tt_log_reader *reader, const struct td_tt_text *fields,
                                 unsigned column)
{
    const int number = reader->number_of[column];
    if (number < 0)
        return TD_TT_TEXT_NONE;
    const struct td_tt_text text = fields[number];
    if (text.bytes && *text.at != ' ' && text.at[text.bytes - 1] != ' ')
        return text;
    return td_tt_text_trim(text);
}

static enum td_tt_marker marker_of(struct td_tt_text text)
{
    static const char *const names[] = {
#define TD_X(name, before) #name,
        TD_TT_MARKERS(TD_X)
#undef TD_X
    };
    static const char *const phases[] = {
#define TD_X(name, before) before,
        TD_TT_MARKERS(TD_X)
#undef TD_X
    };
    if (!text.bytes)
        return TD_TT_NO_MARKER;
    for (unsigned i = 0; i < TD_TT_MARKER_COUNT; i++)
        if (td_tt_text_is(text, names[i]) || td_tt_text_is(text, phases[i]))
            return (enum td_tt_marker)i;
    return TD_TT_NO_MARKER;
}

static int read_row(const struct td_tt_log_reader *reader, const struct td_tt_text *fields, uint64_t line,
                    struct td_tt_log_row *row, struct td_err *err)
{
    const uint64_t all = UINT64_MAX, most = UINT32_MAX, none = UINT32_MAX;
    uint64_t v[TD_TT_LOG_COLUMN_COUNT];
#define READ(column, limit, empty)                                                                           \
    read_number(reader, fields, TD_TT_LOG_##column, limit, empty, line, &v[TD_TT_LOG_##column], err)
    if (READ(CHIP, most, 0) || READ(CORE_X, most, 0) || READ(CORE_Y, most, 0) || READ(TIMER_ID, most, 0) ||
        READ(TIME, (uint64_t)INT64_MAX, 0) || READ(DATA, all, 0) || READ(RUN_ID, most, 0) ||
        READ(RUN_HOST_ID, most, v[TD_TT_LOG_RUN_ID]) || READ(TRACE_ID, most, none) ||
        READ(TRACE_COUNT, most, none) || READ(LINE, most, 0) || READ(LOGICAL_X, most, none) ||
        READ(LOGICAL_Y, most, none))
        return TD_E_FORMAT;
#undef READ
    const enum td_tt_marker type = marker_of(text_of(reader, fields, TD_TT_LOG_TYPE));
    const uint32_t timer = (uint32_t)v[TD_TT_LOG_TIMER_ID];
    *row = (struct td_tt_log_row){.time_cycles = v[TD_TT_LOG_TIME],
                                  .data = v[TD_TT_LOG_DATA],
                                  .line = line,
                                  .chip = (uint32_t)v[TD_TT_LOG_CHIP],
                                  .core_x = (uint32_t)v[TD_TT_LOG_CORE_X],
                                  .core_y = (uint32_t)v[TD_TT_LOG_CORE_Y],
                                  .timer_id = type == TD_TT_NO_MARKER ? timer : timer % TD_TT_TIMER_END,
                                  .run_id = (uint32_t)v[TD_TT_LOG_RUN_ID],
                                  .run_host_id = (uint32_t)v[TD_TT_LOG_RUN_HOST_ID],
                                  .trace_id = (uint32_t)v[TD_TT_LOG_TRACE_ID],
                                  .trace_count = (uint32_t)v[TD_TT_LOG_TRACE_COUNT],
                                  .source_line = (uint32_t)v[TD_TT_LOG_LINE],
                                  .logical_x = (uint32_t)v[TD_TT_LOG_LOGICAL_X],
                                  .logical_y = (uint32_t)v[TD_TT_LOG_LOGICAL_Y],
                                  .type = type,
                                  .risc_name = text_of(reader, fields, TD_TT_LOG_RISC),
                                  .zone = text_of(reader, fields, TD_TT_LOG_ZONE),
                                  .file = text_of(reader, fields, TD_TT_LOG_FILE),
                                  .meta = text_of(reader, fields, TD_TT_LOG_META)};
    row->risc = td_tt_risc_number(row->risc_name);
    return row->risc_name.bytes
               ? 0
               : td_csv_fail(err, reader->file, line, "'%s' is empty", column_names[TD_TT_LOG_RISC]);
}

static int take_row(void *self, const struct td_tt_text *fields, size_t count, uint64_t line,
                    struct td_err *err)
{
    struct td_tt_log_reader *reader = self;
    struct td_tt_log_row row;
    if (!reader->has_header && is_header(fields, count))
        return take_header(reader, fields, count, line, err);
    if (!reader->has_header && line == 1) {
        int bad = 0;
        for (size_t i = 0; i < count && !bad; i++)
            bad = take_fact(reader, fields[i], line, err);
        return bad;
    }
    if (!reader->has_header)
        return td_csv_fail(err, reader->file, line, "the names of the columns are missing");
    if (reader->at_end && count != reader->fields) {
        reader->cut = true;
        return 0;
    }
    if (count != reader->fields)
        return td_csv_fail(err, reader->file, line, "the row has %zu fields, the file has %zu columns", count,
                           reader->fields);
    const int bad = read_row(reader, fields, line, &row, err);
    return bad ? bad : reader->sink.take_row(reader->sink.self, &row, err);
}

/* ---- the interface */

struct td_tt_log_reader *td_tt_log_reader_create(const char *file, const struct td_tt_log_sink *sink)
{
    struct td_tt_log_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->file = file;
    reader->sink = *sink;
    reader->csv =
        td_csv_reader_create(&(struct td_csv_options){.file = file, .take_row = take_row, .self = reader});
    if (!reader->csv) {
        free(reader);
        return NULL;
    }
    return reader;
}

void td_tt_log_reader_destroy(struct td_tt_log_reader *reader)
{
    if (!reader)
        return;
    td_csv_reader_destroy(reader->csv);
    free(reader);
}

int td_tt_log_reader_feed(struct td_tt_log_reader *reader, const void *bytes, size_t count,
                          struct td_err *err)
{
    return td_csv_reader_feed(reader->csv, bytes, count, err);
}

int td_tt_log_reader_end_stream(struct td_tt_log_reader *reader, bool *cut, struct td_err *err)
{
    reader->at_end = true;
    const int bad = td_csv_reader_end_stream(reader->csv, cut, err);
    *cut |= reader->cut;
    if (bad || reader->has_header)
        return bad;
    return td_fail(err, TD_E_FORMAT, "%s: this is no device log: the names of the columns are missing",
                   reader->file);
}

bool td_tt_log_begins(const void *bytes, size_t count)
{
    struct td_tt_text text = {bytes, count < 4096 ? count : 4096};
    if (td_tt_text_begins(text, "\xef\xbb\xbf"))
        text = (struct td_tt_text){text.at + 3, text.bytes - 3};
    const char *end = memchr(text.at, '\n', text.bytes);
    const struct td_tt_text first = {text.at, end ? (size_t)(end - text.at) : text.bytes};
    if (td_tt_text_begins(first, TD_TT_LOG_ARCH ":") || td_tt_text_begins(first, TD_TT_LOG_2023_CLOCK))
        return true;
    return first.bytes && memmem(first.at, first.bytes, "core_x", 6) &&
           memmem(first.at, first.bytes, "timer_id", 8) && *first.at != '{' && *first.at != '[';
}

static const struct {
    const char *file, *track;
} riscs[] = {
#define TD_X(number, file, track) {file, track},
    TD_TT_RISCS(TD_X)
#undef TD_X
};

int td_tt_risc_number(struct td_tt_text name)
{
    for (int i = 0; i < TD_TT_RISC_COUNT; i++)
        if (td_tt_text_is(name, riscs[i].file))
            return i;
    return -1;
}

const char *td_tt_risc_track_name(int risc)
{
    return risc >= 0 && risc < TD_TT_RISC_COUNT ? riscs[risc].track : NULL;
}
