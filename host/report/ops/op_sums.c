#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/report/ops/op_busy.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS  65536u
#define SAME_MAX 64u /* operations of one identity that are looked at */

/* Bits of RISCs of a core, as in struct td_op_core. */
struct core_lanes {
    uint32_t started, fw, ended;
    uint32_t number; /* the device's, of the core */
};

struct waiting_op {
    struct td_op_sum op;
    struct core_lanes *lanes; /* of each core */
    size_t core_room, lane_room;
    uint32_t *slots; /* 1 + a place in op.cores, by a hash of the core's number; 0: none. A power of two */
    size_t slot_count;
    bool superseded;  /* one of its cores has begun another launch */
    bool same_before; /* another one with the same identity waited when it was made */
    char name[64];
    struct waiting_op *hash_next, *next;
};

struct op_device {
    uint32_t number;
    struct td_op_clock clock;
    struct td_map cores; /* x << 16 | y: number of the core */
    struct waiting_op *
        *last_of; /* by core: the operation that began last on it; NULL: none, or it was given */
    size_t last_room;
    struct waiting_op *first, **end; /* those that wait */
    size_t waiting;
    int64_t previous_end; /* KERNEL end of the operation that was given last */
    uint32_t previous_run_id;
    struct td_op_busy busy;
};

struct td_op_sums {
    struct td_op_sums_options options;
    struct op_device *last_device;
    struct td_map by_number; /* places in device_at */
    struct op_device **device_at;
    size_t device_count, device_room;
    bool ending; /* all operations are given: no launch follows */
    struct waiting_op *buckets[BUCKETS], *last_op;
    size_t waiting;
    uint64_t made; /* operations */
};

static void free_op(struct waiting_op *w)
{
    free(w->op.cores);
    free(w->lanes);
    free(w->slots);
    free(w);
}

struct td_op_sums *td_op_sums_create(const struct td_op_sums_options *options)
{
    struct td_op_sums *sums = calloc(1, sizeof *sums);
    if (sums)
        sums->options = *options;
    return sums;
}

void td_op_sums_destroy(struct td_op_sums *sums)
{
    if (!sums)
        return;
    for (size_t i = 0; i < sums->device_count; i++) {
        struct op_device *d = sums->device_at[i];
        for (struct waiting_op *w = d->first, *after; w; w = after) {
            after = w->next;
            free_op(w);
        }
        td_map_finish(&d->cores);
        free(d->last_of);
        free(d);
    }
    td_map_finish(&sums->by_number);
    free(sums->device_at);
    free(sums);
}

size_t td_op_sums_waiting(const struct td_op_sums *sums)
{
    return sums->waiting;
}

static struct op_device *find_device(struct td_op_sums *sums, uint32_t number)
{
    if (sums->last_device && sums->last_device->number == number)
        return sums->last_device;
    const uint32_t at = td_map_get(&sums->by_number, number, UINT32_MAX);
    return at == UINT32_MAX ? NULL : (sums->last_device = sums->device_at[at]);
}

static struct op_device *take_device(struct td_op_sums *sums, uint32_t number)
{
    struct op_device *d = find_device(sums, number);
    if (d)
        return d;
    if (td_grow(&sums->device_at, &sums->device_room, sums->device_count + 1, sizeof *sums->device_at) < 0 ||
        !(d = calloc(1, sizeof *d)))
        return NULL;
    if (td_map_add(&sums->by_number, number, (uint32_t)sums->device_count) < 0) {
        free(d);
        return NULL;
    }
    sums->device_at[sums->device_count++] = d;
    d->number = number;
    d->end = &d->first;
    d->previous_end = TD_OP_NO_TIME;
    if (sums->options.clock)
        d->clock = sums->options.clock(sums->options.self, number);
    return sums->last_device = d;
}

static bool is_of(const struct td_op_sum *op, const struct td_op_launch *l)
{
    return op->run_id == l->run_id && op->device == l->device && op->trace == l->trace &&
           op->replay == l->replay;
}

