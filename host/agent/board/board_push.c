#include "host/agent/board/board_source_internal.h"
#include "host/trace/origin.h"
#include "proto/track.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#define SLACK_PART    1000 /* 1 / SLACK_PART s: from a zone's begin to its word in memory, at most */
#define WAITING_BYTES 8    /* of an event that waits, when it becomes a row */

struct td_lane_at td_board_lane_at_(const struct td_board_source *s, uint32_t index)
{
    const struct td_board *b = s->board;
    uint32_t core = index % b->core_count;
    uint32_t tile = index / b->core_count;
    uint32_t x = tile % b->grid_width;
    uint32_t y = tile / b->grid_width % b->grid_height;
    uint32_t chip = tile / (b->grid_width * b->grid_height);
    return (struct td_lane_at){.tile = td_board_tile(b, chip, x, y),
                               .core = (uint16_t)core,
                               .logical_x = (uint16_t)x,
                               .logical_y = (uint16_t)y,
                               .index = index};
}

int td_board_put_core_(const struct td_board_source *s, const struct td_lane_at *at, char *to, size_t bytes)
{
    return snprintf(to, bytes, TD_TRACK_NAME_FORMAT, td_board_chip_in_trace_(s, at->tile),
                    (unsigned)at->logical_x, (unsigned)at->logical_y, s->board->cores[at->core].name);
}

struct time_map {
    const struct td_sync *sync; /* NULL: the clock is virtual */
    double ns_per_device_tick, ns_per_host_tick;
    uint64_t t0;
    int64_t zero_ns;          /* without sync: at device time 0 */
    struct td_sync_line line; /* for td_sync_to_host_near() */
};

/* Limits times of a broken clock to those that a trace can have. */
static int64_t whole_ns(double ns)
{
    const double most = (double)(INT64_MAX / 4);
    return ns > 0 ? (int64_t)(ns < most ? ns : most) : 0;
}

static int64_t to_ns(struct time_map *map, int64_t ticks)
{
    if (ticks == TD_LANE_OPEN)
        return INT64_MAX;
    if (!map->sync)
        return map->zero_ns + whole_ns((double)ticks * map->ns_per_device_tick + 0.5);
    int64_t host = td_sync_to_host_near(map->sync, (uint64_t)ticks, &map->line) - (int64_t)map->t0;
    return whole_ns((double)host * map->ns_per_host_tick);
}

/* The lane's track; UINT32_MAX: no memory. */
static uint32_t track_of(struct td_board_source *s, uint32_t index, const struct time_map *map)
{
    const struct td_lane_at at = td_board_lane_at_(s, index);
    const unsigned chip = td_board_chip_in_trace_(s, at.tile);
    char name[TD_BOARD_CORE_BYTES_];
    int n = td_board_put_core_(s, &at, name, sizeof name);
    if (!map->sync && !s->options.virtual_clock)
        snprintf(name + n, sizeof name - (size_t)n, " (clock not related to the host's)");
    struct td_track track = {.thread = td_track_id(chip, at.logical_x, at.logical_y, at.core),
                             .name = td_dict_cstring(s->dict, name),
                             .kind = TD_TRACK_CORE,
                             .unsynced = !map->sync && !s->options.virtual_clock,
                             .core = (uint8_t)at.core,
                             .chip = (uint16_t)chip,
                             .x = at.logical_x,
                             .y = at.logical_y,
                             .group_hint = (int32_t)(1 + s->options.first_lane + index)};
    return track.name == UINT32_MAX ? UINT32_MAX : td_dict_track(s->dict, &track);
}

/* Events of a lane on their way to the hub. */
struct push {
    struct td_hub *hub;
    struct time_map map;
    uint32_t track;
    int64_t *earliest_ns;
    struct td_err *err;
};

static int push_events(void *self, struct td_event *events, size_t count)
{
    struct push *p = self;
    for (size_t i = 0; i < count; i++) {
        struct td_event *e = &events[i];
        e->track = p->track;
        e->time_ns = to_ns(&p->map, e->time_ns);
        *p->earliest_ns = e->time_ns < *p->earliest_ns ? e->time_ns : *p->earliest_ns;
        if (e->kind == TD_EVENT_ZONE)
            e->value.end_ns = to_ns(&p->map, e->value.end_ns);
    }
    return td_hub_push(p->hub, events, count, p->err);
}

/* Sends on the lane's events up to the horizon. */
static int push_lane(struct td_board_source *s, uint32_t index, struct push *p, int64_t horizon)
{
    struct td_lane_events *lane = &s->lanes[index];
    const bool all = horizon == TD_LANE_SEND_ALL, streamed = s->tracks[index] != UINT32_MAX;
    if (!td_lane_has_unsent(lane))
        return 0;
    if (!streamed)
        s->tracks[index] = track_of(s, index, &p->map);
    p->track = s->tracks[index];
    p->earliest_ns = &s->earliest_ns;
    if (p->track == UINT32_MAX)
        return td_fail_no_memory(p->err, NULL);
    /* What comes all at the end can be much: the model packs it and nests it when the trace is finished. But
     * what a clock has let through is little, and who follows the trace reads it before. */
    const bool settles = streamed || !all || p->map.sync || s->options.followed;
    const struct td_event settled = {.kind = TD_EVENT_SETTLED, .track = p->track};
    int rc = settles ? td_hub_push(p->hub, &settled, 1, p->err) : 0;
    rc = rc ? rc : td_lane_send(lane, horizon, push_events, p);
    return rc == 0 && settles ? td_hub_push(p->hub, &settled, 1, p->err) : rc;
}

