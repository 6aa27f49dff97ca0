/* Fields of events of a CTF trace. */
#include "host/agent/import/ctf_trace.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_BYTES 512
#define LEVELS     8
#define ELEMENTS   64        /* of an array are printed */
#define TEXT_BYTES (1 << 16) /* of an event, about */

struct path {
    char text[NAME_BYTES];
    size_t bytes;
};

static bool is_kind(const bt_field *field, bt_field_class_type kind)
{
    return bt_field_class_type_is(td_bt.bt_field_get_class_type(field), kind);
}

static int add_line(struct td_text *text, const struct path *path, const char *value)
{
    int bad = td_text_add(text, path->text, path->bytes);
    bad = bad ? bad : td_text_add(text, ": ", 2);
    bad = bad ? bad : td_text_add(text, value, strlen(value));
    return bad ? bad : td_text_add(text, "\n", 1);
}

static void print_unsigned(const bt_field *field, char *text, size_t room)
{
    const uint64_t value = td_bt.bt_field_integer_unsigned_get_value(field);
    const bool is_hex =
        td_bt.bt_field_class_integer_get_preferred_display_base(td_bt.bt_field_borrow_class_const(field)) ==
        BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL;
    snprintf(text, room, is_hex ? "0x%" PRIx64 : "%" PRIu64, value);
}

/* "LABEL (5)" for an enumeration, if it has one. */
static void print_label(const bt_field *field, bool is_signed, char *text, size_t room)
{
    bt_field_class_enumeration_mapping_label_array labels;
    uint64_t count = 0;
    char number[24];
    const int bad = is_signed
                        ? (int)td_bt.bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count)
                        : (int)td_bt.bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);
    if (is_signed)
        snprintf(number, sizeof number, "%" PRId64, td_bt.bt_field_integer_signed_get_value(field));
    else
        print_unsigned(field, number, sizeof number);
    if (bad || !count)
        snprintf(text, room, "%s", number);
    else
        snprintf(text, room, "%s (%s)", labels[0], number);
}

/* False: it is no single value. */
static bool print_value(const bt_field *field, char *text, size_t room)
{
    if (is_kind(field, BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION))
        print_label(field, true, text, room);
    else if (is_kind(field, BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION))
        print_label(field, false, text, room);
    else if (is_kind(field, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
        snprintf(text, room, "%" PRId64, td_bt.bt_field_integer_signed_get_value(field));
    else if (is_kind(field, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
        print_unsigned(field, text, room);
    else if (is_kind(field, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL))
        snprintf(text, room, "%.9g", (double)td_bt.bt_field_real_single_precision_get_value(field));
    else if (is_kind(field, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL))
        snprintf(text, room, "%.15g", td_bt.bt_field_real_double_precision_get_value(field));
    else if (is_kind(field, BT_FIELD_CLASS_TYPE_BOOL))
        snprintf(text, room, "%s", td_bt.bt_field_bool_get_value(field) ? "true" : "false");
    else if (is_kind(field, BT_FIELD_CLASS_TYPE_BIT_ARRAY))
        snprintf(text, room, "0x%" PRIx64, td_bt.bt_field_bit_array_get_value_as_integer(field));
    else
        return false;
    return true;
}

static int add_field(struct td_text *text, struct path *path, const bt_field *field, unsigned level);

static int add_structure(struct td_text *text, struct path *path, const bt_field *field, unsigned level)
{
    const bt_field_class *of = td_bt.bt_field_borrow_class_const(field);
    const uint64_t count = td_bt.bt_field_class_structure_get_member_count(of);
    const size_t before = path->bytes;
    int bad = 0;
    for (uint64_t i = 0; i < count && !bad; i++) {
        const bt_field_class_structure_member *member =
            td_bt.bt_field_class_structure_borrow_member_by_index_const(of, i);
        const int bytes = snprintf(path->text + before, NAME_BYTES - before, "%s%s", before ? "." : "",
                                   td_bt.bt_field_class_structure_member_get_name(member));
        path->bytes =
            before + ((size_t)bytes < NAME_BYTES - before ? (size_t)bytes : NAME_BYTES - before - 1);
        bad = add_field(text, path, td_bt.bt_field_structure_borrow_member_field_by_index_const(field, i),
                        level + 1);
    }
    path->bytes = before;
    return bad;
}

static int add_array(struct td_text *text, struct path *path, const bt_field *field, unsigned level)
{
    const uint64_t count = td_bt.bt_field_array_get_length(field);
    const size_t before = path->bytes;
    char rest[40];
    int bad = 0;
    for (uint64_t i = 0; i < count && i < ELEMENTS && !bad; i++) {
        const int bytes = snprintf(path->text + before, NAME_BYTES - before, "[%" PRIu64 "]", i);
        path->bytes =
            before + ((size_t)bytes < NAME_BYTES - before ? (size_t)bytes : NAME_BYTES - before - 1);
        bad = add_field(text, path, td_bt.bt_field_array_borrow_element_field_by_index_const(field, i),
                        level + 1);
    }
    path->bytes = before;
    if (bad || (count && count <= ELEMENTS))
        return bad;
    snprintf(rest, sizeof rest, "%" PRIu64 " elements", count);
    return add_line(text, path, rest);
}

static int add_field(struct td_text *text, struct path *path, const bt_field *field, unsigned level)
{
    char printed[600];
    if (!field || level > LEVELS || text->bytes > TEXT_BYTES)
        return 0;
    if (is_kind(field, BT_FIELD_CLASS_TYPE_STRING))
        return add_line(text, path, td_bt.bt_field_string_get_value(field));
    if (print_value(field, printed, sizeof printed))
        return add_line(text, path, printed);
    if (is_kind(field, BT_FIELD_CLASS_TYPE_STRUCTURE))
        return add_structure(text, path, field, level);
    if (is_kind(field, BT_FIELD_CLASS_TYPE_ARRAY))
        return add_array(text, path, field, level);
    if (is_kind(field, BT_FIELD_CLASS_TYPE_OPTION))
        return add_field(text, path, td_bt.bt_field_option_borrow_field_const(field), level + 1);
    if (is_kind(field, BT_FIELD_CLASS_TYPE_VARIANT))
        return add_field(text, path, td_bt.bt_field_variant_borrow_selected_option_field_const(field),
                         level + 1);
    return 0;
}

int td_ctf_add_fields(struct td_text *text, const bt_field *fields)
{
    struct path path = {.bytes = 0};
    return fields && is_kind(fields, BT_FIELD_CLASS_TYPE_STRUCTURE) ? add_structure(text, &path, fields, 0)
                                                                    : 0;
}

static const bt_field *member_of(const bt_field *fields, const char *name)
{
    return fields && is_kind(fields, BT_FIELD_CLASS_TYPE_STRUCTURE)
               ? td_bt.bt_field_structure_borrow_member_field_by_name_const(fields, name)
               : NULL;
}

bool td_ctf_number(const bt_field *fields, const char *name, int64_t *number)
{
    const bt_field *field = member_of(fields, name);
    if (!field)
        return false;
    if (is_kind(field, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
        *number = td_bt.bt_field_integer_signed_get_value(field);
    else if (is_kind(field, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
        *number = (int64_t)td_bt.bt_field_integer_unsigned_get_value(field);
    else
        return false;
    return true;
}

/* Older names of threads are arrays of letters, which the library gives as strings, too. */
const char *td_ctf_string(const bt_field *fields, const char *name)
{
    const bt_field *field = member_of(fields, name);
    return field && is_kind(field, BT_FIELD_CLASS_TYPE_STRING) ? td_bt.bt_field_string_get_value(field)
                                                               : NULL;
}
