/* Which lanes (tracks) to look at: an expression that the user types.
 *
 *     tile 3,* TRISC1            names, places and numbers; terms in a row must all hold
 *     chip 0-3 and not BRISC     ranges, `and`, `or`, `not`, parentheses
 *     wait > 10 % or lost > 0    busy, work, wait and lost are shares of the range
 *     longest >= 1.5 ms          zones: a number
 *     kernel matmul*             the name of the outermost zone with the most time
 *
 * A word that is not one of the above is a name, in quotes if it has other characters than letters. A name
 * with `*` or `?` is compared with the whole name of the lane or of its core, any other name is a part of the
 * lane's name; capitals do not matter. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_LANE_FILTER_BYTES 200 /* of an expression, with its end */
#define TD_LANE_FILTER_STEPS 96

/* What a filter knows of a lane. */
struct td_lane_facts {
    const char *name;   /* of the track */
    const char *kind;   /* of the core: BRISC ...; "thread" and so on for others */
    const char *kernel; /* name of the outermost zone with the most time; "": none */
    bool is_core;       /* the four that follow are set */
    unsigned chip, x, y, core;
    double busy, work, wait, lost; /* shares of the range, 0 to 1 */
    double zones, longest_ns;
};

/* The expression in postfix order. */
struct td_lane_step {
    uint8_t kind;       /* enum lane_step_kind */
    uint8_t compare;    /* of a number */
    uint16_t low, high; /* range of a place; of a name: its bytes in `text` */
    uint16_t low_y, high_y;
    double number;
};

struct td_lane_filter { /* all zero: passes every lane */
    int count;
    bool needs_sums; /* it asks for what depends on the range */
    struct td_lane_step step[TD_LANE_FILTER_STEPS];
    char text[TD_LANE_FILTER_BYTES];
};

struct td_lane_mistake {
    size_t at; /* the byte of the text at which it is */
    char text[120];
};

/* Parses the text; an empty one passes every lane. False: *mistake says what is wrong, and the filter passes
 * every lane. */
bool td_lane_filter_parse(struct td_lane_filter *filter, const char *text, struct td_lane_mistake *mistake);
bool td_lane_filter_passes(const struct td_lane_filter *filter, const struct td_lane_facts *lane);
