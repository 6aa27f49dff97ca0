/* The list of tools, and the check of their arguments. */
#include "host/base/nearest.h"
#include "host/tools/mcp/mcp.h"

#include <math.h>
#include <string.h>

static const struct mcp_tool *const tools[] = {
    &mcp_tool_describe,   &mcp_tool_query,      &mcp_tool_zone_statistics, &mcp_tool_slowest,
    &mcp_tool_waits,      &mcp_tool_operation,  &mcp_tool_source,          &mcp_tool_disassembly,
    &mcp_tool_compare,    &mcp_tool_open_trace,
#ifdef TD_HAVE_VIEWER
    &mcp_tool_screenshot,
#endif
};
#define TOOLS (sizeof tools / sizeof *tools)

/* Those of each tool with rows. */
static const struct mcp_argument paging[] = {
    {"rows", MCP_WHOLE, "rows of a page", false, NULL},
    {"cursor", MCP_TEXT, "next_cursor of the answer before: its next page; other arguments are not used",
     false, NULL}};
#define PAGING (sizeof paging / sizeof *paging)

const struct mcp_tool *mcp_find_tool(const char *name)
{
    for (size_t i = 0; i < TOOLS; i++)
        if (!strcmp(tools[i]->name, name))
            return tools[i];
    return NULL;
}

/* The arguments of a tool, one after the other; NULL: the end. */
static const struct mcp_argument *argument_at(const struct mcp_tool *tool, size_t i)
{
    size_t own = 0;
    while (own < MCP_ARGUMENTS && tool->arguments[own].name)
        own++;
    if (i < own)
        return &tool->arguments[i];
    return tool->has_rows && i - own < PAGING ? &paging[i - own] : NULL;
}

/* ---- schemas ---- */

static void put_choices(struct td_json *j, const char *choices)
{
    td_json_array(j, "enum");
    while (*choices) {
        const size_t bytes = strcspn(choices, "|");
        td_json_text(j, NULL, choices, bytes);
        choices += bytes + (choices[bytes] == '|');
    }
    td_json_end_array(j);
}

static void put_property(struct td_json *j, const char *name, const char *type, const char *about)
{
    td_json_object(j, name);
    td_json_string(j, "type", type);
    if (about)
        td_json_string(j, "description", about);
}

static void put_input(struct td_json *j, const struct mcp_tool *tool)
{
    static const char *const types[] = {
        [MCP_TEXT] = "string", [MCP_WHOLE] = "integer", [MCP_FLAG] = "boolean", [MCP_OBJECT] = "object"};
    const struct mcp_argument *argument;
    td_json_object(j, "inputSchema");
    td_json_string(j, "type", "object");
    td_json_object(j, "properties");
    for (size_t i = 0; (argument = argument_at(tool, i)); i++) {
        put_property(j, argument->name, types[argument->kind], argument->about);
        if (argument->choices)
            put_choices(j, argument->choices);
        if (argument->kind == MCP_WHOLE)
            td_json_uint(j, "minimum", 0);
        td_json_end_object(j);
    }
    td_json_end_object(j);
    if (!tool->has_rows) { /* else a cursor is enough */
        td_json_array(j, "required");
        for (size_t i = 0; (argument = argument_at(tool, i)); i++)
            if (argument->is_required)
                td_json_string(j, NULL, argument->name);
        td_json_end_array(j);
    }
    td_json_bool(j, "additionalProperties", 0);
    td_json_end_object(j);
}

static void put_items(struct td_json *j, const char *name, const char *type)
{
    put_property(j, name, "array", NULL);
    put_property(j, "items", type, NULL);
    td_json_end_object(j);
    td_json_end_object(j);
}

static void put_output(struct td_json *j, const struct mcp_tool *tool)
{
    static const char *const always[] = {"columns", "rows", "row_count", "more"};
    td_json_object(j, "outputSchema");
    td_json_string(j, "type", "object");
    if (tool->has_rows) {
        td_json_object(j, "properties");
        put_items(j, "columns", "string");
        put_items(j, "rows", "array");
        put_property(j, "row_count", "integer", "rows of all pages");
        td_json_end_object(j);
        put_property(j, "more", "boolean", "there are more rows than are kept: ask for less");
        td_json_end_object(j);
        put_property(j, "next_cursor", "string", "of the next page; not there: this is the last one");
        td_json_end_object(j);
        td_json_end_object(j);
        td_json_array(j, "required");
        for (size_t i = 0; i < sizeof always / sizeof *always; i++)
            td_json_string(j, NULL, always[i]);
        td_json_end_array(j);
    }
    td_json_end_object(j);
}

