/* Reads sections into the model's tables, as described in host/file/schema.h. If the file ends within a row,
 * the row is kept only if it has lists and the first of them has begun. */
#include "host/file/convention.h"
#include "host/file/reader.h"

#include "host/base/grow.h"

struct read_item {
    int64_t row[TD_SERIES_COLUMNS];
    uint64_t index;    /* of the row or item: parent of the lists in it */
    uint64_t count;    /* of the next list, for TD_COUNT_BEFORE */
    int64_t origin_ns; /* reference for the first time of lists in it */
    int group;         /* 1: rows of lists in it begin with its columns */
    int dropped;       /* 1: it refers to a string that does not exist */
    int begun;         /* 1: its first list has begun */
};

static void read_fields(struct reader *r, const struct td_schema_list *list, struct read_item *item);

/* Reads a blob. Memory grows with the bytes that arrive, because their number in the file may be wrong. */
static int64_t read_blob(struct reader *r, uint64_t bytes)
{
    size_t have = 0;
    while (have < bytes && !r->in.failed) {
        size_t n = bytes - have < TD_FILE_BLOCK_BYTES ? (size_t)bytes - have : TD_FILE_BLOCK_BYTES;
        if (td_grow(&r->scratch, &r->scratch_capacity, have + n, 1) < 0) {
            td_in_no_memory(&r->in);
            return 0;
        }
        td_in_bytes(&r->in, r->scratch + have, n);
        have += n;
    }
    int64_t blob = r->in.failed || !bytes ? 0 : td_trace_fill_blob(r->trace, r->scratch, have);
    if (!blob && bytes)
        td_in_no_memory(&r->in);
    return blob;
}

static int64_t read_after(struct reader *r, const struct read_item *item, unsigned column)
{
    int64_t later = (int64_t)td_in_u64(&r->in);
    if (later < 0)
        return -1;
    return td_reader_bounded_(item->row[column - 1] + td_reader_bounded_(later));
}

static int64_t read_time48(struct reader *r)
{
    uint64_t low = td_in_u32(&r->in), bits = low | (uint64_t)td_in_u16(&r->in) << 32;
    return bits >> 47 ? (int64_t)(bits | ~UINT64_C(0) << 48) : (int64_t)bits;
}

static int64_t read_float(struct reader *r)
{
    uint32_t bits = td_in_u32(&r->in);
    int64_t wide_bits;
    float value;
    memcpy(&value, &bits, sizeof value);
    double wide = value;
    memcpy(&wide_bits, &wide, sizeof wide_bits);
    return wide_bits;
}

static uint32_t message_color(uint32_t color)
{
    if (color == UINT32_MAX)
        return 0;
    uint32_t swapped = td_file_swap_color(color);
    return swapped ? swapped : TD_FILE_BLACK;
}

static int64_t read_token(struct reader *r, struct read_item *item)
{
    uint32_t string = td_map_get(&r->tokens, td_in_u64(&r->in), UINT32_MAX);
    item->dropped |= string == UINT32_MAX;
    return item->dropped ? 0 : string;
}

static int64_t read_pointer(struct reader *r)
{
    uint64_t key = td_in_u64(&r->in);
    return key ? td_reader_pointer_(r, key) : 0;
}

static int64_t read_number(struct td_in *in, enum td_field_kind kind)
{
    switch (kind) {
    case TD_FIELD_U8:
        return td_in_u8(in);
    case TD_FIELD_I8:
        return (int8_t)td_in_u8(in);
    case TD_FIELD_U16:
        return td_in_u16(in);
    case TD_FIELD_I16:
        return (int16_t)td_in_u16(in);
    case TD_FIELD_U24:
    case TD_FIELD_STACK:
        return td_in_u24(in);
    case TD_FIELD_U32:
    case TD_FIELD_STACK32:
        return td_in_u32(in);
    case TD_FIELD_I32:
        return (int32_t)td_in_u32(in);
    default:
        return (int64_t)td_in_u64(in);
    }
}

