#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/device/device_internal.h"
#include "proto/device/lane.h"
#include "proto/device/site.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SPIN_NS       50000 /* short kernels are awaited without sleeping */
#define SLEEP_MIN_NS  20000
#define SLEEP_MAX_NS  200000
#define SLEEP_SLOW_NS 10000000
#define LOOKS_PART    40 /* a pause is at most so many times as long as a look, or SLEEP_MAX_NS */
#define ALL_TILES     16 /* where a look is a message, so many of them are at one tile, then one is at all */

/* All words read as ones: was the device removed, or did a kernel overwrite its control words? */
static int check_answers(struct td_device *device, const struct td_device_tile *tile, struct td_err *err)
{
    uint32_t held;
    int rc =
        device->transport->ops->read(device->transport, tile->at, device->board.soft_reset, &held, 4, err);
    if (rc == 0 && held == UINT32_MAX)
        return td_fail(err, TD_E_GONE, "the device does not answer (all ones)");
    return rc;
}

int td_device_prepare(struct td_device *device, struct td_core_at core, uint32_t op, uint32_t arg,
                      struct td_err *err)
{
    return td_device_prepare_args(device, core, op, &arg, 1, err);
}

/* Writes them where the image has room for them; the first is passed in the control words, too. */
static int write_args(struct td_device *device, const struct td_device_tile *tile, uint32_t core,
                      const uint32_t *args, size_t count, struct td_err *err)
{
    const uint32_t *table = td_image_table(tile->cores[core].image);
    uint32_t words[1 + TD_MAX_LAUNCH_ARGS] = {(uint32_t)count};
    const uint32_t at = table ? table[TD_IMAGE_args] : 0;
    if (count > TD_MAX_LAUNCH_ARGS)
        return td_fail(err, TD_E_USAGE, "a launch takes at most %d arguments, not %zu", TD_MAX_LAUNCH_ARGS,
                       count);
    if (!at) /* the kernel does not use td_arg_at(), or only in markers that are off */
        return 0;
    memcpy(words + 1, args, count * sizeof *args);
    return device->transport->ops->write(device->transport, tile->at, at, words, 4 * (1 + count), err);
}

int td_device_prepare_args(struct td_device *device, struct td_core_at core, uint32_t op,
                           const uint32_t *args, size_t count, struct td_err *err)
{
    struct td_device_tile *tile = td_device_get_tile_of(device, core, err);
    if (!tile)
        return TD_E_USAGE;
    struct td_loaded_core *c = &tile->cores[core.core];
    if (!c->image || (tile->launched >> core.core & 1))
        return td_fail(err, TD_E_USAGE, "core %s of tile %u,%u %s", device->board.cores[core.core].name,
                       core.x, core.y,
                       c->image ? "is running; wait for it first" : "has no program; load one first");
    struct td_transport *t = device->transport;
    uint32_t words[TD_LANE_CTRL_BYTES / 4];
    uint32_t at = td_device_lane(device, core.core, 0);
    int rc = t->ops->read(t, tile->at, at, words, sizeof words, err);
    if (rc)
        return rc;
    if (words[TD_LANE_state / 4] == UINT32_MAX && words[TD_LANE_launch / 4] == UINT32_MAX &&
        (rc = check_answers(device, tile, err)))
        return rc;
    c->launch = words[TD_LANE_launch / 4] + 1;
    c->launch += c->launch == 0 || c->launch == words[TD_LANE_done / 4];
    /* What the last launch left: the core is in reset, so its line can be written. */
    const uint32_t was = words[TD_LANE_state / 4];
    const uint32_t left = was == TD_CORE_RUNNING || was == TD_CORE_FAULT ? was
                          : was == TD_CORE_RESET                         ? words[TD_LANE_left / 4]
                                                                         : 0;
    const uint32_t *table = td_image_table(c->image), guard = table ? table[TD_IMAGE_guard] : 0;
    uint32_t line[4] = {op, count ? args[0] : 0, c->launch, left}, state = TD_CORE_RESET, fault[3] = {0};
    rc = td_device_update_zones(device, tile, core.core, err);
    rc = rc ? rc : write_args(device, tile, core.core, args, count, err);
    rc = rc ? rc : t->ops->write(t, tile->at, at + TD_LANE_state, &state, 4, err);
    rc = rc ? rc : t->ops->write(t, tile->at, at + TD_LANE_guard, &guard, 4, err);
    rc = rc ? rc : t->ops->write(t, tile->at, at + TD_LANE_fault_cause, fault, sizeof fault, err);
    rc = rc ? rc : t->ops->write(t, tile->at, at + TD_LANE_op, line, sizeof line, err);
    td_debug(launch, "chip %u, tile %u,%u, %s: prepared launch %u with op %u", core.chip, core.x, core.y,
             device->board.cores[core.core].name, c->launch, op);
    if (rc == 0)
        tile->prepared |= 1u << core.core;
    return rc;
}

