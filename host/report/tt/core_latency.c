#include "host/report/tt/core_latency.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* What a core of a device ran last. */
struct core_end {
    uint32_t run_id;
    int64_t end;
};

struct td_core_latency {
    FILE *to;
    uint32_t *cores;
    size_t count;
    struct td_map of_core; /* device << 32 | place: its core_end */
    struct core_end *ends;
    size_t end_count, end_room;
    struct core_pair *pairs; /* of the operation that is added */
    size_t pair_room;
};

struct core_pair {
    uint32_t place, before;
    int64_t latency;
};

TD_COMPARE_NUMBERS(compare_places, uint32_t)

struct td_core_latency *td_core_latency_create(FILE *to, const uint32_t *cores, size_t count)
{
    struct td_core_latency *l = calloc(1, sizeof *l);
    uint32_t *copy = l ? malloc((count + 1) * sizeof *copy) : NULL;
    if (!copy) {
        free(l);
        return NULL;
    }
    l->to = to;
    l->cores = copy;
    for (size_t i = 0; i < count; i++)
        copy[i] = cores[i];
    qsort(copy, count, sizeof *copy, compare_places);
    for (size_t i = 0; i < count; i++)
        if (!i || copy[i] != copy[l->count - 1])
            copy[l->count++] = copy[i];
    fputs("device ID,op2op ID", to);
    for (size_t i = 0; i < l->count; i++)
        fprintf(to, ",%" PRIu32 "; %" PRIu32 " [ns]", copy[i] >> 16, copy[i] & 0xffff);
    fputs("\r\n", to);
    return l;
}

void td_core_latency_destroy(struct td_core_latency *l)
{
    if (!l)
        return;
    td_map_finish(&l->of_core);
    free(l->cores);
    free(l->ends);
    free(l->pairs);
    free(l);
}

/* Takes a core of the operation; *has: there was an operation before it. */
static int take_core(struct td_core_latency *l, const struct td_op_sum *op, const struct td_op_core *core,
                     struct core_pair *pair, bool *has)
{
    const uint32_t place = (uint32_t)core->x << 16 | core->y;
    const uint64_t key = (uint64_t)op->device << 32 | place;
    uint32_t at = td_map_get(&l->of_core, key, UINT32_MAX);
    *has = at != UINT32_MAX && core->data_start != TD_OP_NO_TIME;
    if (*has)
        *pair = (struct core_pair){place, l->ends[at].run_id, td_wrap_sub(core->data_start, l->ends[at].end)};
    if (core->end == TD_OP_NO_TIME)
        return 0;
    if (at == UINT32_MAX) {
        at = (uint32_t)l->end_count;
        if (td_grow(&l->ends, &l->end_room, l->end_count + 1, sizeof *l->ends) < 0 ||
            td_map_add(&l->of_core, key, at) < 0)
            return TD_E_NOMEM;
        l->end_count++;
    }
    l->ends[at] = (struct core_end){op->run_id, core->end};
    return 0;
}

TD_COMPARE(compare_pairs, struct core_pair, TD_UP(before) TD_UP(place))

/* A row: the pairs have the same operation before them, and are sorted by place. */
static void write_row(const struct td_core_latency *l, const struct td_op_sum *op,
                      const struct core_pair *pairs, size_t count)
{
    size_t at = 0;
    fprintf(l->to, "%" PRIu32 ",%" PRIu32 " -> %" PRIu32, op->device, pairs->before, op->run_id);
    for (size_t i = 0; i < l->count; i++) {
        putc(',', l->to);
        while (at < count && pairs[at].place < l->cores[i])
            at++;
        if (at < count && pairs[at].place == l->cores[i])
            fprintf(l->to, "%.0f",
                    rint(td_op_ns(&op->clock, pairs[at].latency)) - TD_CORE_LATENCY_OVERHEAD_NS);
    }
    fputs("\r\n", l->to);
}

int td_core_latency_add(struct td_core_latency *l, const struct td_op_sum *op)
{
    size_t count = 0;
    if (td_grow(&l->pairs, &l->pair_room, op->core_count + 1, sizeof *l->pairs) < 0)
        return TD_E_NOMEM;
    for (uint32_t i = 0; i < op->core_count; i++) {
        bool has;
        if (take_core(l, op, &op->cores[i], &l->pairs[count], &has) < 0)
            return TD_E_NOMEM;
        count += has;
    }
    qsort(l->pairs, count, sizeof *l->pairs, compare_pairs);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && l->pairs[end].before == l->pairs[first].before;)
            end++;
        write_row(l, op, l->pairs + first, end - first);
    }
    return 0;
}
