/* The connection of a live session: its rate over time, what waits, memory, frames, the program's parameters;
 * saves the trace, disconnects, connects again. */
#include "host/viewer/panels/playback.h"
#include "host/viewer/panels/connection.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/timeline/view.h"
#include "host/base/plain_text.h"
#include "host/base/process.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE           24
#define BUTTON         28
#define GRAPH          64
#define PARAMETERS_MAX 64
#define IMAGES         3
#define IMAGE_LOOK     300 /* frames that are looked at for the newest images */
#define FRAMES_MEANT   60

/* clang-format off */
#define CONNECTION_PACKINGS(X)                       \
    X("Zstd 3",      TD_PACK_ZSTD,        3)         \
    X("Zstd 1",      TD_PACK_ZSTD,        1)         \
    X("Zstd 9",      TD_PACK_ZSTD,        9)         \
    X("Zstd 18",     TD_PACK_ZSTD,        18)        \
    X("LZ4",         TD_PACK_LZ4,         0)         \
    X("LZ4 HC",      TD_PACK_LZ4_HC,      0)         \
    X("LZ4 extreme", TD_PACK_LZ4_EXTREME, 0)
/* clang-format on */
static const struct connection_packing {
    const char *name;
    enum td_file_packing packing;
    int level;
} packings[] = {
#define TD_X(name, packing, level) {name, packing, level},
    CONNECTION_PACKINGS(TD_X)
#undef TD_X
};
#define PACKINGS (int)(sizeof packings / sizeof *packings)

struct connection {
    char path[4096];
    bool path_set, focus_path, replace;
    int packing;
    char trouble[300];
    char parameters[PARAMETERS_MAX][16]; /* texts of the fields */
    bool typing[PARAMETERS_MAX];         /* the text is the user's, not yet sent */
};

/* Where the next thing is drawn. */
struct connection_pen {
    struct td_view *view;
    float left, right, y, bottom;
};

TD_PANEL_STATE(connection, CONNECTION)

/* ---- actions ---- */

static void save_trace(struct td_view *view, struct connection *c)
{
    struct td_err why = {0};
    struct td_save_options options = {
        .packing = packings[c->packing].packing, .level = packings[c->packing].level, .replace = c->replace};
    snprintf(options.path, sizeof options.path, "%s", c->path);
    c->trouble[0] = 0;
    if (!c->path[0])
        snprintf(c->trouble, sizeof c->trouble, "the file needs a name");
    else if (td_live_save(view->model.live, &options, &why) < 0)
        td_plain_copy(c->trouble, sizeof c->trouble, why.text);
}

static void set_parameter(struct td_view *view, struct connection *c, uint64_t row, int64_t value)
{
    struct td_err why = {0};
    const struct td_series *table = td_trace_table(view->model.trace, TD_TABLE_PARAMETER);
    const uint32_t index = (uint32_t)td_series_get(table, row, TD_PARAMETER_INDEX);
    c->trouble[0] = 0;
    if (value < INT32_MIN || value > INT32_MAX)
        snprintf(c->trouble, sizeof c->trouble, "a parameter is a whole number of 32 bits");
    else if (td_live_set_parameter(view->model.live, index, (int32_t)value, &why) < 0)
        td_plain_copy(c->trouble, sizeof c->trouble, why.text);
}

/* ---- lines ---- */

/* Room for `high` pixels; false: there is none left. */
static bool take_room(struct connection_pen *pen, float high, float *y)
{
    *y = pen->y;
    if (pen->y + high > pen->bottom)
        return false;
    pen->y += high;
    return true;
}

static void draw_value(struct connection_pen *pen, const char *label, const char *value)
{
    struct td_ui *ui = pen->view->ui;
    float y, middle = pen->left + (pen->right - pen->left) * .4f;
    if (!take_room(pen, TD_U(pen->view, LINE), &y))
        return;
    td_ui_text_fit(ui, TD_FONT_TEXT, pen->left, y, middle - pen->left - TD_U(pen->view, 8), TD_C(TEXT_DIM),
                   label);
    td_ui_text_fit(ui, TD_FONT_TEXT, middle, y, pen->right - middle, TD_C(TEXT), value);
}

static void draw_head(struct connection_pen *pen, td_rgba color, const char *text)
{
    float y;
    if (take_room(pen, TD_U(pen->view, LINE), &y))
        td_ui_text_fit(pen->view->ui, TD_FONT_BOLD, pen->left, y, pen->right - pen->left, color, text);
}

