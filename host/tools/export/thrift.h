/* Writes structs by Thrift's compact protocol. Fields of a struct are written in the order of their numbers. */
#pragma once
#include "host/base/byte_buffer.h"

#define THRIFT_DEPTH 8 /* structs in structs */

struct thrift { /* all zero but for `to`: at the beginning */
    struct td_byte_buffer *to;
    int16_t last[THRIFT_DEPTH];
    unsigned depth;
};

enum thrift_item { THRIFT_I32 = 5, THRIFT_TEXT = 8, THRIFT_STRUCT = 12 };

void thrift_byte(struct thrift *t, int field, int8_t value);
void thrift_i16(struct thrift *t, int field, int16_t value);
void thrift_i32(struct thrift *t, int field, int32_t value);
void thrift_i64(struct thrift *t, int field, int64_t value);
void thrift_bool(struct thrift *t, int field, bool value);
void thrift_text(struct thrift *t, int field, const void *text, size_t bytes);
/* A struct that is a field; an item of a list has the field 0, as has the outermost struct. */
void thrift_begin(struct thrift *t, int field);
void thrift_end(struct thrift *t);
/* `count` items follow, each by one of the next functions, or by thrift_begin(). */
void thrift_list(struct thrift *t, int field, enum thrift_item item, size_t count);
void thrift_item_i32(struct thrift *t, int32_t value);
void thrift_item_text(struct thrift *t, const char *text);
