#include "host/base/debug_log.h"
#include "host/base/options.h"
#include "host/base/describe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Index of the value in "a|b|c", or TD_E_NOTFOUND. */
static int find_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);
    int i = 0;
    for (const char *p = choices; *p; i++) {
        const char *bar = strchr(p, '|');
        size_t len = bar ? (size_t)(bar - p) : strlen(p);
        if (len == n && !memcmp(p, value, n))
            return i;
        p += len + (bar != NULL);
    }
    return TD_E_NOTFOUND;
}

static int fail_number(const struct td_command_line *line, const struct td_option *o, const char *value,
                       struct td_err *err)
{
    if (o->type != TD_OPT_DOUBLE && (o->min || o->max))
        return td_fail(err, TD_E_USAGE, "--%s: '%s' is not a number from %ld to %ld", o->long_name, value,
                       o->min, o->max);
    return td_fail(err, TD_E_USAGE, "--%s: '%s' is not a number (see %s --help)", o->long_name, value,
                   line->name);
}

static int store_int(const struct td_command_line *line, const struct td_option *o, const char *value,
                     struct td_err *err)
{
    char *end;
    errno = 0;
    long v = strtol(value, &end, 0);
    if (*end || end == value || errno || ((o->min || o->max) && (v < o->min || v > o->max)))
        return fail_number(line, o, value, err);
    *(long *)o->to = v;
    return 0;
}

static int store_word(const struct td_option *o, const char *value, struct td_err *err)
{
    struct td_words *list = o->to;
    if (list->count == TD_WORDS_MAX)
        return td_fail(err, TD_E_USAGE, "--%s can be given at most %d times", o->long_name, TD_WORDS_MAX);
    list->words[list->count++] = value;
    return 0;
}

/* `value` is NULL for a flag, and for a TD_OPT_MAYBE without a value. Returns 0, 1: the option has printed
 * its help, or a negative error. */
static int store_value(const struct td_command_line *line, const struct td_option *o, const char *value,
                       struct td_err *err)
{
    char *end;
    errno = 0;
    switch (o->type) {
    case TD_OPT_FLAG:
        *(int *)o->to = 1;
        return 0;
    case TD_OPT_STRING:
        *(const char **)o->to = value;
        return 0;
    case TD_OPT_MAYBE:
        if (value)
            return store_int(line, o, value, err);
        *(long *)o->to = -1;
        return 0;
    case TD_OPT_INT:
        return store_int(line, o, value, err);
    case TD_OPT_DOUBLE: {
        double v = strtod(value, &end);
        if (*end || end == value || errno)
            return fail_number(line, o, value, err);
        *(double *)o->to = v;
        return 0;
    }
    case TD_OPT_CHOICE: {
        int v = find_choice(o->choices, value);
        if (v < 0)
            return td_fail(err, TD_E_USAGE, "--%s: '%s' is not one of %s", o->long_name, value, o->choices);
        *(int *)o->to = v;
        return 0;
    }
    case TD_OPT_WORDS:
        return store_word(o, value, err);
    case TD_OPT_DEBUG:
        return td_debug_option(value, err);
    }
    return 0;
}

static int fail_unknown(const struct td_command_line *line, const char *word, struct td_err *err)
{
    return td_fail(err, TD_E_USAGE, "unknown option %s (see %s --help)", word, line->name);
}

/* Stores `value`; if it is NULL and the option needs one, the next word. Returns the number of words used,
 * 0: the option has printed its help, or a negative error. */
static int take_value(const struct td_command_line *line, const struct td_option *o, const char *value,
                      const char *next, struct td_err *err)
{
    int used = 1;
    if (o->type != TD_OPT_FLAG && o->type != TD_OPT_MAYBE && !value) {
        if (!next)
            return td_fail(err, TD_E_USAGE, "option --%s needs a value (see %s --help)", o->long_name,
                           line->name);
        value = next;
        used = 2;
    }
    int rc = store_value(line, o, value, err);
    return rc < 0 ? rc : rc > 0 ? 0 : used;
}

