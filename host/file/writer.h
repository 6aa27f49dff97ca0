/* Internals of the writer, shared by its files. */
#pragma once
#include "host/event/map.h"
#include "host/file/file.h"
#include "host/file/out.h"
#include "host/file/schema.h"

/* Data that some versions cannot hold: X(name, "one of them", "several"). */
/* clang-format off */
#define TD_DROPPED(X)                                                                                         \
    X(DIES, "CPU die", "CPU dies")                                                                            \
    X(HINTS, "group hint", "group hints")                                                                     \
    X(WAKEUPS, "CPU of a wakeup", "CPUs of wakeups")                                                          \
    X(SECTIONS, "trace section", "trace sections")                                                            \
    X(CATEGORIES, "category of trace sections", "categories of trace sections")                               \
    X(SEVERITIES, "source or severity of a message", "sources and severities of messages")                    \
    X(NOTES, "GPU note", "GPU notes")                                                                         \
    X(QUERIES, "query number of a GPU zone", "query numbers of GPU zones")                                    \
    X(TYPES, "type of a GPU context", "types of GPU contexts")                                                \
    X(ON_DEMAND, "mark of a capture on demand", "marks of captures on demand")                                \
    X(POWER, "unit of a power plot", "units of power plots")                                                  \
    X(LOCK_THREADS, "event of a lock's thread beyond the 64th", "events of locks' threads beyond the 64th")   \
    X(ENTRIES, "frame of a call stack beyond 65535", "frames of call stacks beyond 65535")                    \
    X(THREADS, "number of a thread beyond the 65535th (its events are kept)",                        \
      "numbers of threads beyond the 65535th (their events are kept)")                                \
    X(STACKS, "call stack beyond the 16777215th", "call stacks beyond the 16777215th")                        \
    X(SAMPLES, "sample of such a call stack", "samples of such call stacks")                                  \
    X(CPUS, "CPU beyond the 256th", "CPUs beyond the 256th")
/* clang-format on */
enum td_dropped {
#define TD_X(name, one, many) TD_DROPPED_##name,
    TD_DROPPED(TD_X)
#undef TD_X
        TD_DROPPED_COUNT
};

/* A GPU context: some of the tracks in writer.context_tracks. */
struct context {
    uint32_t name; /* string of the file plus 1, 0: none */
    int known;     /* 1: row `row` of the table GPU_CONTEXT; 0: made from device cores */
    uint64_t row;
    size_t first, count;
};

struct writer {
    struct td_out out;
    uint32_t version; /* of the payload */
    int tenstorrent;  /* 1: for Tenstorrent's fork */
    unsigned strip;
    const struct td_trace *trace;
    const struct td_dict *dict;
    const struct td_trace_info *info;
    struct td_file_notice notice;
    uint64_t dropped[TD_DROPPED_COUNT];
    int failed; /* 1: no memory */

    /* Strings of the file: number -> string of the dictionary or, from the dictionary's count on, a text in
     * `own`. */
    uint32_t *strings;
    size_t string_capacity;
    uint32_t string_count;
    uint32_t *string_number; /* by string of the dictionary; UINT32_MAX: not in the file */
    char **own;
    size_t own_count, own_capacity;
    uint32_t frame_string, dropped_string, catch_all_string;
    uint32_t first_note, note_count; /* app info lines that the writer adds */

    /* The locations that zones and locks use. The first ones get dynamic numbers (-1, -2, ...), the next ones
     * static numbers (1, 2, ...); those from first_folded on share the last static number. */
    uint32_t *used;
    size_t used_count, first_folded;
    uint64_t *cpu_zones, *gpu_zones; /* finished zones, by location of the dictionary */
    int16_t *location;               /* number in the file, by location of the dictionary */
    uint32_t dynamic_count, static_count;

    int contexts_wanted;
    struct context *contexts;
    size_t context_count, context_capacity;
    uint32_t *context_tracks; /* the contexts' tracks, one context after the other */
    size_t context_track_count;

    struct td_map thread_map; /* thread -> its number */
    uint64_t *threads;        /* by number; number 0 is thread 0 */
    size_t thread_count, thread_capacity;
    struct td_map foreign_map; /* the same for threads of other programs */
    uint64_t *foreign;
    size_t foreign_count, foreign_capacity;

