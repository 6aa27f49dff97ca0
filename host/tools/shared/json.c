#include "host/tools/shared/json.h"
#include "host/base/plain_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The code point of a UTF-8 character of at most three bytes. */
static unsigned code_of(const unsigned char *s, size_t bytes)
{
    return bytes == 1   ? s[0]
           : bytes == 2 ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu)
                        : (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
}

/* Escapes characters that could control a terminal, too. A JSON parser restores them. */
static void write_quoted(FILE *to, const char *text, size_t bytes)
{
    const unsigned char *s = (const unsigned char *)text;
    putc('"', to);
    while (bytes) {
        size_t n = td_utf8_bytes((const char *)s, bytes);
        if (n == 0)
            fputs("\\ufffd", to);
        else if (*s == '"' || *s == '\\')
            fprintf(to, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", to);
        else if (td_utf8_steers((const char *)s, n))
            fprintf(to, "\\u%04x", code_of(s, n));
        else
            fwrite(s, 1, n, to);
        s += n ? n : 1;
        bytes -= n ? n : 1;
    }
    putc('"', to);
}

static void begin_value(struct td_json *j, const char *key)
{
    if (j->filled)
        fputs(j->one_line ? ", " : ",", j->to);
    if (j->depth && !j->one_line)
        fprintf(j->to, "\n%*s", 2 * j->depth, "");
    if (key) {
        write_quoted(j->to, key, strlen(key));
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
    write_quoted(j->to, text, bytes);
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
