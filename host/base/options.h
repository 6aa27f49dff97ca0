/* Command-line options: each command has one table, from which parsing, --help, its man page and the
 * completion of shells are made. */
#ifndef TD_HOST_BASE_OPTIONS_H
#define TD_HOST_BASE_OPTIONS_H
#include "host/base/err.h"

#include <stddef.h>

enum td_option_type {
    TD_OPT_FLAG,   /* int *to = 1 */
    TD_OPT_STRING, /* const char **to */
    TD_OPT_INT,    /* long *to, decimal or 0x; min..max */
    TD_OPT_DOUBLE, /* double *to */
    TD_OPT_CHOICE, /* int *to = position in `choices` ("block|drop|overwrite") */
    TD_OPT_MAYBE,  /* long *to, as TD_OPT_INT, but only `--name=N`; `--name` alone makes it -1 */
    TD_OPT_WORDS   /* struct td_words *to: may be given several times */
};

#define TD_WORDS_MAX 64
struct td_words {
    const char *words[TD_WORDS_MAX];
    size_t count;
};

struct td_option {
    char short_name;       /* 0: none; 'h' takes the place of --help's */
    const char *long_name; /* NULL: end of the table */
    enum td_option_type type;
    void *to;
    const char *arg; /* name of the argument in the help; FILE, DIR, PNG and ELF are paths for completion */
    const char *help;
    const char *choices;
    long min, max; /* TD_OPT_INT, TD_OPT_MAYBE; both 0: any */
};

struct td_command_line {
    const char *name;    /* "tendril info" */
    const char *usage;   /* "[options] FILE" */
    const char *summary; /* one sentence */
    const struct td_option *options;
    int min_args, max_args; /* operands; max < 0: any number */
    /* NULL, or what more there is to say: paragraphs, each one line, with an empty line between; lines that
     * begin with two spaces are examples and stay as they are. */
    const char *details;
    const char *operands; /* NULL: operands are paths; else what they may be, "bash|zsh|fish" */
};

/* Parses argv[1..]; operands are moved to the front of argv[1..]. With stop_at_operand the first operand ends
 * the options (for `-- PROGRAM ARGS`; a `--` is dropped). Short flags may stand together (-ue). Returns the
 * number of operands; -1: usage error, in *err; -2: --help was printed.
 *
 * argv[1] = TD_DESCRIBE FORM[,NAME] prints a description of the command instead of doing anything, and
 * returns -2: FORM is "man" (a page in roff) or "bash", "zsh", "fish" (its part of a completion script); NAME
 * replaces line->name. So what prints pages and scripts needs no table of its own. */
#define TD_DESCRIBE "--td-describe="
int td_options_parse(const struct td_command_line *line, int argc, char **argv, int stop_at_operand,
                     struct td_err *err);
#endif