static struct waiting_op **bucket_of(struct td_op_sums *sums, uint32_t device, uint32_t run_id,
                                     uint32_t trace, uint32_t replay)
{
    const uint64_t a = (uint64_t)device << 32 | run_id, b = (uint64_t)trace << 32 | replay;
    return &sums->buckets[td_mix64(a ^ td_mix64(b)) % BUCKETS];
}

/* The slot of a core, or the empty one in which it would be. There is at least one empty slot. */
static size_t slot_of(const struct waiting_op *w, uint32_t number)
{
    const size_t mask = w->slot_count - 1;
    size_t at = (size_t)td_mix64(number) & mask;
    while (w->slots[at] && w->lanes[w->slots[at] - 1].number != number)
        at = (at + 1) & mask;
    return at;
}

/* The core's bits; NULL: the operation has no launch of it. */
static const struct core_lanes *find_lanes(const struct waiting_op *w, uint32_t number)
{
    const uint32_t place = w->slot_count ? w->slots[slot_of(w, number)] : 0;
    return place ? &w->lanes[place - 1] : NULL;
}

/* The RISC has begun this operation before: another one of the same identity begins. */
static bool is_again(const struct waiting_op *w, uint32_t number, const struct td_op_launch *l)
{
    const struct core_lanes *had = find_lanes(w, number);
    if (!had)
        return false;
    const uint32_t bit = UINT32_C(1) << (l->lane & 31);
    if (l->fw_start != TD_OP_NO_TIME)
        return had->fw & bit;
    return l->kernel_start != TD_OP_NO_TIME && !(had->fw & bit) && (had->started & bit);
}

static bool overlaps(const struct td_op_sum *op, const struct td_op_launch *l)
{
    const int64_t start = l->fw_start != TD_OP_NO_TIME ? l->fw_start : l->kernel_start;
    const int64_t end = l->fw_end != TD_OP_NO_TIME ? l->fw_end : l->kernel_end;
    const int64_t first = op->fw.first_start != TD_OP_NO_TIME ? op->fw.first_start : op->kernel.first_start;
    const int64_t last = op->fw.last_end > op->kernel.last_end ? op->fw.last_end : op->kernel.last_end;
    return (last == TD_OP_NO_TIME || start <= last) && (end == TD_OP_NO_TIME || first <= end);
}

/* The operation that the launch belongs to; NULL: none yet. Of several with the same identity it is one
 * that runs at the same time, else the oldest one that the RISC has not begun. */
static struct waiting_op *find_op(struct td_op_sums *sums, uint32_t number, const struct td_op_launch *l)
{
    struct waiting_op *w = sums->last_op, *found = NULL;
    if (w && is_of(&w->op, l) && !w->same_before && !is_again(w, number, l))
        return w;
    w = *bucket_of(sums, l->device, l->run_id, l->trace, l->replay);
    for (unsigned seen = 0; w && seen < SAME_MAX; w = w->hash_next) {
        if (!is_of(&w->op, l))
            continue;
        seen++;
        if (is_again(w, number, l)) {
            w->superseded = true;
            continue;
        }
        found = w;
        if (overlaps(&w->op, l))
            break;
    }
    return found;
}

static struct waiting_op *make_op(struct td_op_sums *sums, struct op_device *d, const struct td_op_launch *l)
{
    static const struct td_op_span none = {TD_OP_NO_TIME, TD_OP_NO_TIME, TD_OP_NO_TIME, TD_OP_NO_TIME};
    struct waiting_op *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    struct td_op_sum *op = &w->op;
    op->number = sums->made++;
    op->device = l->device;
    op->run_id = l->run_id;
    op->trace = l->trace;
    op->replay = l->replay;
    op->clock = d->clock;
    op->fw = op->kernel = op->data_kernel = none;
    for (unsigned i = 0; i < TD_OP_RISC_COUNT; i++)
        op->risc[i] = none;
    op->cb_wait_front = op->cb_reserve_back = -1;
    struct waiting_op **bucket = bucket_of(sums, l->device, l->run_id, l->trace, l->replay);
    for (const struct waiting_op *o = *bucket; o && !w->same_before; o = o->hash_next)
        w->same_before = is_of(&o->op, l);
    w->hash_next = *bucket;
    *bucket = w;
    *d->end = w;
    d->end = &w->next;
    d->waiting++;
    sums->waiting++;
    return w;
}

