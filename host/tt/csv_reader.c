#include "host/tt/csv_reader.h"
#include "host/base/grow.h"

#include <stdarg.h>
#include <stdio.h>

struct td_csv_reader {
    struct td_csv_options options;
    uint64_t line; /* of the next row */
    char *carry;   /* the begin of a row whose end has not come */
    size_t carried, carry_room;
    size_t retry_at; /* no attempt to split the carried bytes is made before there are so many */
    char *unquoted;  /* fields of this row, without doubled quotes */
    size_t unquoted_bytes, unquoted_room;
    struct td_tt_text fields[TD_CSV_FIELDS_MAX];
};

/* Where the splitter is in a row. */
struct row_place {
    const char *at, *end;
    uint64_t newlines; /* inside of quotes */
    size_t count;      /* of fields */
};

enum outcome { ROW, INCOMPLETE, IN_QUOTES, FAILED };

struct td_csv_reader *td_csv_reader_create(const struct td_csv_options *options)
{
    struct td_csv_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    reader->options = *options;
    reader->line = 1;
    if (!reader->options.separator)
        reader->options.separator = ',';
    return reader;
}

void td_csv_reader_destroy(struct td_csv_reader *reader)
{
    if (!reader)
        return;
    free(reader->carry);
    free(reader->unquoted);
    free(reader);
}

int td_csv_fail(struct td_err *err, const char *file, uint64_t line, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return td_fail(err, TD_E_FORMAT, "%s:%llu: %s", file, (unsigned long long)line, text);
}

static enum outcome fail_fields(const struct td_csv_reader *reader, struct td_err *err)
{
    td_csv_fail(err, reader->options.file, reader->line, "a row has more than %u fields", TD_CSV_FIELDS_MAX);
    return FAILED;
}

/* Passes a part of a field to the field's copy without quotes, which has room for the rest of the row. */
static void copy_part(struct td_csv_reader *reader, const char *from, size_t bytes)
{
    memcpy(reader->unquoted + reader->unquoted_bytes, from, bytes);
    reader->unquoted_bytes += bytes;
}

/* Splits off a field in quotes; p->at is after the first one. Text after the last quote belongs to the
 * field. */
static enum outcome split_quoted(struct td_csv_reader *reader, struct row_place *p)
{
    const char quote = reader->options.quote, separator = reader->options.separator;
    const char *begin = p->at, *at = p->at;
    const size_t first = reader->unquoted_bytes;
    for (;;) {
        while (at < p->end && *at != quote)
            p->newlines += *at++ == '\n';
        copy_part(reader, begin, (size_t)(at - begin));
        if (at + 1 >= p->end) /* what follows the quote is not known */
            return at == p->end ? IN_QUOTES : INCOMPLETE;
        if (at[1] != quote)
            break;
        begin = at + 1;
        at += 2;
    }
    for (begin = ++at; at < p->end && *at != separator && *at != '\n';)
        at++;
    if (at == p->end)
        return INCOMPLETE;
    copy_part(reader, begin, (size_t)(at - begin));
    p->at = at;
    reader->fields[p->count++] =
        (struct td_tt_text){reader->unquoted + first, reader->unquoted_bytes - first};
    return ROW;
}

static enum outcome split_field(struct td_csv_reader *reader, struct row_place *p)
{
    const char separator = reader->options.separator, *begin = p->at, *at = begin;
    while (at < p->end && *at != separator && *at != '\n')
        at++;
    if (at == p->end)
        return INCOMPLETE;
    p->at = at;
    reader->fields[p->count++] = (struct td_tt_text){begin, (size_t)(at - begin)};
    return ROW;
}

/* Makes room for the rest of the bytes, so that no copy of a field moves while the row is split. */
static bool has_copy_room(struct td_csv_reader *reader, const struct row_place *p, struct td_err *err)
{
    if (reader->unquoted_bytes) /* there is room since the first field in quotes that is not empty */
        return true;
    if (td_grow(&reader->unquoted, &reader->unquoted_room, (size_t)(p->end - p->at) + 1, 1) == 0)
        return true;
    td_fail_no_memory(err, "for a row of CSV");
    return false;
}

/* Splits one row from p->at on, and sets p->at after its newline. */
static enum outcome split_row(struct td_csv_reader *reader, struct row_place *p, struct td_err *err)
{
    const char quote = reader->options.quote;
    p->count = 0;
    p->newlines = 0;
    reader->unquoted_bytes = 0;
    if (reader->line == 1 && p->end - p->at >= 3 && !memcmp(p->at, "\xef\xbb\xbf", 3))
        p->at += 3;
    do {
        const bool quoted = quote && p->at < p->end && *p->at == quote;
        if (p->count == TD_CSV_FIELDS_MAX)
            return fail_fields(reader, err);
        if (quoted && !has_copy_room(reader, p, err))
            return FAILED;
        p->at += quoted;
        const enum outcome outcome = quoted ? split_quoted(reader, p) : split_field(reader, p);
        if (outcome != ROW)
            return outcome;
    } while (*p->at++ != '\n');
    struct td_tt_text *last = &reader->fields[p->count - 1];
    if (last->bytes && last->at[last->bytes - 1] == '\r')
        last->bytes--;
    return ROW;
}

