/* Operations of devices, as host/report/ops finds them (op.h), kept in a list with the zones of their launches.
 *
 * In a trace in which no operation has an id, they are numbered by their starts. Numbers of an operation are those of
 * all its launches, also of lanes that were not asked for. Not thread-safe, but for reading. */
#pragma once
#include "host/query/flows/flow.h"
#include "host/report/ops/op.h"
#include "host/report/tt/text_arena.h"
#include "host/query/task/job.h"
#include "host/query/task/lane_choice.h"

#define TD_OPERATION_MEMBERS 8000000 /* at most, of all operations */

/* A launch: one run of one RISC. */
struct td_operation_member {
    struct td_zone_ref zone;  /* its outermost zone */
    int64_t start_ns, end_ns; /* of its kernel, else of its firmware */
    bool is_open;             /* end_ns is that of td_operations_make() */
    bool doubted;             /* its times cannot be right: the picture's range is without them */
};

struct td_operation {
    uint64_t id; /* run host id, or a number by start */
    uint32_t device, trace, replay;
    const char *name; /* "": not known */
    enum td_op_doubt doubt;
    uint32_t tiles, launches, open;
    int64_t start_ns, end_ns;  /* first begin and last end of the kernels; TD_OP_NO_TIME: not known */
    int64_t first_end_ns;      /* first end of a kernel */
    int64_t median_ns;         /* half of the launches have ended by then */
    int64_t gap_ns, shared_ns; /* as in struct td_op_sum */
    int64_t tile_min_ns, tile_max_ns, busy_ns, wait_ns;
    double tile_mean_ns;
    struct td_op_core *cores;  /* of the one operation that was asked for; else NULL */
    size_t first, count;       /* its members in the lanes that were asked for */
    struct td_zone_ref last;   /* of the launch that ended last; TD_NO_ZONE: none has */
    struct td_zone_ref launch; /* the host's zone that launched it; TD_NO_ZONE: not known */
    int64_t from_ns, to_ns;    /* where its picture begins and ends: without what cannot be right */
};

struct td_operations {              /* all zero: none */
    struct td_operation *operation; /* by start */
    size_t count, capacity;
    struct td_operation_member *member; /* of each operation in the order of tracks */
    size_t member_count;
    bool by_order;                 /* without ids */
    bool cut;                      /* there are more members than the limit */
    size_t doubted, first_doubted; /* operations with doubt; the place of the first one */
    size_t all; /* operations, with those without members in the lanes that were asked for */
    struct td_text_arena names;
};

struct td_operations_request {
    const struct td_trace *trace;
    const struct td_flows *flows;       /* NULL: launches are not looked up */
    const struct td_lane_choice *lanes; /* NULL: all. Operations without a member in them are left out */
    bool one;                           /* only those whose id is `op`, with their cores */
    uint32_t op;                        /* a run host id, or that without the device: run host id >> 10 */
    int64_t now_ns;                     /* members that are open last until then */
    struct td_job *job;                 /* NULL: it cannot be cancelled */
};
/* 0, TD_E_NOMEM or TD_E_STOPPED. */
int td_operations_make(struct td_operations *operations, const struct td_operations_request *request);
void td_operations_free(struct td_operations *operations);
