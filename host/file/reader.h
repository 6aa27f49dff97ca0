/* Inside of the reader: what its files share. */
#ifndef TD_HOST_FILE_READER_H
#define TD_HOST_FILE_READER_H
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
    struct td_map tracks;                         /* thread -> track, of threads, not of contexts */
    uint64_t *thread_ids;                         /* of P11, and of threads of P21 that are not in it */
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
    uint32_t *locations; /* of each 16-bit number, UINT32_MAX: none; made by td_tree_locations_() */

    uint64_t *message_tokens; /* of each row of MESSAGE */
    size_t message_count, message_capacity;
    int messages_unsorted;        /* tokens do not rise: then they are found by this map */
    struct td_map message_places; /* token -> row */

    uint64_t extra_count;
    uint32_t *depth_left; /* zones that are to come at each depth of the list being read */
    size_t depth_capacity;
    uint8_t *scratch;
    size_t scratch_capacity;
};

/* Makes room for one more in an array of the reader; 0, or -1 and the reader has failed. */
#define READER_GROW(r, array, capacity, count)                                                               \
    (td_grow(&(r)->array, &(r)->capacity, (r)->count + 1, sizeof *(r)->array) < 0                            \
         ? (td_in_no_memory(&(r)->in), -1)                                                                   \
         : 0)

/* A time, moved into what sums cannot overflow with. */
static inline int64_t td_reader_bounded_(int64_t time_ns)
{
    if (time_ns < 0)
        return 0;
    return time_ns < TD_FILE_TIME_LIMIT ? time_ns : TD_FILE_TIME_LIMIT - 1;
}
/* A 24-bit string number, 0 = none. */
uint32_t td_reader_string_(struct reader *r, uint32_t number);
/* Name by address, "???" if the file does not have it. */
uint32_t td_reader_pointer_(struct reader *r, uint64_t key);
/* A 9-byte reference; *none is set when it refers to nothing (then the string is 0). */
uint32_t td_reader_reference_(struct reader *r, int *none);
/* A string of so many bytes that come next. */
uint32_t td_reader_text_(struct reader *r, uint64_t bytes);
/* The location of a 16-bit number, 0 for 0. */
uint32_t td_reader_location_(struct reader *r, int16_t number);
/* The track of a thread, made if it is new; name, place and number are found for it. */
uint32_t td_reader_track_(struct reader *r, const struct td_track *facts);
/* The thread of a 16-bit number, 0: none. */
uint64_t td_reader_thread_(const struct reader *r, uint16_t number);
/* The token of the row of MESSAGE that is being read. */
void td_reader_keep_token_(struct reader *r, uint64_t token);
/* Row of MESSAGE of a token, UINT64_MAX: there is none. */
uint64_t td_reader_message_(struct reader *r, uint64_t token);

/* Items of a list into the tables of the model; `parent`: row of the table (or number) that it belongs to. */
void td_reader_list_(struct reader *r, const struct td_schema_list *list, uint64_t parent);
/* The fields of a section that has no function of its own. */
void td_reader_section_(struct reader *r, const struct td_section *section);
/* Single fields: as many as there are, `row` gets the columns. */
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

/* What refers to names that come later in the file: once all is read. */
void td_reader_link_(struct reader *r);
#endif
