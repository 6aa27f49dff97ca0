/* Which font files of this machine have which characters. Takes tens of ms: not for the thread that draws. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_FONT_CHARS 0x10000u /* characters of the basic plane, of which Dear ImGui's fonts are */

/* A set of characters. */
struct td_char_set {
    uint64_t bits[TD_FONT_CHARS / 64];
};
static inline bool td_char_set_has(const struct td_char_set *set, uint32_t c)
{
    return c < TD_FONT_CHARS && (set->bits[c / 64] >> c % 64 & 1);
}
static inline void td_char_set_add(struct td_char_set *set, uint32_t c)
{
    if (c < TD_FONT_CHARS)
        set->bits[c / 64] |= UINT64_C(1) << c % 64;
}

#define TD_FONT_FALLBACKS 16

struct td_font_file {
    char path[1024];
    int face;                 /* of the file */
    struct td_char_set chars; /* that it is to be used for */
};

/* The files for those of the characters that the font `main` lacks, the ones that fontconfig prefers first. Returns
 * their number; 0: none are needed, there are none, or this program was built without fontconfig. */
size_t td_font_fallbacks(const char *main, const struct td_char_set *wanted,
                         struct td_font_file files[TD_FONT_FALLBACKS]);
/* The system's font without serifs. False: it is not known. */
bool td_font_default(bool bold, char *path, size_t room);
