#include "host/query/code/source_text.h"
#include "host/trace/tables.h"

#include <stdlib.h>
#include <string.h>

static bool find_in_trace(struct td_source_text *source, const struct td_trace *trace, uint32_t file)
{
    const struct td_series *sources = td_trace_table(trace, TD_TABLE_SOURCE);
    for (uint64_t i = 0; i < td_series_count(sources); i++) {
        if ((uint32_t)td_series_get(sources, i, TD_SOURCE_NAME) != file)
            continue;
        const int64_t blob = td_series_get(sources, i, TD_SOURCE_TEXT);
        source->bytes = blob ? (size_t)td_series_get(sources, i, TD_SOURCE_BYTES) : 0;
        source->text = blob ? td_trace_blob(blob) : "";
        source->origin = TD_SOURCE_IN_TRACE;
        return true;
    }
    return false;
}

static int find_on_disk(struct td_source_text *source, const struct td_trace *trace, uint32_t file,
                        const struct td_path_substitutions *paths, const struct td_source_rules *rules,
                        struct td_err *err)
{
    static const struct td_source_rules any = {0};
    rules = rules ? rules : &any;
    const struct td_trace_info *info = td_trace_get_info(trace);
    const char *name = td_dict_text(td_trace_dict(trace), file);
    const uint64_t program_s = info->executable_time_s ? info->executable_time_s : info->capture_time_s;
    char *path = NULL;
    int rc = paths ? td_path_substitute(paths, name, &path, err) : 0;
    if (rc < 0)
        return rc;
    if (!path && !(path = strdup(name)))
        return td_fail_no_memory(err, "for a path");
    source->origin = TD_SOURCE_ON_DISK;
    source->owned =
        program_s ? td_source_file_read(rules, path, strlen(path), program_s + 1, &source->bytes) : NULL;
    if (!source->owned) {
        source->origin = program_s ? TD_SOURCE_NEWER : TD_SOURCE_ON_DISK;
        source->owned = td_source_file_read(rules, path, strlen(path), UINT64_MAX, &source->bytes);
    }
    if (!source->owned) {
        source->origin = TD_SOURCE_NONE;
        free(path);
        return 0;
    }
    source->text = source->owned;
    source->path = path;
    return 0;
}

static int find_lines(struct td_source_text *source, struct td_err *err)
{
    size_t lines = 0;
    for (size_t i = 0; i < source->bytes; i++)
        lines += source->text[i] == '\n';
    lines += source->bytes && source->text[source->bytes - 1] != '\n';
    if (lines >= UINT32_MAX)
        return td_fail(err, TD_E_LIMIT, "a source file has more than 4 G lines");
    source->lines = malloc((lines + 1) * sizeof *source->lines);
    if (!source->lines)
        return td_fail_no_memory(err, "for a source file");
    size_t at = 0;
    for (size_t i = 0; i < lines; i++) {
        source->lines[i] = at;
        const char *end = memchr(source->text + at, '\n', source->bytes - at);
        at = end ? (size_t)(end - source->text) + 1 : source->bytes;
    }
    source->lines[lines] = source->bytes;
    source->line_count = (uint32_t)lines;
    return 0;
}

int td_source_text_open(struct td_source_text *source, const struct td_trace *trace, uint32_t file,
                        const struct td_path_substitutions *paths, const struct td_source_rules *rules,
                        struct td_err *err)
{
    *source = (struct td_source_text){0};
    if (!file)
        return 0;
    int rc = find_in_trace(source, trace, file) ? 0 : find_on_disk(source, trace, file, paths, rules, err);
    if (rc == 0 && source->origin != TD_SOURCE_NONE)
        rc = find_lines(source, err);
    return rc;
}

void td_source_text_free(struct td_source_text *source)
{
    free(source->path);
    free(source->owned);
    free(source->lines);
    *source = (struct td_source_text){0};
}

const char *td_source_text_line(const struct td_source_text *source, uint32_t line, size_t *bytes)
{
    if (!line || line > source->line_count)
        return NULL;
    const size_t begin = source->lines[line - 1];
    size_t end = source->lines[line];
    while (end > begin && (source->text[end - 1] == '\n' || source->text[end - 1] == '\r'))
        end--;
    *bytes = end - begin;
    return source->text + begin;
}

const char *td_source_origin_name(enum td_source_origin origin)
{
    static const char *const names[] = {"none", "trace", "disk", "newer"};
    return names[origin];
}
