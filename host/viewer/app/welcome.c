#include "host/viewer/app/welcome.h"
#include "host/agent/client/announced_clients.h"
#include "host/base/clock.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/viewer/ui/color.h"
#include "host/viewer/ui/desktop.h"
#include "host/viewer/app/complete.h"
#include "host/viewer/app/demo.h"
#include "host/viewer/app/file_dialog.h"
#include "host/viewer/model/live.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ROWS_MAX    (TD_COMPLETE_MAX + TD_RECENT_MAX + TD_ANNOUNCED_MAX)
#define LINE        26 /* height of a row */
#define FIELD       30
#define GAP         14
#define COLUMN_MOST 620
#define REDRAW_MS   1000 /* the ages of programs grow */

enum side { FILES, PROGRAMS, SIDES };

enum row_kind { ROW_RECENT, ROW_COMPLETION, ROW_ADDRESS, ROW_CLIENT };

struct row {
    enum row_kind kind;
    int index;
};

struct td_welcome {
    struct td_recent recent;
    struct td_completion completion;
    char completed[TD_RECENT_BYTES]; /* the text that `completion` is of */
    char facts[TD_RECENT_MAX][60];   /* of recent files: size and date; "": it is not there */
    struct td_file_dialog dialog;
    struct td_announced_list *announced;
    struct td_err no_announcements;
    bool clients_changed;
    int64_t drawn_ms;
    char path[TD_RECENT_BYTES], address[256], port[8], filter[64];
    enum side side;    /* which list the arrow keys move in */
    int chosen[SIDES]; /* row; -1: none */
    struct row rows[ROWS_MAX];
    bool focus; /* give the field of `side` the keyboard */
    char trouble[300];
};

/* ---- the lists ---- */

static void on_clients(void *self, enum td_announced_change change, const struct td_announced_client *client)
{
    struct td_welcome *welcome = self;
    (void)change;
    (void)client;
    welcome->clients_changed = true;
}

struct td_welcome *td_welcome_create(int port)
{
    struct td_welcome *welcome = calloc(1, sizeof *welcome);
    if (!welcome)
        return NULL;
    snprintf(welcome->port, sizeof welcome->port, "%d", port ? port : TD_WIRE_PORT);
    welcome->announced = td_announced_open(port, on_clients, welcome, &welcome->no_announcements);
    td_welcome_enter(welcome);
    return welcome;
}

void td_welcome_destroy(struct td_welcome *welcome)
{
    if (!welcome)
        return;
    td_file_dialog_close(&welcome->dialog);
    td_announced_close(welcome->announced);
    td_recent_free(&welcome->recent);
    td_completion_free(&welcome->completion);
    free(welcome);
}

/* "12.3 MB   2026-11-30 17:59"; "": there is no such file. */
static void describe_file(const char *path, char *to, size_t room)
{
    struct stat st;
    struct tm at;
    char date[32] = "", size[24];
    to[0] = 0;
    if (stat(path, &st) != 0)
        return;
    const double bytes = (double)st.st_size;
    if (localtime_r(&st.st_mtime, &at))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M", &at);
    if (S_ISDIR(st.st_mode))
        snprintf(size, sizeof size, "folder");
    else
        snprintf(size, sizeof size,
                 bytes >= 1e9   ? "%.2f GB"
                 : bytes >= 1e6 ? "%.1f MB"
                                : "%.0f kB",
                 bytes / (bytes >= 1e9   ? 1e9
                          : bytes >= 1e6 ? 1e6
                                         : 1e3));
    snprintf(to, room, "%s   %s", size, date);
}

void td_welcome_enter(struct td_welcome *welcome)
{
    td_recent_read(&welcome->recent);
    const struct td_recent_list *files = &welcome->recent.lists[TD_RECENT_FILES];
    for (int i = 0; i < files->count; i++)
        describe_file(files->texts[i], welcome->facts[i], sizeof welcome->facts[i]);
    welcome->path[0] = welcome->trouble[0] = 0;
    welcome->chosen[FILES] = welcome->chosen[PROGRAMS] = -1;
    welcome->side = FILES;
    welcome->focus = true;
}

