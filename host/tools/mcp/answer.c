#include "host/tools/mcp/answer.h"
#include "host/base/grow.h"
#include "host/query/table/forms.h"
#include "host/base/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct mcp_answer *mcp_answer_create(void)
{
    struct mcp_answer *a = calloc(1, sizeof *a);
    if (!a)
        return NULL;
    a->object = (struct td_json){.to = open_memstream(&a->object_text, &a->object_bytes), .one_line = 1};
    a->row = (struct td_json){.to = open_memstream(&a->row_text, &a->row_bytes), .one_line = 1};
    if (!a->object.to || !a->row.to) {
        mcp_answer_destroy(a);
        return NULL;
    }
    td_json_object(&a->object, NULL);
    return a;
}

void mcp_answer_destroy(struct mcp_answer *a)
{
    if (!a)
        return;
    if (a->object.to)
        fclose(a->object.to);
    if (a->row.to)
        fclose(a->row.to);
    free(a->object_text);
    free(a->row_text);
    free(a->ends);
    free(a->picture);
    free(a);
}

int mcp_answer_finish(struct mcp_answer *a, struct td_err *err)
{
    const bool has_object = td_text_close(a->object.to, &a->object_text),
               has_rows = td_text_close(a->row.to, &a->row_text);
    a->object.to = a->row.to = NULL;
    if (!has_object || !has_rows)
        return td_fail_no_memory(err, "for the answer");
    return a->object_bytes > MCP_OBJECT_BYTES
               ? td_fail(err, TD_E_LIMIT, "the answer is too long: ask for less")
               : 0;
}

/* ---- rows ---- */

void mcp_begin_rows(struct mcp_answer *a, const char *const *names, size_t count)
{
    a->has_rows = true;
    td_json_array(&a->object, "columns");
    for (size_t c = 0; c < count; c++)
        td_json_string(&a->object, NULL, names[c]);
    td_json_end_array(&a->object);
}

struct td_json *mcp_begin_row(struct mcp_answer *a)
{
    td_json_array(&a->row, NULL);
    return &a->row;
}

int mcp_end_row(struct mcp_answer *a)
{
    td_json_end_array(&a->row);
    a->row.filled = 0;
    const off_t end = ftello(a->row.to);
    if (end < 0 || ferror(a->row.to) || TD_APPEND(a->ends, a->count, a->room, (size_t)end) < 0)
        return TD_E_NOMEM;
    a->has_more = a->count == MCP_KEPT_ROWS || end >= MCP_ANSWER_BYTES;
    return a->has_more;
}

void mcp_put_text(struct td_json *j, const char *text, size_t bytes)
{
    size_t part = bytes < MCP_TEXT_BYTES ? bytes : MCP_TEXT_BYTES;
    while (part < bytes && part && ((unsigned char)text[part] & 0xc0) == 0x80) /* not in a character */
        part--;
    td_json_text(j, NULL, text, part);
}

void mcp_put_value(struct td_json *j, const struct td_query_value *value)
{
    if (value->kind == TD_IS_TEXT)
        mcp_put_text(j, value->text, value->bytes);
    else if (value->kind == TD_IS_LEFT_OUT)
        td_json_null(j, NULL);
    else
        td_query_json_value(j, NULL, value);
}

/* ---- pages ---- */

static void write_rows(struct mcp_answer *a, uint64_t rows, uint64_t bytes, FILE *to)
{
    const size_t first = a->next, begin = first ? a->ends[first - 1] : 0;
    size_t from = begin;
    for (; a->next < a->count && a->next - first < rows; a->next++) {
        const size_t end = a->ends[a->next];
        if (end - begin > bytes && a->next > first)
            break;
        if (a->next > first)
            fputs(", ", to);
        fwrite(a->row_text + from, 1, end - from - 1, to); /* without the newline */
        from = end;
    }
}

void mcp_write_page(struct mcp_answer *a, uint64_t rows, uint64_t bytes, FILE *to)
{
    fwrite(a->object_text, 1, a->object_bytes, to);
    if (a->has_rows) {
        fputs(a->object_bytes > 1 ? ", \"rows\": [" : "\"rows\": [", to);
        write_rows(a, rows, bytes, to);
        fprintf(to, "], \"row_count\": %zu, \"more\": %s", a->count, a->has_more ? "true" : "false");
        if (a->next < a->count)
            fprintf(to, ", \"next_cursor\": \"%" PRIu64 ".%zu\"", a->serial, a->next);
    }
    putc('}', to);
}

struct mcp_answer *mcp_find_answer(struct mcp *m, const char *cursor, struct td_err *err)
{
    char *end;
    const unsigned long long serial = strtoull(cursor, &end, 10);
    const unsigned long long row = *end == '.' ? strtoull(end + 1, &end, 10) : 0;
    struct mcp_answer *a = m->kept[serial % MCP_KEPT];
    if (!*cursor || *end || !a || a->serial != serial || row >= a->count) {
        td_fail(err, TD_E_USAGE, "this cursor is of no answer that is kept (the last %d are): ask again",
                MCP_KEPT);
        return NULL;
    }
    a->next = (size_t)row;
    return a;
}

void mcp_keep_answer(struct mcp *m, struct mcp_answer *a)
{
    if (!a || (a->serial && m->kept[a->serial % MCP_KEPT] == a))
        return;
    if (a->next >= a->count) {
        mcp_answer_destroy(a);
        return;
    }
    m->serial = a->serial;
    struct mcp_answer **place = &m->kept[a->serial % MCP_KEPT];
    mcp_answer_destroy(*place);
    *place = a;
}
