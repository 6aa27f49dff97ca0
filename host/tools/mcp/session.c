/* The methods of the protocol. */
#include "host/base/json_text.h"
#include "host/base/stream.h"
#include "host/tools/mcp/answer.h"

#include <stdlib.h>
#include <string.h>

/* Revisions of the protocol that clients ask for, the newest one first. */
static const char *const revisions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};
#define REVISIONS    (sizeof revisions / sizeof *revisions)
#define WITH_SCHEMAS 1 /* and those before it in the list: titles, structured answers and their schemas */

/* JSON-RPC's numbers of errors, and the protocol's. */
enum {
    NO_JSON = -32700,
    NO_REQUEST = -32600,
    NO_METHOD = -32601,
    NO_PARAMETERS = -32602,
    NO_RESOURCE = -32002
};

/* ---- parsing ---- */

static bool is_too_deep(const char *text)
{
    unsigned depth = 0;
    bool in_string = false;
    for (; *text; text++) {
        if (in_string && *text == '\\' && text[1])
            text++;
        else if (*text == '"')
            in_string = !in_string;
        else if (!in_string && (*text == '{' || *text == '['))
            depth++;
        else if (!in_string && (*text == '}' || *text == ']'))
            depth -= depth > 0;
        if (depth > MCP_DEPTH)
            return true;
    }
    return false;
}

cJSON *mcp_parse(const char *line, size_t bytes, enum mcp_problem *problem)
{
    cJSON *message = NULL;
    /* A copy with a NUL: then the parser can check that nothing follows the message. */
    char *text = bytes <= MCP_MESSAGE_BYTES ? malloc(bytes + 1) : NULL;
    *problem = bytes > MCP_MESSAGE_BYTES ? MCP_TOO_LONG : text ? MCP_NO_JSON : MCP_NO_MEMORY;
    if (!text)
        return NULL;
    memcpy(text, line, bytes);
    text[bytes] = 0;
    if (is_too_deep(text))
        *problem = MCP_TOO_DEEP;
    else if (strlen(text) == bytes && (message = cJSON_ParseWithLengthOpts(text, bytes + 1, NULL, 1)))
        *problem = MCP_FINE;
    free(text);
    return message;
}

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

const cJSON *mcp_cancelled(const cJSON *message)
{
    const char *method = text_of(message, "method");
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(message, "params");
    return method && !strcmp(method, "notifications/cancelled")
               ? cJSON_GetObjectItemCaseSensitive(parameters, "requestId")
               : NULL;
}

/* ---- answers ---- */

static void begin_answer(const cJSON *id, const char *what, FILE *to)
{
    char *text = id ? td_json_repair(cJSON_PrintUnformatted(id)) : NULL;
    fprintf(to, "{\"jsonrpc\": \"2.0\", \"id\": %s, \"%s\": ", text ? text : "null", what);
    free(text);
}

static void write_error(const cJSON *id, int code, const char *text, FILE *to)
{
    struct td_json j = {.to = to, .one_line = 1, .depth = 1};
    begin_answer(id, "error", to);
    td_json_object(&j, NULL);
    td_json_int(&j, "code", code);
    td_json_string(&j, "message", text);
    td_json_end_object(&j);
    putc('}', to);
}

static struct td_json begin_result(const cJSON *id, FILE *to)
{
    struct td_json j = {.to = to, .one_line = 1, .depth = 1};
    begin_answer(id, "result", to);
    td_json_object(&j, NULL);
    return j;
}

static void end_result(struct td_json *j)
{
    td_json_end_object(j);
    putc('}', j->to);
}

/* ---- calls of tools ---- */

static void put_texts(struct td_json *j, const char *text, size_t bytes)
{
    td_json_array(j, "content");
    td_json_object(j, NULL);
    td_json_string(j, "type", "text");
    td_json_text(j, "text", text, bytes);
    td_json_end_object(j);
    td_json_end_array(j);
}

static void write_failure(const cJSON *id, const struct td_err *why, FILE *to)
{
    struct td_json j = begin_result(id, to);
    put_texts(&j, why->text, strlen(why->text));
    td_json_bool(&j, "isError", 1);
    end_result(&j);
}

static void write_base64(FILE *to, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        const uint32_t all = (uint32_t)bytes[i] << 16 | (i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0) |
                             (i + 2 < count ? bytes[i + 2] : 0u);
        putc(digits[all >> 18], to);
        putc(digits[all >> 12 & 63], to);
        putc(i + 1 < count ? digits[all >> 6 & 63] : '=', to);
        putc(i + 2 < count ? digits[all & 63] : '=', to);
    }
}

