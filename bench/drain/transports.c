/* Each transport that reaches a simulated board here: bytes of full lanes drained a second and this process's
 * CPU for it, against a plain copy of the same lanes through the same way, turn by turn. */
#include "bench/drain/board.h"
#include "bench/drain/parts.h"
#include "host/device/drain/drain.h"
#include "proto/device/packet.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double patience_s = 20;

struct way {
    struct bench_board *board;
    struct td_transport *t;
    struct td_drain *drain;
    uint32_t *copy; /* a ring */
    uint64_t taken;
    double drain_s, drain_cpu_s, copy_s, copy_cpu_s;
};

static int on_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct way *w = self;
    w->taken += slots;
    return 0;
}

static uint64_t lane_bytes(const struct way *w)
{
    const struct td_board *d = &w->board->board;
    return (uint64_t)d->grid_width * d->grid_height * d->core_count * d->ring_slots * TD_SLOT_BYTES;
}

static int copy_lane(struct way *w, struct td_tile_at at, uint32_t core, struct td_err *err)
{
    const struct td_board *d = &w->board->board;
    const size_t bytes = (size_t)d->ring_slots * TD_SLOT_BYTES;
    const void *from = w->t->ops->map ? w->t->ops->map(w->t, at, td_board_ring(d, core), bytes) : NULL;
    if (!from)
        return w->t->ops->read(w->t, at, td_board_ring(d, core), w->copy, bytes, err);
    memcpy(w->copy, from, bytes);
    __asm__ volatile("" : : "r"(w->copy) : "memory");
    return 0;
}

static int copy_all(struct way *w, struct td_err *err)
{
    const struct td_board *d = &w->board->board;
    double start = wall_seconds(), cpu = cpu_seconds();
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < d->grid_width * d->grid_height; i++)
        for (uint32_t core = 0; rc == 0 && core < d->core_count; core++)
            rc = copy_lane(w, td_board_tile(d, 0, i % d->grid_width, i / d->grid_width), core, err);
    w->copy_s += wall_seconds() - start;
    w->copy_cpu_s += cpu_seconds() - cpu;
    return rc;
}

static int drain_all(struct way *w, struct td_err *err)
{
    double start = wall_seconds(), cpu = cpu_seconds();
    uint64_t until = w->taken + lane_bytes(w) / TD_SLOT_BYTES;
    int rc = 0;
    while (rc == 0 && w->taken < until) {
        rc = td_drain_poll(w->drain, on_words, w, NULL, err);
        if (rc == 0 && wall_seconds() - start > patience_s)
            rc = td_fail(err, TD_E_TIMEOUT, "lanes do not become empty");
    }
    w->drain_s += wall_seconds() - start;
    w->drain_cpu_s += cpu_seconds() - cpu;
    return rc;
}

static int run_rounds(struct way *w, int rounds, struct td_err *err)
{
    int rc = 0;
    for (int i = 0; rc == 0 && i < rounds; i++) {
        bench_board_fill(w->board);
        rc = copy_all(w, err);
        rc = rc ? rc : drain_all(w, err);
    }
    return rc;
}

static void report_way(struct report *r, const char *name, const struct way *w, int rounds)
{
    char line[64];
    double bytes = (double)lane_bytes(w) * rounds;
    snprintf(line, sizeof line, "drain_%s", name);
    report(r, line, "MB/s", bytes / w->drain_s / 1e6, bytes / w->copy_s / 1e6, NAN);
    snprintf(line, sizeof line, "drain_%s_ratio", name);
    report(r, line, "of a plain copy", w->copy_s / w->drain_s, 1, NAN);
    snprintf(line, sizeof line, "drain_%s_cpu", name);
    report(r, line, "ns/zone", w->drain_cpu_s / bytes * TD_SLOT_BYTES * 1e9,
           w->copy_cpu_s / bytes * TD_SLOT_BYTES * 1e9, NAN);
}

static void measure(struct report *r, struct bench_board *b, const char *name, const char *where, int rounds)
{
    struct way w = {.board = b, .copy = malloc((size_t)b->board.ring_slots * TD_SLOT_BYTES)};
    struct td_err err = {0};
    w.t = td_transport_open(where, 5000, &err);
    w.drain = w.t && w.copy ? td_drain_create(w.t, &b->board, TD_POLICY_BLOCK, &err) : NULL;
    if (w.drain && run_rounds(&w, rounds, &err) == 0)
        report_way(r, name, &w, rounds);
    else
        report_failure(r, name, err.text);
    td_drain_destroy(w.drain);
    td_transport_close(w.t);
    free(w.copy);
}

static void measure_probe(struct report *r, struct bench_board *b, const char *name, const char *serve,
                          const char *where)
{
    struct td_err err = {0};
    if (bench_probe_start(b, serve, &err))
        report_failure(r, name, err.text);
    else
        measure(r, b, name, where, 5);
    bench_probe_stop(b);
}

/* As on a card: tiles through a few windows, which another process serves. */
static void measure_windows(struct report *r)
{
    struct bench_board b;
    struct td_err err = {0};
    char where[140];
    if (bench_board_start(&b, "4x4", "host", "16", &err)) {
        report_failure(r, "simnoc", err.text);
        return;
    }
    snprintf(where, sizeof where, "simnoc:%s", b.path);
    measure(r, &b, "simnoc", where, 2);
    bench_board_stop(&b);
}

void bench_transports(struct report *r)
{
    struct bench_board b;
    struct td_err err = {0};
    char folder[] = "/tmp/tendril-bench-XXXXXX", path[80], serve[100], where[100];
    if (!mkdtemp(folder))
        td_fail_errno(&err, "cannot make %s", folder);
    if (err.code || bench_board_start(&b, "4x4", "host", NULL, &err)) {
        report_failure(r, "transports", err.text);
        return;
    }
    report_note(r, "transports: 80 full lanes of 256 slots a round, cores in reset; baseline: a plain copy "
                   "the same way");
    measure(r, &b, "shm", b.path, 400);
    report_note(r, "through a probe: another process, whose CPU time is not counted");
    snprintf(path, sizeof path, "%s/probe", folder);
    snprintf(serve, sizeof serve, "unix:%s", path);
    measure_probe(r, &b, "probe_unix", serve, serve);
    unlink(path);
    snprintf(serve, sizeof serve, "pty:%s", path);
    snprintf(where, sizeof where, "serial:%s", path);
    measure_probe(r, &b, "probe_pty", serve, where);
    unlink(path);
    rmdir(folder);
    report_note(r, "pci, vfio, the vendor's driver and usb: in the guest only (build.sh --test-guest)");
    bench_board_stop(&b);
    measure_windows(r);
}
