/* The palette: one field in which commands, menu entries, panels, settings, tracks and zones are found by a part of their
 * names. What is chosen is a line of commands. */
#include "host/viewer/drive/commands.h"
#include "host/viewer/drive/fuzzy.h"
#include "host/viewer/drive/run_line.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH     640
#define FIELD     34
#define LINE      24
#define MOST_ROWS 14
#define KIND_WIDE 84

enum kind { ENTRY, PANEL, COMMAND, SETTING, TRACK, ZONE, KINDS };

static const char *const kind_names[KINDS] = {"menu", "panel", "command", "setting", "track", "zone"};

struct palette_line {
    enum kind kind;
    int score;
    char text[200];
    const char *keys;
    char line[TD_MENU_LINE];
};

struct palette_state {
    bool focus;
    char text[120], searched[120];
    bool stale; /* the list is to be made */
    int count, chosen;
    struct palette_line found[MOST_ROWS];
    struct td_menu menu; /* whose entries are looked through */
};

TD_PANEL_STATE(palette_state, PALETTE)

/* ---- what is found ---- */

/* Where it belongs in the list; NULL: nowhere. */
static struct palette_line *make_room(struct palette_state *s, enum kind kind, const char *text)
{
    const int fit = td_fuzzy_score(text, s->text), score = fit ? fit * 4 + (KINDS - (int)kind) * 6 : 0;
    int at = s->count;
    if (!fit || (s->count == MOST_ROWS && s->found[MOST_ROWS - 1].score >= score))
        return NULL;
    for (int i = 0; i < s->count; i++)
        if (s->found[i].kind == kind && !strncmp(s->found[i].text, text, sizeof s->found[i].text - 1))
            return NULL;
    while (at > 0 && s->found[at - 1].score < score)
        at--;
    if (s->count < MOST_ROWS)
        s->count++;
    memmove(&s->found[at + 1], &s->found[at], sizeof *s->found * (size_t)(s->count - 1 - at));
    s->found[at] = (struct palette_line){.kind = kind, .score = score};
    snprintf(s->found[at].text, sizeof s->found[at].text, "%s", text);
    return &s->found[at];
}

static void find_entries(struct td_view *view, struct palette_state *s)
{
    for (int i = 0; td_menu_name(i); i++) {
        s->menu.count = 0;
        td_menu_fill(view, i, &s->menu);
        for (int e = 0; e < s->menu.count; e++) {
            const struct td_menu_entry *entry = &s->menu.entries[e];
            const bool lists = entry->line[0] && strcmp(entry->line, "palette") != 0;
            struct palette_line *f = lists ? make_room(s, ENTRY, entry->text) : NULL;
            if (!f)
                continue;
            f->keys = entry->keys;
            snprintf(f->line, sizeof f->line, "%s", entry->line);
        }
    }
}

static void find_panels(const struct td_view *view, struct palette_state *s)
{
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        const struct td_panel *panel = view->panels.table[i];
        struct palette_line *f = panel->title ? make_room(s, PANEL, panel->title) : NULL;
        if (f)
            snprintf(f->line, sizeof f->line, "open %s", panel->name);
    }
}

static void find_commands(struct palette_state *s)
{
    const struct td_view_command *command;
    for (size_t i = 0; (command = td_view_command_at(i)); i++) {
        char text[200];
        snprintf(text, sizeof text, "%s: %s", command->name, command->help);
        struct palette_line *f = make_room(s, COMMAND, text);
        if (f)
            snprintf(f->line, sizeof f->line, command->least ? "prompt \"%s \"" : "%s", command->name);
    }
}

static void find_settings(struct palette_state *s)
{
    for (int c = 0; c < TD_CHOICE_COUNT; c++)
        for (int i = 0; td_choice_word(c, i); i++) {
            char text[80];
            snprintf(text, sizeof text, "%s: %s", td_choice_name(c), td_choice_word(c, i));
            struct palette_line *f = make_room(s, SETTING, text);
            if (f)
                snprintf(f->line, sizeof f->line, "set %s %s", td_choice_name(c), td_choice_word(c, i));
        }
}

static void find_names(const struct td_view *view, struct palette_state *s)
{
    const uint32_t tracks = td_dict_track_count(view->model.dict),
                   zones = td_dict_srcloc_count(view->model.dict);
    for (uint32_t t = 0; t < tracks; t++) {
        char name[TD_LANE_NAME_BYTES];
        struct palette_line *f = make_room(s, TRACK, td_lanes_name(view, t, name));
        if (f)
            snprintf(f->line, sizeof f->line, "track #%u", t);
    }
    for (uint32_t z = 0; z < zones; z++) {
        char word[TD_MENU_WORD];
        const char *name = td_dict_zone_name(view->model.dict, z);
        struct palette_line *f = *name ? make_room(s, ZONE, name) : NULL;
        if (f)
            snprintf(f->line, sizeof f->line, "find %s; next", td_menu_word(word, name));
    }
}

static void find_all(struct td_view *view, struct palette_state *s)
{
    if (!s->stale && !strcmp(s->text, s->searched))
        return;
    s->stale = false;
    snprintf(s->searched, sizeof s->searched, "%s", s->text);
    s->count = s->chosen = 0;
    find_entries(view, s);
    find_panels(view, s);
    if (!s->text[0])
        return;
    find_commands(s);
    find_settings(s);
    find_names(view, s);
}

