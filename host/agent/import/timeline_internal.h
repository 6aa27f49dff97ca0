/* What the files of the timeline share. */
#pragma once
#include "host/agent/import/timeline.h"
#include "host/agent/import/timeline_switches.h"
#include "host/event/map.h"

#define TD_NO_ITEM UINT32_MAX

/* Kinds of items: BEGIN becomes a zone with its END, which becomes ENDED; of those that are left, the end is TD_TIMELINE_OPEN. */
enum {
    TD_ITEM_COMPLETE,
    TD_ITEM_BEGIN,
    TD_ITEM_END,
    TD_ITEM_MESSAGE,
    TD_ITEM_FLOW,
    TD_ITEM_NONE,
    TD_ITEM_ENDED
};

struct td_timeline_item {
    int64_t time_ns, end_ns;
    uint32_t order; /* in which items were added */
    uint32_t owner; /* number of a struct td_track_owner */
    uint32_t chain; /* of asynchronous items: the operation; 0: none */
    union {
        uint32_t srcloc;
        uint32_t stack; /* of a MESSAGE */
        uint32_t name;  /* of an END */
        uint32_t key;   /* of a FLOW: name and id */
    };
    uint32_t text;  /* of a FLOW that was bound: unused */
    uint32_t links; /* further texts of a zone: 1 + the first one; 0: none */
    union {
        uint32_t parent; /* of a BEGIN: the one around it; of an ENDED: its BEGIN; TD_NO_ITEM: none */
        uint32_t zone;   /* of a FLOW: the order of the zone that names it; TD_NO_ITEM: any zone around it */
    };
    uint32_t below; /* in the stack of its line */
    union {
        uint32_t begin_name; /* of a BEGIN, until it is on a line */
        uint32_t place;      /* of a zone on a line: how many were put before it */
    };
    uint16_t line;
    uint8_t kind, flow;
};

struct td_more_text {
    uint32_t text, next; /* next: 1 + its number; 0: none */
};

struct td_process {
    uint32_t pid, name; /* pid: a number of `keys` */
    int64_t sort;
};

/* A thread, or the asynchronous operations of a process and category. */
struct td_track_owner {
    uint32_t process, id, name; /* id: of `keys`: the thread's, the category or the track's name */
    bool async, named;          /* named: the id is shown as the track's name */
    bool is_sampled;            /* it has a track, also without zones and messages */
    bool has_tracks;
    uint32_t is, is_chain; /* is: of td_timeline_settle(): 1 + the owner; 0: this one */
    int64_t sort;
    uint64_t thread; /* of its first track; 0: not decided */
    uint32_t lines;  /* of its zones; its messages are on the first one */
    uint32_t tracks; /* the number of the first of its tracks in `tracks` */
};

struct td_series_of {               /* of a counter */
    uint32_t process, counter, key; /* numbers of `keys` */
    bool is_memory;
};

struct td_sample {
    int64_t time_ns;
    uint32_t order, series;
    double value;
};

struct td_moment { /* a message or a frame */
    int64_t time_ns;
    uint32_t order, track, text, stack;
    bool frame;
};

struct td_stack_sample {
    int64_t time_ns;
    uint32_t order, owner, stack;
    bool waits; /* the thread stops running */
};

struct td_timeline_change { /* a context switch, or a wakeup of the thread `in` */
    int64_t time_ns;
    uint32_t order, out, in, cpu; /* out, in: owners */
    int16_t state;
    bool wakes;
};

/* Call stacks (timeline_stacks.c). NULL: there are none. */
struct td_timeline_stacks {
    struct td_dict *known; /* records of frames and of stacks: equal ones have one number */
    struct td_map numbers; /* number of a record to that of its frame or stack */
    uint32_t *frames;      /* record of each frame, */
    uint32_t *stacks;      /* and of each stack but 0 */
    uint32_t *scratch;     /* the record that is looked up */
    uint32_t *ids;         /* of a stack */
    size_t frame_count, stack_count, frame_room, stack_room, scratch_room, ids_room;
    struct td_stack_sample *samples;
    size_t sample_count, sample_room;
};

struct td_timeline {
    struct td_hub *hub;
    struct td_dict *dict;
    struct td_dict *keys; /* ids, which are no strings of the trace */
    struct td_timeline_item *items;
    struct td_more_text *links;
    struct td_process *processes;
    struct td_track_owner *owners;
    struct td_series_of *series;
    struct td_sample *samples;
    struct td_moment *marks;
    uint32_t *facts;
    uint32_t *tracks; /* of all lines of all owners */
    size_t count, link_count, process_count, owner_count, series_count, sample_count, mark_count, fact_count;
    size_t track_count;
    size_t room, link_room, process_room, owner_room, series_room, sample_room, mark_room, fact_room,
        track_room;
    struct td_timeline_change *changes;
    size_t change_count, change_room;
    struct td_map by_pid, by_thread, by_group, by_named, by_operation, by_series, by_counter;
    struct td_map by_flow, by_label; /* label of each flow, and flow of each label: numbers of `keys` */
    uint32_t *groups;                /* owner of each operation; operations are numbered from 1 */
    size_t operation_count, operation_room;
    struct td_timeline_stacks *stacks;
    struct td_map zone_stacks; /* by order */
    uint32_t order;
    uint64_t next_thread; /* ids of threads that have none that fits */
    struct td_timeline_counts counts;
};

/* Adds an item; `order`, `owner`, time and links are set here. 0 or TD_E_NOMEM. */
int td_timeline_add(struct td_timeline *timeline, struct td_timeline_place at,
                    const struct td_timeline_item *item);
/* Decides which threads the later ones are. */
void td_timeline_decide(struct td_timeline *timeline);
/* The tracks of the owner, one for each line. 0 or TD_E_NOMEM. */
int td_timeline_add_tracks(struct td_timeline *timeline, struct td_track_owner *owner);
/* The thread's id in the trace. */
uint64_t td_timeline_thread_id(struct td_timeline *timeline, struct td_track_owner *owner);
/* Pushes the context switches. Tracks exist. */
int td_timeline_push_switches(struct td_timeline *timeline, int64_t zero_ns, struct td_err *err);
/* Pairs begins with ends, in a range of items of one owner in order of time. */
int td_timeline_pair(struct td_timeline *timeline, size_t first, size_t end);
/* Puts the zones of such a range on lines and joins its flows to them. Items are reordered. */
int td_timeline_lay(struct td_timeline *timeline, size_t first, size_t end);
/* Finds the time that becomes 0, and leaves out what is too far from it. */
int td_timeline_window(struct td_timeline *timeline, int64_t *zero_ns);
/* Numbers the parts of flows, before they are joined. */
int td_timeline_number_flows(struct td_timeline *timeline);
/* Adds a text to a zone. */
int td_timeline_link(struct td_timeline *timeline, struct td_timeline_item *zone, uint32_t text);
/* Pushes frames, stacks and samples; those that have a track. */
int td_timeline_push_stacks(struct td_timeline *timeline, int64_t zero_ns, struct td_err *err);
void td_timeline_free_stacks(struct td_timeline_stacks *stacks); /* NULL is allowed */
