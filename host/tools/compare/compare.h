/* Parts of `tendril compare`: what it compares, and its forms of output. */
#pragma once
#include "host/query/diff/rules.h"
#include "host/query/diff/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct compare {
    struct td_compare_table tables[TD_COMPARE_TABLES];
    bool wanted[TD_COMPARE_TABLES]; /* to be printed, or a rule is about it */
    int by;                         /* enum td_compare_by: the table that is printed */
    int all, percentiles;
    struct td_compare_rule *rules;
    size_t rule_count;
    const char *paths[2]; /* paths[0] is NULL: there is no first trace; then all values are on side 1 */
    int fired;
};

static inline const struct td_compare_table *compare_shown_table(const struct compare *c)
{
    return &c->tables[c->by];
}
static inline bool compare_has_base(const struct compare *c)
{
    return c->paths[0] != NULL;
}
static inline enum td_compare_verdict
compare_judge(const struct compare *c, const struct td_compare_rule *rule, const struct td_compare_entry *e)
{
    return td_compare_rule_judge(rule, e, compare_has_base(c));
}
static inline const struct td_compare_table *compare_rule_table(const struct compare *c,
                                                                const struct td_compare_rule *rule)
{
    return &c->tables[rule->by];
}

/* Adds a trace's zones, operations and cores to the tables that are wanted. */
struct td_trace;
int compare_add_ops(struct compare *c, const struct td_trace *trace, int side, struct td_err *err);
int compare_add_trace(struct compare *c, const struct td_trace *trace, int side, struct td_err *err);

/* The table in one form each. 0 or TD_E_NOMEM. */
int compare_print_table(const struct compare *c);
int compare_print_csv(const struct compare *c);
int compare_print_json(const struct compare *c);
/* One line: which rule fires, for which name, and why. No newline. */
void compare_describe(FILE *to, const struct td_compare_rule *rule, const struct td_compare_entry *e);
/* A testcase for each rule and name. A rule that guards nothing is an error there. */
int compare_write_junit(const struct compare *c, const char *path, struct td_err *err);
/* Whether the rule guards a name: it matches one and could fire for it. */
bool compare_rule_guards(const struct compare *c, const struct td_compare_rule *rule);
