#include "host/base/cell_text.h"
#include "host/base/plain_text.h"

#include <string.h>

/* The letter after the backslash; 0: the character stays. */
static char letter_of(char c)
{
    return c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : 0;
}

bool td_cell_is_changed(const char *text, size_t bytes)
{
    while (bytes && !letter_of(*text)) {
        text++;
        bytes--;
    }
    return bytes != 0;
}

const char *td_cell_copy(char *to, size_t room, const char *text)
{
    size_t used = 0, left = strlen(text);
    while (left) {
        const char letter = letter_of(*text);
        size_t bytes = td_utf8_bytes(text, left);
        bytes = bytes ? bytes : 1;
        if (used + (letter ? 2 : bytes) >= room)
            break;
        if (letter) {
            to[used++] = '\\';
            to[used++] = letter;
        } else {
            memcpy(to + used, text, bytes);
            used += bytes;
        }
        text += bytes;
        left -= bytes;
    }
    to[used] = 0;
    return to;
}

void td_cell_print(FILE *to, const char *text)
{
    for (; *text; text++) {
        const char letter = letter_of(*text);
        if (letter)
            fputc('\\', to);
        fputc(letter ? letter : *text, to);
    }
}
