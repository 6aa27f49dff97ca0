#include "host/tools/export/thrift.h"

enum {
    IS_TRUE = 1,
    IS_FALSE = 2,
    IS_BYTE = 3,
    IS_I16 = 4,
    IS_I32 = 5,
    IS_I64 = 6,
    IS_TEXT = 8,
    IS_LIST = 9,
    IS_STRUCT = 12
};

/* The number of the field is relative to that of the field before it. */
static void put_field(struct thrift *t, int field, uint8_t type)
{
    int16_t *last = &t->last[t->depth];
    const int more = field - *last;
    if (more > 0 && more < 16) {
        td_byte_buffer_byte(t->to, (uint8_t)(more << 4 | type));
    } else {
        td_byte_buffer_byte(t->to, type);
        td_byte_buffer_signed(t->to, field);
    }
    *last = (int16_t)field;
}

static void put_number(struct thrift *t, int field, uint8_t type, int64_t value)
{
    put_field(t, field, type);
    td_byte_buffer_signed(t->to, value);
}

void thrift_byte(struct thrift *t, int field, int8_t value)
{
    put_field(t, field, IS_BYTE);
    td_byte_buffer_byte(t->to, (uint8_t)value);
}

void thrift_i16(struct thrift *t, int field, int16_t value)
{
    put_number(t, field, IS_I16, value);
}

void thrift_i32(struct thrift *t, int field, int32_t value)
{
    put_number(t, field, IS_I32, value);
}

void thrift_i64(struct thrift *t, int field, int64_t value)
{
    put_number(t, field, IS_I64, value);
}

void thrift_bool(struct thrift *t, int field, bool value)
{
    put_field(t, field, value ? IS_TRUE : IS_FALSE);
}

static void put_text(struct thrift *t, const void *text, size_t bytes)
{
    td_byte_buffer_number(t->to, bytes);
    td_byte_buffer_append(t->to, text, bytes);
}

void thrift_text(struct thrift *t, int field, const void *text, size_t bytes)
{
    put_field(t, field, IS_TEXT);
    put_text(t, text, bytes);
}

void thrift_begin(struct thrift *t, int field)
{
    if (field)
        put_field(t, field, IS_STRUCT);
    t->last[++t->depth] = 0;
}

void thrift_end(struct thrift *t)
{
    td_byte_buffer_byte(t->to, 0);
    t->depth--;
}

void thrift_list(struct thrift *t, int field, enum thrift_item item, size_t count)
{
    put_field(t, field, IS_LIST);
    td_byte_buffer_byte(t->to, (uint8_t)((count < 15 ? count : 15) << 4 | item));
    if (count >= 15)
        td_byte_buffer_number(t->to, count);
}

void thrift_item_i32(struct thrift *t, int32_t value)
{
    td_byte_buffer_signed(t->to, value);
}

void thrift_item_text(struct thrift *t, const char *text)
{
    put_text(t, text, strlen(text));
}
