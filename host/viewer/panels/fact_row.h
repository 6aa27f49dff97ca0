/* A small table of one row: names above their values. */
#pragma once
#include "host/query/table/format.h"

struct td_view;

struct td_named_value {
    const char *name;
    char value[TD_FORMAT_BYTES]; /* "": it is left out */
};

#define TD_FACT_ROW_HEIGHT 36 /* at 96 dpi */
/* Values that would reach over `right` are left out, the last ones first. */
void td_fact_row(struct td_view *view, float x, float y, float right, const struct td_named_value *values,
                 int count);
