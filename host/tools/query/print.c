#include "host/tools/query/print.h"
#include "host/base/cell_text.h"
#include "host/base/grow.h"
#include "host/base/plain_text.h"
#include "host/base/time_text.h"
#include "host/query/table/forms.h"
#include "host/query/table/text_form.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_ROWS 500 /* whose widths the columns of a text get */
#define WIDTH_MAX 60

struct cell {
    char *text;
    bool is_number;
};

struct query_print {
    FILE *to;
    enum query_form form;
    void (*before)(void *self);
    void *self;
    bool has_begun;
    struct td_json json;
    /* Of the statement. */
    char **names;
    size_t columns, name_room;
    /* Text: rows that wait for the widths. */
    struct cell *kept;
    size_t cells, cell_room;
    int *width;
    bool *is_text;
    bool has_widths;
};

struct query_print *query_print_create(FILE *to, enum query_form form, void (*before)(void *self), void *self)
{
    struct query_print *p = calloc(1, sizeof *p);
    if (p)
        *p = (struct query_print){.to = to, .form = form, .before = before, .self = self};
    return p;
}

void query_print_choose(struct query_print *print, enum query_form form)
{
    print->form = form;
}

static void forget_cells(struct query_print *p)
{
    for (size_t i = 0; i < p->cells; i++)
        free(p->kept[i].text);
    p->cells = 0;
}

static void forget_statement(struct query_print *p)
{
    forget_cells(p);
    for (size_t c = 0; c < p->columns; c++)
        free(p->names[c]);
    free(p->width);
    free(p->is_text);
    p->columns = 0;
    p->width = NULL;
    p->is_text = NULL;
    p->has_widths = false;
}

void query_print_destroy(struct query_print *p)
{
    if (!p)
        return;
    forget_statement(p);
    free(p->names);
    free(p->kept);
    free(p);
}

static void begin_output(struct query_print *p)
{
    if (!p->has_begun && p->before)
        p->before(p->self);
    p->has_begun = true;
}

/* ---- text ---- */

static bool is_time(const char *name)
{
    const size_t bytes = strlen(name);
    return bytes > 3 && !strcmp(name + bytes - 3, "_ns");
}

/* A value as a person reads it: what is called ..._ns is a time. NULL: no memory. */
static char *text_of(const char *name, const struct td_query_value *value)
{
    char room[64] = "";
    if (value->kind == TD_IS_TEXT)
        return strndup(value->text, value->bytes);
    const bool is_number = value->kind == TD_IS_INT || value->kind == TD_IS_REAL;
    if (is_number && is_time(name))
        td_time_text(room, sizeof room, value->kind == TD_IS_INT ? (double)value->i : value->real,
                     TD_TIME_WHOLE);
    else if (value->kind == TD_IS_INT)
        snprintf(room, sizeof room, "%" PRId64, value->i);
    else if (value->kind == TD_IS_REAL)
        snprintf(room, sizeof room, "%.6g", value->real);
    return strdup(room);
}

static int width_of(const char *text)
{
    const int bytes = (int)strcspn(text, "\n");
    return bytes < WIDTH_MAX ? bytes : WIDTH_MAX;
}

static void fit_columns(struct query_print *p)
{
    for (size_t c = 0; c < p->columns; c++) {
        bool has_number = false;
        p->width[c] = width_of(p->names[c]);
        p->is_text[c] = false;
        for (size_t i = c; i < p->cells; i += p->columns) {
            const int width = width_of(p->kept[i].text);
            p->width[c] = width > p->width[c] ? width : p->width[c];
            has_number |= p->kept[i].is_number;
            p->is_text[c] |= !p->kept[i].is_number && *p->kept[i].text;
        }
        p->is_text[c] |= !has_number;
    }
    p->has_widths = true;
}

/* Text at the left, numbers at the right. Text at the end of a line is not padded, nor cut. */
static void print_cell(struct query_print *p, size_t c, const char *text, bool is_number)
{
    const bool is_last = c + 1 == p->columns;
    if (c)
        fputs("  ", p->to);
    if (!p->is_text[c] && is_number)
        fprintf(p->to, "%*s", p->width[c], text);
    else if (is_last)
        td_plain_print(p->to, text, strcspn(text, "\n"));
    else
        td_text_cell(p->to, text, p->width[c]);
    if (is_last)
        putc('\n', p->to);
}

static void print_kept(struct query_print *p)
{
    begin_output(p);
    if (!p->has_widths) {
        fit_columns(p);
        for (size_t c = 0; c < p->columns; c++)
            print_cell(p, c, p->names[c], true);
    }
    for (size_t i = 0; i < p->cells; i++)
        print_cell(p, i % p->columns, p->kept[i].text, p->kept[i].is_number);
    forget_cells(p);
}

