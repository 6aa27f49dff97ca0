#include "bench/drain/farm.h"

#include "host/base/clock.h"
#include "proto/device/packet.h"
#include "target/native/native.h"
#include "tendril/tendril.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TICK_NS = 200000, TICKS_PER_ZONE = 50, ZONE_TICKS = 20, CHUNK = 64 };

struct farm {
    struct td_transport base;
    struct td_board board;
    size_t area_bytes; /* of a tile: control words and rings */
    char *areas;
    uint32_t tiles, lanes;
    struct td_native_core **cores;
    uint64_t now; /* the producing thread's; every clock read moves it on */
    double rate, seconds;
    pthread_t thread;
    int running, stop; /* atomic */
    void (*wait)(void *self);
    void *wait_self;
    struct farm_result result;
};

static char *locate(const struct farm *f, struct td_tile_at at, uint64_t address, size_t bytes)
{
    const struct td_board *b = &f->board;
    for (uint32_t i = 0; i < f->tiles; i++) {
        struct td_tile_at t = td_board_tile(b, 0, i % b->grid_width, i / b->grid_width);
        if (t.x == at.x && t.y == at.y && at.chip == 0 && address >= b->lane_base &&
            address - b->lane_base + bytes <= f->area_bytes)
            return f->areas + i * f->area_bytes + (address - b->lane_base);
    }
    return NULL;
}

static int farm_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                     struct td_err *err)
{
    const char *from = locate((struct farm *)t, at, address, bytes);
    if (from)
        memcpy(to, from, bytes);
    else /* registers: every core is held */
        memset(to, 0xff, bytes);
    return 0;
}

static int farm_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                      size_t bytes, struct td_err *err)
{
    char *to = locate((struct farm *)t, at, address, bytes);
    if (to)
        memcpy(to, from, bytes);
    return 0;
}

static void *farm_map(struct td_transport *t, struct td_tile_at at, uint64_t address, size_t bytes)
{
    return locate((struct farm *)t, at, address, bytes);
}

static int farm_alive(struct td_transport *t, struct td_err *err)
{
    return 0;
}

static const struct td_transport_ops ops = {
    .name = "farm", .read = farm_read, .write = farm_write, .map = farm_map, .alive = farm_alive};

static uint64_t read_clock(void *self)
{
    struct farm *f = self;
    return f->now += ZONE_TICKS;
}

static void wait_for_room(void *self)
{
    struct farm *f = self;
    f->wait(f->wait_self);
}

static void let_others_run(void *self)
{
    sched_yield();
}

static int make_cores(struct farm *f)
{
    const struct td_board *b = &f->board;
    f->cores = calloc(f->lanes, sizeof(struct td_native_core *));
    for (uint32_t i = 0; f->cores && i < f->lanes; i++) {
        uint32_t core = i % b->core_count;
        char *area = f->areas + i / b->core_count * f->area_bytes;
        const struct td_native_config config = {.tile_ctrl = area,
                                                .lane = area + (td_board_lane_ctrl(b, core) - b->lane_base),
                                                .ring = area + (td_board_ring(b, core) - b->lane_base),
                                                .ring_slots = b->ring_slots,
                                                .build_id = 1,
                                                .clock = read_clock,
                                                .pause = wait_for_room,
                                                .self = f};
        if (!(f->cores[i] = td_native_create(&config)))
            return -1;
    }
    return f->cores ? 0 : -1;
}

struct farm *farm_create(const char *grid, struct td_err *err)
{
    struct farm *f = calloc(1, sizeof *f);
    if (!f || td_board_load(&f->board, "tensix_sim", grid, NULL, err)) {
        free(f);
        return NULL;
    }
    const struct td_board *b = &f->board;
    f->base.ops = &ops;
    f->tiles = b->grid_width * b->grid_height;
    f->lanes = f->tiles * b->core_count;
    f->area_bytes =
        (td_board_ring(b, b->core_count - 1) + b->ring_slots * TD_SLOT_BYTES - b->lane_base + 4095) &
        ~(size_t)4095;
    f->areas = aligned_alloc(4096, f->tiles * f->area_bytes);
    if (f->areas)
        memset(f->areas, 0, f->tiles * f->area_bytes);
    if (!f->areas || make_cores(f)) {
        td_fail(err, TD_E_NOMEM, "out of memory");
        farm_destroy(f);
        return NULL;
    }
    return f;
}

