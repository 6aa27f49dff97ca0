/* Which traces may be read, and those that are open. */
#include "host/base/path.h"
#include "host/tools/mcp/answer.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- places ---- */

static bool is_below(const char *path, const char *root)
{
    const size_t bytes = strlen(root);
    return bytes == 1 || (!strncmp(path, root, bytes) && path[bytes] == '/');
}

/* The real path: of the path itself, else of one from a root. NULL: there is no such file. */
static char *real_path(const struct mcp *m, const char *path)
{
    char *real = realpath(path, NULL);
    for (size_t i = 0; !real && *path != '/' && i < m->root_count; i++) {
        char *whole = NULL;
        if (asprintf(&whole, "%s/%s", m->roots[i], path) >= 0)
            real = realpath(whole, NULL);
        free(whole);
    }
    return real;
}

static bool is_in_roots(const struct mcp *m, const char *real)
{
    for (size_t i = 0; i < m->root_count; i++)
        if (is_below(real, m->roots[i]))
            return true;
    return false;
}

/* A folder of shards: nothing in it may be a link out of the roots. */
static bool may_open_all(const struct mcp *m, const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    bool may = entries != NULL;
    while (may && (entry = readdir(entries))) {
        char *path = NULL, *real = NULL;
        if (!strcmp(entry->d_name, "..")) /* it is not read */
            continue;
        if (asprintf(&path, "%s/%s", folder, entry->d_name) >= 0)
            real = realpath(path, NULL);
        may = real && is_in_roots(m, real);
        free(real);
        free(path);
    }
    if (entries)
        closedir(entries);
    return may;
}

/* The error is the same for a path that may not be read and for one where there is nothing. */
static bool may_open(const struct mcp *m, const char *real)
{
    struct stat st;
    return is_in_roots(m, real) && stat(real, &st) == 0 &&
           (S_ISREG(st.st_mode) || (S_ISDIR(st.st_mode) && may_open_all(m, real)));
}

int mcp_each_trace(const struct mcp *m, int (*visit)(void *self, const char *path), void *self)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < m->root_count; i++)
        rc = td_files_below(m->roots[i], ".tracy", visit, self);
    return rc;
}

/* ---- traces ---- */

static struct mcp_trace *find_trace(struct mcp *m, const char *name)
{
    for (size_t t = 0; t < m->trace_count; t++)
        if (!strcasecmp(m->traces[t].name, name))
            return &m->traces[t];
    return NULL;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Whether SQL takes it as a name without quotes. */
static bool is_name(const char *name)
{
    return *name && strchr(LETTERS, *name) && strlen(name) <= 40 &&
           !name[strspn(name, LETTERS "0123456789_")] && strcasecmp(name, "main") != 0 &&
           strcasecmp(name, "temp") != 0;
}

/* A name of SQL that no other trace has. */
static void make_name(struct mcp *m, const char *path, char name[64])
{
    const char *file = td_path_name(path);
    char begin[37];
    snprintf(begin, sizeof begin, "%.*s", (int)strcspn(file, "."), file);
    for (char *letter = begin; *letter; letter++)
        if (!strchr(LETTERS "0123456789", *letter))
            *letter = '_';
    const char *before = is_name(begin) ? "" : "t_";
    snprintf(name, 64, "%s%s", before, begin);
    for (int i = 2; find_trace(m, name); i++)
        snprintf(name, 64, "%s%s%d", before, begin, i);
}

struct mcp_trace *mcp_add_trace(struct mcp *m, const char *path, const char *name, bool is_given,
                                struct td_err *err)
{
    char *real = real_path(m, path);
    if (!is_given && (!real || !may_open(m, real))) {
        free(real);
        td_fail(err, TD_E_NOTFOUND, "there is no trace %.200s that may be opened", path);
        return NULL;
    }
    for (size_t t = 0; real && t < m->trace_count; t++)
        if (!strcmp(m->traces[t].path, real)) {
            free(real);
            return &m->traces[t];
        }
    if (!real)
        td_fail_errno(err, "cannot open %.200s", path);
    else if (m->trace_count == MCP_TRACES)
        td_fail(err, TD_E_LIMIT, "ten traces are open already");
    else if (name && (!is_name(name) || find_trace(m, name)))
        td_fail(err, TD_E_USAGE, "'%.60s' cannot be the name of a trace", name);
    else {
        struct mcp_trace *trace = &m->traces[m->trace_count];
        *trace = (struct mcp_trace){.path = real};
        if (name)
            snprintf(trace->name, sizeof trace->name, "%s", name);
        else
            make_name(m, real, trace->name);
        m->trace_count++;
        return trace;
    }
    free(real);
    return NULL;
}

int mcp_read_traces(struct mcp *m, struct td_err *err)
{
    for (; m->traces_read < m->trace_count; m->traces_read++) {
        struct mcp_trace *t = &m->traces[m->traces_read];
        struct td_file_read_options options = {.progress = mcp_progress(m)};
        int rc = t->trace ? 0 : td_load_with(t->path, &m->load, &options, &t->trace, err);
        if (rc == TD_E_STOPPED && td_job_cancelled(&m->job)) {
            *err = (struct td_err){0};
            return mcp_fail_stopped(m, rc, err);
        }
        rc = rc ? rc : td_sql_add(m->sql, t->name, t->trace, err);
        if (rc == 0)
            continue;
        if (rc == TD_E_NOMEM && t->trace) { /* SQLite may refer to it */
            m->traces_read++;
            return rc;
        }
        /* The others can still be asked. */
        td_trace_destroy(t->trace);
        free(t->path);
        m->trace_count--;
        memmove(t, t + 1, (m->trace_count - m->traces_read) * sizeof *t);
        return rc;
    }
    return 0;
}

const struct mcp_trace *mcp_trace_of(struct mcp *m, const cJSON *arguments, const char *argument,
                                     struct td_err *err)
{
    const char *name = mcp_text(arguments, argument);
    struct mcp_trace *trace = name ? find_trace(m, name) : m->trace_count ? &m->traces[0] : NULL;
    if (!trace && name)
        td_fail(err, TD_E_NOTFOUND, "no trace is open by the name \"%.60s\" (describe lists them)", name);
    else if (!trace)
        td_fail(err, TD_E_NOTFOUND, "no trace is open: call open_trace");
    return trace;
}

int mcp_init(struct mcp *m, FILE *to, uint64_t heap_bytes, struct td_err *err)
{
    m->to = to;
    m->sql = td_sql_open(heap_bytes, err);
    return m->sql ? 0 : err->code;
}

void mcp_free(struct mcp *m)
{
    for (size_t i = 0; i < MCP_KEPT; i++)
        mcp_answer_destroy(m->kept[i]);
    td_sql_close(m->sql);
    for (size_t t = 0; t < m->trace_count; t++) {
        td_trace_destroy(m->traces[t].trace);
        free(m->traces[t].path);
    }
    for (size_t i = 0; i < m->root_count; i++)
        free(m->roots[i]);
    td_source_rules_free(&m->sources);
    td_path_substitutions_free(&m->paths);
}