void td_welcome_tell(struct td_welcome *welcome, const char *trouble)
{
    td_plain_copy(welcome->trouble, sizeof welcome->trouble, trouble);
    welcome->focus = true;
}

bool td_welcome_step(struct td_welcome *welcome)
{
    const int64_t now_ms = td_mono_ms();
    if (welcome->announced)
        td_announced_take(welcome->announced, now_ms, NULL);
    bool changed = welcome->clients_changed;
    welcome->clients_changed = false;
    if (welcome->announced && td_announced_count(welcome->announced) &&
        now_ms - welcome->drawn_ms >= REDRAW_MS)
        changed = true;
    return changed || welcome->dialog.pid;
}

static bool passes(const struct td_welcome *welcome, const char *text)
{
    return !welcome->filter[0] || strcasestr(text, welcome->filter);
}

static void format_client(const struct td_announced_client *client, char *address, size_t room)
{
    snprintf(address, room, "%s:%u", client->host, client->port);
}

static int list_files(struct td_welcome *welcome)
{
    int count = 0;
    if (!welcome->path[0]) {
        for (int i = 0; i < welcome->recent.lists[TD_RECENT_FILES].count; i++)
            welcome->rows[count++] = (struct row){ROW_RECENT, i};
        return count;
    }
    if (strcmp(welcome->path, welcome->completed)) {
        snprintf(welcome->completed, sizeof welcome->completed, "%s", welcome->path);
        td_complete(&welcome->completion, welcome->path);
        welcome->chosen[FILES] = -1;
    }
    for (int i = 0; i < welcome->completion.count; i++)
        welcome->rows[count++] = (struct row){ROW_COMPLETION, i};
    return count;
}

static int list_programs(struct td_welcome *welcome)
{
    const struct td_recent_list *addresses = &welcome->recent.lists[TD_RECENT_ADDRESSES];
    const size_t clients = welcome->announced ? td_announced_count(welcome->announced) : 0;
    int count = 0;
    for (size_t i = 0; i < clients; i++) {
        const struct td_announced_client *client = td_announced_at(welcome->announced, i);
        char address[40];
        format_client(client, address, sizeof address);
        if (passes(welcome, address) || passes(welcome, TD_PLAIN(client->program)))
            welcome->rows[count++] = (struct row){ROW_CLIENT, (int)i};
    }
    for (int i = 0; i < addresses->count; i++)
        if (passes(welcome, addresses->texts[i]))
            welcome->rows[count++] = (struct row){ROW_ADDRESS, i};
    return count;
}

static int list_rows(struct td_welcome *welcome, enum side side)
{
    const int count = side == FILES ? list_files(welcome) : list_programs(welcome);
    if (welcome->chosen[side] >= count)
        welcome->chosen[side] = count - 1;
    return count;
}

/* ---- choices ---- */

static void choose_file(struct td_welcome *welcome, const char *path, struct td_welcome_choice *choice)
{
    const size_t bytes = strlen(path);
    if (bytes && path[bytes - 1] == '/' && access(path, F_OK) == 0) {
        char index[TD_RECENT_BYTES + 32];
        snprintf(index, sizeof index, "%sindex.tendril-shards", path);
        if (access(index, F_OK) != 0) { /* a folder: go into it */
            memmove(welcome->path, path, bytes + 1);
            welcome->focus = true;
            return;
        }
    }
    choice->what = TD_WELCOME_OPEN;
    td_expand_home(choice->text, sizeof choice->text, path);
}

