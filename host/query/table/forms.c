#include "host/query/table/forms.h"
#include "host/base/cell_text.h"
#include "host/base/plain_text.h"
#include "host/query/table/track_name.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

/* ---- which columns ---- */

static const struct td_query_column *find_column(const struct td_query_table *table, const char *key,
                                                 size_t bytes)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (strlen(table->columns[c].key) == bytes && !strncasecmp(table->columns[c].key, key, bytes))
            return &table->columns[c];
    return NULL;
}

const struct td_query_column *td_query_column_named(const struct td_query_table *table, const char *key)
{
    return find_column(table, key, strlen(key));
}

/* "key", "head=key" or "head=key:width". */
static bool choose_column(struct td_query_chosen *chosen, const struct td_query_table *table,
                          const char *name, size_t bytes)
{
    const char *end = name + bytes, *width = memchr(name, ':', bytes), *key_end = width ? width : end,
               *equals = memchr(name, '=', bytes), *key = equals ? equals + 1 : name;
    const size_t head = (size_t)((equals ? equals : key_end) - name);
    chosen->column = find_column(table, key, (size_t)(key_end - key));
    chosen->width = width ? atoi(width + 1) : 0;
    snprintf(chosen->head, sizeof chosen->head, "%.*s", (int)head, name);
    return chosen->column != NULL;
}

static void choose_all(struct td_query_choice *choice, const struct td_query_table *table)
{
    for (size_t c = 0; c < table->column_count && c < TD_QUERY_COLUMNS_MAX; c++) {
        struct td_query_chosen *chosen = &choice->at[choice->count++];
        chosen->column = &table->columns[c];
        for (size_t i = 0; table->columns[c].key[i] && i + 1 < sizeof chosen->head; i++)
            chosen->head[i] = (char)tolower(table->columns[c].key[i]);
    }
}

bool td_query_choose(struct td_query_choice *choice, const struct td_query_table *table, const char *names)
{
    *choice = (struct td_query_choice){0};
    if (!names)
        choose_all(choice, table);
    while (names && *names) {
        const size_t bytes = strcspn(names, " ");
        if (choice->count == TD_QUERY_COLUMNS_MAX ||
            !choose_column(&choice->at[choice->count++], table, names, bytes))
            return false;
        names += bytes + (names[bytes] == ' ');
    }
    return true;
}

/* ---- JSON ---- */

void td_query_json_value(struct td_json *j, const char *key, const struct td_query_value *value)
{
    switch (value->kind) {
    case TD_IS_LEFT_OUT:
        break;
    case TD_IS_NONE:
        td_json_null(j, key);
        break;
    case TD_IS_INT:
        td_json_int(j, key, value->i);
        break;
    case TD_IS_UINT:
        td_json_uint(j, key, value->u);
        break;
    case TD_IS_REAL:
        td_json_double(j, key, value->real);
        break;
    case TD_IS_BOOL:
        td_json_bool(j, key, value->u != 0);
        break;
    case TD_IS_TEXT:
        td_json_text(j, key, value->text, value->bytes);
        break;
    }
}

static void json_track(struct td_json *j, const char *key, const struct td_query_rows *rows, uint32_t track)
{
    char room[TD_TRACK_LONG_NAME_BYTES];
    td_json_object(j, key);
    td_json_uint(j, "thread", td_dict_get_track(rows->dict, track)->thread);
    td_json_string(j, "name", td_track_long_name(rows->of.trace, track, room));
    td_json_end_object(j);
}

static void json_row(struct td_json *j, const struct td_query_choice *choice,
                     const struct td_query_rows *rows, uint64_t row)
{
    char room[TD_QUERY_ROOM];
    for (size_t c = 0; c < choice->count; c++) {
        const struct td_query_chosen *chosen = &choice->at[c];
        const struct td_query_value value = td_query_get(rows, row, chosen->column, room);
        if (chosen->column->type == TD_AS_TRACK && value.kind == TD_IS_UINT && value.u != TD_NO_TRACK)
            json_track(j, chosen->head, rows, (uint32_t)value.u);
        else if (chosen->column->type == TD_AS_TRACK && value.kind == TD_IS_UINT)
            td_json_null(j, chosen->head);
        else
            td_query_json_value(j, chosen->head, &value);
    }
}