void farm_destroy(struct farm *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; f->cores && i < f->lanes; i++)
        td_native_destroy(f->cores[i]);
    free(f->cores);
    free(f->areas);
    free(f);
}

struct td_transport *farm_transport(struct farm *f)
{
    return &f->base;
}

const struct td_board *farm_board(const struct farm *f)
{
    return &f->board;
}

uint32_t farm_lanes(const struct farm *f)
{
    return f->lanes;
}

void farm_zones(struct farm *f, uint64_t count)
{
    for (uint32_t i = 0; i < f->lanes; i++) {
        td_native_enter(f->cores[i]);
        for (uint64_t n = 0; n < count; n++) {
            struct td_scope zone = td_scope_open();
            td_scope_close(&zone, TD_ID_BASE | 1u << TD_SHORT_ID_SHIFT);
        }
    }
    f->result.zones += count * f->lanes;
}

static uint64_t counter(const struct farm *f, uint32_t lane, uint32_t word)
{
    uint32_t core = lane % f->board.core_count;
    const char *area = f->areas + lane / f->board.core_count * f->area_bytes;
    const uint32_t *ctrl = (const void *)(area + (td_board_lane_ctrl(&f->board, core) - f->board.lane_base));
    return __atomic_load_n(&ctrl[word / 4], __ATOMIC_RELAXED);
}

static uint64_t sum(const struct farm *f, uint32_t word)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < f->lanes; i++)
        total += counter(f, i, word);
    return total;
}

static void *produce(void *self)
{
    struct farm *f = self;
    double start = (double)td_mono_ns(), elapsed = 0;
    uint64_t each = 0; /* zones of every lane so far */
    while ((elapsed = (double)td_mono_ns() - start) < f->seconds * 1e9 &&
           !__atomic_load_n(&f->stop, __ATOMIC_RELAXED)) {
        uint64_t due = f->rate > 0 ? (uint64_t)(f->rate / f->lanes * elapsed / 1e9) : each + CHUNK;
        if (due > each)
            farm_zones(f, due - each < CHUNK ? due - each : CHUNK);
        else
            nanosleep(&(struct timespec){0, TICK_NS}, NULL);
        each += due - each < CHUNK ? due - each : CHUNK;
    }
    f->result.seconds = elapsed / 1e9;
    f->result.behind = f->rate > 0 && (double)f->result.zones < 0.98 * f->rate * elapsed / 1e9;
    for (uint32_t i = 0; i < f->lanes; i++)
        td_native_end(f->cores[i], 0);
    __atomic_store_n(&f->running, 0, __ATOMIC_RELEASE);
    return NULL;
}

void farm_begin(struct farm *f, void (*wait)(void *self), void *self)
{
    f->wait = wait;
    f->wait_self = self;
    f->result = (struct farm_result){.stalls = sum(f, TD_LANE_stalls), .lost = sum(f, TD_LANE_lost_zones)};
    for (uint32_t i = 0; i < f->lanes; i++)
        td_native_begin(f->cores[i]);
}

static struct farm_result results(struct farm *f)
{
    f->result.stalls = sum(f, TD_LANE_stalls) - f->result.stalls;
    f->result.lost = sum(f, TD_LANE_lost_zones) - f->result.lost;
    return f->result;
}

struct farm_result farm_end(struct farm *f)
{
    for (uint32_t i = 0; i < f->lanes; i++)
        td_native_end(f->cores[i], 0);
    return results(f);
}

int farm_start(struct farm *f, double zones_per_s, double seconds, struct td_err *err)
{
    f->rate = zones_per_s;
    f->seconds = seconds;
    f->stop = 0;
    farm_begin(f, let_others_run, NULL);
    f->running = 1;
    if (pthread_create(&f->thread, NULL, produce, f) == 0)
        return 0;
    f->running = 0;
    return td_fail(err, TD_E_LIMIT, "cannot start a thread");
}

int farm_running(const struct farm *f)
{
    return __atomic_load_n(&f->running, __ATOMIC_ACQUIRE);
}

struct farm_result farm_join(struct farm *f)
{
    pthread_join(f->thread, NULL);
    return results(f);
}

void farm_stop(struct farm *f)
{
    __atomic_store_n(&f->stop, 1, __ATOMIC_RELAXED);
}
