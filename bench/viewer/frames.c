#include "bench/file/generate.h"
#include "bench/viewer/frames.h"
#include "bench/viewer/lanes.h"
#include "bench/viewer/stage.h"
#include "tests/viewer/system_trace.h"
#include "host/viewer/timeline/navigate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLOTS       10000u
#define PLOT_POINTS 200u
#define QUICK_PART  4 /* of width and height: a software renderer takes most of the time of a quick run */

/* ---- traces; NULL: no memory ---- */

static struct td_trace *make_few_lanes(bool quick)
{
    return make_lanes(130, quick ? 40000 : 800000);
}

static struct td_trace *make_many_lanes(bool quick)
{
    return make_lanes(1536, quick ? 100000 : 2300000);
}

/* 600 cores of 100,000 zones. */
static struct td_trace *make_long_lanes(bool quick)
{
    return make_lanes(120, quick ? 60000 : 60000000);
}

static struct td_trace *make_threads(bool quick)
{
    return generate(quick ? 300000 : 50000000);
}

static struct td_trace *make_plots(bool quick)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    const uint32_t points = quick ? PLOT_POINTS / 20 : PLOT_POINTS;
    uint64_t random = 1;
    int rc = trace ? 0 : -1;
    for (uint32_t p = 0; p < PLOTS && rc == 0; p++) {
        char name[40];
        snprintf(name, sizeof name, "value %05u", (unsigned)p);
        struct td_dict *dict = td_trace_fill_dict(trace);
        const struct td_plot plot = {.name = td_dict_cstring(dict, name), .fill = p & 1, .step = p >> 1 & 1};
        struct td_event event = {.kind = TD_EVENT_PLOT, .subject = td_dict_plot(dict, &plot)};
        const struct td_sink sink = td_trace_sink(trace);
        for (uint32_t i = 0; i < points && rc == 0; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            event.time_ns += 1000 + (int64_t)(random >> 54);
            event.value.f64 = (double)(random >> 40);
            rc = sink.events(sink.self, &event, 1, NULL);
        }
    }
    if (rc == 0 && td_trace_finish(trace, NULL) == 0)
        return trace;
    td_trace_destroy(trace);
    return NULL;
}

static struct td_trace *make_switches(bool quick)
{
    const struct system_options options = {
        .threads = 200, .others = 50, .cpus = 32, .switches = quick ? 50000 : 12500000, .mean_ns = 20000};
    return system_trace(&options);
}

/* ---- pictures ---- */

/* Those of one trace follow each other. */
static const struct picture {
    const char *name;
    struct td_trace *(*make)(bool quick);
    int width, height;
    bool open;  /* all groups */
    bool flame; /* with a flame graph of all zones */
} pictures[] = {
    {"frame_ms_650_closed", make_few_lanes, 1600, 900, false, false},
    {"frame_ms_650_closed_4k", make_few_lanes, 3840, 2160, false, false},
    {"frame_ms_650_open", make_few_lanes, 1600, 900, true, false},
    {"frame_ms_650_open_4k", make_few_lanes, 3840, 2160, true, false},
    {"frame_ms_7680", make_many_lanes, 1600, 900, false, false},
    {"frame_ms_7680_4k", make_many_lanes, 3840, 2160, false, false},
    {"frame_ms_7680_open", make_many_lanes, 1600, 900, true, false},
    {"frame_ms_7680_open_4k", make_many_lanes, 3840, 2160, true, false},
    {"frame_ms_60m_closed", make_long_lanes, 1600, 900, false, false},
    {"frame_ms_60m_closed_4k", make_long_lanes, 3840, 2160, false, false},
    {"frame_ms_60m_open", make_long_lanes, 1600, 900, true, false},
    {"frame_ms_60m_open_4k", make_long_lanes, 3840, 2160, true, false},
    {"frame_ms_50m_4k", make_threads, 3840, 2160, true, false},
    {"frame_ms_flame_50m", make_threads, 1600, 900, true, true},
    {"frame_ms_flame_50m_4k", make_threads, 3840, 2160, true, true},
    {"frame_ms_plots", make_plots, 1600, 900, true, false},
    {"frame_ms_plots_4k", make_plots, 3840, 2160, true, false},
    {"frame_ms_switches", make_switches, 1600, 900, true, false},
    {"frame_ms_switches_4k", make_switches, 3840, 2160, true, false},
};

static int report_picture(struct report *report, bool quick, const struct picture *p, struct td_trace *trace)
{
    struct stage s = {.report = report, .quick = quick};
    const int part = quick ? QUICK_PART : 1;
    double ms = 0;
    if (open_stage(&s, p->width / part, p->height / part) < 0 || show_trace(&s, trace) < 0)
        return -1;
    if (p->open)
        td_view_collapse(&s.view, false);
    if (p->flame)
        td_panel_set_open(&s.view, TD_PANEL_FLAME, true);
    int rc = settle_stage(&s);
    while (rc == 0 && td_panels_busy(&s.view))
        rc = settle_stage(&s);
    rc = rc ? rc : measure_frames(&s, &ms);
    close_stage(&s);
    if (rc == 0)
        report_most(report, p->name, "ms", ms, NAN, FRAME_MS);
    return rc;
}

int report_frames(struct report *report, bool quick, const char *name)
{
    struct td_trace *trace = NULL;
    int rc = 0;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && rc == 0; i++) {
        const struct picture *p = &pictures[i];
        if (trace && p->make != p[-1].make) {
            td_trace_destroy(trace);
            trace = NULL;
        }
        if (name && strcmp(name, p->name) != 0)
            continue;
        if (!trace && !(trace = p->make(quick)))
            rc = report_failure(report, p->name, "out of memory");
        else
            rc = report_picture(report, quick, p, trace);
    }
    td_trace_destroy(trace);
    return rc;
}
