#include "bench/client/measure.h"
#include "bench/client/side.h"
#include "bench/client/sink.h"
#include "bench/client/steps.h"
#include "host/base/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS_MAX 200
#define REST_MS    3    /* after every measurement: what waits is taken */
#define IDLE_LIMIT 2000 /* us of a processor's time a second: a five-hundredth of it */
#define IDLE_TIMES 4

/* What stock took where both were measured. */
#define RECORDED_IDLE        11000
#define RECORDED_IDLE_ALONE  4700
#define RECORDED_FLOOD_NS    37
#define RECORDED_FLOOD_BYTES 63
#define RECORDED_WAITING                                                                                     \
    {                                                                                                        \
        45, 63.2, 42, 3.3                                                                                    \
    } /* struct waiting */

/* A marker, measured in `threads` threads. */
struct row {
    const char *name, *kind;
    unsigned threads;
    double part;     /* of what stock takes: the limit */
    double recorded; /* what stock took, in pairs of clock reads (of off_rows: in ns) */
    int beyond;      /* 1: also report the time without these clock reads */
    double reads;
};
static const struct row rows[] = {
    {"clock_pair_ns", "clock", 1, NAN, 1, 0, 0},
    {"zone_ns_cpp_1", "zone_cpp", 1, 1. / 2, 2.5, 1, 2},
    {"zone_ns_c_1", "zone", 1, 1. / 3, 4.5, 1, 2},
    {"zone_ns_cpp_2", "zone_cpp", 2, 1. / 2, 2.1, 1, 2},
    {"zone_ns_c_2", "zone", 2, 1. / 3, 4.9, 1, 2},
    {"message_ns", "message", 1, 1. / 2, 1.85, 1, 1},
    {"message_literal_ns", "message_literal", 1, 1. / 2, 1.3, 1, 1},
    {"message_format_ns", "message_format", 1, 1, 5, 0, 1},
    {"plot_ns", "plot", 1, 1. / 2, 1.3, 1, 1},
    {"plot_int_ns", "plot_int", 1, 1. / 2, 1.25, 1, 1},
    {"zone_text_ns", "zone_text", 1, 1, 2.1, 0, 0},
    {"zone_value_ns", "zone_value", 1, 1, 1.5, 0, 0},
    {"zone_text_format_ns", "zone_format", 1, 1, 8.3, 0, 0},
    {"memory_pair_ns", "memory", 1, 1, 4.2, 0, 2},
    {"lock_pair_ns", "lock", 1, 1, 6.2, 0, 3},
    {"frame_ns", "frame", 1, 1, 2.35, 0, 1},
};
#define ROWS (sizeof rows / sizeof *rows)

struct samples {
    double ns[SIDES][ROUNDS_MAX];
};

static void rest(unsigned ms)
{
    nanosleep(&(struct timespec){ms / 1000, (long)(ms % 1000) * 1000000}, NULL);
}

TD_COMPARE_NUMBERS(compare, double)

/* Of sorted values. */
static double quartile(const double *values, unsigned count, unsigned n)
{
    return values[(size_t)(count - 1) * n / 4];
}

static void keep_least(double *least, double value)
{
    if (isnan(*least) || value < *least)
        *least = value;
}

/* What stock takes: measured, or recorded where there is no stock. */
static double baseline(const struct bench *b, double measured, double recorded)
{
    return b->sides > 1 ? measured : recorded;
}

static int start(struct bench *b, struct side *sides, int off)
{
    static const char *const on_demand[] = {"TRACY_ON_DEMAND=1", NULL};
    for (int s = 0; s < b->sides; s++) {
        const struct program *p = &b->program[s];
        if (side_start(&sides[s], off ? p->marks_off : p->marks, off ? on_demand : NULL) != 0)
            return report_failure(&b->report, p->marks, "does not start");
    }
    return 0;
}

static void end(const struct bench *b, struct side *sides)
{
    for (int s = 0; s < b->sides; s++)
        side_end(&sides[s]);
}