static void write_picture(const cJSON *id, const struct mcp_answer *a, FILE *to)
{
    begin_answer(id, "result", to);
    fputs("{\"content\": [{\"type\": \"image\", \"mimeType\": \"image/png\", \"data\": \"", to);
    write_base64(to, a->picture, a->picture_bytes);
    fputs("\"}]}}", to);
}

/* The same page as text and, for clients that know it, as an object. */
static int write_rows_and_object(const struct mcp *m, const cJSON *id, struct mcp_answer *a, uint64_t rows,
                                 FILE *to, struct td_err *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *page = open_memstream(&text, &bytes);
    if (page)
        mcp_write_page(a, rows, m->most.bytes, page);
    if (!page || !td_text_close(page, &text)) {
        free(text);
        return td_fail_no_memory(err, "for a page");
    }
    struct td_json j = begin_result(id, to);
    put_texts(&j, text, bytes);
    if (m->revision <= WITH_SCHEMAS) {
        fputs(", \"structuredContent\": ", to);
        fwrite(text, 1, bytes, to);
    }
    end_result(&j);
    free(text);
    return 0;
}

static int run_tool(struct mcp *m, const struct mcp_tool *tool, const cJSON *arguments,
                    struct mcp_answer **answer, struct td_err *err)
{
    const char *cursor = tool->has_rows ? mcp_text(arguments, "cursor") : NULL;
    if (cursor) {
        *answer = mcp_find_answer(m, cursor, err);
        return *answer ? 0 : err->code;
    }
    int rc = mcp_read_traces(m, err);
    if (rc < 0)
        return rc;
    if (!(*answer = mcp_answer_create()))
        return td_fail_no_memory(err, NULL);
    (*answer)->serial = m->serial + 1;
    rc = tool->run(m, arguments, *answer, err);
    if (rc == 0)
        rc = mcp_answer_finish(*answer, err);
    if (rc < 0) {
        mcp_answer_destroy(*answer);
        *answer = NULL;
    }
    return rc;
}

static void call_tool(struct mcp *m, const cJSON *id, const cJSON *parameters, FILE *to)
{
    const char *name = text_of(parameters, "name");
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(parameters, "arguments");
    const struct mcp_tool *tool = name ? mcp_find_tool(name) : NULL;
    struct mcp_answer *answer = NULL;
    struct td_err err = {0};
    if (!tool) {
        write_error(id, NO_PARAMETERS, "there is no tool of this name (tools/list)", to);
        return;
    }
    m->progress = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(parameters, "_meta"),
                                                   "progressToken");
    m->reported = 0;
    int rc = mcp_check_arguments(tool, arguments, &err);
    rc = rc ? rc : run_tool(m, tool, arguments, &answer, &err);
    m->progress = NULL;
    if (rc == 0 && answer->picture)
        write_picture(id, answer, to);
    else if (rc == 0)
        rc = write_rows_and_object(m, id, answer, mcp_whole(arguments, "rows", m->most.rows), to, &err);
    if (rc < 0 && !err.code)
        td_fail_no_memory(&err, NULL);
    if (rc < 0)
        write_failure(id, &err, to);
    mcp_keep_answer(m, answer);
}

/* ---- other methods ---- */

static void initialize(struct mcp *m, const cJSON *id, const cJSON *parameters, FILE *to)
{
    const char *wanted = text_of(parameters, "protocolVersion");
    m->revision = 0;
    for (size_t r = 0; wanted && r < REVISIONS; r++)
        if (!strcmp(wanted, revisions[r]))
            m->revision = r;
    struct td_json j = begin_result(id, to);
    td_json_string(&j, "protocolVersion", revisions[m->revision]);
    td_json_object(&j, "capabilities");
    td_json_object(&j, "tools");
    td_json_end_object(&j);
    td_json_object(&j, "resources");
    td_json_end_object(&j);
    td_json_end_object(&j);
    td_json_object(&j, "serverInfo");
    td_json_string(&j, "name", "tendril");
    td_json_string(&j, "version", TD_VERSION);
    td_json_end_object(&j);
    td_json_string(&j, "instructions",
                   "Traces of programs and of the cores of accelerators, recorded by Tendril or Tracy. Call "
                   "describe first: "
                   "it lists the traces, and the tables and columns for query. Times are nanoseconds from "
                   "the start of the "
                   "trace. Rows come in pages: pass next_cursor as cursor to get the next one.");
    end_result(&j);
}

static void read_resource(struct mcp *m, const cJSON *id, const cJSON *parameters, FILE *to)
{
    const char *uri = text_of(parameters, "uri");
    struct td_err err = {0};
    char *text = NULL;
    size_t bytes = 0;
    FILE *part = open_memstream(&text, &bytes);
    int rc = part ? 0 : td_fail_no_memory(&err, NULL);
    if (rc == 0) {
        struct td_json j = begin_result(id, part);
        rc = uri ? mcp_read_resource(m, uri, &j, &err) : td_fail(&err, TD_E_USAGE, "there is no \"uri\"");
        end_result(&j);
        if (!td_text_close(part, &text) && rc == 0)
            rc = td_fail_no_memory(&err, NULL);
    }
    if (rc == 0)
        fwrite(text, 1, bytes, to);
    else
        write_error(id, rc == TD_E_NOTFOUND ? NO_RESOURCE : NO_PARAMETERS, err.text, to);
    free(text);
}

