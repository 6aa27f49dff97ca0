#include "host/viewer/app/web_window.h"
#include "host/base/clock.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/viewer/app/app.h"
#include "host/viewer/app/page.h"
#include "host/viewer/drive/driver.h"
#include "host/viewer/ui/remote.h"
#include "host/viewer/web/message.h"
#include "host/viewer/web/pictures.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_MS    12  /* between frames of an animation */
#define AWAY_MS     250 /* between turns while no browser is connected */
#define MOST_AHEAD  3   /* pictures that the browser has not drawn yet */
#define MOST_UPLOAD ((double)(16ull << 30))

static void request_taken(struct td_web_window *w)
{
    free(w->asked[0].text);
    memmove(w->asked, w->asked + 1, --w->asked_count * sizeof *w->asked);
}

/* ---- requests: see td_requests ---- */

static const char *take_request(void *self, size_t *bytes)
{
    const struct td_web_window *w = self;
    if (!w->asked_count)
        return NULL;
    *bytes = strlen(w->asked[0].text);
    return w->asked[0].text;
}

static void reply_request(void *self, char *text)
{
    struct td_web_window *w = self;
    const size_t room = (text ? strlen(text) : 0) + 64;
    char *line = text ? malloc(room) : NULL;
    if (line) {
        const int bytes = snprintf(line, room, "{\"reply\":%.0f,\"answer\":%s}", w->asked[0].id, text);
        td_web_server_send(w->server, w->client, true, line, (size_t)bytes);
    }
    free(line);
    free(text);
    request_taken(w);
}

static void ask(struct td_web_window *w, double id, const char *text)
{
    char *copy = w->asked_count < TD_WEB_REQUESTS ? strdup(text) : NULL;
    if (!copy)
        return;
    w->asked[w->asked_count].id = id;
    w->asked[w->asked_count++].text = copy;
}

/* ---- opening ---- */

struct td_web_window *td_web_window_open(const struct td_viewer_options *options,
                                         const struct td_load_options *load, struct td_loadings *shared,
                                         int port, struct td_web_server *server, struct td_err *err)
{
    struct td_web_window *w = calloc(1, sizeof *w);
    if (w)
        w->pictures = td_web_pictures_create();
    if (w && w->pictures)
        w->app = td_app_create(options, load, port, err);
    if (!w || !w->app) {
        td_web_window_close(w);
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    w->server = server;
    w->requests = (struct td_requests){take_request, reply_request, w};
    td_app_share(w->app, shared, &w->requests);
    return w;
}

static bool need_folder(struct td_web_window *w, struct td_err *err)
{
    return w->folder.path[0] || td_run_folder_make(&w->folder, (uint64_t)MOST_UPLOAD, err) == 0;
}

static void end_upload(struct td_web_window *w, bool keep)
{
    if (w->upload)
        fclose(w->upload);
    w->upload = NULL;
    if (!keep && w->upload_path[0])
        remove(w->upload_path);
    w->upload_path[0] = 0;
}

void td_web_window_close(struct td_web_window *w)
{
    if (!w)
        return;
    end_upload(w, false);
    td_app_destroy(w->app);
    td_web_pictures_destroy(w->pictures);
    while (w->asked_count)
        request_taken(w);
    td_run_folder_remove(&w->folder);
    free(w);
}

void td_web_window_enter(struct td_web_window *w, uint32_t client)
{
    if (w->client) {
        td_web_tell(w->server, w->client, "ended", "This view is open in another tab.");
        td_web_server_drop(w->server, w->client);
        td_web_window_leave(w);
    }
    w->client = client;
    w->urgent = true;
    w->sent = w->acked = td_web_pictures_number(w->pictures);
    td_web_pictures_restart(w->pictures);
    td_ui_remote_wake(td_app_ui(w->app));
}

void td_web_window_leave(struct td_web_window *w)
{
    td_ui_remote_blur(td_app_ui(w->app));
    td_ui_remote_leave(td_app_ui(w->app));
    end_upload(w, false);
    while (w->asked_count)
        request_taken(w);
    w->client = 0;
    w->left_ms = td_mono_ms();
}

void td_web_tell(struct td_web_server *server, uint32_t client, const char *name, const char *text)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, name, text);
    char *line = cJSON_PrintUnformatted(object);
    if (line)
        td_web_server_send(server, client, true, line, strlen(line));
    free(line);
    cJSON_Delete(object);
}

/* ---- files ---- */

static void tell_upload(struct td_web_window *w, double bytes)
{
    char line[64];
    const int count = snprintf(line, sizeof line, "{\"uploaded\":%.0f}", bytes);
    td_web_server_send(w->server, w->client, true, line, (size_t)count);
}

/* The upload failed: the page shows why. */
static void refuse_upload(struct td_web_window *w, const char *why)
{
    end_upload(w, false);
    tell_upload(w, -1);
    td_web_tell(w->server, w->client, "notice", why);
}