int td_device_launch(struct td_device *device, struct td_err *err)
{
    int rc = td_device_freeze(device, 1, err);
    if (rc)
        return rc;
    for (size_t i = 0; rc == 0 && i < device->tile_count; i++) {
        struct td_device_tile *tile = &device->tiles[i];
        if (!tile->prepared)
            continue;
        rc = td_device_reset(device, tile, tile->prepared, 0, err);
        td_debug(launch, "chip %u, tile %u,%u: launching cores 0x%x%s", tile->at.chip, tile->x, tile->y,
                 tile->prepared, rc ? ": failed" : "");
        if (rc == 0) {
            tile->launched |= tile->prepared;
            tile->prepared = 0;
        }
    }
    device->launches++;
    int thawed = td_device_freeze(device, -1, err);
    return rc ? rc : thawed;
}

static const char *fault_text(uint32_t cause)
{
    switch (cause) {
#define TD_X(value, name, what)                                                                              \
    case value:                                                                                              \
        return what;
        TD_FAULTS(TD_X)
#undef TD_X
    default:
        return "unknown fault";
    }
}

static int report_fault(struct td_device *device, const struct td_device_tile *tile, uint32_t core,
                        struct td_err *err)
{
    uint32_t fault[3];
    int rc = device->transport->ops->read(device->transport, tile->at,
                                          td_device_lane(device, core, TD_LANE_fault_cause), fault,
                                          sizeof fault, err);
    if (rc)
        return rc;
    td_debug(launch, "chip %u, tile %u,%u, %s: fault %u at pc 0x%08x, address 0x%08x; stopping all cores",
             tile->at.chip, tile->x, tile->y, device->board.cores[core].name, fault[0], fault[1], fault[2]);
    char where[200] = "";
    uint32_t offset = 0;
    const char *symbol = td_image_symbol(tile->cores[core].image, fault[1], &offset);
    if (symbol)
        snprintf(where, sizeof where, " (%.150s+0x%x)", symbol, offset);
    return td_fail(err, TD_E_GONE,
                   "core %s of tile %u,%u on chip %u stopped: %s; pc 0x%08x%s, address 0x%08x",
                   device->board.cores[core].name, tile->x, tile->y, tile->at.chip, fault_text(fault[0]),
                   fault[1], where, fault[2]);
}

/* The words `state` of the tile's launched cores, by core. */
static int read_states(struct td_device *device, const struct td_device_tile *tile,
                       uint32_t states[TD_MAX_CORES], struct td_err *err)
{
    struct td_transport *t = device->transport;
    uint32_t words[TD_MAX_CORES * TD_LANE_CTRL_BYTES / 4], first = 0, last = 31, core;
    int rc = 0;
    while (!(tile->launched >> first & 1))
        first++;
    while (!(tile->launched >> last & 1))
        last--;
    const uint32_t at = td_device_lane(device, first, TD_LANE_state);
    if (t->asks)
        rc = t->ops->read(t, tile->at, at, words, td_device_lane(device, last, TD_LANE_state) + 4 - at, err);
    for (core = first; rc == 0 && core <= last; core++) {
        const uint32_t here = td_device_lane(device, core, TD_LANE_state);
        if (t->asks)
            states[core] = words[(here - at) / 4];
        else if (tile->launched >> core & 1)
            rc = t->ops->read(t, tile->at, here, &states[core], 4, err);
    }
    return rc;
}

