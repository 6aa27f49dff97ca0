/* What collecting a program's zones costs: processor time and memory of `tendril capture` against stock's
 * capture of two releases ($TD_STOCK_DIR/RELEASE/bin/capture), with a stock client of the same release, built
 * from $TD_STOCK_DIR/RELEASE/src, and with our own client. All zones wait in the program before the recorder
 * is started, and a run lasts until the trace is saved. Of several runs in turn, the least processor time and
 * the least memory count, so that what else the machine does matters little. */
#include "bench/capture/run.h"
#include "bench/report.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RELEASES  2
#define CPU_PART  0.5  /* of stock's capture, at most */
#define PEAK_PART 0.25 /* the same for memory */

static const char *const releases[RELEASES] = {"0.11.1", "0.14.0"};

struct bench {
    struct report report;
    struct plan plan;
    char folder[PATH_MAX / 2], ours[PATH_MAX], trace[PATH_MAX];
    struct {
        char capture[PATH_MAX], marks[PATH_MAX];
        int have; /* 1: there is a capture, and its client could be built */
    } stock[RELEASES];
};

static int build_stock(const char *stock, const char *out)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execl(TD_SOURCE_DIR "/bench/capture/stock.sh", "stock.sh", TD_SOURCE_DIR, stock, out, (char *)NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

static int find_stock(struct bench *b, const char *folder, int i)
{
    char path[PATH_MAX / 2], source[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", releases[i]);
    snprintf(source, sizeof source, "%s/src/public/TracyClient.cpp", path);
    snprintf(b->stock[i].capture, sizeof b->stock[i].capture, "%s/bin/capture", path);
    if (!folder || access(source, R_OK) || access(b->stock[i].capture, X_OK)) {
        report_note(&b->report, "no stock capture ($TD_STOCK_DIR/%s): no baseline", releases[i]);
        return 0;
    }
    snprintf(b->stock[i].marks, sizeof b->stock[i].marks, "%s/bench.build/capture/stock-%s", TD_BINARY_DIR,
             releases[i]);
    if (build_stock(path, b->stock[i].marks))
        return report_failure(&b->report, releases[i], "stock's client could not be built with this source");
    b->stock[i].have = 1;
    return 0;
}

static int find_programs(struct bench *b)
{
    const char *folder = getenv("TMPDIR");
    snprintf(b->ours, sizeof b->ours, "%s/bin/tendril", TD_BINARY_DIR);
    snprintf(b->folder, sizeof b->folder, "%.200s/tendril-bench-XXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(b->folder))
        return report_failure(&b->report, b->folder, "cannot be made");
    snprintf(b->trace, sizeof b->trace, "%s/trace.tracy", b->folder);
    if (access(b->ours, X_OK))
        return report_failure(&b->report, b->ours, "is missing: build it");
    for (int i = 0; i < RELEASES; i++)
        if (find_stock(b, getenv("TD_STOCK_DIR"), i) < 0)
            return -1;
    return 0;
}

static void keep_least(struct cost *least, const struct cost *cost)
{
    if (cost->cpu_seconds < least->cpu_seconds) {
        least->cpu_seconds = cost->cpu_seconds;
        least->user_seconds = cost->user_seconds;
    }
    least->wall_seconds = fmin(least->wall_seconds, cost->wall_seconds);
    least->peak_bytes = fmin(least->peak_bytes, cost->peak_bytes);
    least->file_bytes = fmin(least->file_bytes, cost->file_bytes);
}

static int run_once(struct bench *b, const char *marks, const char *capture, const char *verb,
                    struct cost *least)
{
    struct cost cost;
    const char *bad = run_capture(&b->plan, marks, capture, verb, b->trace, &cost);
    if (bad)
        return report_failure(&b->report, capture, bad);
    keep_least(least, &cost);
    return 0;
}

/* A name of a line: the release is in it unless it is the first. */
static void put_line(struct bench *b, const char *client, const char *what, const char *unit, int release,
                     const double *values, double part)
{
    char name[64];
    snprintf(name, sizeof name, "%scapture_%s", client, what);
    if (*client)
        snprintf(name, sizeof name, "%s%s", client, what);
    if (release)
        snprintf(name + strlen(name), sizeof name - strlen(name), "_%s", releases[release]);
    if (isnan(part))
        report(&b->report, name, unit, values[0], values[1], NAN);
    else
        report_most(&b->report, name, unit, values[0], values[1], values[1] * part);
}

/* Captures of one client's events by ours and by the stock capture of a release, in turn. */
static int measure(struct bench *b, const char *client, const char *marks, int release)
{
    const struct cost none = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    struct cost ours = none, stock = none;
    for (unsigned run = 0; run < b->plan.runs; run++) {
        if (run_once(b, marks, b->ours, "capture", &ours) < 0)
            return -1;
        if (b->stock[release].have && run_once(b, marks, b->stock[release].capture, NULL, &stock) < 0)
            return -1;
    }
    if (!b->stock[release].have)
        stock = (struct cost){NAN, NAN, NAN, NAN, NAN};
    const double events = 2 * (double)b->plan.zones;
    put_line(b, client, "cpu_seconds", "s", release, (double[]){ours.cpu_seconds, stock.cpu_seconds},
             CPU_PART);
    put_line(b, client, "peak_bytes", "bytes", release, (double[]){ours.peak_bytes, stock.peak_bytes},
             PEAK_PART);
    put_line(b, client, "user_seconds", "s", release, (double[]){ours.user_seconds, stock.user_seconds}, NAN);
    put_line(b, client, "wall_seconds", "s", release, (double[]){ours.wall_seconds, stock.wall_seconds}, NAN);
    put_line(b, client, "events_a_cpu_second", "events/s", release,
             (double[]){events / ours.cpu_seconds, events / stock.cpu_seconds}, NAN);
    put_line(b, client, "file_bytes", "bytes", release, (double[]){ours.file_bytes, stock.file_bytes}, NAN);
    return 0;
}

static int measure_all(struct bench *b)
{
    for (int i = 0; i < RELEASES; i++)
        if (b->stock[i].have && measure(b, "", b->stock[i].marks, i) < 0)
            return -1;
    for (int i = 0; i < RELEASES; i++)
        if ((!i || b->stock[i].have) && measure(b, "own_client_", TD_MARKS, i) < 0)
            return -1;
    return 0;
}

/* A number of an option: 1 to `most`. 0: it is none. */
static unsigned long number_of(const char *text, unsigned long most)
{
    char *end;
    unsigned long value = text ? strtoul(text, &end, 10) : 0;
    return text && end != text && !*end && value <= most ? value : 0;
}

static int usage(void)
{
    fprintf(stderr,
            "usage: capture [--json] [--quick] [--no-limits] [--zones COUNT] [--threads COUNT] [--runs "
            "COUNT] [--flat]\n");
    return 2;
}

static int parse(struct bench *b, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        unsigned long value;
        if (!strcmp(argv[i], "--json"))
            b->report.json = 1;
        else if (!strcmp(argv[i], "--no-limits"))
            b->report.lenient = 1;
        else if (!strcmp(argv[i], "--flat"))
            b->plan.shape = "flat";
        else if (!strcmp(argv[i], "--quick"))
            b->plan.zones = 20000, b->plan.runs = 1;
        else if (!strcmp(argv[i], "--zones") && (value = number_of(argv[++i], 1000000000)))
            b->plan.zones = value;
        else if (!strcmp(argv[i], "--threads") && (value = number_of(argv[++i], 64)))
            b->plan.threads = (unsigned)value;
        else if (!strcmp(argv[i], "--runs") && (value = number_of(argv[++i], 1000)))
            b->plan.runs = (unsigned)value;
        else
            return usage();
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct bench b = {.report = {.program = "capture"}, .plan = {10000000, 1, 3, "nested"}};
    int bad = parse(&b, argc, argv);
    if (bad)
        return bad;
    if (find_programs(&b) == 0) {
        report_head(&b.report);
        measure_all(&b);
    }
    unlink(b.trace);
    rmdir(b.folder);
    return b.report.failed;
}
