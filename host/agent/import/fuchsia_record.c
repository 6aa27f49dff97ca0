#include "host/agent/import/fuchsia_record.h"
#include "proto/fuchsia.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

void td_fxt_tables_free(struct td_fxt_tables *tables)
{
    td_map_finish(&tables->strings);
    td_map_finish(&tables->names);
}

bool td_fxt_word(struct td_fxt_reader *reader, uint64_t *word)
{
    if (reader->at >= reader->count)
        return false;
    *word = reader->words[reader->at++];
    return true;
}

bool td_fxt_bytes(struct td_fxt_reader *reader, size_t bytes, uint32_t *string)
{
    char text[1 << 15];
    const size_t words = (bytes + 7) / 8;
    if (bytes >= sizeof text || words > reader->count - reader->at)
        return false;
    for (size_t i = 0; i < bytes; i++)
        text[i] = (char)(reader->words[reader->at + i / 8] >> i % 8 * 8);
    reader->at += words;
    *string = td_dict_string(reader->dict, text, strnlen(text, bytes));
    return true;
}

bool td_fxt_string(struct td_fxt_reader *reader, uint64_t reference, uint32_t *string)
{
    *string = 0;
    if (reference & 0x8000)
        return td_fxt_bytes(reader, reference & 0x7fff, string);
    if (!reference)
        return true;
    *string = td_map_get(&reader->tables->strings, reference, UINT32_MAX);
    if (*string == UINT32_MAX)
        *string = td_dict_cstring(reader->dict, TD_DICT_UNKNOWN);
    return true;
}

bool td_fxt_thread(struct td_fxt_reader *reader, uint64_t reference, uint64_t *process, uint64_t *thread)
{
    if (!reference)
        return td_fxt_word(reader, process) && td_fxt_word(reader, thread);
    *process = reader->tables->threads[reference & 255].process;
    *thread = reader->tables->threads[reference & 255].thread;
    return reader->tables->known_threads[reference / 64 & 3] >> reference % 64 & 1;
}

bool td_fxt_read_scheduling(struct td_fxt_reader *reader, uint64_t header, struct td_fxt_scheduling *change)
{
    uint64_t process;
    *change = (struct td_fxt_scheduling){.type = td_fxt_bits(header, 60, 4),
                                         .cpu = td_fxt_bits(header, 20, 16),
                                         .state = td_fxt_bits(header, 36, 4)};
    if (change->type > TD_FXT_WAKEUP || !td_fxt_word(reader, &change->ticks))
        return false;
    if (change->type == TD_FXT_WAKEUP)
        return td_fxt_word(reader, &change->in);
    if (change->type == TD_FXT_SWITCH)
        return td_fxt_word(reader, &change->out) && td_fxt_word(reader, &change->in);
    change->cpu = td_fxt_bits(header, 16, 8);
    change->state = td_fxt_bits(header, 24, 4);
    return td_fxt_thread(reader, td_fxt_bits(header, 28, 8), &process, &change->out) &&
           td_fxt_thread(reader, td_fxt_bits(header, 36, 8), &process, &change->in);
}

bool td_fxt_time(const struct td_fxt_tables *tables, uint64_t ticks, int64_t *ns)
{
    const uint64_t second = tables->ticks_a_second ? tables->ticks_a_second : SECOND_NS;
    const uint64_t rest = ticks % second;
    if (ticks / second > (uint64_t)INT64_MAX / SECOND_NS - 1)
        return false;
    const uint64_t part = rest > UINT64_MAX / SECOND_NS
                              ? (uint64_t)((long double)rest * (long double)SECOND_NS / (long double)second)
                              : rest * SECOND_NS / second;
    *ns = (int64_t)(ticks / second * SECOND_NS + part);
    return true;
}

/* ---- arguments */

