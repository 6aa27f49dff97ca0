/* A file of budgets with any bytes: what is accepted are rules with a limit, which judge any name. */
#include "host/query/diff/budgets.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const struct td_compare_rule defaults = {.min_count = 1};
    const struct td_compare_entry entry = {
        .name = (char[]){"matmul"}, .file = (char[]){""}, .side = {{.count = 1}, {.count = 2}}};
    struct td_compare_budgets budgets = {0};
    struct td_err err = {0};
    int rc = td_compare_budgets_parse(&budgets, (const char *)data, bytes, "budgets.ini", &defaults, &err);
    if ((rc < 0) != (err.code != 0))
        abort();
    for (size_t i = 0; i < budgets.count; i++) {
        const struct td_compare_rule *rule = &budgets.rules[i];
        if (rc == 0 && (!rule->text || !rule->budget || !isfinite(rule->limit) || !rule->min_count))
            abort();
        if (td_compare_rule_judge(rule, &entry, true) == TD_COMPARE_NO_BASE)
            abort();
    }
    td_compare_budgets_free(&budgets);
    return 0;
}
