/* What a recording of a board costs the host: memory for each zone, and the time that draining (with sending
 * on and nesting, as `record` does), finishing and saving take. The board is an array in this process
 * (cores.h).
 *
 *   build/bench/recording [--json] [--at-end] [--zones N]
 *
 * --at-end: all events wait for the end, as in virtual time. The baseline of memory is the 32 bytes of a
 * struct td_event. Ends with 1 if a limit is broken.
 */
#include "bench/recording/cores.h"
#include "bench/report.h"
#include "host/base/clock.h"
#include "host/base/process.h"
#include "host/file/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ZONES       UINT64_C(20000000)
#define SYNC_TICKS  2500000 /* so many are 500,000 zones, as in 50 ms at full rate */
#define LIMIT_BYTES 12.0    /* a zone, before the end */
#define HOST_T0     UINT64_C(1000)

struct bench {
    struct report report;
    uint64_t zones;
    int at_end;
    char path[64];
};

static uint64_t board_ticks; /* one bench a process */

static int read_clock(struct td_transport *t, struct td_tile_at at, struct td_clock_sample *sample,
                      struct td_err *err)
{
    uint64_t host = HOST_T0 + (uint64_t)((double)board_ticks / td_host_ns_per_tick(20));
    *sample = (struct td_clock_sample){host, host + 200, board_ticks};
    return 0;
}

static int collect(struct cores *w, struct td_board_source *source, uint64_t wanted, uint64_t *zones,
                   struct td_err *err)
{
    int rc = td_board_source_poll(source, NULL, err); /* arms */
    uint64_t next_sync = 0;
    while (rc == 0 && *zones < wanted) {
        for (uint32_t i = 0; i < CORES_LANES; i++) {
            *zones += cores_fill(&w->kernels[i], UINT64_MAX);
            board_ticks = w->kernels[i].now > board_ticks ? w->kernels[i].now : board_ticks;
        }
        rc = td_board_source_poll(source, NULL, err);
        if (rc == 0 && board_ticks >= next_sync) {
            next_sync = board_ticks + SYNC_TICKS;
            rc = td_board_source_sync(source, 1, err);
        }
    }
    board_ticks += SYNC_TICKS;
    return rc ? rc : td_board_source_sync(source, 1, err);
}

struct times {
    double collect, deliver, finish, save;
};

static int measure_with(struct bench *b, struct cores *w, struct td_trace *trace, struct td_hub *hub,
                        struct times *times, double *waiting_bytes, uint64_t *zones, struct td_err *err)
{
    uint64_t before, after;
    struct td_board_source *source = cores_begin(w, read_clock, td_trace_fill_dict(trace), err);
    if (!source)
        return err->code;
    if (!b->at_end)
        td_board_source_stream(source, hub, HOST_T0, td_host_ns_per_tick(20));
    td_process_memory(&before, NULL);
    double start = cpu_seconds();
    int rc = collect(w, source, b->zones, zones, err);
    times->collect = cpu_seconds() - start;
    td_process_memory(&after, NULL);
    *waiting_bytes = (double)after - (double)before;
    start = cpu_seconds();
    rc = rc ? rc : td_board_source_finish(source, 0, hub, HOST_T0, td_host_ns_per_tick(20), err);
    times->deliver = cpu_seconds() - start;
    td_board_source_destroy(source);
    start = cpu_seconds();
    rc = rc ? rc : td_trace_finish(trace, err);
    times->finish = cpu_seconds() - start;
    start = cpu_seconds();
    rc = rc ? rc : td_file_write(trace, b->path, &(struct td_file_options){.threads = 1}, err);
    times->save = cpu_seconds() - start;
    return rc;
}

static void measure(struct bench *b)
{
    static struct cores w;
    struct td_err err = {0};
    struct times t = {0};
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = trace ? td_hub_create(td_trace_fill_dict(trace)) : NULL;
    double waiting = 0;
    uint64_t zones = 0, peak;
    int rc = hub && td_hub_add_sink(hub, td_trace_sink(trace)) == 0 ? 0 : td_fail(&err, TD_E_NOMEM, "memory");
    rc = rc ? rc : measure_with(b, &w, trace, hub, &t, &waiting, &zones, &err);
    if (rc < 0) {
        report_failure(&b->report, "recording", err.text);
        return;
    }
    double n = (double)zones;
    td_process_memory(NULL, &peak);
    report_most(&b->report, "recording_waiting", "bytes/zone", waiting / n, sizeof(struct td_event),
                LIMIT_BYTES);
    report(&b->report, "recording_peak", "bytes/zone", (double)peak / n, NAN, NAN);
    report(&b->report, "recording_collect", "ns/zone", t.collect / n * 1e9, NAN, NAN);
    report(&b->report, "recording_hand_on", "ns/zone", t.deliver / n * 1e9, NAN, NAN);
    report(&b->report, "recording_finish", "ns/zone", t.finish / n * 1e9, NAN, NAN);
    report(&b->report, "recording_save", "ns/zone", t.save / n * 1e9, NAN, NAN);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    cores_end(&w);
    unlink(b->path);
}

int main(int argc, char **argv)
{
    static struct bench b = {.report = {.program = "recording"}, .zones = ZONES};
    const char *temporary = getenv("TMPDIR");
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            b.report.json = 1;
        else if (!strcmp(argv[i], "--at-end"))
            b.at_end = 1;
        else if (!strcmp(argv[i], "--zones") && i + 1 < argc)
            b.zones = strtoull(argv[++i], NULL, 10);
        else
            bad = 1;
    }
    if (bad || b.zones < 1000) {
        fprintf(stderr, "usage: recording [--json] [--at-end] [--zones N]\n");
        return 2;
    }
    td_clock_init();
    snprintf(b.path, sizeof b.path, "%.30s/recording-%d.tracy", temporary ? temporary : "/tmp",
             (int)getpid());
    report_head(&b.report);
    measure(&b);
    return b.report.failed;
}
