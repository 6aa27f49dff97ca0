#include "host/agent/import/tt_lanes.h"
#include "host/agent/import/tt_pair.h"
#include "host/base/compare.h"
#include "host/base/err.h"
#include "host/base/grow.h"
#include "host/tt/device_log_read.h"
#include "proto/track.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACE_MAX 63u /* of x, y and the number of a core: the fields of a track's id */
#define CHIP_MAX  0x7ffu
#define NO_LANE   UINT32_MAX
#define EARLIER_NS                                                                                           \
    1000000 /* the trace's begin before the first of the items that are known when it must be fixed */

struct lane {
    uint32_t track, chip; /* numbers; chip: in `chips` */
    struct td_tt_item *items;
    size_t count, capacity;
    uint32_t next_order;
    bool sorted;
    int64_t reached; /* the cycle up to which items are pushed */
    struct td_tt_pair pair;
};

struct td_tt_lanes {
    struct td_hub *hub;
    struct td_dict *dict;
    struct td_tt_chip *chips;
    size_t chip_count, chip_capacity;
    struct lane *lanes;
    size_t lane_count, lane_capacity;
    struct td_map by_place; /* chip << 18 | y << 12 | x << 6 | core */
    struct {
        uint64_t place;
        uint32_t lane;
    } last;                  /* that was found */
    char (*other_riscs)[32]; /* names of cores that are not in TD_TT_RISCS */
    size_t other_count, other_capacity;
    size_t waiting, waiting_max;
    size_t push_at; /* so many items that wait make it worth to push some */
    bool keep_all;
    bool has_zeros;     /* those of all chips are fixed */
    int64_t *op_starts; /* first cycles of operations */
    size_t op_count, op_capacity;
    struct td_map by_op; /* chip << 32 | run host id -> op_starts */
    uint64_t last_op;
    uint32_t last_op_number; /* NO_LANE: none yet */
    td_tt_relate *relate;
    void *relate_self;
    int64_t host_shift_ns;
    struct td_tt_lane_counts counts;
    struct td_tt_push push;
};

/* ---- chips and lanes */

struct td_tt_lanes *td_tt_lanes_create(struct td_hub *hub, size_t waiting_max)
{
    struct td_tt_lanes *lanes = calloc(1, sizeof *lanes);
    if (!lanes)
        return NULL;
    lanes->hub = hub;
    lanes->dict = td_hub_dict(hub);
    lanes->last.lane = lanes->last_op_number = NO_LANE;
    lanes->waiting_max = lanes->push_at = waiting_max;
    lanes->push = (struct td_tt_push){.hub = hub, .dict = lanes->dict, .counts = &lanes->counts};
    return lanes;
}

void td_tt_lanes_destroy(struct td_tt_lanes *lanes)
{
    if (!lanes)
        return;
    for (size_t i = 0; i < lanes->lane_count; i++) {
        free(lanes->lanes[i].items);
        td_tt_pair_free(&lanes->lanes[i].pair);
    }
    free(lanes->lanes);
    free(lanes->chips);
    free(lanes->other_riscs);
    free(lanes->op_starts);
    td_map_finish(&lanes->by_op);
    td_map_finish(&lanes->by_place);
    free(lanes);
}

static size_t find_chip(const struct td_tt_lanes *lanes, uint32_t chip)
{
    size_t i = 0;
    while (i < lanes->chip_count && lanes->chips[i].number != chip)
        i++;
    return i;
}

struct td_tt_chip *td_tt_lanes_chip(struct td_tt_lanes *lanes, uint32_t chip)
{
    const size_t i = find_chip(lanes, chip);
    if (i < lanes->chip_count)
        return &lanes->chips[i];
    if (td_grow(&lanes->chips, &lanes->chip_capacity, i + 1, sizeof *lanes->chips))
        return NULL;
    lanes->chips[i] = (struct td_tt_chip){.number = chip, .first_cycle = INT64_MAX, .last_cycle = INT64_MIN};
    lanes->counts.chips = (uint32_t)++lanes->chip_count;
    return &lanes->chips[i];
}

int64_t td_tt_lanes_host_shift(const struct td_tt_lanes *lanes)
{
    return lanes->host_shift_ns;
}

size_t td_tt_lanes_chip_count(const struct td_tt_lanes *lanes)
{
    return lanes->chip_count;
}

const struct td_tt_chip *td_tt_lanes_chip_at(const struct td_tt_lanes *lanes, size_t index)
{
    return &lanes->chips[index];
}

