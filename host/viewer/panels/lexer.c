#include "host/viewer/panels/lexer.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { IN_CODE, IN_COMMENT, IN_SINGLE_QUOTES, IN_DOUBLE_QUOTES }; /* the last two: three quotes, Python */

struct lexer {
    enum td_language language;
    const char *text;
    size_t bytes, at;
    uint8_t *kinds;
    td_lex_state state;
};

static const char c_keywords[] =
    " break case continue default do else enum extern for goto if inline register restrict return sizeof "
    "static "
    "struct switch typedef union volatile while const _Alignas _Alignof _Atomic _Generic _Noreturn "
    "_Static_assert _Thread_local __attribute__ __asm__ asm ";
static const char cxx_keywords[] =
    " alignas alignof catch class concept consteval constexpr constinit const_cast co_await co_return "
    "co_yield "
    "decltype delete dynamic_cast explicit export false final friend mutable namespace new noexcept nullptr "
    "operator override private protected public reinterpret_cast requires static_assert static_cast template "
    "this thread_local throw true try typeid typename using virtual ";
static const char c_types[] =
    " auto bool char double float int long short signed unsigned void _Bool _Complex size_t ssize_t "
    "ptrdiff_t "
    "intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t FILE ";
static const char python_keywords[] =
    " False None True and as assert async await break class continue def del elif else except finally for "
    "from "
    "global if import in is lambda nonlocal not or pass raise return try while with yield match case ";
static const char python_types[] = " int float str bytes bool list dict set tuple object self ";

enum td_language td_language_of(const char *file)
{
    static const struct {
        const char *end;
        enum td_language language;
    } ends[] = {{".c", TD_LANGUAGE_C},        {".h", TD_LANGUAGE_CXX},      {".cc", TD_LANGUAGE_CXX},
                {".cpp", TD_LANGUAGE_CXX},    {".cxx", TD_LANGUAGE_CXX},    {".hpp", TD_LANGUAGE_CXX},
                {".hh", TD_LANGUAGE_CXX},     {".inl", TD_LANGUAGE_CXX},    {".py", TD_LANGUAGE_PYTHON},
                {".s", TD_LANGUAGE_ASSEMBLY}, {".S", TD_LANGUAGE_ASSEMBLY}, {".asm", TD_LANGUAGE_ASSEMBLY}};
    const size_t length = strlen(file);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t end = strlen(ends[i].end);
        if (length > end && !strcmp(file + length - end, ends[i].end))
            return ends[i].language;
    }
    return TD_LANGUAGE_NONE;
}

static void mark(struct lexer *l, size_t end, enum td_word kind)
{
    end = end < l->bytes ? end : l->bytes;
    if (l->kinds && end > l->at)
        memset(l->kinds + l->at, kind, end - l->at);
    l->at = end > l->at ? end : l->at;
}

static bool is_at(const struct lexer *l, const char *text)
{
    const size_t n = strlen(text);
    return l->at + n <= l->bytes && !memcmp(l->text + l->at, text, n);
}

static bool is_word_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool has_word(const char *list, const char *word, size_t bytes)
{
    char padded[40];
    if (bytes + 3 > sizeof padded)
        return false;
    padded[0] = ' ';
    memcpy(padded + 1, word, bytes);
    padded[bytes + 1] = ' ';
    padded[bytes + 2] = 0;
    return strstr(list, padded) != NULL;
}

/* To the end of what the line began in, or of the line. */
static void finish_open(struct lexer *l)
{
    const char *end = l->state == IN_COMMENT ? "*/" : l->state == IN_SINGLE_QUOTES ? "'''" : "\"\"\"";
    const enum td_word kind = l->state == IN_COMMENT ? TD_WORD_COMMENT : TD_WORD_STRING;
    for (size_t i = l->at; i + strlen(end) <= l->bytes; i++)
        if (!memcmp(l->text + i, end, strlen(end))) {
            mark(l, i + strlen(end), kind);
            l->state = IN_CODE;
            return;
        }
    mark(l, l->bytes, kind);
}

static void lex_string(struct lexer *l)
{
    const char quote = l->text[l->at];
    const char *three = quote == '"' ? "\"\"\"" : "'''";
    if (l->language == TD_LANGUAGE_PYTHON && is_at(l, three)) {
        mark(l, l->at + 3, TD_WORD_STRING);
        l->state = quote == '"' ? IN_DOUBLE_QUOTES : IN_SINGLE_QUOTES;
        finish_open(l);
        return;
    }
    size_t end = l->at + 1;
    while (end < l->bytes && l->text[end] != quote)
        end += l->text[end] == '\\' ? 2 : 1;
    mark(l, end + 1, TD_WORD_STRING);
}

