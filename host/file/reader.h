/* Inside of the reader: what its files share. */
#ifndef TD_HOST_FILE_READER_H
#define TD_HOST_FILE_READER_H
#include "host/event/map.h"
#include "host/file/file.h"
#include "host/file/in.h"

#define READER_BATCH 1024

/* A frame set and its frames, kept until the names are known. */
struct read_frame_set {
    uint64_t name;
    int continuous;
    size_t first, count;
};

struct read_message {
    int64_t time_ns;
    uint32_t text, color, track;
};

struct reader {
    struct td_in in;
    struct td_trace *trace;
    struct td_dict *dict;
    struct td_event batch[READER_BATCH];
    size_t batch_count;

    uint32_t *strings; /* number in the file -> string */
    size_t string_count, string_capacity;
    struct td_map tokens, pointers, thread_names; /* -> string */
    struct td_map thread_numbers;                 /* thread -> its number in the file */
    struct td_map tracks;                         /* thread -> track */
    uint32_t thread_count;
    uint32_t unknown; /* the string "???" */

    struct read_frame_set *frame_sets;
    size_t frame_set_count, frame_set_capacity;
    struct td_frame *frames;
    size_t frame_count, frame_capacity;
    uint64_t crash_thread, crash_message;
    int64_t crash_time_ns;

    struct td_srcloc *static_locations; /* in the order of P13 */
    size_t static_count, static_capacity;
    struct td_map static_keys;                  /* key -> place in static_locations */
    struct td_map twins;                        /* location -> how many more are equal to it */
    uint32_t *static_numbers, *dynamic_numbers; /* number in the file -> location */
    size_t static_number_count, static_number_capacity, dynamic_count, dynamic_capacity;

    struct read_message *messages;
    size_t message_count, message_capacity;
    struct td_map message_tokens;
    uint64_t extra_count; /* rows of the table EXTRA that zones may refer to */
    uint32_t *locations; /* 16-bit number of a zone -> location, UINT32_MAX: there is none; see read_tree.h */
    uint64_t *thread_ids; /* by number (P11) */
    size_t thread_id_count, thread_id_capacity;
    uint32_t *depth_left; /* zones that are to come at each depth of the list being read */
    size_t depth_capacity;
};

/* Makes room for one more in an array of the reader; 0, or -1 and the reader has failed. */
#define READER_GROW(r, array, capacity, count)                                                               \
    (td_grow(&(r)->array, &(r)->capacity, (r)->count + 1, sizeof *(r)->array) < 0                            \
         ? (td_in_no_memory(&(r)->in), -1)                                                                   \
         : 0)

void td_reader_push_(struct reader *r, struct td_event event);
void td_reader_flush_(struct reader *r);
int64_t td_reader_bounded_(int64_t time_ns); /* into what sums cannot overflow with */
/* A 24-bit string number, 0 = none. */
uint32_t td_reader_string_(struct reader *r, uint32_t number);
/* Name by address, "???" if the file does not have it. */
uint32_t td_reader_pointer_(struct reader *r, uint64_t key);
/* A 9-byte reference; *none is set when it refers to nothing (then the string is 0). */
uint32_t td_reader_reference_(struct reader *r, int *none);
/* The track of a thread, made if it is new; thread, fiber, kernel_samples and group_hint are given. */
uint32_t td_reader_track_(struct reader *r, const struct td_track *facts);

/* Sections, one function each. */
void td_reader_strings_(struct reader *r);
void td_reader_pointers_(struct reader *r);
void td_reader_thread_names_(struct reader *r);
void td_reader_thread_table_(struct reader *r);
void td_reader_static_locations_(struct reader *r);
void td_reader_static_numbers_(struct reader *r);
void td_reader_dynamic_locations_(struct reader *r);
void td_reader_extras_(struct reader *r);
void td_reader_threads_(struct reader *r);
void td_reader_gpu_(struct reader *r);
void td_reader_skip_topology_(struct reader *r);
void td_reader_skip_sections_(struct reader *r);
void td_reader_skip_foreign_threads_(struct reader *r);
void td_reader_skip_table_(struct reader *r);
void td_reader_zone_locations_(struct reader *r);
void td_reader_gpu_locations_(struct reader *r);
void td_reader_skip_locks_(struct reader *r);
void td_reader_skip_memory_(struct reader *r);
void td_reader_skip_call_stacks_(struct reader *r);
void td_reader_skip_frames_(struct reader *r);
void td_reader_skip_images_(struct reader *r);
void td_reader_skip_switches_(struct reader *r);
void td_reader_skip_cpu_switches_(struct reader *r);
void td_reader_skip_pairs_(struct reader *r);
void td_reader_skip_cpu_totals_(struct reader *r);
void td_reader_skip_symbols_(struct reader *r);
void td_reader_skip_code_(struct reader *r);
void td_reader_skip_samples_(struct reader *r);
void td_reader_skip_sources_(struct reader *r);
#endif
