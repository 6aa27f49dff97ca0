/* Debug annotations of Perfetto's events, as lines "NAME: VALUE". */
#include "host/agent/import/perfetto_trace.h"

#include <inttypes.h>
#include <stdio.h>

#define NAME_BYTES 1024
#define LEVELS     16
#define TEXT_BYTES (1 << 20) /* of an event */

struct path { /* of a value in dictionaries and arrays */
    char text[NAME_BYTES];
    size_t bytes;
};

static void enter(struct path *path, struct td_timeline_id name)
{
    const bool is_first = !path->bytes;
    const int bytes =
        snprintf(path->text + path->bytes, NAME_BYTES - path->bytes, "%s%.*s", is_first ? "" : ".",
                 (int)(name.bytes < NAME_BYTES ? name.bytes : NAME_BYTES), name.at);
    path->bytes += (size_t)bytes < NAME_BYTES - path->bytes ? (size_t)bytes : NAME_BYTES - path->bytes - 1;
}

static void enter_element(struct path *path, unsigned number)
{
    const int bytes = snprintf(path->text + path->bytes, NAME_BYTES - path->bytes, "[%u]", number);
    path->bytes += (size_t)bytes < NAME_BYTES - path->bytes ? (size_t)bytes : NAME_BYTES - path->bytes - 1;
}

static void leave(struct path *path, size_t bytes)
{
    path->bytes = bytes;
    path->text[bytes] = 0;
}

static int add_line(struct td_text *text, const struct path *path, struct td_timeline_id value)
{
    if (text->bytes > TEXT_BYTES)
        return TD_E_FORMAT;
    int bad = td_text_add(text, path->text, path->bytes);
    bad = bad ? bad : td_text_add(text, ": ", 2);
    bad = bad ? bad : td_text_add(text, value.at, value.bytes);
    return bad ? bad : td_text_add(text, "\n", 1);
}

static int add_printed(struct td_text *text, const struct path *path, const char *printed)
{
    return add_line(text, path, (struct td_timeline_id){printed, strlen(printed)});
}

/* ---- older dictionaries and arrays */

static int add_nested(struct td_text *text, struct path *path, struct td_pb_reader message, unsigned level);

/* Keys of a dictionary come apart from its values. */
static struct td_timeline_id next_key(struct td_pb_reader *keys)
{
    struct td_pb_field field;
    while (td_pb_next(keys, &field))
        if (field.number == TD_PF_NESTED_KEYS)
            return td_pb_text(&field);
    return (struct td_timeline_id){"", 0};
}

static int add_nested_value(struct td_text *text, struct path *path, const struct td_pb_field *field)
{
    char printed[40];
    switch (field->number) {
    case TD_PF_NESTED_INT:
        snprintf(printed, sizeof printed, "%" PRId64, (int64_t)field->value);
        return add_printed(text, path, printed);
    case TD_PF_NESTED_DOUBLE:
        snprintf(printed, sizeof printed, "%.15g", td_pb_double(field));
        return add_printed(text, path, printed);
    case TD_PF_NESTED_BOOL:
        return add_printed(text, path, field->value ? "true" : "false");
    case TD_PF_NESTED_TEXT:
        return add_line(text, path, td_pb_text(field));
    default:
        return 0;
    }
}

static int add_nested(struct td_text *text, struct path *path, struct td_pb_reader message, unsigned level)
{
    struct td_pb_reader keys = message;
    const size_t before = path->bytes;
    struct td_pb_field field;
    unsigned elements = 0;
    int bad = 0;
    if (level == LEVELS)
        return TD_E_FORMAT;
    while (!bad && td_pb_next(&message, &field)) {
        if (field.number == TD_PF_NESTED_VALUES) {
            enter(path, next_key(&keys));
            bad = add_nested(text, path, field.message, level + 1);
        } else if (field.number == TD_PF_NESTED_ELEMENTS) {
            enter_element(path, elements++);
            bad = add_nested(text, path, field.message, level + 1);
        } else {
            bad = add_nested_value(text, path, &field);
        }
        leave(path, before);
    }
    return bad ? bad : message.is_damaged ? TD_E_FORMAT : 0;
}

/* ---- annotations */

static struct td_timeline_id interned_text(const struct td_perfetto *perfetto,
                                           const struct td_pf_sequence *sequence, enum td_pf_strings kind,
                                           uint64_t iid)
{
    const uint32_t string = td_pf_interned_string(sequence, kind, iid);
    return (struct td_timeline_id){td_dict_text(perfetto->dict, string),
                                   td_dict_text_bytes(perfetto->dict, string)};
}