static int take_long(const struct td_command_line *line, const char *word, const char *next,
                     struct td_err *err)
{
    const struct td_option *o = line->options;
    size_t n = strcspn(word + 2, "=");
    const char *value = word[2 + n] ? word + 2 + n + 1 : NULL;
    while (o->long_name && !(strlen(o->long_name) == n && !memcmp(o->long_name, word + 2, n)))
        o++;
    if (!o->long_name)
        return fail_unknown(line, word, err);
    if (o->type == TD_OPT_FLAG && value)
        return td_fail(err, TD_E_USAGE, "option --%s takes no value", o->long_name);
    return take_value(line, o, value, next, err);
}

/* A word of letters: flags, and at most one option with a value, which is the rest of the word or the next
 * word. */
static int take_short(const struct td_command_line *line, const char *word, const char *next,
                      struct td_err *err)
{
    int used = 1;
    for (const char *letter = word + 1; *letter && used == 1; letter++) {
        const struct td_option *o = line->options;
        while (o->long_name && o->short_name != *letter)
            o++;
        if (!o->long_name)
            return fail_unknown(line, word, err);
        if (o->type != TD_OPT_FLAG && o->type != TD_OPT_MAYBE)
            return take_value(line, o, letter[1] ? letter + 1 : NULL, next, err);
        used = take_value(line, o, NULL, NULL, err);
    }
    return used;
}

/* Prints the description that argv[1] asks for; false: it asks for none. */
static bool print_description(const struct td_command_line *line, int argc, char **argv)
{
    static const struct {
        const char *form;
        void (*print)(const struct td_command_line *line);
    } forms[] = {{"man", td_describe_man},
                 {"bash", td_describe_bash},
                 {"zsh", td_describe_zsh},
                 {"fish", td_describe_fish}};
    const size_t prefix = strlen(TD_DESCRIBE);
    if (argc < 2 || strncmp(argv[1], TD_DESCRIBE, prefix) != 0)
        return false;
    const char *form = argv[1] + prefix;
    size_t n = strcspn(form, ",");
    struct td_command_line named = *line;
    if (form[n])
        named.name = form + n + 1;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strlen(forms[i].form) != n || memcmp(forms[i].form, form, n))
            continue;
        forms[i].print(&named);
        return true;
    }
    return false;
}

static bool asks_for_help(const struct td_command_line *line, const char *word)
{
    return !strcmp(word, "--help") || (!strcmp(word, "-h") && td_describe_has_short_help(line));
}

static bool ends_options(const struct td_command_line *line, const char *word)
{
    return !strcmp(word, "--") || (line->stop_at_operand && word[0] != '-');
}

static int check_operands(const struct td_command_line *line, int count, struct td_err *err)
{
    if (count >= line->min_args && (line->max_args < 0 || count <= line->max_args))
        return 0;
    return td_fail(err, TD_E_USAGE, "usage: %s %s (see %s --help)", line->name, line->usage, line->name);
}

bool td_command_parse(const struct td_command_line *line, int argc, char **argv, struct td_command_args *args,
                      struct td_err *err)
{
    *args = (struct td_command_args){0};
    if (print_description(line, argc, argv))
        return false;
    for (int i = 1; i < argc;) {
        if (ends_options(line, argv[i])) {
            i += !strcmp(argv[i], "--");
            while (i < argc)
                argv[1 + args->count++] = argv[i++];
            break;
        }
        if (argv[i][0] != '-' || !argv[i][1]) {
            argv[1 + args->count++] = argv[i++];
            continue;
        }
        if (asks_for_help(line, argv[i])) {
            td_describe_help(line);
            return false;
        }
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        int used =
            argv[i][1] == '-' ? take_long(line, argv[i], next, err) : take_short(line, argv[i], next, err);
        if (used <= 0) { /* 0: help was printed */
            args->rc = used;
            return false;
        }
        i += used;
    }
    args->rc = check_operands(line, args->count, err);
    return args->rc == 0;
}
