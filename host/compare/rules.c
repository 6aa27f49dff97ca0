#include "host/compare/rules.h"

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
        break;
    }
    return 0;
}

static int parse_metric(struct td_compare_rule *rule, const char **p)
{
    size_t n = strcspn(*p, "+-");
    if (n == 0)
        return 0;
    for (int i = 0; i < METRICS; i++) {
        if (strlen(metrics[i].name) == n && !memcmp(metrics[i].name, *p, n)) {
            rule->metric = (enum td_compare_metric)i;
            *p += n;
            return 0;
        }
    }
    return TD_E_USAGE;
}

static int parse_unit(struct td_compare_rule *rule, const char *unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    if (!strcmp(unit, "%")) {
        rule->relative = 1;
        rule->limit /= 100;
        return 0;
    }
    if (!metrics[rule->metric].time)
        return *unit ? TD_E_USAGE : 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (!strcmp(unit, units[i].name)) {
            rule->limit *= units[i].ns;
            return 0;
        }
    }
    return TD_E_USAGE;
}

/* "total+5%" */
static int parse_limit(struct td_compare_rule *rule, const char *p)
{
    if (parse_metric(rule, &p) < 0)
        return TD_E_USAGE;
    if (rule->metric == TD_COMPARE_gone || rule->metric == TD_COMPARE_new)
        return *p ? TD_E_USAGE : 0;
    if ((*p != '+' && *p != '-') || !strchr("0123456789.", p[1]) || !p[1])
        return TD_E_USAGE;
    char *unit;
    rule->limit = strtod(p, &unit);
    if (unit == p + 1 || !isfinite(rule->limit))
        return TD_E_USAGE;
    return parse_unit(rule, unit);
}

static int parse_regex(struct td_compare_rule *rule, const char *text, size_t bytes, struct td_err *err)
{
    char *pattern = strndup(text, bytes), why[120];
    if (!pattern)
        return td_fail_no_memory(err, NULL);
    int bad = regcomp(&rule->regex, pattern, REG_EXTENDED | REG_NOSUB);
    if (bad)
        regerror(bad, &rule->regex, why, sizeof why);
    free(pattern);
    return bad ? td_fail(err, TD_E_USAGE, "rule '%.200s': %s", text, why) : 0;
}

int td_compare_rule_parse(struct td_compare_rule *rule, const char *text, struct td_err *err)
{
    const char *colon = strrchr(text, ':');
    *rule = (struct td_compare_rule){.text = text};
    if (!colon || colon == text)
        return td_fail(err, TD_E_USAGE, "rule '%.200s' is not of the form REGEX:+5%%", text);
    if (parse_limit(rule, colon + 1) < 0)
        return td_fail(err, TD_E_USAGE,
                       "rule '%.200s': '%.60s' is not a limit such as +5%%, total+2ms, count-10%% or gone",
                       text, colon + 1);
    return parse_regex(rule, text, (size_t)(colon - text), err);
}

void td_compare_rule_free(struct td_compare_rule *rule)
{
    regfree(&rule->regex);
}

bool td_compare_rule_matches(const struct td_compare_rule *rule, const struct td_compare_entry *entry)
{
    return regexec(&rule->regex, entry->name, 0, NULL, 0) == 0;
}

bool td_compare_rule_fires(const struct td_compare_rule *rule, const struct td_compare_entry *entry,
                           uint64_t min_count)
{
    const struct td_compare_side *a = &entry->side[0], *b = &entry->side[1];
    if (!td_compare_rule_matches(rule, entry))
        return false;
    if (rule->metric == TD_COMPARE_gone)
        return a->count >= min_count && a->count && !b->count;
    if (rule->metric == TD_COMPARE_new)
        return b->count >= min_count && b->count && !a->count;
    if (!a->count || !b->count || a->count < min_count || b->count < min_count)
        return false;
    double before = td_compare_value(a, rule->metric), after = td_compare_value(b, rule->metric);
    double change = after - before, allowed = rule->relative ? rule->limit * before : rule->limit;
    return signbit(rule->limit) ? change < allowed : change > allowed;
}