static void finish_upload(struct td_web_window *w)
{
    const bool good = fflush(w->upload) == 0 && !ferror(w->upload);
    char path[sizeof w->upload_path];
    snprintf(path, sizeof path, "%s", w->upload_path);
    end_upload(w, good);
    if (good) {
        tell_upload(w, (double)w->upload_done);
        td_ui_remote_drop(td_app_ui(w->app), path);
    } else {
        refuse_upload(w, "the trace could not be written on the server");
    }
}

/* `bytes` 0 and no name: the page gave it up. */
static void begin_upload(struct td_web_window *w, double bytes, const char *name)
{
    struct td_err err = {0};
    end_upload(w, false);
    if (bytes < 1) {
        if (*name)
            refuse_upload(w, "an empty file is no trace");
        return;
    }
    if (bytes > MOST_UPLOAD) {
        refuse_upload(w, "a trace of more than 16 GiB cannot be uploaded");
        return;
    }
    if (!need_folder(w, &err)) {
        refuse_upload(w, err.text);
        return;
    }
    char clean[128];
    td_plain_copy(clean, sizeof clean, td_path_name(name));
    if (!clean[0] || clean[0] == '.')
        snprintf(clean, sizeof clean, "trace");
    /* A folder of its own would be nicer, but names of uploads may be alike. */
    snprintf(w->upload_path, sizeof w->upload_path, "%s/%u-%s", w->folder.path, ++w->uploads, clean);
    w->upload = fopen(w->upload_path, "wbxe");
    w->upload_left = (uint64_t)bytes;
    w->upload_done = 0;
    if (w->upload)
        tell_upload(w, 0);
    else
        refuse_upload(w, "the trace could not be written on the server");
}

static int take_piece(struct td_web_window *w, const struct td_web_input *input)
{
    if (!w->upload)
        return 0; /* it was refused */
    if (input->count > w->upload_left || !input->count)
        return TD_E_FORMAT;
    if (fwrite(input->bytes, 1, input->count, w->upload) != input->count) {
        refuse_upload(w, "the trace could not be written on the server");
        return 0;
    }
    w->upload_left -= input->count;
    w->upload_done += input->count;
    if (w->upload_left)
        tell_upload(w, (double)w->upload_done);
    else
        finish_upload(w);
    return 0;
}

/* The browser gets the file. */
static void offer_file(struct td_web_window *w, const char *file)
{
    char path[80];
    if (td_web_server_offer(w->server, file, path, sizeof path) < 0)
        return;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "file", path);
    cJSON_AddStringToObject(object, "name", TD_PLAIN(td_path_name(file)));
    char *line = cJSON_PrintUnformatted(object);
    if (line)
        td_web_server_send(w->server, w->client, true, line, strlen(line));
    free(line);
    cJSON_Delete(object);
}

/* What has arrived of a session is written first, in a thread. */
static void save_session(struct td_web_window *w, struct td_live *live)
{
    struct td_err err = {0};
    struct td_live_facts facts;
    struct td_save_options options = {.replace = true};
    char name[80];
    td_live_get_facts(live, &facts);
    td_live_offer_name(&facts, name, sizeof name);
    bool good = need_folder(w, &err);
    snprintf(w->saved_path, sizeof w->saved_path, "%s/%s", w->folder.path, name);
    snprintf(options.path, sizeof options.path, "%s", w->saved_path);
    good = good && td_live_save(live, &options, &err) == 0;
    w->saves = good ? live : NULL;
    if (!good)
        td_web_tell(w->server, w->client, "notice", err.text);
}

static void take_saved(struct td_web_window *w)
{
    const struct td_page *page = td_app_page(w->app);
    if (!w->saves || !page || page->live != w->saves) {
        w->saves = NULL; /* another trace is shown: it is no longer wanted */
        return;
    }
    const struct td_saving *saving = td_live_saving(page->live);
    if (td_saving_get_state(saving) < TD_SAVING_DONE)
        return;
    w->saves = NULL;
    if (td_saving_get_state(saving) == TD_SAVING_DONE)
        offer_file(w, w->saved_path);
    else
        td_web_tell(w->server, w->client, "notice", td_saving_text(saving));
}

static void offer_trace(struct td_web_window *w)
{
    struct td_page *page = td_app_page(w->app);
    if (page && page->loading)
        offer_file(w, page->name);
    else if (page && page->live)
        save_session(w, page->live);
    else
        td_web_tell(w->server, w->client, "notice", "there is no trace here");
}

static int offer_drawing(struct td_web_window *w, const char *kind)
{
    struct td_err err = {0};
    struct td_page *page = td_app_page(w->app);
    char path[sizeof w->folder.path + 32];
    if (strcmp(kind, "svg") != 0 && strcmp(kind, "pdf") != 0)
        return TD_E_FORMAT;
    if (!page || !page->has_view)
        td_fail(&err, TD_E_NOTFOUND, "there is no trace here");
    else if (need_folder(w, &err)) {
        snprintf(path, sizeof path, "%s/timeline.%s", w->folder.path, kind);
        if (td_driver_export(&page->view, path, td_drawing_kind_of(path), &err) == 0)
            offer_file(w, path);
    }
    if (err.code)
        td_web_tell(w->server, w->client, "notice", err.text);
    return 0;
}

/* ---- input ---- */

static bool is_behind(const struct td_web_window *w)
{
    return w->sent - w->acked >= MOST_AHEAD;
}