/* The number of the core in its tile; -1: no memory; PLACE_MAX + 1: there are too many names. */
static int core_number(struct td_tt_lanes *lanes, struct td_tt_text risc)
{
    const int known = td_tt_risc_number(risc);
    size_t i = 0;
    if (known >= 0)
        return known;
    while (i < lanes->other_count && !td_tt_text_is(risc, lanes->other_riscs[i]))
        i++;
    if (i < lanes->other_count || i + TD_TT_RISC_COUNT > PLACE_MAX)
        return (int)(i + TD_TT_RISC_COUNT);
    if (td_grow(&lanes->other_riscs, &lanes->other_capacity, i + 1, sizeof *lanes->other_riscs))
        return TD_E_NOMEM;
    snprintf(lanes->other_riscs[i], sizeof *lanes->other_riscs, "%.*s", (int)risc.bytes, risc.at);
    lanes->other_count++;
    return (int)(i + TD_TT_RISC_COUNT);
}

static int add_lane(struct td_tt_lanes *lanes, uint32_t chip, uint32_t x, uint32_t y, int core,
                    struct td_tt_text risc, struct td_err *err)
{
    const char *known = td_tt_risc_track_name(core);
    const struct td_tt_text shown = known ? td_tt_text_of(known) : risc;
    char name[96], core_name[32];
    snprintf(core_name, sizeof core_name, "%.*s", (int)shown.bytes, shown.at);
    snprintf(name, sizeof name, TD_TRACK_NAME_FORMAT, chip, x, y, core_name);
    struct td_track track = {.thread = td_track_id(chip, x, y, (unsigned)core),
                             .name = td_dict_cstring(lanes->dict, name),
                             .kind = TD_TRACK_CORE,
                             .core = (uint8_t)core,
                             .chip = (uint16_t)chip,
                             .x = (uint16_t)x,
                             .y = (uint16_t)y};
    const size_t count = lanes->lane_count;
    if (track.name == UINT32_MAX ||
        td_grow(&lanes->lanes, &lanes->lane_capacity, count + 1, sizeof *lanes->lanes))
        return td_fail_no_memory(err, "for the cores of a device log");
    struct lane *lane = &lanes->lanes[count];
    *lane = (struct lane){.track = td_dict_track(lanes->dict, &track), .sorted = true, .reached = INT64_MIN};
    if (lane->track == UINT32_MAX || !td_tt_lanes_chip(lanes, chip))
        return td_fail_no_memory(err, "for the cores of a device log");
    lane->chip = (uint32_t)find_chip(lanes, chip);
    lanes->counts.cores = (uint32_t)++lanes->lane_count;
    return 0;
}

int64_t td_tt_lanes_find(struct td_tt_lanes *lanes, uint32_t chip, uint32_t x, uint32_t y,
                         struct td_tt_text risc, struct td_err *err)
{
    if (chip > CHIP_MAX || x > PLACE_MAX || y > PLACE_MAX)
        return td_fail(err, TD_E_LIMIT,
                       "chip %" PRIu32 ", core %" PRIu32 ",%" PRIu32
                       " is no place: chips are below %u, x and y below %u",
                       chip, x, y, CHIP_MAX + 1, PLACE_MAX + 1);
    const int core = core_number(lanes, risc);
    if (core < 0)
        return td_fail_no_memory(err, "for the cores of a device log");
    if (core > (int)PLACE_MAX)
        return td_fail(err, TD_E_LIMIT, "there are more than %u names of RISCs", PLACE_MAX + 1);
    const uint64_t place = (uint64_t)chip << 18 | (uint64_t)y << 12 | x << 6 | (unsigned)core;
    if (lanes->last.lane != NO_LANE && lanes->last.place == place)
        return lanes->last.lane;
    uint32_t lane = td_map_get(&lanes->by_place, place, NO_LANE);
    if (lane == NO_LANE) {
        const int bad = add_lane(lanes, chip, x, y, core, risc, err);
        if (bad)
            return bad;
        lane = (uint32_t)lanes->lane_count - 1;
        if (td_map_add(&lanes->by_place, place, lane) < 0)
            return td_fail_no_memory(err, "for the cores of a device log");
    }
    lanes->last.place = place;
    lanes->last.lane = lane;
    return lane;
}

const char *td_tt_lanes_name(const struct td_tt_lanes *lanes, uint32_t lane)
{
    return td_dict_text(lanes->dict, td_dict_get_track(lanes->dict, lanes->lanes[lane].track)->name);
}

