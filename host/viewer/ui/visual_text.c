#include "host/viewer/ui/visual_text.h"
#include "host/base/err.h"
#include "host/base/plain_text.h"

#include <string.h>

static size_t copy_text(const char *text, size_t bytes, char to[TD_VISUAL_BYTES])
{
    size_t used = 0;
    while (used < bytes) {
        const size_t n = td_utf8_bytes(text + used, bytes - used), step = n ? n : 1;
        if (used + step >= TD_VISUAL_BYTES)
            break;
        used += step;
    }
    memcpy(to, text, used);
    to[used] = 0;
    return used;
}

#ifdef TD_HAVE_FRIBIDI
#include <fribidi.h>

#define MOST_CHARS (TD_VISUAL_BYTES / 4) /* a character has at most 4 bytes */

/* The characters of the text, as many as there is room for. */
static FriBidiStrIndex read_chars(const char *text, size_t bytes, FriBidiChar chars[MOST_CHARS])
{
    FriBidiStrIndex count = 0;
    while (bytes && count < MOST_CHARS) {
        const size_t n = td_utf8_bytes(text, bytes);
        /* What is no text becomes U+FFFD, as it does in the fonts. */
        if (!n)
            chars[count++] = 0xfffd;
        else
            count +=
                fribidi_charset_to_unicode(FRIBIDI_CHAR_SET_UTF8, text, (FriBidiStrIndex)n, chars + count);
        text += n ? n : 1;
        bytes -= n ? n : 1;
    }
    return count;
}

/* Joins and turns the characters. Returns their number, which joining may lower, or TD_E_NOMEM. */
static FriBidiStrIndex turn_chars(FriBidiChar *chars, FriBidiStrIndex count)
{
    const FriBidiFlags flags = FRIBIDI_FLAGS_DEFAULT | FRIBIDI_FLAGS_ARABIC;
    FriBidiCharType types[MOST_CHARS];
    FriBidiBracketType brackets[MOST_CHARS];
    FriBidiArabicProp joins[MOST_CHARS];
    FriBidiLevel levels[MOST_CHARS];
    FriBidiParType direction = FRIBIDI_PAR_ON;
    fribidi_get_bidi_types(chars, count, types);
    fribidi_get_bracket_types(chars, count, types, brackets);
    if (!fribidi_get_par_embedding_levels_ex(types, brackets, count, &direction, levels))
        return TD_E_NOMEM;
    fribidi_get_joining_types(chars, count, joins);
    fribidi_join_arabic(types, count, levels, joins);
    fribidi_shape(flags, levels, count, joins, chars);
    if (!fribidi_reorder_line(flags, types, count, 0, direction, levels, chars, NULL))
        return TD_E_NOMEM;
    /* Among them are the places of letters that are joined with others to one. */
    return fribidi_remove_bidi_marks(chars, count, NULL, NULL, NULL);
}

size_t td_text_visual(const char *text, size_t bytes, char to[TD_VISUAL_BYTES])
{
    FriBidiChar chars[MOST_CHARS];
    const FriBidiStrIndex read = read_chars(text, bytes, chars), count = read ? turn_chars(chars, read) : 0;
    if (count < 0)
        return copy_text(text, bytes, to);
    size_t used = 0;
    for (FriBidiStrIndex i = 0; i < count && used + 5 < TD_VISUAL_BYTES; i++)
        if (chars[i] != FRIBIDI_CHAR_FILL)
            used += (size_t)fribidi_unicode_to_charset(FRIBIDI_CHAR_SET_UTF8, chars + i, 1, to + used);
    to[used] = 0;
    return used;
}
#else
size_t td_text_visual(const char *text, size_t bytes, char to[TD_VISUAL_BYTES])
{
    return copy_text(text, bytes, to);
}
#endif
