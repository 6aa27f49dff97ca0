/* The bound on the error of a chip's times, over time: a note (TD_NOTE_CLOCK_PART) for each part of the recording,
 *
 *   chip 0 within 552 ns from 1200000 ns on
 *
 * in the order of time. Times are those of the trace; a part lasts until the next one of the chip. */
#pragma once
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TD_CLOCK_PARTS 128 /* of a chip, at most */

struct td_clock_part {
    uint32_t chip;
    uint64_t bound_ns;
    int64_t from_ns;
};

/* Returns what snprintf() returns. */
static inline int td_clock_part_text(char *text, size_t room, const struct td_clock_part *part)
{
    return snprintf(text, room, "chip %" PRIu32 " within %" PRIu64 " ns from %" PRId64 " ns on", part->chip,
                    part->bound_ns, part->from_ns);
}

/* False: the text has another form. */
static inline bool td_clock_part_read(const char *text, struct td_clock_part *part)
{
    unsigned chip;
    unsigned long long bound;
    long long from;
    if (sscanf(text, "chip %9u within %18llu ns from %19lld ns on", &chip, &bound, &from) != 3)
        return false;
    *part = (struct td_clock_part){chip, bound, from};
    return true;
}