/* An address with or without a port. */
static void choose_address(struct td_welcome *welcome, const char *address, struct td_welcome_choice *choice)
{
    char *end;
    const long port = strtol(welcome->port, &end, 10);
    if (td_live_parse(address, choice->text, 256, &choice->port)) {
        choice->what = TD_WELCOME_CONNECT;
        return;
    }
    if (*end || port < 1 || port > 65535) {
        td_welcome_tell(welcome, "the port must be a number from 1 to 65535");
        return;
    }
    choice->what = TD_WELCOME_CONNECT;
    choice->port = (int)port;
    snprintf(choice->text, 256, "%s", *address ? address : "127.0.0.1");
}

static void choose_row(struct td_welcome *welcome, const struct row *row, struct td_welcome_choice *choice)
{
    char address[40];
    switch (row->kind) {
    case ROW_RECENT:
        choose_file(welcome, welcome->recent.lists[TD_RECENT_FILES].texts[row->index], choice);
        break;
    case ROW_COMPLETION:
        choose_file(welcome, welcome->completion.paths[row->index], choice);
        break;
    case ROW_ADDRESS:
        choose_address(welcome, welcome->recent.lists[TD_RECENT_ADDRESSES].texts[row->index], choice);
        break;
    case ROW_CLIENT:
        format_client(td_announced_at(welcome->announced, (size_t)row->index), address, sizeof address);
        choose_address(welcome, address, choice);
        break;
    }
}

static void remove_row(struct td_welcome *welcome, const struct row *row)
{
    if (row->kind == ROW_RECENT)
        td_recent_remove(&welcome->recent, TD_RECENT_FILES, row->index);
    else if (row->kind == ROW_ADDRESS)
        td_recent_remove(&welcome->recent, TD_RECENT_ADDRESSES, row->index);
}

/* True: Enter was pressed for the chosen row. A text field writes its own text when it gets Enter, so that
 * follows when the fields are drawn. */
static bool take_keys(struct td_welcome *welcome, struct td_ui *ui)
{
    bool enter = false;
    const struct td_key_press *keys;
    const size_t count = td_ui_keys(ui, &keys);
    const enum side side = welcome->side;
    const int rows = list_rows(welcome, side);
    for (size_t i = 0; i < count; i++) {
        int *chosen = &welcome->chosen[side];
        if (keys[i].key == TD_KEY_DOWN && *chosen + 1 < rows)
            ++*chosen;
        else if (keys[i].key == TD_KEY_UP && *chosen >= 0)
            --*chosen;
        else if (keys[i].key == TD_KEY_DELETE && *chosen >= 0)
            remove_row(welcome, &welcome->rows[*chosen]);
        else if (keys[i].key == TD_KEY_ENTER && *chosen >= 0)
            enter = true;
    }
    return enter;
}

static void enter_row(struct td_welcome *welcome, enum side side, struct td_welcome_choice *choice)
{
    list_rows(welcome, side);
    if (welcome->chosen[side] < 0)
        return;
    const struct row row = welcome->rows[welcome->chosen[side]];
    welcome->focus = true;
    choose_row(welcome, &row, choice);
}

/* ---- drawing ---- */

struct area {
    struct td_ui *ui;
    float scale, x, y, wide, bottom;
};

static float scaled(const struct area *area, float pixels)
{
    return pixels * area->scale;
}

static void draw_line(struct area *area, enum td_font font, td_rgba color, const char *text)
{
    td_ui_text_fit(area->ui, font, area->x, area->y, area->wide, color, text);
    area->y += td_ui_text_height(area->ui, font) + scaled(area, 8);
}

/* A label and a field; true: Enter was pressed in it. */
static bool draw_field(struct td_welcome *welcome, struct area *area, enum side side, const char *id,
                       const char *hint, float wide, char *text, size_t room, bool focus)
{
    const int input =
        td_ui_input(area->ui, id, hint, area->x, area->y, wide, scaled(area, FIELD), text, room, focus);
    if ((input & TD_INPUT_ACTIVE) && welcome->side != side)
        welcome->side = side;
    if (input & TD_INPUT_CHANGED)
        welcome->trouble[0] = 0;
    return (input & TD_INPUT_ENTER) != 0;
}

