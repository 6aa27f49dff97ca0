#include "host/query/ops/operations.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/report/ops/trace_ops.h"

#include <stdlib.h>
#include <string.h>

#define RUN_ID_DEVICE_BITS 10   /* tt-metal's run host id is op << 10 | device */
#define CHECK_EVERY        4096 /* launches between two looks at whether the job is cancelled */

/* While reading, operations have the number of struct td_op_sum, and members that of their operation. */
struct numbered_member {
    uint64_t operation;
    struct td_operation_member member;
};

struct operations_reading {
    const struct td_operations_request *request;
    struct td_operations *to;
    uint64_t *numbers; /* of the operations in `to` */
    size_t number_room;
    struct numbered_member *member;
    size_t count, capacity;
    int64_t last_ns;
    bool has_ids;
};

static bool is_asked_for(const struct td_operations_request *request, uint64_t id)
{
    return !request->one || id == request->op || id >> RUN_ID_DEVICE_BITS == request->op;
}

/* One without an id may get a number. */
static bool is_read(const struct td_operations_request *request, uint32_t run_id)
{
    return !run_id || is_asked_for(request, run_id);
}

static int join_launch(void *self, uint64_t number, const struct td_op_launch *l, struct td_err *err)
{
    struct operations_reading *r = self;
    struct td_job *job = r->request->job;
    const bool has_kernel = l->kernel_start != TD_OP_NO_TIME;
    const int64_t start = has_kernel ? l->kernel_start : l->fw_start,
                  end = has_kernel ? l->kernel_end : l->fw_end, now = r->request->now_ns;
    if (job && r->count % CHECK_EVERY == 0) {
        if (td_job_cancelled(job))
            return TD_E_STOPPED;
        td_job_set_progress(job, start > 0 ? (uint64_t)start : 0, (uint64_t)r->last_ns);
    }
    r->to->cut |= r->count == TD_OPERATION_MEMBERS;
    if (r->count == TD_OPERATION_MEMBERS || !is_read(r->request, l->run_id))
        return 0;
    const struct numbered_member m = {
        number,
        {.zone = {l->track, l->row, l->zone},
         .start_ns = start,
         .end_ns = end != TD_OP_NO_TIME ? end
                   : now > start        ? now
                                        : start,
         .is_open = end == TD_OP_NO_TIME,
         .doubted = td_op_doubt_of_launch(l->fw_start, l->fw_end, l->kernel_start, l->kernel_end) != 0}};
    return TD_APPEND(r->member, r->count, r->capacity, m) < 0 ? td_fail_no_memory(err, NULL) : 0;
}

/* A name that is that of the operation before is kept once. NULL: no memory. */
static const char *keep_name(struct td_operations *to, const char *name)
{
    const char *before = to->count ? to->operation[to->count - 1].name : NULL;
    if (before && !strcmp(before, name))
        return before;
    return td_text_arena_copy(&to->names, name, strlen(name) + 1).at;
}

static int keep_cores(struct td_operation *o, const struct td_op_sum *op)
{
    o->cores = malloc((op->core_count + (size_t)1) * sizeof *o->cores);
    if (!o->cores)
        return TD_E_NOMEM;
    if (op->core_count)
        memcpy(o->cores, op->cores, op->core_count * sizeof *o->cores);
    return 0;
}