static int pass_row(struct td_csv_reader *reader, const struct row_place *p, struct td_err *err)
{
    const uint64_t line = reader->line;
    reader->line += 1 + p->newlines;
    if (p->count == 1 && !reader->fields[0].bytes)
        return 0;
    return reader->options.take_row(reader->options.self, reader->fields, p->count, line, err);
}

/* Passes all rows that are complete. *taken: the bytes of them. *in_quotes: the rest ends inside of
 * quotes. */
static int pass_rows(struct td_csv_reader *reader, const char *bytes, size_t count, size_t *taken,
                     bool *in_quotes, struct td_err *err)
{
    struct row_place p = {.at = bytes, .end = bytes + count};
    *taken = 0;
    *in_quotes = false;
    while (*taken < count) {
        p.at = bytes + *taken;
        const enum outcome outcome = split_row(reader, &p, err);
        if (outcome == FAILED)
            return err && err->code ? err->code : TD_E_FORMAT;
        *in_quotes = outcome == IN_QUOTES;
        if (outcome != ROW)
            return 0;
        const int bad = pass_row(reader, &p, err);
        *taken = (size_t)(p.at - bytes);
        if (bad)
            return bad;
    }
    return 0;
}

static int carry_bytes(struct td_csv_reader *reader, const char *bytes, size_t count, struct td_err *err)
{
    if (reader->carried + count > TD_CSV_ROW_BYTES_MAX)
        return td_csv_fail(err, reader->options.file, reader->line, "a row has more than %u bytes",
                           TD_CSV_ROW_BYTES_MAX);
    if (td_grow(&reader->carry, &reader->carry_room, reader->carried + count + 1, 1))
        return td_fail_no_memory(err, "for a row of CSV");
    if (count)
        memcpy(reader->carry + reader->carried, bytes, count);
    reader->carried += count;
    return 0;
}

/* Passes the rows that are complete in the carried bytes, and keeps the rest. */
static int pass_carried(struct td_csv_reader *reader, struct td_err *err)
{
    size_t taken;
    bool in_quotes;
    const int bad = pass_rows(reader, reader->carry, reader->carried, &taken, &in_quotes, err);
    reader->carried -= taken;
    memmove(reader->carry, reader->carry + taken, reader->carried);
    reader->retry_at = in_quotes ? 2 * reader->carried : 0; /* so the work stays linear */
    return bad;
}

int td_csv_reader_feed(struct td_csv_reader *reader, const void *bytes, size_t count, struct td_err *err)
{
    const char *at = bytes;
    size_t taken;
    bool in_quotes;
    while (reader->carried && count) {
        const char *newline = reader->retry_at ? NULL : memchr(at, '\n', count);
        const size_t part = newline ? (size_t)(newline + 1 - at) : count;
        int bad = carry_bytes(reader, at, part, err);
        at += part;
        count -= part;
        if (!bad && (newline || (reader->retry_at && reader->carried >= reader->retry_at)))
            bad = pass_carried(reader, err);
        if (bad)
            return bad;
    }
    if (!count)
        return 0;
    const int bad = pass_rows(reader, at, count, &taken, &in_quotes, err);
    if (bad || taken == count)
        return bad;
    reader->retry_at = in_quotes ? 2 * (count - taken) : 0;
    return carry_bytes(reader, at + taken, count - taken, err);
}

int td_csv_reader_end_stream(struct td_csv_reader *reader, bool *cut, struct td_err *err)
{
    *cut = false;
    if (!reader->carried)
        return 0;
    int bad = carry_bytes(reader, "\n", 1, err);
    bad = bad ? bad : pass_carried(reader, err);
    *cut = !bad && reader->carried;
    return bad;
}

void td_csv_find_columns(const struct td_tt_text *header, size_t fields, const char *const *names,
                         const char *const *also, size_t count, int *number_of)
{
    for (size_t i = 0; i < count; i++)
        number_of[i] = -1;
    for (size_t f = fields; f-- > 0;) {
        const struct td_tt_text name = td_tt_text_trim(header[f]);
        for (size_t i = 0; i < count && name.bytes; i++)
            if ((names[i] && td_tt_text_is_name(name, names[i])) ||
                (also && also[i] && td_tt_text_is_name(name, also[i])))
                number_of[i] = (int)f;
    }
}
