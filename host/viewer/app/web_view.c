#include "host/viewer/app/web_view.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/interrupt.h"
#include "host/base/plain_text.h"
#include "host/viewer/app/app.h"
#include "host/viewer/app/loading.h"
#include "host/viewer/app/web_window.h"
#include "host/viewer/ui/remote.h"
#include "host/viewer/web/server.h"

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define KEPT_MS 1800000 /* a window whose browser is gone: it may sleep, or reload the page */

struct web_view {
    const struct td_web_view_what *what;
    const struct td_viewer_options *options;
    const struct td_load_options *load;
    int port, wake_fd;
    struct td_loadings shared;
    struct td_web_server *server;
    struct td_web_window *windows[TD_WEB_VIEWS];
};

static void wake(void *self)
{
    const uint64_t one = 1;
    const struct web_view *v = self;
    if (write(v->wake_fd, &one, sizeof one) < 0)
        td_debug(viewer, "the loop is awake already");
}

/* ---- windows ---- */

static struct td_web_window **find_room(struct web_view *v)
{
    struct td_web_window **oldest = NULL;
    for (int i = 0; i < TD_WEB_VIEWS; i++) {
        if (!v->windows[i])
            return &v->windows[i];
        if (!v->windows[i]->client && (!oldest || v->windows[i]->left_ms < (*oldest)->left_ms))
            oldest = &v->windows[i];
    }
    if (oldest)
        td_web_window_close(*oldest);
    if (oldest)
        *oldest = NULL;
    return oldest;
}

/* A window with what the command line names. NULL: *err says why. */
static struct td_web_window *open_window(struct web_view *v, struct td_err *err)
{
    struct td_web_window **room = find_room(v);
    if (!room) {
        td_fail(err, TD_E_LIMIT, "%d browsers look at this viewer already", TD_WEB_VIEWS);
        return NULL;
    }
    struct td_web_window *window =
        td_web_window_open(v->options, v->load, &v->shared, v->port, v->server, err);
    if (!window)
        return NULL;
    int rc = 0;
    if (v->what->host)
        rc = td_app_connect(window->app, v->what->host, v->what->port, err);
    else if (v->what->path)
        rc = td_app_open_file(window->app, v->what->path, err);
    rc = rc ? rc : td_app_begin(window->app, err);
    if (rc < 0) {
        td_web_window_close(window);
        return NULL;
    }
    *room = window;
    return window;
}

static struct td_web_window *find_window(const struct web_view *v, const char *name, bool unnamed)
{
    for (int i = 0; i < TD_WEB_VIEWS; i++)
        if (v->windows[i] && (unnamed ? !v->windows[i]->name[0] : !strcmp(v->windows[i]->name, name)))
            return v->windows[i];
    return NULL;
}

/* A browser gets its own window again, else the first one, which nobody has yet, else a new one. */
static void let_in(struct web_view *v, const struct td_web_input *input)
{
    struct td_err err = {0};
    struct td_web_window *window = input->session[0] ? find_window(v, input->session, false) : NULL;
    window = window ? window : find_window(v, "", true);
    window = window ? window : open_window(v, &err);
    if (!window) {
        td_web_tell(v->server, input->client, "ended", err.text);
        td_web_server_drop(v->server, input->client);
        return;
    }
    snprintf(window->name, sizeof window->name, "%s", input->session[0] ? input->session : "-");
    td_web_window_enter(window, input->client);
}

static void take_input(struct web_view *v, const struct td_web_input *input)
{
    if (input->kind == TD_WEB_OPENED) {
        let_in(v, input);
        return;
    }
    for (int i = 0; i < TD_WEB_VIEWS; i++) {
        struct td_web_window *window = v->windows[i];
        if (!window || window->client != input->client)
            continue;
        if (input->kind == TD_WEB_CLOSED)
            td_web_window_leave(window);
        else if (td_web_window_take(window, input) < 0)
            td_web_server_drop(v->server, input->client);
    }
}

/* ---- the loop ---- */

static void end_window(struct web_view *v, int i)
{
    if (v->windows[i]->client)
        td_web_tell(v->server, v->windows[i]->client, "ended", "This view was closed.");
    td_web_window_close(v->windows[i]);
    v->windows[i] = NULL;
}

/* Gives each window its turn. Returns how long to wait for the next one, in ms; below 0: for input. */
static int take_turns(struct web_view *v, bool woken, struct td_err *err)
{
    int wait = -1;
    for (int i = 0; i < TD_WEB_VIEWS; i++) {
        struct td_web_window *window = v->windows[i];
        if (!window)
            continue;
        if (woken)
            td_ui_remote_wake(td_app_ui(window->app));
        const int64_t now_ms = td_mono_ms();
        const bool old = !window->client && window->name[0] && now_ms - window->left_ms > KEPT_MS;
        if (old || !td_web_window_turn(window, now_ms)) {
            end_window(v, i);
            continue;
        }
        const struct td_err *failed = window->name[0] ? NULL : td_app_failure(window->app);
        if (failed)
            td_fail(err, failed->code, "%s", failed->text);
        td_app_print_salvaged(window->app);
        const int next = td_web_window_wait(window, td_mono_ms());
        if (next >= 0 && (wait < 0 || next < wait))
            wait = next;
    }
    return wait;
}

static int serve_browsers(struct web_view *v, struct td_err *err)
{
    const volatile int *interrupts = td_interrupt_count();
    bool woken = false;
    while (!*interrupts) {
        struct td_web_input input;
        while (td_web_server_take(v->server, &input)) {
            take_input(v, &input);
            td_web_input_free(&input);
        }
        const int wait = take_turns(v, woken, err);
        if (err->code)
            return err->code;
        struct pollfd wakes = {.fd = v->wake_fd, .events = POLLIN};
        uint64_t count;
        woken = poll(&wakes, 1, wait) > 0 && read(v->wake_fd, &count, sizeof count) > 0;
    }
    return 0;
}

int td_web_view_run(const struct td_web_view_what *what, const struct td_viewer_options *options,
                    const struct td_load_options *load, int port, struct td_err *err)
{
    struct web_view v = {.what = what, .options = options, .load = load, .port = port};
    struct td_ui_waker waker = {wake, &v};
    const struct td_web_server_options server = {.where = options->web.port,
                                                 .certificate = options->web.certificate,
                                                 .key = options->web.key,
                                                 .wake = wake,
                                                 .self = &v};
    struct td_err why = {0};
    v.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (v.wake_fd < 0)
        return td_fail_errno(err, "cannot wait for browsers");
    td_interrupt_catch();
    int rc = td_ui_add_waker(&waker, err);
    const bool waits = rc == 0;
    if (rc == 0 && !(v.server = td_web_server_open(&server, &why)))
        rc = why.code;
    if (rc == 0 && !open_window(&v, &why))
        rc = why.code;
    if (rc == 0) {
        printf("Open %s in a browser\n", td_web_server_url(v.server));
        fflush(stdout);
        rc = serve_browsers(&v, &why);
    }
    if (why.code)
        td_fail(err, why.code, "%s", why.text);
    for (int i = 0; i < TD_WEB_VIEWS; i++)
        td_web_window_close(v.windows[i]);
    td_web_server_close(v.server);
    if (waits)
        td_ui_remove_waker(&waker);
    close(v.wake_fd);
    return rc;
}