static int take_op(void *self, struct td_op_sum *op, struct td_err *err)
{
    struct operations_reading *r = self;
    struct td_operations *to = r->to;
    to->all++;
    r->has_ids |= op->run_id != 0;
    if (!is_read(r->request, op->run_id))
        return 0;
    const struct td_operation o = {.id = op->run_id,
                                   .device = op->device,
                                   .trace = op->trace,
                                   .replay = op->replay,
                                   .name = keep_name(to, op->is_labelled ? "" : op->name),
                                   .doubt = op->doubt,
                                   .tiles = op->core_count,
                                   .launches = op->launches,
                                   .open = op->open,
                                   .start_ns = op->kernel.first_start,
                                   .end_ns = op->kernel.last_end,
                                   .first_end_ns = op->kernel.first_end,
                                   .gap_ns = op->gap,
                                   .shared_ns = op->shared,
                                   .tile_min_ns = op->per_core_min,
                                   .tile_max_ns = op->per_core_max,
                                   .tile_mean_ns = op->per_core_avg,
                                   .busy_ns = op->busy,
                                   .wait_ns = op->wait,
                                   .last = TD_NO_ZONE,
                                   .launch = TD_NO_ZONE};
    if (to->names.no_memory || td_grow(&r->numbers, &r->number_room, to->count + 1, sizeof *r->numbers) < 0 ||
        TD_APPEND(to->operation, to->count, to->capacity, o) < 0 ||
        (r->request->one && keep_cores(&to->operation[to->count - 1], op) < 0))
        return td_fail_no_memory(err, NULL);
    r->numbers[to->count - 1] = op->number;
    return 0;
}

/* ---- what follows from the members ---- */

TD_COMPARE(compare_members, struct numbered_member,
           TD_UP(operation) TD_UP(member.zone.track) TD_UP(member.zone.row) TD_UP(member.zone.index))

TD_COMPARE(compare_operations, struct td_operation, TD_UP(from_ns) TD_UP(device) TD_UP(id) TD_UP(first))

TD_COMPARE_NUMBERS(compare_times, int64_t)

/* Marks launches that begin too early. `times` has room for those of all members. */
static void doubt_members(const struct td_operation *o, struct td_operation_member *m, int64_t *times)
{
    const struct td_op_clock ns = {0, false};
    size_t count = 0;
    for (size_t i = 0; i < o->count; i++)
        if (!m[i].doubted)
            times[count++] = m[i].start_ns;
    const int64_t earliest = td_op_earliest(&ns, times, count, o->end_ns);
    for (size_t i = 0; i < o->count; i++)
        m[i].doubted |= m[i].start_ns < earliest;
}

/* Where the picture begins and ends. */
static void find_range(struct td_operation *o, const struct td_operation_member *m)
{
    bool any = false;
    o->from_ns = o->count ? m[0].start_ns : o->start_ns;
    o->to_ns = o->count ? m[0].end_ns : o->end_ns;
    for (size_t i = 0; i < o->count; i++) {
        if (m[i].doubted)
            continue;
        o->from_ns = !any || m[i].start_ns < o->from_ns ? m[i].start_ns : o->from_ns;
        o->to_ns = !any || m[i].end_ns > o->to_ns ? m[i].end_ns : o->to_ns;
        any = true;
    }
}

static void find_ends(struct td_operation *o, const struct td_operation_member *m, int64_t *times)
{
    size_t count = 0;
    int64_t last_ns = INT64_MIN;
    for (size_t i = 0; i < o->count; i++) {
        if (m[i].is_open)
            continue;
        times[count++] = m[i].end_ns;
        if (!td_ref_valid(o->last) || m[i].end_ns > last_ns) {
            last_ns = m[i].end_ns;
            o->last = m[i].zone;
        }
    }
    if (count)
        qsort(times, count, sizeof *times, compare_times);
    o->median_ns = count ? times[(count - 1) / 2] : o->to_ns;
}

static void find_launch(struct td_operation *o, const struct td_operation_member *m,
                        const struct td_flows *flows)
{
    struct td_flow_pair pair;
    if (flows && o->count && td_flows_of(flows, m[0].zone, &pair, 1) &&
        td_ref_equal(pair.to->zone, m[0].zone))
        o->launch = pair.from->zone;
}

