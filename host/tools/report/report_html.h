/* The page of tendril report --html. */
#pragma once
#include "host/report/html/html.h"

/* Writes the page about a finished trace to the file `out`; an older file is replaced when the page is complete. */
int report_html_of_trace(const char *out, const char *input, const struct td_trace *trace,
                         struct td_html_ops *ops, struct td_err *err);
/* The same about operations that were collected. */
int report_html_of_ops(const char *out, const char *input, const struct td_html_ops *ops, struct td_err *err);
/* For td_report_options.take: adds to the struct td_html_ops. */
int report_html_take(void *self, const struct td_op_sum *op, struct td_err *err);
