#include "host/agent/board/core_sampler.h"
#include "host/agent/board/debug_bus.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "proto/device/lane.h"

#include <stdlib.h>
#include <string.h>

#define LATE_NS 20000000 /* visits that are later than this are left out */
#define TURN_NS 2000000  /* of one poll, then the caller drains lanes */
#define CTRL(c) ((c) * (TD_LANE_CTRL_BYTES / 4))

struct td_core_sampler {
    struct td_transport *t;
    const struct td_board *board;
    struct td_core_sampling sampling;
    uint32_t tiles, next; /* of the grids of all chips; the one that is visited next */
    int64_t due_ns;       /* when; INT64_MIN: at once */
    uint64_t random;
    struct td_core_sampler_stats stats;
    /* Control words of a tile's lanes, before and after its program counters were read. */
    uint32_t before[TD_MAX_CORES * TD_LANE_CTRL_BYTES / 4], after[TD_MAX_CORES * TD_LANE_CTRL_BYTES / 4];
};

static struct td_tile_at place_of(const struct td_core_sampler *s, uint32_t tile)
{
    const struct td_board *b = s->board;
    const uint32_t in_chip = b->grid_width * b->grid_height, number = tile % in_chip;
    return td_board_tile(b, tile / in_chip, number % b->grid_width, number / b->grid_width);
}

/* The buses are on all the time. */
static int switch_buses(struct td_core_sampler *s, bool on, struct td_err *err)
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < s->tiles; i++)
        rc = td_debug_bus_switch(s->t, s->board, place_of(s, i), on, err);
    return rc;
}

struct td_core_sampler *td_core_sampler_create(struct td_transport *transport, const struct td_board *board,
                                               const struct td_core_sampling *sampling, struct td_err *err)
{
    if (!td_debug_bus_has_any(board)) {
        td_fail(err, TD_E_USAGE,
                "the cores of %s cannot be sampled: its description does not say where a tile shows program "
                "counters ([debug_bus])",
                board->name);
        return NULL;
    }
    struct td_core_sampler *s = calloc(1, sizeof *s);
    const uint32_t tiles = board->chips * board->grid_width * board->grid_height;
    if (!s) {
        td_fail_no_memory(err, "for sampling cores");
        return NULL;
    }
    s->t = transport;
    s->board = board;
    s->sampling = *sampling;
    s->tiles = tiles;
    s->due_ns = INT64_MIN;
    s->random = 1;
    if (switch_buses(s, true, err) < 0) {
        free(s);
        return NULL;
    }
    td_debug(board,
             "cores are sampled: %u tiles, at most %g samples a second of each core, %g reads a second",
             tiles, sampling->hz, sampling->reads);
    return s;
}

void td_core_sampler_destroy(struct td_core_sampler *s)
{
    struct td_err ignored = {0}; /* a board that is gone needs it no more */
    if (!s)
        return;
    switch_buses(s, false, &ignored);
    free(s);
}

const struct td_core_sampler_stats *td_core_sampler_get_stats(const struct td_core_sampler *s)
{
    return &s->stats;
}

static int read_control(struct td_core_sampler *s, struct td_tile_at at, uint32_t *words, struct td_err *err)
{
    s->stats.reads++;
    return s->t->ops->read(s->t, at, td_board_lane_ctrl(s->board, 0), words,
                           s->board->core_count * TD_LANE_CTRL_BYTES, err);
}

static bool can_sample(const struct td_core_sampler *s, uint32_t core)
{
    return td_debug_bus_has_core(s->board, core) &&
           s->before[CTRL(core) + TD_LANE_state / 4] == TD_CORE_RUNNING;
}

/* The core was in one launch of one image all the time. */
static bool is_same_launch(const struct td_core_sampler *s, uint32_t core)
{
    static const uint32_t same[] = {TD_LANE_state / 4, TD_LANE_launch / 4, TD_LANE_build_id0 / 4,
                                    TD_LANE_build_id1 / 4};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (s->before[CTRL(core) + same[i]] != s->after[CTRL(core) + same[i]])
            return false;
    return true;
}

static int visit_tile(struct td_core_sampler *s, uint32_t tile, int64_t ticks, td_core_sampled *take,
                      void *self, struct td_err *err)
{
    const struct td_tile_at at = place_of(s, tile);
    uint32_t pc[TD_MAX_CORES], running = 0;
    int64_t when[TD_MAX_CORES];
    int rc = read_control(s, at, s->before, err);
    for (uint32_t c = 0; rc == 0 && c < s->board->core_count; c++) {
        if (!can_sample(s, c))
            continue;
        const uint64_t asked = td_host_ticks();
        rc = td_debug_bus_read_pc(s->t, s->board, at, c, &pc[c], err);
        s->stats.reads++;
        when[c] = ticks >= 0 ? ticks : (int64_t)(asked + (td_host_ticks() - asked) / 2);
        running++;
    }
    if (rc || !running)
        return rc;
    rc = read_control(s, at, s->after, err);
    for (uint32_t c = 0; rc == 0 && c < s->board->core_count; c++) {
        const uint32_t *ctrl = &s->before[CTRL(c)];
        if (!can_sample(s, c))
            continue;
        if (!is_same_launch(s, c)) {
            s->stats.changed++;
            continue;
        }
        const struct td_core_sample sample = {.lane = tile * s->board->core_count + c,
                                              .pc = pc[c],
                                              .build_id = ctrl[TD_LANE_build_id0 / 4] |
                                                          (uint64_t)ctrl[TD_LANE_build_id1 / 4] << 32,
                                              .ticks = when[c]};
        s->stats.samples++;
        rc = take(self, &sample, err);
    }
    return rc;
}

/* Half to one and a half times `mean`. */
static int64_t random_step(struct td_core_sampler *s, double mean)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const double step = mean * (0.5 + (double)(s->random >> 40) / (1 << 24));
    return step > 1 ? (int64_t)step : 1;
}

int td_core_sampler_poll(struct td_core_sampler *s, int64_t now_ns, int64_t ticks, td_core_sampled *take,
                         void *self, struct td_err *err)
{
    const double wanted_ns = 1e9 / (s->sampling.hz * s->tiles);
    const int64_t began = td_mono_ns();
    int rc = 0;
    if (s->due_ns == INT64_MIN)
        s->due_ns = now_ns;
    if (now_ns - s->due_ns > LATE_NS && ticks < 0) {
        s->stats.missed += (uint64_t)((double)(now_ns - s->due_ns) / wanted_ns);
        s->due_ns = now_ns;
    }
    for (uint32_t n = 0; rc == 0 && n < s->tiles && s->due_ns <= now_ns; n++) {
        const uint64_t had = s->stats.reads;
        if (ticks < 0 && n && td_mono_ns() - began > TURN_NS)
            break;
        rc = visit_tile(s, s->next, ticks, take, self, err);
        s->next = (s->next + 1) % s->tiles;
        const double paid_ns = 1e9 * (double)(s->stats.reads - had) / s->sampling.reads;
        s->due_ns += random_step(s, paid_ns > wanted_ns ? paid_ns : wanted_ns);
    }
    return rc;
}
