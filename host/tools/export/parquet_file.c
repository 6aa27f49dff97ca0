#include "host/tools/export/parquet_file.h"
#include "host/tools/export/parquet_encode.h"
#include "host/tools/export/parquet_internal.h"

#define ZSTD_LEVEL  1
#define CREATED_BY  "tendril version " TD_VERSION " (build release)"
#define FILE_FORMAT 1

struct parquet_file *parquet_create(FILE *to, const struct parquet_column *columns, size_t count)
{
    struct parquet_file *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    *f = (struct parquet_file){.to = to, .column = columns, .columns = count, .zstd = ZSTD_createCCtx()};
    f->group.to = &f->described;
    f->text_rows.present = calloc(PARQUET_PAGE_ROWS, sizeof *f->text_rows.present);
    f->text_rows.number = calloc(PARQUET_PAGE_ROWS, sizeof *f->text_rows.number);
    if (!f->zstd || !f->text_rows.present || !f->text_rows.number ||
        ZSTD_isError(ZSTD_CCtx_setParameter(f->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL))) {
        parquet_destroy(f);
        return NULL;
    }
    fwrite(PARQUET_MAGIC, 1, strlen(PARQUET_MAGIC), to);
    f->at = strlen(PARQUET_MAGIC);
    return f;
}

void parquet_destroy(struct parquet_file *f)
{
    if (!f)
        return;
    struct td_byte_buffer *const buffers[] = {&f->described,  &f->page,           &f->packed,
                                              &f->header,     &f->chunk.least,    &f->chunk.most,
                                              &f->chunk.held, &f->text_rows.plain};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        td_byte_buffer_free(buffers[i]);
    parquet_texts_free(&f->texts);
    free(f->text_rows.present);
    free(f->text_rows.number);
    free(f->number);
    ZSTD_freeCCtx(f->zstd);
    free(f);
}

bool parquet_is_bad(const struct parquet_file *f)
{
    return f->failed || ferror(f->to);
}

/* ---- pages ---- */

static void write_bytes(struct parquet_file *f, const struct td_byte_buffer *b)
{
    f->failed |= b->failed;
    if (!b->failed && b->used)
        fwrite(b->bytes, 1, b->used, f->to);
    f->at += b->used;
}

/* Packs the page's bytes: file->packed. */
static void pack_page(struct parquet_file *f, const void *data, size_t bytes)
{
    const size_t most = ZSTD_compressBound(bytes);
    f->packed.used = 0;
    uint8_t *to = td_byte_buffer_extend(&f->packed, most);
    if (!to)
        return;
    f->packed.used = ZSTD_compress2(f->zstd, to, most, data, bytes);
    if (ZSTD_isError(f->packed.used)) {
        f->packed.used = 0;
        f->packed.failed = true;
    }
}

/* Writes the header of the page in file->packed, then the page: to the file, or to what is held. */
static void put_packed(struct parquet_file *f, enum parquet_encoding encoding, bool is_dictionary,
                       size_t rows, size_t bytes)
{
    struct thrift t = {.to = &f->header};
    f->header.used = 0;
    thrift_begin(&t, 0);
    thrift_i32(&t, PAGE_TYPE, is_dictionary ? PARQUET_DICTIONARY_PAGE : PARQUET_DATA_PAGE);
    thrift_i32(&t, PAGE_BYTES, (int32_t)bytes);
    thrift_i32(&t, PAGE_PACKED_BYTES, (int32_t)f->packed.used);
    thrift_begin(&t, is_dictionary ? PAGE_DICTIONARY : PAGE_DATA);
    thrift_i32(&t, is_dictionary ? DICTIONARY_VALUES : DATA_VALUES, (int32_t)rows);
    thrift_i32(&t, is_dictionary ? DICTIONARY_ENCODING : DATA_ENCODING, (int32_t)encoding);
    if (!is_dictionary) {
        thrift_i32(&t, DATA_DEFINITION_LEVELS, PARQUET_RLE);
        thrift_i32(&t, DATA_REPETITION_LEVELS, PARQUET_RLE);
    }
    thrift_end(&t);
    thrift_end(&t);
    f->chunk.bytes += f->header.used + bytes;
    f->chunk.packed_bytes += f->header.used + f->packed.used;
    f->chunk.encodings |= 1u << encoding | (is_dictionary ? 0 : 1u << PARQUET_RLE);
    if (f->chunk.holds && !is_dictionary) {
        td_byte_buffer_append(&f->chunk.held, f->header.bytes, f->header.used);
        td_byte_buffer_append(&f->chunk.held, f->packed.bytes, f->packed.used);
        f->failed |= f->header.failed | f->packed.failed;
        return;
    }
    int64_t *at = is_dictionary ? &f->chunk.dictionary_at : &f->chunk.data_at;
    *at = *at < 0 ? (int64_t)f->at : *at;
    write_bytes(f, &f->header);
    write_bytes(f, &f->packed);
}

