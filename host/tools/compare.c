/* tendril compare: compares statistics of two traces by name, and judges rules and budgets. For continuous
 * integration, the exit code says whether a rule fires. */
#include "host/tools/compare/compare.h"
#include "host/base/grow.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/query/diff/budgets.h"
#include "host/file/load.h"
#include "host/tools/commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct compare_command {
    struct compare compare;
    struct td_load_options load;
    struct td_words rule_texts, budget_files;
    const char *junit;
    long min_count;
    int json, csv;
    struct td_compare_budgets budgets; /* owns all rules */
};

static int add_rule(struct compare_command *c, const char *text, struct td_err *err)
{
    struct td_compare_budgets *b = &c->budgets;
    struct td_compare_rule rule;
    if (td_grow(&b->rules, &b->capacity, b->count + 1, sizeof *b->rules) < 0)
        return td_fail_no_memory(err, NULL);
    int rc = td_compare_rule_parse(&rule, text, err);
    if (rc < 0)
        return rc;
    rule.by = (enum td_compare_by)c->compare.by;
    rule.min_count = (uint64_t)c->min_count;
    b->rules[b->count++] = rule;
    if (rule.metric == TD_COMPARE_self && rule.by != TD_COMPARE_BY_ZONE)
        return td_fail(err, TD_E_USAGE, "rule '%.200s': only zones have a self time", text);
    if (td_compare_rule_needs_base(&rule) && !compare_has_base(&c->compare))
        return td_fail(err, TD_E_USAGE, "rule '%.200s' compares two traces: name both, or use < or >", text);
    return 0;
}

static int read_rules(struct compare_command *c, struct td_err *err)
{
    const struct td_compare_rule defaults = {.by = (enum td_compare_by)c->compare.by,
                                             .min_count = (uint64_t)c->min_count};
    for (size_t i = 0; i < c->rule_texts.count; i++)
        if (add_rule(c, c->rule_texts.words[i], err) < 0)
            return err->code;
    for (size_t i = 0; i < c->budget_files.count; i++)
        if (td_compare_budgets_read(&c->budgets, c->budget_files.words[i], &defaults, err) < 0)
            return err->code;
    c->compare.rules = c->budgets.rules;
    c->compare.rule_count = c->budgets.count;
    c->compare.wanted[c->compare.by] = true;
    for (size_t i = 0; i < c->budgets.count; i++) {
        const struct td_compare_rule *rule = &c->budgets.rules[i];
        c->compare.wanted[rule->by] = true;
        c->compare.percentiles |= td_compare_metric_is_percentile(rule->metric);
    }
    return 0;
}

static int add_traces(struct compare_command *c, struct td_err *err)
{
    int rc = 0;
    for (int i = 0; i < TD_COMPARE_TABLES; i++) {
        c->compare.tables[i].percentiles = c->compare.percentiles;
        c->compare.tables[i].by = (enum td_compare_by)i;
    }
    for (int side = compare_has_base(&c->compare) ? 0 : 1; rc == 0 && side < 2; side++) {
        struct td_trace *trace;
        rc = td_load(c->compare.paths[side], &c->load, "tendril compare", &trace, err);
        if (rc < 0)
            return rc;
        rc = compare_add_trace(&c->compare, trace, side, err);
        td_trace_destroy(trace);
    }
    return rc;
}

/* Whether all names that the rule could judge are too rare for it. */
static bool has_only_few(const struct compare_command *c, const struct td_compare_rule *rule)
{
    const struct td_compare_table *table = compare_rule_table(&c->compare, rule);
    bool few = false;
    for (size_t i = 0; i < table->count; i++) {
        const enum td_compare_verdict verdict = compare_judge(&c->compare, rule, &table->entries[i]);
        if (verdict == TD_COMPARE_KEPT || verdict == TD_COMPARE_FIRES)
            return false;
        few = few || verdict == TD_COMPARE_FEW;
    }
    return few;
}

/* Prints the rules that fire. */
static void print_fired(struct compare_command *c)
{
    FILE *to = c->json || c->csv ? stderr : stdout;
    size_t not_judged = 0;
    for (size_t r = 0; r < c->compare.rule_count; r++) {
        const struct td_compare_rule *rule = &c->compare.rules[r];
        const struct td_compare_table *table = compare_rule_table(&c->compare, rule);
        not_judged += !compare_has_base(&c->compare) && td_compare_rule_needs_base(rule);
        for (size_t i = 0; i < table->count; i++) {
            if (compare_judge(&c->compare, rule, &table->entries[i]) != TD_COMPARE_FIRES)
                continue;
            c->compare.fired = 1;
            compare_describe(to, rule, &table->entries[i]);
            putc('\n', to);
        }
    }
    for (size_t r = 0; r < c->compare.rule_count; r++)
        if (has_only_few(c, &c->compare.rules[r]))
            fprintf(to, "rule '%s' judges nothing: no name that it matches has %" PRIu64 " or more (-n)\n",
                    TD_PLAIN(c->compare.rules[r].text), c->compare.rules[r].min_count);
    if (not_judged)
        fprintf(to, "%zu limit%s of budgets compare%s two traces: not judged\n", not_judged,
                not_judged == 1 ? "" : "s", not_judged == 1 ? "s" : "");
}