static void format_age(char *to, size_t room, int64_t seconds)
{
    if (seconds < 60)
        snprintf(to, room, "%d s", (int)seconds);
    else if (seconds < 3600)
        snprintf(to, room, "%d min", (int)(seconds / 60));
    else
        snprintf(to, room, "%" PRId64 " h %d min", seconds / 3600, (int)(seconds / 60 % 60));
}

/* The texts of a row: what it is, and a fainter remark. True: it can be chosen. */
static bool describe_row(const struct td_welcome *welcome, const struct row *row, char *text, size_t room,
                         char *remark, size_t remark_room)
{
    const char *path;
    remark[0] = 0;
    switch (row->kind) {
    case ROW_RECENT:
        path = welcome->recent.lists[TD_RECENT_FILES].texts[row->index];
        td_plain_copy(text, room, td_path_name(path));
        snprintf(remark, remark_room, "%s%.*s",
                 *welcome->facts[row->index] ? "" : "missing: ", (int)(td_path_name(path) - path), path);
        td_plain(remark);
        return *welcome->facts[row->index] != 0;
    case ROW_COMPLETION:
        td_plain_copy(text, room, welcome->completion.paths[row->index]);
        return true;
    case ROW_ADDRESS:
        td_plain_copy(text, room, welcome->recent.lists[TD_RECENT_ADDRESSES].texts[row->index]);
        snprintf(remark, remark_room, "used before");
        return true;
    case ROW_CLIENT:
        break;
    }
    const struct td_announced_client *client = td_announced_at(welcome->announced, (size_t)row->index);
    char age[40], pid[40] = "";
    format_age(age, sizeof age, client->active_s + (td_mono_ms() - client->heard_ms) / 1000);
    if (client->pid)
        snprintf(pid, sizeof pid, "  process %" PRIu64, client->pid);
    snprintf(text, room, "%s  %s:%u", TD_PLAIN(client->program), client->host, client->port);
    snprintf(remark, remark_room, "%s  protocol %u%s  %s", td_announced_releases(client->protocol),
             client->protocol, pid, age);
    return true;
}

static void draw_row(struct td_welcome *welcome, struct area *area, float y, const struct row *row,
                     bool chosen, bool hovered)
{
    char text[TD_RECENT_BYTES], remark[TD_RECENT_BYTES + 16];
    struct td_ui *ui = area->ui;
    const bool usable = describe_row(welcome, row, text, sizeof text, remark, sizeof remark);
    const float high = scaled(area, LINE), pad = scaled(area, 8);
    const float text_y = y + (high - td_ui_text_height(ui, TD_FONT_TEXT)) / 2;
    if (chosen || hovered)
        td_ui_rect(ui, area->x, y, area->x + area->wide, y + high, chosen ? TD_C(CHOSEN) : TD_C(LIT),
                   scaled(area, 3));
    float most = area->wide - 3 * pad;
    const char *facts = row->kind == ROW_RECENT ? welcome->facts[row->index] : "";
    const float facts_wide = td_ui_text_width(ui, TD_FONT_SMALL, facts);
    if (*facts && facts_wide < most / 2) {
        td_ui_text(ui, TD_FONT_SMALL, area->x + area->wide - pad - facts_wide,
                   y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, TD_C(TEXT_DIM), facts);
        most -= facts_wide + pad;
    }
    const float used =
        td_ui_text_fit(ui, TD_FONT_TEXT, area->x + pad, text_y, remark[0] ? fminf(most, most * .62f) : most,
                       usable ? TD_C(TEXT) : TD_C(TEXT_FAINT), text);
    if (remark[0])
        td_ui_text_fit(ui, TD_FONT_TEXT, area->x + 2 * pad + used, text_y, most - used, TD_C(TEXT_DIM),
                       remark);
}

