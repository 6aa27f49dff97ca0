/* Records a chatty board for a long time, as `record` does, and prints the memory of this process. Rows
 * beyond the memory limit are in a temporary file, so memory stays as it is after the first seconds.
 *
 *   build/soak/recording [--minutes N] [--every SECONDS] [--rate KZONES] [--memory MEGABYTES]
 *
 * The eight cores (cores.h) write at `rate` (thousand zones a second, all together). Ends with 1 when zones
 * are missing in the trace, or when memory in the second half of the run was more than a tenth, and 32 MB,
 * above that at the end of the first half. */
#include "bench/recording/cores.h"
#include "host/base/clock.h"
#include "host/base/options.h"
#include "host/base/process.h"
#include "host/trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define SYNC_NS   50000000
#define LATE_NS   20000000             /* a kernel that is later continues at the present */
#define SLACK     (UINT64_C(32) << 20) /* events that wait for a clock sample on a busy machine */
#define MILLION_D 1e6

struct settings {
    long minutes, every_s, rate_kzones, memory_mb;
};

struct soak {
    struct settings settings;
    struct cores cores;
    struct td_trace *trace;
    struct td_hub *hub;
    struct td_board_source *source;
    uint64_t zones, half_bytes, most_bytes;
    int64_t start_ns;
};

/* Ticks of the board's clock are ns. */
static int read_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                      struct td_err *err)
{
    const uint64_t before = td_host_ticks();
    const uint64_t ticks = (uint64_t)td_mono_ns();
    *sample = (struct td_clock_sample){before, td_host_ticks(), ticks};
    return 0;
}

static int begin(struct soak *s, struct td_err *err)
{
    struct td_dict *dict = td_dict_create();
    s->trace = dict ? td_trace_create_within(dict, (uint64_t)s->settings.memory_mb << 20) : NULL;
    if (s->trace) /* as a recording does with a limit of twice as much */
        td_trace_spill_early(s->trace, (uint64_t)s->settings.memory_mb << 17, NULL);
    s->hub = s->trace ? td_hub_create(dict) : NULL;
    if (!s->hub || td_hub_add_sink(s->hub, td_trace_sink(s->trace)) < 0)
        return td_fail_no_memory(err, "for a trace");
    s->source = cores_begin(&s->cores, read_clock, dict, err);
    if (!s->source)
        return err->code;
    td_board_source_stream(s->source, s->hub, td_host_ticks(), td_host_ns_per_tick(100));
    s->start_ns = td_mono_ns();
    const double step = 1e6 * CORES_LANES / (double)s->settings.rate_kzones;
    for (uint32_t i = 0; i < CORES_LANES; i++) {
        s->cores.kernels[i].now = (uint64_t)s->start_ns;
        s->cores.kernels[i].step_ticks = (uint32_t)fmax(fmin(step, 9000), 10);
    }
    int rc = td_board_source_poll(s->source, NULL, err);
    return rc ? rc : td_board_source_sync(s->source, 24, err);
}

static void print_memory(struct soak *s, int64_t now_ns)
{
    const double second = (double)(now_ns - s->start_ns) / 1e9;
    uint64_t bytes;
    struct td_trace_needs room;
    td_process_memory(&bytes, NULL);
    td_trace_room(s->trace, &room);
    printf("%5.0f s: %" PRIu64 " million zones, %.0f MB in memory, %" PRIu64 " MB in the temporary file\n",
           second, s->zones / 1000000, (double)bytes / MILLION_D, room.file_bytes / 1000000);
    fflush(stdout);
    if (second * 2 <= (double)s->settings.minutes * 60 || !s->half_bytes)
        s->half_bytes = bytes;
    s->most_bytes = bytes > s->most_bytes ? bytes : s->most_bytes;
}

static int run(struct soak *s, struct td_err *err)
{
    const int64_t end_ns = s->start_ns + s->settings.minutes * 60 * INT64_C(1000000000);
    int64_t next_sync = 0, next_print = s->start_ns;
    int rc = 0;
    for (int64_t now = s->start_ns; rc == 0 && now < end_ns; now = td_mono_ns()) {
        uint64_t written = 0;
        for (uint32_t i = 0; i < CORES_LANES; i++) {
            struct kernel *k = &s->cores.kernels[i];
            if (k->now + LATE_NS < (uint64_t)now)
                k->now = (uint64_t)now - LATE_NS / 2;
            written += cores_fill(k, (uint64_t)now);
        }
        s->zones += written;
        rc = td_board_source_poll(s->source, NULL, err);
        if (rc == 0 && now >= next_sync) {
            next_sync = now + SYNC_NS;
            rc = td_board_source_sync(s->source, 24, err);
        }
        if (now >= next_print) {
            next_print += s->settings.every_s * INT64_C(1000000000);
            print_memory(s, now);
        }
        if (!written)
            usleep(100);
    }
    print_memory(s, td_mono_ns());
    return rc;
}

/* Compares what the model has with what the cores wrote. */
static int check(struct soak *s, struct td_err *err)
{
    uint64_t zones = 0;
    int rc = td_board_source_finish(s->source, 0, s->hub, 0, 1.0, err);
    rc = rc ? rc : td_trace_finish(s->trace, err);
    for (uint32_t t = 0; t < CORES_LANES; t++)
        zones += td_trace_track_zones(s->trace, t);
    if (rc == 0 && zones < s->zones)
        rc = td_fail(err, TD_E_FORMAT, "the trace has %" PRIu64 " zones of %" PRIu64, zones, s->zones);
    if (rc == 0 && s->most_bytes > s->half_bytes + s->half_bytes / 10 + SLACK)
        rc = td_fail(err, TD_E_LIMIT, "memory has grown from %.0f to %.0f MB",
                     (double)s->half_bytes / MILLION_D, (double)s->most_bytes / MILLION_D);
    printf("%" PRIu64 " zones in the trace, %" PRIu32 " tracks nested at the end\n", zones,
           td_trace_settled_early(s->trace));
    return rc;
}

int main(int argc, char **argv)
{
    static struct soak s = {.settings = {2, 5, 2000, 64}};
    struct td_err err = {0};
    const struct td_option options[] = {
        {0, "minutes", TD_OPT_INT, &s.settings.minutes, "N", "how long (default 2)", NULL, 1, 100000},
        {0, "every", TD_OPT_INT, &s.settings.every_s, "SECONDS", "between lines (default 5)", NULL, 1, 3600},
        {0, "rate", TD_OPT_INT, &s.settings.rate_kzones, "KZONES", "thousand zones a second (default 2000)",
         NULL, 1, 100000},
        {0, "memory", TD_OPT_INT, &s.settings.memory_mb, "MEGABYTES", "for rows (default 64)", NULL, 1,
         1000000},
        {0}};
    const struct td_command_line line = {
        .name = "recording",
        .usage = "[options]",
        .summary = "Records a chatty board for a long time and prints this process's memory.",
        .options = options,
        .min_args = 0,
        .max_args = 0,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, &err)) {
        if (args.rc)
            fprintf(stderr, "recording: %s\n", err.text);
        return args.rc;
    }
    td_clock_init();
    int rc = begin(&s, &err);
    rc = rc ? rc : run(&s, &err);
    rc = rc ? rc : check(&s, &err);
    td_board_source_destroy(s.source);
    td_hub_destroy(s.hub);
    td_trace_destroy(s.trace);
    cores_end(&s.cores);
    if (rc < 0)
        fprintf(stderr, "recording: %s\n", err.text);
    return rc < 0;
}
