/* What a zone costs in memory: models of ten million zones in several shapes, each in a process of its own.
 * Bytes are by how much that process grew, after filling and at its peak. Then the same with a limit, beyond
 * which the model continues in a temporary file.
 *
 *   build/bench/trace_memory [--json] [--zones N]
 *
 * The baseline is stock Tracy 0.11.1 (its csvexport with the same trace, from $TD_STOCK_DIR/0.11.1/bin), or,
 * without it, the 36 bytes of its structures for a zone. Ends with 1 if a limit is broken.
 */
#include "bench/report.h"
#include "bench/trace_memory/shapes.h"
#include "host/base/process.h"
#include "host/file/file.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ZONES          UINT64_C(10000000)
#define LIMIT_BYTES    12.0 /* a zone without extras */
#define STOCK_BYTES    36.0
#define SMALL_ZONES    100u
#define SMALL_BYTES    1e6
#define MODEL_LIMIT    ((uint64_t)32 << 20)
#define MODEL_RESIDENT ((double)(48 << 20))

struct bench {
    struct report report;
    uint64_t zones;
    char stock[4096]; /* a program, or "" */
    char trace[64];
};

/* What a process that filled a model reports. */
struct result {
    uint64_t zones;
    double grown_bytes, peak_bytes; /* more than it had before */
    char error[sizeof((struct td_err *)0)->text];
};

static uint64_t count_zones(const struct td_trace *trace)
{
    uint64_t zones = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        zones += td_trace_track_zones(trace, t);
    return zones;
}

/* A pass over all zones, as a writer makes. */
static int64_t pass(const struct td_trace *trace)
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++)
            for (size_t i = 0; i < td_trace_row_zones(trace, t, r); i++)
                sum += td_trace_zone(trace, t, r, i).end_ns;
    return sum;
}

/* Code and tables of the programs are there then, and do not count. */
static void warm_up(const struct shape *shape)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    if (trace && shape->fill(trace, SMALL_ZONES, NULL) == 0 && td_trace_finish(trace, NULL) == 0)
        pass(trace);
    td_trace_destroy(trace);
}

static void fill(const struct bench *b, const struct shape *shape, uint64_t limit, const char *path,
                 struct result *result)
{
    warm_up(shape);
    uint64_t before, now, peak;
    td_process_memory(&before, NULL);
    struct td_err err = {0};
    struct td_trace *trace = td_trace_create_within(td_dict_create(), limit);
    int rc = trace ? shape->fill(trace, b->zones, &err) : td_fail(&err, TD_E_NOMEM, "out of memory");
    rc = rc ? rc : td_trace_finish(trace, &err);
    if (rc == 0) {
        result->zones = count_zones(trace);
        if (limit)
            pass(trace);
        td_process_memory(&now, &peak);
        result->grown_bytes = (double)now - (double)before;
        result->peak_bytes = (double)peak - (double)before;
    }
    const struct td_file_options options = {.version = TD_FILE_VERSION(0, 11, 1)};
    if (rc == 0 && path)
        rc = td_file_write(trace, path, &options, &err);
    if (rc < 0)
        snprintf(result->error, sizeof result->error, "%s", err.text);
}

/* In a process of its own, whose memory then is that of this model alone. */
static int fill_apart(struct bench *b, const struct shape *shape, uint64_t limit, const char *path,
                      struct result *result)
{
    int pipes[2];
    memset(result, 0, sizeof *result);
    fflush(NULL);
    pid_t child = pipe(pipes) == 0 ? fork() : -1;
    if (child == 0) {
        fill(b, shape, limit, path, result);
        ssize_t wrote = write(pipes[1], result, sizeof *result);
        _exit(wrote == (ssize_t)sizeof *result ? 0 : 1);
    }
    if (child > 0) {
        close(pipes[1]);
        ssize_t n = read(pipes[0], result, sizeof *result);
        close(pipes[0]);
        waitpid(child, NULL, 0);
        if (n == (ssize_t)sizeof *result && !result->error[0])
            return 0;
    }
    return report_failure(&b->report, shape->name, result->error[0] ? result->error : "it did not end well");
}

