/* tendril compare: compares statistics of two traces by zone name. For continuous integration, the exit code
 * says whether a rule fires. */
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/file/load.h"
#include "host/tools/commands.h"
#include "host/compare/rules.h"
#include "host/compare/table.h"
#include "host/tools/shared/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLE_LINES 40

struct compare {
    struct td_load_options load;
    struct td_words rule_texts;
    long min_count;
    int json, csv, all, percentiles;
    struct td_compare_table table;
    struct td_compare_rule rules[TD_WORDS_MAX];
    size_t rule_count;
    const char *paths[2];
    int fired;
};

static const enum td_compare_metric metrics[] = {
#define TD_X(name, time) TD_COMPARE_##name,
    TD_COMPARE_METRICS(TD_X)
#undef TD_X
};
enum { METRICS = sizeof metrics / sizeof *metrics };

static bool is_shown(const struct compare *c, enum td_compare_metric metric)
{
    return c->percentiles || (metric != TD_COMPARE_median && metric != TD_COMPARE_p99);
}

/* The relative change of side 1; NAN if a side has no zones, or side 0 is 0. */
static double relative_change(const struct td_compare_entry *e, enum td_compare_metric metric)
{
    double before = td_compare_value(&e->side[0], metric), after = td_compare_value(&e->side[1], metric);
    if (!e->side[0].count || !e->side[1].count || before == 0)
        return NAN;
    return (after - before) / before;
}

/* ---- text ---- */

static const char *format_time(char *to, size_t bytes, double ns)
{
    const char *sign = ns < 0 ? "-" : "";
    ns = fabs(ns);
    if (ns < 1e3)
        snprintf(to, bytes, "%s%.4g ns", sign, ns);
    else if (ns < 1e6)
        snprintf(to, bytes, "%s%.2f us", sign, ns / 1e3);
    else if (ns < 1e9)
        snprintf(to, bytes, "%s%.2f ms", sign, ns / 1e6);
    else
        snprintf(to, bytes, "%s%.3f s", sign, ns / 1e9);
    return to;
}

static const char *format_value(char *to, size_t bytes, enum td_compare_metric metric, double value)
{
    if (td_compare_metric_is_time(metric))
        return format_time(to, bytes, value);
    snprintf(to, bytes, "%.0f", value);
    return to;
}

static const char *format_change(char *to, size_t bytes, const struct td_compare_entry *e, double part)
{
    if (!e->side[0].count)
        snprintf(to, bytes, "new");
    else if (!e->side[1].count)
        snprintf(to, bytes, "gone");
    else if (isnan(part))
        snprintf(to, bytes, "-");
    else
        snprintf(to, bytes, "%+.1f%%", part * 100);
    return to;
}

/* As many whole characters of the text as fit. */
static void print_name(const char *text, int width)
{
    int column = (int)strnlen(text, (size_t)width);
    while (column > 0 && (text[column] & 0xc0) == 0x80)
        column--;
    td_plain_print(stdout, text, (size_t)column);
    printf("%*s", width - column, "");
}

static void print_table(const struct compare *c)
{
    size_t limit = c->all || c->table.count < TABLE_LINES ? c->table.count : TABLE_LINES;
    printf("%-32s %9s %9s %12s %12s %9s %12s\n", "zone", "count", "", "mean", "", "", "total");
    for (size_t i = 0; i < limit; i++) {
        const struct td_compare_entry *e = &c->table.entries[i];
        char before[32], after[32], part[32], total[32];
        print_name(e->name, 32);
        format_time(total, sizeof total, (double)td_compare_impact_ns(e));
        printf(" %9" PRIu64 " %9" PRIu64 " %12s %12s %9s %s%s\n", e->side[0].count, e->side[1].count,
               e->side[0].count ? format_time(before, sizeof before, e->side[0].mean_ns) : "",
               e->side[1].count ? format_time(after, sizeof after, e->side[1].mean_ns) : "",
               format_change(part, sizeof part, e, relative_change(e, TD_COMPARE_mean)),
               td_compare_impact_ns(e) > 0 ? "+" : "", total);
    }
    if (limit < c->table.count)
        printf("  ... %zu more (--all)\n", c->table.count - limit);
}

