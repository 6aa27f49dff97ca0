#include "host/viewer/ui/font_files.h"

#include <stdio.h>
#include <string.h>

#ifdef TD_HAVE_FONTCONFIG
#include <fontconfig/fontconfig.h>

/* A pattern for outlines without colours: others cannot be drawn. NULL: no memory. */
static FcPattern *make_pattern(bool bold)
{
    FcPattern *pattern = FcPatternCreate();
    if (!pattern)
        return NULL;
    FcPatternAddString(pattern, FC_FAMILY, (const FcChar8 *)"DejaVu Sans");
    FcPatternAddString(pattern, FC_FAMILY, (const FcChar8 *)"sans-serif");
    FcPatternAddInteger(pattern, FC_WEIGHT, bold ? FC_WEIGHT_BOLD : FC_WEIGHT_REGULAR);
    FcPatternAddBool(pattern, FC_SCALABLE, FcTrue);
    FcPatternAddBool(pattern, FC_COLOR, FcFalse);
    FcConfigSubstitute(NULL, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    return pattern;
}

static bool is_drawable(const FcPattern *font)
{
    FcChar8 *format = NULL;
    FcBool scalable = FcFalse, color = FcFalse;
    FcPatternGetBool(font, FC_SCALABLE, 0, &scalable);
    FcPatternGetBool(font, FC_COLOR, 0, &color);
    FcPatternGetString(font, FC_FONTFORMAT, 0, &format);
    return scalable && !color && format &&
           (!strcmp((const char *)format, "TrueType") || !strcmp((const char *)format, "CFF"));
}

/* Removes the characters of `chars` from `left`. Returns how many these were; `taken`: these, or NULL. */
static size_t take_chars(struct td_char_set *left, const FcCharSet *chars, struct td_char_set *taken)
{
    size_t count = 0;
    for (uint32_t word = 0; word < TD_FONT_CHARS / 64; word++)
        for (uint32_t c = word * 64; left->bits[word] && c < word * 64 + 64; c++)
            if (td_char_set_has(left, c) && FcCharSetHasChar(chars, c)) {
                left->bits[word] &= ~(UINT64_C(1) << c % 64);
                if (taken)
                    td_char_set_add(taken, c);
                count++;
            }
    return count;
}

/* Removes what the main font has. */
static void take_main(const char *main, struct td_char_set *left)
{
    int faces = 0;
    FcCharSet *chars = NULL;
    FcPattern *font = FcFreeTypeQuery((const FcChar8 *)main, 0, NULL, &faces);
    if (font && FcPatternGetCharSet(font, FC_CHARSET, 0, &chars) == FcResultMatch)
        take_chars(left, chars, NULL);
    if (font)
        FcPatternDestroy(font);
}

static bool is_empty(const struct td_char_set *set)
{
    for (size_t i = 0; i < TD_FONT_CHARS / 64; i++)
        if (set->bits[i])
            return false;
    return true;
}

/* True: the file has some of them. */
static bool use_font(const FcPattern *font, struct td_char_set *left, struct td_font_file *file)
{
    FcCharSet *chars = NULL;
    FcChar8 *path = NULL;
    int face = 0;
    if (!is_drawable(font) || FcPatternGetCharSet(font, FC_CHARSET, 0, &chars) != FcResultMatch ||
        FcPatternGetString(font, FC_FILE, 0, &path) != FcResultMatch)
        return false;
    *file = (struct td_font_file){0};
    if (snprintf(file->path, sizeof file->path, "%s", (const char *)path) >= (int)sizeof file->path)
        return false;
    FcPatternGetInteger(font, FC_INDEX, 0, &face);
    file->face = face & 0xffff;
    return take_chars(left, chars, &file->chars) > 0;
}

size_t td_font_fallbacks(const char *main, const struct td_char_set *wanted,
                         struct td_font_file files[TD_FONT_FALLBACKS])
{
    struct td_char_set left = *wanted;
    size_t count = 0;
    FcResult result = FcResultMatch;
    take_main(main, &left);
    if (is_empty(&left) || !FcInit())
        return 0;
    FcPattern *pattern = make_pattern(false);
    FcFontSet *fonts = pattern ? FcFontSort(NULL, pattern, FcTrue, NULL, &result) : NULL;
    for (int i = 0; fonts && i < fonts->nfont && count < TD_FONT_FALLBACKS && !is_empty(&left); i++)
        count += use_font(fonts->fonts[i], &left, &files[count]);
    if (fonts)
        FcFontSetDestroy(fonts);
    if (pattern)
        FcPatternDestroy(pattern);
    return count;
}

bool td_font_default(bool bold, char *path, size_t room)
{
    FcResult result = FcResultMatch;
    FcChar8 *file = NULL;
    FcPattern *pattern = FcInit() ? make_pattern(bold) : NULL;
    FcPattern *font = pattern ? FcFontMatch(NULL, pattern, &result) : NULL;
    const bool found = font && is_drawable(font) &&
                       FcPatternGetString(font, FC_FILE, 0, &file) == FcResultMatch &&
                       snprintf(path, room, "%s", (const char *)file) < (int)room;
    if (font)
        FcPatternDestroy(font);
    if (pattern)
        FcPatternDestroy(pattern);
    return found;
}
#else
size_t td_font_fallbacks(const char *main, const struct td_char_set *wanted,
                         struct td_font_file files[TD_FONT_FALLBACKS])
{
    return 0;
}

bool td_font_default(bool bold, char *path, size_t room)
{
    return false;
}
#endif
