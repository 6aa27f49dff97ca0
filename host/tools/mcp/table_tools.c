/* zone_statistics, waits, compare: tables of host/query, made for a range; and operation. */
#include "host/base/stream.h"
#include "host/query/diff/comparison.h"
#include "host/query/table/forms.h"
#include "host/query/table/tables.h"
#include "host/query/table/text_filter.h"
#include "host/query/table/track_name.h"
#include "host/tools/compare/compare.h"
#include "host/tools/info/info.h"
#include "host/tools/mcp/answer.h"

#include <stdlib.h>
#include <string.h>

#define REPLAYS 1 /* of an operation, if nothing else is asked for */

/* ---- rows of a table ---- */

/* What of a table is wanted. */
struct choice {
    const char *columns; /* as for td_query_choose() */
    const char *filter;  /* of the texts name and file; NULL: all rows */
    const char *sort;    /* the greatest first; NULL: as they were made */
};

static bool passes(const struct td_query_rows *rows, uint64_t row, const char *filter)
{
    static const char *const keys[] = {"name", "file"};
    char room[2][TD_QUERY_ROOM];
    const char *texts[2] = {NULL, NULL};
    for (size_t i = 0; i < 2; i++) {
        const struct td_query_column *column = td_query_column_named(rows->table, keys[i]);
        const struct td_query_value value = td_query_get(rows, row, column, room[i]);
        texts[i] = value.kind == TD_IS_TEXT ? value.text : NULL;
    }
    return td_texts_pass(filter, texts, 2);
}

static void put_cell(struct td_json *j, const struct td_query_rows *rows, uint64_t row,
                     const struct td_query_column *column)
{
    char room[TD_QUERY_ROOM];
    const struct td_query_value value = td_query_get(rows, row, column, room);
    const bool is_track = column->type == TD_AS_TRACK && value.kind == TD_IS_UINT;
    if (is_track && value.u == TD_NO_TRACK)
        td_json_null(j, NULL);
    else if (is_track)
        td_json_string(j, NULL, td_track_long_name(rows->of.trace, (uint32_t)value.u, room));
    else
        mcp_put_value(j, &value);
}

static int put_rows(struct mcp_answer *answer, const struct td_query_rows *rows, const struct choice *wanted)
{
    struct td_query_choice choice;
    struct td_query_order order;
    const char *names[TD_QUERY_COLUMNS_MAX];
    int rc = td_query_order_all(&order, rows);
    if (!td_query_choose(&choice, rows->table, wanted->columns))
        rc = rc ? rc : TD_E_USAGE;
    if (rc == 0 && wanted->sort)
        td_query_order_sort(&order, rows, td_query_column_named(rows->table, wanted->sort), true);
    for (size_t c = 0; rc == 0 && c < choice.count; c++)
        names[c] = choice.at[c].head;
    if (rc == 0)
        mcp_begin_rows(answer, names, choice.count);
    for (uint64_t i = 0; rc == 0 && i < order.count; i++) {
        if (wanted->filter && !passes(rows, order.rows[i], wanted->filter))
            continue;
        struct td_json *j = mcp_begin_row(answer);
        for (size_t c = 0; c < choice.count; c++)
            put_cell(j, rows, order.rows[i], choice.at[c].column);
        rc = mcp_end_row(answer);
    }
    td_query_order_free(&order);
    return rc < 0 ? rc : 0;
}

static int put_table(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer,
                     const struct td_query_table *table, const struct choice *wanted, struct td_err *err)
{
    const struct mcp_trace *t = mcp_trace_of(m, arguments, "trace", err);
    if (!t)
        return err->code;
    struct td_query_request of = td_query_all(t->trace);
    int rc = mcp_range(arguments, &of.from_ns, &of.to_ns, err);
    if (rc < 0)
        return rc;
    of.job = &m->job;
    struct td_query_rows *rows = td_query_make(table, &of, &rc);
    if (rows)
        rc = put_rows(answer, rows, wanted);
    td_query_free(rows);
    return rc < 0 ? mcp_fail_stopped(m, rc, err) : 0;
}

#define SORTS "total_ns|self_ns|count|mean_ns|median_ns|p99_ns|max_ns"

static int zone_statistics(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer,
                           struct td_err *err)
{
    const char *sort = mcp_text(arguments, "sort");
    return put_table(
        m, arguments, answer, &td_table_locations,
        &(struct choice){"name file line count total_ns share self_ns mean_ns median_ns p90_ns p99_ns min_ns "
                         "max_ns std_ns tracks",
                         mcp_text(arguments, "filter"), sort ? sort : "total_ns"},
        err);
}

