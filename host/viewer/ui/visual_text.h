/* Text in the order in which it is drawn: Hebrew, Arabic and other scripts from the right to the left, between
 * others as Unicode's bidirectional algorithm says, and Arabic letters in the forms that join. The forms are
 * characters of their own (U+FB50 to U+FEFC), which a font has to have. Without FriBidi, nothing changes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

#define TD_VISUAL_BYTES 2048

/* Whether the text may have letters that are written from the right to the left; few others are taken for such. */
static inline bool td_text_turns(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        /* U+0580 to U+07FF, U+0800 to U+0FFF, U+F000 to U+FFFF: the first byte of UTF-8 */
        if (c >= 0xd6 && (c <= 0xe0 || c == 0xef))
            return true;
    }
    return false;
}
/* Writes the line as UTF-8, with a 0 at the end; returns its length. What has no room is left out. */
size_t td_text_visual(const char *text, size_t bytes, char to[TD_VISUAL_BYTES]);
#ifdef __cplusplus
}
#endif
