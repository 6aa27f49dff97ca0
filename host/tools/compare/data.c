/* The table of compare for programs: CSV and JSON. */
#include "host/base/plain_text.h"
#include "host/tools/compare/compare.h"
#include "host/base/json.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const enum td_compare_metric metrics[] = {
#define TD_X(name, time) TD_COMPARE_##name,
    TD_COMPARE_METRICS(TD_X)
#undef TD_X
};
enum { METRICS = sizeof metrics / sizeof *metrics };

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

void compare_print_csv(const struct compare *c)
{
    const struct td_compare_table *table = compare_shown_table(c);
    fputs("name,file", stdout);
    for (size_t m = 0; m < METRICS; m++)
        if (compare_is_shown(c, metrics[m])) {
            const char *name = td_compare_metric_name(metrics[m]),
                       *unit = td_compare_metric_is_time(metrics[m]) ? "_ns" : "";
            printf(",%s_a%s,%s_b%s", name, unit, name, unit);
        }
    putchar('\n');
    for (size_t i = 0; i < table->count; i++) {
        const struct td_compare_entry *e = &table->entries[i];
        print_cell(e->name);
        putchar(',');
        print_cell(e->file);
        for (size_t m = 0; m < METRICS; m++)
            for (int s = 0; s < 2 && compare_is_shown(c, metrics[m]); s++) {
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
        if (compare_is_shown(c, metrics[m]))
            json_value(j, metrics[m], td_compare_value(side, metrics[m]));
    td_json_end_object(j);
}

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

void compare_print_json(const struct compare *c)
{
    const struct td_compare_table *table = compare_shown_table(c);
    struct td_json json = {.to = stdout}, *j = &json;
    td_json_object(j, NULL);
    td_json_uint(j, "schema", 1);
    td_json_string(j, "a", c->paths[0]);
    td_json_string(j, "b", c->paths[1]);
    td_json_string(j, "by", td_compare_by_name((enum td_compare_by)c->by));
    td_json_bool(j, "failed", c->fired);
    json_rules(j, c);
    td_json_array(j, "names");
    for (size_t i = 0; i < table->count; i++) {
        const struct td_compare_entry *e = &table->entries[i];
        td_json_object(j, NULL);
        td_json_string(j, "name", e->name);
        td_json_string(j, "file", e->file);
        td_json_int(j, "impact_ns", td_compare_impact_ns(e));
        td_json_double(j, "mean_change", compare_relative_change(e, TD_COMPARE_mean));
        json_side(j, c, "a", &e->side[0]);
        json_side(j, c, "b", &e->side[1]);
        td_json_end_object(j);
    }
    td_json_end_array(j);
    td_json_end_object(j);
}