static void lex_word(struct lexer *l)
{
    const char *word = l->text + l->at;
    size_t end = l->at;
    while (end < l->bytes && is_word_byte(l->text[end]))
        end++;
    const size_t n = end - l->at;
    enum td_word kind = TD_WORD_PLAIN;
    if (l->language == TD_LANGUAGE_PYTHON)
        kind = has_word(python_keywords, word, n) ? TD_WORD_KEYWORD
               : has_word(python_types, word, n)  ? TD_WORD_TYPE
                                                  : TD_WORD_PLAIN;
    else if (l->language == TD_LANGUAGE_C || l->language == TD_LANGUAGE_CXX)
        kind = has_word(c_keywords, word, n) ||
                       (l->language == TD_LANGUAGE_CXX && has_word(cxx_keywords, word, n))
                   ? TD_WORD_KEYWORD
               : has_word(c_types, word, n) || (n > 2 && !memcmp(word + n - 2, "_t", 2)) ? TD_WORD_TYPE
                                                                                         : TD_WORD_PLAIN;
    mark(l, end, kind);
}

static void lex_number(struct lexer *l)
{
    size_t end = l->at;
    while (end < l->bytes && (is_word_byte(l->text[end]) || l->text[end] == '.' ||
                              ((l->text[end] == '+' || l->text[end] == '-') &&
                               (l->text[end - 1] == 'e' || l->text[end - 1] == 'p'))))
        end++;
    mark(l, end, TD_WORD_NUMBER);
}

/* A comment to the end of the line begins here. */
static bool begins_comment(const struct lexer *l)
{
    const char c = l->text[l->at];
    if (l->language == TD_LANGUAGE_PYTHON)
        return c == '#';
    return is_at(l, "//") || (l->language == TD_LANGUAGE_ASSEMBLY && (c == '#' || c == ';'));
}

/* The first word of a line: a directive, or in assembly the instruction. */
static void lex_begin(struct lexer *l)
{
    size_t at = l->at;
    while (at < l->bytes && isspace((unsigned char)l->text[at]))
        at++;
    mark(l, at, TD_WORD_PLAIN);
    if (at == l->bytes)
        return;
    const char c = l->text[at];
    const bool is_c = l->language == TD_LANGUAGE_C || l->language == TD_LANGUAGE_CXX;
    const bool directive = (is_c && c == '#') || (l->language == TD_LANGUAGE_PYTHON && c == '@') ||
                           (l->language == TD_LANGUAGE_ASSEMBLY && c == '.');
    size_t end = at + 1;
    while (is_c && end < l->bytes && l->text[end] == ' ')
        end++;
    while (end < l->bytes && (is_word_byte(l->text[end]) || l->text[end] == '.'))
        end++;
    if (directive)
        mark(l, end, TD_WORD_DIRECTIVE);
    else if (l->language == TD_LANGUAGE_ASSEMBLY && is_word_byte(c))
        mark(l, end, end < l->bytes && l->text[end] == ':' ? TD_WORD_TYPE : TD_WORD_KEYWORD);
}

static void lex_code(struct lexer *l)
{
    const char c = l->text[l->at];
    if (begins_comment(l)) {
        mark(l, l->bytes, TD_WORD_COMMENT);
    } else if (l->language != TD_LANGUAGE_PYTHON && is_at(l, "/*")) {
        l->state = IN_COMMENT;
        mark(l, l->at + 2, TD_WORD_COMMENT);
        finish_open(l);
    } else if (c == '"' || c == '\'') {
        lex_string(l);
    } else if (isdigit((unsigned char)c)) {
        lex_number(l);
    } else if (is_word_byte(c)) {
        lex_word(l);
    } else if (c == '%' && l->language == TD_LANGUAGE_ASSEMBLY) { /* a register */
        size_t end = l->at + 1;
        while (end < l->bytes && is_word_byte(l->text[end]))
            end++;
        mark(l, end, TD_WORD_TYPE);
    } else {
        mark(l, l->at + 1, TD_WORD_PLAIN);
    }
}

td_lex_state td_lex_line(enum td_language language, td_lex_state state, const char *text, size_t bytes,
                         uint8_t *kinds)
{
    struct lexer l = {language, text, bytes, 0, kinds, state};
    if (language == TD_LANGUAGE_NONE) {
        mark(&l, bytes, TD_WORD_PLAIN);
        return IN_CODE;
    }
    if (state != IN_CODE)
        finish_open(&l);
    else
        lex_begin(&l);
    while (l.at < l.bytes)
        lex_code(&l);
    return l.state;
}
