#include "host/base/json_text.h"
#include "host/base/plain_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

/* The code point of a UTF-8 character of at most three bytes. */
static unsigned code_of(const unsigned char *s, size_t bytes)
{
    return bytes == 1   ? s[0]
           : bytes == 2 ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu)
                        : (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
}

void td_json_write_string(FILE *to, const char *text, size_t bytes, const char *also)
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
        else if (td_utf8_steers((const char *)s, n) || (*s && strchr(also, *s)))
            fprintf(to, "\\u%04x", code_of(s, n));
        else
            fwrite(s, 1, n, to);
        s += n ? n : 1;
        bytes -= n ? n : 1;
    }
    putc('"', to);
}

size_t td_json_escape_bytes(const char *text, size_t left)
{
    if (left < 2 || text[0] != '\\' || !text[1])
        return 0;
    if (strchr("\"\\/bfnrt", text[1]))
        return 2;
    size_t n = 2;
    while (n < left && n < 6 && isxdigit((unsigned char)text[n]))
        n++;
    return text[1] == 'u' && n == 6 ? 6 : 0;
}

char *td_json_repair(char *text)
{
    size_t bytes = text ? strlen(text) : 0, wrong = 0, step;
    for (size_t at = 0; at < bytes; at += step ? step : 1)
        wrong += (step = td_utf8_bytes(text + at, bytes - at)) == 0;
    if (!wrong)
        return text;
    char *whole = malloc(bytes + wrong * strlen(REPLACEMENT) + 1), *to = whole;
    for (size_t at = 0; whole && at < bytes; at += step ? step : 1) {
        step = td_utf8_bytes(text + at, bytes - at);
        to = step ? (char *)memcpy(to, text + at, step) + step : stpcpy(to, REPLACEMENT);
    }
    if (whole)
        *to = 0;
    free(text);
    return whole;
}
