/* Imports any bytes as files of tt-metal: the result is one error or a sound trace. */
#pragma once
#include "host/agent/import/tt_import.h"

#define TT_CHECK_FILES 4

struct tt_check {
    struct {
        const char *name;
        const void *bytes;
        size_t count;
    } files[TT_CHECK_FILES]; /* until the first without a name; a file's kind is found by its bytes */
    size_t piece;            /* bytes that are fed at once; 0: all */
    /* Set by the check: */
    struct td_tt_import_counts counts;
    struct td_err err; /* why the files were refused */
    bool cut;          /* a file breaks off */
    /* The tracks with their zones in order, then messages, then notes, one a line; to be freed. NULL:
     * refused. "TRACK", "  NAME START LENGTH TEXT" (two spaces for each depth, lines of the text joined by
     * |), "TIME TRACK: TEXT". */
    char *text;
};
/* Returns 0, or the error. Aborts if the trace is not sound. */
int tt_import_check(struct tt_check *check);
