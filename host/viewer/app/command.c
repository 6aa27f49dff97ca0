/* The command `tendril view`: shows a trace in a window or writes it as a picture. */
#include "host/base/options.h"
#include "host/file/load.h"
#include "host/viewer/app/app.h"
#include "host/viewer/ui/drawing.h"
#include "host/viewer/ui/imgui_shim.h"
#include "host/viewer/app/live_record.h"
#include "host/viewer/app/viewer.h"
#include "host/viewer/app/web_view.h"
#include "host/viewer/app/transfer.h"
#include "host/base/time_text.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <unistd.h>

static int parse_size(const char *text, struct td_viewer_options *options, struct td_err *err)
{
    char rest;
    if (sscanf(text, "%dx%d%c", &options->width, &options->height, &rest) != 2 || options->width <= 0 ||
        options->height <= 0)
        return td_fail(err, TD_E_USAGE, "--size %s is not a size such as 1600x900", text);
    return 0;
}

static const char details[] =
    "Without an argument, a window opens in which files can be opened and programs connected to.\n"
    "\n"
    "HOST:PORT is a program that runs, or a recorder that serves its recording (capture --serve, record "
    "--serve). The timeline follows what is new until you move it; Space follows again, or holds. When the "
    "program has ended, its trace stays in the window.\n"
    "\n"
    "With --live, the arguments after -- are those of 'tendril record', which writes its trace as usual. "
    "Closing the window ends the recording and saves.\n"
    "\n"
    "  tendril view trace.tracy\n"
    "  tendril view --web 8090 trace.tracy\n"
    "  tendril view localhost:8086\n"
    "  tendril view --live -- -o trace.tracy -- ./matmul";

/* What to show: one of them, or nothing but the welcome page. */
struct view_what {
    const char *path; /* of a file */
    const char *where, *host;
    int port;
};

static int draw_picture(const struct view_what *what, const struct td_viewer_options *options,
                        struct td_load_options *load, struct td_err *err)
{
    struct td_trace *trace = NULL;
    if (what->host)
        return td_viewer_draw_live(what->host, what->port, what->where, options, err);
    if (!what->path)
        return td_fail(err, TD_E_USAGE, "--screenshot needs a trace");
    int rc = td_load(what->path, load, "tendril view", &trace, err);
    if (rc == 0)
        rc = td_viewer_draw(trace, what->path, options, err);
    td_trace_destroy(trace);
    return rc;
}

static int open_window(const struct view_what *what, const struct td_viewer_options *options,
                       const struct td_load_options *load, int port, struct td_err *err)
{
    struct td_app *app = td_app_create(options, load, port, err);
    int rc = app ? 0 : TD_E_NOMEM;
    if (rc == 0 && what->host)
        rc = td_app_connect(app, what->host, what->port, err);
    else if (rc == 0 && what->path)
        rc = td_app_open_file(app, what->path, err);
    if (rc == 0)
        rc = td_app_run(app, err);
    td_app_destroy(app);
    return rc;
}

static int show(const struct view_what *what, const struct td_viewer_options *options,
                struct td_load_options *load, int port, struct td_err *err)
{
    struct td_path_substitutions paths = {0};
    const struct td_web_view_what in_browsers = {what->path, what->host, what->port};
    const int rc = td_path_substitutions_init(&paths, &options->path_rules, err);
    td_path_substitutions_free(&paths); /* each trace has its own */
    if (rc < 0)
        return rc;
    if (options->web.port)
        return td_web_view_run(&in_browsers, options, load, port, err);
    return options->screenshot || options->svg || options->pdf ? draw_picture(what, options, load, err)
                                                               : open_window(what, options, load, port, err);
}

/* Runs `tendril record` with these arguments, and shows what it records. */
static int view_recording(char *const *args, struct td_viewer_options *options, struct td_load_options *load,
                          struct td_err *err)
{
    struct td_live_record record;
    char where[40];
    if (td_live_record_start(&record, args, err) < 0)
        return err->code;
    snprintf(where, sizeof where, "127.0.0.1:%d", record.port);
    const struct view_what what = {.where = where, .host = "127.0.0.1", .port = record.port};
    options->recorded = 1;
    int rc = show(&what, options, load, 0, err);
    int code = td_live_record_end(&record);
    return code ? code : rc;
}