/* Is this core, whose word `state` was read, done? 1 yes, 0 no, < 0 error or fault. */
static int check_core(struct td_device *device, const struct td_device_tile *tile, uint32_t core,
                      uint32_t state, int *exit_code, struct td_err *err)
{
    uint32_t done,
        line[3]; /* line: state, done, exit_code; the core writes `done` last, so it is read first */
    struct td_transport *t = device->transport;
    uint32_t at = td_device_lane(device, core, TD_LANE_state);
    if (state == TD_CORE_RUNNING || state == TD_CORE_RESET)
        return 0;
    int rc = t->ops->read(t, tile->at, at + 4, &done, 4, err);
    rc = rc ? rc : t->ops->read(t, tile->at, at, line, sizeof line, err);
    if (rc)
        return rc;
    if (line[0] == UINT32_MAX && done == UINT32_MAX)
        return check_answers(device, tile, err);
    if (line[0] == TD_CORE_FAULT)
        return report_fault(device, tile, core, err);
    if (line[0] != TD_CORE_DONE)
        return 0;
    /* Either the core is about to write which launch has ended, or its kernel overwrote the launch's number. */
    uint32_t launch = done;
    if (done != tile->cores[core].launch &&
        (rc = t->ops->read(t, tile->at, td_device_lane(device, core, TD_LANE_launch), &launch, 4, err)))
        return rc;
    if (done != tile->cores[core].launch && launch == tile->cores[core].launch)
        return 0;
    if (exit_code && *exit_code == 0)
        *exit_code = (int32_t)line[2];
    return 1;
}

/* One look at launched cores: number still running, or < 0. Done ones go back into reset. `every`: at those of all
 * tiles, else up to the first tile where one is running. */
static int check_all(struct td_device *device, bool every, int *exit_code,
                     const struct td_device_tile **running, uint32_t *which, struct td_err *err)
{
    int left = 0;
    for (size_t i = 0; i < device->tile_count && (every || left == 0); i++) {
        struct td_device_tile *tile = &device->tiles[i];
        uint32_t done = 0, states[TD_MAX_CORES];
        int rc = tile->launched ? read_states(device, tile, states, err) : 0;
        if (rc)
            return rc;
        for (uint32_t core = 0; tile->launched >> core; core++) {
            if (!(tile->launched >> core & 1))
                continue;
            rc = check_core(device, tile, core, states[core], exit_code, err);
            if (rc < 0)
                return rc;
            done |= (uint32_t)rc << core;
            if (rc == 0 && left++ == 0) {
                *running = tile;
                *which = core;
            }
        }
        if (done) {
            rc = td_device_reset(device, tile, done, 1, err);
            if (rc)
                return rc;
            tile->launched &= ~done;
        }
    }
    return left;
}

/* After a fault no core can be relied on to finish: others may wait for the one that stopped. */
static void stop_all(struct td_device *device)
{
    for (size_t i = 0; i < device->tile_count; i++) {
        struct td_device_tile *tile = &device->tiles[i];
        if (tile->launched)
            td_device_reset(device, tile, tile->launched, 1, NULL);
        tile->launched = 0;
    }
}

