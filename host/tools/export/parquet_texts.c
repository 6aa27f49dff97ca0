#include "host/tools/export/parquet_texts.h"
#include "host/base/hash.h"
#include "host/base/plain_text.h"

void parquet_texts_free(struct parquet_texts *t)
{
    td_byte_buffer_free(&t->page);
    td_byte_buffer_free(&t->repaired);
    td_map_finish(&t->by_pointer);
    td_map_finish(&t->by_hash);
    free(t->at);
    *t = (struct parquet_texts){0};
}

const uint8_t *parquet_text(const struct parquet_texts *t, uint32_t number, size_t *bytes)
{
    const size_t end = number + (size_t)1 < t->count ? t->at[number + 1] : t->page.used;
    *bytes = end - t->at[number] - 4;
    return t->page.bytes + t->at[number] + 4;
}

/* Sets *text and *bytes to a text in UTF-8. */
static void repair(struct td_byte_buffer *room, const char **text, size_t *bytes)
{
    if (td_utf8_valid(*text, *bytes) == *bytes)
        return;
    room->used = 0;
    td_utf8_append(room, *text, *bytes);
    *text = room->failed ? "" : (const char *)room->bytes;
    *bytes = room->failed ? 0 : room->used;
}

void parquet_put_text(struct td_byte_buffer *page, struct td_byte_buffer *repaired, const char *text,
                      size_t bytes)
{
    repair(repaired, &text, &bytes);
    td_byte_buffer_le32(page, (uint32_t)bytes);
    td_byte_buffer_append(page, text, bytes);
    page->failed |= repaired->failed;
}

static uint32_t number_of(struct parquet_texts *t, const char *text, size_t bytes)
{
    repair(&t->repaired, &text, &bytes);
    for (uint64_t hash = td_hash(text, bytes);; hash = td_mix64(hash + 1)) {
        const uint32_t known = td_map_get(&t->by_hash, hash, UINT32_MAX);
        size_t known_bytes = 0;
        const uint8_t *other = known == UINT32_MAX ? NULL : parquet_text(t, known, &known_bytes);
        if (other && known_bytes == bytes && !memcmp(other, text, bytes))
            return known;
        if (other)
            continue;
        if (td_grow(&t->at, &t->room, t->count + 1, sizeof *t->at) < 0 ||
            td_map_add(&t->by_hash, hash, (uint32_t)t->count) < 0)
            return UINT32_MAX;
        t->at[t->count++] = t->page.used;
        td_byte_buffer_le32(&t->page, (uint32_t)bytes);
        td_byte_buffer_append(&t->page, text, bytes);
        return t->page.failed || t->repaired.failed ? UINT32_MAX : (uint32_t)t->count - 1;
    }
}

uint32_t parquet_texts_number(struct parquet_texts *t, const char *text, size_t bytes, bool stays)
{
    const uint64_t key = (uint64_t)(uintptr_t)text;
    const uint32_t known = stays ? td_map_get(&t->by_pointer, key, UINT32_MAX) : UINT32_MAX;
    size_t known_bytes;
    if (known != UINT32_MAX && (parquet_text(t, known, &known_bytes), known_bytes == bytes))
        return known;
    const uint32_t number = number_of(t, text, bytes);
    if (stays && number != UINT32_MAX && td_map_add(&t->by_pointer, key, number) < 0)
        return UINT32_MAX;
    return number;
}
