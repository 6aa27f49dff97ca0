/* What a regular expression is made of; for regex_compile.c and regex_match.c. */
#ifndef TD_HOST_BASE_REGEX_NODES_H
#define TD_HOST_BASE_REGEX_NODES_H
#include "host/base/regex.h"

#include <stdint.h>

enum td_regex_kind {
    TD_REGEX_SET, /* one byte of a set */
    TD_REGEX_BEGIN,
    TD_REGEX_END,
    TD_REGEX_WORD,   /* \b; number 1: \B */
    TD_REGEX_OPEN,   /* of group `number` */
    TD_REGEX_CLOSE,  /* of it */
    TD_REGEX_BACK,   /* what group `number` matched */
    TD_REGEX_BRANCH, /* `body`, else `other` */
    TD_REGEX_LOOK,   /* `body` matches here; number 1: it does not */
    TD_REGEX_LOOP,   /* enters loop `number` */
    TD_REGEX_AGAIN,  /* `body` once more, or on */
    TD_REGEX_MANY,   /* bytes of a set, as a loop has them */
    TD_REGEX_NOTHING,
    TD_REGEX_DONE
};

#define TD_REGEX_ENDLESS UINT32_MAX
#define TD_REGEX_LOOPS   64

struct td_regex_node {
    enum td_regex_kind kind;
    uint32_t number, least, most;
    int lazy;
    uint32_t next, body, other; /* nodes */
    uint32_t set;
};
struct td_regex_set {
    uint32_t bits[8];
};
struct td_regex {
    struct td_regex_node *nodes;
    size_t node_count, node_room;
    struct td_regex_set *sets;
    size_t set_count, set_room;
    uint32_t first, groups, loops;
};

static inline int td_regex_set_has(const struct td_regex_set *set, unsigned char byte)
{
    return set->bits[byte >> 5] >> (byte & 31) & 1;
}
#endif
