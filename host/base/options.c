#include "host/base/options.h"
#include "host/base/describe.h"
#include "host/base/nearest.h"
#include "host/base/options_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail_unknown(const struct td_command_line *line, const char *word, struct td_err *err)
{
    char name[64] = "";
    struct td_nearest nearest = {.word = name};
    if (!strncmp(word, "--", 2))
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (const struct td_option *o = line->options; o->long_name; o++)
        td_nearest_offer(&nearest, o->long_name);
    return nearest.name ? td_fail(err, TD_E_USAGE, "unknown option %s: did you mean --%s? (see %s --help)",
                                  word, nearest.name, line->name)
                        : td_fail(err, TD_E_USAGE, "unknown option %s (see %s --help)", word, line->name);
}

/* Stores `value`; if it is NULL and the option needs one, the next word. Returns the number of words used,
 * 0: the option has printed its help, or a negative error. */
static int take_value(const struct td_option_values *values, const struct td_option *o, const char *value,
                      const char *next, struct td_err *err)
{
    const struct td_option_origin here = {.layer = TD_LAYER_COMMAND_LINE};
    int used = 1;
    if (td_option_kind(o) != TD_OPT_FLAG && td_option_kind(o) != TD_OPT_MAYBE && !value) {
        if (!next)
            return td_fail(err, TD_E_USAGE, "option --%s needs a value (see %s --help)", o->long_name,
                           values->line->name);
        value = next;
        used = 2;
    }
    int rc = td_option_give(values, o, value, &here, err);
    return rc < 0 ? rc : rc > 0 ? 0 : used;
}

static int take_long(const struct td_option_values *values, const char *word, const char *next,
                     struct td_err *err)
{
    size_t n = strcspn(word + 2, "=");
    const char *value = word[2 + n] ? word + 2 + n + 1 : NULL;
    const struct td_option *o = td_option_find(values->line, word + 2, n);
    return o ? take_value(values, o, value, next, err) : fail_unknown(values->line, word, err);
}

/* A word of letters: flags, and at most one option with a value, which is the rest of the word or the next
 * word. */
static int take_short(const struct td_option_values *values, const char *word, const char *next,
                      struct td_err *err)
{
    int used = 1;
    for (const char *letter = word + 1; *letter && used == 1; letter++) {
        const struct td_option *o = values->line->options;
        while (o->long_name && o->short_name != *letter)
            o++;
        if (!o->long_name)
            return fail_unknown(values->line, word, err);
        if (td_option_kind(o) != TD_OPT_FLAG && td_option_kind(o) != TD_OPT_MAYBE)
            return take_value(values, o, letter[1] ? letter + 1 : NULL, next, err);
        used = take_value(values, o, NULL, NULL, err);
    }
    return used;
}

/* Gives the description that argv[1] asks for; false: it asks for none. */
static bool print_description(const struct td_command_line *line, int argc, char **argv,
                              struct td_command_args *args)
{
    static const struct {
        const char *form;
        void (*print)(const struct td_command_line *line);
    } forms[] = {{"man", td_describe_man},   {"bash", td_describe_bash}, {"zsh", td_describe_zsh},
                 {"fish", td_describe_fish}, {"page", td_describe_page}, {"options", td_describe_options}};
    const size_t prefix = strlen(TD_DESCRIBE);
    if (argc < 2 || strncmp(argv[1], TD_DESCRIBE, prefix) != 0)
        return false;
    const char *form = argv[1] + prefix;
    size_t n = strcspn(form, ",");
    struct td_command_line named = *line;
    if (form[n])
        named.name = form + n + 1;
    if (n == strlen(TD_DESCRIBE_HAS) && !memcmp(form, TD_DESCRIBE_HAS, n)) {
        args->rc = td_option_find(line, named.name, strlen(named.name)) ? 0 : TD_E_NOTFOUND;
        return true;
    }
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

/* Takes the words of the command line. True: all are taken; false: as td_command_parse(). */
static bool take_words(const struct td_option_values *values, int argc, char **argv,
                       struct td_command_args *args, bool *print_config, struct td_err *err)
{
    const struct td_command_line *line = values->line;
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
        if (!strcmp(argv[i], TD_PRINT_CONFIG)) {
            *print_config = true;
            i++;
            continue;
        }
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        int used = argv[i][1] == '-' ? take_long(values, argv[i], next, err)
                                     : take_short(values, argv[i], next, err);
        if (used <= 0) { /* 0: help was printed */
            args->rc = used;
            return false;
        }
        i += used;
    }
    return true;
}

bool td_command_parse(const struct td_command_line *line, int argc, char **argv, struct td_command_args *args,
                      struct td_err *err)
{
    struct td_option_values values;
    struct td_err of_config = {0};
    bool print_config = false;
    *args = (struct td_command_args){0};
    if (print_description(line, argc, argv, args))
        return false;
    args->rc = td_option_values_init(&values, line, err);
    if (args->rc < 0)
        return false;
    int bad = td_options_take_config(&values, &of_config); /* is reported after --help */
    bool done = take_words(&values, argc, argv, args, &print_config, err);
    if (done && bad)
        args->rc = td_fail(err, bad, "%s", of_config.text);
    else if (done && print_config)
        td_options_print_config(&values);
    else if (done && values.refusal.code)
        args->rc = td_fail(err, values.refusal.code, "%s", values.refusal.text);
    else if (done)
        args->rc = check_operands(line, args->count, err);
    td_option_values_free(&values);
    return done && !print_config && args->rc == 0;
}
