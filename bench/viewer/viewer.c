/* What the viewer's pictures cost: processor time of the main thread for building a frame while the timeline
 * rests, pans and zooms, over large traces and large windows (stage.h, frames.h); memory beside the model; how
 * long the first window and the first picture of a file (first.h), a search and a histogram (histogram.h) take.
 * Pictures are drawn without a window.
 *
 *   build/bench/viewer [--quick] [--json] [--no-limits]
 *   build/bench/viewer first                     measures the first window and picture only (first.h)
 *   build/bench/viewer frames [NAME]             measures frames of traces with many rows only, or one figure
 *   build/bench/viewer histogram                 measures the panel Instances only (histogram.h)
 *   build/bench/viewer figures                   measures the panel Zones only (figures.h)
 *   build/bench/viewer growth                    measures a live session only (growth.h)
 *   build/bench/viewer lanes TILES ZONES FILE    writes the trace of a board, to look at in a window
 *
 * Needs OpenGL 3.3 (Mesa's software renderer will do). Stock's viewer can only be measured in a window, so
 * there is no baseline. Ends with 1 if a limit is broken.
 */
#include "bench/file/generate.h"
#include "bench/report.h"
#include "bench/viewer/figures.h"
#include "bench/viewer/first.h"
#include "bench/viewer/frames.h"
#include "bench/viewer/growth.h"
#include "bench/viewer/histogram.h"
#include "bench/viewer/lanes.h"
#include "bench/viewer/stage.h"
#include "host/base/process.h"
#include "host/file/file.h"
#include "host/viewer/timeline/navigate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONES        50000000u
#define ZONES_QUICK  300000u
#define SEARCH_MS    1000.0
#define MEMORY_BYTES 100e6

static double resident_bytes(void)
{
    uint64_t resident = 0, peak;
    td_process_memory(&resident, &peak);
    return (double)resident;
}

/* From a key to the picture with all matches. */
static int report_search(struct stage *s)
{
    double begin = wall_seconds();
    td_view_search(&s->view, "a");
    int rc = settle_stage(s);
    double seconds = wall_seconds() - begin;
    if (rc < 0 || !s->view.find.active)
        return report_failure(s->report, "a search", "does not end");
    report_most(s->report, "search_ms_50m", "ms", seconds * 1e3, NAN, SEARCH_MS);
    return 0;
}

static int report_large(struct stage *s, struct td_trace *trace)
{
    double ms;
    const double before = resident_bytes();
    if (show_trace(s, trace) < 0)
        return -1;
    int rc = measure_frames(s, &ms);
    if (rc == 0)
        report_most(s->report, "frame_ms_50m", "ms", ms, NAN, FRAME_MS);
    rc = rc ? rc : report_search(s);
    if (rc == 0)
        report_most(s->report, "bytes_beside_model", "bytes", fmax(resident_bytes() - before, 1), NAN,
                    MEMORY_BYTES);
    td_view_free(&s->view);
    return rc;
}

/* Opens the window with a small trace, so that the renderer's memory is not counted. */
static int warm_up(struct stage *s)
{
    struct td_trace *trace = generate(1000);
    double ms;
    int rc = trace ? open_stage(s, 1600, 900) : report_failure(s->report, "a trace", "out of memory");
    rc = rc ? rc : show_trace(s, trace);
    if (rc == 0) {
        rc = measure_frames(s, &ms);
        td_view_free(&s->view);
    }
    td_trace_destroy(trace);
    return rc;
}

static int measure_large(struct report *report, bool quick)
{
    struct stage s = {.report = report, .quick = quick};
    if (warm_up(&s) < 0)
        return -1;
    struct td_trace *trace = generate(quick ? ZONES_QUICK : ZONES);
    int rc = trace ? report_large(&s, trace) : report_failure(report, "a trace", "out of memory");
    td_ui_close(s.ui);
    rc = rc ? rc : report_first(report, quick, trace);
    td_trace_destroy(trace);
    return rc;
}

static int write_lanes(struct report *report, const char *tiles, const char *zones, const char *path)
{
    struct td_err err = {0};
    struct td_file_options options = {.version = TD_FILE_VERSION(0, 11, 1)};
    const uint32_t count = (uint32_t)strtoul(tiles, NULL, 10);
    struct td_trace *trace = count ? make_lanes(count, strtoull(zones, NULL, 10)) : NULL;
    if (!trace)
        return report_failure(report, "a trace", "cannot be made");
    int rc = td_file_write(trace, path, &options, &err) < 0 ? report_failure(report, path, err.text) : 0;
    td_trace_destroy(trace);
    return rc;
}

static int measure_first(struct report *report, bool quick)
{
    struct td_trace *trace = generate(quick ? ZONES_QUICK : ZONES);
    int rc = trace ? report_first(report, quick, trace) : report_failure(report, "a trace", "out of memory");
    td_trace_destroy(trace);
    return rc;
}

static int measure_all_frames(struct report *report, bool quick)
{
    return report_frames(report, quick, NULL);
}

/* What can be measured on its own; alone: only so, since measure_large() measures it as well. */
static const struct part {
    const char *name;
    int (*measure)(struct report *report, bool quick);
    bool alone;
} parts[] = {
    {"first", measure_first, true},         {"frames", measure_all_frames, false},
    {"histogram", report_histogram, false}, {"figures", report_figures, false},
    {"growth", report_growth, false},
};
#define PARTS (sizeof parts / sizeof *parts)

/* A part, or a process that a part started. The exit status. */
static int run_command(struct report *report, int words, char **word)
{
    const char *name = words ? word[0] : "";
    if (words == 4 && !strcmp(name, "lanes"))
        return write_lanes(report, word[1], word[2], word[3]) < 0;
    if (words == 3 && !strcmp(name, "growth"))
        return watch_growth(report, word[1], word[2]) < 0;
    if (words == 4 && !strcmp(name, "first"))
        return show_first(report, word[1], word[2], word[3]) < 0;
    if (words)
        report_head(report);
    if (words == 2 && !strcmp(name, "frames"))
        return report_frames(report, false, word[1]) < 0 || report->failed;
    for (size_t i = 0; words == 1 && i < PARTS; i++)
        if (!strcmp(name, parts[i].name))
            return parts[i].measure(report, false) < 0 || report->failed;
    fprintf(stderr, "usage: viewer [--quick] [--json] [--no-limits]\n"
                    "       viewer first | frames [NAME] | histogram | figures | growth\n"
                    "       viewer lanes TILES ZONES FILE\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct report report = {.program = "viewer"};
    bool quick = false;
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (!strcmp(argv[at], "--json"))
            report.json = 1;
        else if (!strcmp(argv[at], "--quick"))
            quick = true;
        else if (!strcmp(argv[at], "--no-limits"))
            report.lenient = 1;
        else
            return run_command(&report, 0, NULL);
    }
    if (at < argc)
        return run_command(&report, argc - at, argv + at);
    report_head(&report);
    int rc = measure_large(&report, quick);
    for (size_t i = 0; i < PARTS && rc == 0; i++)
        rc = parts[i].alone ? 0 : parts[i].measure(&report, quick);
    return report.failed;
}