void mcp_list_tools(struct td_json *j, bool has_schemas)
{
    td_json_array(j, "tools");
    for (size_t i = 0; i < TOOLS; i++) {
        const struct mcp_tool *tool = tools[i];
        td_json_object(j, NULL);
        td_json_string(j, "name", tool->name);
        if (has_schemas)
            td_json_string(j, "title", tool->title);
        td_json_string(j, "description", tool->about);
        put_input(j, tool);
        if (has_schemas && !tool->has_picture)
            put_output(j, tool);
        td_json_object(j, "annotations");
        td_json_bool(j, "readOnlyHint", 1);
        td_json_bool(j, "openWorldHint", 0);
        td_json_end_object(j);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

/* ---- arguments ---- */

static bool has_kind(const struct mcp_argument *argument, const cJSON *value)
{
    switch (argument->kind) {
    case MCP_TEXT:
        return cJSON_IsString(value);
    case MCP_WHOLE:
        return cJSON_IsNumber(value) && value->valuedouble >= 0 && value->valuedouble <= 9007199254740992.0 &&
               floor(value->valuedouble) == value->valuedouble;
    case MCP_FLAG:
        return cJSON_IsBool(value);
    default:
        return cJSON_IsObject(value);
    }
}

static int check_argument(const struct mcp_argument *argument, const cJSON *value, struct td_err *err)
{
    static const char *const kinds[] = {[MCP_TEXT] = "text",
                                        [MCP_WHOLE] = "whole number",
                                        [MCP_FLAG] = "true or false",
                                        [MCP_OBJECT] = "object"};
    if (!has_kind(argument, value))
        return td_fail(err, TD_E_USAGE, "\"%s\" must be a %s", argument->name, kinds[argument->kind]);
    if (argument->choices && td_option_choice(argument->choices, value->valuestring) < 0)
        return td_fail(err, TD_E_USAGE, "\"%s\" must be one of %s", argument->name, argument->choices);
    return 0;
}

/* Each that is given is known, and has its type. */
static int check_given(const struct mcp_tool *tool, const cJSON *arguments, struct td_err *err)
{
    const struct mcp_argument *argument = NULL;
    for (const cJSON *value = arguments ? arguments->child : NULL; value; value = value->next) {
        struct td_nearest nearest = {.word = value->string};
        for (size_t i = 0; (argument = argument_at(tool, i)) && strcmp(argument->name, value->string) != 0;
             i++)
            td_nearest_offer(&nearest, argument->name);
        if (!argument && nearest.name)
            return td_fail(err, TD_E_USAGE, "%s has no argument \"%.60s\": did you mean \"%s\"?", tool->name,
                           value->string, nearest.name);
        if (!argument)
            return td_fail(err, TD_E_USAGE, "%s has no argument \"%.60s\"", tool->name, value->string);
        if (!cJSON_IsNull(value) && check_argument(argument, value, err) < 0)
            return TD_E_USAGE;
    }
    return 0;
}

int mcp_check_arguments(const struct mcp_tool *tool, const cJSON *arguments, struct td_err *err)
{
    const struct mcp_argument *argument;
    if (arguments && !cJSON_IsObject(arguments))
        return td_fail(err, TD_E_USAGE, "\"arguments\" must be an object");
    if (check_given(tool, arguments, err) < 0)
        return TD_E_USAGE;
    if (tool->has_rows && mcp_given(arguments, "cursor"))
        return 0;
    for (size_t i = 0; (argument = argument_at(tool, i)); i++)
        if (argument->is_required && !mcp_given(arguments, argument->name))
            return td_fail(err, TD_E_USAGE, "%s needs \"%s\": %s", tool->name, argument->name,
                           argument->about);
    return 0;
}
