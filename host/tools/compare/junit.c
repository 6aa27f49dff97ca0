/* Verdicts of compare as JUnit XML, for continuous integration: a suite with a test case for each rule and name.
 * The elements and attributes are those that GitLab and Jenkins (its schema junit-10.xsd) read. */
#include "host/base/markup.h"
#include "host/file/out_stream.h"
#include "host/tools/compare/compare.h"
#include "host/base/stream.h"

#include <stdlib.h>

struct verdict_counts {
    size_t tests, failures, errors, skipped;
};

static struct verdict_counts count_verdicts(const struct compare *c)
{
    struct verdict_counts counts = {0, 0, 0, 0};
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct td_compare_table *table = compare_rule_table(c, &c->rules[r]);
        for (size_t i = 0; i < table->count; i++) {
            enum td_compare_verdict verdict = compare_judge(c, &c->rules[r], &table->entries[i]);
            counts.tests += verdict != TD_COMPARE_NO_MATCH;
            counts.failures += verdict == TD_COMPARE_FIRES;
            counts.skipped +=
                verdict != TD_COMPARE_NO_MATCH && verdict != TD_COMPARE_FIRES && verdict != TD_COMPARE_KEPT;
        }
        if (!compare_rule_guards(c, &c->rules[r])) {
            counts.tests++;
            counts.errors += !c->rules[r].is_optional;
            counts.skipped += c->rules[r].is_optional;
        }
    }
    return counts;
}

static void write_counts(FILE *to, const struct verdict_counts *counts)
{
    fprintf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", counts->tests, counts->failures,
            counts->errors);
}

/* name="..." classname="..." of a case; `e` NULL: of a rule that guards nothing. */
static void begin_case(FILE *to, const struct td_compare_rule *rule, const struct td_compare_entry *e)
{
    fputs("    <testcase classname=\"", to);
    td_markup_text(to, rule->budget ? rule->budget : rule->text);
    fputs("\" name=\"", to);
    if (e) {
        td_markup_text(to, e->name);
        if (*e->file) {
            fputs(" (", to);
            td_markup_text(to, e->file);
            fputs(")", to);
        }
    }
    if (rule->budget) {
        fputs(e ? ": " : "", to);
        td_markup_text(to, rule->text);
    } else if (!e) {
        td_markup_text(to, rule->text);
    }
    fputs("\"", to);
    if (e && e->side[1].count && td_compare_metric_is_time(rule->metric))
        fprintf(to, " time=\"%.9f\"", td_compare_value(&e->side[1], rule->metric) / 1e9);
    fputs(">", to);
}

static const char *skip_reason(enum td_compare_verdict verdict)
{
    switch (verdict) {
    case TD_COMPARE_FEW:
        return "not judged: it is there too few times";
    case TD_COMPARE_ONE_SIDED:
        return "not judged: a trace does not have the name";
    default:
        return "not judged: there is no trace to compare with";
    }
}

static int write_failure(FILE *to, const struct td_compare_rule *rule, const struct td_compare_entry *e)
{
    char *text = NULL;
    size_t bytes;
    FILE *line = open_memstream(&text, &bytes);
    if (!line)
        return TD_E_NOMEM;
    compare_describe(line, rule, e);
    if (!td_text_close(line, &text)) {
        free(text);
        return TD_E_NOMEM;
    }
    fprintf(to, "<failure type=\"%s\" message=\"", td_compare_metric_name(rule->metric));
    td_markup_text(to, text);
    fputs("\">", to);
    td_markup_text(to, text);
    fputs("</failure>", to);
    free(text);
    return 0;
}

static int write_case(FILE *to, const struct td_compare_rule *rule, const struct td_compare_entry *e,
                      enum td_compare_verdict verdict)
{
    int rc = 0;
    begin_case(to, rule, e);
    if (verdict == TD_COMPARE_FIRES)
        rc = write_failure(to, rule, e);
    else if (verdict != TD_COMPARE_KEPT)
        fprintf(to, "<skipped message=\"%s\"/>", skip_reason(verdict));
    fputs("</testcase>\n", to);
    return rc;
}

static int write_rule(const struct compare *c, FILE *to, const struct td_compare_rule *rule)
{
    const struct td_compare_table *table = compare_rule_table(c, rule);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < table->count; i++) {
        enum td_compare_verdict verdict = compare_judge(c, rule, &table->entries[i]);
        if (verdict != TD_COMPARE_NO_MATCH)
            rc = write_case(to, rule, &table->entries[i], verdict);
    }
    if (rc == 0 && !compare_rule_guards(c, rule)) {
        begin_case(to, rule, NULL);
        fprintf(to,
                rule->is_optional ? "<skipped message=\"%s\"/>" : "<error type=\"unused\" message=\"%s\"/>",
                "it matches no name that it could judge");
        fputs("</testcase>\n", to);
    }
    return rc;
}

int compare_write_junit(const struct compare *c, const char *path, struct td_err *err)
{
    const struct verdict_counts counts = count_verdicts(c);
    struct td_out_stream stream;
    int rc = td_out_stream_open(&stream, path, TD_OUT_TEXT, err);
    if (rc < 0)
        return rc;
    FILE *to = stream.to;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tendril compare\"", to);
    write_counts(to, &counts);
    fputs(">\n  <testsuite name=\"", to);
    td_markup_text(to, c->paths[1]);
    fputs("\"", to);
    write_counts(to, &counts);
    fprintf(to, " skipped=\"%zu\">\n", counts.skipped);
    for (size_t r = 0; rc == 0 && r < c->rule_count; r++)
        rc = write_rule(c, to, &c->rules[r]);
    fputs("  </testsuite>\n</testsuites>\n", to);
    return td_out_stream_close(&stream, rc < 0 ? td_fail_no_memory(err, NULL) : 0);
}