/* The device's number of a core. */
static int take_core_number(struct op_device *d, const struct td_op_launch *l, uint32_t *number)
{
    const uint64_t key = (uint64_t)l->x << 16 | l->y;
    *number = td_map_get(&d->cores, key, UINT32_MAX);
    if (*number != UINT32_MAX)
        return 0;
    *number = (uint32_t)d->cores.count;
    const size_t had = d->last_room;
    if (td_grow(&d->last_of, &d->last_room, *number + 1, sizeof *d->last_of) < 0)
        return TD_E_NOMEM;
    memset(d->last_of + had, 0, (d->last_room - had) * sizeof *d->last_of);
    return td_map_add(&d->cores, key, *number) < 0 ? TD_E_NOMEM : 0;
}

static int grow_slots(struct waiting_op *w)
{
    const size_t count = w->slot_count ? 2 * w->slot_count : 16;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return TD_E_NOMEM;
    free(w->slots);
    w->slots = slots;
    w->slot_count = count;
    for (uint32_t i = 0; i < w->op.core_count; i++)
        w->slots[slot_of(w, w->lanes[i].number)] = i + 1;
    return 0;
}

/* Sets *place to the place of the core in the operation, which has it from then on. */
static int take_core(struct waiting_op *w, uint32_t number, const struct td_op_launch *l, uint32_t *place)
{
    const struct core_lanes *known = find_lanes(w, number);
    if (known) {
        *place = (uint32_t)(known - w->lanes);
        return 0;
    }
    if ((2 * (w->op.core_count + (size_t)1) > w->slot_count && grow_slots(w) < 0) ||
        td_grow(&w->op.cores, &w->core_room, w->op.core_count + 1, sizeof *w->op.cores) < 0 ||
        td_grow(&w->lanes, &w->lane_room, w->op.core_count + 1, sizeof *w->lanes) < 0)
        return TD_E_NOMEM;
    const size_t slot = slot_of(w, number);
    *place = w->op.core_count++;
    w->op.cores[*place] = (struct td_op_core){.x = l->x,
                                              .y = l->y,
                                              .start = TD_OP_NO_TIME,
                                              .end = TD_OP_NO_TIME,
                                              .last_start = TD_OP_NO_TIME,
                                              .first_end = TD_OP_NO_TIME,
                                              .fw_start = TD_OP_NO_TIME,
                                              .fw_end = TD_OP_NO_TIME,
                                              .data_start = TD_OP_NO_TIME};
    w->lanes[*place] = (struct core_lanes){.number = number};
    w->slots[slot] = *place + 1;
    return 0;
}

static bool begins(const struct td_op_launch *l)
{
    return l->fw_start != TD_OP_NO_TIME || l->kernel_start != TD_OP_NO_TIME;
}

static void take_least(int64_t *to, int64_t time)
{
    if (time != TD_OP_NO_TIME && (*to == TD_OP_NO_TIME || time < *to))
        *to = time;
}
static void take_greatest(int64_t *to, int64_t time)
{
    if (time != TD_OP_NO_TIME && time > *to) /* TD_OP_NO_TIME is less than all times */
        *to = time;
}

static void add_to_span(struct td_op_span *span, int64_t start, int64_t end)
{
    take_least(&span->first_start, start);
    take_greatest(&span->last_start, start);
    take_least(&span->first_end, end);
    take_greatest(&span->last_end, end);
}

