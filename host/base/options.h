/* Command-line options: each command has one table, from which parsing and --help are made. */
#ifndef TD_HOST_BASE_OPTIONS_H
#define TD_HOST_BASE_OPTIONS_H
#include "host/base/err.h"

enum td_option_type {
    TD_OPT_FLAG,   /* int *to = 1 */
    TD_OPT_STRING, /* const char **to */
    TD_OPT_INT,    /* long *to, decimal or 0x; min..max */
    TD_OPT_DOUBLE, /* double *to */
    TD_OPT_CHOICE  /* int *to = position in `choices` ("block|drop|overwrite") */
};

struct td_option {
    char short_name;       /* 0: none */
    const char *long_name; /* NULL: end of the table */
    enum td_option_type type;
    void *to;
    const char *arg; /* name of the argument in the help */
    const char *help;
    const char *choices;
    long min, max; /* TD_OPT_INT, both 0: any */
};

struct td_command_line {
    const char *name;    /* "tendril info" */
    const char *usage;   /* "[options] FILE" */
    const char *summary; /* one sentence */
    const struct td_option *options;
    int min_args, max_args; /* operands; max < 0: any number */
};

/* Parses argv[1..]; operands are moved to the front of argv[1..]. With stop_at_operand the first operand ends
 * the options (for
 * `-- PROGRAM ARGS`; a `--` is dropped). Returns the number of operands; -1: usage error, in *err; -2: --help
 * was printed. */
int td_options_parse(const struct td_command_line *line, int argc, char **argv, int stop_at_operand,
                     struct td_err *err);
#endif