static struct td_timeline_id name_of(const struct td_perfetto *perfetto,
                                     const struct td_pf_sequence *sequence, struct td_pb_reader message)
{
    struct td_timeline_id name = {"", 0};
    struct td_pb_field field;
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PF_ANNOTATION_NAME)
            name = td_pb_text(&field);
        if (field.number == TD_PF_ANNOTATION_NAME_IID)
            name = interned_text(perfetto, sequence, TD_PF_STRINGS_ANNOTATION_NAMES, field.value);
    }
    return name;
}

static int add_value(struct td_perfetto *perfetto, const struct td_pf_sequence *sequence, struct path *path,
                     const struct td_pb_field *field)
{
    char printed[40];
    struct td_text *text = &perfetto->text;
    switch (field->number) {
    case TD_PF_ANNOTATION_BOOL:
        return add_printed(text, path, field->value ? "true" : "false");
    case TD_PF_ANNOTATION_UINT:
        snprintf(printed, sizeof printed, "%" PRIu64, field->value);
        return add_printed(text, path, printed);
    case TD_PF_ANNOTATION_INT:
        snprintf(printed, sizeof printed, "%" PRId64, (int64_t)field->value);
        return add_printed(text, path, printed);
    case TD_PF_ANNOTATION_DOUBLE:
        snprintf(printed, sizeof printed, "%.15g", td_pb_double(field));
        return add_printed(text, path, printed);
    case TD_PF_ANNOTATION_POINTER:
        snprintf(printed, sizeof printed, "0x%" PRIx64, field->value);
        return add_printed(text, path, printed);
    case TD_PF_ANNOTATION_TEXT:
    case TD_PF_ANNOTATION_LEGACY_JSON:
        return add_line(text, path, td_pb_text(field));
    case TD_PF_ANNOTATION_TEXT_IID:
        return add_line(text, path,
                        interned_text(perfetto, sequence, TD_PF_STRINGS_ANNOTATION_TEXTS, field->value));
    case TD_PF_ANNOTATION_NESTED:
        return add_nested(text, path, field->message, 0);
    case TD_PF_ANNOTATION_MESSAGE:
        snprintf(printed, sizeof printed, "%zu bytes", (size_t)(field->message.end - field->message.at));
        return add_printed(text, path, printed);
    default:
        return 0;
    }
}

static int add_annotation(struct td_perfetto *perfetto, const struct td_pf_sequence *sequence,
                          struct path *path, struct td_pb_reader message, unsigned level)
{
    const size_t before = path->bytes;
    struct td_pb_field field;
    unsigned elements = 0;
    int bad = 0;
    if (level == LEVELS)
        return TD_E_FORMAT;
    while (!bad && td_pb_next(&message, &field)) {
        if (field.number == TD_PF_ANNOTATION_ENTRIES) {
            enter(path, name_of(perfetto, sequence, field.message));
            bad = add_annotation(perfetto, sequence, path, field.message, level + 1);
        } else if (field.number == TD_PF_ANNOTATION_ELEMENTS) {
            enter_element(path, elements++);
            bad = add_annotation(perfetto, sequence, path, field.message, level + 1);
        } else {
            bad = add_value(perfetto, sequence, path, &field);
        }
        leave(path, before);
    }
    return bad ? bad : message.is_damaged ? TD_E_FORMAT : 0;
}

int td_pf_add_annotation(struct td_perfetto *perfetto, const struct td_pf_sequence *sequence,
                         struct td_pb_reader annotation)
{
    struct path path = {.bytes = 0};
    enter(&path, name_of(perfetto, sequence, annotation));
    return add_annotation(perfetto, sequence, &path, annotation, 0);
}

bool td_pf_annotation_number(const struct td_perfetto *perfetto, const struct td_pf_sequence *sequence,
                             struct td_pb_reader annotation, struct td_timeline_id *name, double *value)
{
    struct td_pb_field field;
    *name = name_of(perfetto, sequence, annotation);
    while (td_pb_next(&annotation, &field))
        switch (field.number) {
        case TD_PF_ANNOTATION_UINT:
            *value = (double)field.value;
            return true;
        case TD_PF_ANNOTATION_INT:
            *value = (double)(int64_t)field.value;
            return true;
        case TD_PF_ANNOTATION_DOUBLE:
            *value = td_pb_double(&field);
            return true;
        default:
            break;
        }
    return false;
}