/* Options of the command that are none of the viewer. */
struct view_given {
    const char *size, *address, *import;
    int live, settings;
    long port;
};

static int check_options(const struct view_given *given, struct td_viewer_options *view, struct td_err *err)
{
    const char *zoom = view->first[TD_FIRST_zoom].text;
    double from, to;
    if (given->size && parse_size(given->size, view, err) < 0)
        return TD_E_USAGE;
    /* Before a large trace is read. */
    if (zoom && td_range_parse(zoom, &from, &to) < 0)
        return td_fail(err, TD_E_USAGE,
                       "--zoom %s is not a time range such as 1.2ms..1.5ms (units: " TD_TIME_UNITS ")", zoom);
    if (view->scale != 0 && !(view->scale >= TD_UI_MIN_SCALE && view->scale <= TD_UI_MAX_SCALE))
        return td_fail(err, TD_E_USAGE, "--scale must be between %g and %g", TD_UI_MIN_SCALE,
                       TD_UI_MAX_SCALE);
    const char *const pictures[][2] = {{view->screenshot, "png"}, {view->svg, "svg"}, {view->pdf, "pdf"}};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (pictures[i][0] && td_picture_check(pictures[i][0], pictures[i][1], err) < 0)
            return TD_E_USAGE;
    const bool draws = view->screenshot || view->svg || view->pdf;
    if (view->web.port && (draws || view->listen))
        return td_fail(err, TD_E_USAGE, "--web excludes --listen, --screenshot, --svg and --pdf");
    if (!view->web.port && (view->web.certificate || view->web.key))
        return td_fail(err, TD_E_USAGE, "--cert and --key need --web");
    if (!view->web.certificate != !view->web.key)
        return td_fail(err, TD_E_USAGE, "--cert and --key need each other");
    if (view->offscreen && !view->listen)
        return td_fail(err, TD_E_USAGE, "--offscreen needs --listen");
    if (view->listen && draws)
        return td_fail(err, TD_E_USAGE, "--listen excludes --screenshot, --svg and --pdf");
    return 0;
}

/* `name`: the trace or program of the command line; NULL: none. */
static int show_named(const struct view_given *given, const char *name, struct td_viewer_options *view,
                      struct td_load_options *load, struct td_err *err)
{
    struct view_what what = {0};
    char host[256];
    const char *address = given->address;
    if (given->settings)
        return td_settings_print(name, load, err);
    if (given->import)
        return td_settings_import(given->import, name, load, err);
    name = address ? address : name;
    if (name && td_live_parse(name, host, sizeof host, &what.port) && (address || access(name, F_OK) != 0)) {
        what.where = name;
        what.host = host;
    } else if (address) {
        what = (struct view_what){
            .where = address, .host = address, .port = given->port ? (int)given->port : TD_WIRE_PORT};
    } else {
        what.path = name;
    }
    return show(&what, view, load, (int)given->port, err);
}

/* Those that can be opened, "details|statistics|...", for help and completion. */
static void list_panels(char *list, size_t bytes)
{
    size_t used = 0;
    for (int i = 0; i < TD_PANEL_COUNT && used < bytes; i++)
        if (td_panels[i]->title)
            used += (size_t)snprintf(list + used, bytes - used, used ? "|%s" : "%s", td_panels[i]->name);
}

