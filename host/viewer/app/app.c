#include "host/viewer/app/app.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "host/base/plain_text.h"
#include "host/viewer/drive/bare.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/timeline/notes.h"
#include "host/viewer/drive/driver.h"
#include "host/viewer/app/closing.h"
#include "host/viewer/app/recent.h"
#include "host/viewer/drive/listen.h"
#include "host/viewer/app/page.h"
#include "host/viewer/app/welcome.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_WIDTH  1600
#define DEFAULT_HEIGHT 900
#define REFRESH_MS     33  /* between looks at a trace that grows */
#define WELCOME_MS     250 /* between looks at announcements */
#define RESULT_MS      8   /* between looks at what threads make for the picture */
#define SETTLE_FRAMES  3   /* frames after an event until widgets no longer change */
#define TAB_HEIGHT     30
#define TAB_MOST       220

struct td_app {
    const struct td_viewer_options *options;
    const struct td_load_options *load;
    int port;
    struct td_ui *ui;
    struct td_settings settings;
    struct td_welcome *welcome;
    struct td_page **pages;
    size_t count, capacity, at; /* at == count: the welcome page */
    size_t given;              /* pages of the command line, the first ones, whose failure ends the program */
    struct td_closing closing; /* whether a session that is not saved may be closed */
    bool takes_upload;         /* what is being opened came from a browser */
    bool left;                 /* the user has closed the window */
    struct td_listen *listen;  /* NULL: none */
    bool waits_to_answer;      /* until the trace is read */
    const struct td_requests *requests; /* commands to the page that is shown; NULL: none */
    struct td_loadings *shared;         /* with other windows; NULL: none */
    int frames;                         /* still to be drawn */
    bool shown, rows_shown;             /* for the debug log: a picture, one with zones */
    bool moving;
    int64_t stepped_ms;
};

struct td_app *td_app_create(const struct td_viewer_options *options, const struct td_load_options *load,
                             int port, struct td_err *err)
{
    struct td_app *app = calloc(1, sizeof *app);
    if (!app) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    app->options = options;
    app->load = load;
    app->port = port;
    td_settings_read(&app->settings);
    td_settings_apply(&app->settings);
    return app;
}

void td_app_destroy(struct td_app *app)
{
    if (!app)
        return;
    for (size_t i = 0; i < app->count; i++)
        td_page_close(app->pages[i]);
    free(app->pages);
    td_welcome_destroy(app->welcome);
    td_listen_close(app->listen);
    td_ui_close(app->ui);
    free(app);
}

void td_app_share(struct td_app *app, struct td_loadings *shared, const struct td_requests *requests)
{
    app->shared = shared;
    app->requests = requests;
}

struct td_ui *td_app_ui(struct td_app *app)
{
    return app->ui;
}

size_t td_app_page_count(const struct td_app *app)
{
    return app->count;
}

struct td_page *td_app_page(struct td_app *app)
{
    return app->at < app->count ? app->pages[app->at] : NULL;
}

/* ---- pages ---- */

static void show_title(struct td_app *app)
{
    char title[300];
    const struct td_page *page = td_app_page(app);
    if (!app->ui)
        return;
    snprintf(title, sizeof title, "%.250s%sTendril", page ? TD_PLAIN(td_page_title(page)) : "",
             page ? " - " : "");
    td_ui_set_title(app->ui, title);
}

static void show_page(struct td_app *app, size_t at)
{
    const bool welcome = at >= app->count;
    if (welcome && !app->welcome)
        app->welcome = td_welcome_create(app->port);
    else if (welcome)
        td_welcome_enter(app->welcome);
    if (welcome && !app->welcome)
        return;
    app->at = welcome ? app->count : at;
    app->closing = (struct td_closing){0};
    app->frames = SETTLE_FRAMES;
    show_title(app);
}

