#include "boards/ttsim/pace.h"
#include "host/base/clock.h"

#include <string.h>

enum {
    EPOCH = 2048,     /* clocks: no marker fills a ring of 256 slots in it */
    BATCH_NS = 40000, /* hosts wait so long for an answer */
    FEWEST = 16,      /* clocks of a batch */
    SERVE_NS = 100000 /* between looks at lanes in real time */
};

static int pace_control(struct td_transport *t, enum td_control what, uint64_t value, uint64_t *out,
                        struct td_err *err)
{
    struct pace *p = (struct pace *)t;
    uint64_t got = 0;
    switch (what) {
    case TD_CONTROL_CLOCK_MODE:
        got = p->is_virtual ? TD_CLOCK_GATHERED : TD_CLOCK_REAL;
        break;
    case TD_CONTROL_SET_CLOCK:
        p->is_virtual = value != TD_CLOCK_REAL;
        p->at_end = false;
        break;
    case TD_CONTROL_FREEZE:
        p->frozen += value;
        break;
    case TD_CONTROL_EPOCH:
        got = p->done;
        break;
    case TD_CONTROL_DRAINED:
        p->drained = value;
        break;
    case TD_CONTROL_EPOCH_DRAINED:
        got = p->drained;
        break;
    case TD_CONTROL_AGENT:
        p->agent = value;
        break;
    default:
        return td_fail(err, TD_E_USAGE, "the vendor's simulator knows no control %d", (int)what);
    }
    if (out)
        *out = got;
    return TD_OK;
}

static int pace_alive(struct td_transport *t, struct td_err *err)
{
    (void)t, (void)err;
    return TD_OK;
}

/* Whoever serves it knows the description. */
static int pace_describe(struct td_transport *t, const char **text, const char **grid, struct td_err *err)
{
    (void)t, (void)err;
    *text = *grid = NULL;
    return TD_OK;
}

static void pace_close(struct td_transport *t)
{
    (void)t;
}

static const struct td_transport_ops pace_ops = {.name = "pace",
                                                 .control = pace_control,
                                                 .alive = pace_alive,
                                                 .describe = pace_describe,
                                                 .close = pace_close};

void pace_init(struct pace *p, const struct library *lib, bool is_virtual, uint32_t epoch_clocks)
{
    memset(p, 0, sizeof *p);
    p->base.ops = &pace_ops;
    p->lib = lib;
    p->is_virtual = is_virtual;
    p->epoch_clocks = epoch_clocks ? epoch_clocks : EPOCH;
    p->batch = FEWEST;
}

/* The end of an epoch: a host that has its lanes gathered gets what they hold; another one says when it is done. */
static bool is_drained(const struct pace *p, const struct td_board_server *server)
{
    if (td_board_server_is_gathering(server))
        return td_board_server_has_drained(server);
    return !p->agent || p->drained >= p->done;
}

static bool may_move(struct pace *p, struct td_board_server *server)
{
    if (p->frozen)
        return false;
    if (p->at_end && !is_drained(p, server))
        return false;
    p->at_end = false;
    return true;
}

static void move(struct pace *p, uint32_t clocks)
{
    const int64_t began = td_mono_ns();
    p->lib->clock(clocks);
    const int64_t took = td_mono_ns() - began;
    if (clocks == p->batch && took < BATCH_NS / 2 && p->batch < p->epoch_clocks)
        p->batch *= 2;
    else if (took > BATCH_NS && p->batch > FEWEST)
        p->batch /= 2;
}

bool pace_step(struct pace *p, struct td_board_server *server)
{
    if (!may_move(p, server))
        return false;
    const uint32_t left = p->epoch_clocks - p->in_epoch, clocks = p->batch < left ? p->batch : left;
    move(p, clocks);
    p->in_epoch += clocks;
    const bool ends = p->in_epoch == p->epoch_clocks;
    if (ends) {
        p->in_epoch = 0;
        p->done++;
        p->at_end = p->is_virtual;
    }
    if (p->is_virtual ? ends : td_mono_ns() - p->served_ns > SERVE_NS) {
        p->served_ns = td_mono_ns();
        td_board_server_idle(server);
    }
    return true;
}