static void draw_list(struct td_welcome *welcome, struct area *area, enum side side, const char *id,
                      struct td_welcome_choice *choice)
{
    const int rows = list_rows(welcome, side);
    const float line = scaled(area, LINE), high = area->bottom - area->y;
    int first, last;
    float top;
    if (rows == 0 || high < line)
        return;
    td_ui_list_begin(area->ui, id, area->x, area->y, area->wide, high, rows, line, &first, &last, &top);
    for (int i = first; i < last; i++) {
        char row_id[24];
        bool hovered;
        const float y = top + line * (float)(i - first);
        snprintf(row_id, sizeof row_id, "%s%d", id, i);
        const bool clicked = td_ui_click_area(area->ui, row_id, area->x, y, area->wide, line, &hovered);
        draw_row(welcome, area, y, &welcome->rows[i], i == welcome->chosen[side], hovered);
        if (clicked) {
            const struct row row = welcome->rows[i];
            choose_row(welcome, &row, choice);
            break;
        }
    }
    td_ui_list_end(area->ui);
}

/* The dialog of the desktop; without one, the list of the folder in which the viewer was started. */
static void browse(struct td_welcome *welcome, const struct td_ui *ui)
{
    if (td_ui_has_desktop(ui) && td_file_dialog_open(&welcome->dialog))
        return;
    char here[TD_RECENT_BYTES - 2];
    if (!welcome->path[0] && getcwd(here, sizeof here))
        snprintf(welcome->path, sizeof welcome->path, "%s/", strcmp(here, "/") ? here : "");
    welcome->side = FILES;
    welcome->focus = true;
}

static void open_demo(struct td_welcome *welcome, struct td_welcome_choice *choice)
{
    struct td_err err = {0};
    if (td_demo_path(choice->text, sizeof choice->text, &err) == 0)
        choice->what = TD_WELCOME_OPEN;
    else
        td_welcome_tell(welcome, err.text);
}

/* What opens a trace without its path. */
static void draw_buttons(struct td_welcome *welcome, struct area *area, struct td_welcome_choice *choice)
{
    const float gap = scaled(area, 8), wide = (area->wide - gap) / 2, high = scaled(area, FIELD);
    if (td_ui_button(area->ui, "Browse ...", area->x, area->y, wide, high))
        browse(welcome, area->ui);
    if (td_ui_button(area->ui, "Open the demo trace", area->x + wide + gap, area->y, wide, high))
        open_demo(welcome, choice);
    area->y += high + scaled(area, GAP);
}

static void draw_files(struct td_welcome *welcome, struct area area, struct td_welcome_choice *choice)
{
    const bool focus = welcome->focus && welcome->side == FILES;
    const float button = scaled(&area, 90);
    draw_line(&area, TD_FONT_BOLD, TD_C(TEXT), "Open a trace");
    bool wanted =
        draw_field(welcome, &area, FILES, "##path", "Path, or drop a file on the window",
                   area.wide - button - scaled(&area, 8), welcome->path, sizeof welcome->path, focus);
    wanted &= welcome->chosen[FILES] < 0;
    wanted |=
        td_ui_button(area.ui, "Open", area.x + area.wide - button, area.y, button, scaled(&area, FIELD));
    if (wanted && welcome->path[0])
        choose_file(welcome, welcome->path, choice);
    area.y += scaled(&area, FIELD + 8);
    draw_buttons(welcome, &area, choice);
    draw_line(&area, TD_FONT_SMALL, TD_C(TEXT_DIM),
              welcome->path[0]                               ? "Traces and folders that begin so"
              : welcome->recent.lists[TD_RECENT_FILES].count ? "Recent traces"
                                                             : "No trace was opened before");
    draw_list(welcome, &area, FILES, "files", choice);
}