static void add_sum(int64_t *to, int64_t value)
{
    if (value >= 0)
        *to = td_wrap_add(*to < 0 ? 0 : *to, value);
}

static void add_lane(struct core_lanes *lanes, const struct td_op_launch *l)
{
    const uint32_t bit = UINT32_C(1) << (l->lane & 31);
    if (begins(l))
        lanes->started |= bit;
    if (l->fw_start != TD_OP_NO_TIME || l->fw_end != TD_OP_NO_TIME) {
        lanes->fw |= bit;
        lanes->ended &= ~bit;
    }
    if (l->fw_end != TD_OP_NO_TIME || (l->kernel_end != TD_OP_NO_TIME && !(lanes->fw & bit)))
        lanes->ended |= bit;
}

static void add_launch(struct waiting_op *w, uint32_t place, const struct td_op_launch *l)
{
    struct td_op_sum *op = &w->op;
    struct td_op_core *core = &op->cores[place];
    const bool moves_data = l->risc == TD_OP_BRISC || l->risc == TD_OP_NCRISC || l->risc == TD_OP_ERISC;
    const int64_t busy = td_op_length(l->kernel_start, l->kernel_end);
    add_to_span(&op->fw, l->fw_start, l->fw_end);
    add_to_span(&op->kernel, l->kernel_start, l->kernel_end);
    add_to_span(&op->risc[l->risc], l->kernel_start, l->kernel_end);
    if (moves_data) {
        add_to_span(&op->data_kernel, l->kernel_start, l->kernel_end);
        take_least(&core->data_start, l->kernel_start);
    }
    take_least(&core->start, l->kernel_start);
    take_greatest(&core->end, l->kernel_end);
    take_greatest(&core->last_start, l->kernel_start);
    take_least(&core->first_end, l->kernel_end);
    take_least(&core->fw_start, l->fw_start);
    take_greatest(&core->fw_end, l->fw_end);
    core->busy = td_wrap_add(core->busy, busy);
    core->wait = td_wrap_add(core->wait, l->wait);
    add_sum(&op->cb_wait_front, l->cb_wait_front);
    add_sum(&op->cb_reserve_back, l->cb_reserve_back);
    add_lane(&w->lanes[place], l);
    if (!op->doubt)
        op->doubt = td_op_doubt_of_launch(l->fw_start, l->fw_end, l->kernel_start, l->kernel_end);
    if (l->name && !w->name[0])
        strncat(w->name, l->name, sizeof w->name - 1);
}

int td_op_sums_add(struct td_op_sums *sums, const struct td_op_launch *l, struct td_err *err)
{
    uint32_t number, place;
    struct op_device *d = take_device(sums, l->device);
    if (!d || take_core_number(d, l, &number) < 0)
        return td_fail_no_memory(err, "for operations");
    struct waiting_op *w = find_op(sums, number, l);
    if (!w)
        w = make_op(sums, d, l);
    if (!w || take_core(w, number, l, &place) < 0)
        return td_fail_no_memory(err, "for operations");
    struct waiting_op *before = d->last_of[number];
    if (before && before != w && begins(l))
        before->superseded = true;
    d->last_of[number] = w;
    sums->last_op = w;
    add_launch(w, place, l);
    return sums->options.join ? sums->options.join(sums->options.self, w->op.number, l, err) : 0;
}

static int64_t start_of(const struct waiting_op *w)
{
    const struct td_op_sum *op = &w->op;
    const int64_t fw = op->fw.first_start, kernel = op->kernel.first_start;
    return kernel == TD_OP_NO_TIME || (fw != TD_OP_NO_TIME && fw < kernel) ? fw : kernel;
}

static int64_t end_of(const struct waiting_op *w)
{
    const struct td_op_sum *op = &w->op;
    return op->fw.last_end > op->kernel.last_end ? op->fw.last_end : op->kernel.last_end;
}

