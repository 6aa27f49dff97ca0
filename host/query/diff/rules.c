#include "host/query/diff/rules.h"
#include "host/base/time_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct metric {
    const char *name;
    int time;
} metrics[] = {
#define TD_X(name, time) {#name, time},
    TD_COMPARE_METRICS(TD_X)
#undef TD_X
        {"gone", 0},
    {"new", 0},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

const char *td_compare_metric_name(enum td_compare_metric metric)
{
    return metrics[metric].name;
}

bool td_compare_metric_is_time(enum td_compare_metric metric)
{
    return metrics[metric].time;
}

bool td_compare_metric_is_percentile(enum td_compare_metric metric)
{
    return metric == TD_COMPARE_median || metric == TD_COMPARE_p99;
}

enum td_compare_metric td_compare_metric_find(const char *name, size_t bytes)
{
    for (int i = 0; i < METRICS; i++)
        if (strlen(metrics[i].name) == bytes && !memcmp(metrics[i].name, name, bytes))
            return (enum td_compare_metric)i;
    return TD_COMPARE_NO_METRIC;
}

double td_compare_value(const struct td_compare_side *side, enum td_compare_metric metric)
{
    switch (metric) {
    case TD_COMPARE_mean:
        return side->mean_ns;
    case TD_COMPARE_total:
        return (double)side->total_ns;
    case TD_COMPARE_self:
        return (double)side->self_ns;
    case TD_COMPARE_median:
        return side->median_ns;
    case TD_COMPARE_p99:
        return side->p99_ns;
    case TD_COMPARE_min:
        return (double)side->min_ns;
    case TD_COMPARE_max:
        return (double)side->max_ns;
    case TD_COMPARE_count:
        return (double)side->count;
    case TD_COMPARE_gone:
    case TD_COMPARE_new:
    case TD_COMPARE_NO_METRIC:
        break;
    }
    return 0;
}

double td_compare_relative_change(const struct td_compare_entry *e, enum td_compare_metric metric)
{
    const double before = td_compare_value(&e->side[0], metric),
                 after = td_compare_value(&e->side[1], metric);
    if (!e->side[0].count || !e->side[1].count || before == 0)
        return NAN;
    return (after - before) / before;
}

const char *td_compare_change_text(const struct td_compare_entry *e, enum td_compare_metric metric,
                                   char *text)
{
    const double part = td_compare_relative_change(e, metric);
    if (isnan(part))
        return strcpy(text, !e->side[0].count ? "new" : !e->side[1].count ? "gone" : "-");
    snprintf(text, 32, "%+.1f%%", part * 100);
    return text;
}

/* The number after the sign or comparison, and its unit. Budgets may have a space between them. */
static int parse_amount(struct td_compare_rule *rule, const char *p)
{
    char *unit;
    double unit_ns;
    if (!*p || !strchr("0123456789.", *p))
        return TD_E_USAGE;
    rule->limit = strtod(p, &unit);
    if (unit == p || !isfinite(rule->limit))
        return TD_E_USAGE;
    unit += rule->budget && *unit == ' ';
    if (!strcmp(unit, "%") && rule->kind == TD_COMPARE_CHANGE) {
        rule->kind = TD_COMPARE_RELATIVE;
        rule->limit /= 100;
        return 0;
    }
    if (!metrics[rule->metric].time)
        return *unit ? TD_E_USAGE : 0;
    const size_t unit_bytes = td_time_unit_read(unit, &unit_ns);
    if (!unit_bytes || unit[unit_bytes])
        return TD_E_USAGE;
    rule->limit *= unit_ns;
    return 0;
}

/* "+5%", "-2ms": a change. */
static int parse_change(struct td_compare_rule *rule, const char *p)
{
    rule->kind = TD_COMPARE_CHANGE;
    if (parse_amount(rule, p + 1) < 0)
        return TD_E_USAGE;
    if (*p == '-')
        rule->limit = -rule->limit;
    return 0;
}

/* "total+5%", "max>3ms" */
static int parse_limit(struct td_compare_rule *rule, const char *p)
{
    size_t n = strcspn(p, "+-<>");
    if (n && (rule->metric = td_compare_metric_find(p, n)) == TD_COMPARE_NO_METRIC)
        return TD_E_USAGE;
    p += n;
    if (rule->metric == TD_COMPARE_gone || rule->metric == TD_COMPARE_new)
        return *p ? TD_E_USAGE : 0;
    if (*p == '+' || *p == '-')
        return parse_change(rule, p);
    if (*p != '>' && *p != '<')
        return TD_E_USAGE;
    rule->kind = *p == '>' ? TD_COMPARE_AT_MOST : TD_COMPARE_AT_LEAST;
    return parse_amount(rule, p + 1);
}

int td_compare_limit_parse(struct td_compare_rule *rule, const char *text)
{
    if (rule->metric == TD_COMPARE_gone || rule->metric == TD_COMPARE_new)
        return strcmp(text, "no") ? TD_E_USAGE : 0;
    if (*text == '+' || *text == '-')
        return parse_change(rule, text);
    rule->kind = strncmp(text, ">=", 2) ? TD_COMPARE_AT_MOST : TD_COMPARE_AT_LEAST;
    if (rule->kind == TD_COMPARE_AT_LEAST || !strncmp(text, "<=", 2))
        text += 2;
    return parse_amount(rule, text + (*text == ' '));
}

int td_compare_rule_match(struct td_compare_rule *rule, const char *pattern, size_t bytes, char *why)
{
    char *copy = strndup(pattern, bytes);
    if (!copy)
        return TD_E_NOMEM;
    int bad = regcomp(&rule->regex, copy, REG_EXTENDED | REG_NOSUB);
    if (bad)
        regerror(bad, &rule->regex, why, TD_COMPARE_WHY_BYTES);
    free(copy);
    return bad ? TD_E_USAGE : 0;
}

int td_compare_rule_parse(struct td_compare_rule *rule, const char *text, struct td_err *err)
{
    char why[TD_COMPARE_WHY_BYTES];
    const char *colon = strrchr(text, ':');
    *rule = (struct td_compare_rule){.text = text};
    if (!colon || colon == text)
        return td_fail(err, TD_E_USAGE, "rule '%.200s' is not of the form REGEX:+5%%", text);
    if (parse_limit(rule, colon + 1) < 0)
        return td_fail(err, TD_E_USAGE,
                       "rule '%.200s': '%.60s' is not a limit such as +5%%, total+2ms, p99>3ms or gone", text,
                       colon + 1);
    int rc = td_compare_rule_match(rule, text, (size_t)(colon - text), why);
    if (rc == TD_E_USAGE)
        return td_fail(err, TD_E_USAGE, "rule '%.200s': %s", text, why);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

void td_compare_rule_free(struct td_compare_rule *rule)
{
    regfree(&rule->regex);
}

bool td_compare_rule_needs_base(const struct td_compare_rule *rule)
{
    return rule->metric == TD_COMPARE_gone || rule->metric == TD_COMPARE_new ||
           rule->kind == TD_COMPARE_CHANGE || rule->kind == TD_COMPARE_RELATIVE;
}

/* For gone and new: the trace that has the name, and the one that has not. */
static enum td_compare_verdict judge_presence(const struct td_compare_rule *rule,
                                              const struct td_compare_side *has,
                                              const struct td_compare_side *lacks)
{
    if (!has->count)
        return TD_COMPARE_ONE_SIDED;
    if (has->count < rule->min_count)
        return TD_COMPARE_FEW;
    return lacks->count ? TD_COMPARE_KEPT : TD_COMPARE_FIRES;
}

static bool is_beyond(const struct td_compare_rule *rule, double before, double after)
{
    double change = after - before, allowed = rule->limit;
    switch (rule->kind) {
    case TD_COMPARE_AT_MOST:
        return after > rule->limit;
    case TD_COMPARE_AT_LEAST:
        return after < rule->limit;
    case TD_COMPARE_RELATIVE:
        allowed *= before;
        break;
    case TD_COMPARE_CHANGE:
        break;
    }
    return signbit(rule->limit) ? change < allowed : change > allowed;
}

enum td_compare_verdict td_compare_rule_judge(const struct td_compare_rule *rule,
                                              const struct td_compare_entry *entry, bool has_base)
{
    const struct td_compare_side *a = &entry->side[0], *b = &entry->side[1];
    bool needs_base = td_compare_rule_needs_base(rule);
    if (regexec(&rule->regex, entry->name, 0, NULL, 0) != 0)
        return TD_COMPARE_NO_MATCH;
    if (needs_base && !has_base)
        return TD_COMPARE_NO_BASE;
    if (rule->metric == TD_COMPARE_gone)
        return judge_presence(rule, a, b);
    if (rule->metric == TD_COMPARE_new)
        return judge_presence(rule, b, a);
    if (!b->count || (needs_base && !a->count))
        return TD_COMPARE_ONE_SIDED;
    if (b->count < rule->min_count || (needs_base && a->count < rule->min_count))
        return TD_COMPARE_FEW;
    double before = td_compare_value(a, rule->metric), after = td_compare_value(b, rule->metric);
    return is_beyond(rule, before, after) ? TD_COMPARE_FIRES : TD_COMPARE_KEPT;
}
