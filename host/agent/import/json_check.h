/* Checks JSON text byte by byte, as it arrives: the first byte that cannot be part of a value is known at once.
 * Escapes are checked, too: each half of a surrogate pair needs the other one. Control characters in strings,
 * except NUL, and any bytes above 0x7f are allowed. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define TD_JSON_DEPTH_MAX 1024 /* lists and objects in each other */

enum td_json_step {
    TD_JSON_MORE, /* the value continues */
    TD_JSON_DONE, /* this byte ends it */
    TD_JSON_BAD,
    TD_JSON_DEEP /* more than TD_JSON_DEPTH_MAX */
};

struct td_json_check { /* all zero: before the value, which must be a list or an object */
    uint8_t state, hex, is_key;
    uint16_t code, high; /* of an escape; high: the first half of a pair, 0: none */
    uint32_t depth;
    const char *word;                       /* the rest of true, false or null */
    uint64_t lists[TD_JSON_DEPTH_MAX / 64]; /* a bit for each level: 1: a list */
};
enum td_json_step td_json_check_byte(struct td_json_check *check, char c);
/* The last byte was a comma of the outermost list. */
bool td_json_is_between(const struct td_json_check *check);
