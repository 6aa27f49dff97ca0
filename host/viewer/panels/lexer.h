/* Colours of source text: splits a line of C, C++, Python or assembly into kinds of words. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum td_language {
    TD_LANGUAGE_NONE,
    TD_LANGUAGE_C,
    TD_LANGUAGE_CXX,
    TD_LANGUAGE_PYTHON,
    TD_LANGUAGE_ASSEMBLY
};

enum td_word {
    TD_WORD_PLAIN,
    TD_WORD_KEYWORD,
    TD_WORD_TYPE,
    TD_WORD_NUMBER,
    TD_WORD_STRING,
    TD_WORD_COMMENT,
    TD_WORD_DIRECTIVE, /* of the preprocessor, the assembler; decorators */
    TD_WORDS
};

/* What a line begins in: 0, or the comment or string that the lines before have opened. */
typedef uint8_t td_lex_state;

/* By the end of the file's name. */
enum td_language td_language_of(const char *file);
/* Sets the kind of each byte of the line, which has no end; `kinds` NULL: only the state. Returns the state of the next
 * line. */
td_lex_state td_lex_line(enum td_language language, td_lex_state state, const char *text, size_t bytes,
                         uint8_t *kinds);
