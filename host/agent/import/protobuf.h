/* Reads the fields of a message of Protocol Buffers (proto/protobuf.h). Bytes may be hostile: a reader that would leave its
 * message is damaged, and has no more fields. */
#pragma once
#include "host/agent/import/timeline.h"
#include "proto/protobuf.h"

#include <stdbool.h>
#include <stdint.h>

struct td_pb_reader {
    const uint8_t *at, *end;
    bool is_damaged;
};

struct td_pb_field {
    uint32_t number;
    uint32_t wire;               /* enum td_pb_wire */
    uint64_t value;              /* of all types but TD_PB_BYTES */
    struct td_pb_reader message; /* of TD_PB_BYTES: its bytes; else empty */
};

static inline struct td_pb_reader td_pb_read(const uint8_t *bytes, size_t count)
{
    return (struct td_pb_reader){.at = bytes, .end = count ? bytes + count : bytes};
}
/* False: there is none, or the message is damaged. Groups, which nobody writes, are damage. */
bool td_pb_next(struct td_pb_reader *reader, struct td_pb_field *field);
/* Reads a varint. False: it is damaged, or cut off. */
bool td_pb_varint(struct td_pb_reader *reader, uint64_t *value);

/* The field as a text: up to the first NUL. */
struct td_timeline_id td_pb_text(const struct td_pb_field *field);
double td_pb_double(const struct td_pb_field *field);

/* The numbers of a repeated field, which may be packed: each field of that number has some, or one. */
struct td_pb_numbers {
    struct td_pb_reader packed;
    uint64_t single;
    bool has_single, is_fixed;
};
/* is_fixed: packed ones have eight bytes each. */
struct td_pb_numbers td_pb_list(const struct td_pb_field *field, bool is_fixed);
bool td_pb_next_number(struct td_pb_numbers *numbers, uint64_t *value);
