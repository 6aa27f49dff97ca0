/* The launches of one core's track, one after another, in order of time.
 *
 * A launch is an outermost zone whose name ends in -FW or -KERNEL. In a firmware's zone, the kernel's is
 * the first child whose name ends in -KERNEL. An outermost zone of another name is the kernel's if its text has the
 * id of an operation or receives the flow TD_FLOW_LAUNCH. Others (of dispatch cores, or of a launch whose own zone
 * was lost) are passed as zones alone. Gaps are left out. */
#pragma once
#include "host/report/ops/op.h"
#include "host/trace/walk.h"

enum td_zone_class {
    TD_ZONE_CLASS_UNKNOWN,
    TD_ZONE_CLASS_FW,
    TD_ZONE_CLASS_KERNEL,
    TD_ZONE_CLASS_WAIT,
    TD_ZONE_CLASS_LOST,
    TD_ZONE_CLASS_OTHER
};

/* Of each source location, filled as it is asked for. All zero: empty. */
struct td_zone_classes {
    uint8_t *of;
    size_t room;
};
/* TD_ZONE_CLASS_UNKNOWN: no memory. */
enum td_zone_class td_zone_classify(struct td_zone_classes *classes, const struct td_dict *dict,
                                    uint32_t srcloc);
void td_zone_classes_free(struct td_zone_classes *classes);

struct td_core_place {
    uint32_t track, device;
    uint16_t x, y;
    uint8_t lane;
    enum td_op_risc risc;
    char name[24]; /* "BRISC", as the track is named */
};
/* False: the track is not that of a core. */
bool td_core_place_of(const struct td_dict *dict, uint32_t track, struct td_core_place *place);

/* Takes what is in a launch, or outside of launches (then the ids are 0 and TD_OP_NO_TRACE). A function
 * that is NULL is not called; another value than 0 ends the walk. Zones: begins and ends in order of time;
 * an open zone has no end. */
struct td_core_marks {
    void *self;
    int (*zone)(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                const struct td_zone *zone, bool ends, struct td_err *err);
    int (*message)(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
                   const struct td_message *message, struct td_err *err);
    /* All zones and messages of an outermost zone were passed. */
    int (*end)(void *self, const struct td_core_place *place, const struct td_op_launch *launch,
               struct td_err *err);
};

struct td_core_walk {
    struct td_core_place place;
    const struct td_trace *trace;
    struct td_walk walk;
    struct td_step step; /* the outermost zone that comes next */
    bool has_next;
    size_t message;   /* of the track: the next one */
    char op_name[64]; /* of the launch that was read last */
};

/* Begins at the outermost zone `first`, and stops before the first one that is still open if
 * `closed_only`. Messages are read only in a finished trace. 0 or TD_E_NOMEM. */
int td_core_walk_begin(struct td_core_walk *walk, const struct td_trace *trace,
                       const struct td_core_place *place, size_t first, bool closed_only);
void td_core_walk_end(struct td_core_walk *walk);
static inline int64_t td_core_walk_next_start(const struct td_core_walk *walk)
{
    return walk->step.zone.start_ns;
}
/* Reads the next outermost zone; *is_launch: it is a launch, and *launch is filled. `walk->has_next` must
 * be true. */
int td_core_walk_read(struct td_core_walk *walk, struct td_zone_classes *classes,
                      const struct td_core_marks *marks, struct td_op_launch *launch, bool *is_launch,
                      struct td_err *err);
/* Passes the messages after the last launch. */
int td_core_walk_rest(struct td_core_walk *walk, const struct td_core_marks *marks, struct td_err *err);