/* What follows from the cores; once more changes nothing. */
static void sum_cores(struct waiting_op *w)
{
    struct td_op_sum *op = &w->op;
    double sum = 0;
    uint32_t timed = 0;
    op->launches = op->open = 0;
    op->busy = op->wait = op->per_core_min = op->per_core_max = 0;
    for (uint32_t i = 0; i < op->core_count; i++) {
        struct td_op_core *core = &op->cores[i];
        core->lanes = w->lanes[i].started | w->lanes[i].ended;
        core->open = core->lanes & ~w->lanes[i].ended;
        core->fw_lanes = w->lanes[i].fw;
        op->launches += (uint32_t)__builtin_popcount(core->lanes);
        op->open += (uint32_t)__builtin_popcount(core->open);
        op->busy = td_wrap_add(op->busy, core->busy);
        op->wait = td_wrap_add(op->wait, core->wait);
        if (core->start == TD_OP_NO_TIME || core->end == TD_OP_NO_TIME)
            continue;
        const int64_t length = td_op_length(core->start, core->end);
        op->per_core_min = timed && op->per_core_min < length ? op->per_core_min : length;
        op->per_core_max = timed && op->per_core_max > length ? op->per_core_max : length;
        sum += (double)length;
        timed++;
    }
    op->per_core_avg = timed ? sum / timed : 0;
    if (op->fw.first_start == TD_OP_NO_TIME && op->fw.last_end == TD_OP_NO_TIME) {
        op->without_fw = true;
        op->fw = op->kernel;
    }
    op->name = w->name;
    if (!op->doubt)
        op->doubt = td_op_doubt_of_cores(op);
}

static bool has_open(const struct waiting_op *w)
{
    for (uint32_t i = 0; i < w->op.core_count; i++)
        if (w->lanes[i].started & ~w->lanes[i].ended)
            return true;
    return false;
}

static void forget_op(struct td_op_sums *sums, struct op_device *d, struct waiting_op **at)
{
    struct waiting_op *w = *at, **link = bucket_of(sums, d->number, w->op.run_id, w->op.trace, w->op.replay);
    while (*link != w)
        link = &(*link)->hash_next;
    *link = w->hash_next;
    *at = w->next;
    if (!*at)
        d->end = at;
    for (size_t i = 0; i < d->last_room && !sums->ending; i++)
        if (d->last_of[i] == w)
            d->last_of[i] = NULL;
    if (sums->last_op == w)
        sums->last_op = NULL;
    d->waiting--;
    sums->waiting--;
}

static int give_op(struct td_op_sums *sums, struct op_device *d, struct waiting_op **at, struct td_err *err)
{
    struct waiting_op *w = *at;
    forget_op(sums, d, at);
    sum_cores(w);
    struct td_op_sum *op = &w->op;
    op->latency = op->data_latency = TD_OP_NO_TIME;
    op->previous_run_id = d->previous_run_id;
    if (d->previous_end != TD_OP_NO_TIME) {
        if (op->kernel.first_start != TD_OP_NO_TIME)
            op->latency = td_wrap_sub(op->kernel.first_start, d->previous_end);
        if (op->data_kernel.first_start != TD_OP_NO_TIME)
            op->data_latency = td_wrap_sub(op->data_kernel.first_start, d->previous_end);
    }
    if (op->kernel.last_end != TD_OP_NO_TIME) {
        d->previous_end = op->kernel.last_end;
        d->previous_run_id = op->run_id;
    }
    td_op_busy_place(&d->busy, op);
    int rc = sums->options.give(sums->options.self, op, err);
    free_op(w);
    return rc;
}

