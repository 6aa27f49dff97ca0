/* `tendril view --web`: a window in each browser that connects, of what the command line names. */
#pragma once
#include "host/file/load.h"
#include "host/viewer/app/viewer.h"

#define TD_WEB_VIEWS 8 /* at a time */

struct td_web_view_what { /* all zero: the welcome page */
    const char *path;     /* of a trace */
    const char *host;     /* of a program */
    int port;
};

/* Serves until a signal ends it. `port`: see td_app_create(). 0, or the reason why there is nothing to show. */
int td_web_view_run(const struct td_web_view_what *what, const struct td_viewer_options *options,
                    const struct td_load_options *load, int port, struct td_err *err);
