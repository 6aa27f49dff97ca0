#include "host/tools/query/session.h"
#include "host/base/grow.h"
#include "host/base/json.h"
#include "host/base/stream.h"
#include "host/query/table/forms.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_ROWS 2000
#define PARAMETERS 100

/* ---- columns ---- */

/* The values of a column of the block. Kinds are those of values; texts are one after the other. */
struct block_column {
    char *name;
    uint8_t *kinds;
    int64_t *cells; /* an integer, the bits of a real number, or the length of a text */
    char *texts;
    size_t kinds_room, cells_room, bytes, texts_room;
    unsigned seen; /* a bit for each kind of value */
};

struct answer_block {
    FILE *to;
    struct block_column *columns;
    size_t count, room, rows;
    bool is_whole;
};

static void forget_columns(struct answer_block *b)
{
    for (size_t c = 0; c < b->count; c++) {
        free(b->columns[c].name);
        free(b->columns[c].kinds);
        free(b->columns[c].cells);
        free(b->columns[c].texts);
    }
    b->count = b->rows = 0;
}

static int begin_block(void *self, const char *const *names, size_t count, struct td_err *err)
{
    struct answer_block *b = self;
    forget_columns(b);
    for (size_t c = 0; c < count; c++) {
        char *name = strdup(names[c]);
        if (!name || TD_APPEND(b->columns, b->count, b->room, (struct block_column){.name = name}) < 0) {
            free(name);
            return td_fail_no_memory(err, NULL);
        }
    }
    return 0;
}

static int add_cell(struct block_column *column, size_t row, const struct td_query_value *value)
{
    int64_t cell = value->i;
    if (td_grow(&column->kinds, &column->kinds_room, row + 1, sizeof *column->kinds) < 0 ||
        td_grow(&column->cells, &column->cells_room, row + 1, sizeof *column->cells) < 0)
        return TD_E_NOMEM;
    if (value->kind == TD_IS_REAL)
        memcpy(&cell, &value->real, sizeof cell);
    if (value->kind == TD_IS_TEXT) {
        if (td_grow(&column->texts, &column->texts_room, column->bytes + value->bytes + 1, 1) < 0)
            return TD_E_NOMEM;
        memcpy(column->texts + column->bytes, value->text, value->bytes);
        column->bytes += value->bytes;
        cell = (int64_t)value->bytes;
    }
    column->kinds[row] = (uint8_t)value->kind;
    column->cells[row] = cell;
    column->seen |= 1U << value->kind;
    return 0;
}

/* ---- writing ---- */

/* The values as an array of JSON. NULL: no memory. */
static char *json_of(const struct block_column *column, size_t rows, size_t *bytes)
{
    char *text = NULL;
    size_t at = 0;
    FILE *to = open_memstream(&text, bytes);
    if (!to)
        return NULL;
    struct td_json j = {.to = to, .one_line = 1};
    td_json_array(&j, NULL);
    for (size_t row = 0; row < rows; row++) {
        struct td_query_value value = {.kind = column->kinds[row], .i = column->cells[row]};
        if (value.kind == TD_IS_REAL)
            memcpy(&value.real, &column->cells[row], sizeof value.real);
        if (value.kind == TD_IS_TEXT) {
            value.bytes = (size_t)column->cells[row];
            value.text = column->texts + at;
            at += value.bytes;
        }
        td_query_json_value(&j, NULL, &value);
    }
    td_json_end_array(&j);
    if (td_text_close(to, &text))
        return text;
    free(text);
    return NULL;
}

/* Turns integers among real numbers into these. */
static void make_real(struct block_column *column, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        const double real = (double)column->cells[row];
        if (column->kinds[row] == TD_IS_INT)
            memcpy(&column->cells[row], &real, sizeof real);
    }
}

static char kind_of(const struct block_column *column)
{
    switch (column->seen) {
    case 1U << TD_IS_INT:
        return 'q';
    case 1U << TD_IS_REAL:
    case 1U << TD_IS_REAL | 1U << TD_IS_INT:
        return 'd';
    case 1U << TD_IS_TEXT:
        return 't';
    default:
        return 'j';
    }
}

/* Puts columns without one type as JSON in place of their texts. */
static int prepare(struct block_column *column, size_t rows, char kind)
{
    if (kind == 'd')
        make_real(column, rows);
    if (kind != 'j')
        return 0;
    size_t bytes;
    char *text = json_of(column, rows, &bytes);
    if (!text)
        return TD_E_NOMEM;
    free(column->texts);
    column->texts = text;
    column->texts_room = column->bytes = bytes;
    return 0;
}

