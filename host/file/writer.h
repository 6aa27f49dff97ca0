/* Inside of the writer: what its files share. */
#ifndef TD_HOST_FILE_WRITER_H
#define TD_HOST_FILE_WRITER_H
#include "host/event/map.h"
#include "host/file/file.h"
#include "host/file/out.h"

/* A GPU context: some of the tracks in writer.context_tracks. */
struct context {
    uint32_t name; /* string of the file plus 1, 0: none */
    int known;     /* 1: row `row` of the table GPU_CONTEXT, 0: made of device cores */
    uint64_t row;
    size_t first, count;
};

struct writer {
    struct td_out out;
    uint32_t version; /* of the payload */
    int tenstorrent;  /* as Tenstorrent's fork has it */
    unsigned strip;
    const struct td_trace *trace;
    const struct td_dict *dict;
    const struct td_trace_info *info;
    struct td_file_notice notice;
    int failed; /* no memory */

    /* Strings of the file: number -> string of the dictionary, or (above its count) text of the writer's own.
     */
    uint32_t *strings;
    size_t string_capacity;
    uint32_t string_count;
    uint32_t *string_number; /* of each string of the dictionary, UINT32_MAX: not in the file */
    char **own;
    size_t own_count, own_capacity;
    uint32_t frame_string, dropped_string, catch_all_string;
    uint32_t first_note, note_count; /* app info lines of the writer's own */

    /* Locations: those that zones use, in their order. The first are dynamic (-1, -2, ...), the next static
     * (1, 2, ...), and from first_folded on they share the last static number. */
    uint32_t *used;
    size_t used_count, first_folded;
    uint64_t *cpu_zones, *gpu_zones; /* finished zones of each location of the dictionary */
    int16_t *location;               /* of each location of the dictionary */
    uint32_t dynamic_count, static_count;

    int contexts_wanted;
    struct context *contexts;
    size_t context_count, context_capacity;
    uint32_t *context_tracks; /* of cores that have zones, in the order of their ids */
    size_t context_track_count;

    struct td_map thread_map; /* thread -> its number */
    uint64_t *threads;        /* by number; 0 is thread 0 */
    size_t thread_count, thread_capacity;
};

int td_writer_number_(struct writer *w, struct td_err *err);
void td_writer_number_finish_(struct writer *w);
uint32_t td_writer_string_(struct writer *w,
                           uint32_t string); /* its number in the file, which it gets if it has none */
const char *td_writer_text_(const struct writer *w, uint32_t number, size_t *bytes);
int64_t td_writer_time_(struct writer *w, int64_t time_ns); /* what the file can hold of it; TD_OPEN is -1 */
uint32_t td_writer_own_string_(struct writer *w, const char *text);
/* The number of a thread, which it gets if it has none; 0 where the format has no more numbers. */
uint16_t td_writer_thread_(struct writer *w, uint64_t thread);
/* The number of a row of the table STACK. */
uint32_t td_writer_stack_(const struct writer *w, int64_t stack);
/* Fills used, cpu_zones, gpu_zones. 0, or -1: no memory. */
int td_writer_count_zones_(struct writer *w);
/* 1: the track's zones are in a GPU context, not in a thread. */
int td_writer_in_context_(const struct writer *w, uint32_t track);
void td_writer_number_contexts_(struct writer *w);
void td_writer_contexts_(struct writer *w);
void td_writer_extras_(struct writer *w);
void td_writer_threads_(struct writer *w);
#endif
