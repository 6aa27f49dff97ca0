#include "host/viewer/timeline/zone_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct name_writer {
    char *at, *end;
};

static void put_name(struct name_writer *w, const char *text, size_t bytes)
{
    const size_t room = (size_t)(w->end - w->at);
    bytes = bytes < room ? bytes : room;
    memcpy(w->at, text, bytes);
    w->at += bytes;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* What follows the bracket that closes the one at `text`; NULL: none closes it. */
static const char *after_bracket(const char *text)
{
    const char open = *text, close = open == '<' ? '>' : ')';
    int depth = 0;
    for (; *text; text++) {
        if (text[0] == '-' && text[1] == '>') /* of a return type */
            text++;
        else if (*text == open)
            depth++;
        else if (*text == close && --depth == 0)
            return text + 1;
    }
    return NULL;
}

/* The signs of an operator's name, as in "operator<<" and "operator()". */
static size_t operator_bytes(const char *text)
{
    static const char word[] = "operator";
    size_t n = sizeof word - 1;
    if (strncmp(text, word, n) != 0 || is_word(text[n]))
        return 0;
    if (text[n] == '(' && text[n + 1] == ')')
        return n + 2;
    return n + strspn(text + n, "<>=!+-*/%^&|~[],");
}

/* Words before a name that say nothing about it. */
static bool is_type_word(const char *word, size_t bytes)
{
    static const char *const words[] = {
        "auto",      "bool",      "char",     "char8_t", "char16_t", "char32_t",  "const",
        "constexpr", "double",    "float",    "inline",  "int",      "int8_t",    "int16_t",
        "int32_t",   "int64_t",   "intptr_t", "long",    "noexcept", "ptrdiff_t", "short",
        "signed",    "size_t",    "ssize_t",  "static",  "uint8_t",  "uint16_t",  "uint32_t",
        "uint64_t",  "uintptr_t", "unsigned", "virtual", "void",     "wchar_t"};
    while (bytes && (word[bytes - 1] == '*' || word[bytes - 1] == '&'))
        bytes--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == bytes && !strncmp(words[i], word, bytes))
            return true;
    return false;
}

static const char *skip_type(const char *name)
{
    for (;;) {
        const size_t bytes = strcspn(name, " (<");
        if (name[bytes] != ' ' || !is_type_word(name, bytes))
            return name;
        name += bytes + strspn(name + bytes, " ");
    }
}

static void cut_qualifiers(char *name, char *end)
{
    static const char *const words[] = {" const", " noexcept", " volatile", " &", " &&"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t bytes = strlen(words[i]);
        if ((size_t)(end - name) > bytes && !memcmp(end - bytes, words[i], bytes)) {
            *(end -= bytes) = 0;
            i = SIZE_MAX; /* from the first word again */
        }
    }
}

void td_zone_name_normalize(char out[TD_ZONE_NAME_BYTES], const char *name)
{
    struct name_writer w = {out, out + TD_ZONE_NAME_BYTES - 1};
    const char *at = skip_type(name);
    const bool is_plain = *name == '<' || *name == '['; /* a lambda, or a name of a tool */
    bool after_symbol = false;
    while (*at) {
        const size_t symbol = is_plain || (at > name && is_word(at[-1])) ? 0 : operator_bytes(at);
        const bool can_open = at > name && (after_symbol || is_word(at[-1]) || strchr(">)]", at[-1]));
        const char *after = !is_plain && can_open && (*at == '<' || *at == '(') ? after_bracket(at) : NULL;
        const size_t bytes = symbol ? symbol : 1;
        if (after)
            put_name(&w, *at == '<' ? "<>" : "()", 2);
        else
            put_name(&w, at, bytes);
        at = after ? after : at + bytes;
        after_symbol = symbol;
    }
    if (w.at == w.end) /* no partial character */
        while (w.at > out && ((unsigned char)w.at[-1] & 0xc0) == 0x80)
            w.at--;
    *w.at = 0;
    if (!is_plain)
        cut_qualifiers(out, w.at);
}

/* The part after the outermost namespace or class of a normalised name; NULL: there is none. */
static const char *inner_name(const char *name)
{
    const char *inner = *name == '<' || *name == '[' ? NULL : strstr(name, "::");
    return inner && inner[2] ? inner + 2 : NULL;
}

const char *td_zone_name_fit(char out[TD_ZONE_NAME_BYTES], const char *name, enum td_zone_names how,
                             float room, td_name_width *width, void *self)
{
    if (how == TD_ZONE_NAMES_FULL || (how == TD_ZONE_NAMES_NEEDED && width(self, name) <= room))
        return name;
    td_zone_name_normalize(out, name);
    const char *form = out, *inner;
    if (how == TD_ZONE_NAMES_NORMAL)
        return form;
    while ((how == TD_ZONE_NAMES_SHORTEST || width(self, form) > room) && (inner = inner_name(form)))
        form = inner;
    return form;
}
