/* Values of checked JSON text (json_check.h), exactly as they are written: texts, and times as decimal numbers. */
#pragma once
#include "host/base/err.h"
#include "host/tt/json_list.h"

/* A text that grows. All zero: empty. */
struct td_text {
    char *at; /* not ended by NUL; NULL while it is empty */
    size_t bytes, room;
};
void td_text_free(struct td_text *text);
/* 0 or TD_E_NOMEM. */
int td_text_add(struct td_text *text, const char *bytes, size_t count);
/* Adds a string between its quotes without its escapes. A NUL becomes U+FFFD. */
int td_text_add_json(struct td_text *text, struct td_tt_text string);
/* Adds a value: a string as above, all else as it is written, without white space and superfluous
 * escapes. */
int td_text_add_value(struct td_text *text, const struct td_tt_json_member *value);
/* Adds a line "KEY: VALUE\n" for each member of an object. */
int td_text_add_members(struct td_text *text, struct td_tt_text object);

/* A number of microseconds, exact to 10^-12: whole + parts / 10^12. */
struct td_json_number {
    int64_t whole;
    int64_t parts; /* 0 to 10^12 - 1 */
};
#define TD_JSON_NUMBER_MAX INT64_C(4000000000000000000)
/* False: it is no number, or larger than TD_JSON_NUMBER_MAX. Further digits are cut off towards -infinity. */
bool td_json_number_read(struct td_tt_text text, struct td_json_number *number);
struct td_json_number td_json_number_add(struct td_json_number a, struct td_json_number b);
/* Nanoseconds since `zero_us`, rounded to the nearest (a half: to the later one). False: out of the range that
 * a trace can have (about 140 years). */
bool td_json_number_ns(struct td_json_number number, int64_t zero_us, int64_t *ns);
/* The number, of units of `unit_ns`, in nanoseconds, rounded to the nearest (a half: to the later one). False: out of the
 * range of times. */
bool td_json_number_scaled_ns(struct td_json_number number, int64_t unit_ns, int64_t *ns);
