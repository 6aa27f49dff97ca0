/* Writes sections from the model's tables, as described in host/file/schema.h. */
#include "host/file/convention.h"
#include "host/file/writer.h"
#include "host/trace/work.h"

#define BLOCK_ROWS 128u

struct write_item {
    int64_t row[TD_SERIES_COLUMNS];
    uint64_t index;                /* of the row or item: parent of the lists in it */
    int64_t origin_ns;             /* reference for the first time of lists in it */
    const struct row_range *range; /* the rows of a group */
};

/* The rows of a list. */
struct row_range {
    const struct td_series *series;
    uint64_t begin, end;
};

static void put_list(struct writer *w, const struct td_schema_list *list, const struct write_item *parent,
                     int counted);

static struct row_range range_of(const struct writer *w, const struct td_schema_list *list,
                                 const struct write_item *parent)
{
    enum td_table table = (enum td_table)list->table;
    if (parent->range)
        return *parent->range;
    struct row_range range = {td_table_get_shape(table)->each ? td_trace_list(w->trace, table, parent->index)
                                                              : td_trace_table(w->trace, table),
                              list->reserved, 0};
    range.end = td_series_count(range.series);
    if (list->end) {
        const struct td_series *parents = td_trace_table(w->trace, (enum td_table)list->parent);
        unsigned column = list->end - 1u;
        uint64_t all = range.end;
        range.begin = parent->index ? (uint64_t)td_series_next(parents, parent->index - 1, column) : 0;
        range.end = (uint64_t)parent->row[column];
        range.end = range.end < all ? range.end : all;
    }
    if (range.begin > range.end)
        range.begin = range.end;
    if (list->most && range.end - range.begin > list->most)
        range.end = range.begin + list->most;
    return range;
}

/* The row is written. Not written are lock events of threads for which the lock's list has no room. */
static bool is_written(const struct writer *w, const struct td_schema_list *list,
                       const struct write_item *parent, const int64_t *row)
{
    if (list->table != TD_TABLE_LOCK_EVENT)
        return true;
    uint64_t threads = td_series_count(td_trace_list(w->trace, TD_TABLE_LOCK_THREAD, parent->index));
    return (uint64_t)row[TD_LOCK_EVENT_THREAD] <
           (threads < TD_FILE_LOCK_THREADS ? threads : TD_FILE_LOCK_THREADS);
}

static uint64_t count_of(const struct writer *w, const struct td_schema_list *list,
                         const struct write_item *parent)
{
    struct row_range range = range_of(w, list, parent);
    uint64_t count = range.end - range.begin;
    if (list->table == TD_TABLE_LOCK_EVENT) {
        int64_t row[TD_SERIES_COLUMNS];
        for (uint64_t i = range.begin; i < range.end; i++) {
            td_series_row(range.series, i, row);
            count -= !is_written(w, list, parent, row);
        }
    }
    return count < list->least ? list->least : count;
}

static void put_count(struct writer *w, const struct td_schema_list *list, uint64_t count)
{
    if (list->count == TD_COUNT_U64)
        td_out_u64(&w->out, count);
    else if (list->count == TD_COUNT_U32)
        td_out_u32(&w->out, (uint32_t)count);
    else if (list->count == TD_COUNT_U16)
        td_out_u16(&w->out, (uint16_t)count);
}

/* A time that may be unfinished (-1). */
static int64_t open_time(struct writer *w, int64_t time_ns)
{
    return time_ns < 0 ? -1 : td_writer_time_(w, time_ns);
}

static int64_t time_after(struct writer *w, const int64_t *row, unsigned column)
{
    if (row[column] < 0)
        return -1;
    int64_t from = td_writer_time_(w, row[column - 1]), to = td_writer_time_(w, row[column]);
    return to > from ? to - from : 0;
}

static void put_text(struct writer *w, uint32_t string)
{
    size_t bytes = td_dict_text_bytes(w->dict, string);
    td_out_u32(&w->out, (uint32_t)bytes);
    td_out_bytes(&w->out, td_dict_text(w->dict, string), bytes);
    td_trace_work_touch(w->trace, bytes);
}

/* Writes `bytes` bytes of a blob that has `have`; missing ones as zeros. */
static void put_blob(struct writer *w, int64_t blob, uint64_t have, uint64_t bytes)
{
    have = blob ? have < bytes ? have : bytes : 0;
    td_out_bytes(&w->out, td_trace_blob(blob), have);
    for (; have < bytes; have++)
        td_out_u8(&w->out, 0);
}

