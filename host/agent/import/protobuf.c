#include "host/agent/import/protobuf.h"

#include <endian.h>
#include <string.h>

bool td_pb_varint(struct td_pb_reader *reader, uint64_t *value)
{
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 70 && reader->at < reader->end; shift += 7) {
        const uint64_t byte = *reader->at++;
        if (shift < 64)
            sum |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *value = sum;
            return true;
        }
    }
    reader->is_damaged = true;
    return false;
}

static bool take_fixed(struct td_pb_reader *reader, size_t bytes, uint64_t *value)
{
    uint64_t word = 0;
    if ((size_t)(reader->end - reader->at) < bytes)
        return false;
    memcpy(&word, reader->at, bytes);
    reader->at += bytes;
    *value = le64toh(word);
    return true;
}

static bool take_value(struct td_pb_reader *reader, struct td_pb_field *field)
{
    switch (field->wire) {
    case TD_PB_VARINT:
        return td_pb_varint(reader, &field->value);
    case TD_PB_FIXED64:
        return take_fixed(reader, 8, &field->value);
    case TD_PB_FIXED32:
        return take_fixed(reader, 4, &field->value);
    case TD_PB_BYTES:
        if (!td_pb_varint(reader, &field->value) || field->value > (size_t)(reader->end - reader->at))
            return false;
        field->message = td_pb_read(reader->at, (size_t)field->value);
        reader->at += field->value;
        return true;
    default:
        return false;
    }
}

bool td_pb_next(struct td_pb_reader *reader, struct td_pb_field *field)
{
    uint64_t key;
    if (reader->is_damaged || reader->at >= reader->end)
        return false;
    if (!td_pb_varint(reader, &key))
        return false;
    *field = (struct td_pb_field){.number = (uint32_t)(key >> 3), .wire = (uint32_t)(key & 7)};
    reader->is_damaged = key >> 3 == 0 || key >> 32 != 0 || !take_value(reader, field);
    return !reader->is_damaged;
}

struct td_timeline_id td_pb_text(const struct td_pb_field *field)
{
    const char *at = (const char *)field->message.at;
    if (!at || at == (const char *)field->message.end)
        return (struct td_timeline_id){"", 0};
    return (struct td_timeline_id){at, strnlen(at, (size_t)(field->message.end - field->message.at))};
}

double td_pb_double(const struct td_pb_field *field)
{
    double value = 0;
    float small;
    const uint32_t bits = (uint32_t)field->value;
    if (field->wire == TD_PB_FIXED64)
        memcpy(&value, &field->value, sizeof value);
    if (field->wire == TD_PB_FIXED32) {
        memcpy(&small, &bits, sizeof small);
        value = (double)small;
    }
    return value;
}

struct td_pb_numbers td_pb_list(const struct td_pb_field *field, bool is_fixed)
{
    return (struct td_pb_numbers){.packed = field->message,
                                  .single = field->value,
                                  .has_single = field->wire != TD_PB_BYTES,
                                  .is_fixed = is_fixed};
}

bool td_pb_next_number(struct td_pb_numbers *numbers, uint64_t *value)
{
    if (numbers->has_single) {
        numbers->has_single = false;
        *value = numbers->single;
        return true;
    }
    if (numbers->packed.at == numbers->packed.end)
        return false;
    return numbers->is_fixed ? take_fixed(&numbers->packed, 8, value) : td_pb_varint(&numbers->packed, value);
}