    int64_t last_time_ns;
};

/* write_values.c: the file's representation of values. */
/* The number of a string; the next one if it has none yet. */
uint32_t td_writer_string_(struct writer *w, uint32_t string);
uint32_t td_writer_own_string_(struct writer *w, const char *text);
const char *td_writer_text_(const struct writer *w, uint32_t number, size_t *bytes);
/* The key in P8 of a name. */
uint64_t td_writer_pointer_(struct writer *w, uint32_t string);
void td_writer_reference_(struct writer *w, uint32_t number);
/* The number of a thread; the next one if it has none yet, 0 if the format has no more numbers. */
uint16_t td_writer_thread_(struct writer *w, uint64_t thread);
uint16_t td_writer_foreign_(struct writer *w, uint64_t thread);
/* A time, moved into the range that the file can hold; -1 for TD_OPEN. */
int64_t td_writer_time_(struct writer *w, int64_t time_ns);
/* The number in the file of a row of the table STACK; 0: none. */
static inline uint32_t td_writer_stack_(const struct writer *w, int64_t stack)
{
    uint64_t stacks = td_series_count(td_trace_table(w->trace, TD_TABLE_STACK));
    return stack > 0 && (uint64_t)stack < stacks && stack <= TD_FILE_STACK_LIMIT ? (uint32_t)stack : 0;
}

/* write_contexts.c */
/* The track's zones are written in a GPU context, not in a thread. */
bool td_writer_is_in_context_(const struct writer *w, uint32_t track);
/* The number in this version for the model's type of a GPU context. *known: the version has this type. */
uint8_t td_writer_gpu_type_(const struct writer *w, int64_t type, bool *known);
void td_writer_number_contexts_(struct writer *w);

/* write_each.c */
/* Calls `visit` for every value in a field of the section whose kind is in `kinds` (KIND_BIT). Does nothing
 * if the file does not have the section. */
#define KIND_BIT(name) (UINT64_C(1) << TD_FIELD_##name)
void td_writer_each_(struct writer *w, const struct td_section *section, uint64_t kinds,
                     void (*visit)(struct writer *w, const struct td_field *field, int64_t value));

/* write_notice.c */
/* Counts the data that the version cannot hold, after everything is numbered. */
void td_writer_count_dropped_(struct writer *w);
/* Makes the texts of the notice. */
void td_writer_make_notice_(struct writer *w);

/* write_number.c: numbers everything, before anything is written; frees what the writer has. */
int td_writer_number_(struct writer *w, struct td_err *err);
void td_writer_free_(struct writer *w);

/* write_table.c */
/* Writes a section by its description alone; an empty one if it is stripped. */
void td_writer_section_(struct writer *w, const struct td_section *section);
/* Write the items of a list that belongs to `parent`: with their count before them, or without it. */
void td_writer_list_(struct writer *w, const struct td_schema_list *list, uint64_t parent);
void td_writer_items_(struct writer *w, const struct td_schema_list *list, uint64_t parent);
void td_writer_fields_(struct writer *w, const struct td_section *section, const int64_t *row);

/* Sections with a shape of their own. */
void td_writer_info_(struct writer *w);
void td_writer_texts_(struct writer *w);
void td_writer_crash_(struct writer *w);
void td_writer_frames_(struct writer *w);
void td_writer_sections_(struct writer *w);
void td_writer_strings_(struct writer *w);
void td_writer_pointers_(struct writer *w);
void td_writer_thread_names_(struct writer *w);
void td_writer_thread_table_(struct writer *w);
void td_writer_foreign_table_(struct writer *w);
void td_writer_static_locations_(struct writer *w);
void td_writer_static_numbers_(struct writer *w);
void td_writer_dynamic_locations_(struct writer *w);
void td_writer_zone_counts_(struct writer *w);
void td_writer_gpu_zone_counts_(struct writer *w);
void td_writer_extras_(struct writer *w);
void td_writer_threads_(struct writer *w);
void td_writer_gpu_(struct writer *w);
void td_writer_plots_(struct writer *w);
void td_writer_memory_(struct writer *w);
void td_writer_app_info_(struct writer *w);

/* The file gets the base frame set. */
bool td_writer_has_base_frames_(const struct writer *w);
