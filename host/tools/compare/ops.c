/* Operations of a trace as names of compare. */
#include "host/query/diff/samples.h"
#include "host/report/ops/trace_ops.h"
#include "host/tools/compare/compare.h"

static int add_operation(void *self, struct td_op_sum *op, struct td_err *err)
{
    struct td_compare_samples *samples = self;
    const int64_t start = op->kernel.first_start, end = op->kernel.last_end;
    if (op->open || op->doubt || start == TD_OP_NO_TIME || end == TD_OP_NO_TIME)
        return 0;
    return td_compare_samples_add(samples, op->name, td_op_length(start, end)) < 0
               ? td_fail_no_memory(err, NULL)
               : 0;
}

int compare_add_ops(struct compare *c, const struct td_trace *trace, int side, struct td_err *err)
{
    struct td_compare_samples samples = {.percentiles = c->percentiles};
    const struct td_op_sums_options options = {.self = &samples, .give = add_operation};
    int rc = td_trace_ops_read(trace, &options, err);
    rc = rc ? rc : td_compare_table_add_samples(&c->tables[TD_COMPARE_BY_OP], &samples, side, err);
    td_compare_samples_free(&samples);
    return rc;
}