static void put_float(struct writer *w, int64_t bits)
{
    double wide;
    uint32_t narrow_bits;
    memcpy(&wide, &bits, sizeof wide);
    float value = (float)wide;
    memcpy(&narrow_bits, &value, sizeof value);
    td_out_u32(&w->out, narrow_bits);
}

static uint32_t message_color(uint32_t color)
{
    return color ? td_file_swap_color(color) | 0xff000000 : UINT32_MAX;
}

static uint32_t string_index(struct writer *w, int64_t string)
{
    return string ? td_writer_string_(w, (uint32_t)string) + 1 : 0;
}

static void put_number(struct writer *w, const struct td_field *field, int64_t value, uint64_t index)
{
    struct td_out *out = &w->out;
    switch ((enum td_field_kind)field->kind) {
    case TD_FIELD_U8:
    case TD_FIELD_I8:
        td_out_u8(out, (uint32_t)value & 0xff);
        break;
    case TD_FIELD_U16:
    case TD_FIELD_I16:
        td_out_u16(out, (uint32_t)value & 0xffff);
        break;
    case TD_FIELD_U24:
        td_out_u24(out, value > 0xffffff ? 0xffffff : (uint32_t)value); /* a size; larger ones are cut */
        break;
    case TD_FIELD_U32:
    case TD_FIELD_I32:
        td_out_u32(out, (uint32_t)value);
        break;
    case TD_FIELD_STACK:
        td_out_u24(out, td_writer_stack_(w, value));
        break;
    case TD_FIELD_STACK32:
        td_out_u32(out, td_writer_stack_(w, value));
        break;
    case TD_FIELD_MADE:
        td_out_u64(out, field->made ? field->made(w->trace, index) : 0);
        break;
    default:
        td_out_u64(out, (uint64_t)value);
        break;
    }
}

static void put_time48(struct writer *w, bool may_be_number, int64_t value)
{
    if (!may_be_number || value >= 0 || value < -TD_FILE_TIME_LIMIT)
        value = open_time(w, value);
    td_out_u32(&w->out, (uint32_t)value);
    td_out_u16(&w->out, (uint32_t)((uint64_t)value >> 32) & 0xffff);
}

static void put_time(struct writer *w, const struct td_field *field, struct write_item *item, int64_t value)
{
    struct td_out *out = &w->out;
    switch ((enum td_field_kind)field->kind) {
    case TD_FIELD_TIME:
        td_out_time(out, td_writer_time_(w, value));
        break;
    case TD_FIELD_OPEN:
        td_out_time(out, open_time(w, value));
        break;
    case TD_FIELD_EARLY:
        td_out_time(out, value < 0 && value > -TD_FILE_TIME_LIMIT ? value : td_writer_time_(w, value));
        break;
    case TD_FIELD_ORIGIN:
        item->origin_ns = td_writer_time_(w, value);
        td_out_u64(out, (uint64_t)item->origin_ns);
        break;
    case TD_FIELD_AFTER:
        td_out_u64(out, (uint64_t)time_after(w, item->row, field->column));
        break;
    case TD_FIELD_START48:
    case TD_FIELD_END48:
        put_time48(w, field->kind == TD_FIELD_END48, value);
        break;
    default: /* TIME_AT */
        td_out_u64(out, (uint64_t)td_writer_time_(w, value));
        break;
    }
}

/* Strings, locations and threads, which have other numbers in the file. */
static void put_reference(struct writer *w, enum td_field_kind kind, int64_t value, uint64_t index)
{
    struct td_out *out = &w->out;
    switch (kind) {
    case TD_FIELD_TOKEN:
        td_out_u64(out, (uint64_t)td_writer_string_(w, (uint32_t)value) + 1);
        break;
    case TD_FIELD_SIDX:
        td_out_u24(out, string_index(w, value));
        break;
    case TD_FIELD_SREF:
        td_writer_reference_(w, td_writer_string_(w, (uint32_t)value));
        break;
    case TD_FIELD_POINTER:
        td_out_u64(out, value ? td_writer_pointer_(w, (uint32_t)value) : 0);
        break;
    case TD_FIELD_SRCLOC:
        td_out_u16(out, (uint16_t)w->location[value]);
        break;
    case TD_FIELD_THREAD16:
        td_out_u16(out, td_writer_thread_(w, (uint64_t)value));
        break;
    case TD_FIELD_FOREIGN16:
        td_out_u16(out, td_writer_foreign_(w, (uint64_t)value));
        break;
    default: /* MESSAGE */
        td_out_u64(out, index + 1);
        break;
    }
}

