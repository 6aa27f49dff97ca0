/* Bytes that grow, and numbers in them: seven bits a byte, the lowest first, and a set bit where more follow. */
#pragma once
#include "host/base/grow.h"

#include <stdbool.h>

struct td_byte_buffer { /* all zero: empty */
    uint8_t *bytes;
    size_t used, room;
    bool failed; /* there was no memory: what was appended then is missing */
};

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

static inline void td_byte_buffer_number(struct td_byte_buffer *b, uint32_t number)
{
    uint8_t bytes[5];
    size_t count = 0;
    for (; number >= 0x80; number >>= 7)
        bytes[count++] = (uint8_t)(number | 0x80);
    bytes[count++] = (uint8_t)number;
    uint8_t *to = td_byte_buffer_extend(b, count);
    if (to)
        memcpy(to, bytes, count);
}

/* A number with a sign: 0, -1, 1, -2 ... become 0, 1, 2, 3 ... */
static inline void td_byte_buffer_signed(struct td_byte_buffer *b, int32_t number)
{
    td_byte_buffer_number(b, (uint32_t)number << 1 ^ (number < 0 ? UINT32_MAX : 0));
}

static inline void td_byte_buffer_free(struct td_byte_buffer *b)
{
    free(b->bytes);
    *b = (struct td_byte_buffer){0};
}