/* Takes the page, which may be NULL: then *err says why. */
static int add_page(struct td_app *app, struct td_page *page, const struct td_err *why, struct td_err *err)
{
    if (page && td_grow(&app->pages, &app->capacity, app->count + 1, sizeof *app->pages) == 0) {
        page->path_rules = &app->options->path_rules;
        app->pages[app->count++] = page;
        if (!app->ui) {
            page->options = app->options;
            app->given = app->count;
        }
        app->stepped_ms = 0; /* shows it in the next turn */
        show_page(app, app->count - 1);
        return 0;
    }
    td_page_close(page);
    return page ? td_fail_no_memory(err, NULL) : td_fail(err, why->code, "%s", why->text);
}

int td_app_open_file(struct td_app *app, const char *path, struct td_err *err)
{
    struct td_err why = {0};
    char whole[PATH_MAX];
    int rc = add_page(app, td_page_open_file(path, app->load, app->shared, &why), &why, err);
    if (rc < 0)
        return rc;
    /* What a browser sent is deleted when its window closes. */
    if (!app->takes_upload && realpath(path, whole)) {
        struct td_recent recent = {0};
        td_recent_add(&recent, TD_RECENT_FILES, whole);
        td_recent_free(&recent);
    }
    return 0;
}

int td_app_connect(struct td_app *app, const char *host, int port, struct td_err *err)
{
    struct td_err why = {0};
    int rc = add_page(app, td_page_connect(host, port, app->shared, &why), &why, err);
    if (rc < 0)
        return rc;
    struct td_recent recent = {0};
    td_recent_add(&recent, TD_RECENT_ADDRESSES, app->pages[app->at]->name);
    td_recent_free(&recent);
    return 0;
}

static void close_page(struct td_app *app, size_t at)
{
    td_page_close(app->pages[at]);
    app->count--;
    for (size_t i = at; i < app->count; i++)
        app->pages[i] = app->pages[i + 1];
    app->given -= at < app->given;
    show_page(app, app->count && at >= app->count ? app->count - 1 : at);
}

static void ask_to_close(struct td_app *app)
{
    const struct td_page *page = td_app_page(app);
    if (!page)
        return;
    app->frames = SETTLE_FRAMES;
    if (td_page_is_unsaved(page))
        td_closing_ask(&app->closing, false);
    else
        close_page(app, app->at);
}

/* Errors of what the user opens in the window are told in the welcome page. */
static void open_in_window(struct td_app *app, const struct td_welcome_choice *choice)
{
    struct td_err why = {0};
    int rc = choice->what == TD_WELCOME_OPEN ? td_app_open_file(app, choice->text, &why)
                                             : td_app_connect(app, choice->text, choice->port, &why);
    if (rc == 0)
        return;
    if (app->at < app->count)
        show_page(app, app->count);
    if (app->welcome)
        td_welcome_tell(app->welcome, why.text);
}

static void take_dropped(struct td_app *app)
{
    const char *path;
    while ((path = td_ui_dropped(app->ui))) {
        struct td_welcome_choice choice = {.what = TD_WELCOME_OPEN};
        snprintf(choice.text, sizeof choice.text, "%s", path);
        app->takes_upload = app->options->web.port != NULL;
        open_in_window(app, &choice);
        app->takes_upload = false;
    }
}

/* What the panels of a page want of the window. */
static void take_wish(struct td_app *app)
{
    struct td_page *page = td_app_page(app);
    const enum td_wish wish = page && page->has_view ? page->view.wishes.page : TD_WISH_NONE;
    if (wish == TD_WISH_NONE)
        return;
    page->view.wishes.page = TD_WISH_NONE;
    app->frames = SETTLE_FRAMES;
    if (wish == TD_WISH_OPEN)
        show_page(app, app->count);
    else if (wish == TD_WISH_CLOSE)
        ask_to_close(app);
    else if (wish == TD_WISH_SETTINGS || wish == TD_WISH_SCALE) {
        td_settings_apply(&app->settings);
        if (wish == TD_WISH_SCALE)
            td_ui_set_scale(app->ui, app->settings.scale);
        td_settings_write(&app->settings, NULL);
    } else if (wish == TD_WISH_RECONNECT) {
        struct td_welcome_choice choice = {.what = TD_WELCOME_CONNECT, .port = page->port};
        snprintf(choice.text, sizeof choice.text, "%s", page->host);
        open_in_window(app, &choice);
    }
}