/* The number of the button in a row of equal ones that was clicked; -1: none. NULL labels are left out. */
static int draw_buttons(struct connection_pen *pen, const char *const *labels, int count)
{
    const float gap = TD_U(pen->view, 8), high = TD_U(pen->view, BUTTON);
    const float wide = (pen->right - pen->left - gap * (float)(count - 1)) / (float)count;
    float y;
    int clicked = -1;
    if (!take_room(pen, high + gap, &y))
        return -1;
    for (int i = 0; i < count; i++)
        if (labels[i] &&
            td_ui_button(pen->view->ui, labels[i], pen->left + (wide + gap) * (float)i, y, wide, high))
            clicked = i;
    return clicked;
}

/* ---- parts ---- */

static void draw_rates(struct connection_pen *pen, const struct td_live_facts *facts)
{
    struct td_view *view = pen->view;
    const float high = TD_U(view, GRAPH), wide = pen->right - pen->left, bar = wide / TD_LIVE_RATES;
    float y, most = .001f;
    if (!take_room(pen, high + TD_U(view, 8), &y))
        return;
    for (unsigned i = 0; i < facts->rate_count; i++)
        most = fmaxf(most, facts->mbps[i]);
    td_ui_rect(view->ui, pen->left, y, pen->right, y + high, TD_C(BACK), TD_U(view, 3));
    for (unsigned i = 0; i < facts->rate_count; i++) {
        const float x = pen->right - bar * (float)(facts->rate_count - i);
        td_ui_rect(view->ui, x, y + high - fmaxf(facts->mbps[i] / most * (high - 2), 1),
                   x + fmaxf(bar - 1, 1), y + high, TD_C(DENSITY), 0);
    }
    char text[40];
    snprintf(text, sizeof text, "%.2f Mbps", (double)most);
    td_ui_text(view->ui, TD_FONT_SMALL, pen->left + TD_U(view, 6), y + TD_U(view, 4), TD_C(TEXT_DIM), text);
}

static void draw_traffic(struct connection_pen *pen, const struct td_live_facts *facts)
{
    char text[120];
    const double now = facts->rate_count ? (double)facts->mbps[facts->rate_count - 1] : 0;
    const double part = facts->unpacked ? (double)facts->packed / (double)facts->unpacked : 1;
    draw_rates(pen, facts);
    snprintf(text, sizeof text, "%.2f Mbps / %.1f %% = %.2f Mbps", now, part * 100,
             part > 0 ? now / part : 0);
    draw_value(pen, "Rate / ratio = unpacked", text);
    snprintf(text, sizeof text, "%.2f MB, unpacked %.2f MB", (double)facts->packed / 1e6,
             (double)facts->unpacked / 1e6);
    draw_value(pen, "Received", text);
    snprintf(text, sizeof text, "%" PRIu64, facts->questions);
    draw_value(pen, "Queries without answer", text);
    uint64_t resident = 0;
    td_process_memory(&resident, NULL);
    snprintf(text, sizeof text, "%.0f MB", (double)resident / 1e6);
    draw_value(pen, "Memory", text);
}

/* Mean of the newest frames of the base set; nothing if the program marks none. */
static void draw_frame_rate(struct connection_pen *pen)
{
    const struct td_trace *trace = pen->view->model.trace;
    const size_t frames = td_dict_frame_set_count(pen->view->model.dict) ? td_trace_frames(trace, 0) : 0;
    char text[100], time[TD_FORMAT_BYTES];
    if (frames < 4)
        return;
    const size_t meant = frames - 3 < FRAMES_MEANT ? frames - 3 : FRAMES_MEANT;
    const double ns = (double)(td_trace_frame(trace, 0, frames - 1).start_ns -
                               td_trace_frame(trace, 0, frames - 1 - meant).start_ns) /
                      (double)meant;
    if (ns <= 0)
        return;
    snprintf(text, sizeof text, "%.1f FPS, %s", 1e9 / ns, td_format_ns(time, ns));
    draw_value(pen, "Frames", text);
}

