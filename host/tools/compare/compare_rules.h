/* Rules of `tendril compare`: "REGEX:+5%", "REGEX:total+2ms", "REGEX:count-10", "REGEX:gone".
 *
 * REGEX (POSIX extended) is searched in names of zones; the rule's last colon ends it. Then follow the metric
 * (default: mean) and the limit: how much more (+) or less (-) than in the first trace it may be in the
 * second, as a percentage, a time (ns, us, ms, s), or for `count` a number. */
#ifndef TD_HOST_TOOLS_COMPARE_COMPARE_RULES_H
#define TD_HOST_TOOLS_COMPARE_COMPARE_RULES_H
#include "host/tools/compare/compare_table.h"

#include <regex.h>
#include <stdbool.h>

/* clang-format off */
/* X(name, is a time) */
#define COMPARE_METRICS(X) \
    X(mean, 1) X(total, 1) X(self, 1) X(median, 1) X(p99, 1) X(min, 1) X(max, 1) X(count, 0)
/* clang-format on */
enum compare_metric {
#define TD_X(name, time) COMPARE_##name,
    COMPARE_METRICS(TD_X)
#undef TD_X
        COMPARE_gone,
    COMPARE_new
};

struct compare_rule {
    const char *text; /* the whole rule; the caller's */
    regex_t regex;
    enum compare_metric metric;
    int relative; /* the limit is a percentage, not a time or number */
    double limit; /* with its sign; 0.05 for +5% */
};

const char *compare_metric_name(enum compare_metric metric);
bool compare_metric_is_time(enum compare_metric metric);
double compare_value(const struct compare_side *side, enum compare_metric metric);

/* 0, TD_E_USAGE or TD_E_NOMEM. After 0, the rule must be freed. */
int compare_rule_parse(struct compare_rule *rule, const char *text, struct td_err *err);
void compare_rule_free(struct compare_rule *rule);
bool compare_rule_matches(const struct compare_rule *rule, const struct compare_entry *entry);
/* The rule matches the entry, and the second trace breaks it. Only `gone` and `new` fire for names that are
 * in one trace. Names with fewer than `min_count` zones in a trace that has them are ignored. */
bool compare_rule_fires(const struct compare_rule *rule, const struct compare_entry *entry,
                        uint64_t min_count);
#endif