/* INFINITY: the clock is not related to the host's. */
static double bound_of_chip(const struct td_board_source *s, uint32_t chip, double ns_per_tick)
{
    return s->options.virtual_clock ? INFINITY : td_sync_bound_ns(s->syncs[chip], ns_per_tick);
}

static struct time_map map_of_chip(const struct td_board_source *s, uint32_t chip, uint64_t t0,
                                   double ns_per_tick)
{
    const bool is_related = isfinite(bound_of_chip(s, chip, ns_per_tick));
    return (struct time_map){.sync = is_related ? s->syncs[chip] : NULL,
                             .ns_per_device_tick = 1e9 / s->board->frequency_hz,
                             .ns_per_host_tick = ns_per_tick,
                             .t0 = t0,
                             .zero_ns = s->options.unrelated_ns};
}

/* ---- samples of the cores ---- */

static uint32_t sample_track(void *self, uint32_t lane)
{
    struct td_board_source *s = self;
    if (s->sample_tracks[lane] == UINT32_MAX) {
        const uint32_t chip = lane / (s->lane_count / s->board->chips);
        const struct time_map map = map_of_chip(s, chip, s->t0, s->ns_per_tick);
        s->sample_tracks[lane] = track_of(s, lane, &map);
    }
    return s->sample_tracks[lane];
}

/* Program counters are read by the host, so their times are those of its clock, but in virtual time. */
static int64_t sample_time(void *self, uint32_t lane, int64_t ticks)
{
    const struct td_board_source *s = self;
    if (s->options.virtual_clock)
        return whole_ns((double)ticks * 1e9 / s->board->frequency_hz + 0.5);
    return whole_ns((double)(int64_t)((uint64_t)ticks - s->t0) * s->ns_per_tick);
}

static int push_samples(struct td_board_source *s, struct td_hub *hub, struct td_err *err)
{
    const struct td_core_samples_to to = {.hub = hub, .self = s, .track = sample_track, .time = sample_time};
    const int rc = td_core_samples_push(s->samples, &to, err);
    s->summary.samples = td_core_samples_count(s->samples);
    s->summary.unnamed_samples = td_core_samples_unnamed(s->samples);
    return rc;
}

/* The names of tracks say whether their clocks are related to the host's. */
static bool are_clocks_related(const struct td_board_source *s)
{
    for (uint32_t c = 0; c < s->board->chips; c++)
        if (!isfinite(td_sync_bound_ns(s->syncs[c], s->ns_per_tick)))
            return false;
    return true;
}

struct td_store *td_board_new_store_(const struct td_board_source *s)
{
    struct td_store *store = td_store_create(s->options.memory_bytes);
    if (!store)
        return NULL;
    td_store_may_exceed(store);
    td_store_set_folder(store, s->options.spill_folder);
    return store;
}

/* A store has no way to free a part, so it is replaced when all lanes' packed events have gone. */
static int renew_store(struct td_board_source *s, struct td_err *err)
{
    uint64_t memory, in_file;
    td_store_usage(s->store, &memory, &in_file);
    for (uint32_t i = 0; i < s->lane_count; i++)
        if (memory + in_file == 0 || !td_lane_log_is_unpacked(&s->lanes[i].log))
            return 0;
    struct td_store *fresh = td_board_new_store_(s);
    if (!fresh)
        return td_fail_no_memory(err, "for events of the board");
    for (uint32_t i = 0; i < s->lane_count; i++)
        td_lane_log_set_store(&s->lanes[i].log, fresh);
    td_store_destroy(s->store);
    s->names.store = s->store = fresh;
    return 0;
}

int td_board_push_settled_(struct td_board_source *s, struct td_err *err)
{
    const uint32_t lanes_a_chip = s->lane_count / s->board->chips;
    int rc = 0;
    for (uint32_t chip = 0; rc == 0 && chip < s->board->chips; chip++) {
        const uint64_t horizon = td_sync_freeze(s->syncs[chip]);
        if (!horizon || horizon >= TD_LANE_SEND_ALL)
            continue;
        struct push p = {.hub = s->hub, .map = map_of_chip(s, chip, s->t0, s->ns_per_tick), .err = err};
        for (uint32_t i = 0; rc == 0 && i < lanes_a_chip; i++)
            rc = push_lane(s, chip * lanes_a_chip + i, &p, (int64_t)horizon);
    }
    if (rc == 0 && are_clocks_related(s))
        rc = push_samples(s, s->hub, err);
    return rc ? rc : renew_store(s, err);
}

