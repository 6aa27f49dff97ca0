/* What the viewer's pictures cost: processor time of the main thread for building a frame while the timeline
 * rests, pans and zooms, over large traces and large windows; memory beside the model; how long the first
 * picture of a file (first.h), a search and a histogram (histogram.h) take. Pictures are drawn without a window.
 *
 *   build/bench/viewer [--quick] [--json] [--no-limits]
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
#include "bench/viewer/growth.h"
#include "bench/viewer/histogram.h"
#include "bench/viewer/lanes.h"
#include "host/base/process.h"
#include "host/file/file.h"
#include "host/viewer/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FRAME_MS       4.0
#define SEARCH_MS      1000.0
#define MEMORY_BYTES   100e6
#define STEPS          24 /* frames of a motion */
#define SETTLE_SECONDS 60 /* after that, what is still missing is a failure */

struct bench {
    struct report report;
    bool quick;
};

struct stage {
    struct td_ui *ui;
    struct td_view view;
    struct td_trace *trace;
};

static int show_trace(struct bench *b, struct stage *s, struct td_trace *trace)
{
    struct td_err err = {0};
    s->trace = trace;
    if (td_view_init(&s->view, s->ui, trace, NULL, "bench.tracy", &err) < 0 ||
        td_view_use_threads(&s->view, &err) < 0)
        return report_failure(&b->report, "the viewer", err.text);
    return 0;
}

static int open_stage(struct bench *b, struct stage *s, struct td_trace *trace, int width, int height)
{
    struct td_err err = {0};
    struct td_ui_options options = {.title = "bench", .width = width, .height = height, .offscreen = true};
    s->ui = td_ui_open(&options, &err);
    return s->ui ? show_trace(b, s, trace) : report_failure(&b->report, "the picture", err.text);
}

static void close_stage(struct stage *s)
{
    td_view_free(&s->view);
    td_ui_close(s->ui);
}

/* Draws a frame; returns the processor time for building it. */
static double draw_frame(struct stage *s)
{
    td_ui_poll(s->ui, 0);
    td_ui_begin(s->ui);
    double begin = thread_cpu_seconds();
    td_view_frame(&s->view);
    double seconds = thread_cpu_seconds() - begin;
    td_ui_end(s->ui);
    return seconds * 1e3;
}

/* Draws until nothing is missing. */
static int settle(struct stage *s)
{
    const double end = wall_seconds() + SETTLE_SECONDS;
    do {
        draw_frame(s);
        while (td_view_background(&s->view) == 1)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    } while (td_view_background(&s->view) && wall_seconds() < end);
    draw_frame(s);
    return td_view_background(&s->view) ? -1 : 0;
}

enum motion { REST, PAN, ZOOM_IN, ZOOM_OUT, MOTIONS };

/* The mean time of the frames of a motion. */
static double measure_motion(struct stage *s, enum motion motion, int steps)
{
    struct td_camera *camera = &s->view.camera;
    double sum = 0;
    for (int i = 0; i < steps; i++) {
        if (motion == PAN)
            td_camera_pan(camera, .013, true);
        if (motion == ZOOM_IN || motion == ZOOM_OUT) {
            td_camera_zoom(camera, motion == ZOOM_IN ? .87 : 1 / .87, .4);
            td_camera_set_range(camera, camera->to_start_ns, camera->to_end_ns, true);
        }
        sum += draw_frame(s);
    }
    return sum / steps;
}

/* The slowest motion. */
static int measure_frames(struct bench *b, struct stage *s, double *worst_ms)
{
    *worst_ms = 0;
    if (settle(s) < 0)
        return report_failure(&b->report, "a picture", "is not complete after a minute");
    static const enum motion motions[] = {REST, ZOOM_IN, PAN, ZOOM_OUT, PAN, REST};
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++)
        *worst_ms = fmax(*worst_ms, measure_motion(s, motions[i], b->quick ? 3 : STEPS));
    return 0;
}

static int report_frames(struct bench *b, struct td_trace *trace, const char *name, int width, int height,
                         bool open)
{
    struct stage s;
    double ms = 0;
    if (open_stage(b, &s, trace, width, height) < 0)
        return -1;
    if (open)
        td_view_collapse(&s.view, false);
    int rc = measure_frames(b, &s, &ms);
    close_stage(&s);
    if (rc == 0)
        report_most(&b->report, name, "ms", ms, NAN, FRAME_MS);
    return rc;
}

static double resident_bytes(void)
{
    uint64_t resident = 0, peak;
    td_process_memory(&resident, &peak);
    return (double)resident;
}

/* From a key to the picture with all matches. */
static int report_search(struct bench *b, struct stage *s)
{
    double begin = wall_seconds();
    td_view_search(&s->view, "a");
    int rc = settle(s);
    double seconds = wall_seconds() - begin;
    if (rc < 0 || !s->view.find.active)
        return report_failure(&b->report, "a search", "does not end");
    report_most(&b->report, "search_ms_50m", "ms", seconds * 1e3, NAN, SEARCH_MS);
    return 0;
}

