/* What the client's threads take to collect samples of call stacks at the default rate: ours against stock 0.11.1, the same
 * program, each recorded by the same recorder. Context switches are off, so that other programs do not matter. */
#include "bench/client/measure.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT 0.5 /* of stock's */

/* Percent of the work, negative: failed. */
static double run_once(const char *program, const char *recorder, const char *verb, const char *trace,
                       int seconds)
{
    char command[4 * PATH_MAX], line[64];
    snprintf(
        command, sizeof command,
        "port=$((20000 + $$ %% 10000)); export TRACY_PORT=$port TRACY_NO_EXIT=1 TRACY_NO_CONTEXT_SWITCH=1 "
        "TRACY_ONLY_LOCALHOST=1 TRACY_ONLY_IPV4=1; '%s' %d %d & sleep 0.3; "
        "'%s' %s -a 127.0.0.1 -p $port -f -o '%s' >/dev/null 2>&1; wait",
        program, seconds, seconds, recorder, verb, trace);
    FILE *pipe = popen(command, "r");
    const double percent = pipe && fgets(line, sizeof line, pipe) ? strtod(line, NULL) : -1;
    if (pipe)
        pclose(pipe);
    return percent;
}

/* The client of that folder, with sampling, and our program. False: there is none. */
static bool build_stock(const char *folder, const char *out)
{
    int status = -1;
    const pid_t pid = fork();
    if (pid == 0) {
        execl(TD_SOURCE_DIR "/bench/client/stock.sh", "stock.sh", TD_SOURCE_DIR, folder, out, "sampling",
              (char *)NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

int measure_sampling(struct report *r, int rounds, int seconds)
{
    char folder[] = "/tmp/tendril-sampling-XXXXXX", stock[64], trace[64], source[PATH_MAX],
         recorder[PATH_MAX + 64];
    const char *stocks = getenv("TD_STOCK_DIR");
    double best[2] = {NAN, NAN};
    int failed = 0;
    if (!mkdtemp(folder))
        return report_failure(r, folder, "cannot be made");
    snprintf(stock, sizeof stock, "%s/stock", folder);
    snprintf(trace, sizeof trace, "%s/t.tracy", folder);
    snprintf(source, sizeof source, "%s/0.11.1", stocks ? stocks : "");
    snprintf(recorder, sizeof recorder, "%s/bin/capture", source);
    const bool has_stock = stocks && access(recorder, X_OK) == 0 && build_stock(source, stock);
    if (!has_stock) {
        report_note(r, "no stock client ($TD_STOCK_DIR/0.11.1/src/public): no baseline");
        snprintf(recorder, sizeof recorder, "%s/bin/tendril", TD_BINARY_DIR);
    }
    const char *const programs[2] = {TD_SAMPLED, has_stock ? stock : NULL};
    for (int i = 0; !failed && i < 2 * rounds; i++) {
        if (!programs[i % 2])
            continue;
        const double percent =
            run_once(programs[i % 2], recorder, has_stock ? "" : "capture", trace, seconds);
        if (percent < 0)
            failed = report_failure(r, programs[i % 2], "was not recorded");
        else if (!(percent >= best[i % 2]))
            best[i % 2] = percent;
    }
    if (!failed)
        report_most(r, "sampling_cpu_percent", "%", best[0], best[1], LIMIT * best[1]);
    unlink(stock);
    unlink(trace);
    rmdir(folder);
    return failed;
}
