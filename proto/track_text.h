/* Texts of zones and messages on the tracks of cores, which both the recorder and `tendril import` write
 * and readers understand. Each form is written once, with the function that prints it and the one that
 * reads it.
 *
 * A zone's text has lines in any order, these among others. Functions that print return what snprintf()
 * returns. Functions that read a line get all of a text or one line of it, need no NUL within `bytes`, and
 * return false if it has another form. */
#pragma once
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The operation of a launch, in the text of its outermost zone: the run host id, op << 10 | device. */
#define TD_OP_TEXT_FORMAT "op %" PRIu32
/* A launch that is part of a recorded command list: the list, and its replay, counted from 1. */
#define TD_REPLAY_TEXT_FORMAT "trace %" PRIu32 " replay %" PRIu32
/* The name of the operation. */
#define TD_OP_NAME_TEXT_PREFIX "name "
/* A zone of an import whose end is missing in the file. It ends at the last time that is known for its
 * core. */
#define TD_NO_END_TEXT "no end in the file"

/* Messages of a core: a value with a name; a number; the ticks of all zones of a name in one launch, of
 * which an import does not know how many they are; a counter of the hardware with the count that it refers
 * to. */
#define TD_DATA_TEXT_FORMAT    "%s: %" PRIu64
#define TD_EVENT_TEXT_FORMAT   "event %" PRIu32
#define TD_SUM_TEXT_FORMAT     "%s: %" PRIu64 " ticks in %" PRIu64 " zones"
#define TD_TOTAL_TEXT_FORMAT   "%s: %" PRIu64 " ticks"
#define TD_COUNTER_TEXT_FORMAT "counter %s: %" PRIu64 " of %" PRIu64

/* Reads `word` and a number of at most 32 bits. Returns the bytes that were read; 0: another form. */
static inline size_t td_text_number(const char *text, size_t bytes, const char *word, uint32_t *number)
{
    const size_t skip = strlen(word);
    size_t at = skip;
    uint64_t value = 0;
    if (bytes <= skip || memcmp(text, word, skip) != 0)
        return 0;
    for (; at < bytes && text[at] >= '0' && text[at] <= '9' && value <= UINT32_MAX; at++)
        value = value * 10 + (uint64_t)(text[at] - '0');
    *number = (uint32_t)value;
    return at == skip || value > UINT32_MAX ? 0 : at;
}

static inline int td_op_text(char *text, size_t room, uint32_t op)
{
    return snprintf(text, room, TD_OP_TEXT_FORMAT, op);
}
static inline bool td_op_text_read(const char *line, size_t bytes, uint32_t *op)
{
    return td_text_number(line, bytes, "op ", op) == bytes;
}

static inline int td_replay_text(char *text, size_t room, uint32_t trace, uint32_t replay)
{
    return snprintf(text, room, TD_REPLAY_TEXT_FORMAT, trace, replay);
}
static inline bool td_replay_text_read(const char *line, size_t bytes, uint32_t *trace, uint32_t *replay)
{
    const size_t head = td_text_number(line, bytes, "trace ", trace);
    return head && td_text_number(line + head, bytes - head, " replay ", replay) == bytes - head;
}

/* The next line of a text from *at on, without its newline. False: there is none. */
static inline bool td_text_line(const char *text, size_t bytes, size_t *at, const char **line,
                                size_t *line_bytes)
{
    if (*at >= bytes)
        return false;
    const char *end = memchr(text + *at, '\n', bytes - *at);
    *line = text + *at;
    *line_bytes = end ? (size_t)(end - *line) : bytes - *at;
    *at += *line_bytes + 1;
    return true;
}