void td_board_source_stream(struct td_board_source *s, struct td_hub *hub, uint64_t t0, double ns_per_tick)
{
    if (s->options.virtual_clock)
        return;
    s->hub = hub;
    s->t0 = t0;
    s->ns_per_tick = ns_per_tick;
    for (uint32_t c = 0; c < s->board->chips; c++)
        td_sync_set_host_tick(s->syncs[c], s->board->frequency_hz, ns_per_tick);
    for (uint32_t i = 0; i < s->lane_count; i++)
        td_lane_stream(&s->lanes[i], (uint64_t)(s->board->frequency_hz / SLACK_PART));
}

int td_board_source_sync(struct td_board_source *s, int reads, struct td_err *err)
{
    if (s->options.virtual_clock)
        return 0;
    for (uint32_t c = 0; c < s->board->chips; c++) {
        struct td_clock_sample sample;
        int rc =
            td_sync_sample(s->syncs[c], s->transport, td_board_tile(s->board, c, 0, 0), reads, &sample, err);
        if (rc < 0)
            return rc;
        if (s->options.tap)
            s->options.tap->clock(s->options.tap->self, c, &sample);
    }
    return s->hub ? td_board_push_settled_(s, err) : 0;
}

int td_board_push_rest_(struct td_board_source *s, struct td_hub *hub, uint64_t t0, double ns_per_tick,
                        struct td_err *err)
{
    uint32_t lanes_a_chip = s->lane_count / s->board->chips;
    int rc = 0;
    s->t0 = t0;
    s->ns_per_tick = ns_per_tick;
    /* A line is fixed before events are sent on by it, so what holds now holds for the earlier ones, too. */
    for (uint32_t c = 0; c < s->board->chips; c++) {
        const double bound = bound_of_chip(s, c, ns_per_tick);
        if (isfinite(bound) && bound > s->summary.clock_error_ns)
            s->summary.clock_error_ns = bound;
    }
    for (uint32_t i = 0; rc == 0 && i < s->lane_count; i++) {
        struct push p = {.hub = hub, .map = map_of_chip(s, i / lanes_a_chip, t0, ns_per_tick), .err = err};
        rc = push_lane(s, i, &p, TD_LANE_SEND_ALL);
    }
    rc = rc ? rc : push_samples(s, hub, err);
    for (uint32_t i = 0; i < s->lane_count; i++) {
        td_lane_log_free(&s->lanes[i].log);
        td_lane_log_init(&s->lanes[i].log, NULL);
    }
    td_store_destroy(s->store);
    s->store = NULL;
    return rc;
}

int64_t td_board_source_begin_ns(const struct td_board_source *s, int64_t began_ns)
{
    return s->earliest_ns < began_ns && s->earliest_ns >= began_ns - TD_TRACE_EARLY_NS ? s->earliest_ns
                                                                                       : began_ns;
}

size_t td_board_source_clock_parts(const struct td_board_source *s, uint32_t chip,
                                   struct td_clock_part *parts, size_t room)
{
    struct td_sync_part found[TD_CLOCK_PARTS];
    if (s->options.virtual_clock)
        return 0;
    const size_t count = td_sync_parts(s->syncs[chip], found, room < TD_CLOCK_PARTS ? room : TD_CLOCK_PARTS);
    for (size_t i = 0; i < count; i++) {
        const int64_t since = (int64_t)((uint64_t)found[i].host - s->t0);
        parts[i] = (struct td_clock_part){.chip = s->options.first_chip + chip,
                                          .bound_ns = (uint64_t)llround(found[i].bound * s->ns_per_tick),
                                          .from_ns = (int64_t)((double)since * s->ns_per_tick)};
    }
    return count;
}

/* A simulated core in real time has no fixed number of cycles. */
static double ns_a_instruction(const struct td_board_source *s)
{
    const double tick_ns = 1e9 / s->board->frequency_hz;
    if (s->options.virtual_clock)
        return tick_ns;
    return s->board->simulated ? 0 : tick_ns * TD_COST_CYCLES_1000 / 1000;
}

bool td_board_source_bill(const struct td_board_source *s, uint32_t index, struct td_bill *bill)
{
    const struct td_lane_events *lane = &s->lanes[index];
    const struct td_lane_at at = td_board_lane_at_(s, index);
    const struct td_lane_bill_end end = {.policy = s->options.policy,
                                         .calls = lane->calls,
                                         .slots = lane->decoder.stats.slots,
                                         .lost_zones = lane->lost_zones,
                                         .lost_other = lane->lost_other,
                                         .waits = lane->stalls,
                                         .ns_per_tick = 1e9 / s->board->frequency_hz,
                                         .ns_a_instruction = ns_a_instruction(s)};
    bill->chip = td_board_chip_in_trace_(s, at.tile);
    bill->x = at.logical_x;
    bill->y = at.logical_y;
    bill->core = at.core;
    td_lane_bill_total(&lane->bill, &end, bill);
    return end.slots > 0;
}

uint64_t td_board_source_waiting(const struct td_board_source *s)
{
    uint64_t memory = 0;
    for (uint32_t i = 0; s->hub && i < s->lane_count; i++)
        memory += td_lane_log_waiting(&s->lanes[i].log) * WAITING_BYTES;
    return memory + td_core_samples_waiting(s->samples);
}
