#include "host/query/diff/budgets.h"
#include "host/base/config.h"
#include "host/base/grow.h"
#include "host/base/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The section that is being read. Its rules have no pattern before its end. */
struct section {
    struct td_compare_budgets *budgets;
    struct td_compare_rule defaults; /* of the next rule */
    const struct td_compare_rule *file_defaults;
    const char *path;
    char *name, *pattern; /* NULL: no section; not given yet. Texts of the budgets */
    int pattern_line;
    size_t first_rule;
};

static char *keep_text(struct td_compare_budgets *b, const char *text)
{
    char *copy = strdup(text);
    if (copy && td_grow(&b->texts, &b->text_capacity, b->text_count + 1, sizeof *b->texts) < 0) {
        free(copy);
        copy = NULL;
    }
    if (copy)
        b->texts[b->text_count++] = copy;
    return copy;
}

static int end_section(struct section *s, struct td_err *err)
{
    struct td_compare_budgets *b = s->budgets;
    char why[TD_COMPARE_WHY_BYTES];
    size_t count = b->count;
    b->count = s->first_rule; /* the rules that have a pattern, which td_compare_budgets_free() frees */
    if (s->name && !s->pattern)
        return td_fail(err, TD_E_USAGE, "%s: budget [%s] has no line 'names = REGEX'", s->path, s->name);
    if (s->name && s->first_rule == count)
        return td_fail(err, TD_E_USAGE, "%s: budget [%s] has no limit, such as 'mean = 3ms'", s->path,
                       s->name);
    for (; b->count < count; b->count++) {
        struct td_compare_rule *rule = &b->rules[b->count];
        rule->by = s->defaults.by;
        rule->min_count = s->defaults.min_count;
        rule->is_optional = s->defaults.is_optional;
        if (rule->metric == TD_COMPARE_self && rule->by != TD_COMPARE_BY_ZONE)
            return td_fail(err, TD_E_USAGE, "%s: budget [%s]: only zones have a self time", s->path, s->name);
        int rc = td_compare_rule_match(rule, s->pattern, strlen(s->pattern), why);
        if (rc == TD_E_USAGE)
            return td_fail(err, rc, "%s:%d: names: %s", s->path, s->pattern_line, why);
        if (rc < 0)
            return td_fail_no_memory(err, NULL);
    }
    return 0;
}

static int next_section(struct section *s, const char *name, struct td_err *err)
{
    int rc = end_section(s, err);
    if (rc < 0)
        return rc;
    s->name = keep_text(s->budgets, name);
    s->pattern = NULL;
    s->first_rule = s->budgets->count;
    s->defaults = *s->file_defaults;
    return s->name ? 0 : td_fail_no_memory(err, NULL);
}

static int add_limit(struct section *s, const struct td_config_entry *entry, enum td_compare_metric metric,
                     struct td_err *err)
{
    struct td_compare_budgets *b = s->budgets;
    char text[300];
    struct td_compare_rule rule = {.budget = s->name, .metric = metric};
    if (td_compare_limit_parse(&rule, entry->value) < 0)
        return td_config_refuse(entry, err, "'%s' is not a limit of %s, such as %s", entry->value,
                                entry->name,
                                metric == TD_COMPARE_gone || metric == TD_COMPARE_new ? "no"
                                : td_compare_metric_is_time(metric)                   ? "3ms, >=1us or +5%"
                                                                                      : "100, >=10 or +5%");
    snprintf(text, sizeof text, "%s = %s", entry->name, entry->value);
    rule.text = keep_text(b, text);
    if (!rule.text || td_grow(&b->rules, &b->capacity, b->count + 1, sizeof *b->rules) < 0)
        return td_fail_no_memory(err, NULL);
    b->rules[b->count++] = rule;
    return 0;
}

static int take_number(const struct td_config_entry *entry, uint64_t *to, struct td_err *err)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(entry->value, &end, 10);
    if (errno || *end || end == entry->value || value < 1 || strchr(entry->value, '-'))
        return td_config_refuse(entry, err, "%s: '%s' is not a number from 1 on", entry->name, entry->value);
    *to = value;
    return 0;
}

static int take_choice(const struct td_config_entry *entry, const char *choices, int *to, struct td_err *err)
{
    *to = td_option_choice(choices, entry->value);
    return *to >= 0 ? 0
                    : td_config_refuse(entry, err, "%s is one of %s, not '%s'", entry->name, choices,
                                       entry->value);
}

static int take_pattern(struct section *s, const struct td_config_entry *entry, struct td_err *err)
{
    if (s->pattern)
        return td_config_refuse(entry, err, "budget [%s] has two lines 'names'", s->name);
    s->pattern = keep_text(s->budgets, entry->value);
    s->pattern_line = entry->line;
    return s->pattern ? 0 : td_fail_no_memory(err, NULL);
}

static int take_entry(void *self, const struct td_config_entry *entry, struct td_err *err)
{
    struct section *s = self;
    int choice, rc = 0;
    if (!s->name || strcmp(s->name, entry->section) != 0)
        rc = next_section(s, entry->section, err);
    if (rc < 0)
        return rc;
    enum td_compare_metric metric = td_compare_metric_find(entry->name, strlen(entry->name));
    if (metric != TD_COMPARE_NO_METRIC)
        return add_limit(s, entry, metric, err);
    if (!strcmp(entry->name, "names"))
        return take_pattern(s, entry, err);
    if (!strcmp(entry->name, "min-count"))
        return take_number(entry, &s->defaults.min_count, err);
    if (!strcmp(entry->name, "by")) {
        rc = take_choice(entry, TD_COMPARE_BY_CHOICES, &choice, err);
        s->defaults.by = rc < 0 ? s->defaults.by : (enum td_compare_by)choice;
        return rc;
    }
    if (!strcmp(entry->name, "optional")) {
        rc = take_choice(entry, "no|yes", &choice, err);
        s->defaults.is_optional = choice > 0;
        return rc;
    }
    return td_config_refuse(entry, err, "'%s' is neither a statistic nor names, by, min-count or optional",
                            entry->name);
}

static int finish_file(struct section *s, int rc, struct td_err *err)
{
    if (rc == 0)
        return end_section(s, err);
    s->budgets->count = s->first_rule;
    return rc;
}

int td_compare_budgets_parse(struct td_compare_budgets *budgets, const char *text, size_t bytes,
                             const char *path, const struct td_compare_rule *defaults, struct td_err *err)
{
    struct section s = {.budgets = budgets, .file_defaults = defaults, .path = path};
    const struct td_config_entry origin = {.file = path};
    s.first_rule = budgets->count;
    return finish_file(&s, td_config_parse(text, bytes, &origin, take_entry, &s, err), err);
}

int td_compare_budgets_read(struct td_compare_budgets *budgets, const char *path,
                            const struct td_compare_rule *defaults, struct td_err *err)
{
    struct section s = {.budgets = budgets, .file_defaults = defaults, .path = path};
    s.first_rule = budgets->count;
    int rc = finish_file(&s, td_config_file(path, take_entry, &s, err), err);
    if (rc == 0 && budgets->count == 0)
        return td_fail(err, TD_E_USAGE, "%s has no budget", path);
    return rc;
}

void td_compare_budgets_free(struct td_compare_budgets *budgets)
{
    for (size_t i = 0; i < budgets->count; i++)
        td_compare_rule_free(&budgets->rules[i]);
    for (size_t i = 0; i < budgets->text_count; i++)
        free(budgets->texts[i]);
    free(budgets->rules);
    free(budgets->texts);
    *budgets = (struct td_compare_budgets){0};
}
