/* The line after `:`, with completion and history, and what the last command said. */
#include "host/viewer/drive/commands.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 512
#define HISTORY    50
#define MOST_ROWS  9
#define ROW_HEIGHT 22
#define BAR_HEIGHT 32
#define WIDTH      720

struct command_state {
    bool open, focus;
    char text[LINE_BYTES];
    char error[400];
    char history[HISTORY][LINE_BYTES]; /* the newest one is at (lines - 1) % HISTORY */
    int lines, at;                     /* at == lines: not in the history */
    char typed[LINE_BYTES];            /* what Tab completes */
    char completed[LINE_BYTES];        /* what it made of that the last time */
    size_t choice;
};

TD_PANEL_STATE(command_state, COMMAND)

static bool command_is_open(const struct td_view *view)
{
    return state_of(view)->open || view->panels.notice[0];
}

static void open_command(struct td_view *view)
{
    struct command_state *s = state_of(view);
    s->open = s->focus = true;
    s->text[0] = s->error[0] = 0;
    s->at = s->lines;
    view->panels.notice[0] = 0;
}

static bool close_command(struct td_view *view)
{
    struct command_state *s = state_of(view);
    bool was_open = command_is_open(view);
    s->open = false;
    view->panels.notice[0] = 0;
    return was_open;
}

/* ---- completion ---- */

/* The word that is being typed: the first one is the command. */
static const char *last_word(const char *text, bool *is_command)
{
    const char *space = strchr(text, ' ');
    *is_command = !space;
    return space ? space + 1 : text;
}

static bool begins_with(const char *text, const char *begin)
{
    return strncasecmp(text, begin, strlen(begin)) == 0;
}

static const struct td_view_command *command_of_line(const char *text)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
    return td_view_command_named(name);
}

/* The number-th text that the line could become; false: there are fewer. */
static bool complete(const struct td_view *view, const char *line, size_t number, char *to, size_t room)
{
    bool is_command;
    const char *word = last_word(line, &is_command), *value;
    const struct td_view_command *command;
    for (size_t i = 0; is_command && (command = td_view_command_at(i)); i++)
        if (begins_with(command->name, word) && number-- == 0)
            return snprintf(to, room, "%s%s", command->name, *command->arguments ? " " : "") > 0;
    if (is_command || !(command = command_of_line(line)))
        return false;
    word += *word == '"';
    for (size_t i = 0; (value = td_view_command_value(view, command->name, i)); i++) {
        bool quote = command->most > 1 && strchr(value, ' ');
        if (*value && begins_with(value, word) && number-- == 0)
            return snprintf(to, room, quote ? "%s \"%s\"" : "%s %s", command->name, value) > 0;
    }
    return false;
}

static void complete_line(const struct td_view *view, struct command_state *s, char *text, size_t bytes)
{
    if (!s->completed[0] || strcmp(text, s->completed) != 0) {
        snprintf(s->typed, sizeof s->typed, "%s", text);
        s->choice = 0;
    }
    if (!complete(view, s->typed, s->choice, text, bytes)) {
        s->choice = 0;
        if (!complete(view, s->typed, 0, text, bytes))
            return;
    }
    s->choice++;
    snprintf(s->completed, sizeof s->completed, "%s", text);
}

static void step_history(struct command_state *s, int step, char *text, size_t bytes)
{
    int oldest = s->lines > HISTORY ? s->lines - HISTORY : 0, at = s->at + step;
    if (at < oldest || at > s->lines)
        return;
    s->at = at;
    snprintf(text, bytes, "%s", at == s->lines ? "" : s->history[at % HISTORY]);
}

static void edit_line(void *self, int key, char *text, size_t bytes)
{
    const struct td_view *view = self;
    struct command_state *s = state_of(view);
    if (key == TD_KEY_TAB)
        complete_line(view, s, text, bytes);
    else
        step_history(s, key == TD_KEY_UP ? -1 : 1, text, bytes);
}

/* ---- drawing ---- */

static void run_line(struct td_view *view, struct command_state *s)
{
    struct td_err err = {0};
    snprintf(s->history[s->lines++ % HISTORY], LINE_BYTES, "%s", s->text);
    s->at = s->lines;
    s->error[0] = 0;
    if (td_view_command_line(view, s->text, &err) < 0) {
        snprintf(s->error, sizeof s->error, "%s", err.text);
        s->focus = true;
        return;
    }
    s->open = false;
    td_ui_blur(view->ui);
}

static int draw_hint(struct td_view *view, float x, float y, float right, const char *name,
                     const char *arguments, const char *help)
{
    struct td_ui *ui = view->ui;
    float at = x + td_ui_text_fit(ui, TD_FONT_TEXT, x, y, right - x, TD_C(ACCENT), name) + TD_U(view, 8);
    td_ui_text_fit(ui, TD_FONT_TEXT, at, y, right - at, TD_C(TEXT_DIM), arguments);
    if (*help && x + TD_U(view, 230) < right)
        td_ui_text_fit(ui, TD_FONT_TEXT, x + TD_U(view, 230), y, right - x - TD_U(view, 230),
                       TD_C(TEXT_FAINT), help);
    return 1;
}

