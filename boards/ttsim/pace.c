#include "boards/ttsim/pace.h"
#include "host/base/clock.h"
#include "proto/device/lane.h"

#include <string.h>
#include <time.h>

enum {
    EPOCH = 2048,           /* clocks: no marker fills a ring of 256 slots in it */
    BATCH_NS = 40000,       /* hosts wait so long for an answer */
    BATCHES = 4,            /* after as many, their size is looked at */
    FEWEST = 16,            /* clocks of a batch */
    SERVE_NS = 20000000,    /* lanes that are not full wait for at most so long */
    SERVE_REAL_NS = 100000, /* between looks at lanes in real time */
    MEASURED = 17           /* of so many calls for hosts, one is */
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
    if (clocks == p->batch) {
        p->least_ns = p->batches++ && p->least_ns < took ? p->least_ns : took;
        if (p->batches < BATCHES)
            return;
        if (p->least_ns < BATCH_NS / 2 && p->batch < p->epoch_clocks)
            p->batch *= 2;
        else if (p->least_ns > BATCH_NS && p->batch > FEWEST)
            p->batch /= 2;
        p->batches = 0;
    }
}

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Measures every so many of the calls: asking for the processor's time costs as much as a short one. */
static bool for_hosts(struct pace *p, bool (*work)(struct td_board_server *server),
                      struct td_board_server *server)
{
    const bool is_measured = p->calls++ % MEASURED == 0;
    const int64_t began = is_measured ? cpu_ns() : 0;
    const bool done = work(server);
    if (is_measured)
        p->hosts_ns += MEASURED * (cpu_ns() - began);
    return done;
}

static bool answer_hosts(struct td_board_server *server)
{
    return td_board_server_pump(server) > 0;
}

static bool serve_lanes(struct td_board_server *server)
{
    td_board_server_idle(server);
    return true;
}

void pace_answer(struct pace *p, struct td_board_server *server)
{
    for_hosts(p, answer_hosts, server);
}

void pace_serve_lanes(struct pace *p, struct td_board_server *server)
{
    for_hosts(p, serve_lanes, server);
}

/* A message costs much, compared with an epoch. So slots are given out from time to time, and when a message is full of
 * them. Lanes are emptied for it when the next epoch might fill one. */
static bool is_worth_it(struct pace *p, struct td_board_server *server, int64_t now_ns)
{
    uint32_t ring_slots = 0;
    if (now_ns - p->served_ns > SERVE_NS)
        return true;
    const uint32_t held = td_board_server_fullest(server, &ring_slots), behind = TD_TAIL_BEHIND(ring_slots),
                   growth = held > p->held ? held - p->held : 0;
    p->held = held;
    if (held + growth + behind < ring_slots)
        return false;
    p->held = 0;
    return !for_hosts(p, td_board_server_keep_slots, server);
}

static void end_epoch(struct pace *p, struct td_board_server *server)
{
    const int64_t now_ns = td_mono_ns();
    p->in_epoch = 0;
    p->done++;
    if (p->is_virtual && td_board_server_is_gathering(server)) {
        if (!is_worth_it(p, server, now_ns))
            return;
        p->held = 0;
    } else if (!p->is_virtual && now_ns - p->served_ns < SERVE_REAL_NS) {
        return;
    }
    p->at_end = p->is_virtual;
    p->served_ns = now_ns;
    pace_serve_lanes(p, server);
}

bool pace_step(struct pace *p, struct td_board_server *server)
{
    if (!may_move(p, server))
        return false;
    const uint32_t left = p->epoch_clocks - p->in_epoch, clocks = p->batch < left ? p->batch : left;
    move(p, clocks);
    p->in_epoch += clocks;
    p->clocks += clocks;
    if (p->in_epoch == p->epoch_clocks)
        end_epoch(p, server);
    return true;
}
