/* A server of the Model Context Protocol: an assistant asks about traces. Messages are JSON-RPC, one a line. It reads the
 * traces that it is given, and those in the folders that it is given; no other file.
 *
 *   inbox.h     takes messages from standard input in a thread, so that a client can cancel what runs
 *   request.c   the request that runs: how it is stopped, and its progress
 *   session.c   answers a message: the methods of the protocol
 *   tools.c     the list of tools, their schemas, and the check of arguments
 *   answer.c    what a tool answers: an object, and rows that are sent in pages
 *   traces.c    which files may be read; traces that are open
 *   trace_tools.c, sql_tools.c, table_tools.c, code_tools.c, picture_tool.c   the tools
 *   resources.c the tables of SQL, and the pages of documentation */
#pragma once
#include "host/base/json.h"
#include "host/base/path_substitutions.h"
#include "host/base/source_file.h"
#include "host/file/load.h"
#include "host/query/sql/sql.h"

#include <cjson/cJSON.h>

#define MCP_MESSAGE_BYTES (1 << 20) /* longest line */
#define MCP_DEPTH         64        /* of brackets in a message */
#define MCP_TRACES        10
#define MCP_KEPT          4          /* answers with more pages */
#define MCP_KEPT_ROWS     100000     /* of an answer */
#define MCP_ANSWER_BYTES  (16 << 20) /* of its rows */
#define MCP_OBJECT_BYTES  (1 << 20)  /* of the rest of it */
#define MCP_TEXT_BYTES    16384      /* of a text in a row; the rest is left out */

struct mcp_answer;

struct mcp_trace {
    char name[64];          /* in SQL */
    char *path;             /* a real path */
    struct td_trace *trace; /* NULL: not read yet */
};

struct mcp {
    FILE *to;
    struct {
        uint64_t rows, bytes; /* of a page */
        double seconds;       /* of a request */
    } most;
    struct td_load_options load;
    char *roots[TD_WORDS_MAX]; /* real paths of folders whose traces may be opened */
    size_t root_count;
    struct td_source_rules sources;     /* source files that may be read where a trace has none */
    struct td_path_substitutions paths; /* where they are */
    struct mcp_trace traces[MCP_TRACES];
    size_t trace_count, traces_read;
    struct td_sql *sql;
    size_t revision; /* of the protocol (session.c) */
    struct mcp_answer *kept[MCP_KEPT];
    uint64_t serial; /* of the last answer that is kept */
    /* Of the request that runs. */
    struct td_job job;     /* its time is over, or the client has cancelled it */
    int is_late;           /* atomic */
    const cJSON *progress; /* the client's token; NULL: it wants no reports */
    int64_t reported_ns;
    uint64_t reported;
};

/* 0 or a negative enum td_e. mcp_free() in any case. `heap_bytes` as for td_sql_open(). */
int mcp_init(struct mcp *m, FILE *to, uint64_t heap_bytes, struct td_err *err);
void mcp_free(struct mcp *m);

/* ---- messages (session.c) ---- */

enum mcp_problem { MCP_FINE, MCP_NO_JSON, MCP_TOO_LONG, MCP_TOO_DEEP, MCP_NO_MEMORY };
/* NULL: *problem. Untrusted bytes. Thread-safe. */
cJSON *mcp_parse(const char *line, size_t bytes, enum mcp_problem *problem);
/* Writes the answer to a message, if it gets one, as a line. */
void mcp_answer_message(struct mcp *m, const cJSON *message, enum mcp_problem problem);
/* The request of which `message` is the cancellation; NULL: it is something else. */
const cJSON *mcp_cancelled(const cJSON *message);

/* ---- the request that runs (request.c) ---- */

/* Ends the request that runs. From any thread. */
void mcp_stop(struct mcp *m, bool is_late);
/* For long work of a request: ends it when the request is stopped, and reports to the client. */
struct td_progress mcp_progress(struct mcp *m);
/* What the error of a request is that was stopped. */
int mcp_fail_stopped(const struct mcp *m, int rc, struct td_err *err);

/* ---- tools (tools.c) ---- */

struct mcp_argument {
    const char *name;
    enum { MCP_TEXT = 1, MCP_WHOLE, MCP_FLAG, MCP_OBJECT } kind; /* whole numbers are not negative */
    const char *about;
    bool is_required;
    const char *choices; /* of a text, "zone|op"; NULL: any */
};
#define MCP_ARGUMENTS 10
struct mcp_tool {
    const char *name, *title, *about;
    struct mcp_argument arguments[MCP_ARGUMENTS];
    bool has_rows, has_picture;
    /* Arguments are checked. 0 or a negative enum td_e with a text for the assistant. */
    int (*run)(struct mcp *m, const cJSON *arguments, struct mcp_answer *answer, struct td_err *err);
};
extern const struct mcp_tool mcp_tool_open_trace, mcp_tool_describe, mcp_tool_query, mcp_tool_zone_statistics,
    mcp_tool_slowest, mcp_tool_waits, mcp_tool_operation, mcp_tool_source, mcp_tool_disassembly,
    mcp_tool_compare, mcp_tool_screenshot;

void mcp_list_tools(struct td_json *j, bool has_schemas);
const struct mcp_tool *mcp_find_tool(const char *name); /* NULL: there is none */
int mcp_check_arguments(const struct mcp_tool *tool, const cJSON *arguments, struct td_err *err);
/* Of checked arguments (arguments.c). */
const cJSON *mcp_given(const cJSON *arguments, const char *name); /* NULL: it is not given, or null */
const char *mcp_text(const cJSON *arguments, const char *name);   /* NULL: it is not given */
uint64_t mcp_whole(const cJSON *arguments, const char *name, uint64_t otherwise);
bool mcp_flag(const cJSON *arguments, const char *name);
/* The argument "range", as in 1.2ms..1.5ms; all times if it is not given. */
int mcp_range(const cJSON *arguments, int64_t *from_ns, int64_t *to_ns, struct td_err *err);

/* ---- traces (traces.c) ---- */

/* `path` may be one of the traces that the command line names, or is in one of the roots. Opens nothing yet. NULL: err.
 * `name`: NULL: one is made from the path. */
struct mcp_trace *mcp_add_trace(struct mcp *m, const char *path, const char *name, bool is_given,
                                struct td_err *err);
/* Reads the traces that were not read yet. */
int mcp_read_traces(struct mcp *m, struct td_err *err);
/* The trace of the argument, else the first one. NULL: err. */
const struct mcp_trace *mcp_trace_of(struct mcp *m, const cJSON *arguments, const char *argument,
                                     struct td_err *err);
/* Calls `visit` with each trace in the roots. */
int mcp_each_trace(const struct mcp *m, int (*visit)(void *self, const char *path), void *self);

/* ---- resources (resources.c) ---- */

void mcp_list_resources(struct td_json *j);
/* 0, TD_E_NOTFOUND or another negative enum td_e. */
int mcp_read_resource(const struct mcp *m, const char *uri, struct td_json *j, struct td_err *err);
void mcp_put_schema(const struct mcp *m, struct td_json *j, const char *only, size_t *found);