void parquet_put_page_(struct parquet_file *f, enum parquet_encoding encoding, size_t rows)
{
    f->failed |= f->page.failed;
    pack_page(f, f->page.bytes, f->page.used);
    put_packed(f, encoding, false, rows, f->page.used);
}

void parquet_put_dictionary_(struct parquet_file *f, const void *data, size_t bytes, size_t count)
{
    if (count) {
        pack_page(f, data, bytes);
        put_packed(f, PARQUET_PLAIN, true, count, bytes);
    }
    if (f->chunk.held.used && f->chunk.data_at < 0)
        f->chunk.data_at = (int64_t)f->at;
    write_bytes(f, &f->chunk.held);
    f->chunk.held.used = 0;
    f->chunk.holds = false;
}

void parquet_put_levels_(struct parquet_file *f, const uint32_t *present, size_t rows, size_t values)
{
    const uint32_t all = 1;
    f->page.used = 0;
    td_byte_buffer_le32(&f->page, 0);
    if (values == rows) {
        td_byte_buffer_number(&f->page, (uint64_t)rows << 1);
        td_byte_buffer_byte(&f->page, (uint8_t)all);
    } else {
        parquet_put_hybrid(&f->page, present, rows, 1);
    }
    const uint32_t bytes = (uint32_t)f->page.used - 4;
    if (!f->page.failed)
        for (unsigned i = 0; i < 4; i++)
            f->page.bytes[i] = (uint8_t)(bytes >> 8 * i);
}

/* ---- chunks ---- */

void parquet_begin_chunk_(struct parquet_file *f, bool holds)
{
    struct parquet_chunk *c = &f->chunk;
    c->bytes = c->packed_bytes = c->values = c->nulls = 0;
    c->dictionary_at = c->data_at = -1;
    c->encodings = 0;
    c->has_ends = false;
    c->least.used = c->most.used = c->held.used = 0;
    c->holds = holds;
}

static enum parquet_type type_of(enum parquet_kind kind)
{
    return kind == PARQUET_INTEGERS ? PARQUET_INT64
           : kind == PARQUET_REALS  ? PARQUET_DOUBLE
                                    : PARQUET_BYTE_ARRAY;
}

static void describe_meta(struct thrift *t, const struct parquet_column *column,
                          const struct parquet_chunk *c)
{
    thrift_i32(t, META_TYPE, type_of(column->kind));
    thrift_list(t, META_ENCODINGS, THRIFT_I32, (size_t)__builtin_popcount(c->encodings));
    for (unsigned e = 0; e < 32; e++)
        if (c->encodings >> e & 1)
            thrift_item_i32(t, (int32_t)e);
    thrift_list(t, META_PATH, THRIFT_TEXT, 1);
    thrift_item_text(t, column->name);
    thrift_i32(t, META_CODEC, PARQUET_ZSTD);
    thrift_i64(t, META_VALUES, (int64_t)c->values);
    thrift_i64(t, META_BYTES, (int64_t)c->bytes);
    thrift_i64(t, META_PACKED_BYTES, (int64_t)c->packed_bytes);
    thrift_i64(t, META_DATA_OFFSET, c->data_at);
    if (c->dictionary_at >= 0)
        thrift_i64(t, META_DICTIONARY_OFFSET, c->dictionary_at);
    thrift_begin(t, META_STATISTICS);
    thrift_i64(t, STATISTICS_NULLS, (int64_t)c->nulls);
    if (c->has_ends) {
        thrift_text(t, STATISTICS_MAX, c->most.bytes, c->most.used);
        thrift_text(t, STATISTICS_MIN, c->least.bytes, c->least.used);
    }
    thrift_end(t);
}

void parquet_end_chunk_(struct parquet_file *f)
{
    const struct parquet_chunk *c = &f->chunk;
    f->failed |= c->least.failed | c->most.failed | c->held.failed;
    thrift_begin(&f->group, 0);
    thrift_i64(&f->group, CHUNK_OFFSET, c->dictionary_at >= 0 ? c->dictionary_at : c->data_at);
    thrift_begin(&f->group, CHUNK_META);
    describe_meta(&f->group, &f->column[f->next], c);
    thrift_end(&f->group);
    thrift_end(&f->group);
    f->group_bytes += c->bytes;
    f->chunk.values = 0;
    f->next++;
}

