/* A window in a browser: its pages, what is sent to the browser and what comes from it. */
#pragma once
#include "host/base/run_folder.h"
#include "host/viewer/drive/request.h"
#include "host/viewer/web/server.h"

#include <stdio.h>

struct td_app;
struct td_loadings;
struct td_load_options;
struct td_viewer_options;
struct td_web_pictures;

#define TD_WEB_REQUESTS 32 /* of a browser that wait */

struct td_web_window {
    struct td_app *app;
    struct td_web_server *server;
    uint32_t client;                     /* 0: no browser is connected */
    char name[TD_WEB_SESSION_BYTES + 1]; /* "": no browser has been */
    int64_t left_ms, turned_ms;
    bool urgent; /* input has come since the last turn */
    struct td_web_pictures *pictures;
    uint32_t sent, acked; /* numbers of pictures */
    bool skipped;         /* the last one was not sent: the browser has not drawn others yet */
    struct td_requests requests;
    struct {
        double id;
        char *text;
    } asked[TD_WEB_REQUESTS];
    size_t asked_count;
    struct td_run_folder folder; /* of traces that were uploaded, and of what is made for downloads */
    const struct td_live *saves; /* a session that is written for a download; only compared */
    char saved_path[512];
    unsigned uploads;
    FILE *upload; /* NULL: none */
    char upload_path[512];
    uint64_t upload_left, upload_done;
};

/* Without pages. NULL: *err says why. */
struct td_web_window *td_web_window_open(const struct td_viewer_options *options,
                                         const struct td_load_options *load, struct td_loadings *shared,
                                         int port, struct td_web_server *server, struct td_err *err);
void td_web_window_close(struct td_web_window *window); /* NULL is allowed */
/* A browser has come, or is gone. */
void td_web_window_enter(struct td_web_window *window, uint32_t client);
void td_web_window_leave(struct td_web_window *window);
/* What the browser sent. 0; TD_E_FORMAT: it is not what the page sends. */
int td_web_window_take(struct td_web_window *window, const struct td_web_input *input);
/* Does what is due, and sends a picture if that has changed. False: the window is closed. */
bool td_web_window_turn(struct td_web_window *window, int64_t now_ms);
/* How long until the next turn, in ms; below 0: until input. */
int td_web_window_wait(const struct td_web_window *window, int64_t now_ms);
/* Sends {NAME: TEXT}. */
void td_web_tell(struct td_web_server *server, uint32_t client, const char *name, const char *text);
