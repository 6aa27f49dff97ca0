/* A part of a file's text that is not copied: it is valid during the call that gets it, and has no NUL at
 * its end. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct td_tt_text {
    const char *at; /* not NULL */
    size_t bytes;
};

#define TD_TT_TEXT_NONE ((struct td_tt_text){"", 0})

static inline struct td_tt_text td_tt_text_of(const char *string)
{
    return (struct td_tt_text){string, strlen(string)};
}
static inline bool td_tt_text_equals(struct td_tt_text text, struct td_tt_text other)
{
    return text.bytes == other.bytes && !memcmp(text.at, other.at, text.bytes);
}
static inline bool td_tt_text_is(struct td_tt_text text, const char *string)
{
    return td_tt_text_equals(text, td_tt_text_of(string));
}
static inline bool td_tt_text_begins(struct td_tt_text text, const char *string)
{
    const size_t bytes = strlen(string);
    return text.bytes >= bytes && !memcmp(text.at, string, bytes);
}

/* Without the white space at both ends. */
struct td_tt_text td_tt_text_trim(struct td_tt_text text);
/* Upper and lower case of ASCII letters do not matter. */
bool td_tt_text_is_name(struct td_tt_text text, const char *string);
/* Read all of the text as a number in decimal, in any locale. False: it is none, or too large. An integer
 * may end in ".0", as pandas writes it. */
bool td_tt_text_u64(struct td_tt_text text, uint64_t *value);
bool td_tt_text_u32(struct td_tt_text text, uint32_t *value);
bool td_tt_text_i64(struct td_tt_text text, int64_t *value);
bool td_tt_text_double(struct td_tt_text text, double *value);
