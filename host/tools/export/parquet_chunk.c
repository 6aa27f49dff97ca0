/* The chunks of columns. Texts, and whole numbers of which there are few different ones, are numbers of a dictionary; other
 * whole numbers are differences. */
#include "host/tools/export/parquet_encode.h"
#include "host/tools/export/parquet_file.h"
#include "host/tools/export/parquet_internal.h"

#include <math.h>

#define FEW              1024 /* whole numbers in a dictionary */
#define DICTIONARY_BYTES (2u << 20)
#define PLAIN_BYTES      (1u << 20) /* of a page */
#define END_BYTES        256        /* of a text in the statistics */

/* A dictionary's numbers have at least one bit: some readers know no fewer. */
static void put_dictionary_page(struct parquet_file *f, const uint32_t *present, const uint32_t *number,
                                size_t rows, size_t values, size_t texts)
{
    const unsigned width = texts < 2 ? 1 : parquet_width(texts - 1);
    parquet_put_levels_(f, present, rows, values);
    td_byte_buffer_byte(&f->page, (uint8_t)width);
    parquet_put_hybrid(&f->page, number, values, width);
    parquet_put_page_(f, PARQUET_RLE_DICTIONARY, rows);
}

/* ---- numbers ---- */

static void set_ends(struct parquet_chunk *c, int64_t least, int64_t most)
{
    td_byte_buffer_le64(&c->least, (uint64_t)least);
    td_byte_buffer_le64(&c->most, (uint64_t)most);
    c->has_ends = true;
}

static void find_ends_of_integers(struct parquet_chunk *c, const int64_t *values, size_t count)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    if (count)
        set_ends(c, least, most);
}

static int64_t bits_of(double real)
{
    int64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* Zeros have both signs: readers may not distinguish them. */
static void find_ends_of_reals(struct parquet_chunk *c, const int64_t *values, size_t count)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double real;
        memcpy(&real, &values[i], sizeof real);
        least = real < least ? real : least;
        most = real > most ? real : most;
    }
    if (count)
        set_ends(c, bits_of(least == 0 ? -0.0 : least), bits_of(most == 0 ? 0.0 : most));
}

struct few_numbers {
    int64_t value[FEW];
    uint32_t count;
    uint16_t slot[4 * FEW]; /* 1 + the number in `value` */
};

/* UINT32_MAX: there are more than FEW. */
static uint32_t number_of(struct few_numbers *few, int64_t value)
{
    uint64_t at = td_mix64((uint64_t)value) % (4 * FEW);
    while (few->slot[at] && few->value[few->slot[at] - 1] != value)
        at = (at + 1) % (4 * FEW);
    if (!few->slot[at]) {
        if (few->count == FEW)
            return UINT32_MAX;
        few->value[few->count++] = value;
        few->slot[at] = (uint16_t)few->count;
    }
    return few->slot[at] - 1u;
}

/* Whether file->number has the numbers of all values. */
static bool number_all(struct parquet_file *f, struct few_numbers *few, const int64_t *values, size_t count)
{
    few->count = 0;
    memset(few->slot, 0, sizeof few->slot);
    if (td_grow(&f->number, &f->number_room, count, sizeof *f->number) < 0) {
        f->failed = true;
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        f->number[i] = i && values[i] == values[i - 1] ? f->number[i - 1] : number_of(few, values[i]);
        if (f->number[i] == UINT32_MAX || few->count > count / 4 + 1)
            return false;
    }
    return count > 0;
}

static void put_few(struct parquet_file *f, const struct few_numbers *few, const uint32_t *present,
                    size_t rows, size_t count)
{
    parquet_begin_chunk_(f, true);
    put_dictionary_page(f, present, f->number, rows, count, few->count);
    f->page.used = 0;
    for (uint32_t i = 0; i < few->count; i++)
        td_byte_buffer_le64(&f->page, (uint64_t)few->value[i]);
    parquet_put_dictionary_(f, f->page.bytes, f->page.used, few->count);
}

void parquet_put_numbers(struct parquet_file *f, const uint32_t *present, const int64_t *values, size_t count)
{
    const bool is_real = f->column[f->next].kind == PARQUET_REALS;
    const size_t rows = f->group_rows;
    struct few_numbers few;
    if (number_all(f, &few, values, count)) {
        put_few(f, &few, present, rows, count);
    } else {
        parquet_begin_chunk_(f, false);
        parquet_put_levels_(f, present, rows, count);
        if (is_real || !count)
            for (size_t i = 0; i < count; i++)
                td_byte_buffer_le64(&f->page, (uint64_t)values[i]);
        else
            parquet_put_delta(&f->page, values, count);
        parquet_put_page_(f, is_real || !count ? PARQUET_PLAIN : PARQUET_DELTA_BINARY_PACKED, rows);
    }
    f->chunk.values = rows;
    f->chunk.nulls = rows - count;
    (is_real ? find_ends_of_reals : find_ends_of_integers)(&f->chunk, values, count);
    parquet_end_chunk_(f);
}