static void draw_saving(struct connection_pen *pen, struct connection *c, const struct td_live_facts *facts)
{
    struct td_view *view = pen->view;
    const float gap = TD_U(view, 8), high = TD_U(view, BUTTON);
    float y;
    if (!c->path_set && facts->session.release) {
        c->path_set = true;
        td_live_offer_name(facts, c->path, sizeof c->path);
    }
    draw_head(pen, TD_C(TEXT), "Save (Ctrl+S)");
    if (!take_room(pen, high + gap, &y))
        return;
    const int input = td_ui_input(view->ui, "##save", "File", pen->left, y, pen->right - pen->left, high,
                                  c->path, sizeof c->path, c->focus_path);
    c->focus_path = false;
    char packing[40];
    snprintf(packing, sizeof packing, "%s##packing", packings[c->packing].name);
    const char *const labels[] = {"Save", packing, c->replace ? "Replaces" : "New file only"};
    const int clicked = draw_buttons(pen, labels, 3);
    if (clicked == 0 || (input & TD_INPUT_ENTER))
        save_trace(view, c);
    else if (clicked == 1)
        c->packing = (c->packing + 1) % PACKINGS;
    else if (clicked == 2)
        c->replace = !c->replace;
    char text[60];
    const struct td_saving *saving =
        td_live_saving(view->model.live); /* a click may have begun another one */
    if (c->trouble[0]) {
        draw_head(pen, TD_C(LOST), c->trouble);
    } else if (saving && td_saving_get_state(saving) < TD_SAVING_DONE) {
        snprintf(text, sizeof text, "saving: %.0f %%", td_saving_part(saving) * 100);
        draw_value(pen, text, "");
    } else if (saving) {
        draw_head(pen, td_saving_get_state(saving) == TD_SAVING_DONE ? TD_C(ACCENT) : TD_C(LOST),
                  td_saving_text(saving));
    }
}

static void draw_session_buttons(struct connection_pen *pen)
{
    struct td_view *view = pen->view;
    const bool ended = td_live_get_state(view->model.live) >= TD_LIVE_ENDED;
    const char *const first[] = {view->camera.follow ? "Hold" : "Follow", "Newest (J)",
                                 view->selection.newest_frames ? "All frames (3)" : "3 frames (3)"};
    const char *const second[] = {ended ? "Reconnect (Ctrl+R)" : "Disconnect (Ctrl+D)", "Discard (Ctrl+W)"};
    int clicked = ended ? -1 : draw_buttons(pen, first, 3);
    if (clicked == 0)
        td_camera_follow(&view->camera, !view->camera.follow);
    else if (clicked == 1)
        td_view_follow_newest(view);
    else if (clicked == 2)
        td_view_follow_frames(view);
    clicked = draw_buttons(pen, second, 2);
    if (clicked == 0 && ended)
        view->wishes.page = TD_WISH_RECONNECT;
    else if (clicked == 0)
        td_live_ask_end(view->model.live);
    else if (clicked == 1)
        view->wishes.page = TD_WISH_CLOSE;
}

/* A field with the value; Enter sends it. */
static void draw_parameter(struct connection_pen *pen, struct connection *c, uint64_t row)
{
    struct td_view *view = pen->view;
    const struct td_series *table = td_trace_table(view->model.trace, TD_TABLE_PARAMETER);
    const int64_t type = td_series_get(table, row, TD_PARAMETER_TYPE),
                  value = td_series_get(table, row, TD_PARAMETER_VALUE);
    const char *name = td_dict_text(view->model.dict, (uint32_t)td_series_get(table, row, TD_PARAMETER_NAME));
    const float high = TD_U(view, BUTTON), middle = pen->left + (pen->right - pen->left) * .5f;
    float y;
    char id[40];
    if (!take_room(pen, high + TD_U(view, 4), &y))
        return;
    td_ui_text_fit(view->ui, TD_FONT_TEXT, pen->left, y + TD_U(view, 6), middle - pen->left - TD_U(view, 8),
                   TD_C(TEXT_DIM), TD_PLAIN(name));
    const float wide = (pen->right - middle - TD_U(view, 8)) / (type ? 2 : 1);
    if (!c->typing[row])
        snprintf(c->parameters[row], sizeof c->parameters[row], "%" PRId64, value);
    snprintf(id, sizeof id, "##parameter%u", (unsigned)row);
    const int input = td_ui_input(view->ui, id, "", middle, y, wide, high, c->parameters[row],
                                  sizeof c->parameters[row], false);
    c->typing[row] = (input & TD_INPUT_ACTIVE) != 0;
    char *end;
    const long long typed = strtoll(c->parameters[row], &end, 0);
    if (input & TD_INPUT_ENTER) {
        if (*end || !c->parameters[row][0])
            snprintf(c->trouble, sizeof c->trouble, "'%s' is not a whole number", c->parameters[row]);
        else
            set_parameter(view, c, row, typed);
    }
    snprintf(id, sizeof id, "%s##set%u", type == 1 ? (value ? "on" : "off") : "trigger", (unsigned)row);
    if (type && td_ui_button(view->ui, id, middle + wide + TD_U(view, 8), y, wide, high))
        set_parameter(view, c, row, type == 1 ? !value : value + 1);
}

