#include "host/report/ops/op_doubt.h"
#include "host/base/compare.h"
#include "host/report/ops/op.h"

#include <stdlib.h>

#define EARLY_SECONDS  1
#define EARLY_LENGTHS  100 /* times the length of the rest of the operation */
#define BEGINS_TO_TELL 4   /* with fewer begins it cannot be known which of them is wrong */

const char *td_op_doubt_text(enum td_op_doubt doubt)
{
    static const char *const texts[] = {
#define TD_X(name, what) what,
        TD_OP_DOUBTS(TD_X)
#undef TD_X
    };
    return texts[doubt];
}

static bool is_before(int64_t a, int64_t b)
{
    return a != TD_OP_NO_TIME && b != TD_OP_NO_TIME && a < b;
}

enum td_op_doubt td_op_doubt_of_launch(int64_t fw_start, int64_t fw_end, int64_t kernel_start,
                                       int64_t kernel_end)
{
    if (is_before(fw_end, fw_start) || is_before(kernel_end, kernel_start))
        return TD_OP_DOUBT_ENDS_FIRST;
    if (is_before(kernel_start, fw_start) || is_before(fw_end, kernel_start) ||
        is_before(kernel_end, fw_start) || is_before(fw_end, kernel_end))
        return TD_OP_DOUBT_OUTSIDE;
    /* Words that a core never wrote are 0. */
    if (fw_start != TD_OP_NO_TIME && fw_start == kernel_start && fw_start == kernel_end && fw_start == fw_end)
        return TD_OP_DOUBT_NO_LENGTH;
    return TD_OP_DOUBT_NONE;
}

TD_COMPARE_NUMBERS(compare_times, int64_t)

/* The begin lies too far before the common one. */
static bool is_early(const struct td_op_clock *clock, int64_t begin, int64_t common, int64_t end)
{
    const double second = clock->cycles && clock->mhz > 0 ? clock->mhz * 1e6 : 1e9;
    const double before = (double)common - (double)begin, rest = (double)end - (double)common;
    return before > second * EARLY_SECONDS && before > rest * EARLY_LENGTHS;
}

int64_t td_op_earliest(const struct td_op_clock *clock, int64_t *begins, size_t count, int64_t end)
{
    if (count < BEGINS_TO_TELL || end == TD_OP_NO_TIME)
        return INT64_MIN;
    qsort(begins, count, sizeof *begins, compare_times);
    /* Three quarters of the launches begin then or later. */
    const int64_t common = begins[count / 4];
    return is_early(clock, begins[0], common, end) ? common : INT64_MIN;
}

/* Two begins of each core: of the RISC that began first, and of the one that began last. */
static bool has_early_core(const struct td_op_sum *op)
{
    int64_t *begins = malloc(2 * (size_t)op->core_count * sizeof *begins);
    size_t count = 0;
    for (uint32_t i = 0; begins && i < op->core_count; i++)
        if (op->cores[i].start != TD_OP_NO_TIME) {
            begins[count++] = op->cores[i].start;
            begins[count++] = op->cores[i].last_start;
        }
    const bool early = begins && td_op_earliest(&op->clock, begins, count, op->kernel.last_end) != INT64_MIN;
    free(begins);
    return early;
}

enum td_op_doubt td_op_doubt_of_cores(const struct td_op_sum *op)
{
    const struct td_op_span *k = &op->kernel;
    for (uint32_t i = 0; i < op->core_count; i++) {
        const struct td_op_core *core = &op->cores[i];
        const bool all_fw = core->fw_lanes == core->lanes, ended = !core->open;
        const enum td_op_doubt doubt = td_op_doubt_of_launch(all_fw ? core->fw_start : TD_OP_NO_TIME,
                                                             all_fw && ended ? core->fw_end : TD_OP_NO_TIME,
                                                             core->start, ended ? core->end : TD_OP_NO_TIME);
        if (doubt)
            return doubt;
        if (is_before(core->first_end, core->start) || (all_fw && is_before(core->first_end, core->fw_start)))
            return TD_OP_DOUBT_ENDS_FIRST;
    }
    if (k->first_start == TD_OP_NO_TIME || k->last_end == TD_OP_NO_TIME)
        return TD_OP_DOUBT_NONE;
    if (op->fw.first_start != TD_OP_NO_TIME &&
        is_early(&op->clock, op->fw.first_start, k->first_start, k->last_end))
        return TD_OP_DOUBT_EARLY;
    /* Without begins that are so far apart nothing needs to be sorted. */
    return is_early(&op->clock, k->first_start, k->last_start, k->last_end) && has_early_core(op)
               ? TD_OP_DOUBT_EARLY
               : TD_OP_DOUBT_NONE;
}