int td_viewer_run(int argc, char **argv, const char *summary, struct td_err *err)
{
    struct td_load_options load = {0};
    struct td_viewer_options view = {.load = &load};
    struct view_given given = {0};
    char panels[400];
    list_panels(panels, sizeof panels);
    const struct td_option options[] = {
        {0, "screenshot", TD_OPT_STRING, &view.screenshot, "PNG",
         "write a picture instead of opening a window; needs no display", 0, 0, 0},
        {0, "svg", TD_OPT_STRING, &view.svg, "SVG", "write the visible timeline as a drawing, likewise", 0, 0,
         0},
        {0, "pdf", TD_OPT_STRING, &view.pdf, "PDF", "write it as a PDF file, likewise", 0, 0, 0},
        {0, "size", TD_OPT_STRING | TD_OPT_LOOKS, &given.size, "WxH",
         "size of the window or picture (default 1600x900)", 0, 0, 0},
        {0, "select", TD_OPT_FLAG, &view.select, NULL, "select the first zone that --find finds", 0, 0, 0},
        {0, "command", TD_OPT_STRING, &view.commands, "COMMANDS",
         "do these commands first, such as 'zoom 1ms..2ms; open statistics'", 0, 0, 0},
        {0, "listen", TD_OPT_STRING, &view.listen, "SOCKET",
         "do the commands that programs send to this unix socket", 0, 0, 0},
        {0, "offscreen", TD_OPT_FLAG, &view.offscreen, NULL, "with --listen: no window; needs no display", 0,
         0, 0},
        {0, "web", TD_OPT_STRING, &view.web.port, "[ADDR:]PORT",
         "show it in browsers, which need the address that is printed; needs no display", 0, 0, 0},
        {0, "cert", TD_OPT_STRING, &view.web.certificate, "FILE", "with --web: certificate for HTTPS, in PEM",
         0, 0, 0},
        {0, "key", TD_OPT_STRING, &view.web.key, "FILE", "with --web: its private key", 0, 0, 0},
        {0, "scale", TD_OPT_DOUBLE | TD_OPT_LOOKS, &view.scale, "X",
         "size of text and rows (default: TRACY_DPI_SCALE, else the display's scale)", 0, 0, 0},
        {0, "path", TD_OPT_WORDS, &view.path_rules, "REGEX;REPLACEMENT",
         "where source files are on this machine; may be repeated", 0, 0, 0},
        {'a', "address", TD_OPT_STRING, &given.address, "HOST", "connect to the program at this address", 0,
         0, 0},
        {'p', "port", TD_OPT_INT, &given.port, "PORT",
         "port of programs to connect to, and where they announce themselves (default 8086)", 0, 1, 65535},
        {0, "settings", TD_OPT_FLAG, &given.settings, NULL,
         "print the settings, and the state of FILE.tracy, as JSON; no window opens", 0, 0, 0},
        {0, "import-settings", TD_OPT_STRING, &given.import, "FILE",
         "take settings, and the state of FILE.tracy, from such JSON; '-': standard input", 0, 0, 0},
        {0, "live", TD_OPT_FLAG, &given.live, NULL,
         "run 'tendril record' with the arguments after --, and show what it records", 0, 0, 0},
        TD_LOAD_OPTIONS(&load),
#define TD_X(name, kind, type, argument, help)                                                               \
    {                                                                                                        \
        0,                                                                                                   \
        #name,                                                                                               \
        type,                                                                                                \
        &view.first[TD_FIRST_##name].kind,                                                                   \
        argument,                                                                                            \
        help,                                                                                                \
        strcmp(#name, "open") ? NULL : panels,                                                               \
        0,                                                                                                   \
        0},
        TD_VIEW_FIRST(TD_X)
#undef TD_X
            {0}};
    const struct td_command_line line = {
        .name = "tendril view",
        .usage = "[options] [FILE.tracy | HOST:PORT | -a HOST | --live -- RECORD-ARGS]",
        .summary = summary,
        .options = options,
        .min_args = 0,
        .max_args = -1,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (check_options(&given, &view, err) < 0)
        return TD_E_USAGE;
    if (given.live) {
        argv[1 + args.count] = NULL;
        return args.count
                   ? view_recording(argv + 1, &view, &load, err)
                   : td_fail(err, TD_E_USAGE, "--live needs the arguments of 'tendril record' after --");
    }
    if (args.count > 1)
        return td_fail(err, TD_E_USAGE, "one trace at a time: '%s' is one too many", argv[2]);
    if (given.address && args.count)
        return td_fail(err, TD_E_USAGE, "-a and '%s' exclude each other", argv[1]);
    return show_named(&given, args.count ? argv[1] : NULL, &view, &load, err);
}