int td_op_sums_pass(struct td_op_sums *sums, uint32_t device, int64_t time, int64_t settle,
                    struct td_err *err)
{
    struct op_device *d = find_device(sums, device);
    int rc = 0;
    while (rc == 0 && d && d->first) {
        struct waiting_op **first = &d->first;
        for (struct waiting_op **at = &d->first->next; *at; at = &(*at)->next)
            if (start_of(*at) < start_of(*first))
                first = at;
        const struct waiting_op *w = *first;
        const int64_t end = end_of(w);
        if (has_open(w) || end > time || (!w->superseded && td_wrap_sub(time, end) < settle))
            break;
        rc = give_op(sums, d, first, err);
    }
    return rc;
}

static int compare_starts(const void *a, const void *b)
{
    const struct waiting_op *const *x = a, *const *y = b;
    const int64_t s = start_of(*x), t = start_of(*y);
    if (s != t)
        return s < t ? -1 : 1;
    return (*x)->op.run_id < (*y)->op.run_id ? -1 : (*x)->op.run_id > (*y)->op.run_id;
}

static int sort_waiting(struct op_device *d)
{
    struct waiting_op **sorted = malloc((d->waiting + 1) * sizeof *sorted);
    if (!sorted)
        return TD_E_NOMEM;
    size_t count = 0;
    for (struct waiting_op *w = d->first; w; w = w->next)
        sorted[count++] = w;
    if (count)
        qsort(sorted, count, sizeof(struct waiting_op *), compare_starts);
    d->end = &d->first;
    for (size_t i = 0; i < count; i++) {
        *d->end = sorted[i];
        d->end = &sorted[i]->next;
    }
    *d->end = NULL;
    free(sorted);
    return 0;
}

/* The operation that a tile ran last, so far. */
struct tile_run {
    struct waiting_op *op;
    int64_t start, end;
};

static bool is_own_doubt(enum td_op_doubt doubt)
{
    return doubt != TD_OP_DOUBT_NONE && doubt != TD_OP_DOUBT_TWO_AT_ONCE;
}

static void doubt_op(struct waiting_op *w)
{
    if (!w->op.doubt)
        w->op.doubt = TD_OP_DOUBT_TWO_AT_ONCE;
}

/* A tile whose firmware runs operations runs one at a time. Of two at once, the one is wrong that is around the
 * other; of two that overlap in part, either may be. */
static void compare_runs(struct tile_run *last, struct waiting_op *w, const struct td_op_core *core)
{
    const struct tile_run run = {w, core->fw_start, core->fw_end};
    if (run.start == TD_OP_NO_TIME || run.end == TD_OP_NO_TIME || run.end < run.start)
        return;
    if (last->op && last->op != w && run.start < last->end && last->start < run.end) {
        const bool around = run.start <= last->start && run.end >= last->end;
        const bool within = run.start >= last->start && run.end <= last->end;
        if (!within)
            doubt_op(w);
        if (!around || within)
            doubt_op(last->op);
        if (around && !within)
            return;
    }
    *last = run;
}

/* Operations whose own times cannot be right say nothing about others. */
static int doubt_two_at_once(struct op_device *d)
{
    struct tile_run *last = calloc(d->cores.count + 1, sizeof *last);
    if (!last)
        return TD_E_NOMEM;
    for (struct waiting_op *w = d->first; w; w = w->next) {
        sum_cores(w);
        for (uint32_t i = 0; !is_own_doubt(w->op.doubt) && i < w->op.core_count; i++)
            compare_runs(&last[w->lanes[i].number], w, &w->op.cores[i]);
    }
    free(last);
    return 0;
}

int td_op_sums_end(struct td_op_sums *sums, struct td_err *err)
{
    int rc = 0;
    sums->ending = true;
    for (size_t i = 0; rc == 0 && i < sums->device_count; i++) {
        struct op_device *d = sums->device_at[i];
        if (sort_waiting(d) < 0 || doubt_two_at_once(d) < 0)
            return td_fail_no_memory(err, "for operations");
        while (rc == 0 && d->first)
            rc = give_op(sums, d, &d->first, err);
    }
    return rc;
}