static int64_t read_time(struct reader *r, const struct td_field *field, struct read_item *item)
{
    struct td_in *in = &r->in;
    switch ((enum td_field_kind)field->kind) {
    case TD_FIELD_TIME:
        return td_reader_bounded_(td_in_time(in));
    case TD_FIELD_OPEN:
        return td_in_time(in) < 0 ? -1 : td_reader_bounded_(in->reference_ns);
    case TD_FIELD_EARLY:
        return td_in_time(in) > -TD_FILE_TIME_LIMIT && in->reference_ns < 0
                   ? in->reference_ns
                   : td_reader_bounded_(in->reference_ns);
    case TD_FIELD_ORIGIN:
        item->origin_ns = (int64_t)td_in_u64(in);
        return td_reader_bounded_(item->origin_ns);
    case TD_FIELD_AFTER:
        return read_after(r, item, field->column);
    case TD_FIELD_START48:
        return td_reader_bounded_(read_time48(r));
    case TD_FIELD_END48:
        return read_time48(r);
    default: /* TIME_AT */
        return td_reader_bounded_((int64_t)td_in_u64(in));
    }
}

/* Strings, locations and threads, which have other numbers in the file. */
static int64_t read_reference(struct reader *r, enum td_field_kind kind, struct read_item *item)
{
    struct td_in *in = &r->in;
    bool none;
    switch (kind) {
    case TD_FIELD_TOKEN:
        return read_token(r, item);
    case TD_FIELD_SIDX: /* before P7: the file's number, until td_reader_link_() */
        return r->have_strings ? td_reader_string_(r, td_in_u24(in)) : td_in_u24(in);
    case TD_FIELD_SREF:
        return td_reader_reference_(r, &none);
    case TD_FIELD_POINTER:
        return read_pointer(r);
    case TD_FIELD_SRCLOC:
        return td_reader_location_(r, (int16_t)td_in_u16(in));
    case TD_FIELD_THREAD16:
        return (int64_t)td_reader_thread_(r, td_in_u16(in));
    case TD_FIELD_FOREIGN16: {
        uint16_t number = td_in_u16(in);
        return number < r->foreign_id_count ? (int64_t)r->foreign_ids[number] : 0;
    }
    default: /* MESSAGE */
        td_reader_keep_token_(r, td_in_u64(in));
        return 0;
    }
}

static int64_t read_color(struct td_in *in, enum td_field_kind kind)
{
    if (kind == TD_FIELD_MESSAGE_COLOR)
        return message_color(td_in_u32(in));
    return td_file_swap_color(kind == TD_FIELD_COLOR24 ? td_in_u24(in) : td_in_u32(in));
}

static int64_t read_bytes(struct reader *r, const struct td_field *field, struct read_item *item)
{
    if (field->kind == TD_FIELD_TEXT)
        return td_reader_text_(r, td_in_u64(&r->in));
    if (field->kind == TD_FIELD_TEXT32)
        return td_reader_text_(r, td_in_u32(&r->in));
    int64_t *bytes = &item->row[field->column + 1];
    *bytes = field->kind == TD_FIELD_DXT1 ? item->row[TD_IMAGE_WIDTH] * item->row[TD_IMAGE_HEIGHT] / 2
                                          : td_in_u32(&r->in);
    return read_blob(r, (uint64_t)*bytes);
}

static int64_t read_field(struct reader *r, const struct td_field *field, struct read_item *item)
{
    const enum td_field_kind kind = (enum td_field_kind)field->kind;
    switch (td_field_class_of(kind)) {
    case TD_FIELD_IS_NUMBER:
        return read_number(&r->in, kind);
    case TD_FIELD_IS_FLOAT:
        return read_float(r);
    case TD_FIELD_IS_TIME:
        return read_time(r, field, item);
    case TD_FIELD_IS_REFERENCE:
        return read_reference(r, kind, item);
    case TD_FIELD_IS_COLOR:
        return read_color(&r->in, kind);
    case TD_FIELD_IS_BYTES:
        return read_bytes(r, field, item);
    case TD_FIELD_IS_COUNT:
        item->count = field->fixed == 1 ? td_in_u8(&r->in) : td_in_u64(&r->in);
        return 0;
    case TD_FIELD_IS_FIXED:
        td_in_skip(&r->in, field->fixed);
        return 0;
    case TD_FIELD_IS_LIST:
        break;
    }
    return 0;
}

