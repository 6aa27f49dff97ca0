/* What the readers of the parts of a Perfetto trace share. Functions return 0, TD_E_NOMEM, or TD_E_FORMAT: the item is
 * damaged. */
#pragma once
#include "host/agent/import/json_text.h"
#include "host/agent/import/perfetto_clocks.h"
#include "host/agent/import/protobuf.h"
#include "host/agent/import/timeline.h"
#include "host/agent/import/timeline_threads.h"
#include "proto/perfetto.h"

#define TD_PF_EXTRA 16 /* further counters of an event */

/* X(NAME, field of TD_PF_INTERNED): what is interned as a string. */
#define TD_PF_STRINGS(X)                                                                                     \
    X(CATEGORIES, EVENT_CATEGORIES)                                                                          \
    X(NAMES, EVENT_NAMES)                                                                                    \
    X(ANNOTATION_NAMES, ANNOTATION_NAMES)                                                                    \
    X(ANNOTATION_TEXTS, ANNOTATION_TEXTS)                                                                    \
    X(FUNCTIONS, FUNCTION_NAMES)                                                                             \
    X(MAPPING_PATHS, MAPPING_PATHS)                                                                          \
    X(SOURCE_PATHS, SOURCE_PATHS)                                                                            \
    X(LOG_BODIES, LOG_BODIES)
enum td_pf_strings {
#define TD_X(name, field) TD_PF_STRINGS_##name,
    TD_PF_STRINGS(TD_X)
#undef TD_X
        TD_PF_STRINGS_COUNT
};

struct td_pf_place { /* in the source; strings */
    uint32_t function, file, line;
};

struct td_pf_frame_of {
    uint64_t function, mapping, relative_pc, source_path; /* iids; 0: none */
    uint32_t line;
};

struct td_pf_stack_of {
    size_t first, count; /* of `stack_frames` */
    uint32_t stack;      /* 1 + that of the timeline; 0: not made yet */
};

struct td_pf_task_of {
    int64_t pid, tid;
};

/* One writer's packets. */
struct td_pf_sequence {
    uint32_t id;
    bool lacks_state; /* what its packets refer to was lost */
    /* Defaults. */
    uint64_t clock, track; /* 0: none */
    uint64_t counters[TD_PF_EXTRA], double_counters[TD_PF_EXTRA];
    size_t counter_count, double_counter_count;
    /* The thread of older writers. */
    int64_t pid, tid, time_us;
    bool has_thread;
    /* What is interned: by iid. */
    struct td_map strings[TD_PF_STRINGS_COUNT];
    struct td_map by_place, by_frame, by_mapping, by_stack, by_task;
    struct td_map by_sum; /* of tracks whose values are differences */
    double *sums;
    size_t sum_count, sum_room;
    struct td_pf_place *places;
    struct td_pf_frame_of *frames;
    struct td_pf_stack_of *stacks;
    struct td_pf_task_of *tasks;
    uint64_t *stack_frames; /* iids */
    size_t place_count, frame_count, stack_count, task_count, stack_frame_count;
    size_t place_room, frame_room, stack_room, task_room, stack_frame_room;
};

struct td_pf_track_of {
    uint64_t uuid, parent;
    int64_t pid, tid;
    uint32_t name;   /* string */
    uint32_t owner;  /* of td_timeline_later(); UINT32_MAX: it has no events */
    uint32_t series; /* of td_timeline_series(); UINT32_MAX: it has no values */
    uint32_t unit;   /* string */
    int64_t multiplier;
    bool has_parent, has_process, has_thread, has_thread_name, is_bytes, is_incremental;
};

struct td_perfetto {
    struct td_dict *dict;
    struct td_timeline *timeline;
    struct td_pf_clocks clocks;
    struct td_pf_sequence **sequences;
    struct td_pf_track_of *tracks;
    struct td_late_threads threads; /* of the kernel */
    size_t sequence_count, track_count;
    size_t sequence_room, track_room;
    struct td_map by_sequence, by_uuid;
    struct td_map names; /* of processes: pid to string */
    struct td_text text; /* of an event */
    struct td_timeline_call *calls;
    size_t call_room;
};

