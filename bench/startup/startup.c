/* What `tendril --version` and `tendril view --version` cost, next to a program that does nothing: processor time of
 * the least of several runs. Options: --quick (few runs, limits are only said), --json. */
#include "bench/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RUNS     50
#define LIMIT_MS 5.0

/* The least processor time of `runs`; NAN: one failed. */
static double least_ms(const char *program, const char *option, int runs)
{
    const char *const arguments[] = {program, option, NULL};
    struct program_cost cost;
    double least = INFINITY;
    for (int i = 0; i < runs; i++) {
        if (program_cost(arguments, NULL, 1, &cost) < 0)
            return NAN;
        least = fmin(least, 1000 * cost.cpu_seconds);
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
