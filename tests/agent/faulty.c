#include "tests/agent/faulty.h"

#include "host/device/board/board.h"
#include "host/transport/sim/shm.h"
#include "proto/device/lane.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct faulty {
    struct td_transport base;
    struct td_transport_ops ops;
    struct td_transport *under;
    enum fault fault;
    const char *trigger;
    int triggered;
};

static struct {
    enum fault fault;
    const char *trigger;
    pid_t process;
} plan;

void faulty_plan(enum fault fault, const char *trigger)
{
    plan.fault = fault;
    plan.trigger = trigger;
    plan.process = getpid();
}

/* Are the lanes empty? Cores that have ended have announced how much they wrote. */
static int all_is_drained(struct faulty *f)
{
    struct td_board board;
    if (td_board_of_transport(&board, f->under, NULL))
        return 0;
    for (uint32_t i = 0; i < board.grid_width * board.grid_height * board.core_count; i++) {
        const uint32_t tile = i / board.core_count;
        const struct td_tile_at at =
            td_board_tile(&board, 0, tile % board.grid_width, tile / board.grid_width);
        uint32_t ctrl[TD_LANE_CTRL_BYTES / 4];
        if (f->under->ops->read(f->under, at, td_board_lane_ctrl(&board, i % board.core_count), ctrl,
                                sizeof ctrl, NULL) ||
            ctrl[TD_LANE_head / 4] != ctrl[TD_LANE_tail / 4])
            return 0;
    }
    return 1;
}

static enum fault fault_now(struct faulty *f)
{
    if (f->fault && !f->triggered)
        f->triggered = access(f->trigger, F_OK) == 0 && all_is_drained(f);
    return f->triggered ? f->fault : FAULT_NONE;
}

static int fail(enum fault fault, struct td_err *err)
{
    if (fault == FAULT_GONE)
        return td_fail(err, TD_E_GONE, "the device is gone");
    if (fault != FAULT_TIMEOUT)
        return td_fail(err, TD_E_IO, "the driver refuses: input/output error");
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    return td_fail(err, TD_E_TIMEOUT, "the device takes too long to answer");
}

static int faulty_read(struct td_transport *t, struct td_tile_at at, uint64_t address, void *to, size_t bytes,
                       struct td_err *err)
{
    struct faulty *f = (struct faulty *)t;
    const enum fault fault = fault_now(f);
    if (fault == FAULT_ONES) {
        memset(to, 0xff, bytes);
        return 0;
    }
    if (fault && fault != FAULT_WRITE)
        return fail(fault, err);
    return f->under->ops->read(f->under, at, address, to, bytes, err);
}

static int faulty_write(struct td_transport *t, struct td_tile_at at, uint64_t address, const void *from,
                        size_t bytes, struct td_err *err)
{
    struct faulty *f = (struct faulty *)t;
    const enum fault fault = fault_now(f);
    if (fault == FAULT_ONES)
        return 0;
    if (fault && fault != FAULT_READ)
        return fail(fault, err);
    return f->under->ops->write(f->under, at, address, from, bytes, err);
}

static int faulty_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                        struct td_err *err)
{
    struct faulty *f = (struct faulty *)t;
    int rc = f->under->ops->clock(f->under, at, sample, err);
    const enum fault fault = fault_now(f);
    if (fault == FAULT_ONES)
        sample->ticks = UINT64_MAX;
    else if (fault && fault != FAULT_WRITE)
        rc = fail(fault, err);
    return rc;
}

static int faulty_alive(struct td_transport *t, struct td_err *err)
{
    struct faulty *f = (struct faulty *)t;
    return f->under->ops->alive(f->under, err);
}

static int faulty_describe(struct td_transport *t, const char **text, const char **grid, struct td_err *err)
{
    struct faulty *f = (struct faulty *)t;
    return f->under->ops->describe(f->under, text, grid, err);
}

/* As on hardware: only the board's memory says who drains. */
static int faulty_control(struct td_transport *t, enum td_control what, uint64_t value, uint64_t *out,
                          struct td_err *err)
{
    struct faulty *f = (struct faulty *)t;
    if (what != TD_CONTROL_AGENT)
        return f->under->ops->control(f->under, what, value, out, err);
    if (out)
        *out = 0;
    return 0;
}

static void faulty_close(struct td_transport *t)
{
    struct faulty *f = (struct faulty *)t;
    td_transport_close(f->under);
    free(f);
}

struct td_transport *faulty_open(const char *where, int wait_ms, struct td_err *err)
{
    struct faulty *f = calloc(1, sizeof *f);
    if (!f)
        abort();
    f->under = td_shm_open(where, wait_ms, err);
    if (!f->under) {
        free(f);
        return NULL;
    }
    f->ops = (struct td_transport_ops){.name = "faulty",
                                       .read = faulty_read,
                                       .write = faulty_write,
                                       .clock = faulty_clock,
                                       .alive = faulty_alive,
                                       .describe = faulty_describe,
                                       .control = faulty_control,
                                       .close = faulty_close};
    f->base.ops = &f->ops;
    if (plan.process == getpid()) {
        f->fault = plan.fault;
        f->trigger = plan.trigger;
    }
    return &f->base;
}
