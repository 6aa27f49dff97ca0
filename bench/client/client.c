/* What the markers of host programs cost: ours against stock Tracy 0.11.1 ($TD_STOCK_DIR/0.11.1), which the
 * same source is built against. Programs of both run side by side, each with its own recorder; many short
 * measurements in turn, of which the lower quartile counts, so that what else the machine does matters
 * little. */
#include "bench/client/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct plan whole = {80, 10000, 2000000, 2000000, 3, 1000};
static const struct plan quick = {3, 200, 20000, 20000, 1, 50};

/* Stock's headers and library with our source. `how`: "on-demand" or NULL. */
static int build_stock(const struct bench *b, const char *stock, const char *out, const char *how)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        execl(TD_SOURCE_DIR "/bench/client/stock.sh", "stock.sh", TD_SOURCE_DIR, stock, out, how,
              (char *)NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -1;
}

static int find_stock(struct bench *b)
{
    const char *folder = getenv("TD_STOCK_DIR");
    struct program *stock = &b->program[STOCK];
    char path[PATH_MAX / 2], library[PATH_MAX];
    snprintf(path, sizeof path, "%s/0.11.1", folder ? folder : "");
    snprintf(library, sizeof library, "%s/lib/libTracyClient.a", path);
    snprintf(stock->capture, sizeof stock->capture, "%s/bin/capture", path);
    if (!folder || access(library, R_OK) || access(stock->capture, X_OK)) {
        report_note(&b->report, "no stock client ($TD_STOCK_DIR/0.11.1): baselines are recorded ratios");
        return 0;
    }
    snprintf(stock->marks, sizeof stock->marks, "%s/stock", b->folder);
    snprintf(stock->marks_off, sizeof stock->marks_off, "%s/stock-off", b->folder);
    if (build_stock(b, path, stock->marks, NULL) || build_stock(b, path, stock->marks_off, "on-demand"))
        return report_failure(&b->report, "stock's client", "could not be built with this source");
    b->sides = SIDES;
    return 0;
}

static int find_programs(struct bench *b)
{
    const char *folder = getenv("TMPDIR");
    struct program *ours = &b->program[OURS];
    snprintf(ours->marks, sizeof ours->marks, "%s", TD_MARKS);
    snprintf(ours->marks_off, sizeof ours->marks_off, "%s", TD_MARKS);
    snprintf(ours->capture, sizeof ours->capture, "%s/bin/tendril", TD_BINARY_DIR);
    ours->verb = "capture";
    snprintf(b->folder, sizeof b->folder, "%s/tendril-bench-XXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(b->folder))
        return report_failure(&b->report, b->folder, "cannot be made");
    if (access(ours->capture, X_OK))
        return report_failure(&b->report, ours->capture, "is not there: build it");
    return find_stock(b);
}

static void clean_up(const struct bench *b)
{
    static const char *const names[] = {"stock", "stock-off", "ours.tracy", "stock.tracy"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", b->folder, names[i]);
        unlink(path);
    }
    rmdir(b->folder);
}

static int usage(void)
{
    fprintf(stderr, "usage: client [sampling] [--json] [--quick] [--no-limits]\n");
    return 2;
}

int main(int argc, char **argv)
{
    static struct bench b = {.report = {.program = "client"}, .sides = 1};
    int sampling = 0;
    b.plan = whole;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            b.report.json = 1;
        else if (!strcmp(argv[i], "--no-limits"))
            b.report.lenient = 1;
        else if (!strcmp(argv[i], "sampling"))
            sampling = 1;
        else if (!strcmp(argv[i], "--quick"))
            b.plan = quick;
        else
            return usage();
    }
    if (sampling) {
        report_head(&b.report);
        measure_sampling(&b.report, b.plan.rounds < 10 ? 1 : 3, b.plan.rounds < 10 ? 1 : 3);
        return b.report.failed;
    }
    if (find_programs(&b) == 0) {
        report_head(&b.report);
        if (measure_connected(&b) == 0 && measure_waiting(&b) == 0 && measure_off(&b) == 0)
            measure_steps(&b);
    }
    clean_up(&b);
    return b.report.failed;
}
