/* query and slowest: SQL. */
#include "host/base/stream.h"
#include "host/tools/mcp/answer.h"
#include "host/tools/query/questions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETERS  20
#define NUMBER_ROOM 32

/* ---- the sink ---- */

struct rows_sink {
    struct mcp_answer *answer;
    bool is_full;
};

static int begin_rows(void *self, const char *const *names, size_t count, struct td_err *err)
{
    struct rows_sink *sink = self;
    if (sink->answer->has_rows)
        return td_fail(err, TD_E_USAGE, "one statement at a time");
    mcp_begin_rows(sink->answer, names, count);
    return 0;
}

static int take_row(void *self, const struct td_query_value *values, size_t count, struct td_err *err)
{
    struct rows_sink *sink = self;
    struct td_json *j = mcp_begin_row(sink->answer);
    for (size_t c = 0; c < count; c++)
        mcp_put_value(j, &values[c]);
    const int rc = mcp_end_row(sink->answer);
    if (rc < 0)
        return td_fail_no_memory(err, "for rows");
    sink->is_full = rc != 0;
    return sink->is_full ? td_fail(err, TD_E_LIMIT, "enough") : 0;
}

static int end_rows(void *self, struct td_err *err)
{
    return 0;
}

static int ask(struct mcp *m, const char *text, const struct td_sql_parameter *parameters, size_t count,
               struct mcp_answer *answer, struct td_err *err)
{
    struct rows_sink rows = {.answer = answer};
    const struct td_sql_sink sink = {begin_rows, take_row, end_rows, &rows};
    const struct td_progress progress = mcp_progress(m);
    const struct td_sql_question question = {.text = text,
                                             .parameters = parameters,
                                             .parameter_count = count,
                                             .seconds = m->most.seconds,
                                             .progress = &progress};
    int rc = td_sql_run(m->sql, &question, &sink, NULL, err);
    if (rows.is_full) { /* the rest is not kept */
        *err = (struct td_err){0};
        rc = 0;
    }
    if (rc == TD_E_STOPPED) {
        *err = (struct td_err){0};
        return mcp_fail_stopped(m, rc, err);
    }
    if (rc == 0 && !answer->has_rows)
        return td_fail(err, TD_E_USAGE, "the statement has no rows: ask with SELECT");
    return rc;
}

/* ---- query ---- */

static int read_parameter(const cJSON *value, struct td_sql_parameter *to, char room[NUMBER_ROOM],
                          struct td_err *err)
{
    *to = (struct td_sql_parameter){value->string, room};
    if (cJSON_IsString(value))
        to->value = value->valuestring;
    else if (cJSON_IsBool(value))
        to->value = cJSON_IsTrue(value) ? "1" : "0";
    else if (cJSON_IsNull(value))
        to->value = NULL;
    else if (!cJSON_IsNumber(value))
        return td_fail(err, TD_E_USAGE, "parameter \"%.60s\" must be a number or a text", value->string);
    else if (floor(value->valuedouble) == value->valuedouble && fabs(value->valuedouble) < 9e15)
        snprintf(room, NUMBER_ROOM, "%.0f", value->valuedouble);
    else
        snprintf(room, NUMBER_ROOM, "%.17g", value->valuedouble);
    return 0;
}

static int query(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    const cJSON *given = cJSON_GetObjectItemCaseSensitive(arguments, "parameters");
    struct td_sql_parameter parameters[PARAMETERS];
    char numbers[PARAMETERS][NUMBER_ROOM];
    size_t count = 0;
    for (const cJSON *value = given ? given->child : NULL; value; value = value->next, count++) {
        if (count == PARAMETERS)
            return td_fail(err, TD_E_USAGE, "a question has at most %d parameters", PARAMETERS);
        if (read_parameter(value, &parameters[count], numbers[count], err) < 0)
            return TD_E_USAGE;
    }
    const char *text = mcp_text(arguments, "sql"), *name = mcp_text(arguments, "question");
    const struct query_question *question = name ? query_question_find(name) : NULL;
    if ((text != NULL) + (name != NULL) != 1)
        return td_fail(err, TD_E_USAGE, "query needs \"sql\" or \"question\"");
    if (name && !question)
        return td_fail(err, TD_E_NOTFOUND, "there is no question \"%.60s\" (describe lists them)", name);
    return ask(m, question ? question->text : text, parameters, count, answer, err);
}

