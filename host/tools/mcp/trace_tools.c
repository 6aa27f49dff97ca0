/* open_trace and describe. */
#include "host/base/path.h"
#include "host/query/rows/track_sum.h"
#include "host/query/table/forms.h"
#include "host/query/table/tables.h"
#include "host/tools/mcp/answer.h"
#include "host/tools/query/questions.h"

#include <string.h>

#define LISTED 200 /* traces of the roots; facts, losses, sets of frames */

static void put_trace(struct td_json *j, const struct mcp_trace *t)
{
    const struct td_trace_info *info = td_trace_get_info(t->trace);
    const struct td_track_totals all = td_track_totals_of(t->trace);
    td_json_object(j, NULL);
    td_json_string(j, "trace", t->name);
    td_json_string(j, "file", td_path_name(t->path));
    td_json_string(j, "program", info->program ? info->program : "");
    td_json_string(j, "host", info->host_info ? info->host_info : "");
    td_json_uint(j, "capture_time_s", info->capture_time_s);
    td_json_int(j, "last_time_ns", info->last_time_ns);
    td_json_uint(j, "threads", all.threads);
    td_json_uint(j, "cores", all.cores);
    td_json_uint(j, "zones", all.zones);
    td_json_uint(j, "open_zones", all.open);
    td_json_uint(j, "gpu_zones", all.gpu_zones);
    td_json_uint(j, "messages", td_trace_messages(t->trace));
    td_json_end_object(j);
}

static void put_traces(const struct mcp *m, struct td_json *j)
{
    td_json_array(j, "traces");
    for (size_t t = 0; t < m->traces_read; t++)
        put_trace(j, &m->traces[t]);
    td_json_end_array(j);
}

/* ---- open_trace ---- */

struct listing {
    struct td_json *j;
    size_t count;
};

static int list_path(void *self, const char *path)
{
    struct listing *l = self;
    if (l->count++ < LISTED)
        td_json_string(l->j, NULL, path);
    return 0;
}

static int open_trace(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    const char *path = mcp_text(arguments, "path");
    struct listing listing = {.j = &answer->object};
    if (path && !mcp_add_trace(m, path, mcp_text(arguments, "name"), false, err))
        return err->code;
    int rc = mcp_read_traces(m, err);
    if (rc < 0)
        return rc;
    put_traces(m, &answer->object);
    if (path)
        return 0;
    td_json_array(&answer->object, "can_be_opened");
    rc = mcp_each_trace(m, list_path, &listing);
    td_json_end_array(&answer->object);
    if (listing.count > LISTED)
        td_json_uint(&answer->object, "not_listed", listing.count - LISTED);
    return rc ? td_fail_to_look(rc, "traces", err) : 0;
}

const struct mcp_tool mcp_tool_open_trace = {
    .name = "open_trace",
    .title = "Open a trace",
    .about = "Opens a trace file or a folder of shards, so that the other tools can be asked about it. "
             "Without path: lists the "
             "traces that are open and those that can be opened.",
    .arguments = {{"path", MCP_TEXT, "the file, as listed", false, NULL},
                  {"name", MCP_TEXT,
                   "what it is called from now on, also in SQL: name.zones; default: the file's name", false,
                   NULL}},
    .run = open_trace,
};

/* ---- describe ---- */

static uint64_t listed_of(uint64_t count)
{
    return count < LISTED ? count : LISTED;
}

static void put_rest(struct td_json *j, const char *key, uint64_t count)
{
    if (count > LISTED)
        td_json_uint(j, key, count - LISTED);
}

/* Keys are not unique. */
static int put_facts(struct td_json *j, const struct td_query_rows *facts)
{
    const struct td_query_column *key = td_query_column_named(facts->table, "key"),
                                 *value = td_query_column_named(facts->table, "value");
    char room[2][TD_QUERY_ROOM];
    td_json_array(j, "facts");
    for (uint64_t i = 0; i < listed_of(facts->count); i++) {
        const struct td_query_value texts[2] = {td_query_get(facts, i, key, room[0]),
                                                td_query_get(facts, i, value, room[1])};
        td_json_array(j, NULL);
        mcp_put_value(j, &texts[0]);
        mcp_put_value(j, &texts[1]);
        td_json_end_array(j);
    }
    td_json_end_array(j);
    put_rest(j, "more_facts", facts->count);
    return 0;
}

static int put_frame_sets(struct td_json *j, const struct td_query_rows *rows)
{
    const struct td_query_order first = {.count = listed_of(rows->count)};
    put_rest(j, "more_frame_sets", rows->count);
    return td_query_json(j, "frame_sets", rows, &first);
}

static int put_losses(struct td_json *j, const struct td_query_rows *rows)
{
    const struct td_query_order first = {.count = listed_of(rows->count)};
    put_rest(j, "more_losses", rows->count);
    return td_query_json(j, "losses", rows, &first);
}

static int put_all_facts(struct td_json *j, const struct td_trace *trace, struct td_err *err)
{
    static const struct {
        const struct td_query_table *table;
        int (*put)(struct td_json *j, const struct td_query_rows *rows);
    } parts[] = {
        {&td_table_facts, put_facts}, {&td_table_frame_sets, put_frame_sets}, {&td_table_losses, put_losses}};
    const struct td_query_request of = td_query_all(trace);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof parts / sizeof *parts; i++) {
        struct td_query_rows *rows = td_query_make(parts[i].table, &of, &rc);
        rc = rows ? parts[i].put(j, rows) : rc;
        td_query_free(rows);
    }
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

static int describe(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    const char *table = mcp_text(arguments, "table");
    struct td_json *j = &answer->object;
    size_t found = 0;
    if (table) {
        mcp_put_schema(m, j, table, &found);
        return found
                   ? 0
                   : td_fail(err, TD_E_NOTFOUND, "there is no table \"%.60s\" (describe lists them)", table);
    }
    const struct mcp_trace *t = m->trace_count ? mcp_trace_of(m, arguments, "trace", err) : NULL;
    if (m->trace_count && !t)
        return err->code;
    put_traces(m, j);
    const int rc = t ? put_all_facts(j, t->trace, err) : 0;
    td_json_object(j, "tables");
    for (size_t i = 0; i < td_sql_tables(m->sql); i++) {
        const struct td_sql_column *column;
        const struct td_query_table *described;
        size_t columns;
        const char *name = td_sql_table(m->sql, i, &column, &columns, &described);
        if (strncmp(name, "model_", 6) != 0)
            td_json_string(j, name, described->about);
    }
    td_json_end_object(j);
    td_json_object(j, "questions");
    for (size_t i = 0; i < query_question_count; i++)
        td_json_string(j, query_questions[i].name, query_questions[i].about);
    td_json_end_object(j);
    return rc;
}

const struct mcp_tool mcp_tool_describe = {
    .name = "describe",
    .title = "Describe the traces",
    .about = "What is in the traces that are open: program, length, counts, facts, losses, sets of frames; "
             "and the tables and saved questions for "
             "query. With table: the columns of that table.",
    .arguments = {{"trace", MCP_TEXT, "name of the trace; default: the first one", false, NULL},
                  {"table", MCP_TEXT, "a table for query, such as zones", false, NULL}},
    .run = describe,
};