/* ---- keys ---- */

/* True: the key is the window's own. */
static bool take_key(struct td_app *app, const struct td_key_press *press)
{
    const size_t all = app->count + (app->at == app->count || !app->count);
    if (app->closing.stage != TD_CLOSING_NONE) {
        td_closing_key(&app->closing, td_app_page(app), press);
        app->frames = SETTLE_FRAMES;
        return true;
    }
    if (press->key == TD_KEY_ESCAPE && app->at == app->count && app->count) {
        show_page(app, app->count - 1);
        return true;
    }
    if (!press->ctrl)
        return false;
    if (press->key == 'o')
        show_page(app, app->count);
    else if (press->key == 'w')
        ask_to_close(app);
    else if (press->key == TD_KEY_TAB || press->key == TD_KEY_PAGE_DOWN)
        show_page(app, press->shift ? (app->at + all - 1) % all : (app->at + 1) % all);
    else if (press->key == TD_KEY_PAGE_UP)
        show_page(app, (app->at + all - 1) % all);
    else
        return false;
    return true;
}

static void take_keys(struct td_app *app)
{
    const struct td_key_press *keys;
    const size_t count = td_ui_keys(app->ui, &keys);
    for (size_t i = 0; i < count; i++)
        if (take_key(app, &keys[i]))
            td_ui_take_key(app->ui, i);
}

/* ---- drawing ---- */

/* A row of tabs, if there is more than one page. Returns its height. */
static float draw_tabs(struct td_app *app)
{
    const size_t tabs = app->count + (app->at == app->count);
    const float scale = td_ui_scale(app->ui), all = td_ui_width(app->ui), high = floorf(TAB_HEIGHT * scale);
    if (tabs < 2)
        return 0;
    const float wide = fminf(TAB_MOST * scale, all / (float)tabs), pad = 12 * scale;
    size_t wanted = app->at, closed = SIZE_MAX;
    td_ui_region_begin(app->ui, "tabs", 0, 0, all, high, TD_C(GUTTER), TD_LAYER_BASE);
    for (size_t i = 0; i < tabs; i++) {
        char id[32];
        bool hovered, on_cross;
        const float x = wide * (float)i, cross = x + wide - 22 * scale;
        const char *name = i < app->count ? TD_PLAIN(td_page_title(app->pages[i])) : "Open";
        snprintf(id, sizeof id, "close%zu", i);
        if (td_ui_click_area(app->ui, id, cross, 0, 22 * scale, high, &on_cross) && i < app->count)
            closed = i;
        snprintf(id, sizeof id, "tab%zu", i);
        if (td_ui_click_area(app->ui, id, x, 0, cross - x, high, &hovered))
            wanted = i;
        if (i == app->at || hovered)
            td_ui_rect(app->ui, x, 0, x + wide, high, i == app->at ? TD_C(BAR) : TD_C(GROUP), 0);
        if (i == app->at)
            td_ui_rect(app->ui, x, 0, x + wide, 2 * scale, TD_C(ACCENT), 0);
        const float y = (high - td_ui_text_height(app->ui, TD_FONT_TEXT)) / 2;
        td_ui_text_fit(app->ui, TD_FONT_TEXT, x + pad, y, cross - x - pad,
                       i == app->at ? TD_C(TEXT) : TD_C(TEXT_DIM), name);
        if (i < app->count)
            td_ui_text(app->ui, TD_FONT_TEXT, cross + 6 * scale, y, on_cross ? TD_C(TEXT) : TD_C(TEXT_FAINT),
                       "\xc3\x97");
    }
    td_ui_region_end(app->ui);
    if (wanted != app->at)
        show_page(app, wanted);
    if (closed != SIZE_MAX) {
        show_page(app, closed);
        ask_to_close(app);
    }
    return high;
}

