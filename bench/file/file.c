/* Loading and saving of trace files against a stock build of Tracy 0.11.1 ($TD_STOCK_DIR/0.11.1/bin) and
 * against the least that it can cost: decompressing the same bytes. Every measurement is a program of its
 * own, ours and stock's in turn; of some tries the best counts. */
#include "bench/file/floor.h"
#include "bench/file/generate.h"
#include "bench/file/run.h"
#include "bench/report.h"
#include "host/file/file.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MILLION UINT64_C(1000000)
#define STREAMS "4"

/* For runs without stock programs, what these took where both were measured (50 million zones, two
 * processors): times as multiples of the floor, memory in bytes a zone. */
#define RECORDED_CSV    5.6
#define RECORDED_UPDATE 10.4
#define RECORDED_PEAK   42.1

struct bench {
    struct report report;
    int tries;
    uint64_t zones;
    char self[PATH_MAX], tendril[PATH_MAX], folder[PATH_MAX / 2];
    char stock_csv[PATH_MAX], stock_update[PATH_MAX];
    int stock; /* 1: there are stock programs */
    char ours[PATH_MAX], base[PATH_MAX], saved[PATH_MAX], stock_saved[PATH_MAX];
};

/* Hidden commands: what is measured in a process of its own. */

static int load(const char *path)
{
    struct td_err err = {0};
    struct td_trace *trace;
    uint64_t zones = 0;
    if (td_file_read(path, &trace, &err) < 0)
        return fprintf(stderr, "file: %s\n", err.text), 1;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        zones += td_trace_track_zones(trace, t);
    printf("%" PRIu64 "\n", zones);
    fflush(stdout);
    _exit(0); /* the time to free memory is not measured */
}

static int save(const struct td_trace *trace, const char *path)
{
    struct td_err err = {0};
    struct td_file_options options = {.version = TD_FILE_VERSION(0, 11, 1)};
    if (td_file_write(trace, path, &options, &err) < 0)
        return fprintf(stderr, "file: %s\n", err.text), 1;
    _exit(0);
}

static int update(const char *from, const char *to)
{
    struct td_err err = {0};
    struct td_trace *trace;
    if (td_file_read(from, &trace, &err) < 0)
        return fprintf(stderr, "file: %s\n", err.text), 1;
    return save(trace, to);
}

static int make(const char *zones, const char *path)
{
    struct td_trace *trace = generate(strtoull(zones, NULL, 10));
    if (!trace)
        return fprintf(stderr, "file: out of memory\n"), 1;
    return save(trace, path);
}

