#include "host/query/table/text_form.h"
#include "host/base/plain_text.h"
#include "host/base/time_text.h"
#include "host/query/table/track_name.h"

#include <inttypes.h>

#define WIDTH_MAX 36 /* of a column of texts whose width the table leaves open */

void td_text_cell(FILE *to, const char *text, int width)
{
    int bytes = (int)strcspn(text, "\n");
    if (bytes > width) {
        for (width -= 3; width > 0 && (text[width] & 0xc0) == 0x80; width--) /* whole characters */
            ;
        td_plain_print(to, text, (size_t)width);
        fputs("...", to);
    } else {
        td_plain_print(to, text, (size_t)bytes);
        fprintf(to, "%*s", width - bytes, "");
    }
}

void td_text_more(FILE *to, uint64_t hidden)
{
    if (hidden)
        fprintf(to, "  ... %" PRIu64 " more (--all)\n", hidden);
}

static double real_of(const struct td_query_value *value)
{
    return value->kind == TD_IS_REAL  ? value->real
           : value->kind == TD_IS_INT ? (double)value->i
                                      : (double)value->u;
}

/* The value in characters: a text of the trace, or in `room`. */
static const char *text_of(const struct td_query_rows *rows, const struct td_query_value *value,
                           enum td_query_type type, char room[TD_QUERY_ROOM])
{
    if (value->kind == TD_IS_TEXT)
        return value->text;
    if (type == TD_AS_TRACK && value->kind == TD_IS_NONE && value->text)
        return value->text;
    if (type == TD_AS_TRACK)
        return td_track_long_name(rows->of.trace, (uint32_t)value->u, room);
    if (value->kind == TD_IS_NONE || value->kind == TD_IS_LEFT_OUT)
        return "";
    if (type == TD_AS_DURATION || type == TD_AS_MEAN || type == TD_AS_TIME)
        return td_time_text(room, TD_QUERY_ROOM, real_of(value), TD_TIME_WHOLE);
    if (type == TD_AS_SHARE) {
        snprintf(room, TD_QUERY_ROOM, "%.2f %%", 100 * real_of(value));
        return room;
    }
    if (value->kind == TD_IS_BOOL)
        return value->u ? "yes" : "no";
    if (value->kind == TD_IS_INT)
        snprintf(room, TD_QUERY_ROOM, "%" PRId64, value->i);
    else if (value->kind == TD_IS_UINT)
        snprintf(room, TD_QUERY_ROOM, "%" PRIu64, value->u);
    else
        snprintf(room, TD_QUERY_ROOM, "%.6g", value->real);
    return room;
}

static const char *cell_text(const struct td_query_rows *rows, uint64_t row,
                             const struct td_query_column *column, char room[2][TD_QUERY_ROOM])
{
    const struct td_query_value value = td_query_get(rows, row, column, room[0]);
    return text_of(rows, &value, column->type, room[1]);
}

/* Columns whose width the table leaves open are as wide as the rows that are printed need. */
static void fit_columns(struct td_query_choice *choice, const struct td_query_rows *rows,
                        const struct td_query_order *order, uint64_t count)
{
    char room[2][TD_QUERY_ROOM];
    for (size_t c = 0; c < choice->count; c++) {
        struct td_query_chosen *chosen = &choice->at[c];
        int width = (int)strlen(chosen->head);
        if (chosen->width)
            continue;
        for (uint64_t i = 0; i < count; i++) {
            const int bytes =
                (int)strcspn(cell_text(rows, td_query_order_row(order, i), chosen->column, room), "\n");
            width = bytes > width ? bytes : width;
        }
        chosen->width = width < WIDTH_MAX ? width : WIDTH_MAX;
    }
}

static bool is_text(const struct td_query_chosen *chosen)
{
    return chosen->column->type == TD_AS_TEXT || chosen->column->type == TD_AS_TRACK;
}

/* Text at the left, numbers at the right. Text at the end of a line is not padded. */
static void print_cell(FILE *to, const struct td_query_chosen *chosen, const char *text, bool first,
                       bool last)
{
    if (first)
        fputs("  ", to);
    else if (!last || !is_text(chosen))
        putc(' ', to);
    else if (*text)
        fputs("  ", to);
    if (!is_text(chosen))
        fprintf(to, "%*s", chosen->width, text);
    else if (!last)
        td_text_cell(to, text, chosen->width);
    else if (*text)
        td_plain_print(to, text, strcspn(text, "\n"));
    if (last)
        putc('\n', to);
}

void td_query_text(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order,
                   uint64_t limit)
{
    td_query_text_of(to, rows, order, limit, rows->table->text);
}

void td_query_text_of(FILE *to, const struct td_query_rows *rows, const struct td_query_order *order,
                      uint64_t limit, const char *columns)
{
    struct td_query_choice choice;
    char room[2][TD_QUERY_ROOM];
    const uint64_t all = td_query_order_count(order, rows), count = all < limit ? all : limit;
    td_query_choose(&choice, rows->table, columns);
    fit_columns(&choice, rows, order, count);
    for (size_t c = 0; c < choice.count; c++)
        print_cell(to, &choice.at[c], choice.at[c].head, c == 0, c + 1 == choice.count);
    for (uint64_t i = 0; i < count; i++)
        for (size_t c = 0; c < choice.count; c++)
            print_cell(to, &choice.at[c],
                       cell_text(rows, td_query_order_row(order, i), choice.at[c].column, room), c == 0,
                       c + 1 == choice.count);
    td_text_more(to, all - count);
}
