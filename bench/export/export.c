/* Exports of the zones of a made trace to files of Parquet and Perfetto, beside the export of the same table to SQLite:
 * rows, or bytes, a second of this process's processors, and memory beside the trace. Options: --zones N (default
 * 4,000,000), --quick (200,000), --json, --no-limits, --folder DIR (default /tmp). */
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
#define MOST_MB     50

struct cost {
    double seconds, mb, bytes; /* of this process's processors; memory beside the trace; of the file */
};

/* The file is removed. */
static struct cost cost_of(struct report *r, const struct td_trace *trace, const char *folder,
                           const char *name, int (*write)(const struct export_work *work, struct td_err *err))
{
    struct export_work work = {.trace = trace, .tables = {.words = {"zones"}, .count = 1}};
    struct td_err err = {0};
    struct stat file = {0};
    char path[4200];
    snprintf(path, sizeof path, "%s/bench-export-%d.%s", folder, (int)getpid(), name);
    work.path = path;
    forget_memory_peak();
    const double begin_mb = memory_mb("VmRSS"), begin = cpu_seconds();
    if (write(&work, &err) < 0 || stat(path, &file) < 0)
        report_failure(r, name, *err.text ? err.text : "there is no file");
    const struct cost cost = {cpu_seconds() - begin, memory_mb("VmHWM") - begin_mb, (double)file.st_size};
    unlink(path);
    return cost;
}

static int measure(struct report *r, uint64_t zones, const char *folder)
{
    struct td_trace *trace = generate(zones);
    const double count = (double)zones;
    if (!trace)
        return report_failure(r, "trace", "out of memory"), 1;
    report_head(r);
    report_note(r, "%" PRIu64 " zones; the other column is the export to SQLite", zones);
    const struct cost sqlite = cost_of(r, trace, folder, "db", export_sqlite);
    const struct cost parquet = cost_of(r, trace, folder, "parquet", export_parquet);
    const struct cost perfetto = cost_of(r, trace, folder, "pftrace", export_perfetto);
    report_least(r, "export_parquet_rows_a_second", "rows/s", count / parquet.seconds, count / sqlite.seconds,
                 LEAST_ROWS);
    report_most(r, "export_parquet_mb", "MB", parquet.mb, sqlite.mb, MOST_MB);
    report_least(r, "export_perfetto_bytes_a_second", "B/s", perfetto.bytes / perfetto.seconds,
                 sqlite.bytes / sqlite.seconds, LEAST_BYTES);
    report_most(r, "export_perfetto_mb", "MB", perfetto.mb, sqlite.mb, MOST_MB);
    report_note(r, "bytes a zone: Parquet %.1f, Perfetto %.1f, SQLite %.1f", parquet.bytes / count,
                perfetto.bytes / count, sqlite.bytes / count);
    td_trace_destroy(trace);
    return r->failed;
}

int main(int argc, char **argv)
{
    struct report r = {.program = "bench/export"};
    uint64_t zones = 4000000;
    const char *folder = "/tmp";
    if (report_zones_options(&r, argc, argv, 200000, &zones, &folder) < 0)
        return 1;
    return measure(&r, zones, folder);
}
