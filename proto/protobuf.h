/* Protocol Buffers, as bytes. A message is a list of fields: a varint with the field's number and wire type, then the
 * value. A varint has seven bits a byte, the least significant first; the highest bit is set in all but the last byte.
 * Negative numbers have ten bytes. Fields of 0 and empty texts may be left out. */
#pragma once

enum td_pb_wire {
    TD_PB_VARINT = 0,
    TD_PB_FIXED64 = 1, /* little-endian, also doubles */
    TD_PB_BYTES = 2,   /* a varint with the length, then the bytes: texts, messages, packed numbers */
    TD_PB_GROUP = 3,   /* until TD_PB_GROUP_END; not used any more */
    TD_PB_GROUP_END = 4,
    TD_PB_FIXED32 = 5
};

static inline unsigned td_pb_key(unsigned field, enum td_pb_wire wire)
{
    return field << 3 | (unsigned)wire;
}
