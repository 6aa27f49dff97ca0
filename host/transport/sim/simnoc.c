#include "host/transport/sim/simnoc.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/process.h"
#include "host/transport/card/noc.h"
#include "host/transport/card/simbar.h"
#include "host/transport/sim/shm.h"
#include "proto/sim/window.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SPIN_NS = 20000, YIELD_NS = 1000000, NAP_NS = 50000 };
static const int64_t stuck_ns = INT64_C(10000000000);

struct sim_windows {
    struct td_windows base;
    struct td_transport *file; /* the board's; closed by the noc transport */
    struct td_sim_windows *sim;
    struct td_sim_mailbox *box;
    uint32_t me;
    uint64_t mine; /* bit of each window that was claimed */
    char path[200];
};

static const struct td_window_kind sim_kind = {.bytes = TD_SIM_WINDOW_BYTES,
                                               .count = TD_SIM_MAX_WINDOWS,
                                               .register_bytes = 4 * TD_SIM_REGISTER_WORDS,
                                               .shift = {TD_SIM_REGISTER_SHIFTS}};

/* Takes a window or mailbox that is free, or whose process is gone. 1: done. */
static int claim(uint32_t *owner, uint32_t me)
{
    uint32_t holder = __atomic_load_n(owner, __ATOMIC_ACQUIRE);
    if (holder != 0 && !td_process_gone(holder))
        return 0;
    return __atomic_compare_exchange_n(owner, &holder, me, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static int sim_add(struct td_windows *w, uint32_t kind, struct td_window *window, struct td_err *err)
{
    struct sim_windows *c = (struct sim_windows *)w;
    for (uint32_t i = 0; i < c->sim->count && i < TD_SIM_MAX_WINDOWS; i++)
        if (claim(&c->sim->window[i].owner, c->me)) {
            *window = (struct td_window){.id = i, .bytes = TD_SIM_WINDOW_BYTES};
            c->mine |= UINT64_C(1) << i;
            return TD_OK;
        }
    return TD_E_LIMIT;
}

static void release(uint32_t *owner, uint32_t me)
{
    __atomic_compare_exchange_n(owner, &me, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void sim_remove(struct td_windows *w, const struct td_window *window)
{
    struct sim_windows *c = (struct sim_windows *)w;
    c->mine &= ~(UINT64_C(1) << window->id);
    release(&c->sim->window[window->id].owner, c->me);
}

static int sim_point(struct td_windows *w, const struct td_window *window,
                     const struct td_window_target *target, struct td_err *err)
{
    struct td_sim_window *to = &((struct sim_windows *)w)->sim->window[window->id];
    uint32_t words[TD_WINDOW_MAX_WORDS];
    int count = td_window_encode(&sim_kind, target, words, err);
    if (count < 0)
        return count;
    for (int i = 0; i < TD_SIM_REGISTER_WORDS; i++)
        __atomic_store_n(&to->registers[i], words[i], __ATOMIC_RELAXED);
    __atomic_store_n(&to->chip, target->tile.chip, __ATOMIC_RELEASE);
    return TD_OK;
}

static int await_answer(struct sim_windows *c, uint64_t request, struct td_err *err)
{
    const int64_t began = td_mono_ns();
    for (unsigned rounds = 1;; rounds++) {
        if (__atomic_load_n(&c->box->answer, __ATOMIC_ACQUIRE) == request)
            return TD_OK;
        td_cpu_relax();
        if (rounds % 64)
            continue;
        int64_t waited = td_mono_ns() - began;
        if (waited < SPIN_NS)
            continue;
        int rc = c->file->ops->alive(c->file, err);
        if (rc == 0 && waited > stuck_ns)
            rc = td_fail(err, TD_E_TIMEOUT, "the simulated board %s runs but does not answer", c->path);
        if (rc)
            return rc;
        if (waited < YIELD_NS)
            sched_yield();
        else
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    }
}

static int ask(struct sim_windows *c, enum td_sim_request what, const struct td_window *window,
               uint64_t offset, size_t bytes, struct td_err *err)
{
    struct td_sim_mailbox *box = c->box;
    box->what = what;
    box->window = window->id;
    box->bytes = (uint32_t)bytes;
    box->offset = offset;
    uint64_t request = box->request + 1;
    __atomic_store_n(&box->request, request, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&c->sim->bell, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&c->sim->asleep, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &c->sim->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    int rc = await_answer(c, request, err);
    if (rc == 0 && box->status)
        rc = td_fail(err, TD_E_USAGE, "board %s has no memory at the address of a window", c->path);
    return rc;
}

static int sim_read(struct td_windows *w, const struct td_window *window, uint64_t offset, void *to,
                    size_t bytes, struct td_err *err)
{
    struct sim_windows *c = (struct sim_windows *)w;
    int rc = TD_OK;
    for (size_t done = 0, part; rc == 0 && done < bytes; done += part) {
        part = bytes - done < TD_SIM_DATA_BYTES ? bytes - done : TD_SIM_DATA_BYTES;
        rc = ask(c, TD_SIM_READ, window, offset + done, part, err);
        if (rc == 0)
            memcpy((char *)to + done, c->box->data, part);
    }
    return rc;
}

static int sim_write(struct td_windows *w, const struct td_window *window, uint64_t offset, const void *from,
                     size_t bytes, struct td_err *err)
{
    struct sim_windows *c = (struct sim_windows *)w;
    int rc = TD_OK;
    for (size_t done = 0, part; rc == 0 && done < bytes; done += part) {
        part = bytes - done < TD_SIM_DATA_BYTES ? bytes - done : TD_SIM_DATA_BYTES;
        memcpy(c->box->data, (const char *)from + done, part);
        rc = ask(c, TD_SIM_WRITE, window, offset + done, part, err);
    }
    return rc;
}

static int sim_alive(struct td_windows *w, struct td_err *err)
{
    struct sim_windows *c = (struct sim_windows *)w;
    return c->file->ops->alive(c->file, err);
}

static void sim_close(struct td_windows *w)
{
    struct sim_windows *c = (struct sim_windows *)w;
    for (uint32_t i = 0; i < TD_SIM_MAX_WINDOWS; i++)
        if (c->mine >> i & 1)
            release(&c->sim->window[i].owner, c->me);
    if (c->box)
        release(&c->box->owner, c->me);
    free(c);
}

static const struct td_window_ops sim_ops = {.add = sim_add,
                                             .remove = sim_remove,
                                             .point = sim_point,
                                             .read = sim_read,
                                             .write = sim_write,
                                             .alive = sim_alive,
                                             .close = sim_close};

static int find_windows(struct sim_windows *c, struct td_err *err)
{
    struct td_bar_header *bar = td_simbar_header(c->file);
    uint64_t at = bar->windows_offset;
    if (at == 0 || at % 4096 || at > bar->file_bytes || bar->file_bytes - at < sizeof *c->sim)
        return td_fail(err, TD_E_USAGE, "board %s has no windows; start it with `tendril sim --windows N`",
                       c->path);
    c->sim = (void *)((char *)bar + at);
    for (int i = 0; i < TD_SIM_MAILBOXES && !c->box; i++)
        if (claim(&c->sim->mailbox[i].owner, c->me))
            c->box = &c->sim->mailbox[i];
    if (!c->box)
        return td_fail(err, TD_E_LIMIT, "%d processes already use the windows of board %s", TD_SIM_MAILBOXES,
                       c->path);
    td_debug(sim, "%s: mailbox %d of %d, %u windows on the board", c->path, (int)(c->box - c->sim->mailbox),
             TD_SIM_MAILBOXES, c->sim->count);
    /* The mailbox may have a request of a process that died: wait for its answer first. */
    return await_answer(c, c->box->request, err);
}

struct td_transport *td_simnoc_open(const char *path, int wait_ms, struct td_err *err)
{
    struct sim_windows *c = calloc(1, sizeof *c);
    if (!c) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    strncpy(c->path, path, sizeof c->path - 1);
    c->base =
        (struct td_windows){.ops = &sim_ops, .kinds = 1, .bytes = {TD_SIM_WINDOW_BYTES}, .path = c->path};
    c->file = td_shm_open(path, wait_ms, err);
    if (c->file)
        c->me = td_simbar_process(c->file);
    if (!c->file || find_windows(c, err)) {
        struct td_transport *file = c->file;
        sim_close(&c->base);
        td_transport_close(file);
        return NULL;
    }
    struct td_noc_config config = {
        .windows = &c->base, .name = "simnoc", .under = c->file, .cleans_up = c->file->cleans_up};
    return td_noc_open(&config, err);
}
