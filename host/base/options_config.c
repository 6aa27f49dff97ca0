#include "host/base/options_config.h"
#include "host/base/config.h"
#include "host/base/plain_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *td_options_section(const struct td_command_line *line)
{
    static const char program[] = "tendril ";
    return strncmp(line->name, program, sizeof program - 1) ? NULL : line->name + sizeof program - 1;
}

int td_option_values_init(struct td_option_values *values, const struct td_command_line *line,
                          struct td_err *err)
{
    size_t count = 1;
    while (line->options[count - 1].long_name)
        count++;
    values->line = line;
    values->origins = calloc(count, sizeof *values->origins);
    return values->origins ? 0 : td_fail_no_memory(err, "for options");
}

void td_option_values_free(struct td_option_values *values)
{
    free(values->origins);
}

/* ---- tendril.conf ---- */

/* Texts that options point to, kept to the end of the process as argv is. */
struct kept_text {
    struct kept_text *next;
    char text[];
};
static struct kept_text *kept_texts;

static const char *keep_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    struct kept_text *kept = malloc(sizeof *kept + bytes);
    if (!kept)
        return NULL;
    memcpy(kept->text, text, bytes);
    kept->next = kept_texts;
    kept_texts = kept;
    return kept->text;
}

/* What the values of harmless options are: no paths, addresses or programs. */
static const char *const plain_words[] = {"LIMIT",   "SIZE", "VERSION", "NAME",    "WxH",  "N",      "X",
                                          "SECONDS", "AGE",  "AREAS",   "PATTERN", "RULE", "PERCENT"};

static bool is_for_local_files(const struct td_option *o)
{
    if (!strcmp(o->long_name, "force"))
        return false;
    if ((o->type != TD_OPT_STRING && o->type != TD_OPT_WORDS && o->type != TD_OPT_ORDERED) || o->choices)
        return true;
    for (size_t i = 0; o->arg && i < sizeof plain_words / sizeof *plain_words; i++)
        if (!strcmp(o->arg, plain_words[i]))
            return true;
    return false;
}

struct config_pass {
    const struct td_option_values *values;
    const char *section;
    int is_own; /* 1: the command's own section, 0: [all] */
};

static int give_entry(const struct td_option_values *values, const struct td_option *o,
                      const struct td_config_entry *entry, int layer, struct td_err *err)
{
    char where[400];
    struct td_err why = {0};
    snprintf(where, sizeof where, "%.380s:%d", entry->file, entry->line);
    const struct td_option_origin origin = {.layer = layer, .where = keep_text(where)};
    const char *value = keep_text(entry->value);
    if (!value || !origin.where)
        return td_fail_no_memory(err, "for tendril.conf");
    if (!*value)
        return td_config_refuse(entry, err, "%s has no value", o->long_name);
    int rc = td_option_give(values, o, value, &origin, &why);
    if (rc > 0)
        return td_config_refuse(entry, err, "%s = %s only works on the command line", o->long_name, value);
    return rc < 0 ? td_config_refuse(entry, err, "%s", why.text) : 0;
}

static int take_entry(void *self, const struct td_config_entry *entry, struct td_err *err)
{
    const struct config_pass *pass = self;
    const char *wanted = pass->is_own ? pass->section : TD_CONFIG_ALL;
    if (strcmp(entry->section, wanted) != 0)
        return 0;
    const struct td_option *o = td_option_find(pass->values->line, entry->name, strlen(entry->name));
    if (!o && !pass->is_own)
        return 0;
    if (!o)
        return td_config_refuse(entry, err, "tendril %s has no option %s (see tendril %s --help)",
                                pass->section, entry->name, pass->section);
    if (entry->is_local && !is_for_local_files(o))
        return td_config_refuse(entry, err,
                                "%s is not taken from the working folder's file: it may choose what is "
                                "written, run or reached; put it into ~/.config/tendril/" TD_CONFIG_FILE_NAME,
                                o->long_name);
    int layer = 1 + 2 * entry->file_rank + pass->is_own;
    if (pass->values->origins[o - pass->values->line->options].layer > layer)
        return 0; /* [all] of a later file overrides the own section of an earlier one */
    return give_entry(pass->values, o, entry, layer, err);
}

int td_options_take_config(const struct td_option_values *values, struct td_err *err)
{
    struct config_pass pass = {.values = values, .section = td_options_section(values->line)};
    if (!pass.section)
        return 0;
    int rc = td_config_each(take_entry, &pass, err);
    pass.is_own = 1;
    return rc ? rc : td_config_each(take_entry, &pass, err);
}

/* ---- --print-config ---- */

/* The value of an option that was not given. False: there is none. */
static bool default_text(const struct td_option *o, char *to, size_t bytes)
{
    switch (o->type) {
    case TD_OPT_FLAG:
        snprintf(to, bytes, "%s", *(const int *)o->to ? "yes" : "no");
        return true;
    case TD_OPT_STRING:
        snprintf(to, bytes, "%s", *(const char *const *)o->to ? *(const char *const *)o->to : "");
        return *to != 0;
    case TD_OPT_INT:
        snprintf(to, bytes, "%ld", *(const long *)o->to);
        return (!o->min && !o->max) || (*(const long *)o->to >= o->min && *(const long *)o->to <= o->max);
    case TD_OPT_DOUBLE:
        snprintf(to, bytes, "%g", *(const double *)o->to);
        return true;
    case TD_OPT_CHOICE: {
        const char *word = o->choices;
        for (int i = 0; i < *(const int *)o->to && strchr(word, '|'); i++)
            word = strchr(word, '|') + 1;
        snprintf(to, bytes, "%.*s", (int)strcspn(word, "|"), word);
        return true;
    }
    default:
        return false;
    }
}

static void print_value(const char *name, const char *value, const char *where)
{
    char text[600];
    snprintf(text, sizeof text, "%s = %.500s", name, value);
    printf("%-36s ; %s\n", TD_PLAIN(text), TD_PLAIN(where));
}

void td_options_print_config(const struct td_option_values *values)
{
    const char *section = td_options_section(values->line);
    char text[512];
    printf("[%s]\n", section ? section : values->line->name);
    for (const struct td_option *o = values->line->options; o->long_name; o++) {
        const struct td_option_origin *of = &values->origins[o - values->line->options];
        const char *where = of->where ? of->where : "command line";
        const struct td_words *list = o->type == TD_OPT_WORDS ? o->to : NULL;
        if (of->layer == TD_LAYER_DEFAULT && default_text(o, text, sizeof text))
            print_value(o->long_name, text, "default");
        else if (of->layer == TD_LAYER_DEFAULT)
            printf("; %s is not set\n", o->long_name);
        else if (!list)
            print_value(o->long_name, of->text ? of->text : "yes", where);
        for (size_t i = 0; list && i < list->count; i++)
            print_value(o->long_name, list->words[i], where);
    }
}