static void list_tools(struct mcp *m, const cJSON *id, const cJSON *parameters, FILE *to)
{
    struct td_json j = begin_result(id, to);
    mcp_list_tools(&j, m->revision <= WITH_SCHEMAS);
    end_result(&j);
}

static void list_resources(struct mcp *m, const cJSON *id, const cJSON *parameters, FILE *to)
{
    struct td_json j = begin_result(id, to);
    mcp_list_resources(&j);
    end_result(&j);
}

static void list_templates(struct mcp *m, const cJSON *id, const cJSON *parameters, FILE *to)
{
    struct td_json j = begin_result(id, to);
    td_json_array(&j, "resourceTemplates");
    td_json_end_array(&j);
    end_result(&j);
}

static void ping(struct mcp *m, const cJSON *id, const cJSON *parameters, FILE *to)
{
    struct td_json j = begin_result(id, to);
    end_result(&j);
}

static const struct {
    const char *name;
    void (*answer)(struct mcp *m, const cJSON *id, const cJSON *parameters, FILE *to);
} methods[] = {{"initialize", initialize},
               {"ping", ping},
               {"tools/list", list_tools},
               {"tools/call", call_tool},
               {"resources/list", list_resources},
               {"resources/read", read_resource},
               {"resources/templates/list", list_templates}};

/* ---- messages ---- */

static bool is_id(const cJSON *id)
{
    return cJSON_IsString(id) || cJSON_IsNumber(id);
}

static void answer_request(struct mcp *m, const cJSON *message, FILE *to)
{
    const cJSON *id = cJSON_GetObjectItemCaseSensitive(message, "id");
    const char *method = text_of(message, "method"), *version = text_of(message, "jsonrpc");
    const bool has_result = cJSON_HasObjectItem(message, "result") || cJSON_HasObjectItem(message, "error");
    if (cJSON_IsObject(message) && ((method && !id) || (!method && has_result)))
        return; /* a notification; or an answer, to a question that was never asked */
    if (!cJSON_IsObject(message) || !method || !is_id(id) || !version || strcmp(version, "2.0") != 0) {
        write_error(is_id(id) ? id : NULL, NO_REQUEST, "this is no request of JSON-RPC 2.0", to);
        return;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, method)) {
            methods[i].answer(m, id, cJSON_GetObjectItemCaseSensitive(message, "params"), to);
            return;
        }
    write_error(id, NO_METHOD, "there is no such method", to);
}

/* The answer, malloc'ed; NULL: it gets none, or no memory. */
static char *answer_to(struct mcp *m, const cJSON *message, size_t *bytes)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, bytes);
    if (!to)
        return NULL;
    answer_request(m, message, to);
    if (!td_text_close(to, &text) || !*bytes) {
        free(text);
        return NULL;
    }
    return text;
}

/* Revision 2025-03-26 has arrays of messages. */
static void answer_messages(struct mcp *m, const cJSON *messages)
{
    bool has_answers = false;
    for (const cJSON *message = messages->child; message; message = message->next) {
        size_t bytes;
        char *text = answer_to(m, message, &bytes);
        if (text) {
            fputs(has_answers ? ", " : "[", m->to);
            fwrite(text, 1, bytes, m->to);
            has_answers = true;
        }
        free(text);
    }
    if (has_answers)
        fputs("]\n", m->to);
}

void mcp_answer_message(struct mcp *m, const cJSON *message, enum mcp_problem problem)
{
    static const char *const problems[] = {"", "the line is not JSON", "a message has at most 1 MiB",
                                           "a message is at most 64 levels deep", "out of memory"};
    if (problem != MCP_FINE) {
        write_error(NULL, problem == MCP_TOO_LONG ? NO_REQUEST : NO_JSON, problems[problem], m->to);
        putc('\n', m->to);
    } else if (cJSON_IsArray(message) && message->child) {
        answer_messages(m, message);
    } else {
        size_t bytes;
        char *text = answer_to(m, message, &bytes);
        const bool is_cancelled =
            td_job_cancelled(&m->job) && !__atomic_load_n(&m->is_late, __ATOMIC_RELAXED);
        if (text && !is_cancelled) {
            text[bytes] = '\n'; /* in place of the NUL */
            fwrite(text, 1, bytes + 1, m->to);
        }
        free(text);
    }
    fflush(m->to);
}