void td_query_json_row(struct td_json *j, const struct td_query_rows *rows, uint64_t row)
{
    struct td_query_choice choice;
    td_query_choose(&choice, rows->table, rows->table->json);
    json_row(j, &choice, rows, row);
}

int td_query_json(struct td_json *j, const char *key, const struct td_query_rows *rows,
                  const struct td_query_order *order)
{
    struct td_query_choice choice;
    int rc = 0;
    td_query_choose(&choice, rows->table, rows->table->json);
    td_json_array(j, key);
    for (uint64_t i = 0; rc == 0 && i < td_query_order_count(order, rows); i++) {
        td_json_object(j, NULL);
        json_row(j, &choice, rows, td_query_order_row(order, i));
        if (rows->table->json_more)
            rc = rows->table->json_more(j, rows, td_query_order_row(order, i));
        td_json_end_object(j);
    }
    td_json_end_array(j);
    return rc;
}

int td_query_json_table(struct td_json *j, const char *key, const struct td_query_table *table,
                        const struct td_query_request *request)
{
    int rc;
    struct td_query_rows *rows = td_query_make(table, request, &rc);
    if (rows)
        rc = td_query_json(j, key, rows, NULL);
    td_query_free(rows);
    return rc;
}

/* ---- lines ---- */

void td_query_number(FILE *to, enum td_query_type type, const struct td_query_value *value)
{
    if (value->kind == TD_IS_INT)
        fprintf(to, "%" PRId64, value->i);
    else if (value->kind == TD_IS_UINT)
        fprintf(to, "%" PRIu64, value->u);
    else if (value->kind == TD_IS_BOOL)
        fputs(value->u ? "true" : "false", to);
    else if (value->kind == TD_IS_REAL)
        fprintf(to, type == TD_AS_TIME || type == TD_AS_DURATION || type == TD_AS_MEAN ? "%.1f" : "%.17g",
                value->real);
}

/* Asks the system for few texts only. What errno says of an earlier write stays. */
static bool may_steer_terminal(FILE *to, const char *text)
{
    const int saved = errno;
    while (*text >= ' ' && *text < 0x7f)
        text++;
    const bool may = *text && isatty(fileno(to));
    errno = saved;
    return may;
}

/* A terminal gets no characters that steer it. */
void td_query_csv_text(FILE *to, const char *name)
{
    const char *text = may_steer_terminal(to, name) ? TD_PLAIN(name) : name;
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, to);
        return;
    }
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', to);
        putc(*text, to);
    }
    putc('"', to);
}

static void print_rows(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order,
                       char separator, void (*print_text)(FILE *to, const char *text))
{
    struct td_query_choice choice;
    char room[TD_QUERY_ROOM];
    td_query_choose(&choice, rows->table, rows->table->lines);
    for (size_t c = 0; c < choice.count; c++)
        fprintf(to, "%s%c", choice.at[c].head, c + 1 < choice.count ? separator : '\n');
    for (uint64_t i = 0; i < td_query_order_count(order, rows); i++)
        for (size_t c = 0; c < choice.count; c++) {
            const struct td_query_column *column = choice.at[c].column;
            const struct td_query_value value =
                td_query_get(rows, td_query_order_row(order, i), column, room);
            if (value.kind == TD_IS_TEXT)
                print_text(to, value.text);
            else if (column->type == TD_AS_TRACK && value.kind == TD_IS_UINT)
                print_text(to, td_track_name(rows->dict, (uint32_t)value.u, room));
            else
                td_query_number(to, column->type, &value);
            putc(c + 1 < choice.count ? separator : '\n', to);
        }
}

void td_query_lines(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order)
{
    print_rows(to, rows, order, '\t', td_cell_print);
}

void td_query_csv(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order)
{
    print_rows(to, rows, order, ',', td_query_csv_text);
}
