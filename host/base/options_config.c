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
    *values = (struct td_option_values){.line = line};
    values->origins = calloc(count, sizeof *values->origins);
    return values->origins ? 0 : td_fail_no_memory(err, "for options");
}

void td_option_values_free(struct td_option_values *values)
{
    while (values->refused) {
        struct td_refused_entry *next = values->refused->next;
        free(values->refused);
        values->refused = next;
    }
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

struct config_pass {
    struct td_option_values *values;
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

/* --print-config lists what is refused; for anything else the first of it is an error. */
static int refuse_local(struct td_option_values *values, const struct td_option *o,
                        const struct td_config_entry *entry, struct td_err *err)
{
    struct td_refused_entry *refused = malloc(sizeof *refused), **end = &values->refused;
    if (!refused)
        return td_fail_no_memory(err, "for tendril.conf");
    *refused = (struct td_refused_entry){.next = NULL};
    snprintf(refused->text, sizeof refused->text, "%s = %.200s ; %.300s:%d", o->long_name, entry->value,
             entry->file, entry->line);
    while (*end)
        end = &(*end)->next;
    *end = refused;
    if (end == &values->refused)
        td_config_refuse(entry, &values->refusal,
                         "%s is not taken from the working folder's file, which may only choose how results "
                         "look; put it into ~/.config/tendril/" TD_CONFIG_FILE_NAME
                         ", or set " TD_CONFIG_VARIABLE "=./" TD_CONFIG_FILE_NAME " if you trust the file",
                         o->long_name);
    return 0;
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
    if (entry->is_local && !td_option_is_looks(o))
        return refuse_local(pass->values, o, entry, err);
    int layer = 1 + 2 * entry->file_rank + pass->is_own;
    if (pass->values->origins[o - pass->values->line->options].layer > layer)
        return 0; /* [all] of a later file overrides the own section of an earlier one */
    return give_entry(pass->values, o, entry, layer, err);
}

int td_options_take_config(struct td_option_values *values, struct td_err *err)
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
    switch (td_option_kind(o)) {
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

static void print_left_out(void *self, const char *line)
{
    (void)self;
    printf("; refused: %s\n", TD_PLAIN(line));
}

static void print_refused(const struct td_option_values *values)
{
    for (const struct td_refused_entry *r = values->refused; r; r = r->next)
        printf("; refused: %s: it may change more than how results look\n", TD_PLAIN(r->text));
    td_config_each_left_out(print_left_out, NULL);
}

void td_options_print_config(const struct td_option_values *values)
{
    const char *section = td_options_section(values->line);
    char text[512];
    printf("[%s]\n", section ? section : values->line->name);
    for (const struct td_option *o = values->line->options; o->long_name; o++) {
        const struct td_option_origin *of = &values->origins[o - values->line->options];
        const char *where = of->where ? of->where : "command line";
        const struct td_words *list = td_option_kind(o) == TD_OPT_WORDS ? o->to : NULL;
        if (of->layer == TD_LAYER_DEFAULT && default_text(o, text, sizeof text))
            print_value(o->long_name, text, "default");
        else if (of->layer == TD_LAYER_DEFAULT)
            printf("; %s is not set\n", o->long_name);
        else if (!list)
            print_value(o->long_name, of->text ? of->text : "yes", where);
        for (size_t i = 0; list && i < list->count; i++)
            print_value(o->long_name, list->words[i], where);
    }
    print_refused(values);
}
