/* Rules of `tendril compare`: "REGEX:+5%", "REGEX:total+2ms", "REGEX:count-10", "REGEX:gone".
 *
 * REGEX (POSIX extended) is searched in names of zones; the rule's last colon ends it. Then follow the metric
 * (default: mean) and the limit: how much more (+) or less (-) than in the first trace it may be in the
 * second, as a percentage, a time (ns, us, ms, s), or for `count` a number. */
#ifndef TD_HOST_COMPARE_RULES_H
#define TD_HOST_COMPARE_RULES_H
#include "host/compare/table.h"

#include <regex.h>
#include <stdbool.h>

/* clang-format off */
/* X(name, is a time) */
#define TD_COMPARE_METRICS(X) \
    X(mean, 1) X(total, 1) X(self, 1) X(median, 1) X(p99, 1) X(min, 1) X(max, 1) X(count, 0)
/* clang-format on */
enum td_compare_metric {
#define TD_X(name, time) TD_COMPARE_##name,
    TD_COMPARE_METRICS(TD_X)
#undef TD_X
        TD_COMPARE_gone,
    TD_COMPARE_new
};

struct td_compare_rule {
    const char *text; /* the whole rule; the caller's */
    regex_t regex;
    enum td_compare_metric metric;
    int relative; /* the limit is a percentage, not a time or number */
    double limit; /* with its sign; 0.05 for +5% */
};

const char *td_compare_metric_name(enum td_compare_metric metric);
bool td_compare_metric_is_time(enum td_compare_metric metric);
double td_compare_value(const struct td_compare_side *side, enum td_compare_metric metric);

/* 0, TD_E_USAGE or TD_E_NOMEM. After 0, the rule must be freed. */
int td_compare_rule_parse(struct td_compare_rule *rule, const char *text, struct td_err *err);
void td_compare_rule_free(struct td_compare_rule *rule);
bool td_compare_rule_matches(const struct td_compare_rule *rule, const struct td_compare_entry *entry);
/* The rule matches the entry, and the second trace breaks it. Only `gone` and `new` fire for names that are
 * in one trace. Names with fewer than `min_count` zones in a trace that has them are ignored. */
bool td_compare_rule_fires(const struct td_compare_rule *rule, const struct td_compare_entry *entry,
                           uint64_t min_count);
#endif
