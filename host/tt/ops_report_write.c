#include "host/tt/ops_report_write.h"
#include "host/tt/csv_write.h"

const char *const td_tt_ops_names[TD_TT_OPS_COLUMN_COUNT] = {
#define TD_X(name, column, before, kind) column,
    TD_TT_OPS_COLUMNS(TD_X)
#undef TD_X
};

const char *const td_tt_perf_names[TD_TT_PERF_COLUMN_COUNT] = {
#define TD_X(name, column) column,
    TD_TT_PERF_COLUMNS(TD_X)
#undef TD_X
};

const char *const td_tt_tensor_ends[TD_TT_TENSOR_COLUMN_COUNT][2] = {
#define TD_X(name, now, before) {now, before},
    TD_TT_TENSOR_COLUMNS(TD_X)
#undef TD_X
};

const char *td_tt_ops_column_name(enum td_tt_ops_column column)
{
    return column < TD_TT_OPS_COLUMN_COUNT ? td_tt_ops_names[column] : "";
}

const char *td_tt_perf_column_name(enum td_tt_perf_column column)
{
    return column < TD_TT_PERF_COLUMN_COUNT ? td_tt_perf_names[column] : "";
}

int td_tt_tensor_column_name(char *name, size_t room, bool output, unsigned number,
                             enum td_tt_tensor_column part, bool padded)
{
    const char *const *ends = td_tt_tensor_ends[part], *end = padded || !*ends[1] ? ends[0] : ends[1];
    return snprintf(name, room, "%s%u_%s", output ? TD_TT_TENSOR_OUTPUT : TD_TT_TENSOR_INPUT, number, end);
}

void td_tt_report_write_line(FILE *to, const struct td_tt_text *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            putc(',', to);
        td_csv_write_value(to, values[i]);
    }
    fputs("\r\n", to);
}
