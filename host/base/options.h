/* Command lines. A command describes its options and operands in one table (struct td_command_line). The
 * parser, --help, the command's man page and shell completion are made from this table.
 *
 * Values of the options of a command of `tendril` may also be in tendril.conf (config.h, options_config.h);
 * the command line overrides them, and --print-config lists all values with their origins.
 *
 * All texts belong to the caller. Values of strings and words point into argv, or to texts of tendril.conf,
 * which are kept to the end of the process. Thread-safe on distinct arguments, as far as no tendril.conf is
 * read. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum td_option_type {
    TD_OPT_FLAG,    /* int *to = 1; --name=no: 0 */
    TD_OPT_STRING,  /* const char **to */
    TD_OPT_INT,     /* long *to, decimal or 0x; min..max */
    TD_OPT_DOUBLE,  /* double *to */
    TD_OPT_CHOICE,  /* int *to = index in `choices` ("block|drop|overwrite"), from 0 */
    TD_OPT_MAYBE,   /* long *to, as TD_OPT_INT, but only as `--name=N`; `--name` stores -1, --name=no 0 */
    TD_OPT_WORDS,   /* struct td_words *to; the option may be given TD_WORDS_MAX times */
    TD_OPT_ORDERED, /* struct td_option_list *to, which several options of a table share */
    TD_OPT_DEBUG    /* areas of the debug log (debug_log.h); `to` is not used */
};
/* Added to an option's type: the tendril.conf of the working folder may have it, which may be another person's
 * work. Only for options that change how a result looks: notation, sizes, how many rows. Not for options that
 * change what is read, written, removed, run, connected to, recorded or left out, or whether a command
 * succeeds. The list of all options with this decision is tests/data/local-options.txt. */
#define TD_OPT_LOOKS 0x100

#define TD_WORDS_MAX 64
struct td_words {
    const char *words[TD_WORDS_MAX];
    size_t count;
};

/* Options whose order matters, such as those that describe one board after the other. */
#define TD_OPTION_LIST_MAX 256
struct td_option_list {
    struct {
        const char *option; /* its long name */
        const char *value;  /* one of its `choices`, if it has any */
    } given[TD_OPTION_LIST_MAX];
    size_t count;
};

struct td_option {
    char short_name;          /* 0: none; with 'h', -h is this option instead of --help */
    const char *long_name;    /* NULL: end of the table */
    enum td_option_type type; /* or with TD_OPT_LOOKS */
    void *to;
    const char *arg; /* the value's name in the help; shells complete FILE, DIR, PNG and ELF as paths */
    const char *help;
    const char *choices; /* "block|drop|overwrite"; with TD_OPT_STRING only for help and completion */
    long min, max;       /* for TD_OPT_INT and TD_OPT_MAYBE; both 0: any number */
};

/* For the table of a command that opens a board or a connection. */
#define TD_OPTION_DEBUG                                                                                      \
    {                                                                                                        \
        0, "debug", TD_OPT_DEBUG, NULL, "AREAS",                                                             \
            "log on standard error what happens in these areas: noc,drain ..., or all; help lists them",     \
            NULL, 0, 0                                                                                       \
    }

static inline enum td_option_type td_option_kind(const struct td_option *o)
{
    return (enum td_option_type)((unsigned)o->type & ~(unsigned)TD_OPT_LOOKS);
}
static inline bool td_option_is_looks(const struct td_option *o)
{
    return (unsigned)o->type & TD_OPT_LOOKS;
}

struct td_command_line {
    const char *name;    /* "tendril info" */
    const char *usage;   /* "[options] FILE" */
    const char *summary; /* one sentence */
    const struct td_option *options;
    int min_args, max_args; /* number of operands; max_args < 0: no limit */
    /* The rest of the help, or NULL: paragraphs, each one line, with an empty line between them. Lines that
     * begin with two spaces are examples; they are not wrapped. */
    const char *details;
    const char *operands; /* the words that an operand may be, "bash|zsh|fish"; NULL: operands are paths */
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
 * Returns true if the command has to do its work. False: it returns args->rc at once. That is 0 after --help,
 * --print-config and --debug help, and TD_E_USAGE, with the reason in *err, after a mistake.
 *
 * Pages and completion scripts are made of the same tables. For them, if argv[1] is TD_DESCRIBE FORM[,NAME],
 * this function prints a description of the command, as for --help. FORM is "man" (a page in roff), "bash",
 * "zsh" or "fish" (the command's part of a completion script), "page" (rows of a Markdown table), or "options"
 * (a line for each option: command, name, name of the value, and yes if the tendril.conf of the working folder
 * may have it). NAME replaces line->name. With the FORM "has", nothing is printed, and args->rc is 0 if the
 * command has an option of the long name NAME, else TD_E_NOTFOUND. */
#define TD_DESCRIBE     "--td-describe="
#define TD_DESCRIBE_HAS "has"
#define TD_PRINT_CONFIG "--print-config"
bool td_command_parse(const struct td_command_line *line, int argc, char **argv, struct td_command_args *args,
                      struct td_err *err);

/* Index of the value in "block|drop|overwrite", or TD_E_NOTFOUND. */
int td_option_choice(const char *choices, const char *value);