static void put_color(struct td_out *out, enum td_field_kind kind, uint32_t color)
{
    if (kind == TD_FIELD_MESSAGE_COLOR)
        td_out_u32(out, message_color(color));
    else if (kind == TD_FIELD_COLOR24)
        td_out_u24(out, td_file_swap_color(color));
    else
        td_out_u32(out, td_file_swap_color(color));
}

/* No section that is written from a table has a TEXT. */
static void put_bytes(struct writer *w, const struct td_field *field, const struct write_item *item,
                      int64_t value)
{
    if (field->kind == TD_FIELD_TEXT)
        return;
    if (field->kind == TD_FIELD_TEXT32) {
        put_text(w, (uint32_t)value);
        return;
    }
    const uint64_t have = (uint64_t)item->row[field->column + 1];
    uint64_t bytes = (uint32_t)have;
    if (field->kind == TD_FIELD_DXT1)
        bytes = (uint64_t)item->row[TD_IMAGE_WIDTH] * (uint64_t)item->row[TD_IMAGE_HEIGHT] / 2;
    else
        td_out_u32(&w->out, (uint32_t)bytes);
    put_blob(w, value, have, bytes);
}

/* The number of items of the next list. */
static void put_count_before(struct writer *w, const struct td_field *field, const struct write_item *item)
{
    const struct td_field *counted = field + 1;
    while (counted->kind != TD_FIELD_LIST)
        counted++;
    const uint64_t count = count_of(w, counted->list, item);
    if (field->fixed == 1)
        td_out_u8(&w->out, (uint32_t)count);
    else
        td_out_u64(&w->out, count);
}

static void put_field(struct writer *w, const struct td_field *field, struct write_item *item)
{
    const enum td_field_kind kind = (enum td_field_kind)field->kind;
    const int64_t value = field->has_column ? item->row[field->column] : 0;
    switch (td_field_class_of(kind)) {
    case TD_FIELD_IS_NUMBER:
        put_number(w, field, value, item->index);
        break;
    case TD_FIELD_IS_FLOAT:
        put_float(w, value);
        break;
    case TD_FIELD_IS_TIME:
        put_time(w, field, item, value);
        break;
    case TD_FIELD_IS_REFERENCE:
        put_reference(w, kind, value, item->index);
        break;
    case TD_FIELD_IS_COLOR:
        put_color(&w->out, kind, (uint32_t)value);
        break;
    case TD_FIELD_IS_BYTES:
        put_bytes(w, field, item, value);
        break;
    case TD_FIELD_IS_COUNT:
        put_count_before(w, field, item);
        break;
    case TD_FIELD_IS_LIST:
        put_list(w, field->list, item, 1);
        break;
    case TD_FIELD_IS_FIXED:
        break;
    }
}

static void put_fields(struct writer *w, const struct td_schema_list *list, struct write_item *item)
{
    for (unsigned i = 0; i < list->field_count && !w->out.failed; i++) {
        if (td_field_is_in(&list->fields[i], w->version))
            put_field(w, &list->fields[i], item);
    }
}

static void put_rows(struct writer *w, const struct td_schema_list *list, const struct write_item *parent)
{
    struct row_range range = range_of(w, list, parent);
    unsigned columns = td_table_get_shape((enum td_table)list->table)->columns;
    int64_t values[TD_SERIES_COLUMNS][BLOCK_ROWS];
    w->out.reference_ns = parent->origin_ns;
    for (uint64_t first = range.begin; first < range.end && !w->out.failed; first += BLOCK_ROWS) {
        uint64_t n = range.end - first < BLOCK_ROWS ? range.end - first : BLOCK_ROWS;
        for (unsigned c = 0; c < columns; c++)
            td_series_read(range.series, c, first, n, values[c]);
        for (uint64_t i = 0; i < n; i++) {
            struct write_item item = {.index = first + i};
            for (unsigned c = 0; c < columns; c++)
                item.row[c] = values[c][i];
            if (is_written(w, list, parent, item.row))
                put_fields(w, list, &item);
        }
    }
    for (uint64_t i = range.end - range.begin; i < list->least; i++)
        put_fields(w, list, &(struct write_item){0});
}

