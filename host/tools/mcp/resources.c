/* Resources: the tables for query, and the pages of documentation that are installed. */
#include "host/base/path.h"
#include "host/base/process.h"
#include "host/base/stream.h"
#include "host/tools/mcp/mcp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA     "tendril://schema"
#define DOCS       "tendril://docs/"
#define PAGE_BYTES (4 << 20)

/* ---- the tables ---- */

void mcp_put_schema(const struct mcp *m, struct td_json *j, const char *only, size_t *found)
{
    td_json_array(j, "tables");
    for (size_t i = 0; i < td_sql_tables(m->sql); i++) {
        const struct td_sql_column *column;
        const struct td_query_table *table;
        size_t columns;
        const char *name = td_sql_table(m->sql, i, &column, &columns, &table);
        if (only ? strcasecmp(name, only) != 0 : !strncmp(name, "model_", 6))
            continue;
        ++*found;
        td_json_object(j, NULL);
        td_json_string(j, "table", name);
        td_json_string(j, "row", table->about);
        if (table->rises)
            td_json_string(j, "sorted_by", table->rises);
        td_json_array(j, "columns");
        for (size_t c = 0; c < columns; c++) {
            td_json_object(j, NULL);
            td_json_string(j, "name", column[c].name);
            td_json_string(j, "type", column[c].type);
            td_json_string(j, "title", column[c].column->title);
            td_json_end_object(j);
        }
        td_json_end_array(j);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

static int put_schema_text(const struct mcp *m, struct td_json *j, struct td_err *err)
{
    char *text = NULL;
    size_t bytes = 0, found = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return td_fail_no_memory(err, NULL);
    struct td_json schema = {.to = to, .one_line = 1};
    td_json_object(&schema, NULL);
    mcp_put_schema(m, &schema, NULL, &found);
    td_json_end_object(&schema);
    const bool is_whole = td_text_close(to, &text);
    if (is_whole)
        td_json_text(j, "text", text, bytes);
    free(text);
    return is_whole ? 0 : td_fail_no_memory(err, NULL);
}

/* ---- pages ---- */

/* The folder of pages of an installation, or of a build. */
static bool find_pages(char path[PATH_MAX])
{
    return td_process_find("../share/doc/tendril/docs", R_OK | X_OK, path, PATH_MAX);
}

struct page_list {
    struct td_json *j;
    const char *folder, *wanted; /* NULL: all are listed */
    char *found;
};

static void put_resource(struct td_json *j, const char *uri, const char *name, const char *type)
{
    td_json_object(j, NULL);
    td_json_string(j, "uri", uri);
    td_json_string(j, "name", name);
    td_json_string(j, "mimeType", type);
    td_json_end_object(j);
}

static int visit_page(void *self, const char *path)
{
    struct page_list *list = self;
    const char *name = path + strlen(list->folder) + 1;
    char uri[PATH_MAX + sizeof DOCS];
    snprintf(uri, sizeof uri, DOCS "%s", name);
    if (list->wanted && !list->found && !strcmp(uri, list->wanted))
        return (list->found = strdup(path)) ? 0 : TD_E_NOMEM;
    if (!list->wanted)
        put_resource(list->j, uri, name, "text/markdown");
    return 0;
}

void mcp_list_resources(struct td_json *j)
{
    char folder[PATH_MAX];
    struct page_list list = {.j = j, .folder = folder};
    td_json_array(j, "resources");
    put_resource(j, SCHEMA, "tables and columns for query", "application/json");
    if (find_pages(folder))
        td_files_below(folder, ".md", visit_page, &list);
    td_json_end_array(j);
}

static int put_page(struct td_json *j, const char *path, struct td_err *err)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(PAGE_BYTES) : NULL;
    const size_t bytes = text ? fread(text, 1, PAGE_BYTES, file) : 0;
    const bool failed = !file || ferror(file);
    if (file)
        fclose(file);
    if (text && !failed)
        td_json_text(j, "text", text, bytes);
    free(text);
    return failed ? td_fail_errno(err, "cannot read %.200s", path) : text ? 0 : td_fail_no_memory(err, NULL);
}

int mcp_read_resource(const struct mcp *m, const char *uri, struct td_json *j, struct td_err *err)
{
    const bool is_schema = !strcmp(uri, SCHEMA);
    char folder[PATH_MAX];
    struct page_list list = {.folder = folder, .wanted = uri};
    int rc = !is_schema && find_pages(folder) ? td_files_below(folder, ".md", visit_page, &list) : 0;
    if (rc == 0 && !is_schema && !list.found)
        rc = td_fail(err, TD_E_NOTFOUND, "there is no resource %.200s", uri);
    td_json_array(j, "contents");
    td_json_object(j, NULL);
    td_json_string(j, "uri", uri);
    td_json_string(j, "mimeType", is_schema ? "application/json" : "text/markdown");
    if (rc == 0)
        rc = is_schema ? put_schema_text(m, j, err) : put_page(j, list.found, err);
    td_json_end_object(j);
    td_json_end_array(j);
    free(list.found);
    return rc;
}