/* A rule that could not fire for any name is an error, because it guards nothing. */
static int check_guards(const struct compare_command *c, struct td_err *err)
{
    static const char *const names[TD_COMPARE_TABLES] = {"zone", "operation", "core", "text"};
    for (size_t r = 0; r < c->compare.rule_count; r++) {
        const struct td_compare_rule *rule = &c->compare.rules[r];
        if (rule->is_optional || compare_rule_guards(&c->compare, rule))
            continue;
        const char *where = !compare_has_base(&c->compare)     ? "the trace"
                            : td_compare_rule_needs_base(rule) ? "either trace"
                                                               : "the second trace";
        if (rule->budget)
            return td_fail(err, TD_E_USAGE, "budget '%.200s' matches no %s of %s", rule->budget,
                           names[rule->by], where);
        return td_fail(err, TD_E_USAGE, "rule '%.300s' matches no %s of %s", rule->text, names[rule->by],
                       where);
    }
    return 0;
}

static int compare_traces(struct compare_command *c, struct td_err *err)
{
    if (read_rules(c, err) < 0 || add_traces(c, err) < 0)
        return err->code;
    int rc = c->csv ? compare_print_csv(&c->compare) : !c->json ? compare_print_table(&c->compare) : 0;
    if (rc < 0)
        return td_fail_no_memory(err, NULL);
    print_fired(c);
    if (c->junit && compare_write_junit(&c->compare, c->junit, err) < 0)
        return err->code;
    rc = check_guards(c, err);
    if (c->json && rc == 0 && compare_print_json(&c->compare) < 0)
        rc = td_fail_no_memory(err, NULL);
    if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        rc = td_fail_errno(err, "cannot write the comparison");
    return rc;
}

static const char details[] =
    "Zones are matched by name and file; lines may move. Names are in the order of impact: the change of "
    "their total time. With one trace, its names are in the order of their total time. The exit status is 1 "
    "when a rule fires, 2 when something is wrong, else 0.\n"
    "\n"
    "A rule is REGEX:LIMIT. REGEX (POSIX extended) is searched in names; LIMIT says what to compare (default "
    "mean; total, self, median, p99, min, max, count) and how much more (+) or less (-) than in A "
    "it may be in B, as a percentage, a time (ns, us, ms, s) or, for count, a number; or that B may not have "
    "more (>) or less (<) than a time or number; or it is gone or new: names that are in one trace only, "
    "which no other rule judges. A rule that matches no name is an error.\n"
    "\n"
    "  tendril compare --fail-if '^matmul$:+5%' --fail-if '.*:p99+200us' main.tracy branch.tracy\n"
    "  tendril compare --fail-if '^hello:count-1' --fail-if '.:gone' a.tracy b.tracy\n"
    "  tendril compare --fail-if '^matmul$:max>3ms' branch.tracy\n"
    "\n"
    "A file of budgets has such limits by name:\n"
    "\n"
    "  [matmul stays fast]\n"
    "  names = ^matmul$\n"
    "  max = 3ms\n"
    "  mean = +5%\n"
    "\n"
    "  tendril compare --budgets budgets.ini --junit budgets.xml main.tracy branch.tracy";

const char td_summary_compare[] =
    "Compares two traces by the names of their zones, and fails when a rule says so.";

int td_cmd_compare(int argc, char **argv, struct td_err *err)
{
    struct compare_command c = {.min_count = 1};
    const struct td_option options[] = {
        {0, "by", TD_OPT_CHOICE, &c.compare.by, "WHAT",
         "compare zones, operations of devices, launches by core, or zones by text (default zone)",
         TD_COMPARE_BY_CHOICES, 0, 0},
        {'f', "fail-if", TD_OPT_WORDS, &c.rule_texts, "RULE", "fail when this rule fires; may be repeated",
         NULL, 0, 0},
        {'b', "budgets", TD_OPT_WORDS, &c.budget_files, "FILE",
         "fail when a budget of this file is not kept; may be repeated", NULL, 0, 0},
        {'n', "min-count", TD_OPT_INT, &c.min_count, "N",
         "rules judge names with N zones and more (default 1)", NULL, 1, INT32_MAX},
        {0, "junit", TD_OPT_STRING, &c.junit, "FILE",
         "write a JUnit report with a test case for each rule and name", NULL, 0, 0},
        {'p', "percentiles", TD_OPT_FLAG | TD_OPT_LOOKS, &c.compare.percentiles, NULL,
         "with medians and 99th percentiles", NULL, 0, 0},
        {'a', "all", TD_OPT_FLAG | TD_OPT_LOOKS, &c.compare.all, NULL,
         "print all names, not only the first 40", NULL, 0, 0},
        {'j', "json", TD_OPT_FLAG | TD_OPT_LOOKS, &c.json, NULL, "everything, for programs", NULL, 0, 0},
        {0, "csv", TD_OPT_FLAG | TD_OPT_LOOKS, &c.csv, NULL, "everything, as comma separated values", NULL, 0,
         0},
        TD_LOAD_OPTIONS(&c.load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril compare",
        .usage = "[options] [A] B",
        .summary = td_summary_compare,
        .options = options,
        .min_args = 1,
        .max_args = 2,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    c.compare.paths[0] = args.count == 2 ? argv[1] : NULL;
    c.compare.paths[1] = argv[args.count];
    int rc = compare_traces(&c, err);
    for (int i = 0; i < TD_COMPARE_TABLES; i++)
        td_compare_table_free(&c.compare.tables[i]);
    td_compare_budgets_free(&c.budgets);
    return rc < 0 ? 2 : c.compare.fired;
}