static int write_block(struct answer_block *b, struct td_err *err)
{
    struct td_json j = {.to = b->to, .one_line = 1};
    char *kinds = malloc(b->count + 1);
    int rc = kinds ? 0 : TD_E_NOMEM;
    for (size_t c = 0; rc == 0 && c < b->count; c++) {
        kinds[c] = kind_of(&b->columns[c]);
        rc = prepare(&b->columns[c], b->rows, kinds[c]);
    }
    if (rc < 0) {
        free(kinds);
        return td_fail_no_memory(err, NULL);
    }
    td_json_object(&j, NULL);
    td_json_array(&j, "columns");
    for (size_t c = 0; c < b->count; c++)
        td_json_string(&j, NULL, b->columns[c].name);
    td_json_end_array(&j);
    td_json_text(&j, "kinds", kinds, b->count);
    td_json_uint(&j, "rows", b->rows);
    td_json_array(&j, "bytes");
    for (size_t c = 0; c < b->count; c++)
        td_json_uint(&j, NULL,
                     (kinds[c] == 'j' ? 0 : b->rows * 8) +
                         (strchr("jt", kinds[c]) ? b->columns[c].bytes : 0));
    td_json_end_array(&j);
    td_json_end_object(&j);
    for (size_t c = 0; c < b->count; c++) {
        struct block_column *column = &b->columns[c];
        if (kinds[c] != 'j')
            fwrite(column->cells, 8, b->rows, b->to);
        if (kinds[c] == 'j' || kinds[c] == 't')
            fwrite(column->texts, 1, column->bytes, b->to);
        column->bytes = column->seen = 0;
    }
    free(kinds);
    b->rows = 0;
    return ferror(b->to) ? td_fail_errno(err, "cannot write the rows") : 0;
}

static int take_row(void *self, const struct td_query_value *values, size_t count, struct td_err *err)
{
    struct answer_block *b = self;
    for (size_t c = 0; c < count; c++)
        if (add_cell(&b->columns[c], b->rows, &values[c]) < 0)
            return td_fail_no_memory(err, "for rows");
    b->rows++;
    return b->is_whole || b->rows < BLOCK_ROWS ? 0 : write_block(b, err);
}

static int end_block(void *self, struct td_err *err)
{
    return write_block(self, err);
}

/* ---- questions ---- */

static int read_parameters(const cJSON *given, struct td_sql_parameter *parameters, size_t *count,
                           struct td_err *err)
{
    for (const cJSON *value = given ? given->child : NULL; value; value = value->next) {
        if (*count == PARAMETERS)
            return td_fail(err, TD_E_USAGE, "a question has at most %d parameters", PARAMETERS);
        parameters[(*count)++] = (struct td_sql_parameter){value->string, cJSON_GetStringValue(value)};
    }
    return 0;
}

/* The tables of statistics are filled when the model is finished. */
static int look_at_program(struct query_live *live, bool finishes, struct td_err *err)
{
    struct td_err ignored = {0}; /* of a program that was killed: its events can be asked */
    if (td_trace_is_finished(query_live_trace(live)) || (!finishes && query_live_runs(live)))
        return 0;
    const int rc = query_live_finish(live, finishes ? err : &ignored);
    return finishes ? rc : 0;
}

static int ask(const struct query_session *s, const cJSON *request, struct td_sql_answer *answer,
               struct td_err *err)
{
    const cJSON *sql = cJSON_GetObjectItemCaseSensitive(request, "sql");
    struct td_sql_parameter parameters[PARAMETERS];
    struct td_sql_question question = s->limits;
    struct answer_block block = {
        .to = s->to, .is_whole = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(request, "whole"))};
    const struct td_sql_sink sink = {begin_block, take_row, end_block, &block};
    int rc = cJSON_IsString(sql) ? 0 : td_fail(err, TD_E_FORMAT, "the line is no question");
    question.text = cJSON_GetStringValue(sql);
    question.parameters = parameters;
    question.parameter_count = 0;
    rc = rc ? rc
            : read_parameters(cJSON_GetObjectItemCaseSensitive(request, "parameters"), parameters,
                              &question.parameter_count, err);
    if (rc == 0 && s->live)
        rc = look_at_program(s->live, cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(request, "finish")), err);
    if (s->live)
        td_sql_forget(s->sql);
    rc = rc ? rc : td_sql_run(s->sql, &question, &sink, answer, err);
    forget_columns(&block);
    free(block.columns);
    return rc;
}

static void answer_line(const struct query_session *s, const char *line, size_t bytes)
{
    cJSON *request = cJSON_ParseWithLength(line, bytes);
    struct td_sql_answer answer = {0};
    struct td_err err = {0};
    const bool is_live = s->live && query_live_runs(s->live); /* before: then the last answer has all rows */
    const int rc = ask(s, request, &answer, &err);
    struct td_json j = {.to = s->to, .one_line = 1};
    td_json_object(&j, NULL);
    if (rc < 0)
        td_json_string(&j, "error", err.text);
    td_json_bool(&j, "more", answer.more);
    td_json_bool(&j, "live", is_live);
    td_json_end_object(&j);
    fflush(s->to);
    cJSON_Delete(request);
}

int query_session(const struct query_session *session, struct td_err *err)
{
    char *line = NULL;
    size_t room = 0;
    while (!ferror(session->to)) {
        errno = 0;
        const ssize_t bytes = getline(&line, &room, session->from);
        if (bytes > 0)
            answer_line(session, line, (size_t)bytes);
        else if (errno == EINTR) /* Ctrl-C while nothing runs */
            clearerr(session->from);
        else
            break;
    }
    free(line);
    return ferror(session->to) ? td_fail_errno(err, "cannot write the answers") : 0;
}