/* ---- groups, and the end ---- */

void parquet_begin_group(struct parquet_file *f, size_t rows)
{
    f->next = 0;
    f->group_rows = rows;
    f->group_at = f->at;
    f->group_bytes = 0;
    thrift_begin(&f->group, 0);
    thrift_list(&f->group, GROUP_COLUMNS, THRIFT_STRUCT, f->columns);
}

void parquet_end_group(struct parquet_file *f)
{
    thrift_i64(&f->group, GROUP_BYTES, (int64_t)f->group_bytes);
    thrift_i64(&f->group, GROUP_ROWS, (int64_t)f->group_rows);
    thrift_i64(&f->group, GROUP_OFFSET, (int64_t)f->group_at);
    thrift_i64(&f->group, GROUP_PACKED_BYTES, (int64_t)(f->at - f->group_at));
    thrift_end(&f->group);
    f->rows += f->group_rows;
    f->groups++;
}

static void describe_column(struct thrift *t, const struct parquet_column *column)
{
    thrift_begin(t, 0);
    thrift_i32(t, SCHEMA_TYPE, type_of(column->kind));
    thrift_i32(t, SCHEMA_REPETITION, PARQUET_OPTIONAL);
    thrift_text(t, SCHEMA_NAME, column->name, strlen(column->name));
    if (column->kind != PARQUET_REALS) {
        const bool is_text = column->kind == PARQUET_TEXTS;
        thrift_i32(t, SCHEMA_CONVERTED, is_text ? PARQUET_AS_UTF8 : PARQUET_AS_INT64);
        thrift_begin(t, SCHEMA_LOGICAL);
        thrift_begin(t, is_text ? LOGICAL_STRING : LOGICAL_INTEGER);
        if (!is_text) {
            thrift_byte(t, INTEGER_BITS, 64);
            thrift_bool(t, INTEGER_SIGNED, true);
        }
        thrift_end(t);
        thrift_end(t);
    }
    thrift_end(t);
}

static void describe_schema(struct thrift *t, const struct parquet_file *f)
{
    thrift_list(t, FILE_SCHEMA, THRIFT_STRUCT, f->columns + 1);
    thrift_begin(t, 0);
    thrift_text(t, SCHEMA_NAME, "schema", strlen("schema"));
    thrift_i32(t, SCHEMA_CHILDREN, (int32_t)f->columns);
    thrift_end(t);
    for (size_t c = 0; c < f->columns; c++)
        describe_column(t, &f->column[c]);
}

static void describe_keys(struct thrift *t, const struct parquet_key *keys, size_t count)
{
    thrift_list(t, FILE_KEYS, THRIFT_STRUCT, count);
    for (size_t i = 0; i < count; i++) {
        thrift_begin(t, 0);
        thrift_text(t, KEY_NAME, keys[i].name, strlen(keys[i].name));
        thrift_text(t, KEY_VALUE, keys[i].value, strlen(keys[i].value));
        thrift_end(t);
    }
}

/* How the least and greatest values compare: as the type says. */
static void describe_orders(struct thrift *t, size_t columns)
{
    thrift_list(t, FILE_ORDERS, THRIFT_STRUCT, columns);
    for (size_t c = 0; c < columns; c++) {
        thrift_begin(t, 0);
        thrift_begin(t, ORDER_OF_TYPE);
        thrift_end(t);
        thrift_end(t);
    }
}

int parquet_end(struct parquet_file *f, const struct parquet_key *keys, size_t count, struct td_err *err)
{
    struct thrift t = {.to = &f->page};
    f->page.used = 0;
    thrift_begin(&t, 0);
    thrift_i32(&t, FILE_VERSION, FILE_FORMAT);
    describe_schema(&t, f);
    thrift_i64(&t, FILE_ROWS, (int64_t)f->rows);
    thrift_list(&t, FILE_GROUPS, THRIFT_STRUCT, f->groups);
    td_byte_buffer_append(&f->page, f->described.bytes, f->described.used);
    if (count)
        describe_keys(&t, keys, count);
    thrift_text(&t, FILE_CREATED_BY, CREATED_BY, strlen(CREATED_BY));
    describe_orders(&t, f->columns);
    thrift_end(&t);
    td_byte_buffer_le32(&f->page, (uint32_t)f->page.used);
    td_byte_buffer_append(&f->page, PARQUET_MAGIC, strlen(PARQUET_MAGIC));
    f->failed |= f->described.failed;
    write_bytes(f, &f->page);
    if (f->failed)
        return td_fail_no_memory(err, NULL);
    return ferror(f->to) ? td_fail_errno(err, "cannot write the file") : 0;
}