static int keep_row(struct query_print *p, const struct td_query_value *values, struct td_err *err)
{
    for (size_t c = 0; c < p->columns; c++) {
        const struct cell cell = {text_of(p->names[c], &values[c]), values[c].kind != TD_IS_TEXT};
        if (!cell.text || TD_APPEND(p->kept, p->cells, p->cell_room, cell) < 0) {
            free(cell.text);
            return td_fail_no_memory(err, NULL);
        }
    }
    if (p->has_widths || p->cells >= KEPT_ROWS * p->columns)
        print_kept(p);
    return 0;
}

/* ---- other forms ---- */

/* A cell of a table in Markdown: a bar and a newline would end it. */
static void print_markdown(FILE *to, const char *text)
{
    while (*text) {
        const size_t bytes = strcspn(text, "|\n\r");
        td_plain_print(to, text, bytes);
        if (text[bytes])
            fputs(text[bytes] == '|' ? "\\|" : " ", to);
        text += bytes + (text[bytes] != 0);
    }
}

static int print_markdown_row(struct query_print *p, const struct td_query_value *values, struct td_err *err)
{
    for (size_t c = 0; c < p->columns; c++) {
        char *text = text_of(p->names[c], &values[c]);
        if (!text)
            return td_fail_no_memory(err, NULL);
        fputs(c ? " | " : "| ", p->to);
        print_markdown(p->to, text);
        free(text);
    }
    fputs(" |\n", p->to);
    return 0;
}

static void print_markdown_head(struct query_print *p)
{
    for (size_t c = 0; c < p->columns; c++) {
        fputs(c ? " | " : "| ", p->to);
        print_markdown(p->to, p->names[c]);
    }
    fputs(" |\n|", p->to);
    for (size_t c = 0; c < p->columns; c++)
        fputs("---|", p->to);
    putc('\n', p->to);
}

static void print_separated(struct query_print *p, const struct td_query_value *values, char separator,
                            void (*print_text)(FILE *to, const char *text))
{
    for (size_t c = 0; c < p->columns; c++) {
        if (!values)
            print_text(p->to, p->names[c]);
        else if (values[c].kind == TD_IS_TEXT)
            print_text(p->to, values[c].text);
        else
            td_query_number(p->to, TD_AS_NUMBER, &values[c]);
        putc(c + 1 < p->columns ? separator : '\n', p->to);
    }
}

static void print_json_row(struct query_print *p, const struct td_query_value *values)
{
    if (p->form == QUERY_JSONL)
        p->json = (struct td_json){.to = p->to, .one_line = 1};
    td_json_object(&p->json, NULL);
    for (size_t c = 0; c < p->columns; c++)
        td_query_json_value(&p->json, p->names[c], &values[c]);
    td_json_end_object(&p->json);
}

/* ---- the sink ---- */

static int begin_statement(void *self, const char *const *names, size_t count, struct td_err *err)
{
    struct query_print *p = self;
    forget_statement(p);
    p->width = calloc(count, sizeof *p->width);
    p->is_text = calloc(count, sizeof *p->is_text);
    if (!p->width || !p->is_text || td_grow(&p->names, &p->name_room, count, sizeof *p->names) < 0)
        return td_fail_no_memory(err, NULL);
    for (; p->columns < count; p->columns++) {
        p->names[p->columns] = strdup(names[p->columns]);
        if (!p->names[p->columns])
            return td_fail_no_memory(err, NULL);
    }
    if (p->form != QUERY_TEXT)
        begin_output(p);
    if (p->form == QUERY_JSON) {
        p->json = (struct td_json){.to = p->to};
        td_json_array(&p->json, NULL);
    } else if (p->form == QUERY_MARKDOWN) {
        print_markdown_head(p);
    } else if (p->form == QUERY_CSV) {
        print_separated(p, NULL, ',', td_query_csv_text);
    } else if (p->form == QUERY_TSV) {
        print_separated(p, NULL, '\t', td_cell_print);
    }
    return 0;
}

static int check_output(struct query_print *p, struct td_err *err)
{
    return ferror(p->to) ? td_fail_errno(err, "cannot write the rows") : 0;
}

static int take_row(void *self, const struct td_query_value *values, size_t count, struct td_err *err)
{
    struct query_print *p = self;
    int rc = 0;
    if (p->form == QUERY_TEXT)
        rc = keep_row(p, values, err);
    else if (p->form == QUERY_MARKDOWN)
        rc = print_markdown_row(p, values, err);
    else if (p->form == QUERY_JSON || p->form == QUERY_JSONL)
        print_json_row(p, values);
    else
        print_separated(p, values, p->form == QUERY_CSV ? ',' : '\t',
                        p->form == QUERY_CSV ? td_query_csv_text : td_cell_print);
    return rc ? rc : check_output(p, err);
}

static int end_statement(void *self, struct td_err *err)
{
    struct query_print *p = self;
    if (p->form == QUERY_TEXT)
        print_kept(p);
    else if (p->form == QUERY_JSON)
        td_json_end_array(&p->json);
    return check_output(p, err);
}

struct td_sql_sink query_print_sink(struct query_print *print)
{
    return (struct td_sql_sink){begin_statement, take_row, end_statement, print};
}
