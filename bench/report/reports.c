/* report: what `tendril report` costs, from a device log and from a trace, next to tt-metal's Python scripts.
 *
 * Usage: report [--json] [--quick] [--no-limits] [--zones N]
 *
 * --zones: of the trace (default 10 million; 100 million shows the limit of memory, and needs 2 GB in TMPDIR). TD_TT_METAL_DIR
 * is a checkout of tt-metal, whose tools/tracy is run by python3 with pandas; without it there is no baseline. */
#include "bench/report.h"
#include "bench/report/device_trace.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOG_ZONES    1000000u /* of the trace whose device log is read */
#define TT_ZONES     100000u  /* the same for tt-metal's scripts */
#define PEAK_BYTES   1073741824.0
#define TIMES_FASTER 100.0

struct bench {
    struct report report;
    uint64_t zones, log_zones, tt_zones;
    char folder[64];
};

/* Runs a shell command in the folder of the benchmark. 0, or -1 if it failed. */
static int run_command(struct bench *b, const char *command, struct program_cost *run)
{
    const char *const shell[] = {"/bin/sh", "-c", command, NULL};
    return program_cost(shell, b->folder, 0, run) < 0 ? report_failure(&b->report, command, "failed") : 0;
}

/* Makes a trace in another process, whose memory does not count. */
static int make_trace(struct bench *b, const char *name, uint64_t zones)
{
    char path[128];
    struct td_err err = {0};
    int status;
    snprintf(path, sizeof path, "%s/%s", b->folder, name);
    const pid_t child = fork();
    if (child == 0) {
        const int rc = device_trace_write(path, zones, &err);
        if (rc < 0)
            fprintf(stderr, "report: %s\n", err.text);
        _exit(rc < 0);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || status
               ? report_failure(&b->report, name, "not made")
               : 0;
}

#define TENDRIL "exec " TD_BINARY_DIR "/bin/tendril report -q "

/* A device log of a trace with that many zones; *rows: of the log. */
static int make_log(struct bench *b, const char *name, uint64_t zones, double *rows)
{
    char command[400], path[128], line[512];
    struct program_cost run;
    snprintf(command, sizeof command, TENDRIL "--only device-log -o %s trace.tracy", name);
    if (make_trace(b, "trace.tracy", zones) < 0 || run_command(b, command, &run) < 0)
        return -1;
    snprintf(path, sizeof path, "%s/%s/.logs/profile_log_device.csv", b->folder, name);
    FILE *log = fopen(path, "r");
    *rows = -2; /* the first two lines are none */
    while (log && fgets(line, sizeof line, log))
        ++*rows;
    if (log)
        fclose(log);
    return *rows > 0 ? 0 : report_failure(&b->report, path, "has no rows");
}

/* Rows a second of tt-metal's scripts; NAN: they are not there, or do not run. */
static double measure_scripts(struct bench *b)
{
    const char *home = getenv("TD_TT_METAL_DIR");
    char command[2000];
    struct program_cost run, empty;
    double rows;
    if (!home || !*home) {
        report_note(&b->report, "no tt-metal: TD_TT_METAL_DIR names a checkout, whose tools/tracy is run");
        return NAN;
    }
    if (make_log(b, "scripts", b->tt_zones, &rows) < 0)
        return NAN;
    static const char *const program = "TT_METAL_HOME='%s' PYTHONPATH='%s/tools' /usr/bin/python3 -c \"from "
                                       "pathlib import Path; from tracy.process_ops_logs "
                                       "import process_ops; %s\" > scripts.log 2>&1";
    snprintf(command, sizeof command, program, home, home, "");
    if (run_command(b, command, &empty) < 0)
        return NAN;
    snprintf(command, sizeof command, program, home, home, "process_ops(Path('scripts'), None, False, True)");
    if (run_command(b, command, &run) < 0)
        return NAN;
    report_note(&b->report,
                "tt-metal's scripts: %.0f rows in %.2f s and %.0f MB, without the %.2f s of their imports",
                rows, run.wall_seconds - empty.wall_seconds, run.peak_bytes / 1e6, empty.wall_seconds);
    return rows / (run.wall_seconds - empty.wall_seconds);
}

static void measure_log(struct bench *b)
{
    struct program_cost run;
    double rows;
    const double scripts = measure_scripts(b);
    if (make_log(b, "logs", b->log_zones, &rows) < 0 || run_command(b, TENDRIL "logs", &run) < 0)
        return;
    report_note(&b->report, "tendril report of a device log: %.0f rows in %.2f s and %.0f MB", rows,
                run.wall_seconds, run.peak_bytes / 1e6);
    report(&b->report, "report_rows_a_second", "rows", rows / run.wall_seconds, scripts,
           b->report.lenient ? NAN : TIMES_FASTER * scripts);
}

static void measure_trace(struct bench *b)
{
    struct program_cost run;
    if (make_trace(b, "trace.tracy", b->zones) < 0 ||
        run_command(b, TENDRIL "--only ops,op-to-op,perf -o out trace.tracy", &run) < 0)
        return;
    report_note(&b->report, "tendril report of a trace: %.0f zones in %.2f s, with loading it",
                (double)b->zones, run.wall_seconds);
    report(&b->report, "report_trace_zones_a_second", "zones", (double)b->zones / run.wall_seconds, NAN, NAN);
    report_most(&b->report, "report_peak_bytes", "bytes", run.peak_bytes, NAN, PEAK_BYTES);
}

static int options(struct bench *b, int argc, char **argv)
{
    const char *temporary = getenv("TMPDIR");
    *b = (struct bench){
        .report = {.program = "report"}, .zones = 10000000, .log_zones = LOG_ZONES, .tt_zones = TT_ZONES};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            b->report.json = 1;
        else if (!strcmp(argv[i], "--no-limits"))
            b->report.lenient = 1;
        else if (!strcmp(argv[i], "--quick"))
            b->zones = b->log_zones = 50000;
        else if (!strcmp(argv[i], "--zones") && i + 1 < argc)
            b->zones = strtoull(argv[++i], NULL, 10);
        else
            return -1;
    }
    snprintf(b->folder, sizeof b->folder, "%.40s/td-report-XXXXXX", temporary ? temporary : "/tmp");
    if (!b->zones || !mkdtemp(b->folder)) {
        perror(b->folder);
        return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static struct bench b;
    char remove[100];
    if (options(&b, argc, argv) < 0) {
        fprintf(stderr, "usage: report [--json] [--quick] [--no-limits] [--zones N]\n");
        return 2;
    }
    report_head(&b.report);
    measure_log(&b);
    measure_trace(&b);
    snprintf(remove, sizeof remove, "rm -rf '%s'", b.folder);
    if (system(remove) != 0)
        report_failure(&b.report, b.folder, "cannot be removed");
    return b.report.failed;
}
