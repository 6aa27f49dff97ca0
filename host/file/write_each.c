/* Visits values before they are written, as described in host/file/schema.h. */
#include "host/file/writer.h"

#define BLOCK_ROWS 128u

static void each_value(struct writer *w, const struct td_schema_list *list, const struct td_field *field,
                       void (*visit)(struct writer *w, const struct td_field *field, int64_t value))
{
    enum td_table table = (enum td_table)list->table;
    uint64_t lists = td_table_get_shape(table)->each ? td_trace_lists(w->trace, table) : 1;
    int64_t values[BLOCK_ROWS];
    for (uint64_t k = 0; k < lists; k++) {
        const struct td_series *series = td_trace_list(w->trace, table, k);
        uint64_t count = td_series_count(series);
        for (uint64_t first = 0; first < count; first += BLOCK_ROWS) {
            uint64_t n = count - first < BLOCK_ROWS ? count - first : BLOCK_ROWS;
            td_series_read(series, field->column, first, n, values);
            for (uint64_t i = 0; i < n; i++)
                visit(w, field, values[i]);
        }
    }
}

static void each_in_list(struct writer *w, const struct td_schema_list *list, uint64_t kinds,
                         void (*visit)(struct writer *w, const struct td_field *field, int64_t value))
{
    for (unsigned i = 0; i < list->field_count; i++) {
        const struct td_field *field = &list->fields[i];
        if (!td_field_is_in(field, w->version))
            continue;
        if (field->kind == TD_FIELD_LIST && field->list != list)
            each_in_list(w, field->list, kinds, visit);
        else if (field->has_column && list->table < TD_TABLE_COUNT && kinds >> field->kind & 1)
            each_value(w, list, field, visit);
    }
}

void td_writer_each_(struct writer *w, const struct td_section *section, uint64_t kinds,
                     void (*visit)(struct writer *w, const struct td_field *field, int64_t value))
{
    if (w->version >= section->since && !(w->strip & section->strip))
        each_in_list(w, &section->body, kinds, visit);
}
