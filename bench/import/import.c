/* Imports of a made trace in Fuchsia's format by `tendril import`, beside stock's import-fuchsia where TD_STOCK_DIR has it:
 * zones a second of the processors that each program uses, reading and writing included. Options: --zones N (default 2,000,000), --quick (100,000), --json, --no-limits, --folder DIR (default /tmp). */
#include "bench/report.h"
#include "proto/fuchsia.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LEAST   1e6
#define THREADS 8
#define NAMES   64

static void put(FILE *file, uint64_t word)
{
    fwrite(&word, sizeof word, 1, file);
}

static uint64_t header(uint64_t type, uint64_t words, uint64_t rest)
{
    return type | words << 4 | rest << 16;
}

/* Zones in each other on some threads, each with a number as its argument. False: the file cannot be written. */
static int write_trace(const char *path, uint64_t zones)
{
    FILE *file = fopen(path, "wbe");
    if (!file)
        return 0;
    put(file, TD_FXT_MAGIC);
    put(file, header(TD_FXT_INITIALIZATION, 2, 0));
    put(file, 1000000000);
    for (uint64_t i = 1; i <= NAMES; i++) {
        char name[9] = "";
        uint64_t word;
        snprintf(name, sizeof name, "zone%04" PRIu64, i);
        memcpy(&word, name, sizeof word);
        put(file, header(TD_FXT_STRING, 2, i | UINT64_C(8) << 16));
        put(file, word);
    }
    for (uint64_t i = 1; i <= THREADS; i++) {
        put(file, header(TD_FXT_THREAD, 3, i));
        put(file, 100);
        put(file, 100 + i);
    }
    for (uint64_t i = 0; i < zones; i++) {
        const uint64_t depth = i / THREADS % 4, begin = i / THREADS * 1000 + depth;
        put(file, header(TD_FXT_EVENT, 4,
                         TD_FXT_DURATION_COMPLETE | 1 << 4 | (1 + i % THREADS) << 8 | UINT64_C(1) << 16 |
                             (1 + i % NAMES) << 32));
        put(file, begin);
        put(file, header(TD_FXT_ARG_UINT32, 1, 2 | (i % 100) << 16));
        put(file, begin + 3900 - depth * 1001);
    }
    return fclose(file) == 0;
}

/* Seconds of the processors that a program uses; below 0: it failed. */
static double run(const char *const *arguments)
{
    struct program_cost cost;
    return program_cost(arguments, NULL, 1, &cost) < 0 ? -1 : cost.cpu_seconds;
}

static int measure(struct report *r, uint64_t zones, const char *folder)
{
    char in[4200], out[4200], stock[4200];
    const char *stock_folder = getenv("TD_STOCK_DIR");
    snprintf(in, sizeof in, "%s/bench-import-%d.fxt", folder, (int)getpid());
    snprintf(out, sizeof out, "%s/bench-import-%d.tracy", folder, (int)getpid());
    snprintf(stock, sizeof stock, "%s/0.11.1/bin/import-fuchsia", stock_folder ? stock_folder : "");
    const char *const ours[] = {TD_BINARY_DIR "/bin/tendril", "import", "-q", "-f", "-o", out, in, NULL};
    const char *const theirs[] = {stock, in, out, NULL};
    const int written = write_trace(in, zones);
    const double seconds = written ? run(ours) : -1;
    const double stock_seconds = written && access(stock, X_OK) == 0 ? run(theirs) : -1;
    unlink(in);
    unlink(out);
    if (seconds < 0)
        return report_failure(r, "import_fxt_rows_a_second", "the trace was not imported"), 1;
    report_head(r);
    report_note(r, "%" PRIu64 " zones; the other column is stock's import-fuchsia", zones);
    report_least(r, "import_fxt_rows_a_second", "rows/s", (double)zones / seconds,
                 stock_seconds > 0 ? (double)zones / stock_seconds : NAN, LEAST);
    return r->failed;
}

int main(int argc, char **argv)
{
    struct report r = {.program = "bench/import"};
    uint64_t zones = 2000000;
    const char *folder = "/tmp";
    if (report_zones_options(&r, argc, argv, 100000, &zones, &folder) < 0)
        return 1;
    return measure(&r, zones, folder);
}
