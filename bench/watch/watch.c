/* The processor time that `tendril capture --system` takes for a program without a client, in percent of the program's own:
 * the watch, the capture, symbols and the trace. At the default rate, and at a tenth of it. The baseline is `perf record`
 * with `perf script`, where that is installed: samples of the same event, with symbols.
 *
 *   build/bench/watch [--quick] [--json] [--no-limits]
 *
 * The program is this one: `watch work SECONDS` calls functions of some depth for that much processor time. */
#include "bench/report.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS  3
#define SECONDS 4
#define DEPTH   20

static volatile unsigned sink;

static __attribute__((noinline)) void descend(unsigned depth)
{
    if (depth)
        descend(depth - 1);
    for (unsigned i = 0; i < 200; i++)
        sink = sink * 7 + i;
}

static int work(double seconds)
{
    while (cpu_seconds() < seconds)
        descend(DEPTH);
    return 0;
}

/* Percent of the program's processor time; negative: the command failed. */
static double run_once(const char *command, int seconds)
{
    const char *const shell[] = {"/bin/sh", "-c", command, NULL};
    struct program_cost cost;
    return program_cost(shell, NULL, 0, &cost) < 0 ? -1 : 100 * (cost.cpu_seconds - seconds) / seconds;
}

/* The least of some runs; NAN: the command failed. */
static double run_best(const char *command, int rounds, int seconds)
{
    double best = NAN;
    for (int round = 0; round < rounds; round++) {
        const double percent = run_once(command, seconds);
        if (percent < 0)
            return NAN;
        best = percent >= best ? best : percent;
    }
    return best;
}

static int measure(struct report *r, const char *program, int quick)
{
    static const struct {
        const char *hz, *name;
        double limit;
    } rates[] = {{"10000", "watched_cpu_percent", 25}, {"1000", "watched_cpu_percent_1000_hz", 12}};
    char trace[] = "/tmp/tendril-watch-XXXXXX";
    const int fd = mkstemp(trace);
    const int seconds = quick ? 1 : SECONDS, rounds = quick ? 1 : ROUNDS;
    char command[2 * PATH_MAX + 400];
    int failed = fd < 0 ? report_failure(r, trace, "cannot be made") : 0;
    for (size_t i = 0; !failed && i < sizeof rates / sizeof *rates; i++) {
        snprintf(command, sizeof command,
                 "'%s/bin/tendril' capture --system --sample-hz %s -q -f -o '%s' -- '%s' work %d 2>/dev/null",
                 TD_BINARY_DIR, rates[i].hz, trace, program, seconds);
        const double ours = run_best(command, rounds, seconds);
        snprintf(command, sizeof command,
                 "perf record -q -F %s -g -e cpu-clock -o '%s' -- '%s' work %d >/dev/null 2>&1 && "
                 "perf script -i '%s' >/dev/null 2>&1",
                 rates[i].hz, trace, program, seconds, trace);
        const double perf = run_best(command, rounds, seconds);
        if (isnan(ours))
            failed = report_failure(r, "tendril capture --system", "failed");
        else
            report_most(r, rates[i].name, "%", ours, perf, rates[i].limit);
    }
    if (fd >= 0) {
        close(fd);
        unlink(trace);
    }
    return failed;
}

int main(int argc, char **argv)
{
    struct report r = {.program = "watch"};
    int quick = 0;
    if (argc == 3 && !strcmp(argv[1], "work"))
        return work(strtod(argv[2], NULL));
    for (int i = 1; i < argc; i++) {
        r.json |= !strcmp(argv[i], "--json");
        r.lenient |= !strcmp(argv[i], "--no-limits");
        quick |= !strcmp(argv[i], "--quick");
    }
    report_head(&r);
    measure(&r, argv[0], quick);
    return r.failed;
}
