/* What it costs to sample the cores of a board:
 *
 *   sampling [--quick] [--json] [--no-limits]
 *
 * Looks at the tiles of a simulated board whose cores say that they run, through shared memory, and through
 * windows as those of a card; what becomes of a sample; and what sampled cores cost the simulator. */
#include "bench/drain/board.h"
#include "bench/report.h"
#include "bench/sampling/simulator.h"
#include "host/agent/board/core_samples.h"
#include "host/agent/board/lane_events.h"
#include "host/event/dict.h"
#include "host/trace/store.h"
#include "proto/device/lane.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRID       "2x2"
#define PER_SECOND 1e9 /* as often as it can */

struct bench {
    struct report report;
    bool quick;
    struct bench_board board;
    struct td_transport *windows;
    uint64_t build_id;
    uint32_t code; /* an address in the kernel's code */
    struct td_core_samples *samples;
};

static int take_sample(void *self, const struct td_core_sample *sample, struct td_err *err)
{
    return 0;
}

/* All cores say that they run. */
static void set_running(struct bench *b)
{
    const struct td_board *d = &b->board.board;
    const uint32_t running = TD_CORE_RUNNING;
    for (uint32_t i = 0; i < d->grid_width * d->grid_height; i++)
        for (uint32_t core = 0; core < d->core_count; core++)
            b->board.shm->ops->write(b->board.shm, td_board_tile(d, 0, i % d->grid_width, i / d->grid_width),
                                     td_board_lane_ctrl(d, core) + TD_LANE_state, &running, sizeof running,
                                     NULL);
}

/* Processor time of a sample, in this process. */
static int measure_reads(struct bench *b, struct td_transport *t, const char *name, unsigned visits,
                         double most_percent)
{
    struct td_err err = {0};
    const struct td_core_sampling all = {.hz = PER_SECOND, .reads = PER_SECOND};
    struct td_core_sampler *s = td_core_sampler_create(t, &b->board.board, &all, &err);
    int rc = s ? 0 : err.code;
    const double began = cpu_seconds(), began_wall = wall_seconds();
    for (int64_t now = 0; rc == 0 && visits--; now += 1000000)
        rc = td_core_sampler_poll(s, now, 0, take_sample, NULL, &err);
    const double cpu = cpu_seconds() - began, wall = wall_seconds() - began_wall;
    if (rc)
        report_failure(&b->report, name, err.text);
    else {
        const struct td_core_sampler_stats *stats = td_core_sampler_get_stats(s);
        char text[80];
        snprintf(text, sizeof text, "sample_%s", name);
        report(&b->report, text, "ns cpu", cpu * 1e9 / (double)stats->samples, NAN, NAN);
        snprintf(text, sizeof text, "sample_%s_wall", name);
        report(&b->report, text, "ns", wall * 1e9 / (double)stats->samples, NAN, NAN);
        /* What the usual budget takes of one processor of the host. */
        snprintf(text, sizeof text, "budget_%s", name);
        report_most(&b->report, text, "% of a cpu", 100 * cpu / (double)stats->reads * TD_CORE_SAMPLING_READS,
                    NAN, most_percent);
        snprintf(text, sizeof text, "reads_a_sample_%s", name);
        report_most(&b->report, text, "reads", (double)stats->reads / (double)stats->samples, NAN, 1.4);
    }
    td_core_sampler_destroy(s);
    return rc;
}

static uint32_t track_of(void *self, uint32_t lane)
{
    return 0;
}

static int64_t time_of(void *self, uint32_t lane, int64_t ticks)
{
    return ticks;
}

