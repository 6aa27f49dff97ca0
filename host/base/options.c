#include "host/base/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(const struct td_command_line *line)
{
    printf("Usage: %s %s\n%s\n", line->name, line->usage, line->summary);
    printf("\nOptions:\n");
    for (const struct td_option *o = line->options; o->long_name; o++) {
        char left[80];
        snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->short_name ? '-' : ' ',
                 o->short_name ? o->short_name : ' ', o->short_name ? ", " : "  ", o->long_name,
                 o->arg ? " " : "", o->arg ? o->arg : "");
        printf("  %-30s %s", left, o->help);
        if (o->choices)
            printf(" (%s)", o->choices);
        putchar('\n');
    }
    printf("  %-30s %s\n", "    --help", "this text");
}

static int choice(const char *choices, const char *value)
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
    return -1;
}

static int store(const struct td_command_line *line, const struct td_option *o, const char *value,
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
    case TD_OPT_INT: {
        long v = strtol(value, &end, 0);
        if (*end || end == value || errno || ((o->min || o->max) && (v < o->min || v > o->max)))
            break;
        *(long *)o->to = v;
        return 0;
    }
    case TD_OPT_DOUBLE: {
        double v = strtod(value, &end);
        if (*end || end == value || errno)
            break;
        *(double *)o->to = v;
        return 0;
    }
    case TD_OPT_CHOICE: {
        int v = choice(o->choices, value);
        if (v < 0)
            return td_fail(err, TD_E_USAGE, "--%s: '%s' is none of %s", o->long_name, value, o->choices);
        *(int *)o->to = v;
        return 0;
    }
    }
    if (o->type == TD_OPT_INT && (o->min || o->max))
        return td_fail(err, TD_E_USAGE, "--%s: '%s' is not a number from %ld to %ld", o->long_name, value,
                       o->min, o->max);
    return td_fail(err, TD_E_USAGE, "--%s: '%s' is not a number (see %s --help)", o->long_name, value,
                   line->name);
}

/* One word that begins with '-'. Returns the number of words used, or a negative error. */
static int take(const struct td_command_line *line, char **argv, int i, int argc, struct td_err *err)
{
    const char *word = argv[i];
    const char *value = NULL;
    const struct td_option *o = line->options;
    if (word[1] == '-') {
        size_t n = strcspn(word + 2, "=");
        value = word[2 + n] ? word + 2 + n + 1 : NULL;
        while (o->long_name && !(strlen(o->long_name) == n && !memcmp(o->long_name, word + 2, n)))
            o++;
    } else {
        while (o->long_name && o->short_name != word[1])
            o++;
        if (o->long_name && word[2]) {
            if (o->type == TD_OPT_FLAG)
                return td_fail(err, TD_E_USAGE, "unknown option %s (see %s --help)", word, line->name);
            value = word + 2;
        }
    }
    if (!o->long_name)
        return td_fail(err, TD_E_USAGE, "unknown option %s (see %s --help)", word, line->name);
    if (o->type == TD_OPT_FLAG && value)
        return td_fail(err, TD_E_USAGE, "option --%s takes no value", o->long_name);
    int used = 1;
    if (o->type != TD_OPT_FLAG && !value) {
        if (i + 1 >= argc)
            return td_fail(err, TD_E_USAGE, "option --%s needs a value (see %s --help)", o->long_name,
                           line->name);
        value = argv[i + 1];
        used = 2;
    }
    int rc = store(line, o, value, err);
    return rc < 0 ? rc : used;
}

int td_options_parse(const struct td_command_line *line, int argc, char **argv, int stop_at_operand,
                     struct td_err *err)
{
    int operands = 0;
    for (int i = 1; i < argc;) {
        if (!strcmp(argv[i], "--") || (stop_at_operand && argv[i][0] != '-')) {
            i += !strcmp(argv[i], "--");
            while (i < argc)
                argv[1 + operands++] = argv[i++];
            break;
        }
        if (argv[i][0] != '-' || !argv[i][1]) {
            argv[1 + operands++] = argv[i++];
            continue;
        }
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            print_help(line);
            return -2;
        }
        int used = take(line, argv, i, argc, err);
        if (used < 0)
            return -1;
        i += used;
    }
    if (operands < line->min_args || (line->max_args >= 0 && operands > line->max_args)) {
        td_fail(err, TD_E_USAGE, "usage: %s %s (see %s --help)", line->name, line->usage, line->name);
        return -1;
    }
    return operands;
}
