/* tendril mcp: an assistant asks about traces. */
#include "host/tools/mcp/mcp.h"
#include "host/base/memory.h"
#include "host/base/options.h"
#include "host/tools/commands.h"
#include "host/tools/mcp/inbox.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS    100
#define BYTES   32768
#define SECONDS 60

struct mcp_command {
    struct td_words roots, sources, path_rules;
    const char *bytes, *heap;
    long rows;
    double seconds;
    struct mcp server;
};

/* NAME=FILE, unless there is a file of that name. */
static int add_operand(struct mcp *m, const char *operand, struct td_err *err)
{
    const char *equals = strchr(operand, '=');
    char name[64];
    if (!equals || memchr(operand, '/', (size_t)(equals - operand)) || access(operand, F_OK) == 0)
        return mcp_add_trace(m, operand, NULL, true, err) ? 0 : err->code;
    snprintf(name, sizeof name, "%.*s", (int)(equals - operand), operand);
    return mcp_add_trace(m, equals + 1, name, true, err) ? 0 : err->code;
}

static int read_options(struct mcp_command *c, struct td_err *err)
{
    struct mcp *m = &c->server;
    int rc = c->bytes ? td_memory_size(c->bytes, "--bytes", &m->most.bytes, err) : 0;
    for (size_t i = 0; rc == 0 && i < c->roots.count; i++) {
        char *real = realpath(c->roots.words[i], NULL);
        struct stat st;
        if (real)
            m->roots[m->root_count++] = real;
        if (!real || stat(real, &st) != 0)
            rc = td_fail_errno(err, "--root %.200s", c->roots.words[i]);
        else if (!S_ISDIR(st.st_mode))
            rc = td_fail(err, TD_E_USAGE, "--root %.200s: not a folder", c->roots.words[i]);
    }
    rc = rc ? rc : td_path_substitutions_init(&m->paths, &c->path_rules, err);
    rc = rc ? rc : td_source_rules_init(&m->sources, &c->sources, err);
    m->sources.none_else = true;
    return rc;
}

static int serve(struct mcp *m, struct td_err *err)
{
    struct mcp_inbox *inbox = mcp_inbox_open(m, STDIN_FILENO, err);
    cJSON *message = NULL;
    enum mcp_problem problem;
    if (!inbox)
        return err->code;
    while (!ferror(m->to) && mcp_inbox_take(inbox, &message, &problem)) {
        mcp_answer_message(m, message, problem);
        mcp_inbox_forget(inbox);
        cJSON_Delete(message);
    }
    mcp_inbox_close(inbox);
    return 0;
}

/* Only messages of the protocol go to standard output, whatever else in the program prints. */
static FILE *take_output(struct td_err *err)
{
    const int own = dup(STDOUT_FILENO);
    FILE *to = own >= 0 ? fdopen(own, "w") : NULL;
    if (!to || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
        td_fail_errno(err, "cannot write to standard output");
        if (to)
            fclose(to);
        else if (own >= 0)
            close(own);
        return NULL;
    }
    return to;
}

static int run_server(struct mcp_command *c, char **traces, size_t count, struct td_err *err)
{
    struct mcp *m = &c->server;
    uint64_t heap = 0;
    FILE *to = NULL;
    int rc = read_options(c, err);
    rc = rc || !c->heap ? rc : td_memory_size(c->heap, "--heap", &heap, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = add_operand(m, traces[i], err);
    if (rc == 0 && !(to = take_output(err)))
        rc = err->code;
    rc = rc ? rc : mcp_init(m, to, heap, err);
    rc = rc ? rc : serve(m, err);
    if (to)
        fclose(to);
    mcp_free(m);
    return rc;
}

static const char details[] = "An assistant starts this command and asks it, in JSON-RPC on standard input "
                              "and output. docs/commands/mcp.md says how "
                              "assistants are told of it.\n"
                              "\n"
                              "Only the named traces, and with --root traces in these folders, can be read. "
                              "Names are those of files, or NAME=FILE.\n"
                              "\n"
                              "  tendril mcp trace.tracy\n"
                              "  tendril mcp before=old.tracy now=new.tracy\n"
                              "  tendril mcp --root ~/traces --sources ~/src";

const char td_summary_mcp[] = "Answers an assistant's questions about traces (Model Context Protocol).";

int td_cmd_mcp(int argc, char **argv, struct td_err *err)
{
    struct mcp_command c = {.rows = ROWS, .seconds = SECONDS, .server = {.most = {.bytes = BYTES}}};
    const struct td_option options[] = {
        {'r', "root", TD_OPT_WORDS, &c.roots, "DIR", "traces in this folder may be opened; may be repeated",
         NULL, 0, 0},
        {0, "sources", TD_OPT_WORDS, &c.sources, "DIR",
         "source files in this folder may be read, where a trace has no text of them; may be repeated", NULL,
         0, 0},
        {'p', "path", TD_OPT_WORDS, &c.path_rules, "REGEX;REPLACEMENT",
         "where source files are on this machine; may be repeated", NULL, 0, 0},
        {0, "rows", TD_OPT_INT, &c.rows, "N", "rows of a page (default 100)", NULL, 1, 100000},
        {0, "bytes", TD_OPT_STRING, &c.bytes, "SIZE", "about how long a page may be (default 32K)", NULL, 0,
         0},
        {0, "timeout", TD_OPT_DOUBLE, &c.seconds, "SECONDS", "end a request that takes longer (default 60)",
         NULL, 0, 0},
        {0, "heap", TD_OPT_STRING, &c.heap, "SIZE", "memory to sort and to group (default 1G)", NULL, 0, 0},
        TD_LOAD_OPTIONS(&c.server.load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril mcp",
        .usage = "[options] [[NAME=]TRACE...]",
        .summary = td_summary_mcp,
        .options = options,
        .max_args = MCP_TRACES,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (!args.count && !c.roots.count)
        return td_fail(err, TD_E_USAGE, "give a trace, or with --root a folder of traces");
    if (!(c.seconds > 0))
        return td_fail(err, TD_E_USAGE, "--timeout takes more than 0");
    c.server.most.rows = (uint64_t)c.rows;
    c.server.most.seconds = c.seconds;
    return run_server(&c, argv + 1, (size_t)args.count, err);
}
