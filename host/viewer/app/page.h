/* A page of the viewer's window: a trace from a file, also while it is read, or a live session; what the
 * window shows of it. */
#pragma once
#include "host/viewer/app/loading.h"
#include "host/viewer/app/viewer.h"
#include "host/viewer/model/settings.h"
#include "host/viewer/timeline/view.h"

struct td_page {
    char name[4096];                         /* path or address */
    const struct td_viewer_options *options; /* for the first picture; NULL: the trace's state */
    const struct td_load_options *load;      /* how files are read */
    const struct td_words *path_rules;       /* of the command line */
    struct td_loading *loading;              /* of a file */
    struct td_live *live;                    /* of a session */
    struct td_loadings *shared;              /* with pages of other windows; NULL: none */
    struct td_page *next_live;               /* of `shared` */
    char host[256];
    int port;
    bool has_view;
    struct td_view view;  /* if has_view */
    cJSON *state;         /* to be shown when the file is loaded */
    bool arranged;        /* its rows are, or there is no state */
    bool ends;            /* the file is read, and the model is being finished */
    bool ended;           /* it is */
    struct td_err failed; /* why there is nothing to show */
    char salvaged[240];
};

/* NULL: *err says why. `load` and `shared` (td_loading_open()) must stay until td_page_close(). */
struct td_page *td_page_open_file(const char *path, const struct td_load_options *load,
                                  struct td_loadings *shared, struct td_err *err);
struct td_page *td_page_connect(const char *host, int port, struct td_loadings *shared, struct td_err *err);
/* Keeps the trace's state, and ends loading or the session. NULL is allowed. */
void td_page_close(struct td_page *page);
/* Takes what has been read or has arrived; to be called some times a second. True: the picture has changed. */
bool td_page_step(struct td_page *page, struct td_ui *ui);
/* What the page shows will change without input. */
bool td_page_is_busy(const struct td_page *page);
/* No frame is to be drawn now: the last picture stays. */
bool td_page_rests(const struct td_page *page);
/* Threads make parts of the picture: 1; 2: some have arrived since. */
int td_page_background(struct td_page *page);
/* Draws it below `inset`. True: an animation is not finished. */
bool td_page_draw(struct td_page *page, struct td_ui *ui, float inset);
/* The last part of the path, or the address. */
const char *td_page_title(const struct td_page *page);
/* A live session of which some events are in no file. */
bool td_page_is_unsaved(const struct td_page *page);
