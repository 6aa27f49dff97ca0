/* Command-line options: each command has one table, from which parsing, --help, its man page and the
 * completion of shells are made. */
#ifndef TD_HOST_BASE_OPTIONS_H
#define TD_HOST_BASE_OPTIONS_H
#include "host/base/err.h"

#include <stdbool.h>
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
    bool stop_at_operand; /* the first operand ends the options: PROGRAM ARGS */
};

/* What td_command_parse() leaves to the command. */
struct td_command_args {
    int count; /* operands: argv[1] to argv[count] */
    int rc;    /* where td_command_parse() returns false: what the command returns */
};

/* Parses argv[1..argc - 1]: stores the options' values, moves the operands to argv[1..], checks their number.
 * `--` ends the options, and is dropped. Short flags may be written as one word (-ue).
 *
 * Returns true if the command has to do its work. False: it returns args->rc at once, which is 0 after --help,
 * and TD_E_USAGE, with the reason in *err, after a mistake.
 *
 * Pages and completion scripts are made of the same tables. For them, if argv[1] is TD_DESCRIBE FORM[,NAME],
 * this function prints a description of the command, as for --help. FORM is "man" (a page in roff), "bash",
 * "zsh" or "fish" (the command's part of a completion script). NAME replaces line->name. */
#define TD_DESCRIBE "--td-describe="
bool td_command_parse(const struct td_command_line *line, int argc, char **argv, struct td_command_args *args,
                      struct td_err *err);
#endif
