/* Operations of a trace as names of compare. */
#include "host/query/diff/samples.h"
#include "host/report/ops/op_label.h"
#include "host/report/ops/op_tracks.h"
#include "host/report/ops/trace_source.h"
#include "host/tools/compare/compare.h"

struct op_samples {
    struct td_compare_samples samples;
    struct td_host_ops host;
    const struct td_trace *trace;
};

static int add_operation(void *self, struct td_op_sum *op, struct td_err *err)
{
    struct op_samples *all = self;
    char label[512];
    const int64_t start = op->kernel.first_start, end = op->kernel.last_end;
    if (op->open || op->doubt || start == TD_OP_NO_TIME || end == TD_OP_NO_TIME)
        return 0;
    td_op_label(&all->host, op, label, sizeof label);
    return td_compare_samples_add(&all->samples, label, td_op_length(start, end)) < 0
               ? td_fail_no_memory(err, NULL)
               : 0;
}

static struct td_op_clock clock_of_device(void *self, uint32_t device)
{
    const struct op_samples *all = self;
    return td_trace_source_clock(all->trace, device);
}

int compare_add_ops(struct compare *c, const struct td_trace *trace, int side, struct td_err *err)
{
    struct op_samples all = {.samples.percentiles = c->percentiles, .trace = trace};
    const struct td_op_sums_options options = {.self = &all, .give = add_operation, .clock = clock_of_device};
    struct td_op_sums *sums = td_op_sums_create(&options);
    uint64_t zones;
    int rc = sums ? td_host_ops_read_trace(&all.host, trace, err) : td_fail_no_memory(err, NULL);
    rc = rc ? rc : td_trace_source_read(trace, sums, NULL, &zones, err);
    if (rc == 0 && !all.samples.count)
        rc = td_op_tracks_read(trace, &options, err);
    rc = rc ? rc : td_compare_table_add_samples(&c->tables[TD_COMPARE_BY_OP], &all.samples, side, err);
    td_op_sums_destroy(sums);
    td_host_ops_free(&all.host);
    td_compare_samples_free(&all.samples);
    return rc;
}
