/* The viewer's window: pages, one for each trace, and the welcome page. */
#pragma once
#include "host/file/load.h"
#include "host/viewer/app/viewer.h"

struct td_app;

/* `load`: for the files that are opened. Both are the caller's. `port`: see td_welcome_create(). */
struct td_app *td_app_create(const struct td_viewer_options *options, const struct td_load_options *load,
                             int port, struct td_err *err);
void td_app_destroy(struct td_app *app); /* NULL is allowed */
/* Pages that the command line asks for. If there is nothing to show of one of them, td_app_run() ends with its
 * error. 0 or a negative enum td_e. */
int td_app_open_file(struct td_app *app, const char *path, struct td_err *err);
int td_app_connect(struct td_app *app, const char *host, int port, struct td_err *err);
/* Opens the window, and shows it until it is closed. */
int td_app_run(struct td_app *app, struct td_err *err);

struct td_ui;
struct td_page;
struct td_loadings;
struct td_requests;

/* Before pages are opened: windows with the same `shared` read each trace once; `requests` are commands to the page that is
 * shown. Both may be NULL, and must stay until td_app_destroy(). */
void td_app_share(struct td_app *app, struct td_loadings *shared, const struct td_requests *requests);

/* Parts of td_app_run(), for tests and for several windows in one loop. */
int td_app_begin(struct td_app *app, struct td_err *err);
/* Waits for input and news, and draws a frame if there are any. False: the window is closed. */
bool td_app_turn(struct td_app *app);
/* The same without waiting. */
bool td_app_turn_now(struct td_app *app);
/* How long td_app_turn() would wait, in ms; below 0: for input. */
int td_app_wait_ms(struct td_app *app);
/* The error of a page of the command line; NULL: there is none. */
const struct td_err *td_app_failure(const struct td_app *app);
/* Says what is missing of damaged files of the command line, once. */
void td_app_print_salvaged(struct td_app *app);
struct td_ui *td_app_ui(struct td_app *app);
size_t td_app_page_count(const struct td_app *app);
struct td_page *td_app_page(struct td_app *app); /* the one that is shown; NULL: the welcome page */
