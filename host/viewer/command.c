/* The command `tendril view`: shows a trace in a window or writes it as a picture. */
#include "host/base/options.h"
#include "host/file/load.h"
#include "host/viewer/imgui_shim.h"
#include "host/viewer/live_record.h"
#include "host/viewer/times.h"
#include "host/viewer/viewer.h"

#include <stdio.h>
#include <unistd.h>

static int parse_zoom(const char *text, struct td_viewer_options *options, struct td_err *err)
{
    options->zoom = 1;
    if (td_range_parse(text, &options->zoom_start_ns, &options->zoom_end_ns) < 0)
        return td_fail(err, TD_E_USAGE,
                       "--zoom %s is not a time range such as 1.2ms..1.5ms (units: " TD_TIME_UNITS ")", text);
    return 0;
}

static int parse_size(const char *text, struct td_viewer_options *options, struct td_err *err)
{
    char rest;
    if (sscanf(text, "%dx%d%c", &options->width, &options->height, &rest) != 2 || options->width <= 0 ||
        options->height <= 0)
        return td_fail(err, TD_E_USAGE, "--size %s is not a size such as 1600x900", text);
    return 0;
}

static const char details[] =
    "HOST:PORT is a program that runs, or a recorder that serves its recording (capture --serve, record "
    "--serve). The timeline follows what is new until you move it; Space follows again, or holds. When the "
    "program has ended, its trace stays in the window.\n"
    "\n"
    "With --live, the arguments after -- are those of 'tendril record', which writes its trace as usual. "
    "Closing the window ends the recording and saves.\n"
    "\n"
    "  tendril view trace.tracy\n"
    "  tendril view localhost:8086\n"
    "  tendril view --live -- -o trace.tracy -- ./matmul";

static int view_live(const char *where, const char *host, int port, const struct td_viewer_options *options,
                     struct td_err *err)
{
    struct td_live *live = td_live_open(host, port, err);
    if (!live)
        return TD_E_IO;
    int rc = td_viewer_run_live(live, where, options, err);
    td_live_close(live);
    return rc;
}

/* Runs `tendril record` with these arguments, and shows what it records. */
static int view_recording(char *const *args, const struct td_viewer_options *options, struct td_err *err)
{
    struct td_live_record record;
    char where[40];
    if (td_live_record_start(&record, args, err) < 0)
        return err->code;
    snprintf(where, sizeof where, "127.0.0.1:%d", record.port);
    int rc = view_live(where, "127.0.0.1", record.port, options, err);
    int code = td_live_record_end(&record);
    return code ? code : rc;
}

int td_cmd_view(int argc, char **argv, struct td_err *err)
{
    struct td_viewer_options view = {0};
    struct td_load_options load = {0};
    const char *size = NULL, *zoom = NULL;
    int live = 0;
    const struct td_option options[] = {
        {0, "screenshot", TD_OPT_STRING, &view.screenshot, "PNG",
         "write a picture instead of opening a window; needs no display", 0, 0, 0},
        {0, "svg", TD_OPT_STRING, &view.svg, "SVG", "write the visible timeline as a drawing, likewise", 0, 0,
         0},
        {0, "size", TD_OPT_STRING, &size, "WxH", "size of the window or picture (default 1600x900)", 0, 0, 0},
        {0, "zoom", TD_OPT_STRING, &zoom, "A..B", "show this time range first, such as 1.2ms..1.5ms", 0, 0,
         0},
        {0, "find", TD_OPT_STRING, &view.find, "NAME", "search for zones whose name contains NAME", 0, 0, 0},
        {0, "select", TD_OPT_FLAG, &view.select, NULL, "select the first zone that --find finds", 0, 0, 0},
        {0, "open", TD_OPT_STRING, &view.open, "PANELS", "open these panels first, such as statistics", 0, 0,
         0},
        {0, "compare", TD_OPT_STRING, &view.compare, "FILE", "compare with this trace", 0, 0, 0},
        {0, "command", TD_OPT_STRING, &view.commands, "COMMANDS",
         "do these commands first, such as 'zoom 1ms..2ms; open statistics'", 0, 0, 0},
        {0, "listen", TD_OPT_STRING, &view.listen, "SOCKET",
         "do the commands that programs send to this unix socket", 0, 0, 0},
        {0, "offscreen", TD_OPT_FLAG, &view.offscreen, NULL, "with --listen: no window; needs no display", 0,
         0, 0},
        {0, "lanes", TD_OPT_STRING, &view.lanes, "FILTER",
         "show these lanes only, such as 'tile 3,* and wait > 10 %'", 0, 0, 0},
        {0, "collapse", TD_OPT_FLAG, &view.collapse, NULL, "show tiles collapsed first", 0, 0, 0},
        {0, "scale", TD_OPT_DOUBLE, &view.scale, "X",
         "size of text and rows (default: TRACY_DPI_SCALE, else the display's scale)", 0, 0, 0},
        {0, "live", TD_OPT_FLAG, &live, NULL,
         "run 'tendril record' with the arguments after --, and show what it records", 0, 0, 0},
        TD_LOAD_OPTIONS(&load),
        {0}};
    const struct td_command_line line = {
        .name = "tendril view",
        .usage = "[options] FILE.tracy | HOST:PORT | --live -- RECORD-ARGS",
        .summary = "Shows a trace, or a program that runs: host threads and cores on one timeline.",
        .options = options,
        .min_args = 1,
        .max_args = -1,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (size && parse_size(size, &view, err) < 0)
        return TD_E_USAGE;
    if (zoom && parse_zoom(zoom, &view, err) < 0)
        return TD_E_USAGE;
    if (view.scale != 0 && !(view.scale >= TD_UI_MIN_SCALE && view.scale <= TD_UI_MAX_SCALE))
        return td_fail(err, TD_E_USAGE, "--scale must be between %g and %g", TD_UI_MIN_SCALE,
                       TD_UI_MAX_SCALE);
    if (view.offscreen && !view.listen)
        return td_fail(err, TD_E_USAGE, "--offscreen needs --listen");
    if (view.listen && (view.screenshot || view.svg))
        return td_fail(err, TD_E_USAGE, "--listen excludes --screenshot and --svg");
    if (live) {
        argv[1 + args.count] = NULL;
        return view_recording(argv + 1, &view, err);
    }
    if (args.count > 1)
        return td_fail(err, TD_E_USAGE, "one trace at a time: '%s' is one too many", argv[2]);
    char host[256];
    int port;
    if (td_live_parse(argv[1], host, sizeof host, &port) && access(argv[1], F_OK) != 0)
        return view_live(argv[1], host, port, &view, err);
    struct td_trace *trace = NULL;
    int rc = td_load(argv[1], &load, "tendril view", &trace, err);
    if (rc == 0)
        rc = td_viewer_run(trace, argv[1], &view, err);
    td_trace_destroy(trace);
    return rc;
}