/* Shows the first session that is not saved, and asks; false: there is none. Nobody answers in a picture. */
static bool ask_to_leave(struct td_app *app)
{
    for (size_t i = 0; i < app->count && !app->options->offscreen; i++)
        if (td_page_is_unsaved(app->pages[i])) {
            show_page(app, i);
            td_closing_ask(&app->closing, true);
            return true;
        }
    return false;
}

static void draw_question(struct td_app *app)
{
    const bool leaves = app->closing.leaves;
    const enum td_closing_answer answer = td_closing_draw(&app->closing, td_app_page(app), app->ui);
    if (answer == TD_CLOSING_WAITS)
        return;
    app->frames = SETTLE_FRAMES;
    if (answer == TD_CLOSING_CLOSE)
        close_page(app, app->at);
    app->left = answer == TD_CLOSING_CLOSE && leaves && !ask_to_leave(app);
}

static void note_shown(struct td_app *app)
{
    const struct td_page *page = td_app_page(app);
    if (!app->shown)
        td_debug(viewer, "the first picture is shown");
    app->shown = true;
    if (app->rows_shown || !page || !page->has_view || !page->view.drawn.count)
        return;
    td_debug(viewer, "the first rows are shown, with %" PRIu64 " zones", page->view.model.zones);
    app->rows_shown = true;
}

static void draw_frame(struct td_app *app)
{
    struct td_welcome_choice choice = {.what = TD_WELCOME_NOTHING};
    td_ui_begin(app->ui);
    const bool asked = app->closing.stage != TD_CLOSING_NONE;
    take_keys(app);
    const float inset = draw_tabs(app);
    struct td_page *page = td_app_page(app);
    const bool asks = asked || app->closing.stage != TD_CLOSING_NONE;
    app->moving = false;
    if (page) {
        page->view.choices.shared = &app->settings;
        app->moving = td_page_draw(page, app->ui, inset);
    } else if (app->welcome) {
        td_welcome_draw(app->welcome, app->ui, inset, &choice);
    }
    if (asks)
        draw_question(app);
    td_ui_end(app->ui);
    note_shown(app);
    take_wish(app);
    if (choice.what != TD_WELCOME_NOTHING)
        open_in_window(app, &choice);
}

/* ---- the loop ---- */

int td_app_begin(struct td_app *app, struct td_err *err)
{
    const struct td_viewer_options *o = app->options;
    struct td_ui_options window = {.title = "Tendril",
                                   .width = o->width ? o->width : DEFAULT_WIDTH,
                                   .height = o->height ? o->height : DEFAULT_HEIGHT,
                                   .scale = o->scale > 0 ? o->scale : app->settings.scale,
                                   .offscreen = o->offscreen,
                                   .remote = o->web.port != NULL};
    app->listen = o->listen ? td_listen_open(o->listen, td_ui_wake, err) : NULL;
    if (o->listen && !app->listen)
        return err->code;
    if (app->listen)
        app->requests = td_listen_requests(app->listen);
    app->ui = td_ui_open(&window, err);
    if (!app->ui)
        return err && err->code ? err->code : TD_E_NOTFOUND;
    show_page(app, app->at);
    return 0;
}

int td_app_wait_ms(struct td_app *app)
{
    if (td_app_page(app) && td_page_rests(td_app_page(app)))
        return RESULT_MS;
    if (app->frames > 0 || app->moving)
        return 0;
    if (td_app_page(app) && td_page_background(td_app_page(app)))
        return RESULT_MS;
    int wait = app->waits_to_answer ? REFRESH_MS : app->at == app->count ? WELCOME_MS : -1;
    for (size_t i = 0; i < app->count; i++)
        if (td_page_is_busy(app->pages[i]))
            wait = REFRESH_MS;
    return wait;
}

