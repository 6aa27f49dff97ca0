/* Splits a text into lines, from bytes that come in any pieces. Lines end in LF or CRLF. */
#pragma once
#include "host/base/err.h"
#include "host/tt/tt_text.h"

#define TD_TEXT_LINE_MAX 1048576 /* bytes of a line; longer ones are not passed */

/* All zero but `line` and `self`: before the first byte. */
struct td_text_lines {
    /* Gets a line without its end, valid during the call. Returns 0, or a negative enum td_e to stop. */
    int (*line)(void *self, struct td_tt_text line, struct td_err *err);
    void *self;
    uint64_t too_long; /* lines */
    char *carry;       /* the begin of a line */
    size_t carried, room;
    bool skips; /* to the end of a line that is too long */
};
/* 0, TD_E_NOMEM, or what `line` returned. */
int td_text_lines_feed(struct td_text_lines *lines, const char *bytes, size_t count, struct td_err *err);
/* Passes the last line, if no end follows it. */
int td_text_lines_end_stream(struct td_text_lines *lines, struct td_err *err);
void td_text_lines_free(struct td_text_lines *lines);
/* The next line of a text, from *at on, which is 0 at first. False: there is none that ends, or whose end is not known:
 * `whole` says that the text is complete. */
bool td_text_next_line(struct td_tt_text text, bool whole, size_t *at, struct td_tt_text *line);