static void print_fired(const struct compare *c, FILE *to, const struct td_compare_rule *rule,
                        const struct td_compare_entry *e)
{
    char before[32], after[32], part[32];
    fprintf(to, "rule '%s' fires: %s (%s)", TD_PLAIN(rule->text), TD_PLAIN(e->name), TD_PLAIN(e->file));
    if (rule->metric == TD_COMPARE_gone || rule->metric == TD_COMPARE_new)
        fprintf(to, " is %s\n", td_compare_metric_name(rule->metric));
    else
        fprintf(
            to, ": %s %s -> %s (%s)\n", td_compare_metric_name(rule->metric),
            format_value(before, sizeof before, rule->metric, td_compare_value(&e->side[0], rule->metric)),
            format_value(after, sizeof after, rule->metric, td_compare_value(&e->side[1], rule->metric)),
            format_change(part, sizeof part, e, relative_change(e, rule->metric)));
}

/* ---- CSV ---- */

static void print_cell(const char *name)
{
    const char *text =
        isatty(STDOUT_FILENO) ? TD_PLAIN(name) : name; /* only a terminal needs harmless names */
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){*text, 0}, stdout);
    putchar('"');
}

static void print_csv(const struct compare *c)
{
    fputs("name,file", stdout);
    for (size_t m = 0; m < METRICS; m++)
        if (is_shown(c, metrics[m])) {
            const char *name = td_compare_metric_name(metrics[m]),
                       *unit = td_compare_metric_is_time(metrics[m]) ? "_ns" : "";
            printf(",%s_a%s,%s_b%s", name, unit, name, unit);
        }
    putchar('\n');
    for (size_t i = 0; i < c->table.count; i++) {
        const struct td_compare_entry *e = &c->table.entries[i];
        print_cell(e->name);
        putchar(',');
        print_cell(e->file);
        for (size_t m = 0; m < METRICS; m++)
            for (int s = 0; s < 2 && is_shown(c, metrics[m]); s++) {
                putchar(',');
                if (e->side[s].count)
                    printf("%.15g", td_compare_value(&e->side[s], metrics[m]));
            }
        putchar('\n');
    }
}

/* ---- JSON; the fields are described in docs/tools.md ---- */

static void json_value(struct td_json *j, enum td_compare_metric metric, double value)
{
    char key[32];
    snprintf(key, sizeof key, "%s%s", td_compare_metric_name(metric),
             td_compare_metric_is_time(metric) ? "_ns" : "");
    td_json_double(j, key, value);
}

static void json_side(struct td_json *j, const struct compare *c, const char *key,
                      const struct td_compare_side *side)
{
    if (!side->count) {
        td_json_null(j, key);
        return;
    }
    td_json_object(j, key);
    td_json_uint(j, "line", side->line);
    for (size_t m = 0; m < METRICS; m++)
        if (is_shown(c, metrics[m]))
            json_value(j, metrics[m], td_compare_value(side, metrics[m]));
    td_json_end_object(j);
}