/* The members of operation i follow those of i - 1. */
static int take_members(struct operations_reading *r)
{
    struct td_operations *all = r->to;
    uint64_t most = 0;
    for (size_t i = 0; i < all->count; i++)
        most = r->numbers[i] > most ? r->numbers[i] : most;
    uint64_t *place = calloc(most + 1, sizeof *place); /* by number */
    all->member = malloc((r->count + 1) * sizeof *all->member);
    int rc = place && all->member ? 0 : TD_E_NOMEM;
    for (size_t i = 0; rc == 0 && i < all->count; i++)
        place[r->numbers[i]] = i;
    for (size_t i = 0; rc == 0 && i < r->count; i++)
        r->member[i].operation = place[r->member[i].operation];
    if (rc == 0 && r->count)
        qsort(r->member, r->count, sizeof *r->member, compare_members);
    for (size_t i = 0; rc == 0 && i < r->count; i++) {
        struct td_operation *o = &all->operation[r->member[i].operation];
        o->first = o->count ? o->first : i;
        o->count++;
        all->member[i] = r->member[i].member;
    }
    all->member_count = r->count;
    free(place);
    return rc;
}

static int measure(struct operations_reading *r)
{
    struct td_operations *all = r->to;
    int64_t *times = malloc((r->count + 1) * sizeof *times);
    if (!times)
        return TD_E_NOMEM;
    for (size_t i = 0; i < all->count; i++) {
        struct td_operation *o = &all->operation[i];
        struct td_operation_member *m = all->member + o->first;
        if (o->doubt)
            doubt_members(o, m, times);
        find_range(o, m);
        find_ends(o, m, times);
        find_launch(o, m, r->request->flows);
    }
    free(times);
    return 0;
}

/* Those that have no ids are numbered by their starts. */
static void number_operations(struct td_operations *all, bool has_ids)
{
    all->by_order = all->count && !has_ids;
    if (all->count)
        qsort(all->operation, all->count, sizeof *all->operation, compare_operations);
    for (size_t i = 0; i < all->count && all->by_order; i++)
        all->operation[i].id = i;
}

/* Leaves out other operations and the members of other lanes, and then those without members. */
static int choose(struct td_operations *all, const struct td_operations_request *request)
{
    struct td_operation_member *kept = malloc((all->member_count + 1) * sizeof *kept);
    size_t members = 0, operations = 0;
    if (!kept)
        return TD_E_NOMEM;
    for (size_t i = 0; i < all->count; i++) {
        struct td_operation o = all->operation[i];
        const size_t from = o.first, to = o.first + o.count;
        const bool asked = all->by_order && request->one ? o.id == request->op : is_asked_for(request, o.id);
        o.first = members;
        for (size_t m = from; m < to && asked; m++)
            if (td_lane_chosen(request->lanes, all->member[m].zone.track))
                kept[members++] = all->member[m];
        o.count = members - o.first;
        if (asked && (o.count || !request->lanes))
            all->operation[operations++] = o;
        else
            free(o.cores);
    }
    free(all->member);
    all->member = kept;
    all->member_count = members;
    all->count = operations;
    return 0;
}

static void count_doubted(struct td_operations *all)
{
    for (size_t o = all->count; o-- > 0;)
        if (all->operation[o].doubt) {
            all->doubted++;
            all->first_doubted = o;
        }
}

int td_operations_make(struct td_operations *operations, const struct td_operations_request *request)
{
    const struct td_trace_info *info = td_trace_get_info(request->trace);
    struct operations_reading r = {
        .request = request, .to = operations, .last_ns = info->last_time_ns > 0 ? info->last_time_ns : 1};
    const struct td_op_sums_options options = {.self = &r, .give = take_op, .join = join_launch};
    *operations = (struct td_operations){0};
    int rc = td_trace_ops_read(request->trace, &options, NULL);
    rc = rc ? rc : take_members(&r);
    rc = rc ? rc : measure(&r);
    if (rc == 0) {
        number_operations(operations, r.has_ids);
        rc = choose(operations, request);
        count_doubted(operations);
    }
    free(r.numbers);
    free(r.member);
    if (rc < 0)
        td_operations_free(operations);
    return rc;
}

void td_operations_free(struct td_operations *operations)
{
    for (size_t i = 0; i < operations->count; i++)
        free(operations->operation[i].cores);
    free(operations->operation);
    free(operations->member);
    td_text_arena_free(&operations->names);
    *operations = (struct td_operations){0};
}
