/* Internals of the reader, shared by its files. */
#pragma once
#include "host/event/map.h"
#include "host/file/file.h"
#include "host/file/in.h"
#include "host/file/schema.h"

struct reader {
    struct td_in in;
    struct td_trace *trace;
    struct td_dict *dict;

    uint32_t *strings; /* number in the file -> string */
    size_t string_count, string_capacity;
    int have_strings;                             /* P7 was read */
    struct td_map tokens, pointers, thread_names; /* -> string */
    struct td_map thread_numbers;                 /* thread -> its number in the file */
    struct td_map tracks;                         /* thread -> track; no tracks of GPU contexts */
    uint64_t *thread_ids;                         /* those of P11, then threads that only P21 has */
    size_t thread_id_count, thread_id_capacity;
    uint64_t *foreign_ids; /* of P12 */
    size_t foreign_id_count, foreign_id_capacity;
    uint32_t unknown; /* the string "???" */

    struct read_frame_set {
        uint64_t name;
        uint32_t number; /* of the list of FRAME that has its frames */
        int continuous;
    } * frame_sets;
    size_t frame_set_count, frame_set_capacity;
    uint64_t crash_thread, crash_message;
    int64_t crash_time_ns;
    uint32_t crash_stack;

    struct td_srcloc *static_locations; /* in the order of P13 */
    size_t static_count, static_capacity;
    struct td_map static_keys;                  /* key -> place in static_locations */
    struct td_map dynamic_seen;                 /* locations that are in dynamic_numbers */
    uint32_t *static_numbers, *dynamic_numbers; /* number in the file -> location */
    size_t static_number_count, static_number_capacity, dynamic_count, dynamic_capacity;
    uint32_t *locations; /* by 16-bit number, UINT32_MAX: none; made by td_tree_locations_() */

    uint64_t *message_tokens; /* of each row of MESSAGE */
    size_t message_count, message_capacity;
    int messages_unsorted;        /* 1: tokens do not rise, so message_places is used */
    struct td_map message_places; /* token -> row */

    uint64_t extra_count;
    uint32_t *depth_left; /* zones still to read at each depth */
    size_t depth_capacity;
    uint8_t *scratch;
    size_t scratch_capacity;
};

/* Makes room for one more item in an array of the reader. 0, or TD_E_NOMEM: the reader has failed. */
#define READER_GROW(r, array, capacity, count)                                                               \
    (td_grow(&(r)->array, &(r)->capacity, (r)->count + 1, sizeof *(r)->array) < 0                            \
         ? (td_in_no_memory(&(r)->in), TD_E_NOMEM)                                                           \
         : 0)

/* A time, moved into the range of the format, so that sums cannot overflow. */
static inline int64_t td_reader_bounded_(int64_t time_ns)
{
    if (time_ns < 0)
        return 0;
    return time_ns < TD_FILE_TIME_LIMIT ? time_ns : TD_FILE_TIME_LIMIT - 1;
}
/* The string of a 24-bit number; 0: none. */
uint32_t td_reader_string_(struct reader *r, uint32_t number);
/* The string with this key in P8; "???" if there is none. */
uint32_t td_reader_pointer_(struct reader *r, uint64_t key);
/* Reads a 9-byte reference to a string. *none: it refers to nothing, and the string is 0. */
uint32_t td_reader_reference_(struct reader *r, bool *none);
/* Reads a string of `bytes` bytes. */
uint32_t td_reader_text_(struct reader *r, uint64_t bytes);
/* The location of a 16-bit number; 0 for number 0. */
uint32_t td_reader_location_(struct reader *r, int16_t number);
/* Adds the track of a thread, with its name, place and file number. Returns 0 if the reader has failed. */
uint32_t td_reader_track_(struct reader *r, const struct td_track *facts);
/* The thread of a 16-bit number; 0: none. */
uint64_t td_reader_thread_(const struct reader *r, uint16_t number);
/* Keeps the token of the row of MESSAGE that is being read. */
void td_reader_keep_token_(struct reader *r, uint64_t token);
/* The row of MESSAGE with a token; UINT64_MAX: there is none. */
uint64_t td_reader_message_(struct reader *r, uint64_t token);

/* Reads the items of a list into the tables of the model. `parent`: the row or number that the list belongs
 * to. */
void td_reader_list_(struct reader *r, const struct td_schema_list *list, uint64_t parent);
/* Reads a section by its description alone. */
void td_reader_section_(struct reader *r, const struct td_section *section);
/* Reads the fields of a section that is one row; `row` gets TD_SERIES_COLUMNS columns. */
void td_reader_fields_(struct reader *r, const struct td_section *section, int64_t *row);

/* Sections with a shape of their own, one function each. */
void td_reader_header_(struct reader *r);
void td_reader_info_(struct reader *r);
void td_reader_texts_(struct reader *r);
void td_reader_crash_(struct reader *r);
void td_reader_frames_(struct reader *r);
void td_reader_strings_(struct reader *r);
void td_reader_pointers_(struct reader *r);
void td_reader_thread_names_(struct reader *r);
void td_reader_thread_table_(struct reader *r);
void td_reader_foreign_table_(struct reader *r);
void td_reader_static_locations_(struct reader *r);
void td_reader_static_numbers_(struct reader *r);
void td_reader_dynamic_locations_(struct reader *r);
void td_reader_zone_locations_(struct reader *r);
void td_reader_gpu_locations_(struct reader *r);
void td_reader_extras_(struct reader *r);
void td_reader_threads_(struct reader *r);
void td_reader_gpu_(struct reader *r);
void td_reader_plots_(struct reader *r);
void td_reader_memory_(struct reader *r);
void td_reader_app_info_(struct reader *r);

/* After all sections: resolves references to names that come later in the file. */
void td_reader_link_(struct reader *r);
