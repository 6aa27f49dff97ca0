/* Texts of the source files that kernels' markers and sampled functions are in. Those of the program come
 * with its own events. */
#include "host/agent/recorder_internal.h"
#include "host/trace/tables.h"
#include "proto/kernel_image.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Marks the strings that are names of files that the trace has, by number. NULL: no memory. */
static uint8_t *find_present(const struct recorder *r)
{
    const struct td_dict *dict = td_trace_dict(r->collection.trace);
    const struct td_series *list = td_trace_list(r->collection.trace, TD_TABLE_SOURCE, 0);
    uint8_t *present = calloc((size_t)td_dict_string_count(dict) + 1, 1);
    for (uint64_t row = 0; present && row < td_series_count(list); row++)
        present[td_series_get(list, row, TD_SOURCE_NAME)] = 1;
    return present;
}

/* A row of the trace, and records of the journal. */
static int add_source(struct recorder *r, uint32_t file, const void *text, size_t bytes, struct td_err *err)
{
    static const uint8_t found = 1;
    const struct td_dict *dict = td_trace_dict(r->collection.trace);
    struct td_journal *journal = r->collection.options.journal;
    const int64_t row[] = {file, (int64_t)(uintptr_t)text, (int64_t)bytes};
    if (journal && td_dict_text_bytes(dict, file) < TD_JOURNAL_RECORD_MAX) {
        td_journal_put(journal, TD_JOURNAL_FILE, 0, &found, 1, td_dict_text(dict, file),
                       td_dict_text_bytes(dict, file));
        td_journal_put_bytes(journal, TD_JOURNAL_FILE_TEXT, 0, text, bytes);
    }
    return td_hub_row(r->collection.hub, TD_TABLE_SOURCE, 0, row, err) < 0 ? TD_E_NOMEM : 0;
}

/* Adds the text of a file, unless the trace has it. */
static int want_source(struct recorder *r, uint8_t *present, uint32_t file, struct td_err *err)
{
    static const struct td_source_rules any = {0};
    const struct td_dict *dict = td_trace_dict(r->collection.trace);
    size_t bytes;
    if (present[file])
        return 0;
    present[file] = 1;
    void *text = td_source_file_read(r->options->source_rules ? r->options->source_rules : &any,
                                     td_dict_text(dict, file), td_dict_text_bytes(dict, file),
                                     (uint64_t)time(NULL), &bytes);
    const int rc = text ? add_source(r, file, text, bytes, err) : 0;
    free(text);
    return rc;
}

/* Files of functions in which samples of cores are. */
static int want_sampled(struct recorder *r, uint8_t *present, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(r->collection.trace);
    const struct td_series *symbols = td_trace_table(r->collection.trace, TD_TABLE_SYMBOL);
    int rc = 0;
    for (uint64_t row = 0; rc >= 0 && row < td_series_count(symbols); row++) {
        const uint32_t image = (uint32_t)td_series_get(symbols, row, TD_SYMBOL_IMAGE);
        if (strncmp(td_dict_text(dict, image), TD_KERNEL_IMAGE, strlen(TD_KERNEL_IMAGE)) != 0)
            continue;
        rc = want_source(r, present, (uint32_t)td_series_get(symbols, row, TD_SYMBOL_FILE), err);
        if (rc >= 0)
            rc = want_source(r, present, (uint32_t)td_series_get(symbols, row, TD_SYMBOL_CALL_FILE), err);
    }
    return rc;
}

int td_recorder_add_sources(struct recorder *r, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(r->collection.trace);
    int rc = 0;
    /* In virtual time, the trace has nothing that may differ from run to run. */
    if (r->virtual_clock || r->options->no_sources)
        return 0;
    uint8_t *present = find_present(r);
    if (!present)
        return td_fail_no_memory(err, "for source files");
    for (uint32_t i = 0; rc >= 0 && i < td_dict_srcloc_count(dict); i++)
        rc = want_source(r, present, td_dict_get_srcloc(dict, i)->file, err);
    if (rc >= 0)
        rc = want_sampled(r, present, err);
    free(present);
    return rc < 0 ? td_fail_no_memory(err, "for source files") : 0;
}
