/* Bytes that grow, for what is written in pieces into memory. After a failure (no memory) further pieces are ignored:
 * `failed` is looked at once, in the end. */
#pragma once
#include "host/base/grow.h"

#include <stdbool.h>

struct td_byte_buffer { /* all zero: empty */
    uint8_t *at;
    size_t bytes, room;
    bool failed;
};

static inline void td_byte_buffer_free(struct td_byte_buffer *b)
{
    free(b->at);
    *b = (struct td_byte_buffer){0};
}

/* Room for `bytes` more bytes, which are then added. NULL: no memory, now or before. */
static inline uint8_t *td_byte_buffer_add(struct td_byte_buffer *b, size_t bytes)
{
    if (b->failed || td_grow(&b->at, &b->room, b->bytes + bytes, 1) < 0) {
        b->failed = true;
        return NULL;
    }
    b->bytes += bytes;
    return b->at + b->bytes - bytes;
}

static inline void td_byte_buffer_put(struct td_byte_buffer *b, const void *data, size_t bytes)
{
    uint8_t *to = td_byte_buffer_add(b, bytes);
    if (to && bytes)
        memcpy(to, data, bytes);
}

static inline void td_byte_buffer_put_byte(struct td_byte_buffer *b, uint8_t byte)
{
    td_byte_buffer_put(b, &byte, 1);
}

/* Seven bits a byte, the least significant first; the highest bit is set in all but the last. */
#define TD_VARINT_BYTES 10
static inline size_t td_varint(uint8_t to[TD_VARINT_BYTES], uint64_t value)
{
    size_t bytes = 0;
    for (; value >= 0x80; value >>= 7)
        to[bytes++] = (uint8_t)(value | 0x80);
    to[bytes++] = (uint8_t)value;
    return bytes;
}

static inline void td_byte_buffer_put_varint(struct td_byte_buffer *b, uint64_t value)
{
    uint8_t text[TD_VARINT_BYTES];
    td_byte_buffer_put(b, text, td_varint(text, value));
}

/* Small numbers of either sign become small ones without. */
static inline uint64_t td_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline void td_byte_buffer_put_le32(struct td_byte_buffer *b, uint32_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                             (uint8_t)(value >> 24)};
    td_byte_buffer_put(b, bytes, sizeof bytes);
}

static inline void td_byte_buffer_put_le64(struct td_byte_buffer *b, uint64_t value)
{
    td_byte_buffer_put_le32(b, (uint32_t)value);
    td_byte_buffer_put_le32(b, (uint32_t)(value >> 32));
}