const struct mcp_tool mcp_tool_zone_statistics = {
    .name = "zone_statistics",
    .title = "Zones by source location",
    .about = "For each source location: how many zones, their total, own, mean and extreme lengths, and "
             "percentiles.",
    .arguments = {{"trace", MCP_TEXT, "name of the trace; default: the first one", false, NULL},
                  {"filter", MCP_TEXT,
                   "parts of names or files, with commas; -part leaves out: draw, load, -shadow", false,
                   NULL},
                  {"range", MCP_TEXT, "only this time, as in 1.2ms..1.5ms", false, NULL},
                  {"sort", MCP_TEXT, "the greatest first (default total_ns)", false, SORTS}},
    .has_rows = true,
    .run = zone_statistics,
};

static int waits(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    return put_table(m, arguments, answer, &td_table_waits, &(struct choice){NULL, NULL, "waited_ns"}, err);
}

const struct mcp_tool mcp_tool_waits = {
    .name = "waits",
    .title = "Who waited for whom",
    .about = "Which tracks (cores, threads) waited for which others, by the flows between them, the longest "
             "waits first.",
    .arguments = {{"trace", MCP_TEXT, "name of the trace; default: the first one", false, NULL},
                  {"range", MCP_TEXT, "only this time, as in 1.2ms..1.5ms", false, NULL}},
    .has_rows = true,
    .run = waits,
};

/* ---- compare ---- */

static int compare(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    const char *by = mcp_text(arguments, "by");
    const struct mcp_trace *old = mcp_trace_of(m, arguments, "old", err),
                           *new = old ? mcp_trace_of(m, arguments, "new", err) : NULL;
    const int what = by ? td_option_choice(TD_COMPARE_BY_CHOICES, by) : TD_COMPARE_BY_ZONE;
    struct compare c = {.by = what, .percentiles = mcp_flag(arguments, "percentiles")};
    if (!new)
        return err->code;
    c.wanted[what] = true;
    c.tables[what].by = (enum td_compare_by)what;
    c.tables[what].percentiles = c.percentiles;
    int rc = compare_add_trace(&c, old->trace, 0, err);
    rc = rc ? rc : compare_add_trace(&c, new->trace, 1, err);
    const struct td_query_request of = {.with = &c.tables[what]};
    struct td_query_rows *rows = rc == 0 ? td_query_make(&td_table_compared, &of, &rc) : NULL;
    if (rows)
        rc = put_rows(
            answer, rows,
            &(struct choice){
                c.percentiles
                    ? "name file count_a count_b mean_a_ns mean_b_ns mean_change impact_ns total_a_ns "
                      "total_b_ns median_a_ns median_b_ns p99_a_ns p99_b_ns"
                    : "name file count_a count_b mean_a_ns mean_b_ns mean_change impact_ns total_a_ns "
                      "total_b_ns",
                mcp_text(arguments, "filter"), NULL});
    td_query_free(rows);
    td_compare_table_free(&c.tables[what]);
    return rc < 0 && !err->code ? td_fail_no_memory(err, NULL) : rc;
}

const struct mcp_tool mcp_tool_compare = {
    .name = "compare",
    .title = "Compare two traces",
    .about = "What changed from trace old (a) to trace new (b), by name, in the order of the change of the "
             "total time.",
    .arguments = {{"old", MCP_TEXT, "name of the trace before", true, NULL},
                  {"new", MCP_TEXT, "name of the trace now", true, NULL},
                  {"by", MCP_TEXT,
                   "zones, operations of devices, launches by core, or zones with their texts (default zone)",
                   false, TD_COMPARE_BY_CHOICES},
                  {"filter", MCP_TEXT, "parts of names or files, with commas; -part leaves out", false, NULL},
                  {"percentiles", MCP_FLAG, "with medians and 99th percentiles", false, NULL}},
    .has_rows = true,
    .run = compare,
};

/* ---- operation ---- */

static int operation(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    const struct mcp_trace *t = mcp_trace_of(m, arguments, "trace", err);
    const uint64_t id = mcp_whole(arguments, "run_id", 0);
    if (!t)
        return err->code;
    if (id > UINT32_MAX)
        return td_fail(err, TD_E_USAGE, "\"run_id\" is at most %u", UINT32_MAX);
    return info_json_operation(&answer->object, t->trace, (uint32_t)id,
                               (size_t)mcp_whole(arguments, "replays", REPLAYS), err);
}

const struct mcp_tool mcp_tool_operation = {
    .name = "operation",
    .title = "One operation of a device",
    .about = "An operation of a device: its times, its tiles, who waited for whom in it, and the chain of "
             "waits that led to its "
             "last tile. The table operations of query lists the operations.",
    .arguments = {{"run_id", MCP_WHOLE, "run_id of the table operations", true, NULL},
                  {"trace", MCP_TEXT, "name of the trace; default: the first one", false, NULL},
                  {"replays", MCP_WHOLE, "of an operation that ran several times, how many (default 1)",
                   false, NULL}},
    .run = operation,
};
