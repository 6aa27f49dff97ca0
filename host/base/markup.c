#include "host/base/markup.h"
#include "host/base/plain_text.h"

#include <stdarg.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* What replaces the character; NULL: nothing. */
static const char *replacement_of(const char *s, size_t bytes)
{
    if (bytes == 0)
        return REPLACEMENT;
    if (bytes == 3 && !memcmp(s, "\xef\xbf", 2) && (s[2] == '\xbe' || s[2] == '\xbf')) /* U+FFFE, U+FFFF */
        return REPLACEMENT;
    if (bytes > 1) /* direction marks and C1 would change how the line reads, as in a terminal */
        return td_utf8_steers(s, bytes) ? REPLACEMENT : NULL;
    switch (*s) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n':
        return "&#10;";
    case '\t':
        return "&#9;";
    default:
        return td_utf8_steers(s, 1) ? REPLACEMENT : NULL;
    }
}

static size_t step_at(const char *text, size_t left)
{
    size_t n = td_utf8_bytes(text, left);
    return n ? n : 1;
}

static void write_bytes_escaped(FILE *to, const char *text, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        size_t step = step_at(text + at, bytes - at);
        const char *other = replacement_of(text + at, td_utf8_bytes(text + at, bytes - at));
        if (other)
            fputs(other, to);
        else
            fwrite(text + at, 1, step, to);
        at += step;
    }
}

void td_markup_text(FILE *to, const char *text)
{
    write_bytes_escaped(to, text, strlen(text));
}

void td_markup_cut(FILE *to, const char *text, size_t max_bytes)
{
    size_t bytes = strlen(text), end = 0;
    while (end < bytes && end + step_at(text + end, bytes - end) <= max_bytes)
        end += step_at(text + end, bytes - end);
    write_bytes_escaped(to, text, end);
    if (end < bytes)
        fputs("\xe2\x80\xa6", to);
}
