#include "host/base/json.h"
#include "host/base/json_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void begin_value(struct td_json *j, const char *key)
{
    if (j->filled)
        fputs(j->one_line ? ", " : ",", j->to);
    if (j->depth && !j->one_line)
        fprintf(j->to, "\n%*s", 2 * j->depth, "");
    if (key) {
        td_json_write_string(j->to, key, strlen(key), "");
        fputs(": ", j->to);
    }
    j->filled = 1;
}

static void open_bracket(struct td_json *j, const char *key, char bracket)
{
    begin_value(j, key);
    putc(bracket, j->to);
    j->depth++;
    j->filled = 0;
}

static void close_bracket(struct td_json *j, char bracket)
{
    j->depth--;
    if (j->filled && !j->one_line)
        fprintf(j->to, "\n%*s", 2 * j->depth, "");
    putc(bracket, j->to);
    if (j->depth == 0)
        putc('\n', j->to);
    j->filled = 1;
}

void td_json_object(struct td_json *j, const char *key)
{
    open_bracket(j, key, '{');
}

void td_json_array(struct td_json *j, const char *key)
{
    open_bracket(j, key, '[');
}

void td_json_end_object(struct td_json *j)
{
    close_bracket(j, '}');
}

void td_json_end_array(struct td_json *j)
{
    close_bracket(j, ']');
}

void td_json_text(struct td_json *j, const char *key, const char *text, size_t bytes)
{
    begin_value(j, key);
    td_json_write_string(j->to, text, bytes, "");
}

void td_json_string(struct td_json *j, const char *key, const char *text)
{
    if (text)
        td_json_text(j, key, text, strlen(text));
    else
        td_json_null(j, key);
}

void td_json_int(struct td_json *j, const char *key, int64_t value)
{
    begin_value(j, key);
    fprintf(j->to, "%" PRId64, value);
}

void td_json_uint(struct td_json *j, const char *key, uint64_t value)
{
    begin_value(j, key);
    fprintf(j->to, "%" PRIu64, value);
}

void td_json_thousandths(struct td_json *j, const char *key, int64_t value)
{
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    begin_value(j, key);
    fprintf(j->to, "%s%" PRIu64 ".%03u", value < 0 ? "-" : "", size / 1000, (unsigned)(size % 1000));
}

void td_json_double(struct td_json *j, const char *key, double value)
{
    if (!isfinite(value)) {
        td_json_null(j, key);
        return;
    }
    begin_value(j, key);
    fprintf(j->to, "%.17g", value);
}

void td_json_bool(struct td_json *j, const char *key, int value)
{
    begin_value(j, key);
    fputs(value ? "true" : "false", j->to);
}

void td_json_null(struct td_json *j, const char *key)
{
    begin_value(j, key);
    fputs("null", j->to);
}