/* One measurement of all sides. */
static int sample(struct bench *b, struct side *sides, const struct row *row, struct samples *samples,
                  unsigned round)
{
    for (int s = 0; s < b->sides; s++) {
        samples->ns[s][round] = side_mark(&sides[s], row->kind, b->plan.count, row->threads);
        if (samples->ns[s][round] < 0)
            return report_failure(&b->report, row->name, "a marked program failed");
        rest(REST_MS);
    }
    return 0;
}

static int sample_rows(struct bench *b, struct side *sides, const struct row *from, size_t count,
                       struct samples *samples)
{
    for (unsigned round = 0; round < b->plan.rounds; round++)
        for (size_t i = 0; i < count; i++)
            if (sample(b, sides, &from[i], &samples[i], round) != 0)
                return -1;
    for (size_t i = 0; i < count; i++)
        for (int s = 0; s < b->sides; s++)
            qsort(samples[i].ns[s], b->plan.rounds, sizeof(double), compare);
    return 0;
}

static double lower(const struct bench *b, const struct samples *samples, int side)
{
    return quartile(samples->ns[side], b->plan.rounds, 1);
}

static void note_spread(const struct bench *b, const struct row *row, const struct samples *samples)
{
    char text[SIDES][80] = {"", ""};
    for (int s = 0; s < b->sides; s++) {
        const double *ns = samples->ns[s];
        unsigned n = b->plan.rounds;
        snprintf(text[s], sizeof text[s], "%.1f | %.1f %.1f %.1f | %.1f", ns[0], quartile(ns, n, 1),
                 quartile(ns, n, 2), quartile(ns, n, 3), ns[n - 1]);
    }
    report_note(&b->report, "  %-20s ours %s%s%s", row->name, text[OURS], b->sides > 1 ? "   stock " : "",
                text[STOCK]);
}

static void report_row(struct bench *b, const struct row *row, const struct samples *samples,
                       const double clock[])
{
    char name[64];
    double ours = lower(b, samples, OURS);
    double stock = baseline(b, lower(b, samples, STOCK), clock[OURS] * row->recorded);
    report_most(&b->report, row->name, "ns", ours, stock, stock * row->part);
    if (!row->beyond)
        return;
    double reads = row->reads / 2, stock_clock = clock[b->sides > 1 ? STOCK : OURS];
    snprintf(name, sizeof name, "%s_of_clock", row->name);
    report_most(&b->report, name, "ratio", ours / (clock[OURS] * reads), stock / (stock_clock * reads),
                row->reads == 2 ? 1.5 : NAN);
    snprintf(name, sizeof name, "%s_beyond_clock", row->name);
    report_most(&b->report, name, "ns", ours - clock[OURS] * reads, stock - stock_clock * reads, NAN);
}

static int measure_markers(struct bench *b, struct side *sides)
{
    static struct samples samples[ROWS];
    if (sample_rows(b, sides, rows, ROWS, samples) != 0)
        return -1;
    double clock[SIDES];
    for (int s = 0; s < b->sides; s++)
        clock[s] = lower(b, &samples[0], s);
    for (size_t i = 0; i < ROWS; i++)
        report_row(b, &rows[i], &samples[i], clock);
    report_note(&b->report, "spread: least | quartiles | most of %u measurements of %u", b->plan.rounds,
                b->plan.count);
    for (size_t i = 0; i < ROWS; i++)
        note_spread(b, &rows[i], &samples[i]);
    return 0;
}

/* The quietest of some times: with cold caches the same costs more. */
static void measure_idle(struct bench *b, struct side *sides, const char *name, double recorded)
{
    double before[SIDES], us[SIDES] = {NAN, NAN};
    rest(b->plan.idle_ms);
    for (unsigned i = 0; i < IDLE_TIMES; i++) {
        for (int s = 0; s < b->sides; s++)
            before[s] = side_cpu_ns(&sides[s]);
        double began = wall_seconds();
        rest(b->plan.idle_ms);
        double seconds = wall_seconds() - began;
        for (int s = 0; s < b->sides; s++)
            keep_least(&us[s], (side_cpu_ns(&sides[s]) - before[s]) / 1e3 / seconds);
    }
    report_most(&b->report, name, "us/s", us[OURS], baseline(b, us[STOCK], recorded), IDLE_LIMIT);
}

