/* The table of compare as text, CSV and JSON. */
#include "host/base/json.h"
#include "host/query/diff/comparison.h"
#include "host/query/table/text_form.h"
#include "host/tools/compare/compare.h"

#include <stdio.h>

#define TABLE_LINES 40

static struct td_query_rows *rows_of(const struct compare *c)
{
    const struct td_query_request of = {.with = (void *)compare_shown_table(c)};
    int rc;
    return td_query_make(&td_table_compared, &of, &rc);
}

int compare_print_table(const struct compare *c)
{
    struct td_query_rows *rows = rows_of(c);
    char columns[200];
    if (!rows)
        return TD_E_NOMEM;
    snprintf(columns, sizeof columns, "%s=name:32 %s", td_compare_by_name((enum td_compare_by)c->by),
             compare_has_base(c)
                 ? "count_a:9 count_b:9 mean_a=mean_a_ns:12 mean_b=mean_b_ns:12 change:9 impact=impact_ns:12"
                 : "count=count_b:9 mean=mean_b_ns:12 max=max_b_ns:12 total=total_b_ns:12");
    td_query_text_of(stdout, rows, NULL, c->all ? UINT64_MAX : TABLE_LINES, columns);
    td_query_free(rows);
    return 0;
}

int compare_print_csv(const struct compare *c)
{
    struct td_query_rows *rows = rows_of(c);
    if (!rows)
        return TD_E_NOMEM;
    td_query_csv(stdout, rows, NULL);
    td_query_free(rows);
    return 0;
}

/* ---- JSON; the fields are described in docs/commands/compare.md ---- */

static void json_rules(struct td_json *j, const struct compare *c)
{
    td_json_array(j, "rules");
    for (size_t r = 0; r < c->rule_count; r++) {
        const struct td_compare_rule *rule = &c->rules[r];
        td_json_object(j, NULL);
        td_json_string(j, "rule", rule->text);
        if (rule->budget)
            td_json_string(j, "budget", rule->budget);
        td_json_string(j, "by", td_compare_by_name(rule->by));
        td_json_array(j, "fired");
        const struct td_compare_table *table = compare_rule_table(c, rule);
        for (size_t i = 0; i < table->count; i++) {
            const struct td_compare_entry *e = &table->entries[i];
            if (compare_judge(c, rule, e) != TD_COMPARE_FIRES)
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

int compare_print_json(const struct compare *c)
{
    struct td_query_rows *rows = rows_of(c);
    struct td_json json = {.to = stdout}, *j = &json;
    if (!rows)
        return TD_E_NOMEM;
    td_json_object(j, NULL);
    td_json_uint(j, "schema", 1);
    td_json_string(j, "a", c->paths[0]);
    td_json_string(j, "b", c->paths[1]);
    td_json_string(j, "by", td_compare_by_name((enum td_compare_by)c->by));
    td_json_bool(j, "failed", c->fired);
    json_rules(j, c);
    const int rc = td_query_json(j, "names", rows, NULL);
    td_json_end_object(j);
    td_query_free(rows);
    return rc;
}