/* All pages take their news; those of the one that is shown change the picture. */
static bool step_pages(struct td_app *app)
{
    bool changed = app->at == app->count && app->welcome && td_welcome_step(app->welcome);
    for (size_t i = 0; i < app->count; i++)
        changed |= td_page_step(app->pages[i], app->ui) && i == app->at;
    return changed;
}

static void draw_bare(void *self)
{
    draw_frame(self);
}

enum { DRIVEN = 1, DRIVEN_OUT = 2 }; /* a frame is to be drawn, the window is to be closed */

/* Does what programs ask for. The requests wait while a trace is read: those of a browser until it is shown, others
 * until all of it is there, so that answers do not depend on how fast it is read. */
static int drive(struct td_app *app)
{
    struct td_page *page = td_app_page(app);
    bool any = false, quit = false, discards = false;
    app->waits_to_answer = false;
    if (page && page->has_view && app->listen && page->view.model.loading && !page->view.model.live) {
        app->waits_to_answer = true;
    } else if (page && page->has_view) {
        any = td_driver_step(&page->view, app->requests);
        quit = page->view.wishes.quit;
        discards = page->view.wishes.discards;
    } else if (!page || page->failed.code) {
        struct td_bare bare = {.ui = app->ui, .draw = draw_bare, .self = app};
        any = td_bare_step(&bare, app->requests);
        quit = bare.quit;
        discards = bare.discards;
    }
    if (quit && (discards || !ask_to_leave(app)))
        return DRIVEN_OUT;
    if (quit && page)
        page->view.wishes.quit = false;
    return any ? DRIVEN : 0;
}

/* The next thing that happens: input, news, or a frame. */
static bool take_turn(struct td_app *app, bool waits)
{
    const int news = td_ui_poll(app->ui, waits ? td_app_wait_ms(app) : 0);
    struct td_page *page;
    if (!news && !(td_ui_is_closed(app->ui) && ask_to_leave(app)))
        return false;
    const int driven = drive(app);
    if (driven == DRIVEN_OUT)
        return false;
    if (news > 1 || driven)
        app->frames = SETTLE_FRAMES;
    take_dropped(app);
    if (td_mono_ms() - app->stepped_ms >= REFRESH_MS) {
        app->stepped_ms = td_mono_ms();
        if ((step_pages(app) || app->closing.stage == TD_CLOSING_SAVES) && app->frames < 1)
            app->frames = 1;
    }
    if (app->frames < 1 && td_app_page(app) && td_page_background(td_app_page(app)) > 1)
        app->frames = 1;
    page = td_app_page(app);
    if (page && td_page_rests(page)) {
        app->frames = SETTLE_FRAMES;
    } else if (app->frames > 0 || app->moving) {
        app->frames--;
        draw_frame(app);
    } else if (page && page->has_view) {
        struct td_err err = {0};
        if (td_view_save_notes(&page->view, &err) < 0)
            td_view_say(&page->view, err.text);
    }
    return !app->left;
}

bool td_app_turn(struct td_app *app)
{
    return take_turn(app, true);
}

bool td_app_turn_now(struct td_app *app)
{
    return take_turn(app, false);
}

const struct td_err *td_app_failure(const struct td_app *app)
{
    for (size_t i = 0; i < app->given; i++)
        if (app->pages[i]->failed.code)
            return &app->pages[i]->failed;
    return NULL;
}

void td_app_print_salvaged(struct td_app *app)
{
    for (size_t i = 0; i < app->given; i++)
        if (app->pages[i]->salvaged[0]) {
            fprintf(stderr, "tendril view: %s\n", TD_PLAIN(app->pages[i]->salvaged));
            app->pages[i]->salvaged[0] = 0;
        }
}

int td_app_run(struct td_app *app, struct td_err *err)
{
    int rc = td_app_begin(app, err);
    const struct td_err *failed = NULL;
    while (rc == 0 && td_app_turn(app)) {
        td_app_print_salvaged(app);
        failed = td_app_failure(app);
        if (failed)
            return td_fail(err, failed->code, "%s", failed->text);
    }
    return rc;
}