static bool read_value(struct td_fxt_reader *reader, uint64_t header, struct td_fxt_value *value)
{
    switch (value->type) {
    case TD_FXT_ARG_INT32:
        value->i64 = (int32_t)(header >> 32);
        return true;
    case TD_FXT_ARG_UINT32:
    case TD_FXT_ARG_BYTES:
        value->u64 = header >> 32;
        return true;
    case TD_FXT_ARG_BOOL:
        value->u64 = header >> 32 & 1;
        return true;
    case TD_FXT_ARG_TEXT:
        return td_fxt_string(reader, td_fxt_bits(header, 32, 16), &value->text);
    case TD_FXT_ARG_DOUBLE:
    case TD_FXT_ARG_INT64:
    case TD_FXT_ARG_UINT64:
    case TD_FXT_ARG_POINTER:
    case TD_FXT_ARG_KOID:
        return td_fxt_word(reader, &value->u64); /* the bytes of a double, too */
    default:
        return true;
    }
}

bool td_fxt_next_argument(struct td_fxt_reader *reader, struct td_fxt_value *value)
{
    const size_t begin = reader->at, end_of_record = reader->count;
    uint64_t header;
    *value = (struct td_fxt_value){0};
    if (!td_fxt_word(reader, &header))
        return false;
    const size_t words = td_fxt_bits(header, 4, 12);
    if (!words || words > end_of_record - begin)
        return false;
    reader->count = begin + words; /* it must not leave the argument, either */
    value->type = (uint32_t)td_fxt_bits(header, 0, 4);
    const bool good =
        td_fxt_string(reader, td_fxt_bits(header, 16, 16), &value->name) && read_value(reader, header, value);
    reader->count = end_of_record;
    reader->at = begin + words;
    return good;
}

bool td_fxt_number(const struct td_fxt_value *value, double *number)
{
    switch (value->type) {
    case TD_FXT_ARG_INT32:
    case TD_FXT_ARG_INT64:
        *number = (double)value->i64;
        return true;
    case TD_FXT_ARG_UINT32:
    case TD_FXT_ARG_UINT64:
        *number = (double)value->u64;
        return true;
    case TD_FXT_ARG_DOUBLE:
        *number = value->f64;
        return isfinite(value->f64);
    default:
        return false;
    }
}

static void print_object(const struct td_fxt_reader *reader, const struct td_fxt_value *value, char *text,
                         size_t room)
{
    const uint32_t name = td_map_get(&reader->tables->names, value->u64, 0);
    const char *format = value->type == TD_FXT_ARG_KOID ? "%" PRIu64 "%s%s%s" : "0x%" PRIx64 "%s%s%s";
    snprintf(text, room, format, value->u64, name ? " (" : "", td_dict_text(reader->dict, name),
             name ? ")" : "");
}

void td_fxt_value_text(const struct td_fxt_reader *reader, const struct td_fxt_value *value, char *text,
                       size_t room)
{
    *text = 0;
    switch (value->type) {
    case TD_FXT_ARG_INT32:
    case TD_FXT_ARG_INT64:
        snprintf(text, room, "%" PRId64, value->i64);
        break;
    case TD_FXT_ARG_UINT32:
    case TD_FXT_ARG_UINT64:
        snprintf(text, room, "%" PRIu64, value->u64);
        break;
    case TD_FXT_ARG_DOUBLE:
        snprintf(text, room, "%.15g", value->f64);
        break;
    case TD_FXT_ARG_TEXT:
        snprintf(text, room, "%s", td_dict_text(reader->dict, value->text));
        break;
    case TD_FXT_ARG_POINTER:
    case TD_FXT_ARG_KOID:
        print_object(reader, value, text, room);
        break;
    case TD_FXT_ARG_BOOL:
        snprintf(text, room, "%s", value->u64 ? "true" : "false");
        break;
    case TD_FXT_ARG_BYTES:
        snprintf(text, room, "%" PRIu64 " bytes", value->u64);
        break;
    default:
        break;
    }
}
