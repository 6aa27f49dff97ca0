/* The different texts of a column, in the encoding of a page of Parquet, so that rows have only their numbers. Texts that
 * are not UTF-8 get U+FFFD for each wrong byte, as in JSON. */
#pragma once
#include "host/base/byte_buffer.h"
#include "host/event/map.h"

struct parquet_texts { /* all zero: empty */
    struct td_byte_buffer page, repaired;
    size_t *at; /* of each text in the page */
    size_t count, room;
    struct td_map by_pointer, by_hash;
};

void parquet_texts_free(struct parquet_texts *texts);
/* The number of a text. `stays`: its bytes stay where they are, and do not change. UINT32_MAX: no memory. */
uint32_t parquet_texts_number(struct parquet_texts *texts, const char *text, size_t bytes, bool stays);
const uint8_t *parquet_text(const struct parquet_texts *texts, uint32_t number, size_t *bytes);
/* Appends a text to a page. */
void parquet_put_text(struct td_byte_buffer *page, struct td_byte_buffer *repaired, const char *text,
                      size_t bytes);
