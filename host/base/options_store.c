/* Stores the values of options: of the command line, and of tendril.conf. */
#include "host/base/debug_log.h"
#include "host/base/options_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int td_option_choice(const char *choices, const char *value)
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
    if (td_option_kind(o) != TD_OPT_DOUBLE && (o->min || o->max))
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

static int store_ordered(const struct td_option *o, const char *value, struct td_err *err)
{
    struct td_option_list *list = o->to;
    if (o->choices && td_option_choice(o->choices, value) < 0)
        return td_fail(err, TD_E_USAGE, "--%s: '%s' is not one of %s", o->long_name, value, o->choices);
    if (list->count == TD_OPTION_LIST_MAX)
        return td_fail(err, TD_E_USAGE, "--%s is the %dth option of its kind: there are too many",
                       o->long_name, TD_OPTION_LIST_MAX + 1);
    list->given[list->count].option = o->long_name;
    list->given[list->count++].value = value;
    return 0;
}

/* Removes the values of an option from the list that it shares with others. */
static void forget_ordered(const struct td_option *o)
{
    struct td_option_list *list = o->to;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->given[i].option, o->long_name) != 0)
            list->given[kept++] = list->given[i];
    list->count = kept;
}

static bool is_yes(const char *value)
{
    return !strcmp(value, "yes") || !strcmp(value, "true") || !strcmp(value, "on");
}

static bool is_no(const char *value)
{
    return !strcmp(value, "no") || !strcmp(value, "false") || !strcmp(value, "off");
}

static int store_flag(const struct td_option *o, const char *value, struct td_err *err)
{
    if (value && !is_yes(value) && !is_no(value))
        return td_fail(err, TD_E_USAGE, "option --%s takes no value other than yes and no", o->long_name);
    *(int *)o->to = !value || is_yes(value);
    return 0;
}

/* `value` may be NULL for a flag, and for a TD_OPT_MAYBE without a value. Returns 0, 1: the option has printed
 * its help, or a negative error. */
static int store_value(const struct td_command_line *line, const struct td_option *o, const char *value,
                       struct td_err *err)
{
    char *end;
    errno = 0;
    switch (td_option_kind(o)) {
    case TD_OPT_FLAG:
        return store_flag(o, value, err);
    case TD_OPT_STRING:
        *(const char **)o->to = value;
        return 0;
    case TD_OPT_MAYBE:
        if (value && !is_yes(value) && !is_no(value))
            return store_int(line, o, value, err);
        *(long *)o->to = value && is_no(value) ? 0 : -1;
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
        int v = td_option_choice(o->choices, value);
        if (v < 0)
            return td_fail(err, TD_E_USAGE, "--%s: '%s' is not one of %s", o->long_name, value, o->choices);
        *(int *)o->to = v;
        return 0;
    }
    case TD_OPT_WORDS:
        return store_word(o, value, err);
    case TD_OPT_ORDERED:
        return store_ordered(o, value, err);
    case TD_OPT_DEBUG:
        return td_debug_option(value, err);
    }
    return 0;
}

int td_option_give(const struct td_option_values *values, const struct td_option *o, const char *value,
                   const struct td_option_origin *origin, struct td_err *err)
{
    struct td_option_origin *of = &values->origins[o - values->line->options];
    /* A list of a layer replaces that of the layer before. */
    if (td_option_kind(o) == TD_OPT_WORDS && of->layer != origin->layer)
        ((struct td_words *)o->to)->count = 0;
    if (td_option_kind(o) == TD_OPT_ORDERED && of->layer != origin->layer)
        forget_ordered(o);
    *of = *origin;
    of->text = value;
    return store_value(values->line, o, value, err);
}

const struct td_option *td_option_find(const struct td_command_line *line, const char *name, size_t bytes)
{
    const struct td_option *o = line->options;
    while (o->long_name && !(strlen(o->long_name) == bytes && !memcmp(o->long_name, name, bytes)))
        o++;
    return o->long_name ? o : NULL;
}
