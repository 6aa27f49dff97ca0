/* What a host program says about its operations: the messages of tt-metal's programs (proto/tt/messages.h),
 * the zones of operations ("id:N"), and host functions in them. Taken from a trace or from the files that
 * csvexport made of one.
 *
 * Messages are given in order of time. Texts are kept by their address. */
#pragma once
#include "host/event/map.h"
#include "host/report/ops/op.h"
#include "host/trace/trace.h"
#include "host/tt/host_message.h"

struct td_host_call {
    uint32_t name; /* of td_host_ops.call_names */
    uint32_t next; /* of the same operation; UINT32_MAX: none */
    int64_t total_ns;
};

struct td_host_op {
    enum td_tt_message_kind kind;
    uint64_t id; /* as the device's run host id */
    uint32_t device;
    uint32_t trace; /* that was recorded when the message came; TD_OP_NO_TRACE: none */
    uint32_t runs;  /* for the report: how often the device ran it so far */
    uint64_t hash;
    enum td_tt_cache_hit cache_hit;
    bool reported;                               /* the JSON has a row of an imported report */
    struct td_tt_text name, json;                /* json of a cached operation: of its first launch */
    int64_t time_ns, zone_start_ns, zone_end_ns; /* message; zone: TD_OP_NO_TIME: there is none */
    uint32_t calls;                              /* first td_host_call; UINT32_MAX: none */
};

struct td_host_signpost {
    int64_t time_ns;
    struct td_tt_text header, text;
};

struct td_host_replay {
    uint32_t device, trace;
    int64_t time_ns;
};

struct td_host_ops { /* all zero: empty */
    struct td_host_op *ops;
    size_t count, room;
    struct td_map by_id;          /* the newest one of an id */
    struct td_map first_launches; /* device and hash: the operation with the JSON */
    struct td_host_signpost *signposts;
    size_t signpost_count, signpost_room;
    struct td_host_replay *replays;
    size_t replay_count, replay_room;
    struct td_map replays_of; /* device and trace: how many there are */
    struct td_map replay_at;  /* the same and a number from 1: place in `replays` */
    struct {
        uint32_t device, trace;
    } * recording; /* traces that are being recorded */
    size_t recording_count, recording_room;
    struct td_host_call *calls;
    size_t call_count, call_room;
    struct td_tt_text *call_names; /* functions that are summed */
    size_t call_name_count, call_name_room;
    bool any_call; /* a function that is not in the list is added to it */
    struct td_tt_text
        report_columns;    /* JSON list: the columns of an imported report; "": none was imported */
    uint64_t cut, unknown; /* messages whose end Tracy cut; cached operations without a first launch */
};
void td_host_ops_free(struct td_host_ops *ops);
/* Other messages than those of operations are ignored. 0 or TD_E_NOMEM. */
int td_host_ops_message(struct td_host_ops *ops, struct td_tt_text text, int64_t time_ns);
/* The operation whose id is the number after "id:" in a zone's text; NULL: none. */
struct td_host_op *td_host_ops_of_text(struct td_host_ops *ops, struct td_tt_text zone_text);
/* The operation; NULL: none. */
struct td_host_op *td_host_ops_find(struct td_host_ops *ops, uint64_t id);
/* Adds a name to `call_names`. 0 or TD_E_NOMEM. */
int td_host_ops_add_call_name(struct td_host_ops *ops, struct td_tt_text name);
/* Adds a host function in the operation's zone, if its name is one of `call_names`. 0 or TD_E_NOMEM. */
int td_host_ops_call(struct td_host_ops *ops, struct td_host_op *op, struct td_tt_text function, int64_t ns);
/* When the host issued the n-th replay of a trace, n from 1; TD_OP_NO_TIME: not known. */
int64_t td_host_ops_replay_time(const struct td_host_ops *ops, uint32_t device, uint32_t trace, uint32_t n);

/* Reads a finished trace, which must outlive the operations. */
int td_host_ops_read_trace(struct td_host_ops *ops, const struct td_trace *trace, struct td_err *err);