static int decompress(const char *path)
{
    uint64_t bytes;
    double seconds = floor_seconds(path, (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &bytes);
    if (seconds < 0)
        return fprintf(stderr, "file: '%s' could not be decompressed\n", path), 1;
    printf("%.0f\n", seconds * 1e9);
    return 0;
}

/* Measurements. */

static struct run run3(const char *program, const char *a, const char *b, const char *c)
{
    const char *argv[] = {program, a, b, c, NULL};
    return run_program(argv);
}

static int generate_file(struct bench *b, uint64_t zones, const char *path)
{
    char number[32];
    snprintf(number, sizeof number, "%" PRIu64, zones);
    struct run run = run3(b->self, "generate", number, path);
    return run.seconds < 0 ? report_failure(&b->report, "generating a trace", "failed (room in TMPDIR?)") : 0;
}

struct results {
    struct run load, csv, update, stock_csv, stock_update, floor;
};

/* Ours and stock's in turn, some times. */
static int measure(struct bench *b, struct results *best)
{
    *best = (struct results){0};
    for (int i = 0; i < b->tries; i++) {
        struct run floor = run3(b->self, "floor", b->base, NULL);
        floor.seconds = floor.seconds < 0 ? -1 : (double)floor.number * 1e-9;
        run_keep(&best->floor, floor);
        run_keep(&best->load, run3(b->self, "load", b->base, NULL));
        run_keep(&best->csv, run3(b->tendril, "csvexport", b->base, NULL));
        run_keep(&best->update, run3(b->self, "update", b->base, b->saved));
        if (best->floor.seconds < 0 || best->load.seconds < 0 || best->csv.seconds < 0 ||
            best->update.seconds < 0)
            return report_failure(&b->report, "a run of ours", "failed");
        if (best->load.number != b->zones)
            return report_failure(&b->report, "zones", "loading gives another number of them");
        if (!b->stock)
            continue;
        run_keep(&best->stock_csv, run3(b->stock_csv, b->base, NULL, NULL));
        run_keep(&best->stock_update, run3(b->stock_update, b->base, b->stock_saved, NULL));
        if (best->stock_csv.seconds < 0 || best->stock_update.seconds < 0)
            return report_failure(&b->report, "a run of a stock program", "failed");
    }
    return 0;
}

static void report_results(struct bench *b, const struct results *r)
{
    double floor = r->floor.seconds, load = r->load.seconds, zones = (double)b->zones;
    double csv = b->stock ? r->stock_csv.seconds : floor * RECORDED_CSV;
    double update = b->stock ? r->stock_update.seconds : floor * RECORDED_UPDATE;
    double peak = b->stock ? r->stock_csv.peak_bytes : zones * RECORDED_PEAK;
    double bytes = b->stock ? file_bytes(b->stock_saved) : NAN;
    report_most(&b->report, "load_seconds", "s", load, csv, csv / 4);
    report_most(&b->report, "load_peak_bytes", "bytes", r->load.peak_bytes, peak, peak * 0.4);
    report_most(&b->report, "load_ns_a_zone", "ns", load / zones * 1e9, csv / zones * 1e9, NAN);
    report_most(&b->report, "load_peak_bytes_a_zone", "bytes", r->load.peak_bytes / zones, peak / zones, NAN);
    report_most(&b->report, "load_of_floor", "ratio", load / floor, csv / floor, NAN);
    report_most(&b->report, "csv_seconds", "s", r->csv.seconds - load, load, load);
    report_most(&b->report, "save_seconds", "s", r->update.seconds - load, update, NAN);
    report_most(&b->report, "update_seconds", "s", r->update.seconds, update, update);
    report_most(&b->report, "update_peak_bytes", "bytes", r->update.peak_bytes,
                b->stock ? r->stock_update.peak_bytes : NAN, NAN);
    report_most(&b->report, "file_bytes", "bytes", file_bytes(b->saved), bytes, bytes);
}

/* Loads of files of 1, 10, 100 million zones (or fewer): what a zone costs in a larger file against a smaller
 * one, at worst. Below 1: what does not grow with the file counts less. */
static int growth(struct bench *b)
{
    double least = INFINITY, worst = 0;
    uint64_t largest = 2 * b->zones < 100 * MILLION ? 2 * b->zones : 100 * MILLION;
    for (uint64_t zones = largest / 100; zones <= largest; zones *= 10) {
        struct run best = {0};
        if (generate_file(b, zones, b->ours) < 0)
            return -1;
        for (int i = 0; i < 3; i++)
            run_keep(&best, run3(b->self, "load", b->ours, NULL));
        if (best.seconds < 0 || best.number != zones)
            return report_failure(&b->report, "growth", "loading failed");
        double ns = best.seconds / (double)zones * 1e9;
        char name[64];
        snprintf(name, sizeof name, "load_ns_a_zone_of_%" PRIu64, zones);
        report_most(&b->report, name, "ns", ns, NAN, NAN);
        worst = ns / least > worst ? ns / least : worst;
        least = ns < least ? ns : least;
    }
    report_most(&b->report, "load_growth", "ratio", worst, 1, 1.3);
    return 0;
}

static int run_all(struct bench *b)
{
    struct results results;
    snprintf(b->base, sizeof b->base, "%s/base.tracy", b->folder);
    snprintf(b->ours, sizeof b->ours, "%s/ours.tracy", b->folder);
    snprintf(b->saved, sizeof b->saved, "%s/saved.tracy", b->folder);
    snprintf(b->stock_saved, sizeof b->stock_saved, "%s/stock.tracy", b->folder);
    if (generate_file(b, b->zones, b->ours) < 0)
        return -1;
    /* What is loaded is a file as stock writes it, where there is one. */
    if (b->stock && run3(b->stock_update, b->ours, b->base, NULL).seconds < 0)
        return report_failure(&b->report, "stock update", "does not take the file that was made");
    if (!b->stock && rename(b->ours, b->base) < 0)
        return report_failure(&b->report, "a file", "could not be renamed");
    if (measure(b, &results) < 0)
        return -1;
    report_results(b, &results);
    unlink(b->base);
    unlink(b->saved);
    unlink(b->stock_saved);
    return growth(b);
}

static int find_programs(struct bench *b)
{
    const char *stock = getenv("TD_STOCK_DIR"), *folder = getenv("TMPDIR");
    ssize_t n = readlink("/proc/self/exe", b->self, sizeof b->self - 1);
    if (n <= 0)
        return report_failure(&b->report, "this program", "does not find itself");
    b->self[n] = 0;
    snprintf(b->tendril, sizeof b->tendril, "%s/bin/tendril", TD_BINARY_DIR);
    if (stock) {
        snprintf(b->stock_csv, sizeof b->stock_csv, "%s/0.11.1/bin/csvexport", stock);
        snprintf(b->stock_update, sizeof b->stock_update, "%s/0.11.1/bin/update", stock);
        b->stock = !access(b->stock_csv, X_OK) && !access(b->stock_update, X_OK);
    }
    if (!b->stock)
        report_note(&b->report,
                    "no stock programs ($TD_STOCK_DIR/0.11.1/bin): baselines are recorded ratios");
    snprintf(b->folder, sizeof b->folder, "%s/tendril-bench-XXXXXX", folder ? folder : "/tmp");
    return mkdtemp(b->folder) ? 0 : report_failure(&b->report, b->folder, "cannot be made");
}

static void clean_up(const struct bench *b)
{
    const char *const paths[] = {b->ours, b->base, b->saved, b->stock_saved};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        unlink(paths[i]);
    rmdir(b->folder);
}

static int usage(void)
{
    fprintf(stderr, "usage: file [--json] [--zones N] [--tries N] [--no-limits]\n"
                    "       file generate N FILE | load FILE | floor FILE | update FROM TO\n");
    return 2;
}

static int hidden(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "generate"))
        return make(argv[2], argv[3]);
    if (argc == 3 && !strcmp(argv[1], "load"))
        return load(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "floor"))
        return decompress(argv[2]);
    if (argc == 4 && !strcmp(argv[1], "update"))
        return update(argv[2], argv[3]);
    return usage();
}

int main(int argc, char **argv)
{
    static struct bench b = {.report = {.program = "file"}, .zones = 50 * MILLION, .tries = 3};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            b.report.json = 1;
        else if (!strcmp(argv[i], "--no-limits"))
            b.report.lenient = 1;
        else if (i + 1 < argc && !strcmp(argv[i], "--zones"))
            b.zones = strtoull(argv[++i], NULL, 10);
        else if (i + 1 < argc && !strcmp(argv[i], "--tries"))
            b.tries = atoi(argv[++i]);
        else
            return i == 1 ? hidden(argc, argv) : usage();
    }
    if (b.zones < 1000 || b.tries < 1)
        return usage();
    if (find_programs(&b) == 0) {
        report_head(&b.report);
        run_all(&b);
        clean_up(&b);
    }
    return b.report.failed;
}