const struct mcp_tool mcp_tool_query = {
    .name = "query",
    .title = "Ask in SQL",
    .about = "Asks the traces one SELECT in SQLite's SQL. describe lists the tables, describe with table its "
             "columns; names "
             "without a trace are of the first one, others are trace.table. Columns that end in _ns are "
             "nanoseconds. Also: "
             "percentile(x, p), histogram(x), duration('20ms'), overlap(a0, a1, b0, b1), stack_text(id) and "
             "the joins of "
             "intervals overlaps(sql, sql); see the resource tendril://docs/query.md.",
    .arguments = {{"sql", MCP_TEXT, "such as SELECT name, count(*) FROM zones GROUP BY name", false, NULL},
                  {"question", MCP_TEXT, "in place of sql: the name of a question that describe lists", false,
                   NULL},
                  {"parameters", MCP_OBJECT, "values of :name in the statement: {\"name\": \"matmul\"}",
                   false, NULL}},
    .has_rows = true,
    .run = query,
};

/* ---- slowest ---- */

static int slowest(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err)
{
    const struct mcp_trace *t = mcp_trace_of(m, arguments, "trace", err);
    const char *name = mcp_text(arguments, "name"), *track = mcp_text(arguments, "track");
    const bool has_range = mcp_text(arguments, "range") != NULL;
    struct td_sql_parameter parameters[PARAMETERS];
    char text[700], numbers[2][NUMBER_ROOM];
    int64_t from = 0, to = 0;
    size_t count = 0;
    if (!t || mcp_range(arguments, &from, &to, err) < 0)
        return err->code;
    snprintf(text, sizeof text,
             "SELECT id, name, track, start_ns, duration_ns, self_ns, depth, text, function, file, line FROM "
             "\"%s\".zones "
             "WHERE duration_ns >= 0%s%s%s ORDER BY duration_ns DESC LIMIT %" PRIu64,
             t->name, name ? " AND name = :name" : "", track ? " AND track = :track" : "",
             has_range ? " AND start_ns >= :from AND start_ns < :to" : "", mcp_whole(arguments, "count", 20));
    snprintf(numbers[0], NUMBER_ROOM, "%" PRId64, from);
    snprintf(numbers[1], NUMBER_ROOM, "%" PRId64, to);
    if (name)
        parameters[count++] = (struct td_sql_parameter){"name", name};
    if (track)
        parameters[count++] = (struct td_sql_parameter){"track", track};
    if (has_range) {
        parameters[count++] = (struct td_sql_parameter){"from", numbers[0]};
        parameters[count++] = (struct td_sql_parameter){"to", numbers[1]};
    }
    return ask(m, text, parameters, count, answer, err);
}

const struct mcp_tool mcp_tool_slowest = {
    .name = "slowest",
    .title = "Longest zones",
    .about = "The longest zones of a trace, with their tracks, times and texts.",
    .arguments = {{"trace", MCP_TEXT, "name of the trace; default: the first one", false, NULL},
                  {"name", MCP_TEXT, "only zones of exactly this name", false, NULL},
                  {"track", MCP_TEXT, "only zones of the thread or core of this name", false, NULL},
                  {"range", MCP_TEXT, "only zones that start between these times, as in 1.2ms..1.5ms", false,
                   NULL},
                  {"count", MCP_WHOLE, "how many (default 20)", false, NULL}},
    .has_rows = true,
    .run = slowest,
};