/* look_ns: what the last look took. Where looks are slow, they also keep a board or its gatherer from its work. */
static void pause_for(int64_t waited_ns, int64_t look_ns)
{
    if (waited_ns < SPIN_NS)
        return;
    int64_t ns = waited_ns / 10, most = LOOKS_PART * look_ns;
    most = most < SLEEP_MAX_NS ? SLEEP_MAX_NS : most > SLEEP_SLOW_NS ? SLEEP_SLOW_NS : most;
    ns = ns < SLEEP_MIN_NS ? SLEEP_MIN_NS : ns > most ? most : ns;
    nanosleep(&(struct timespec){0, ns}, NULL);
}

int td_device_wait(struct td_device *device, int timeout_ms, int *exit_code, struct td_err *err)
{
    const int64_t began = td_mono_ns();
    const struct td_device_tile *tile = NULL;
    uint32_t core = 0;
    bool is_late = false;
    if (exit_code)
        *exit_code = 0;
    for (unsigned looks = 1;; looks++) {
        const int64_t looked = td_mono_ns();
        const bool every = !device->transport->asks || looks % ALL_TILES == 0 || is_late;
        int left = check_all(device, every, exit_code, &tile, &core, err);
        if (left < 0) {
            stop_all(device);
            return left;
        }
        if (left == 0) {
            td_debug(launch, "all cores are done after %lld us", (long long)(td_mono_ns() - began) / 1000);
            return 0;
        }
        int rc = device->transport->ops->alive(device->transport, err);
        if (rc)
            return rc;
        const int64_t now = td_mono_ns(), waited = now - began;
        if (is_late)
            return td_fail(err, TD_E_TIMEOUT,
                           "%d cores are still running after %d ms, among them %s of tile %u,%u", left,
                           timeout_ms, device->board.cores[core].name, tile->x, tile->y);
        is_late = timeout_ms >= 0 && waited >= (int64_t)timeout_ms * 1000000;
        if (!is_late)
            pause_for(waited, now - looked);
    }
}

int td_device_wait_core(struct td_device *device, struct td_core_at core, int timeout_ms, int *exit_code,
                        struct td_err *err)
{
    const int64_t began = td_mono_ns();
    struct td_device_tile *tile = td_device_get_tile_of(device, core, err);
    if (!tile)
        return TD_E_USAGE;
    const char *name = device->board.cores[core.core].name;
    if (!(tile->launched >> core.core & 1))
        return td_fail(err, TD_E_USAGE, "core %s of tile %u,%u was not launched", name, core.x, core.y);
    if (exit_code)
        *exit_code = 0;
    for (;;) {
        const int64_t looked = td_mono_ns();
        uint32_t state;
        int done = device->transport->ops->read(
            device->transport, tile->at, td_device_lane(device, core.core, TD_LANE_state), &state, 4, err);
        if (done == 0)
            done = check_core(device, tile, core.core, state, exit_code, err);
        const int stopped = done ? td_device_stop(device, core, done < 0 ? NULL : err) : 0;
        if (done)
            return done < 0 ? done : stopped;
        const int rc = device->transport->ops->alive(device->transport, err);
        if (rc)
            return rc;
        const int64_t now = td_mono_ns(), waited = now - began;
        if (timeout_ms >= 0 && waited >= (int64_t)timeout_ms * 1000000)
            return td_fail(err, TD_E_TIMEOUT, "%s of tile %u,%u is still running after %d ms", name, core.x,
                           core.y, timeout_ms);
        pause_for(waited, now - looked);
    }
}

int td_device_stop(struct td_device *device, struct td_core_at core, struct td_err *err)
{
    struct td_device_tile *tile = td_device_get_tile_of(device, core, err);
    if (!tile)
        return TD_E_USAGE;
    const uint32_t bit = 1u << core.core;
    const int rc = td_device_reset(device, tile, bit, 1, err);
    td_debug(launch, "chip %u, tile %u,%u, %s: stopped%s", core.chip, core.x, core.y,
             device->board.cores[core.core].name, rc ? ": failed" : "");
    if (rc == 0) {
        tile->launched &= ~bit;
        tile->prepared &= ~bit;
    }
    return rc;
}