/* What could be typed next, from the lowest row upwards. Draws only if `draw`; returns the number of rows. */
static int draw_hints(struct td_view *view, const struct command_state *s, const struct td_rect *place,
                      int most, bool draw)
{
    const struct td_view_command *command = command_of_line(s->text);
    float row = TD_U(view, ROW_HEIGHT), x = place->left + TD_U(view, 14),
          right = place->right - TD_U(view, 14);
    float y = place->top + TD_U(view, 6);
    bool is_command;
    char line[LINE_BYTES];
    int rows = 0;
    last_word(s->text, &is_command);
    for (size_t i = 0; is_command && rows < most && complete(view, s->text, i, line, sizeof line); i++) {
        command = command_of_line(line);
        if (draw && command)
            draw_hint(view, x, y + row * (float)rows, right, command->name, command->arguments,
                      command->help);
        rows++;
    }
    if (is_command || !command || rows >= most)
        return rows;
    if (draw)
        draw_hint(view, x, y, right, command->name, command->arguments, command->help);
    for (rows = 1; rows < most && complete(view, s->text, (size_t)rows - 1, line, sizeof line); rows++)
        if (draw)
            draw_hint(view, x + TD_U(view, 12), y + row * (float)rows, right, strchr(line, ' ') + 1, "", "");
    return rows;
}

static void draw_line(struct td_view *view, struct command_state *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    float wide = fminf(TD_U(view, WIDTH), place->right - place->left), row = TD_U(view, ROW_HEIGHT),
          bar = TD_U(view, BAR_HEIGHT), pad = TD_U(view, 6);
    int most = (int)((place->bottom - place->top - bar) / row) - 1;
    most = most > MOST_ROWS ? MOST_ROWS : most;
    int rows = draw_hints(view, s, place, most, false), error = s->error[0] != 0;
    float high = fminf(bar + row * (float)(rows + error) + pad, place->bottom - place->top);
    const struct td_rect box = {place->left, place->bottom - high, place->left + wide, place->bottom};
    td_ui_region_begin(ui, td_panel_command.name, box.left, box.top, wide, high, TD_C(PANEL), TD_LAYER_TOP);
    draw_hints(view, s, &box, most, true);
    if (error)
        td_ui_text_fit(ui, TD_FONT_TEXT, box.left + TD_U(view, 14), box.bottom - bar - row,
                       wide - TD_U(view, 28), TD_C(LOST), s->error);
    td_ui_text(ui, TD_FONT_BOLD, box.left + TD_U(view, 12), box.bottom - bar + TD_U(view, 7), TD_C(ACCENT),
               ":");
    int input =
        td_ui_input_line(ui, "##command", "Command   (Tab completes, Up: earlier ones)",
                         box.left + TD_U(view, 22), box.bottom - bar + TD_U(view, 2), wide - TD_U(view, 30),
                         bar - pad, s->text, sizeof s->text, s->focus, edit_line, view);
    s->focus = false;
    if (input & TD_INPUT_CHANGED)
        s->error[0] = 0;
    if (input & TD_INPUT_ENTER)
        run_line(view, s);
    td_ui_region_end(ui);
}

static void draw_notice(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    float high = TD_U(view, BAR_HEIGHT), most = place->right - place->left;
    float wide = fminf(td_ui_text_width(ui, TD_FONT_TEXT, view->panels.notice) + TD_U(view, 30), most);
    td_ui_region_begin(ui, td_panel_command.name, place->left, place->bottom - high, wide, high, TD_C(PANEL),
                       TD_LAYER_TOP);
    td_ui_text_fit(ui, TD_FONT_TEXT, place->left + TD_U(view, 14), place->bottom - high + TD_U(view, 8),
                   wide - TD_U(view, 20), TD_C(STALL), view->panels.notice);
    td_ui_region_end(ui);
}

static void draw_command(struct td_view *view, const struct td_rect *place)
{
    struct command_state *s = state_of(view);
    if (s->open)
        draw_line(view, s, place);
    else
        draw_notice(view, place);
}

static bool take_command_key(struct td_view *view, const struct td_key_press *press)
{
    return td_view_command_key(view, press);
}

static const struct td_help_line command_help[] = {
    {":", "a command; Tab completes, Up repeats"},
    {"F", "show the whole trace"},
    {"Z", "zoom to the marked range or the zone"},
    {"C, Shift+C", "collapse and expand groups"},
    {"N or F3, with Shift", "next match, previous match"},
    {"1, 2, 3, 4", "layouts: Explore, Cores, Find, Record"},
    {"F9, F10, F11", "show and hide the left, bottom, right panels"},
    {"Tab, Shift+Tab", "keyboard to the next region, back"},
    {0},
};

const struct td_panel td_panel_command = {
    .name = "command",
    .dock = TD_DOCK_OVERLAY,
    .keys = {{.key = ':'}},
    .help = command_help,
    .state_bytes = sizeof(struct command_state),
    .draw = draw_command,
    .is_open = command_is_open,
    .open = open_command,
    .close = close_command,
    .take_key = take_command_key,
};