/* The last column of a group: its rows have equal values in this column and in those before it. */
static unsigned group_column(const struct td_schema_list *list)
{
    unsigned column = 0;
    for (unsigned i = 0; i < list->field_count; i++)
        column =
            list->fields[i].has_column && list->fields[i].column > column ? list->fields[i].column : column;
    return column;
}

static uint64_t group_end(struct row_range range, uint64_t begin, unsigned column)
{
    uint64_t end = begin + 1;
    for (; end < range.end; end++) {
        for (unsigned c = 0; c <= column; c++) {
            if (td_series_next(range.series, end, c) != td_series_get(range.series, begin, c))
                return end;
        }
    }
    return end;
}

static void put_groups(struct writer *w, const struct td_schema_list *list, const struct write_item *parent,
                       int counted)
{
    struct row_range range = range_of(w, list, parent);
    unsigned column = group_column(list);
    uint64_t groups = 0;
    if (w->version < list->since) { /* only the inner lists */
        for (unsigned i = 0; i < list->field_count; i++) {
            struct write_item item = *parent;
            if (list->fields[i].kind == TD_FIELD_LIST)
                put_list(w, list->fields[i].list, &item, 1);
        }
        return;
    }
    for (uint64_t at = range.begin; at < range.end; at = group_end(range, at, column))
        groups++;
    if (counted)
        put_count(w, list, groups);
    for (uint64_t at = range.begin, end; at < range.end && !w->out.failed; at = end) {
        end = group_end(range, at, column);
        struct row_range of_group = {range.series, at, end};
        struct write_item item = {.index = at, .range = &of_group};
        td_series_row(range.series, at, item.row);
        put_fields(w, list, &item);
    }
}

static void put_list(struct writer *w, const struct td_schema_list *list, const struct write_item *parent,
                     int counted)
{
    if (list->form == TD_LIST_GROUP) {
        put_groups(w, list, parent, counted);
        return;
    }
    if (list->form == TD_LIST_PARTS) {
        for (uint64_t i = 0; list->count == TD_COUNT_256 && i < TD_FILE_CPU_LISTS; i++)
            put_fields(w, list, &(struct write_item){.index = i});
        return;
    }
    if (list->count == TD_COUNT_ONE) {
        struct write_item item = {0};
        if (td_series_count(td_trace_table(w->trace, (enum td_table)list->table)))
            td_series_row(td_trace_table(w->trace, (enum td_table)list->table), 0, item.row);
        put_fields(w, list, &item);
        return;
    }
    if (counted)
        put_count(w, list, count_of(w, list, parent));
    put_rows(w, list, parent);
}

void td_writer_list_(struct writer *w, const struct td_schema_list *list, uint64_t parent)
{
    put_list(w, list, &(struct write_item){.index = parent}, 1);
}

void td_writer_items_(struct writer *w, const struct td_schema_list *list, uint64_t parent)
{
    put_list(w, list, &(struct write_item){.index = parent}, 0);
}

void td_writer_fields_(struct writer *w, const struct td_section *section, const int64_t *row)
{
    struct write_item item = {0};
    memcpy(item.row, row, sizeof item.row);
    put_fields(w, &section->body, &item);
}

/* An empty section consists of zero counts. */
static void put_empty(struct writer *w, const struct td_schema_list *body)
{
    for (unsigned i = 0; i < body->field_count; i++) {
        const struct td_schema_list *list = body->fields[i].list;
        if (!list || list->count == TD_COUNT_U64)
            td_out_u64(&w->out, 0);
        else if (list->count == TD_COUNT_ONE)
            td_out_u32(&w->out, 0);
        for (int cpu = 0; list && list->count == TD_COUNT_256 && cpu < TD_FILE_CPU_LISTS; cpu++)
            td_out_u64(&w->out, 0);
    }
}

void td_writer_section_(struct writer *w, const struct td_section *section)
{
    if (w->strip & section->strip)
        put_empty(w, &section->body);
    else
        put_fields(w, &section->body, &(struct write_item){0});
}