/* A packet, whose data are read after its state. */
struct td_pf_packet_of {
    struct td_pf_sequence *sequence;
    uint64_t timestamp, clock;
    bool has_timestamp;
    uint32_t data; /* the field; 0: none */
    struct td_pb_reader message;
};

static inline int td_pf_lose(const struct td_perfetto *perfetto, enum td_timeline_loss loss)
{
    td_timeline_get_counts(perfetto->timeline)->lost[loss]++;
    return 0;
}

/* perfetto_sequence.c */
/* The packet's time, in ns of the trace's clock; false: it has none that can be used. */
bool td_pf_packet_ns(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet, int64_t *ns);
uint32_t td_pf_string(const struct td_perfetto *perfetto, const struct td_pb_field *field);
struct td_pf_sequence *td_pf_sequence_create(uint32_t id); /* NULL: no memory */
void td_pf_sequence_destroy(struct td_pf_sequence *sequence);
void td_pf_sequence_clear(struct td_pf_sequence *sequence);
int td_pf_take_interned(struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                        struct td_pb_reader interned);
int td_pf_take_defaults(struct td_pf_sequence *sequence, struct td_pb_reader defaults);
/* The string; 0: it is not known. */
uint32_t td_pf_interned_string(const struct td_pf_sequence *sequence, enum td_pf_strings kind, uint64_t iid);
int td_pf_read_place(const struct td_perfetto *perfetto, struct td_pb_reader message,
                     struct td_pf_place *place, uint64_t *iid);
struct td_pf_place td_pf_interned_place(const struct td_pf_sequence *sequence, uint64_t iid);
/* The timeline's stack. UINT32_MAX: no memory; 0: it is not known. */
uint32_t td_pf_interned_stack(struct td_perfetto *perfetto, struct td_pf_sequence *sequence, uint64_t iid);
/* The same of a stack that is in the message itself. */
uint32_t td_pf_inline_stack(struct td_perfetto *perfetto, struct td_pb_reader message);

/* perfetto_tracks.c */
int td_pf_take_track(struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                     struct td_pb_reader track);
int td_pf_take_process(struct td_perfetto *perfetto, struct td_pb_reader process);
int td_pf_take_thread(struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                      struct td_pb_reader thread);
int td_pf_take_tree(struct td_perfetto *perfetto, struct td_pb_reader tree);
/* The number of the track, which may be described later; UINT32_MAX: no memory. */
uint32_t td_pf_track_number(struct td_perfetto *perfetto, uint64_t uuid);
/* The same for its events; UINT32_MAX: no memory. */
uint32_t td_pf_track_owner(struct td_perfetto *perfetto, uint32_t track);
/* A thread of a process. */
uint32_t td_pf_find_thread(struct td_perfetto *perfetto, int64_t pid, int64_t tid);
uint32_t td_pf_find_process(struct td_perfetto *perfetto, int64_t pid);
/* Names tracks and threads, when all is known. */
int td_pf_settle(struct td_perfetto *perfetto);

/* perfetto_event.c, perfetto_annotations.c, perfetto_kernel.c, perfetto_samples.c */
int td_pf_take_event(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet);
/* Adds a line "NAME: VALUE" for each value to the text. */
int td_pf_add_annotation(struct td_perfetto *perfetto, const struct td_pf_sequence *sequence,
                         struct td_pb_reader annotation);
/* The value, if it is a number. */
bool td_pf_annotation_number(const struct td_perfetto *perfetto, const struct td_pf_sequence *sequence,
                             struct td_pb_reader annotation, struct td_timeline_id *name, double *value);
int td_pf_take_kernel(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet);
/* A line that a program wrote for the kernel's trace, such as "B|PID|NAME". */
int td_pf_take_print(struct td_perfetto *perfetto, uint32_t thread, int64_t time_ns,
                     struct td_timeline_id text);
int td_pf_take_sample(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet);
