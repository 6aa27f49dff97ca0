/* Sums of operations by name. */
#include "host/base/grow.h"
#include "host/report/html/html_internal.h"

#include <stdlib.h>
#include <string.h>

static struct td_html_op_group *find_group(struct td_html_ops *ops, const char *name)
{
    if (ops->count >= TD_HTML_OP_NAMES && td_name_table_find(&ops->names, name, strlen(name)) == UINT32_MAX) {
        ops->left_out++;
        name = "";
    }
    const uint32_t number = td_name_table_number(&ops->names, name, strlen(name));
    if (number == UINT32_MAX || td_grow(&ops->groups, &ops->capacity, number + 1, sizeof *ops->groups) < 0)
        return NULL;
    if (number == ops->count)
        ops->groups[ops->count++] =
            (struct td_html_op_group){.name = td_name_table_at(&ops->names, number), .cores_min = UINT32_MAX};
    return &ops->groups[number];
}

static struct td_html_tile *find_tile(struct td_html_ops *ops, uint32_t device, uint16_t x, uint16_t y)
{
    const uint64_t key = (uint64_t)device << 32 | (uint32_t)x << 16 | y;
    const uint32_t number = td_map_get(&ops->tile_numbers, key, UINT32_MAX);
    if (number != UINT32_MAX)
        return &ops->tiles[number];
    if (td_grow(&ops->tiles, &ops->tile_capacity, ops->tile_count + 1, sizeof *ops->tiles) < 0 ||
        td_map_add(&ops->tile_numbers, key, (uint32_t)ops->tile_count) < 0)
        return NULL;
    ops->tiles[ops->tile_count] = (struct td_html_tile){.device = device, .x = x, .y = y};
    return &ops->tiles[ops->tile_count++];
}

static int add_cores(struct td_html_ops *ops, struct td_html_op_group *group, const struct td_op_sum *op)
{
    const double longest = td_op_ns(&op->clock, op->per_core_max),
                 mean = op->clock.cycles && op->clock.mhz > 0 ? op->per_core_avg * 1000 / op->clock.mhz
                                                              : op->per_core_avg;
    if (mean > 0)
        group->core_excess += longest / mean - 1;
    for (uint32_t i = 0; op->cores && i < op->core_count; i++) {
        const int64_t length = td_op_length(op->cores[i].start, op->cores[i].end);
        struct td_html_tile *tile = find_tile(ops, op->device, op->cores[i].x, op->cores[i].y);
        if (!tile)
            return TD_E_NOMEM;
        tile->operations++;
        if ((double)length <= op->per_core_avg * STRAGGLER_FACTOR)
            continue;
        group->stragglers++;
        tile->straggles++;
        tile->excess_ns += td_op_ns(&op->clock, length) - mean;
    }
    group->cores_min = op->core_count < group->cores_min ? op->core_count : group->cores_min;
    group->cores_max = op->core_count > group->cores_max ? op->core_count : group->cores_max;
    return 0;
}

/* When operations of the group ran on the device. NULL: no memory. */
static struct td_busy_span *find_busy(struct td_html_ops *ops, const struct td_html_op_group *group,
                                      uint32_t device)
{
    const uint64_t key = (uint64_t)(group - ops->groups) << 32 | device;
    const uint32_t number = td_map_get(&ops->busy_numbers, key, UINT32_MAX);
    if (number != UINT32_MAX)
        return &ops->busy[number];
    if (td_grow(&ops->busy, &ops->busy_capacity, ops->busy_count + 1, sizeof *ops->busy) < 0 ||
        td_map_add(&ops->busy_numbers, key, (uint32_t)ops->busy_count) < 0)
        return NULL;
    ops->busy[ops->busy_count] = (struct td_busy_span){0};
    return &ops->busy[ops->busy_count++];
}

static void add_doubted(struct td_html_ops *ops, const struct td_op_sum *op)
{
    if (ops->doubted < TD_HTML_DOUBTS) {
        struct td_html_doubt *d = &ops->doubts[ops->doubted];
        *d = (struct td_html_doubt){.device = op->device, .run_id = op->run_id, .doubt = op->doubt};
        strncat(d->name, op->name, sizeof d->name - 1);
    }
    ops->doubted++;
}

/* The part of the length that no operation before it of the group, or of all, has. */
static int add_times(struct td_html_ops *ops, struct td_html_op_group *group, const struct td_op_sum *op)
{
    const int64_t start = op->kernel.first_start, end = op->kernel.last_end;
    struct td_busy_span *busy = find_busy(ops, group, op->device);
    if (!busy)
        return TD_E_NOMEM;
    group->total_ns += td_op_ns(&op->clock, td_busy_span_add(busy, start, end));
    ops->busy_ns += td_op_ns(&op->clock, td_wrap_sub(td_op_length(start, end), op->shared));
    ops->overlaps += op->shared > 0;
    if (op->gap != TD_OP_NO_TIME) {
        group->gap_ns += td_op_ns(&op->clock, op->gap);
        ops->gap_ns += td_op_ns(&op->clock, op->gap);
    }
    return 0;
}

int td_html_ops_add(void *self, const struct td_op_sum *op, struct td_err *err)
{
    struct td_html_ops *ops = self;
    const double ns = td_op_ns(&op->clock, td_op_length(op->kernel.first_start, op->kernel.last_end));
    if (op->doubt) {
        add_doubted(ops, op);
        return 0;
    }
    if (op->open || op->kernel.first_start == TD_OP_NO_TIME || op->kernel.last_end == TD_OP_NO_TIME) {
        ops->open++;
        return 0;
    }
    struct td_html_op_group *group = find_group(ops, op->name);
    if (!group || td_length_histogram_add(&group->lengths, ns > 0 ? (int64_t)ns : 0) < 0 ||
        add_times(ops, group, op) < 0 || add_cores(ops, group, op) < 0)
        return td_fail_no_memory(err, NULL);
    group->calls++;
    group->sum_ns += ns;
    group->max_ns = ns > group->max_ns ? ns : group->max_ns;
    group->busy_ns += td_op_ns(&op->clock, op->busy);
    group->wait_ns += td_op_ns(&op->clock, op->wait);
    for (unsigned r = 0; r < TD_OP_RISC_COUNT; r++)
        group->risc_ns[r] +=
            td_op_ns(&op->clock, td_op_length(op->risc[r].first_start, op->risc[r].last_end));
    return 0;
}

void td_html_ops_free(struct td_html_ops *ops)
{
    for (size_t i = 0; i < ops->count; i++)
        td_length_histogram_free(&ops->groups[i].lengths);
    free(ops->groups);
    td_name_table_free(&ops->names);
    free(ops->tiles);
    td_map_finish(&ops->tile_numbers);
    free(ops->busy);
    td_map_finish(&ops->busy_numbers);
    *ops = (struct td_html_ops){0};
}
