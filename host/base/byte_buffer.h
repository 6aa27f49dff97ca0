/* Bytes that grow, and numbers in them. After a failure (no memory), what is appended is missing: `failed` is looked at
 * once, in the end. */
#pragma once
#include "host/base/grow.h"

#include <stdbool.h>

struct td_byte_buffer { /* all zero: empty */
    uint8_t *bytes;
    size_t used, room;
    bool failed;
};

static inline void td_byte_buffer_free(struct td_byte_buffer *b)
{
    free(b->bytes);
    *b = (struct td_byte_buffer){0};
}

/* Room for `bytes` more bytes, which are used then. NULL: no memory, now or before. */
static inline uint8_t *td_byte_buffer_extend(struct td_byte_buffer *b, size_t bytes)
{
    if (b->failed || td_grow(&b->bytes, &b->room, b->used + bytes, 1) < 0) {
        b->failed = true;
        return NULL;
    }
    b->used += bytes;
    return b->bytes + b->used - bytes;
}

static inline void td_byte_buffer_append(struct td_byte_buffer *b, const void *bytes, size_t count)
{
    uint8_t *to = count ? td_byte_buffer_extend(b, count) : NULL;
    if (to)
        memcpy(to, bytes, count);
}

static inline void td_byte_buffer_byte(struct td_byte_buffer *b, uint8_t byte)
{
    td_byte_buffer_append(b, &byte, 1);
}

/* Seven bits a byte, the lowest first, and a set bit where more follow. Returns the number of bytes. */
#define TD_NUMBER_BYTES 10
static inline size_t td_number_bytes(uint8_t bytes[TD_NUMBER_BYTES], uint64_t number)
{
    size_t count = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[count++] = (uint8_t)(number | 0x80);
    bytes[count++] = (uint8_t)number;
    return count;
}

static inline void td_byte_buffer_number(struct td_byte_buffer *b, uint64_t number)
{
    uint8_t bytes[TD_NUMBER_BYTES];
    td_byte_buffer_append(b, bytes, td_number_bytes(bytes, number));
}

/* A number with a sign: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static inline void td_byte_buffer_signed(struct td_byte_buffer *b, int64_t number)
{
    td_byte_buffer_number(b, (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0));
}

/* Four and eight bytes, the lowest first. */
static inline void td_byte_buffer_le32(struct td_byte_buffer *b, uint32_t number)
{
    const uint8_t bytes[] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16),
                             (uint8_t)(number >> 24)};
    td_byte_buffer_append(b, bytes, sizeof bytes);
}

static inline void td_byte_buffer_le64(struct td_byte_buffer *b, uint64_t number)
{
    td_byte_buffer_le32(b, (uint32_t)number);
    td_byte_buffer_le32(b, (uint32_t)(number >> 32));
}
