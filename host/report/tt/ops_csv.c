#include "host/report/tt/ops_csv.h"
#include "host/report/tt/python_text.h"
#include "host/report/tt/values.h"

#include <stdlib.h>

static size_t number_of(struct td_columns *columns, const cJSON *name)
{
    return cJSON_IsString(name) ? td_columns_number(columns, td_tt_text_of(name->valuestring)) : SIZE_MAX;
}

/* The columns of the list, then those of `order` that are used and not in it. Returns how many there are;
 * `to` has room for all, `done` for a mark for each column. */
static size_t join_orders(struct td_columns *columns, const cJSON *list, const size_t *order, size_t count,
                          size_t *to, bool *done)
{
    const size_t known = columns->count;
    const cJSON *name;
    size_t n = 0;
    cJSON_ArrayForEach(name, list)
    {
        const size_t number = number_of(columns, name);
        if (number < known && !done[number]) {
            done[number] = true;
            to[n++] = number;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!done[order[i]] && columns->used[order[i]])
            to[n++] = order[i];
    return n;
}

/* Puts the columns of an imported report first, in its order; also those that no row uses. */
static int put_imported_first(const struct td_report_rows *rows, struct td_columns *columns, size_t **order,
                              size_t *count)
{
    const struct td_tt_text text = rows->host->report_columns;
    cJSON *list = text.bytes ? cJSON_ParseWithLength(text.at, text.bytes) : NULL;
    const cJSON *name;
    if (!cJSON_IsArray(list)) {
        cJSON_Delete(list);
        return 0;
    }
    cJSON_ArrayForEach(name, list)
    {
        number_of(columns, name); /* makes the column */
    }
    bool *done = calloc(columns->count + 1, sizeof *done);
    size_t *joined = malloc((columns->count + 1) * sizeof *joined);
    if (done && joined) {
        *count = join_orders(columns, list, *order, *count, joined, done);
        free(*order);
        *order = joined;
    } else {
        free(joined);
    }
    const int rc = done && joined ? 0 : TD_E_NOMEM;
    free(done);
    cJSON_Delete(list);
    return rc;
}

static bool is_shown(const struct td_report_row *row)
{
    return !row->replaced || !row->has_device;
}

static int write_rows(FILE *to, const struct td_report_rows *rows, struct td_columns *columns,
                      struct td_row_values *values, struct td_text_arena *arena, const size_t *order,
                      size_t count)
{
    struct td_tt_text *line = malloc((count + 1) * sizeof *line);
    int rc = line ? 0 : TD_E_NOMEM;
    for (size_t c = 0; line && c < count; c++)
        line[c] = columns->names[order[c]];
    if (line && count)
        td_tt_report_write_line(to, line, count);
    for (size_t i = 0; rc == 0 && count && i < rows->count; i++) {
        if (!is_shown(&rows->rows[i]))
            continue;
        td_text_arena_clear(arena);
        rc = td_report_values(rows, &rows->rows[i], columns, values, arena);
        for (size_t c = 0; c < count; c++)
            line[c] = td_row_values_get(values, order[c]);
        if (rc == 0)
            td_tt_report_write_line(to, line, count);
    }
    free(line);
    return rc;
}

/* Host times of an imported report begin at 0 in the trace. The first row with a time says how much that
 * is. */
static int64_t find_host_zero(const struct td_report_rows *rows)
{
    for (size_t i = 0; i < rows->host->count; i++) {
        const struct td_host_op *op = &rows->host->ops[i];
        uint64_t start;
        if (!op->reported)
            continue;
        cJSON *json = cJSON_ParseWithLength(op->json.at, op->json.bytes);
        const cJSON *report = cJSON_GetObjectItemCaseSensitive(json, "report");
        const char *text = cJSON_GetStringValue(
            cJSON_GetObjectItemCaseSensitive(report, td_tt_ops_column_name(TD_TT_OPS_HOST_START)));
        const bool has = text && td_tt_text_u64(td_tt_text_of(text), &start);
        cJSON_Delete(json);
        if (has)
            return td_wrap_sub((int64_t)start, op->time_ns);
    }
    return 0;
}

int td_ops_csv_write(FILE *to, struct td_report_rows *rows)
{
    struct td_columns columns;
    struct td_row_values values = {0};
    struct td_text_arena arena = {0};
    size_t count = 0, *order = NULL;
    int rc = td_columns_init(&columns);
    rows->host_zero_ns = find_host_zero(rows);
    for (size_t i = 0; rc == 0 && i < rows->count; i++) {
        if (!is_shown(&rows->rows[i]))
            continue;
        td_text_arena_clear(&arena);
        rc = td_report_values(rows, &rows->rows[i], &columns, &values, &arena);
    }
    if (rc == 0) {
        order = td_columns_order(&columns, rows->host->count != 0, &count);
        rc = order ? put_imported_first(rows, &columns, &order, &count) : TD_E_NOMEM;
    }
    rc = rc ? rc : write_rows(to, rows, &columns, &values, &arena, order, count);
    free(order);
    td_columns_free(&columns);
    td_row_values_free(&values);
    td_text_arena_free(&arena);
    return rc;
}

/* The column of the other report with the same contents; -1: it has none. */
static int same_column(enum td_tt_perf_column column)
{
    static const int same[TD_TT_PERF_COLUMN_COUNT] = {
        [TD_TT_PERF_CALL_COUNT] = TD_TT_OPS_CALL_COUNT,
        [TD_TT_PERF_TRACE_ID] = TD_TT_OPS_TRACE_ID,
        [TD_TT_PERF_REPLAY] = TD_TT_OPS_REPLAY,
        [TD_TT_PERF_DEVICE_ID] = TD_TT_OPS_DEVICE_ID,
        [TD_TT_PERF_DEVICE_ARCH] = TD_TT_OPS_DEVICE_ARCH,
        [TD_TT_PERF_OP_NAME] = TD_TT_OPS_OP_CODE,
        [TD_TT_PERF_CORE_COUNT] = TD_TT_OPS_CORE_COUNT,
        [TD_TT_PERF_WORKER_COUNT] = TD_TT_OPS_WORKER_COUNT,
        [TD_TT_PERF_TRACE_FW_DURATION] = -1,
        [TD_TT_PERF_TRACE_KERNEL_DURATION] = -1,
        [TD_TT_PERF_FIRST_TO_LAST_START] = TD_TT_OPS_FIRST_TO_LAST_START,
        [TD_TT_PERF_FW_DURATION] = TD_TT_OPS_FW_DURATION,
        [TD_TT_PERF_FW_START] = TD_TT_OPS_FW_START,
        [TD_TT_PERF_FW_END] = TD_TT_OPS_FW_END,
        [TD_TT_PERF_KERNEL_DURATION] = TD_TT_OPS_KERNEL_DURATION,
        [TD_TT_PERF_KERNEL_DM_DURATION] = TD_TT_OPS_KERNEL_DM_START,
        [TD_TT_PERF_BRISC_DURATION] = TD_TT_OPS_BRISC_DURATION,
        [TD_TT_PERF_NCRISC_DURATION] = TD_TT_OPS_NCRISC_DURATION,
        [TD_TT_PERF_TRISC0_DURATION] = TD_TT_OPS_TRISC0_DURATION,
        [TD_TT_PERF_TRISC1_DURATION] = TD_TT_OPS_TRISC1_DURATION,
        [TD_TT_PERF_TRISC2_DURATION] = TD_TT_OPS_TRISC2_DURATION,
        [TD_TT_PERF_ERISC_DURATION] = TD_TT_OPS_ERISC_DURATION,
        [TD_TT_PERF_KERNEL_START] = -1,
        [TD_TT_PERF_KERNEL_END] = -1,
        [TD_TT_PERF_KERNEL_DM_START] = -1,
        [TD_TT_PERF_KERNEL_DM_END] = -1,
        [TD_TT_PERF_OP_TO_OP] = TD_TT_OPS_OP_TO_OP,
        [TD_TT_PERF_OP_TO_OP_DM] = TD_TT_OPS_OP_TO_OP_DM,
    };
    return same[column];
}

static struct td_tt_text cycle_text(struct td_text_arena *arena, const struct td_report_rows *rows,
                                    const struct td_op_sum *op, int64_t time)
{
    const struct td_chip_clock chip = rows->chip(rows->self, op->device);
    if (time == TD_OP_NO_TIME)
        return TD_TT_TEXT_NONE;
    return td_text_arena_print(arena, "%lld", (long long)td_report_cycle(&op->clock, &chip, time));
}

static void fill_perf_line(const struct td_report_rows *rows, const struct td_report_row *row,
                           const struct td_row_values *values, struct td_text_arena *arena,
                           struct td_tt_text *line)
{
    for (int c = 0; c < TD_TT_PERF_COLUMN_COUNT; c++) {
        const int same = same_column((enum td_tt_perf_column)c);
        line[c] = same < 0 ? TD_TT_TEXT_NONE : td_row_values_get(values, (size_t)same);
    }
    const struct td_op_sum *op = &row->op;
    line[TD_TT_PERF_KERNEL_START] = cycle_text(arena, rows, op, op->kernel.first_start);
    line[TD_TT_PERF_KERNEL_END] = cycle_text(arena, rows, op, op->kernel.last_end);
    line[TD_TT_PERF_KERNEL_DM_START] = cycle_text(arena, rows, op, op->data_kernel.first_start);
    line[TD_TT_PERF_KERNEL_DM_END] = line[TD_TT_PERF_KERNEL_END];
}

int td_perf_csv_write(FILE *to, const struct td_report_rows *rows)
{
    struct td_tt_text line[TD_TT_PERF_COLUMN_COUNT];
    struct td_columns columns;
    struct td_row_values values = {0};
    struct td_text_arena arena = {0};
    int rc = td_columns_init(&columns);
    for (int c = 0; c < TD_TT_PERF_COLUMN_COUNT; c++)
        line[c] = td_tt_text_of(td_tt_perf_column_name((enum td_tt_perf_column)c));
    td_tt_report_write_line(to, line, TD_TT_PERF_COLUMN_COUNT);
    for (size_t i = 0; rc == 0 && i < rows->count; i++) {
        const struct td_report_row *row = &rows->rows[i];
        if (!row->has_device)
            continue;
        td_text_arena_clear(&arena);
        rc = td_report_values(rows, row, &columns, &values, &arena);
        fill_perf_line(rows, row, &values, &arena, line);
        if (rc == 0)
            td_tt_report_write_line(to, line, TD_TT_PERF_COLUMN_COUNT);
    }
    td_columns_free(&columns);
    td_row_values_free(&values);
    td_text_arena_free(&arena);
    return rc;
}
