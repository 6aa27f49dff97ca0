/* Writes messages of Protocol Buffers into memory (proto/protobuf.h). */
#pragma once
#include "host/base/plain_text.h"
#include "proto/protobuf.h"

static inline void protobuf_uint(struct td_byte_buffer *to, unsigned field, uint64_t value)
{
    td_byte_buffer_number(to, td_pb_key(field, TD_PB_VARINT));
    td_byte_buffer_number(to, value);
}

static inline void protobuf_fixed64(struct td_byte_buffer *to, unsigned field, uint64_t value)
{
    td_byte_buffer_number(to, td_pb_key(field, TD_PB_FIXED64));
    td_byte_buffer_le64(to, value);
}

static inline void protobuf_double(struct td_byte_buffer *to, unsigned field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    protobuf_fixed64(to, field, bits);
}

/* A message that is a field. Returns its place for protobuf_end(). */
static inline size_t protobuf_begin(struct td_byte_buffer *to, unsigned field)
{
    td_byte_buffer_number(to, td_pb_key(field, TD_PB_BYTES));
    td_byte_buffer_byte(to, 0);
    return to->used;
}

/* Most messages are short: then their length has one byte, and nothing moves. */
static inline void protobuf_end(struct td_byte_buffer *to, size_t place)
{
    uint8_t length[TD_NUMBER_BYTES];
    const size_t bytes = to->used - place, digits = td_number_bytes(length, bytes);
    if (digits > 1 && td_byte_buffer_extend(to, digits - 1))
        memmove(to->bytes + place + digits - 1, to->bytes + place, bytes);
    if (!to->failed)
        memcpy(to->bytes + place - 1, length, digits);
}

static inline void protobuf_text(struct td_byte_buffer *to, unsigned field, const char *text, size_t bytes)
{
    const size_t place = protobuf_begin(to, field);
    td_utf8_append(to, text, bytes);
    protobuf_end(to, place);
}

/* A text that ends in NUL. */
static inline void protobuf_name(struct td_byte_buffer *to, unsigned field, const char *text)
{
    protobuf_text(to, field, text, strlen(text));
}
