/* The viewer: shows traces on a timeline, in a window (app.h) or as a picture. */
#ifndef TD_HOST_VIEWER_APP_VIEWER_H
#define TD_HOST_VIEWER_APP_VIEWER_H
#include "host/base/options.h"
#include "host/trace/trace.h"
#include "host/viewer/app/live.h"

struct td_viewer_options {  /* all zero: the defaults */
    const char *screenshot; /* PNG to write; NULL: a window opens */
    int width, height;      /* 0: 1600 x 900 */
    double scale;           /* size of text and rows, 1: 96 dpi; 0: that of the display or TRACY_DPI_SCALE */
    int zoom;               /* 1: show the range below first */
    double zoom_start_ns, zoom_end_ns;
    const char *find;                   /* text to search for; NULL: none */
    int collapse;                       /* 1: show tiles collapsed first */
    int select;                         /* 1: select the first zone that `find` finds */
    const char *commands;               /* a script (commands.h) to run first; NULL: none */
    const char *svg;                    /* drawing to write instead of opening a window */
    const char *pdf;                    /* the same as PDF */
    const char *compare;                /* trace to compare with; NULL: none */
    const struct td_load_options *load; /* how that is read; NULL: the defaults */
    struct td_words path_rules;         /* of --path */
    const char *listen;                 /* path of a socket for commands; NULL: none */
    int offscreen;                      /* 1: no window */
    const char *open;                   /* names of panels to open, separated by commas; NULL: none */
    const char *chip;                   /* a measure with which the panel Chips opens; NULL: none */
    const char *symbol;                 /* a function whose source is shown; NULL: none */
    const char *lanes;                  /* a filter of lanes (analysis/lane_filter.h); NULL: none */
    int recorded;                       /* 1: a live session is saved by another process */
};

/* Writes the picture `screenshot` of a finished trace; `path` is its title. */
int td_viewer_draw(struct td_trace *trace, const char *path, const struct td_viewer_options *options,
                   struct td_err *err);
/* The same of a program, when its session has ended. */
int td_viewer_draw_live(const char *host, int port, const char *where,
                        const struct td_viewer_options *options, struct td_err *err);

/* The command `tendril view`: see host/tools/commands.h. */
int td_cmd_view(int argc, char **argv, struct td_err *err);
#endif
