/* The flame graphs of the page of `tendril report`. */
#pragma once
#include "host/query/sums/flame.h"
#include "host/report/html/html.h"

struct report_flames { /* all zero: none */
    struct td_flame zones, samples;
    struct td_html_flames page; /* of both */
};
/* 0 or TD_E_NOMEM. Freed also after a failure. */
int report_flames_make(struct report_flames *flames, const struct td_trace *trace, struct td_err *err);
void report_flames_free(struct report_flames *flames);