int td_tt_lanes_note_launch(struct td_tt_lanes *lanes, uint32_t chip, uint32_t run_host_id, int64_t cycle)
{
    const uint64_t op = (uint64_t)chip << 32 | run_host_id;
    if (lanes->last_op_number == NO_LANE || lanes->last_op != op)
        lanes->last_op_number = td_map_get(&lanes->by_op, op, NO_LANE);
    lanes->last_op = op;
    if (lanes->last_op_number != NO_LANE) {
        int64_t *start = &lanes->op_starts[lanes->last_op_number];
        *start = cycle < *start ? cycle : *start;
        return 0;
    }
    if (td_grow(&lanes->op_starts, &lanes->op_capacity, lanes->op_count + 1, sizeof *lanes->op_starts) ||
        td_map_add(&lanes->by_op, op, (uint32_t)lanes->op_count) < 0)
        return TD_E_NOMEM;
    lanes->op_starts[lanes->op_count] = cycle;
    lanes->last_op_number = (uint32_t)lanes->op_count++;
    return 0;
}

bool td_tt_lanes_op_start(const struct td_tt_lanes *lanes, uint32_t chip, uint32_t run_host_id,
                          int64_t *cycle)
{
    const uint32_t number = td_map_get(&lanes->by_op, (uint64_t)chip << 32 | run_host_id, NO_LANE);
    if (number == NO_LANE)
        return false;
    *cycle = lanes->op_starts[number];
    return true;
}

void td_tt_lanes_set_relate(struct td_tt_lanes *lanes, td_tt_relate *relate, void *self)
{
    lanes->relate = relate;
    lanes->relate_self = self;
}

void td_tt_lanes_keep_all(struct td_tt_lanes *lanes)
{
    lanes->keep_all = true;
}

void td_tt_lanes_set_noc_layout(struct td_tt_lanes *lanes, enum td_tt_noc_layout layout)
{
    lanes->push.noc_layout = layout;
}

const struct td_tt_lane_counts *td_tt_lanes_get_counts(const struct td_tt_lanes *lanes)
{
    return &lanes->counts;
}

/* ---- items */

TD_COMPARE(compare_items, struct td_tt_item, TD_UP(cycle) TD_UP(order))

static double mhz_of(const struct td_tt_chip *chip)
{
    return chip->mhz > 0 ? chip->mhz : 1000;
}

/* Fixes the zeros of the chips, `earlier_ns` before the first item that is known. The zeros of chips that are
 * related to the host move together with the host's. */
static void fix_zeros(struct td_tt_lanes *lanes, int64_t earlier_ns)
{
    int64_t shift_ns = 0;
    for (size_t i = 0; i < lanes->chip_count; i++) {
        struct td_tt_chip *chip = &lanes->chips[i];
        if (lanes->relate)
            lanes->relate(lanes->relate_self, chip);
        if (chip->first_cycle == INT64_MAX)
            continue;
        const int64_t earlier = (int64_t)((double)earlier_ns * mhz_of(chip) / 1000);
        const int64_t first = chip->first_cycle > earlier ? chip->first_cycle - earlier : 0;
        const double before_ns = (double)(chip->zero_cycle - first) / mhz_of(chip) * 1000;
        if (!chip->has_zero)
            chip->zero_cycle = first;
        else if (before_ns > (double)shift_ns)
            shift_ns = (int64_t)ceil(before_ns);
    }
    lanes->host_shift_ns = shift_ns;
    for (size_t i = 0; i < lanes->chip_count; i++) {
        struct td_tt_chip *chip = &lanes->chips[i];
        if (chip->has_zero)
            chip->zero_cycle -= (int64_t)((double)shift_ns * mhz_of(chip) / 1000);
        chip->has_zero = true;
    }
    lanes->has_zeros = true;
}

/* The same for chips that came after the others' zeros were fixed. */
static void fix_later_zeros(struct td_tt_lanes *lanes)
{
    for (size_t i = 0; i < lanes->chip_count; i++) {
        struct td_tt_chip *chip = &lanes->chips[i];
        if (chip->has_zero)
            continue;
        if (lanes->relate)
            lanes->relate(lanes->relate_self, chip);
        if (chip->has_zero)
            chip->zero_cycle -= (int64_t)((double)lanes->host_shift_ns * mhz_of(chip) / 1000);
        else if (chip->first_cycle != INT64_MAX)
            chip->zero_cycle = chip->first_cycle;
        chip->has_zero = true;
    }
}

