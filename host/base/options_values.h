/* Values of a command's options, and where each came from. For the parser's own files. */
#pragma once
#include "host/base/options.h"

/* Later layers override earlier ones. Those between are of tendril.conf (options_config.c). */
enum { TD_LAYER_DEFAULT = 0, TD_LAYER_COMMAND_LINE = 1000 };

struct td_option_origin {
    int layer;
    const char *text;  /* the value as it was given; NULL: none */
    const char *where; /* "FILE:LINE" of tendril.conf */
};
/* Of the working folder's tendril.conf. */
struct td_refused_entry {
    struct td_refused_entry *next;
    char text[600]; /* NAME = VALUE ; FILE:LINE */
};
struct td_option_values {
    const struct td_command_line *line;
    struct td_option_origin *origins; /* one for each of line->options */
    struct td_refused_entry *refused; /* in their order */
    struct td_err refusal;            /* about the first of them */
};

/* Stores the value, which stays valid as long as the option is used, and its origin. `value` may be NULL for
 * a flag, and for a TD_OPT_MAYBE without a value. Returns 0, 1: the option has printed its help, or a negative
 * error. */
int td_option_give(const struct td_option_values *values, const struct td_option *o, const char *value,
                   const struct td_option_origin *origin, struct td_err *err);
/* The option of that long name; NULL: there is none. */
const struct td_option *td_option_find(const struct td_command_line *line, const char *name, size_t bytes);
