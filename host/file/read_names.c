/* Strings, threads and source locations of a trace file, to which later sections refer by number. */
#include "host/base/grow.h"
#include "host/file/convention.h"
#include "host/file/reader.h"

#include <stdlib.h>

uint32_t td_reader_string_(struct reader *r, uint32_t number)
{
    if (number == 0)
        return 0;
    if (number > r->string_count) {
        td_in_damaged(&r->in, "a reference to a missing string");
        return 0;
    }
    return r->strings[number - 1];
}

uint32_t td_reader_pointer_(struct reader *r, uint64_t key)
{
    return td_map_get(&r->pointers, key, r->unknown);
}

uint32_t td_reader_reference_(struct reader *r, bool *none)
{
    uint64_t value = td_in_u64(&r->in);
    uint8_t flags = td_in_u8(&r->in) & 3;
    *none = flags == TD_FILE_REF_NONE;
    if (flags == TD_FILE_REF_POINTER)
        return td_reader_pointer_(r, value);
    if (flags == TD_FILE_REF_NONE)
        return 0;
    if (flags != TD_FILE_REF_INDEX || value >= r->string_count) {
        td_in_damaged(&r->in, "a reference to a missing string");
        return 0;
    }
    return r->strings[value];
}

static void check_memory(struct reader *r, int result)
{
    if (result < 0)
        td_in_no_memory(&r->in);
}

/* Memory grows with the bytes that arrive, because the length in the file may be wrong. */
uint32_t td_reader_text_(struct reader *r, uint64_t bytes)
{
    size_t have = 0;
    if (bytes > TD_FILE_STRING_BYTES_LIMIT)
        td_in_damaged(&r->in, "a string of impossible length");
    while (have < bytes && !r->in.failed) {
        size_t n = bytes - have < TD_FILE_BLOCK_BYTES ? (size_t)bytes - have : TD_FILE_BLOCK_BYTES;
        if (td_grow(&r->scratch, &r->scratch_capacity, have + n, 1) < 0) {
            td_in_no_memory(&r->in);
            break;
        }
        td_in_bytes(&r->in, r->scratch + have, n);
        have += n;
    }
    if (r->in.failed || !bytes)
        return 0;
    uint32_t string = td_dict_string(r->dict, (const char *)r->scratch, have);
    if (string == UINT32_MAX) {
        td_in_no_memory(&r->in);
        string = 0;
    }
    return string;
}

void td_reader_strings_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint64_t token = td_in_u64(&r->in);
        uint32_t string = td_reader_text_(r, td_in_u64(&r->in));
        if (r->in.failed || READER_GROW(r, strings, string_capacity, string_count) < 0)
            return;
        r->strings[r->string_count++] = string;
        check_memory(r, td_map_add(&r->tokens, token, string));
    }
    r->have_strings = !r->in.failed;
}

/* Reads a list of key and token into a map key -> string; skips unknown tokens. */
static void read_names(struct reader *r, struct td_map *map)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint64_t key = td_in_u64(&r->in);
        uint32_t string = td_map_get(&r->tokens, td_in_u64(&r->in), UINT32_MAX);
        if (string != UINT32_MAX && !r->in.failed)
            check_memory(r, td_map_add(map, key, string));
    }
}

void td_reader_pointers_(struct reader *r)
{
    read_names(r, &r->pointers);
}

void td_reader_thread_names_(struct reader *r)
{
    read_names(r, &r->thread_names);
}

/* Gives the thread the next number. 0, or TD_E_NOMEM: the reader has failed. */
static int add_thread(struct reader *r, uint64_t thread)
{
    if (READER_GROW(r, thread_ids, thread_id_capacity, thread_id_count) < 0)
        return TD_E_NOMEM;
    check_memory(r, td_map_add(&r->thread_numbers, thread, (uint32_t)r->thread_id_count));
    r->thread_ids[r->thread_id_count++] = thread;
    return 0;
}

void td_reader_thread_table_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint64_t thread = td_in_u64(&r->in);
        if (!r->in.failed && add_thread(r, thread) < 0)
            return;
    }
}

void td_reader_foreign_table_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint64_t thread = td_in_u64(&r->in);
        if (r->in.failed || READER_GROW(r, foreign_ids, foreign_id_capacity, foreign_id_count) < 0)
            return;
        r->foreign_ids[r->foreign_id_count++] = thread;
    }
}

