/* The file's representation of the model's values: numbers of strings and threads, keys of names, times in
 * its range. */
#include "host/base/grow.h"
#include "host/file/writer.h"
#include "host/trace/work.h"

#define POINTER_BASE UINT64_C(0x10000) /* of keys; key 0 is the base frame set, or none */

static uint32_t add_string(struct writer *w, uint32_t string)
{
    if (td_trace_work_grow(w->trace, &w->strings, &w->string_capacity, (size_t)w->string_count + 1,
                           sizeof *w->strings) < 0) {
        w->failed = 1;
        return 0;
    }
    w->strings[w->string_count] = string;
    return w->string_count++;
}

uint32_t td_writer_string_(struct writer *w, uint32_t string)
{
    if (string >= td_dict_string_count(w->dict))
        string = 0;
    if (w->string_number[string] != UINT32_MAX)
        return w->string_number[string];
    if (w->string_count >= TD_FILE_STRING_LIMIT ||
        td_dict_text_bytes(w->dict, string) >= TD_FILE_STRING_BYTES_LIMIT) {
        w->notice.dropped_texts++;
        return w->dropped_string;
    }
    return w->string_number[string] = add_string(w, string);
}

uint32_t td_writer_own_string_(struct writer *w, const char *text)
{
    char *copy = strdup(text);
    if (!copy || td_grow(&w->own, &w->own_capacity, w->own_count + 1, sizeof *w->own) < 0) {
        free(copy);
        w->failed = 1;
        return 0;
    }
    w->own[w->own_count] = copy;
    return add_string(w, td_dict_string_count(w->dict) + (uint32_t)w->own_count++);
}

const char *td_writer_text_(const struct writer *w, uint32_t number, size_t *bytes)
{
    uint32_t known = td_dict_string_count(w->dict), string = w->strings[number];
    if (string < known) {
        *bytes = td_dict_text_bytes(w->dict, string);
        return td_dict_text(w->dict, string);
    }
    *bytes = strlen(w->own[string - known]);
    return w->own[string - known];
}

uint64_t td_writer_pointer_(struct writer *w, uint32_t string)
{
    return POINTER_BASE + td_writer_string_(w, string);
}

void td_writer_reference_(struct writer *w, uint32_t number)
{
    td_out_u64(&w->out, number);
    td_out_u8(&w->out, TD_FILE_REF_INDEX);
}

/* The number of a thread in a table; the next one if it has none yet. Threads for which there are no more
 * numbers get 0 in the map, so that each is counted once. */
static uint16_t number_of(struct writer *w, uint64_t thread, struct td_map *map, uint64_t **threads,
                          size_t *count, size_t *capacity)
{
    uint32_t number = td_map_get(map, thread, UINT32_MAX);
    if (number != UINT32_MAX)
        return (uint16_t)number;
    if (*count > TD_FILE_THREAD_LIMIT) {
        w->dropped[TD_DROPPED_THREADS]++;
        w->failed |= td_map_add(map, thread, 0) < 0;
        return 0;
    }
    if (td_grow(threads, capacity, *count + 1, sizeof **threads) < 0 ||
        td_map_add(map, thread, (uint32_t)*count) < 0) {
        w->failed = 1;
        return 0;
    }
    (*threads)[*count] = thread;
    return (uint16_t)(*count)++;
}

uint16_t td_writer_thread_(struct writer *w, uint64_t thread)
{
    return number_of(w, thread, &w->thread_map, &w->threads, &w->thread_count, &w->thread_capacity);
}

uint16_t td_writer_foreign_(struct writer *w, uint64_t thread)
{
    return number_of(w, thread, &w->foreign_map, &w->foreign, &w->foreign_count, &w->foreign_capacity);
}

int64_t td_writer_time_(struct writer *w, int64_t time_ns)
{
    if (time_ns == TD_OPEN)
        return -1;
    if (time_ns >= 0 && time_ns < TD_FILE_TIME_LIMIT)
        return time_ns;
    w->notice.clamped_times++;
    return time_ns < 0 ? 0 : TD_FILE_TIME_LIMIT - 1;
}
