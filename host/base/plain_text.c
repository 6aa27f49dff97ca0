#include "host/base/plain_text.h"

#include <string.h>

size_t td_utf8_bytes(const char *text, size_t left)
{
    const unsigned char *s = (const unsigned char *)text;
    if (!left)
        return 0;
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* Overlong forms, surrogates, beyond U+10FFFF. */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

size_t td_utf8_valid(const char *text, size_t bytes)
{
    size_t valid = 0, n;
    while (valid < bytes && (n = td_utf8_bytes(text + valid, bytes - valid)))
        valid += n;
    return valid;
}

void td_utf8_append(struct td_byte_buffer *to, const char *text, size_t bytes)
{
    static const char replacement[] = "\xef\xbf\xbd";
    for (size_t n; bytes; text += n, bytes -= n) {
        n = td_utf8_valid(text, bytes);
        td_byte_buffer_append(to, text, n);
        if (n == bytes)
            return;
        td_byte_buffer_append(to, replacement, sizeof replacement - 1);
        n++;
    }
}

bool td_utf8_steers(const char *text, size_t bytes)
{
    const unsigned char *s = (const unsigned char *)text;
    if (bytes == 1)
        return s[0] < 0x20 || s[0] == 0x7f;
    if (bytes == 2)
        return (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xd8 && s[1] == 0x9c); /* C1, U+061C */
    if (bytes != 3 || s[0] != 0xe2)
        return false;
    if (s[1] == 0x80) /* U+200E, U+200F; U+2028 to U+202E */
        return s[2] == 0x8e || s[2] == 0x8f || (s[2] >= 0xa8 && s[2] <= 0xae);
    return s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9; /* U+2066 to U+2069 */
}

/* Measures the character at `text`: *taken is its bytes. Returns the bytes to show, 0: show '?'. */
static size_t measure(const char *text, size_t left, size_t *taken)
{
    size_t n = td_utf8_bytes(text, left);
    *taken = n ? n : 1;
    return n && !td_utf8_steers(text, n) ? n : 0;
}

const char *td_plain_copy(char *to, size_t room, const char *text)
{
    size_t left = strlen(text), used = 0, taken;
    for (; left; text += taken, left -= taken) {
        size_t n = measure(text, left, &taken);
        if (used + (n ? n : 1) >= room)
            break;
        if (n)
            memmove(to + used, text, n);
        else
            to[used] = '?';
        used += n ? n : 1;
    }
    if (room)
        to[used] = 0;
    return to;
}

char *td_plain(char *text)
{
    td_plain_copy(text, strlen(text) + 1, text);
    return text;
}

size_t td_plain_lines(char *text, size_t bytes)
{
    size_t used = 0, taken;
    for (size_t at = 0; at < bytes; at += taken) {
        size_t n = measure(text + at, bytes - at, &taken);
        if (!n && text[at] != '\n' && text[at] != '\t')
            text[at] = '?';
        n = n ? n : 1;
        memmove(text + used, text + at, n);
        used += n;
    }
    return used;
}

void td_plain_print(FILE *to, const char *text, size_t bytes)
{
    size_t taken;
    for (; bytes; text += taken, bytes -= taken) {
        size_t n = measure(text, bytes, &taken);
        if (n)
            fwrite(text, 1, n, to);
        else
            putc('?', to);
    }
}