/* Peak memory of a stock program with the trace; 0: it did not run. */
static double stock_peak_bytes(const struct bench *b, const char *path)
{
    struct rusage usage;
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        execl(b->stock, b->stock, path, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status))
        return 0;
    return (double)usage.ru_maxrss * 1024;
}

static void measure(struct bench *b, const struct shape *shape)
{
    struct result r;
    char name[60];
    if (fill_apart(b, shape, 0, b->stock[0] ? b->trace : NULL, &r) < 0)
        return;
    double zones = (double)r.zones, stock = b->stock[0] ? stock_peak_bytes(b, b->trace) / zones : 0;
    unlink(b->trace);
    report_note(&b->report, "%s: %s, %.0f zones", shape->name, shape->what, zones);
    snprintf(name, sizeof name, "trace_bytes_%s", shape->name);
    report_most(&b->report, name, "bytes/zone", r.grown_bytes / zones, STOCK_BYTES,
                shape->extras ? NAN : LIMIT_BYTES);
    snprintf(name, sizeof name, "trace_peak_%s", shape->name);
    report_most(&b->report, name, "bytes/zone", r.peak_bytes / zones, stock > 0 ? stock : NAN,
                shape->extras || shape->recorded ? NAN : LIMIT_BYTES);
}

static void measure_small(struct bench *b)
{
    struct bench small = *b;
    struct result r;
    small.zones = SMALL_ZONES;
    if (fill_apart(&small, &shapes[0], 0, NULL, &r) == 0)
        report_most(&b->report, "trace_small", "bytes", r.grown_bytes, NAN, SMALL_BYTES);
    b->report.failed |= small.report.failed;
}

static void measure_limited(struct bench *b)
{
    struct result r;
    if (fill_apart(b, &shapes[0], MODEL_LIMIT, NULL, &r) < 0)
        return;
    report_note(&b->report, "the first shape again, limited to %.0f MB of memory, filled and passed over",
                (double)MODEL_LIMIT / 1e6);
    report_most(&b->report, "trace_limited_peak", "bytes", r.peak_bytes, NAN, MODEL_RESIDENT);
}

static int options(struct bench *b, int argc, char **argv)
{
    const char *folder = getenv("TD_STOCK_DIR"), *temporary = getenv("TMPDIR");
    *b = (struct bench){.report = {.program = "trace_memory"}, .zones = ZONES};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            b->report.json = 1;
        else if (!strcmp(argv[i], "--zones") && i + 1 < argc)
            b->zones = strtoull(argv[++i], NULL, 10);
        else
            return -1;
    }
    if (folder && *folder)
        snprintf(b->stock, sizeof b->stock, "%s/0.11.1/bin/csvexport", folder);
    if (access(b->stock, X_OK))
        b->stock[0] = 0;
    snprintf(b->trace, sizeof b->trace, "%.30s/trace_memory-XXXXXX.tracy", temporary ? temporary : "/tmp");
    if (b->zones < SMALL_ZONES)
        return -1;
    int fd = mkstemps(b->trace, sizeof ".tracy" - 1);
    if (fd < 0) {
        perror(b->trace);
        return -1;
    }
    close(fd);
    return 0;
}

int main(int argc, char **argv)
{
    static struct bench b;
    if (options(&b, argc, argv) < 0) {
        fprintf(stderr, "usage: trace_memory [--json] [--zones N]\n");
        return 2;
    }
    report_head(&b.report);
    if (!b.stock[0])
        report_note(&b.report, "no stock program: TD_STOCK_DIR names the folder of 0.11.1/bin/csvexport");
    for (unsigned i = 0; i < shape_count; i++)
        measure(&b, &shapes[i]);
    measure_small(&b);
    measure_limited(&b);
    return b.report.failed;
}