static void draw_parameters(struct connection_pen *pen, struct connection *c)
{
    const uint64_t all = td_series_count(td_trace_table(pen->view->model.trace, TD_TABLE_PARAMETER));
    if (!all || td_live_get_state(pen->view->model.live) != TD_LIVE_RUNNING)
        return;
    draw_head(pen, TD_C(TEXT), "Parameters of the program");
    for (uint64_t row = 0; row < all && row < PARAMETERS_MAX; row++)
        draw_parameter(pen, c, row);
}

/* ---- images ---- */

/* The newest images of frames, the newest at the right. A click shows one in the panel Playback. */
static void draw_images(struct connection_pen *pen)
{
    struct td_view *view = pen->view;
    const size_t frames =
        td_dict_frame_set_count(view->model.dict) ? td_trace_frames(view->model.trace, 0) : 0;
    size_t newest[IMAGES];
    int found = 0;
    int64_t last = -1;
    for (size_t i = 1; i <= frames && i <= IMAGE_LOOK && found < IMAGES; i++) {
        const int64_t image = td_trace_frame(view->model.trace, 0, frames - i).image;
        if (image >= 0 && image != last)
            newest[found++] = frames - i;
        last = image >= 0 ? image : last;
    }
    if (!found)
        return;
    const float gap = TD_U(view, 6), wide = (pen->right - pen->left - gap * (IMAGES - 1)) / IMAGES;
    float y, high = TD_U(view, 20), image_wide, image_high;
    for (int i = 0; i < found; i++)
        if (td_pictures_size(view, td_trace_frame(view->model.trace, 0, newest[i]).image, &image_wide,
                             &image_high))
            high = fmaxf(high, wide * image_high / image_wide);
    if (!take_room(pen, high + gap, &y))
        return;
    for (int i = 0; i < found; i++) {
        char id[40];
        bool hovered;
        const float x = pen->right - wide - (wide + gap) * (float)i;
        td_pictures_draw(view, td_trace_frame(view->model.trace, 0, newest[i]).image, x, y, wide, high);
        snprintf(id, sizeof id, "image %d", i);
        if (td_ui_click_area(view->ui, id, x, y, wide, high, &hovered))
            td_playback_show(view, newest[i]);
        if (hovered)
            td_frame_tip(view, 0, newest[i], "");
    }
}

/* ---- the panel ---- */

static void draw_connection(struct td_view *view, const struct td_rect *place)
{
    struct connection *c = state_of(view);
    const float margin = TD_U(view, 14);
    struct connection_pen pen = {view, place->left + margin, place->right - margin,
                                 place->top + TD_U(view, 10), place->bottom};
    char text[400];
    if (!view->model.live)
        return;
    struct td_live_facts facts;
    td_live_get_facts(view->model.live, &facts);
    const enum td_live_state state = td_live_get_state(view->model.live);
    snprintf(text, sizeof text, "%s: %s", TD_PLAIN(view->model.path),
             state == TD_LIVE_WAITING   ? "waiting for the program"
             : state == TD_LIVE_RUNNING ? "connected"
                                        : "ended");
    draw_head(&pen, state == TD_LIVE_RUNNING ? TD_C(ACCENT) : TD_C(TEXT_DIM), text);
    if (facts.session.release) {
        snprintf(text, sizeof text, "%s, Tracy %s, process %" PRIu64,
                 TD_PLAIN(facts.session.welcome.programName), facts.session.release->tracy,
                 (uint64_t)facts.session.welcome.pid);
        draw_value(&pen, "Program", text);
    }
    draw_traffic(&pen, &facts);
    draw_frame_rate(&pen);
    draw_session_buttons(&pen);
    draw_saving(&pen, c, &facts);
    draw_parameters(&pen, c);
    draw_images(&pen);
}

void td_connection_save(struct td_view *view)
{
    td_panel_set_open(view, TD_PANEL_CONNECTION, true);
    state_of(view)->focus_path = true;
}

static const struct td_help_line connection_help[] = {
    {"F4", "live: the connection, parameters of the program"},
    {"Ctrl+S, Ctrl+D, Ctrl+R", "live: save, disconnect, connect again"},
    {0},
};

const struct td_panel td_panel_connection = {
    .name = "connection",
    .dock = TD_DOCK_RIGHT,
    .title = "Connection",
    .group = TD_GROUP_SESSION,
    .page = "How is the connection to a program?",
    .keys = {{.key = TD_KEY_F4}},
    .help = connection_help,
    .state_bytes = sizeof(struct connection),
    .draw = draw_connection,
    .lacks = td_lacks_connection,
};
