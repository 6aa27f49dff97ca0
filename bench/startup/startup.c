/* What `tendril --version` and `tendril view --version` cost, next to a program that does nothing: processor time of
 * the least of several runs. Options: --quick (few runs, limits are only said), --json. */
#include "bench/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNS     50
#define LIMIT_MS 5.0

/* Processor time of one run in milliseconds; NAN: it failed. */
static double run_once(const char *program, const char *option)
{
    struct rusage used;
    int status = 0;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(127);
        execl(program, program, option, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
        return NAN;
    return 1000. * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000;
}

/* The least of `runs`; NAN: one failed. */
static double least_ms(const char *program, const char *option, int runs)
{
    double least = INFINITY;
    for (int i = 0; i < runs; i++) {
        const double ms = run_once(program, option);
        if (isnan(ms))
            return NAN;
        least = fmin(least, ms);
    }
    return least;
}

int main(int argc, char **argv)
{
    struct report r = {.program = "startup"};
    int runs = RUNS;
    for (int i = 1; i < argc; i++) {
        r.json |= !strcmp(argv[i], "--json");
        if (!strcmp(argv[i], "--quick")) {
            runs = 3;
            r.lenient = 1;
        }
    }
    report_head(&r);
    const double nothing = least_ms("/bin/true", NULL, runs);
    const double ours = least_ms(TD_BINARY_DIR "/bin/tendril", "--version", runs);
    if (isnan(nothing) || isnan(ours))
        return report_failure(&r, "startup", "a program failed") < 0;
    report_most(&r, "startup_version_ms", "ms", ours, nothing, LIMIT_MS);
    if (access(TD_BINARY_DIR "/bin/tendril-view", X_OK) == 0)
        report(&r, "startup_view_version_ms", "ms",
               least_ms(TD_BINARY_DIR "/bin/tendril-view", "--version", runs), nothing, NAN);
    return r.failed;
}
