#include "host/tools/files/source_files.h"
#include "host/trace/tables.h"

#include <stdlib.h>

struct adder {
    struct td_trace *trace;
    const struct td_dict *dict;
    struct td_series *table;
    uint8_t *seen;       /* by string */
    uint64_t older_than; /* Unix seconds */
    const struct td_source_rules *rules;
};

static int add_file(struct adder *a, uint32_t name)
{
    if (name >= td_dict_string_count(a->dict) || a->seen[name])
        return 0;
    a->seen[name] = 1;
    size_t bytes;
    void *text = td_source_file_read(a->rules, td_dict_text(a->dict, name), td_dict_text_bytes(a->dict, name),
                                     a->older_than, &bytes);
    if (!text)
        return 0;
    int64_t row[] = {name, td_trace_fill_blob(a->trace, text, bytes), (int64_t)bytes};
    free(text);
    return row[1] ? td_series_append(a->table, row) : TD_E_NOMEM;
}

static int add_files(struct adder *a)
{
    const struct td_series *symbols = td_trace_table(a->trace, TD_TABLE_SYMBOL);
    for (uint64_t i = 0; i < td_series_count(a->table); i++)
        a->seen[td_series_get(a->table, i, TD_SOURCE_NAME)] = 1;
    for (uint32_t s = 1; s < td_dict_srcloc_count(a->dict); s++)
        if (add_file(a, td_dict_get_srcloc(a->dict, s)->file) < 0)
            return TD_E_NOMEM;
    for (uint64_t i = 0; i < td_series_count(symbols); i++)
        if (add_file(a, (uint32_t)td_series_get(symbols, i, TD_SYMBOL_FILE)) < 0)
            return TD_E_NOMEM;
    return 0;
}

int source_files_check(const struct td_words *folders, int none, struct td_err *err)
{
    return none && folders->count ? td_fail(err, TD_E_USAGE, "--sources and --no-sources exclude each other")
                                  : 0;
}

int td_source_files(struct td_trace *trace, const struct td_source_rules *rules, struct td_err *err)
{
    const struct td_trace_info *info = td_trace_get_info(trace);
    struct adder a = {.trace = trace,
                      .dict = td_trace_dict(trace),
                      .table = td_trace_fill_table(trace, TD_TABLE_SOURCE),
                      .older_than = info->executable_time_s ? info->executable_time_s : info->capture_time_s,
                      .rules = rules};
    a.seen = calloc(td_dict_string_count(a.dict) + 1, 1);
    int rc = TD_E_NOMEM;
    if (a.seen && a.table) {
        td_series_reopen(a.table);
        rc = add_files(&a);
    }
    free(a.seen);
    return rc < 0 ? td_fail_no_memory(err, "for source files") : 0;
}