static uint64_t read_count(struct reader *r, const struct td_schema_list *list,
                           const struct read_item *parent)
{
    switch ((enum td_list_count)list->count) {
    case TD_COUNT_U64:
        return td_in_u64(&r->in);
    case TD_COUNT_U32:
        return td_in_u32(&r->in);
    case TD_COUNT_U16:
        return td_in_u16(&r->in);
    case TD_COUNT_BEFORE:
        return parent->count;
    case TD_COUNT_256:
        return TD_FILE_CPU_LISTS;
    case TD_COUNT_ONE:
        return 1;
    }
    return 0;
}

/* The series that gets the rows of a list; NULL: the reader has failed. */
static struct td_series *series_of(struct reader *r, const struct td_schema_list *list,
                                   const struct read_item *parent)
{
    struct td_series *series = td_table_get_shape((enum td_table)list->table)->each
                                   ? td_trace_fill_list(r->trace, (enum td_table)list->table, parent->index)
                                   : td_trace_fill_table(r->trace, (enum td_table)list->table);
    static const int64_t zeros[TD_SERIES_COLUMNS];
    if (!series || (list->reserved && !td_series_count(series) && td_series_append(series, zeros) < 0)) {
        td_in_no_memory(&r->in);
        return NULL;
    }
    return series;
}

static bool is_zero(const int64_t *row)
{
    for (unsigned i = 0; i < TD_SERIES_COLUMNS; i++) {
        if (row[i])
            return false;
    }
    return true;
}

static void read_rows(struct reader *r, const struct td_schema_list *list, struct read_item *parent,
                      uint64_t count)
{
    if (!count)
        return;
    struct td_series *series = series_of(r, list, parent);
    r->in.reference_ns = parent->origin_ns;
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        struct read_item item = {.index = td_series_count(series)};
        if (parent->group)
            memcpy(item.row, parent->row, sizeof item.row);
        read_fields(r, list, &item);
        bool nothing = list->count == TD_COUNT_ONE && is_zero(item.row);
        if (item.dropped || nothing || (r->in.failed && !item.begun))
            continue;
        if (td_series_append(series, item.row) < 0)
            td_in_no_memory(&r->in);
        else if (list->table == TD_TABLE_MESSAGE)
            r->message_count++;
    }
}

static void read_list(struct reader *r, const struct td_schema_list *list, struct read_item *parent)
{
    if (list->form == TD_LIST_GROUP && r->in.version < list->since) {
        read_fields(r, list, parent);
        return;
    }
    uint64_t count = read_count(r, list, parent);
    if (list->form == TD_LIST_ROWS) {
        read_rows(r, list, parent, count);
        if (list->end)
            parent->row[list->end - 1] =
                (int64_t)td_series_count(td_trace_table(r->trace, (enum td_table)list->table));
        return;
    }
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        struct read_item item = {.index = i};
        if (list->form == TD_LIST_GROUP) {
            item = *parent;
            item.group = 1;
        }
        read_fields(r, list, &item);
    }
}

static void read_fields(struct reader *r, const struct td_schema_list *list, struct read_item *item)
{
    int passed = list->form == TD_LIST_GROUP && r->in.version < list->since;
    for (unsigned i = 0; i < list->field_count && !r->in.failed; i++) {
        const struct td_field *field = &list->fields[i];
        int there = td_field_is_in(field, r->in.version) && !passed;
        if (field->kind == TD_FIELD_LIST) {
            item->begun = 1;
            if (there || passed)
                read_list(r, field->list, item);
            continue;
        }
        int64_t value = field->like ? item->row[field->like - 1] : field->missing;
        if (there)
            value = read_field(r, field, item);
        if (field->has_column)
            item->row[field->column] = value;
    }
}

void td_reader_list_(struct reader *r, const struct td_schema_list *list, uint64_t parent)
{
    struct read_item item = {.index = parent};
    read_list(r, list, &item);
}

void td_reader_section_(struct reader *r, const struct td_section *section)
{
    struct read_item item = {0};
    read_fields(r, &section->body, &item);
}

void td_reader_fields_(struct reader *r, const struct td_section *section, int64_t *row)
{
    struct read_item item = {0};
    read_fields(r, &section->body, &item);
    memcpy(row, item.row, sizeof item.row);
}
