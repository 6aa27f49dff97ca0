/* Operations of host programs, from a trace. */
#include "host/report/ops/host_ops.h"
#include "host/trace/walk.h"

#include <string.h>

static struct td_tt_text text_of(const struct td_dict *dict, uint32_t string)
{
    return (struct td_tt_text){td_dict_text(dict, string), td_dict_text_bytes(dict, string)};
}

static int read_messages(struct td_host_ops *ops, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const size_t count = td_trace_messages(trace);
    for (size_t i = 0; i < count; i++) {
        const struct td_message m = td_trace_message(trace, i);
        if (td_track_is_core(td_dict_get_track(dict, m.track)))
            continue;
        if (td_host_ops_message(ops, text_of(dict, m.text), m.time_ns) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

/* The operation's zone that the walk is in. */
struct op_zone {
    struct td_host_op *op;
    uint32_t row;
};

static int enter_zone(struct td_host_ops *ops, const struct td_dict *dict, const struct td_step *step,
                      struct op_zone *in)
{
    const struct td_zone *z = &step->zone;
    const struct td_tt_text name =
        z->name ? text_of(dict, z->name) : td_tt_text_of(td_dict_zone_name(dict, z->srcloc));
    struct td_host_op *op = z->text ? td_host_ops_of_text(ops, text_of(dict, z->text)) : NULL;
    if (op) {
        op->zone_start_ns = z->start_ns;
        op->zone_end_ns = z->end_ns == TD_OPEN ? TD_OP_NO_TIME : z->end_ns;
        *in = (struct op_zone){op, step->row};
        return 0;
    }
    if (!in->op || !ops->call_name_count || z->end_ns == TD_OPEN)
        return 0;
    return td_host_ops_call(ops, in->op, name, td_wrap_sub(z->end_ns, z->start_ns));
}

static int read_zones(struct td_host_ops *ops, const struct td_trace *trace, uint32_t track)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct op_zone in = {NULL, 0};
    struct td_walk walk;
    struct td_step step;
    if (td_walk_begin(&walk, trace, track) < 0)
        return TD_E_NOMEM;
    int rc = 0;
    while (rc == 0 && td_walk_next(&walk, &step))
        if (!step.leaves)
            rc = enter_zone(ops, dict, &step, &in);
        else if (in.op && step.row == in.row)
            in.op = NULL;
    td_walk_end(&walk);
    return rc;
}

int td_host_ops_read_trace(struct td_host_ops *ops, const struct td_trace *trace, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    int rc = read_messages(ops, trace);
    for (uint32_t t = 0; rc == 0 && ops->count && t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        if (!td_track_is_core(track) && !track->context)
            rc = read_zones(ops, trace, t);
    }
    return rc < 0 ? td_fail_no_memory(err, "for the host's operations") : 0;
}
