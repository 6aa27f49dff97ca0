/* What a frame costs that is drawn in a browser: bytes on the wire, and processor time of the server for building and encoding
 * it, while the timeline of 650 lanes and of 50 million zones pans; and the time from input to its picture, and pictures
 * shown in a second of panning over 650 lanes, in a browser on this machine (bench/web/input.py).
 *
 *   build/bench/web [--quick] [--json] [--no-limits]
 *
 * There is no baseline: stock's viewer draws in a window alone. The figure of the browser needs chromium and libwebsockets.
 * Ends with 1 if a limit is broken.
 */
#include "bench/file/generate.h"
#include "bench/viewer/lanes.h"
#include "bench/viewer/stage.h"
#include "host/file/file.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/ui/remote.h"
#include "host/viewer/web/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH       1600
#define HEIGHT      900
#define STEPS       40
#define TURN        10 /* steps in one direction */
#define STEP_PIXELS 23.0
#define FRAME_BYTES 60e3
#define FRAME_MS    6.0
#define INPUT_MS    60.0
#define ZONES       50000000u
#define ZONES_QUICK 300000u

/* The greatest and the mean over frames. */
struct cost {
    double bytes, ms, most_bytes, most_ms;
    int frames;
};

static int draw_frame(struct stage *s, struct td_web_pictures *pictures, struct cost *cost)
{
    struct td_remote_frame frame;
    uint8_t *message = NULL;
    size_t bytes = 0;
    td_ui_poll(s->ui, 0);
    const double begin = thread_cpu_seconds();
    td_ui_begin(s->ui);
    td_view_frame(&s->view);
    td_ui_end(s->ui);
    if (!td_ui_remote_frame(s->ui, &frame) || td_web_pictures_encode(pictures, &frame, &message, &bytes) < 0)
        return report_failure(s->report, "a frame", "cannot be encoded");
    const double ms = (thread_cpu_seconds() - begin) * 1e3;
    free(message);
    cost->frames += bytes > 0; /* at the end of the trace nothing moves */
    cost->bytes += (double)bytes;
    cost->ms += ms;
    cost->most_bytes = fmax(cost->most_bytes, (double)bytes);
    cost->most_ms = fmax(cost->most_ms, ms);
    return 0;
}

/* A drag over the timeline at several depths: steps of whole pixels, and between them. */
static int measure_pan(struct stage *s, struct cost *cost)
{
    struct td_web_pictures *pictures = td_web_pictures_create();
    struct td_camera *camera = &s->view.camera;
    const int steps = s->quick ? 3 : STEPS;
    int rc = pictures ? settle_stage(s) : -1;
    for (int depth = 0; depth < 3 && rc == 0; depth++) {
        struct cost first = {0};
        td_camera_zoom(camera, depth ? .1 : .7, .4);
        td_camera_set_range(camera, camera->to_start_ns, camera->to_end_ns, true);
        rc = settle_stage(s);
        rc = rc ? rc : draw_frame(s, pictures, &first); /* a whole new picture */
        const double wide = s->view.area.right - s->view.area.left;
        for (int i = 0; i < steps && rc == 0; i++) {
            td_camera_pan(camera, (i / TURN & 1 ? -1 : 1) * (STEP_PIXELS + (i & 1) * .37) / wide, true);
            rc = draw_frame(s, pictures, cost);
        }
    }
    td_web_pictures_destroy(pictures);
    return rc;
}

static int measure(struct report *report, bool quick, struct td_trace *trace, bool open, struct cost *cost)
{
    struct stage s = {.report = report, .quick = quick};
    struct td_err err = {0};
    const struct td_ui_options options = {.title = "bench", .width = WIDTH, .height = HEIGHT, .remote = true};
    s.ui = trace ? td_ui_open(&options, &err) : NULL;
    if (!s.ui)
        return report_failure(report, "a screen", trace ? err.text : "out of memory");
    int rc = show_trace(&s, trace);
    if (rc == 0) {
        if (open)
            td_view_collapse(&s.view, false);
        rc = measure_pan(&s, cost);
        td_view_free(&s.view);
    }
    td_ui_close(s.ui);
    return rc;
}

static int measure_frames_of_all(struct report *report, bool quick)
{
    struct cost cost = {0};
    struct td_trace *lanes = make_lanes(130, quick ? 40000 : 800000);
    int rc = measure(report, quick, lanes, false, &cost);
    rc = rc ? rc : measure(report, quick, lanes, true, &cost);
    td_trace_destroy(lanes);
    if (rc < 0)
        return rc;
    struct td_trace *zones = generate(quick ? ZONES_QUICK : ZONES);
    rc = measure(report, quick, zones, true, &cost);
    td_trace_destroy(zones);
    if (rc < 0)
        return rc;
    report_most(report, "web_bytes_a_frame", "bytes", cost.bytes / fmax(cost.frames, 1), NAN, FRAME_BYTES);
    report_most(report, "web_most_bytes", "bytes", cost.most_bytes, NAN, FRAME_BYTES);
    report_most(report, "web_frame_ms", "ms", cost.ms / fmax(cost.frames, 1), NAN, FRAME_MS);
    return 0;
}

/* What input.py prints of a browser that shows the trace. */
static int measure_browser(struct report *r, bool quick, const char *trace)
{
    char line[200] = "", command[400];
    snprintf(command, sizeof command, "python3 " TD_SOURCE_DIR "/bench/web/input.py " TD_BINARY_DIR " %d %s",
             quick ? 3 : 40, trace);
    FILE *script = popen(command, "r");
    const bool read = script && fgets(line, sizeof line, script);
    const int status = script ? pclose(script) : -1;
    char *end, *last;
    const double ms = strtod(line, &end), shown = strtod(end, &last);
    if (read && !strncmp(line, "skipped", 7)) {
        report_note(r, "no figures of a browser: %.100s", line);
        return 0;
    }
    if (status != 0 || end == line || last == end)
        return report_failure(r, "bench/web/input.py", "has failed");
    report_most(r, "web_input_ms", "ms", ms, NAN, INPUT_MS);
    report(r, "web_shown_a_second", "/s", shown, NAN, NAN);
    return 0;
}

static int measure_lanes_in_browser(struct report *report, bool quick)
{
    char path[] = "/tmp/tendril-bench-web-XXXXXX";
    struct td_err err = {0};
    const int file = mkstemp(path);
    if (file < 0)
        return report_failure(report, path, "cannot be made");
    close(file);
    struct td_trace *lanes = make_lanes(130, quick ? 40000 : 800000);
    int rc = lanes ? td_file_write(lanes, path, NULL, &err) : -1;
    td_trace_destroy(lanes);
    rc = rc < 0 ? report_failure(report, "a trace", err.text) : measure_browser(report, quick, path);
    unlink(path);
    return rc;
}

int main(int argc, char **argv)
{
    struct report report = {.program = "web"};
    bool quick = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json"))
            report.json = 1;
        else if (!strcmp(argv[i], "--quick"))
            quick = true;
        else if (!strcmp(argv[i], "--no-limits"))
            report.lenient = 1;
        else
            return fprintf(stderr, "usage: web [--quick] [--json] [--no-limits]\n"), 2;
    }
    report_head(&report);
    if (measure_frames_of_all(&report, quick) == 0)
        measure_lanes_in_browser(&report, quick);
    return report.failed;
}
