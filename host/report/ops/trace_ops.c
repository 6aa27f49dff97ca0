#include "host/report/ops/trace_ops.h"
#include "host/report/ops/op_label.h"
#include "host/report/ops/op_tracks.h"
#include "host/report/ops/trace_source.h"

struct ops_reading {
    const struct td_trace *trace;
    const struct td_op_sums_options *options;
    struct td_host_ops host;
    bool any;
};

static int give_op(void *self, struct td_op_sum *op, struct td_err *err)
{
    struct ops_reading *r = self;
    char label[512];
    r->any = true;
    op->is_labelled = !op->name[0] && !td_host_ops_find(&r->host, op->run_id);
    op->name = td_op_label(&r->host, op, label, sizeof label);
    return r->options->give(r->options->self, op, err);
}

static struct td_op_clock clock_of(void *self, uint32_t device)
{
    return td_trace_source_clock(((const struct ops_reading *)self)->trace, device);
}

static int join_launch(void *self, uint64_t number, const struct td_op_launch *launch, struct td_err *err)
{
    const struct td_op_sums_options *options = ((const struct ops_reading *)self)->options;
    return options->join ? options->join(options->self, number, launch, err) : 0;
}

int td_trace_ops_read(const struct td_trace *trace, const struct td_op_sums_options *options,
                      struct td_err *err)
{
    struct ops_reading reading = {.trace = trace, .options = options};
    const struct td_op_sums_options own = {
        .self = &reading, .give = give_op, .clock = clock_of, .join = join_launch};
    struct td_op_sums *sums = td_op_sums_create(&own);
    uint64_t zones;
    int rc = sums ? td_host_ops_read_trace(&reading.host, trace, err) : td_fail_no_memory(err, NULL);
    rc = rc ? rc : td_trace_source_read(trace, sums, NULL, &zones, err);
    if (rc == 0 && !reading.any)
        rc = td_op_tracks_read(trace, &own, err);
    td_op_sums_destroy(sums);
    td_host_ops_free(&reading.host);
    return rc;
}