/* ---- texts ---- */

static int compare_texts(const void *a, size_t a_bytes, const struct td_byte_buffer *b)
{
    const size_t both = a_bytes < b->used ? a_bytes : b->used;
    const int order = both ? memcmp(a, b->bytes, both) : 0;
    return order ? order : (a_bytes > b->used) - (a_bytes < b->used);
}

static void set_end(struct td_byte_buffer *end, const void *text, size_t bytes)
{
    end->used = 0;
    td_byte_buffer_append(end, text, bytes);
}

/* Long texts are no ends: then the chunk has none. */
static void look_at_text(struct parquet_chunk *c, const void *text, size_t bytes)
{
    if (!c->has_ends || compare_texts(text, bytes, &c->least) < 0)
        set_end(&c->least, text, bytes);
    if (!c->has_ends || compare_texts(text, bytes, &c->most) > 0)
        set_end(&c->most, text, bytes);
    c->has_ends = true;
}

static void put_text_page(struct parquet_file *f)
{
    struct parquet_rows *r = &f->text_rows;
    if (!r->rows)
        return;
    if (r->is_plain || !r->values) {
        parquet_put_levels_(f, r->present, r->rows, r->values);
        td_byte_buffer_append(&f->page, r->plain.bytes, r->plain.used);
        f->failed |= r->plain.failed;
        parquet_put_page_(f, PARQUET_PLAIN, r->rows);
    } else {
        put_dictionary_page(f, r->present, r->number, r->rows, r->values, f->texts.count);
    }
    r->rows = r->values = r->plain.used = 0;
}

static void put_dictionary(struct parquet_file *f)
{
    f->failed |= f->texts.page.failed;
    parquet_put_dictionary_(f, f->texts.page.bytes, f->texts.page.used, f->texts.count);
}

/* Makes room for a row. */
static void begin_row(struct parquet_file *f)
{
    struct parquet_rows *r = &f->text_rows;
    if (f->chunk.values == 0) {
        parquet_begin_chunk_(f, true);
        r->is_plain = false;
    }
    const bool is_full = !r->is_plain && f->texts.page.used > DICTIONARY_BYTES;
    if (is_full || r->rows == PARQUET_PAGE_ROWS || r->plain.used > PLAIN_BYTES)
        put_text_page(f);
    if (is_full) {
        put_dictionary(f);
        r->is_plain = true;
    }
    f->chunk.values++;
}

static void add_plain(struct parquet_file *f, const char *text, size_t bytes)
{
    struct parquet_rows *r = &f->text_rows;
    const size_t at = r->plain.used + 4;
    parquet_put_text(&r->plain, &f->texts.repaired, text, bytes);
    if (!r->plain.failed)
        look_at_text(&f->chunk, r->plain.bytes + at, r->plain.used - at);
    r->present[r->rows++] = 1;
    r->values++;
}

void parquet_add_text_again(struct parquet_file *f, uint32_t number)
{
    struct parquet_rows *r = &f->text_rows;
    begin_row(f);
    if (r->is_plain) {
        size_t bytes;
        const uint8_t *text = parquet_text(&f->texts, number, &bytes);
        add_plain(f, (const char *)text, bytes);
        return;
    }
    r->number[r->values++] = number;
    r->present[r->rows++] = 1;
}

uint32_t parquet_add_text(struct parquet_file *f, const char *text, size_t bytes, bool stays)
{
    struct parquet_rows *r = &f->text_rows;
    begin_row(f);
    if (r->is_plain) {
        add_plain(f, text, bytes);
        return UINT32_MAX;
    }
    const uint32_t number = parquet_texts_number(&f->texts, text, bytes, stays);
    f->failed |= number == UINT32_MAX;
    r->number[r->values++] = number == UINT32_MAX ? 0 : number;
    r->present[r->rows++] = 1;
    return number;
}

void parquet_add_no_text(struct parquet_file *f)
{
    begin_row(f);
    f->text_rows.present[f->text_rows.rows++] = 0;
    f->chunk.nulls++;
}

void parquet_end_texts(struct parquet_file *f)
{
    put_text_page(f);
    if (!f->text_rows.is_plain)
        put_dictionary(f);
    for (uint32_t i = 0; i < f->texts.count; i++) {
        size_t bytes;
        const uint8_t *text = parquet_text(&f->texts, i, &bytes);
        look_at_text(&f->chunk, text, bytes);
    }
    if (f->chunk.least.used > END_BYTES || f->chunk.most.used > END_BYTES)
        f->chunk.has_ends = false;
    parquet_end_chunk_(f);
    parquet_texts_free(&f->texts);
}