static int report_large(struct bench *b, struct stage *s)
{
    double ms;
    const double before = resident_bytes();
    if (show_trace(b, s, s->trace) < 0)
        return -1;
    int rc = measure_frames(b, s, &ms);
    if (rc == 0)
        report_most(&b->report, "frame_ms_50m", "ms", ms, NAN, FRAME_MS);
    if (rc == 0)
        rc = report_search(b, s);
    if (rc == 0)
        report_most(&b->report, "bytes_beside_model", "bytes", fmax(resident_bytes() - before, 1), NAN,
                    MEMORY_BYTES);
    td_view_free(&s->view);
    return rc;
}

/* Opens the window with a small trace, so that the renderer's memory is not counted. */
static int warm_up(struct bench *b, struct stage *s)
{
    struct td_trace *trace = generate(1000);
    double ms;
    int rc =
        trace ? open_stage(b, s, trace, 1600, 900) : report_failure(&b->report, "a trace", "out of memory");
    if (rc == 0) {
        rc = measure_frames(b, s, &ms);
        td_view_free(&s->view);
    }
    td_trace_destroy(trace);
    return rc;
}

static int write_lanes(struct bench *b, const char *tiles, const char *zones, const char *path)
{
    struct td_err err = {0};
    struct td_file_options options = {.version = TD_FILE_VERSION(0, 11, 1)};
    const uint32_t count = (uint32_t)strtoul(tiles, NULL, 10);
    struct td_trace *trace = count ? make_lanes(count, strtoull(zones, NULL, 10)) : NULL;
    if (!trace)
        return report_failure(&b->report, "a trace", "cannot be made");
    int rc = td_file_write(trace, path, &options, &err) < 0 ? report_failure(&b->report, path, err.text) : 0;
    td_trace_destroy(trace);
    return rc;
}

static int measure_large(struct bench *b)
{
    struct stage s;
    if (warm_up(b, &s) < 0)
        return -1;
    struct td_trace *trace = s.trace = generate(b->quick ? 300000 : 50000000);
    int rc = trace ? report_large(b, &s) : report_failure(&b->report, "a trace", "out of memory");
    td_ui_close(s.ui);
    if (rc == 0)
        rc = report_first_picture(&b->report, trace);
    td_trace_destroy(trace);
    return rc;
}

static int measure_lanes(struct bench *b)
{
    struct td_trace *few = make_lanes(130, b->quick ? 40000 : 800000);
    struct td_trace *many = make_lanes(1536, b->quick ? 100000 : 2300000);
    int rc = few && many ? 0 : report_failure(&b->report, "a trace", "out of memory");
    if (rc == 0)
        rc = report_frames(b, few, "frame_ms_650_closed", 1600, 900, false);
    if (rc == 0)
        rc = report_frames(b, few, "frame_ms_650_closed_4k", 3840, 2160, false);
    if (rc == 0)
        rc = report_frames(b, few, "frame_ms_650_open_4k", 3840, 2160, true);
    if (rc == 0)
        rc = report_frames(b, many, "frame_ms_7680", 1600, 900, false);
    td_trace_destroy(few);
    td_trace_destroy(many);
    return rc;
}

int main(int argc, char **argv)
{
    static struct bench b = {.report = {.program = "viewer"}};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            b.report.json = 1;
        else if (!strcmp(argv[i], "--quick"))
            b.quick = true;
        else if (!strcmp(argv[i], "--no-limits"))
            b.report.lenient = 1;
        else if (i == 1 && argc == 2 && !strcmp(argv[i], "histogram")) {
            report_head(&b.report);
            report_histogram(&b.report, false);
            return b.report.failed;
        } else if (i == 1 && argc == 2 && !strcmp(argv[i], "figures")) {
            report_head(&b.report);
            report_figures(&b.report, false);
            return b.report.failed;
        } else if (i == 1 && argc == 2 && !strcmp(argv[i], "growth")) {
            report_head(&b.report);
            report_growth(&b.report, false);
            return b.report.failed;
        } else if (i == 1 && argc == 4 && !strcmp(argv[i], "growth"))
            return watch_growth(&b.report, argv[2], argv[3]) < 0;
        else if (i == 1 && argc == 4 && !strcmp(argv[i], "first"))
            return show_first_picture(&b.report, argv[2], argv[3]) < 0;
        else if (i == 1 && argc == 5 && !strcmp(argv[i], "lanes"))
            return write_lanes(&b, argv[2], argv[3], argv[4]) < 0;
        else {
            fprintf(stderr, "usage: viewer [--quick] [--json] [--no-limits]\n"
                            "       viewer histogram\n"
                            "       viewer figures\n"
                            "       viewer growth\n"
                            "       viewer lanes TILES ZONES FILE\n");
            return 2;
        }
    }
    report_head(&b.report);
    if (measure_large(&b) == 0 && measure_lanes(&b) == 0 && report_histogram(&b.report, b.quick) == 0 &&
        report_figures(&b.report, b.quick) == 0)
        report_growth(&b.report, b.quick);
    return b.report.failed;
}