static void take_mouse(struct td_ui *ui, const struct td_web_event *event)
{
    const int button = (int)event->value[0];
    if (event->kind == TD_WEB_MOVE)
        td_ui_remote_move(ui, (float)event->value[0], (float)event->value[1]);
    else if (event->kind == TD_WEB_WHEEL)
        td_ui_remote_wheel(ui, (float)event->value[0], (float)event->value[1]);
    else if (button >= TD_MOUSE_LEFT && button <= TD_MOUSE_MIDDLE)
        td_ui_remote_button(ui, button, event->kind == TD_WEB_DOWN, (int)event->value[1] & 0xff);
}

static int take_event(void *self, const struct td_web_event *event)
{
    struct td_web_window *w = self;
    struct td_ui *ui = td_app_ui(w->app);
    const double *value = event->value;
    switch (event->kind) {
    case TD_WEB_SIZE:
        if (value[0] > TD_UI_MAX_SIZE || value[1] > TD_UI_MAX_SIZE || value[0] < 0 || value[1] < 0)
            return TD_E_FORMAT;
        td_ui_remote_resize(ui, (int)value[0], (int)value[1], value[2]);
        break;
    case TD_WEB_MOVE:
    case TD_WEB_DOWN:
    case TD_WEB_UP:
    case TD_WEB_WHEEL:
        take_mouse(ui, event);
        break;
    case TD_WEB_LEAVE:
        td_ui_remote_leave(ui);
        break;
    case TD_WEB_BLUR:
        td_ui_remote_blur(ui);
        break;
    case TD_WEB_KEY:
    case TD_WEB_KEYUP:
        td_ui_remote_key(ui, &event->press, event->kind == TD_WEB_KEY);
        break;
    case TD_WEB_TEXT:
        td_ui_remote_text(ui, event->text);
        break;
    case TD_WEB_PASTE:
        td_ui_remote_paste(ui, event->text);
        break;
    case TD_WEB_ACK:
        w->acked = value[0] >= 0 && value[0] <= w->sent ? (uint32_t)value[0] : w->acked;
        if (w->skipped && !is_behind(w))
            td_ui_remote_wake(ui); /* it gets what it has missed */
        break;
    case TD_WEB_WHOLE:
        w->acked = w->sent;
        td_web_pictures_restart(w->pictures);
        td_ui_remote_wake(ui);
        break;
    case TD_WEB_RUN:
        ask(w, value[0], event->text);
        break;
    case TD_WEB_UPLOAD:
        begin_upload(w, value[0], event->text);
        break;
    case TD_WEB_DOWNLOAD:
        offer_trace(w);
        break;
    case TD_WEB_DRAWING:
        return offer_drawing(w, event->text);
    case TD_WEB_EVENT_KINDS:
        break;
    }
    return 0;
}

int td_web_window_take(struct td_web_window *w, const struct td_web_input *input)
{
    struct td_err err = {0};
    w->urgent = true;
    if (input->kind == TD_WEB_BYTES_CAME)
        return take_piece(w, input);
    return td_web_message_read((const char *)input->bytes, input->count, take_event, w, &err);
}

/* ---- turns ---- */

int td_web_window_wait(const struct td_web_window *w, int64_t now_ms)
{
    const int wait = td_app_wait_ms(w->app);
    const int64_t passed = now_ms - w->turned_ms;
    /* Nobody sees frames then, but the pages take what is new. */
    const bool away = w->client ? is_behind(w) : w->name[0] != 0;
    if (w->urgent && !away)
        return 0;
    if (wait < 0 && !w->saves)
        return -1;
    const int64_t least = away ? AWAY_MS : wait > 0 ? wait : FRAME_MS;
    return passed >= least ? 0 : (int)(least - passed);
}

static void send_picture(struct td_web_window *w)
{
    struct td_remote_frame frame;
    uint8_t *message = NULL;
    size_t bytes = 0;
    if (!td_ui_remote_frame(td_app_ui(w->app), &frame) || !w->client)
        return;
    w->skipped = is_behind(w);
    if (w->skipped)
        return;
    if (td_web_pictures_encode(w->pictures, &frame, &message, &bytes) <= 0)
        return;
    if (td_web_server_send(w->server, w->client, false, message, bytes) == 0)
        w->sent = td_web_pictures_number(w->pictures);
    free(message);
}

static void send_texts(struct td_web_window *w)
{
    struct td_ui *ui = td_app_ui(w->app);
    const char *copied = td_ui_remote_copied(ui);
    const char *title = w->client ? td_ui_remote_title(ui) : NULL;
    if (copied && w->client)
        td_web_tell(w->server, w->client, "copied", copied);
    if (title)
        td_web_tell(w->server, w->client, "title", title);
}

bool td_web_window_turn(struct td_web_window *w, int64_t now_ms)
{
    if (td_web_window_wait(w, now_ms) != 0)
        return true;
    w->urgent = false;
    w->turned_ms = now_ms;
    const bool open = td_app_turn_now(w->app);
    if (open)
        take_saved(w);
    send_picture(w);
    send_texts(w);
    return open;
}
