/* The viewer: one timeline of a finished trace, in a window or as a picture. */
#ifndef TD_HOST_VIEWER_VIEWER_H
#define TD_HOST_VIEWER_VIEWER_H
#include "host/trace/trace.h"

struct td_viewer_options {  /* all zero: the defaults */
    const char *screenshot; /* PNG to write instead of opening a window */
    int width, height;      /* 0: 1600 x 900 */
    double scale;           /* pixels per pixel of an ordinary screen; 0: what the display says */
    int zoom;               /* 1: begin with the range below */
    double zoom_start_ns, zoom_end_ns;
    const char *find; /* name to search for at once */
    int collapse;     /* 1: begin with tiles closed */
    int select;       /* 1: begin with the first zone that was found selected */
};

/* Shows the trace until the window is closed, or writes the picture. `path` is what the window is called. The
 * model is only read. No thread may change it meanwhile. */
int td_viewer_run(struct td_trace *trace, const char *path, const struct td_viewer_options *options,
                  struct td_err *err);

/* The command `tendril view`: see host/tools/commands.h. */
int td_cmd_view(int argc, char **argv, struct td_err *err);
#endif