static void draw_programs(struct td_welcome *welcome, struct area area, struct td_welcome_choice *choice)
{
    const bool focus = welcome->focus && welcome->side == PROGRAMS;
    const float button = scaled(&area, 90), port = scaled(&area, 80), gap = scaled(&area, 8), x = area.x;
    draw_line(&area, TD_FONT_BOLD, TD_C(TEXT), "Connect to a program");
    bool wanted =
        draw_field(welcome, &area, PROGRAMS, "##address", "Address (127.0.0.1)",
                   area.wide - button - port - 2 * gap, welcome->address, sizeof welcome->address, focus);
    area.x = x + area.wide - button - port - gap;
    wanted |= draw_field(welcome, &area, PROGRAMS, "##port", "Port", port, welcome->port,
                         sizeof welcome->port, false);
    wanted &= welcome->chosen[PROGRAMS] < 0;
    wanted |= td_ui_button(area.ui, "Connect", x + area.wide - button, area.y, button, scaled(&area, FIELD));
    area.x = x;
    area.y += scaled(&area, FIELD) + gap;
    draw_field(welcome, &area, PROGRAMS, "##filter", "Filter by name or address", area.wide, welcome->filter,
               sizeof welcome->filter, false);
    if (wanted)
        choose_address(welcome, welcome->address, choice);
    area.y += scaled(&area, FIELD + GAP);
    const char *head = "Programs that announce themselves, and addresses of before";
    if (!welcome->announced)
        head = welcome->no_announcements.text;
    else if (welcome->filter[0])
        head = "Filtered: not all programs and addresses are listed";
    draw_line(&area, TD_FONT_SMALL, welcome->filter[0] ? TD_C(MATCH) : TD_C(TEXT_DIM), head);
    draw_list(welcome, &area, PROGRAMS, "programs", choice);
}

void td_welcome_draw(struct td_welcome *welcome, struct td_ui *ui, float inset,
                     struct td_welcome_choice *choice)
{
    const float scale = td_ui_scale(ui), all = td_ui_width(ui), bottom = td_ui_height(ui);
    const float margin = 28 * scale, gap = 40 * scale;
    const bool beside = all > 760 * scale; /* else one list below the other */
    float wide = fminf(beside ? (all - 2 * margin - gap) / 2 : all - 2 * margin, COLUMN_MOST * scale);
    struct area area = {ui,
                        scale,
                        beside ? (all - 2 * wide - gap) / 2 : (all - wide) / 2,
                        inset + fminf(margin, (bottom - inset) * .05f),
                        wide,
                        bottom - margin * 1.5f};
    *choice = (struct td_welcome_choice){.what = TD_WELCOME_NOTHING};
    welcome->drawn_ms = td_mono_ms();
    const enum side side = welcome->side;
    const bool focus = welcome->focus, enter = take_keys(welcome, ui);
    td_ui_region_begin(ui, "welcome", 0, inset, all, bottom - inset, TD_C(BACK), TD_LAYER_BASE);
    draw_line(&area, TD_FONT_BOLD, TD_C(ACCENT), "Tendril " TD_VERSION);
    draw_line(&area, TD_FONT_TEXT, TD_C(LOST), welcome->trouble[0] ? welcome->trouble : " ");
    struct area programs = area;
    if (beside) {
        programs.x += wide + gap;
    } else {
        area.bottom = area.y + (area.bottom - area.y) * .48f;
        programs.y = area.bottom + GAP * scale;
    }
    draw_files(welcome, area, choice);
    draw_programs(welcome, programs, choice);
    if (focus)
        welcome->focus = false;
    if (td_file_dialog_step(&welcome->dialog)) {
        choice->what = TD_WELCOME_OPEN;
        snprintf(choice->text, sizeof choice->text, "%s", welcome->dialog.text);
    }
    if (enter)
        enter_row(welcome, side, choice);
    td_ui_text_fit(
        ui, TD_FONT_SMALL, area.x, bottom - margin, all - 2 * area.x, TD_C(TEXT_FAINT),
        "Up, Down: choose     Enter: open or connect     Tab: next field     Delete: remove from the "
        "list     Esc: back to the traces     Ctrl+Tab, Ctrl+W: next, close     Manual: F1 in a trace, and "
        "/usr/share/doc/tendril");
    td_ui_region_end(ui);
}