/* Pushes the oldest items of a lane, all but `keep`. */
static int push_lane(struct td_tt_lanes *lanes, struct lane *lane, size_t keep, struct td_err *err)
{
    size_t count = lane->count > keep ? lane->count - keep : 0;
    if (!count)
        return 0;
    if (!lane->sorted)
        qsort(lane->items, lane->count, sizeof *lane->items, compare_items);
    lane->sorted = true;
    while (count && count < lane->count && lane->items[count].cycle == lane->items[count - 1].cycle)
        count--; /* items of one time are paired together */
    if (!count)
        return 0;
    lane->reached = lane->items[count - 1].cycle;
    lanes->push.track = lane->track;
    lanes->push.chip = &lanes->chips[lane->chip];
    const int bad = td_tt_pair_push(&lane->pair, &lanes->push, lane->items, count, err);
    lane->count -= count;
    lanes->waiting -= count;
    memmove(lane->items, lane->items + count, lane->count * sizeof *lane->items);
    return bad;
}

static int push_oldest(struct td_tt_lanes *lanes, size_t keep, int64_t earlier_ns, struct td_err *err)
{
    int bad = 0;
    if (!lanes->has_zeros)
        fix_zeros(lanes, earlier_ns);
    fix_later_zeros(lanes);
    for (size_t i = 0; i < lanes->lane_count && !bad; i++)
        bad = push_lane(lanes, &lanes->lanes[i], keep, err);
    return bad;
}

int td_tt_lanes_add(struct td_tt_lanes *lanes, uint32_t number, const struct td_tt_item *item,
                    struct td_err *err)
{
    struct lane *lane = &lanes->lanes[number];
    struct td_tt_chip *chip = &lanes->chips[lane->chip];
    if (td_grow(&lane->items, &lane->capacity, lane->count + 1, sizeof *lane->items))
        return td_fail_no_memory(err, "for the events of a device log");
    struct td_tt_item *to = &lane->items[lane->count];
    *to = *item;
    to->order = lane->next_order++;
    if (to->cycle <= lane->reached || (lanes->has_zeros && to->cycle < chip->zero_cycle)) {
        const int64_t least =
            lanes->has_zeros && chip->zero_cycle > lane->reached ? chip->zero_cycle : lane->reached;
        lanes->counts.late += to->cycle < least;
        to->cycle = least;
    }
    chip->first_cycle = to->cycle < chip->first_cycle ? to->cycle : chip->first_cycle;
    chip->last_cycle = to->cycle > chip->last_cycle ? to->cycle : chip->last_cycle;
    lane->sorted = lane->sorted && (!lane->count || lane->items[lane->count - 1].cycle <= to->cycle);
    lane->count++;
    if (++lanes->waiting < lanes->push_at || lanes->keep_all)
        return 0;
    const int bad = push_oldest(lanes, TD_TT_KEPT, EARLIER_NS, err);
    if (lanes->waiting + lanes->waiting_max / 2 > lanes->push_at) /* a board with very many lanes */
        lanes->push_at = lanes->waiting + lanes->waiting_max / 2;
    return bad;
}

/* Marks the tracks of chips whose clock is related neither to the host's nor, as the only one, to itself. */
static int mark_unsynced(struct td_tt_lanes *lanes, struct td_err *err)
{
    bool any_related = false;
    for (size_t i = 0; i < lanes->chip_count; i++)
        any_related |= lanes->chips[i].is_related;
    for (size_t i = 0; i < lanes->lane_count; i++) {
        const uint32_t chip = lanes->lanes[i].chip;
        if (lanes->chips[chip].is_related || (!any_related && !chip))
            continue;
        struct td_track track = *td_dict_get_track(lanes->dict, lanes->lanes[i].track);
        track.unsynced = 1;
        if (td_dict_track(lanes->dict, &track) == UINT32_MAX)
            return td_fail_no_memory(err, "for the cores of a device log");
    }
    return 0;
}

int td_tt_lanes_end_stream(struct td_tt_lanes *lanes, struct td_err *err)
{
    int bad = push_oldest(lanes, 0, 0, err);
    bad = bad ? bad : mark_unsynced(lanes, err);
    for (size_t i = 0; i < lanes->lane_count && !bad; i++) {
        lanes->push.track = lanes->lanes[i].track;
        lanes->push.chip = &lanes->chips[lanes->lanes[i].chip];
        bad = td_tt_pair_end(&lanes->lanes[i].pair, &lanes->push, err);
    }
    return bad ? bad : td_tt_push_rest(&lanes->push, err);
}