uint64_t td_reader_thread_(const struct reader *r, uint16_t number)
{
    return number < r->thread_id_count ? r->thread_ids[number] : 0;
}

/* Threads that P11 lacks get the numbers after its own, in order of appearance. */
uint32_t td_reader_track_(struct reader *r, const struct td_track *facts)
{
    struct td_track track = *facts;
    uint32_t number = td_map_get(&r->thread_numbers, track.thread, UINT32_MAX);
    if (number == UINT32_MAX) {
        number = (uint32_t)r->thread_id_count;
        if (add_thread(r, track.thread) < 0)
            return 0;
    }
    track.name = td_map_get(&r->thread_names, track.thread, 0);
    track.file_number = number;
    td_file_track_place(&track);
    uint32_t result = td_dict_track(r->dict, &track);
    if (result == UINT32_MAX || td_map_add(&r->tracks, track.thread, result) < 0) {
        td_in_no_memory(&r->in);
        return 0;
    }
    return result;
}

uint32_t td_reader_location_(struct reader *r, int16_t number)
{
    size_t place = number < 0 ? (size_t)(-(int32_t)number - 1) : (size_t)number;
    if (number == 0)
        return 0;
    if (place >= (number < 0 ? r->dynamic_count : r->static_number_count)) {
        td_in_damaged(&r->in, "a reference to a missing source location");
        return 0;
    }
    return number < 0 ? r->dynamic_numbers[place] : r->static_numbers[place];
}

static struct td_srcloc read_location(struct reader *r)
{
    struct td_srcloc loc = {0};
    bool no_name, none;
    loc.name = td_reader_reference_(r, &no_name);
    loc.function = td_reader_reference_(r, &none);
    if (none)
        loc.function = r->unknown;
    loc.file = td_reader_reference_(r, &none);
    if (none)
        loc.file = r->unknown;
    if (!no_name && !loc.name)
        loc.flags = TD_SRCLOC_EMPTY_NAME;
    loc.line = td_in_u32(&r->in);
    uint32_t color = td_in_u32(&r->in);
    td_file_uncolor(&loc, color, td_dict_text(r->dict, no_name ? loc.function : loc.name));
    return loc;
}

/* Adds a location even if one of equal content exists: the file has both. */
static uint32_t own_location(struct reader *r, const struct td_srcloc *loc)
{
    uint32_t number = td_dict_own_srcloc(r->dict, loc);
    if (number != UINT32_MAX)
        return number;
    td_in_no_memory(&r->in);
    return 0;
}

/* Dynamic locations are normally unique by content. A file may still have several equal ones; these stay
 * several. */
static uint32_t dynamic_location(struct reader *r, const struct td_srcloc *loc)
{
    uint32_t number = td_dict_srcloc(r->dict, loc);
    int added = number == UINT32_MAX ? TD_E_NOMEM : td_map_add(&r->dynamic_seen, number, 0);
    if (added == 0)
        return own_location(r, loc);
    check_memory(r, added);
    return added < 0 ? 0 : number;
}

void td_reader_static_locations_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint64_t key = td_in_u64(&r->in);
        struct td_srcloc loc = read_location(r);
        if (r->in.failed || READER_GROW(r, static_locations, static_capacity, static_count) < 0)
            return;
        check_memory(r, td_map_add(&r->static_keys, key, (uint32_t)r->static_count));
        r->static_locations[r->static_count++] = loc;
    }
}

void td_reader_static_numbers_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    if (count > INT16_MAX + 1)
        td_in_damaged(&r->in, "more source locations than the format allows");
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        uint32_t place = td_map_get(&r->static_keys, td_in_u64(&r->in), UINT32_MAX);
        if (r->in.failed || READER_GROW(r, static_numbers, static_number_capacity, static_number_count) < 0)
            return;
        r->static_numbers[r->static_number_count++] =
            i == 0 || place == UINT32_MAX ? 0 : own_location(r, &r->static_locations[place]);
    }
}

void td_reader_dynamic_locations_(struct reader *r)
{
    uint64_t count = td_in_u64(&r->in);
    if (count > INT16_MAX + 1)
        td_in_damaged(&r->in, "more source locations than the format allows");
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        struct td_srcloc loc = read_location(r);
        if (r->in.failed || READER_GROW(r, dynamic_numbers, dynamic_capacity, dynamic_count) < 0)
            return;
        r->dynamic_numbers[r->dynamic_count++] = dynamic_location(r, &loc);
    }
}