/* Two threads at full speed, which is faster than any peer receives. */
static int measure_flood(struct bench *b, struct side *sides)
{
    double ns[SIDES] = {NAN, NAN}, bytes[SIDES] = {NAN, NAN};
    for (int s = 0; s < b->sides; s++) {
        double before = side_resident_bytes(&sides[s]);
        ns[s] = side_mark(&sides[s], "zone_cpp", b->plan.flood, 2);
        if (ns[s] < 0)
            return report_failure(&b->report, "flood", "a marked program failed");
        bytes[s] = (side_resident_bytes(&sides[s]) - before) / (2. * b->plan.flood);
        side_end(&sides[s]);
    }
    ns[STOCK] = baseline(b, ns[STOCK], RECORDED_FLOOD_NS);
    bytes[STOCK] = baseline(b, bytes[STOCK], RECORDED_FLOOD_BYTES);
    report_most(&b->report, "flood_zone_ns_cpp_2", "ns", ns[OURS], ns[STOCK], NAN);
    report_most(&b->report, "flood_bytes_a_zone", "bytes", bytes[OURS], bytes[STOCK], NAN);
    return 0;
}

int measure_connected(struct bench *b)
{
    static const char *const traces[SIDES] = {"ours.tracy", "stock.tracy"};
    struct side sides[SIDES] = {0};
    char trace[PATH_MAX];
    int result = start(b, sides, 0);
    for (int s = 0; result == 0 && s < b->sides; s++) {
        const struct program *p = &b->program[s];
        snprintf(trace, sizeof trace, "%s/%s", b->folder, traces[s]);
        if (side_record(&sides[s], p->capture, p->verb, trace) != 0)
            result = report_failure(&b->report, p->capture, "does not connect");
    }
    if (result == 0)
        result = measure_markers(b, sides);
    if (result == 0)
        measure_idle(b, sides, "idle_connected_us", RECORDED_IDLE);
    if (result == 0)
        result = measure_flood(b, sides);
    end(b, sides);
    return result;
}

/* Zones that wait for a connection: their memory, and the time of the client's thread to send them. */
struct waiting {
    double ns, bytes, send_ns, wire_bytes;
};

static int wait_and_send(struct bench *b, struct side *side, struct waiting *w)
{
    unsigned first = b->plan.count, zones = b->plan.waiting;
    int fd;
    if (side_mark(side, "zone_cpp", first, 1) < 0)
        return -1;
    double before = side_resident_bytes(side);
    w->ns = side_mark(side, "zone_cpp", zones, 1);
    w->bytes = (side_resident_bytes(side) - before) / zones;
    double cpu = side_cpu_ns(side);
    int64_t bytes = w->ns < 0 ? -1 : sink_take(side->port, (uint64_t)first + zones, &fd);
    w->send_ns = (side_cpu_ns(side) - cpu) / (first + zones);
    w->wire_bytes = (double)bytes / (first + zones);
    if (bytes < 0)
        return -1;
    close(fd);
    return 0;
}