/* ---- the window ---- */

static void open_palette(struct td_view *view)
{
    struct palette_state *s = state_of(view);
    td_panel_set_open(view, TD_PANEL_PALETTE, true);
    s->focus = s->stale = true;
    s->text[0] = 0;
}

static bool close_palette(struct td_view *view)
{
    const bool was_open = view->panels.slot[TD_PANEL_PALETTE].open;
    view->panels.slot[TD_PANEL_PALETTE].open = false;
    return was_open;
}

static void choose(struct td_view *view, int number)
{
    const struct palette_state *s = state_of(view);
    close_palette(view);
    td_ui_blur(view->ui);
    if (number < s->count)
        td_view_run_line(view, s->found[number].line);
}

static void edit_field(void *self, int key, char *text, size_t bytes)
{
    struct palette_state *s = state_of(self);
    (void)text;
    (void)bytes;
    if (s->count)
        s->chosen = (s->chosen + (key == TD_KEY_UP ? s->count - 1 : 1)) % s->count;
}

static bool draw_found(struct td_view *view, const struct palette_state *s, int number,
                       const struct td_rect *at)
{
    const struct palette_line *f = &s->found[number];
    struct td_ui *ui = view->ui;
    char id[120];
    bool hovered;
    const float pad = TD_U(view, 12), middle = (at->top + at->bottom) / 2,
                y = middle - td_ui_text_height(ui, TD_FONT_TEXT) / 2;
    const float keys = f->keys ? td_ui_text_width(ui, TD_FONT_SMALL, f->keys) + pad : 0,
                x = at->left + pad + TD_U(view, KIND_WIDE);
    snprintf(id, sizeof id, "%.80s##found %d", f->text, number);
    const bool clicked =
        td_ui_click_area(ui, id, at->left, at->top, at->right - at->left, at->bottom - at->top, &hovered);
    if (number == s->chosen || hovered)
        td_ui_rect(ui, at->left + pad / 3, at->top, at->right - pad / 3, at->bottom,
                   number == s->chosen ? TD_C(LIT) : TD_C(STRIPE), TD_U(view, 4));
    td_ui_text(ui, TD_FONT_SMALL, at->left + pad, middle - td_ui_text_height(ui, TD_FONT_SMALL) / 2,
               TD_C(TEXT_DIM), kind_names[f->kind]);
    td_ui_text_fit(ui, TD_FONT_TEXT, x, y, at->right - pad - keys - x, TD_C(TEXT), f->text);
    if (f->keys)
        td_ui_text(ui, TD_FONT_SMALL, at->right - keys, middle - td_ui_text_height(ui, TD_FONT_SMALL) / 2,
                   TD_C(TEXT_DIM), f->keys);
    return clicked;
}

static void draw_palette(struct td_view *view, const struct td_rect *place)
{
    struct palette_state *s = state_of(view);
    struct td_ui *ui = view->ui;
    const float wide = fminf(TD_U(view, WIDTH), td_ui_width(ui) - TD_U(view, 24)), field = TD_U(view, FIELD),
                line = roundf(TD_U(view, LINE)), pad = TD_U(view, 8);
    const float x = floorf((td_ui_width(ui) - wide) / 2), y = place->top + TD_U(view, 16);
    int clicked = -1;
    find_all(view, s);
    const float high = field + 2 * pad + line * (float)(s->count ? s->count : 1) + pad;
    td_ui_region_begin(ui, td_panel_palette.name, x, y, wide, high, TD_C(RAISED), TD_LAYER_TOP);
    const int input =
        td_ui_input_line(ui, "##palette", "Command, panel, setting, track or zone", x + pad, y + pad,
                         wide - 2 * pad, field, s->text, sizeof s->text, s->focus, edit_field, view);
    s->focus = false;
    find_all(view, s);
    for (int i = 0; i < s->count; i++) {
        const float top = y + field + 2 * pad + line * (float)i;
        if (draw_found(view, s, i, &(struct td_rect){x, top, x + wide, top + line}))
            clicked = i;
    }
    if (!s->count)
        td_ui_text_fit(ui, TD_FONT_TEXT, x + 2 * pad, y + field + 2 * pad, wide - 4 * pad, TD_C(TEXT_DIM),
                       "Nothing has these letters in this order.");
    const bool outside = !td_ui_region_hovered(ui) && td_ui_mouse_pressed(ui, TD_MOUSE_LEFT);
    td_ui_region_end(ui);
    if (clicked >= 0 || (input & TD_INPUT_ENTER))
        choose(view, clicked >= 0 ? clicked : s->chosen);
    else if (outside)
        close_palette(view);
}

static const struct td_help_line palette_help[] = {
    {"Ctrl+P", "find commands, panels, settings, tracks and zones by a part of their names"},
    {0},
};

const struct td_panel td_panel_palette = {
    .name = "palette",
    .dock = TD_DOCK_OVERLAY,
    .keys = {{.key = 'p', .ctrl = true}},
    .help = palette_help,
    .state_bytes = sizeof(struct palette_state),
    .draw = draw_palette,
    .open = open_palette,
    .close = close_palette,
};
