/* Rules of `tendril compare` about the names of one table (table.h): "REGEX:+5%", "REGEX:total+2ms",
 * "REGEX:p99>3ms", "REGEX:count-10", "REGEX:gone". Budgets (budgets.h) are rules, too.
 *
 * REGEX (POSIX extended) is searched in names; the rule's last colon ends it. Then follow the metric (default:
 * mean) and the limit. A limit is a change: how much more (+) or less (-) than in the first trace it may be in
 * the second. Or it is absolute: the rule fires if the second trace has more (>) or less (<) than that. The
 * number is a percentage (of changes only), a time (ns, us, ms, s), or for `count` a number. */
#pragma once
#include "host/query/diff/table.h"

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
    TD_COMPARE_new,
    TD_COMPARE_NO_METRIC
};

enum td_compare_limit {
    TD_COMPARE_CHANGE,   /* a time or a number, with its sign */
    TD_COMPARE_RELATIVE, /* a part of the first trace's value, with its sign: 0.05 for +5% */
    TD_COMPARE_AT_MOST,
    TD_COMPARE_AT_LEAST
};

struct td_compare_rule {
    const char *text;   /* the whole rule, or the limit of a budget; the caller's */
    const char *budget; /* the name of the budget that has the limit; NULL: none; the caller's */
    enum td_compare_by by;
    regex_t regex;
    enum td_compare_metric metric;
    enum td_compare_limit kind; /* not used by gone and new */
    double limit;
    uint64_t min_count; /* names with fewer zones in a trace that has them are not judged */
    bool is_optional;   /* it may match no name */
};

/* What a rule says of a name. */
enum td_compare_verdict {
    TD_COMPARE_NO_MATCH,
    TD_COMPARE_KEPT,
    TD_COMPARE_FIRES,
    TD_COMPARE_FEW,       /* not judged: the name has fewer than min_count zones in a trace that has it */
    TD_COMPARE_ONE_SIDED, /* not judged: a trace that the rule needs does not have the name */
    TD_COMPARE_NO_BASE    /* not judged: there is no first trace, and the rule needs one */
};

const char *td_compare_metric_name(enum td_compare_metric metric);
bool td_compare_metric_is_time(enum td_compare_metric metric);
bool td_compare_metric_is_percentile(enum td_compare_metric metric);
double td_compare_value(const struct td_compare_side *side, enum td_compare_metric metric);
/* The relative change of side 1; NAN if a side has no zones, or side 0 is 0. */
double td_compare_relative_change(const struct td_compare_entry *e, enum td_compare_metric metric);
/* The same as "+5.0%", "new", "gone" or "-" in `text`, which has 32 bytes. Returns it. */
const char *td_compare_change_text(const struct td_compare_entry *e, enum td_compare_metric metric,
                                   char *text);

/* Parses a rule of the command line. Sets the fields from `text` to `limit`; by, min_count and is_optional are the
 * caller's. 0, TD_E_USAGE or TD_E_NOMEM. After 0, the rule must be freed. */
int td_compare_rule_parse(struct td_compare_rule *rule, const char *text, struct td_err *err);
/* Parses the limit of rule->metric in rule->budget: "3ms", "<= 3 ms" (at most), ">=3ms" (at least), "+5%". With
 * the metrics gone and new: "no". TD_E_USAGE: it is none. */
int td_compare_limit_parse(struct td_compare_rule *rule, const char *text);
/* TD_COMPARE_NO_METRIC: there is no such metric. */
enum td_compare_metric td_compare_metric_find(const char *name, size_t bytes);
#define TD_COMPARE_WHY_BYTES 120
/* Sets the pattern. 0, TD_E_NOMEM, or TD_E_USAGE: `why` (TD_COMPARE_WHY_BYTES) says what is wrong with it. */
int td_compare_rule_match(struct td_compare_rule *rule, const char *pattern, size_t bytes, char *why);
void td_compare_rule_free(struct td_compare_rule *rule);
/* Whether the rule is about the change between two traces. */
bool td_compare_rule_needs_base(const struct td_compare_rule *rule);
/* `has_base`: there is a first trace. Only `gone` and `new` fire for names that are in one trace. */
enum td_compare_verdict td_compare_rule_judge(const struct td_compare_rule *rule,
                                              const struct td_compare_entry *entry, bool has_base);
