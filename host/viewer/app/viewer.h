/* The viewer: shows traces on a timeline, in a window (app.h) or as a picture. */
#pragma once
#include "host/base/options.h"
#include "host/trace/trace.h"

/* Options that do the command of their name (drive/commands.h) before the first picture, in this order. X(name,
 * kind, type, argument, help): with `text` the option's value is the command's argument, a `flag` has none. */
/* clang-format off */
#define TD_VIEW_FIRST(X)                                                                                     \
    X(lanes, text, TD_OPT_STRING, "FILTER", "show these lanes only, such as 'tile 3,* and wait > 10 %'")     \
    X(symbol, text, TD_OPT_STRING, "NAME", "show the source and the code of this function first")            \
    X(open, text, TD_OPT_STRING | TD_OPT_LOOKS, "PANELS", "open these panels first, such as statistics")     \
    X(chip, text, TD_OPT_STRING | TD_OPT_LOOKS, "MEASURE",                                                   \
      "show the chips first, coloured by busy, wait, lost, zones, longest, end, found or noc")               \
    X(collapse, flag, TD_OPT_FLAG | TD_OPT_LOOKS, NULL, "show tiles collapsed first")                        \
    X(zoom, text, TD_OPT_STRING | TD_OPT_LOOKS, "A..B", "show this time range first, such as 1.2ms..1.5ms")  \
    X(find, text, TD_OPT_STRING, "NAME", "search for zones whose name contains NAME")                        \
    X(compare, text, TD_OPT_STRING, "FILE", "compare with this trace")
/* clang-format on */
enum td_view_first {
#define TD_X(name, kind, type, argument, help) TD_FIRST_##name,
    TD_VIEW_FIRST(TD_X)
#undef TD_X
        TD_FIRST_COUNT
};

struct td_viewer_options {  /* all zero: the defaults */
    const char *screenshot; /* PNG to write; NULL: a window opens */
    int width, height;      /* 0: 1600 x 900 */
    double scale;           /* size of text and rows, 1: 96 dpi; 0: that of the display or TRACY_DPI_SCALE */
    struct {
        const char *text; /* NULL: the option was not given */
        int flag;
    } first[TD_FIRST_COUNT];
    int select;                         /* 1: select the first zone that `find` finds */
    const char *commands;               /* a script (commands.h) to run first; NULL: none */
    const char *svg;                    /* drawing to write instead of opening a window */
    const char *pdf;                    /* the same as PDF */
    const struct td_load_options *load; /* how a trace to compare with is read; NULL: the defaults */
    struct td_words path_rules;         /* of --path */
    const char *listen;                 /* path of a socket for commands; NULL: none */
    int offscreen;                      /* 1: no window */
    int recorded;                       /* 1: a live session is saved by another process */
    struct td_web_view {                /* in browsers; see web/server.h */
        const char *port;               /* "[ADDRESS:]PORT"; NULL: in a window */
        const char *certificate, *key;  /* files; NULL: no TLS */
    } web;
};

struct td_view;
/* Shows what the command line wants. 0, or TD_E_USAGE: there is no panel of that name. */
int td_view_apply_options(struct td_view *view, const struct td_viewer_options *options, struct td_err *err);
/* Does what the command line wants that needs the size of the rows' area: draws frames meanwhile. */
int td_view_run_script(struct td_view *view, const struct td_viewer_options *options, struct td_err *err);

/* Writes the picture `screenshot` of a finished trace; `path` is its title. */
int td_viewer_draw(struct td_trace *trace, const char *path, const struct td_viewer_options *options,
                   struct td_err *err);
/* The same of a program, when its session has ended. */
int td_viewer_draw_live(const char *host, int port, const char *where,
                        const struct td_viewer_options *options, struct td_err *err);

/* The command `tendril view`, as those of host/tools/commands.h; `summary` is its sentence in the list of commands. */
int td_viewer_run(int argc, char **argv, const char *summary, struct td_err *err);
