/* Budgets: a file of limits for `tendril compare`, in the form of tendril.conf. A section is a budget:
 *
 *   [matmul stays fast]  ; any name; reports have it
 *   by = op              ; zone, op or core; default: what the command compares by
 *   names = ^matmul$     ; POSIX extended, searched in the names
 *   p99 = 3ms            ; a statistic and its limit: at most; also <=3ms
 *   count = >=100        ; at least
 *   mean = +5%           ; the change from the first trace
 *   gone = no            ; in the second trace, too; new = no: in the first trace, too
 *   min-count = 10       ; judges names with so many zones; default: what the command says
 *   optional = yes       ; it may match no name
 *
 * Each limit becomes a rule (rules.h). */
#pragma once
#include "host/query/diff/rules.h"

struct td_compare_budgets { /* all zero: none */
    struct td_compare_rule *rules;
    size_t count, capacity;
    char **texts; /* of the rules */
    size_t text_count, text_capacity;
};

/* `defaults` has by and min_count. 0; TD_E_USAGE (with file and line or section), TD_E_IO, TD_E_NOTFOUND or
 * TD_E_NOMEM. Free the budgets in each case. */
int td_compare_budgets_read(struct td_compare_budgets *budgets, const char *path,
                            const struct td_compare_rule *defaults, struct td_err *err);
/* The same for a text; errors name `path`. */
int td_compare_budgets_parse(struct td_compare_budgets *budgets, const char *text, size_t bytes,
                             const char *path, const struct td_compare_rule *defaults, struct td_err *err);
void td_compare_budgets_free(struct td_compare_budgets *budgets);