int measure_waiting(struct bench *b)
{
    static const struct waiting none = {NAN, NAN, NAN, NAN}, recorded = RECORDED_WAITING;
    struct waiting best[SIDES] = {none, none};
    for (unsigned i = 0; i < b->plan.tries; i++) {
        struct side sides[SIDES] = {0};
        int result = start(b, sides, 0);
        if (result == 0 && i == 0)
            measure_idle(b, sides, "idle_unconnected_us", RECORDED_IDLE_ALONE);
        for (int s = 0; result == 0 && s < b->sides; s++) {
            struct waiting w = none;
            result = wait_and_send(b, &sides[s], &w);
            if (result != 0)
                report_failure(&b->report, b->program[s].marks, "its zones did not come whole");
            keep_least(&best[s].ns, w.ns);
            keep_least(&best[s].bytes, w.bytes);
            keep_least(&best[s].send_ns, w.send_ns);
            keep_least(&best[s].wire_bytes, w.wire_bytes);
        }
        end(b, sides);
        if (result != 0)
            return -1;
    }
    const struct waiting *ours = &best[OURS], *stock = b->sides > 1 ? &best[STOCK] : &recorded;
    report_most(&b->report, "waiting_zone_ns_cpp_1", "ns", ours->ns, stock->ns, stock->ns);
    report_most(&b->report, "waiting_bytes_a_zone", "bytes", ours->bytes, stock->bytes, stock->bytes / 2);
    report_most(&b->report, "send_ns_a_zone", "ns", ours->send_ns, stock->send_ns, stock->send_ns);
    report_most(&b->report, "wire_bytes_a_zone", "bytes", ours->wire_bytes, stock->wire_bytes, NAN);
    return 0;
}

static const struct row off_rows[] = {
    {"off_zone_ns_cpp", "zone_cpp", 1, 1, 0.48, 0, 0},
    {"off_zone_ns_c", "zone", 1, 1, 1.15, 0, 0},
    {"off_message_ns", "message", 1, 1, 0.6, 0, 0},
    {"off_plot_ns", "plot", 1, 1, 0.6, 0, 0},
};
#define OFF_ROWS (sizeof off_rows / sizeof *off_rows)

int measure_off(struct bench *b)
{
    static struct samples samples[OFF_ROWS];
    struct side sides[SIDES] = {0};
    int result = start(b, sides, 1);
    if (result == 0)
        result = sample_rows(b, sides, off_rows, OFF_ROWS, samples);
    for (size_t i = 0; result == 0 && i < OFF_ROWS; i++) {
        double stock = baseline(b, lower(b, &samples[i], STOCK), off_rows[i].recorded);
        report_most(&b->report, off_rows[i].name, "ns", lower(b, &samples[i], OURS), stock, NAN);
    }
    end(b, sides);
    return result;
}

/* Instructions and branches of a marker without those of the loop around it. */
static int count_steps(const char *program, const char *kind, int off, struct steps *steps)
{
    const char *const environment[] = {"TRACY_NO_SYS_TRACE=1", off ? "TRACY_ON_DEMAND=1" : NULL, NULL};
    struct steps nothing;
    if (steps_count(program, "nothing", environment, &nothing) != 0 ||
        steps_count(program, kind, environment, steps) != 0)
        return -1;
    steps->instructions -= nothing.instructions;
    steps->branches -= nothing.branches;
    return 0;
}

int measure_steps(struct bench *b)
{
    static const struct {
        const char *name, *kind;
        int off;
        double branches; /* limit */
    } parts[] = {{"zone_cpp", "zone_cpp", 0, NAN},   {"zone_c", "zone", 0, NAN},
                 {"off_zone_cpp", "zone_cpp", 1, 2}, {"off_zone_c", "zone", 1, 2},
                 {"off_message", "message", 1, 1},   {"off_plot", "plot", 1, 1}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct steps steps[SIDES] = {{NAN, NAN}, {NAN, NAN}};
        char name[64];
        for (int s = 0; s < b->sides; s++) {
            const struct program *p = &b->program[s];
            if (count_steps(parts[i].off ? p->marks_off : p->marks, parts[i].kind, parts[i].off, &steps[s]) !=
                0) {
                report_note(&b->report, "no instructions counted: this machine lets no program be traced");
                return 0;
            }
        }
        snprintf(name, sizeof name, "%s_instructions", parts[i].name);
        report_most(&b->report, name, "count", steps[OURS].instructions, steps[STOCK].instructions, NAN);
        snprintf(name, sizeof name, "%s_branches", parts[i].name);
        report_most(&b->report, name, "count", steps[OURS].branches, steps[STOCK].branches,
                    parts[i].branches);
    }
    return 0;
}
