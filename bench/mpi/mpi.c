/* How long it takes to merge the traces of eight ranks: `tendril merge` in one process, and `tendril-mpi merge`
 * with 1, 2, 4 and 8 ranks on this machine; and the size of the result.
 *
 *   build/bench/mpi [--zones N] [--json]     N: zones of each trace (default 500000) */
#include "bench/report.h"
#include "host/agent/clock_origin.h"
#include "host/file/file.h"
#include "host/trace/fill.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRACES = 8, THREADS = 4, LOCATIONS = 40, DEPTH = 4 };

struct bench {
    struct report report;
    long zones;
    char folder[64];
};

static uint32_t make_location(struct td_dict *dict, unsigned i)
{
    char name[40];
    snprintf(name, sizeof name, "stage_%u", i);
    uint32_t text = td_dict_cstring(dict, name);
    return td_dict_srcloc(dict, &(struct td_srcloc){.function = text, .file = text, .line = i + 1});
}

/* Chains of nested zones, one after another. */
static int fill_track(struct td_trace *trace, const uint32_t *locations, uint32_t track, long zones,
                      struct td_err *err)
{
    struct td_fill fill;
    uint64_t state = 88172645463325252u + track;
    int64_t now_ns = 1000;
    if (td_fill_begin(&fill, trace, track, err) < 0)
        return err->code;
    for (long done = 0; done < zones; done += DEPTH) {
        int64_t at_ns = now_ns, unit_ns;
        state = state * 6364136223846793005u + 1442695040888963407u;
        unit_ns = 100 + (int64_t)(state >> 44);
        for (int d = 0; d < DEPTH; d++, at_ns += 10) {
            if (td_fill_enter(&fill, at_ns, -1, locations[(state >> (8 * d)) % LOCATIONS], 0) < 0)
                return td_fail_no_memory(err, NULL);
            td_fill_down(&fill);
        }
        for (int d = DEPTH; d-- > 0;)
            td_fill_leave(&fill, unit_ns + 10 * (DEPTH - d));
        now_ns += 2 * unit_ns + 100;
    }
    td_fill_end(&fill);
    return 0;
}

static int make_trace(const struct bench *b, int rank, struct td_err *err)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_clock_moment now;
    struct td_clock_origin origin;
    uint32_t locations[LOCATIONS];
    char path[100], program[40];
    if (!trace)
        return td_fail_no_memory(err, NULL);
    struct td_dict *dict = td_trace_fill_dict(trace);
    for (unsigned i = 0; i < LOCATIONS; i++)
        locations[i] = make_location(dict, i);
    int rc = 0;
    for (uint64_t t = 0; rc == 0 && t < THREADS; t++)
        rc = fill_track(trace, locations, td_dict_track(dict, &(struct td_track){.thread = 100 + t}),
                        b->zones / THREADS, err);
    td_clock_moment_take(&now);
    td_clock_origin_of_ticks(&origin, &now, now.ticks, 1);
    snprintf(program, sizeof program, "bench rank %d", rank);
    snprintf(path, sizeof path, "%s/rank-%04d.tracy", b->folder, rank);
    if (rc == 0 && (td_clock_origin_note(trace, &origin) < 0 ||
                    td_trace_set_string(&td_trace_edit_info(trace)->program, program) < 0))
        rc = td_fail_no_memory(err, NULL);
    rc = rc < 0 ? rc : td_trace_finish(trace, err);
    rc = rc < 0 ? rc : td_file_write(trace, path, NULL, err);
    td_trace_destroy(trace);
    return rc;
}

/* Merges into out.tracy: with that many ranks, or, for 0, in one process. Returns the seconds, or a negative
 * number. */
static double run_merge(struct bench *b, int ranks, double *megabytes)
{
    char line[700], out[100];
    struct stat st;
    snprintf(out, sizeof out, "%s/out.tracy", b->folder);
    unlink(out);
    if (ranks)
        snprintf(line, sizeof line,
                 "mpirun --allow-run-as-root --oversubscribe -n %d " BIN_DIR "/tendril-mpi merge -q %s -o %s",
                 ranks, b->folder, out);
    else
        snprintf(line, sizeof line, BIN_DIR "/tendril merge -q %s/rank-*.tracy -o %s", b->folder, out);
    double began = wall_seconds();
    int status = system(line);
    double seconds = wall_seconds() - began;
    if (status != 0 || stat(out, &st) < 0) {
        report_failure(&b->report, "merge", line);
        return -1;
    }
    *megabytes = (double)st.st_size / 1e6;
    return seconds;
}

static int measure(struct bench *b)
{
    double size, alone_size, alone = run_merge(b, 0, &alone_size);
    if (alone < 0)
        return -1;
    report_head(&b->report);
    report(&b->report, "merge_process_seconds", "s", alone, NAN, NAN);
    for (int ranks = 1; ranks <= 8; ranks *= 2) {
        char name[60];
        double seconds = run_merge(b, ranks, &size);
        if (seconds < 0)
            return -1;
        snprintf(name, sizeof name, "merge_%d_ranks_seconds", ranks);
        report(&b->report, name, "s", seconds, alone, NAN);
        snprintf(name, sizeof name, "merge_%d_ranks_size", ranks);
        report(&b->report, name, "MB", size, alone_size, NAN);
    }
    return 0;
}

static int run(struct bench *b)
{
    struct td_err err = {0};
    char line[100];
    snprintf(b->folder, sizeof b->folder, "/tmp/tendril-bench-mpi-XXXXXX");
    if (!mkdtemp(b->folder))
        return report_failure(&b->report, "folder", b->folder);
    int rc = 0;
    for (int rank = 0; rc == 0 && rank < TRACES; rank++)
        rc = make_trace(b, rank, &err);
    if (rc < 0)
        report_failure(&b->report, "traces", err.text);
    else
        rc = measure(b);
    report_note(&b->report, "%d traces of %ld zones; %ld processors", TRACES, b->zones,
                sysconf(_SC_NPROCESSORS_ONLN));
    snprintf(line, sizeof line, "rm -r %s", b->folder);
    return system(line) != 0 || rc < 0;
}

int main(int argc, char **argv)
{
    struct bench b = {.report.program = "mpi", .zones = 500000};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            b.report.json = 1;
        else if (!strcmp(argv[i], "--zones") && i + 1 < argc && atol(argv[i + 1]) > 0)
            b.zones = atol(argv[++i]);
        else {
            fprintf(stderr, "usage: mpi [--zones N] [--json]\n");
            return 2;
        }
    }
    return run(&b) || b.report.failed;
}