static void json_rules(struct td_json *j, const struct compare *c)
{
    td_json_array(j, "rules");
    for (size_t r = 0; r < c->rule_count; r++) {
        td_json_object(j, NULL);
        td_json_string(j, "rule", c->rules[r].text);
        td_json_array(j, "fired");
        for (size_t i = 0; i < c->table.count; i++) {
            const struct td_compare_entry *e = &c->table.entries[i];
            if (!td_compare_rule_fires(&c->rules[r], e, (uint64_t)c->min_count))
                continue;
            td_json_object(j, NULL);
            td_json_string(j, "name", e->name);
            td_json_string(j, "file", e->file);
            td_json_end_object(j);
        }
        td_json_end_array(j);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

static void print_json(const struct compare *c)
{
    struct td_json json = {.to = stdout}, *j = &json;
    td_json_object(j, NULL);
    td_json_uint(j, "schema", 1);
    td_json_string(j, "a", c->paths[0]);
    td_json_string(j, "b", c->paths[1]);
    td_json_bool(j, "failed", c->fired);
    json_rules(j, c);
    td_json_array(j, "names");
    for (size_t i = 0; i < c->table.count; i++) {
        const struct td_compare_entry *e = &c->table.entries[i];
        td_json_object(j, NULL);
        td_json_string(j, "name", e->name);
        td_json_string(j, "file", e->file);
        td_json_int(j, "impact_ns", td_compare_impact_ns(e));
        td_json_double(j, "mean_change", relative_change(e, TD_COMPARE_mean));
        json_side(j, c, "a", &e->side[0]);
        json_side(j, c, "b", &e->side[1]);
        td_json_end_object(j);
    }
    td_json_end_array(j);
    td_json_end_object(j);
}

/* ---- the command ---- */

static int parse_rules(struct compare *c, struct td_err *err)
{
    for (size_t i = 0; i < c->rule_texts.count; i++) {
        struct td_compare_rule *rule = &c->rules[i];
        if (td_compare_rule_parse(rule, c->rule_texts.words[i], err) < 0)
            return err->code;
        c->rule_count++;
        if (rule->metric == TD_COMPARE_median || rule->metric == TD_COMPARE_p99)
            c->percentiles = 1;
    }
    return 0;
}

static int add_trace(struct compare *c, int side, struct td_err *err)
{
    struct td_trace *trace;
    int rc = td_load(c->paths[side], &c->load, "tendril compare", &trace, err);
    if (rc < 0)
        return rc;
    rc = td_compare_table_add(&c->table, trace, side, err);
    td_trace_destroy(trace);
    return rc;
}

/* Prints the rules that fire. A rule that matches no name is an error, because it guards nothing. */
static int judge_rules(struct compare *c, struct td_err *err)
{
    FILE *to = c->json || c->csv ? stderr : stdout;
    for (size_t r = 0; r < c->rule_count; r++) {
        int matched = 0;
        for (size_t i = 0; i < c->table.count; i++) {
            const struct td_compare_entry *e = &c->table.entries[i];
            matched |= td_compare_rule_matches(&c->rules[r], e);
            if (!td_compare_rule_fires(&c->rules[r], e, (uint64_t)c->min_count))
                continue;
            c->fired = 1;
            print_fired(c, to, &c->rules[r], e);
        }
        if (!matched)
            return td_fail(err, TD_E_USAGE, "rule '%.300s' matches no zone of either trace",
                           c->rules[r].text);
    }
    return 0;
}

static int compare_traces(struct compare *c, struct td_err *err)
{
    if (parse_rules(c, err) < 0)
        return err->code;
    c->table.percentiles = c->percentiles;
    for (int side = 0; side < 2; side++)
        if (add_trace(c, side, err) < 0)
            return err->code;
    if (c->csv)
        print_csv(c);
    else if (!c->json)
        print_table(c);
    int rc = judge_rules(c, err);
    if (c->json && rc == 0)
        print_json(c);
    if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        rc = td_fail_errno(err, "cannot write the comparison");
    return rc;
}

static const char details[] =
    "Zones are matched by name and file; lines may move. Names are in the order of impact: the change of "
    "their total time. The exit status is 1 when a rule fires, 2 when something is wrong, else 0.\n"
    "\n"
    "A rule is REGEX:LIMIT. REGEX (POSIX extended) is searched in names; LIMIT says what to compare (default "
    "mean; total, self, median, p99, min, max, count) and how much more (+) or less (-) than in A "
    "it may be in B, as a percentage, a time (ns, us, ms, s) or, for count, a number; or it is gone or new: "
    "names that are in one trace only, which no other rule judges. A rule that matches no name is an error.\n"
    "\n"
    "  tendril compare --fail-if '^matmul$:+5%' --fail-if '.*:p99+200us' main.tracy branch.tracy\n"
    "  tendril compare --fail-if '^hello:count-1' --fail-if '.:gone' a.tracy b.tracy";

int td_cmd_compare(int argc, char **argv, struct td_err *err)
{
    struct compare c = {.min_count = 1};
    const struct td_option options[] = {
        {'f', "fail-if", TD_OPT_WORDS, &c.rule_texts, "RULE", "fail when this rule fires; may be repeated",
         NULL, 0, 0},
        {'n', "min-count", TD_OPT_INT, &c.min_count, "N",
         "rules judge names with N zones and more (default 1)", NULL, 1, INT32_MAX},
        {'p', "percentiles", TD_OPT_FLAG, &c.percentiles, NULL, "with medians and 99th percentiles", NULL, 0,
         0},
        {'a', "all", TD_OPT_FLAG, &c.all, NULL, "print all names, not only the first 40", NULL, 0, 0},
        {'j', "json", TD_OPT_FLAG, &c.json, NULL, "everything, for programs", NULL, 0, 0},
        {0, "csv", TD_OPT_FLAG, &c.csv, NULL, "everything, as comma separated values", NULL, 0, 0},
        TD_LOAD_OPTIONS(&c.load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril compare",
        .usage = "[options] A B",
        .summary = "Compares two traces by the names of their zones, and fails when a rule says so.",
        .options = options,
        .min_args = 2,
        .max_args = 2,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    c.paths[0] = argv[1];
    c.paths[1] = argv[2];
    int rc = compare_traces(&c, err);
    for (size_t i = 0; i < c.rule_count; i++)
        td_compare_rule_free(&c.rules[i]);
    td_compare_table_free(&c.table);
    return rc < 0 ? 2 : c.fired;
}
