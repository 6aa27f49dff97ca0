/* Exports of the zones of a made trace to files of Parquet and Perfetto, beside the export of the same table to SQLite:
 * rows, or bytes, a second of this process's processors, with one thread. Options: --zones N (default 4,000,000), --quick
 * (200,000), --json, --no-limits, --folder DIR (default /tmp). */
#include "bench/file/generate.h"
#include "bench/report.h"
#include "host/tools/export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST_ROWS  2e6
#define LEAST_BYTES 2e6

/* Seconds that an export takes; *bytes is the size of the file, which is removed. */
static double seconds_of(struct report *r, const struct td_trace *trace, const char *folder, const char *name,
                         int (*write)(const struct export_work *work, struct td_err *err), double *bytes)
{
    struct export_work work = {.trace = trace, .tables = {.words = {"zones"}, .count = 1}};
    struct td_err err = {0};
    struct stat file = {0};
    char path[4200];
    snprintf(path, sizeof path, "%s/bench-export-%d.%s", folder, (int)getpid(), name);
    work.path = path;
    const double begin = cpu_seconds();
    if (write(&work, &err) < 0)
        return report_failure(r, name, err.text);
    const double seconds = cpu_seconds() - begin;
    if (stat(path, &file) < 0)
        return report_failure(r, name, "there is no file");
    unlink(path);
    *bytes = (double)file.st_size;
    return seconds;
}

static int measure(struct report *r, uint64_t zones, const char *folder)
{
    struct td_trace *trace = generate(zones);
    double bytes, base_bytes;
    if (!trace)
        return report_failure(r, "trace", "out of memory"), 1;
    report_head(r);
    report_note(r, "%" PRIu64 " zones; the other column is the export to SQLite", zones);
    const double base = seconds_of(r, trace, folder, "db", export_sqlite, &base_bytes);
    const double parquet = seconds_of(r, trace, folder, "parquet", export_parquet, &bytes);
    report(r, "export_parquet_rows_a_second", "rows/s", (double)zones / parquet, (double)zones / base,
           LEAST_ROWS);
    report_note(r, "%.1f bytes a zone; SQLite: %.1f", bytes / (double)zones, base_bytes / (double)zones);
    if (!r->lenient && (double)zones / parquet < LEAST_ROWS)
        report_failure(r, "export_parquet_rows_a_second", "is below its limit");
    const double perfetto = seconds_of(r, trace, folder, "pftrace", export_perfetto, &bytes);
    report(r, "export_perfetto_bytes_a_second", "B/s", bytes / perfetto, base_bytes / base, LEAST_BYTES);
    report_note(r, "%.1f bytes a zone, %.3g zones/s", bytes / (double)zones, (double)zones / perfetto);
    if (!r->lenient && bytes / perfetto < LEAST_BYTES)
        report_failure(r, "export_perfetto_bytes_a_second", "is below its limit");
    td_trace_destroy(trace);
    return r->failed;
}

int main(int argc, char **argv)
{
    struct report r = {.program = "bench/export"};
    uint64_t zones = 4000000;
    const char *folder = "/tmp";
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            r.json = 1;
        else if (!strcmp(argv[i], "--quick"))
            zones = 200000;
        else if (!strcmp(argv[i], "--no-limits"))
            r.lenient = 1;
        else if (!strcmp(argv[i], "--zones") && i + 1 < argc)
            zones = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--folder") && i + 1 < argc)
            folder = argv[++i];
        else
            return report_failure(&r, argv[i], "no such option"), 1;
    }
    return measure(&r, zones, folder);
}