/* Adds samples at `places` addresses and passes them on. Seconds. */
static double push_samples(struct bench *b, struct td_hub *hub, unsigned count, unsigned places)
{
    const struct td_core_samples_to to = {.hub = hub, .track = track_of, .time = time_of};
    const double began = cpu_seconds();
    struct td_err err = {0};
    int rc = 0;
    for (unsigned i = 0; rc == 0 && i < count; i++) {
        const struct td_core_sample sample = {
            .pc = b->code + 4 * (i % places), .build_id = b->build_id, .ticks = i};
        rc = td_core_samples_add(b->samples, &sample, &err);
    }
    rc = rc ? rc : td_core_samples_push(b->samples, &to, &err);
    if (rc)
        report_failure(&b->report, "samples", err.text);
    return cpu_seconds() - began;
}

static int find_kernel(struct bench *b, struct td_err *err)
{
    struct td_image *image = td_image_open(TD_BINARY_DIR "/tests/hot_kernels/hot.BRISC.elf", err);
    if (!image)
        return err->code;
    b->build_id = td_image_build_id(image);
    b->code = b->board.board.cores[0].code_base;
    td_image_close(image);
    return 0;
}

/* What becomes of a sample: rows for the model. */
static void measure_rows(struct bench *b)
{
    enum { PLACES = 60 };
    const char *const folder = TD_BINARY_DIR "/tests/hot_kernels";
    const unsigned count = b->quick ? 100000 : 1000000;
    struct td_err err = {0};
    struct td_lane_names names;
    struct td_dict *dict = td_dict_create();
    struct td_store *store = td_store_create(0);
    struct td_images *images = td_images_create(&folder, 1);
    struct td_hub *hub = td_hub_create(dict);
    if (find_kernel(b, &err) || td_lane_names_init(&names, dict, images, store) ||
        !(b->samples = td_core_samples_create(dict, &names, NULL))) {
        report_failure(&b->report, "samples", err.text);
        return;
    }
    const double first = push_samples(b, hub, PLACES, PLACES);
    report(&b->report, "first_sample_at_an_address", "us cpu", first * 1e6 / PLACES, NAN, NAN);
    const double rest = push_samples(b, hub, count, PLACES);
    report(&b->report, "rows_of_a_sample", "ns cpu", rest * 1e9 / count, NAN, NAN);
    td_core_samples_destroy(b->samples);
    td_lane_names_free(&names);
    td_images_destroy(images);
    td_store_destroy(store);
    td_hub_destroy(hub);
    td_dict_destroy(dict);
}

static void measure_simulator(struct bench *b)
{
    const unsigned rounds = b->quick ? 2000 : 20000;
    double off = 0, on = 0;
    struct td_err err = {0};
    if (simulator_ns_per_instruction(0, rounds, &off, &err) ||
        simulator_ns_per_instruction(1, rounds, &on, &err))
        report_failure(&b->report, "simulator", err.text);
    else
        report(&b->report, "simulated_instruction", "ns cpu", on, off, NAN);
}

int main(int argc, char **argv)
{
    struct bench b = {.report = {.program = "sampling"}};
    struct td_err err = {0};
    for (int i = 1; i < argc; i++) {
        b.quick |= !strcmp(argv[i], "--quick");
        b.report.json |= !strcmp(argv[i], "--json");
        b.report.lenient |= !strcmp(argv[i], "--no-limits");
    }
    if (bench_board_start(&b.board, GRID, "host", "6", &err)) {
        report_failure(&b.report, "board", err.text);
        return 1;
    }
    char where[140];
    snprintf(where, sizeof where, "simnoc:%s", b.board.path);
    b.windows = td_transport_open(where, 1000, &err);
    report_head(&b.report);
    set_running(&b);
    measure_reads(&b, b.board.shm, "shm", b.quick ? 2000 : 50000, 1);
    if (b.windows)
        measure_reads(&b, b.windows, "windows", b.quick ? 200 : 5000, NAN);
    else
        report_failure(&b.report, "windows", err.text);
    td_transport_close(b.windows);
    bench_board_stop(&b.board);
    measure_rows(&b);
    measure_simulator(&b);
    return b.report.failed;
}
