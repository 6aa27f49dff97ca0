/* Notes: the ranges of time that the user has marked with a text and a colour. */
#include "host/viewer/timeline/notes.h"
#include "host/viewer/panels/list.h"
#include "host/viewer/panels/notes_panel.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOOLS_HEIGHT 60
#define COLORS       6

enum notes_column { TEXT, START, LENGTH, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [TEXT] = {.title = "Note", .fixed = true},
    [START] = {.title = "Start", .width = 112, .right = true, .fixed = true},
    [LENGTH] = {.title = "Length", .width = 84, .right = true, .fixed = true},
};

struct notes_state {
    struct td_list list;
    bool edit; /* the text field gets the keyboard in the next frame */
};

TD_PANEL_STATE(notes_state, NOTES)

/* The chosen note; NULL: none. */
static struct td_annotation *chosen_note(struct td_view *view)
{
    return view->selection.note >= 1 && (size_t)view->selection.note <= view->notes.count
               ? &view->notes.list[view->selection.note - 1]
               : NULL;
}

void td_notes_edit(struct td_view *view)
{
    td_panel_set_open(view, TD_PANEL_NOTES, true);
    state_of(view)->edit = chosen_note(view) != NULL;
}

static void remove_note(struct td_view *view)
{
    if (!chosen_note(view))
        return;
    td_annotations_remove(&view->notes, (size_t)view->selection.note - 1);
    if ((size_t)view->selection.note > view->notes.count)
        view->selection.note = (int)view->notes.count;
}

/* Adds a note, whose text is then typed. */
static void add_note(struct td_view *view)
{
    struct td_err err = {0};
    if (td_view_add_note(view, 0, 0, "", &err) < 0)
        td_view_say(view, err.text);
    else
        td_notes_edit(view);
}

/* ---- drawing ---- */

static void draw_colors(struct td_view *view, struct td_annotation *note, float x, float y)
{
    float size = TD_U(view, 16), step = TD_U(view, 21);
    for (int i = 0; i < COLORS; i++, x += step) {
        char id[24];
        uint32_t color = td_annotation_color((size_t)i);
        snprintf(id, sizeof id, "colour %d", i);
        if (td_ui_click_area(view->ui, id, x, y, size, size, NULL)) {
            note->color = color;
            view->notes.changed = true;
        }
        td_ui_rect(view->ui, x, y, x + size, y + size, color, TD_U(view, 3));
        if (note->color == color)
            td_ui_frame_rect(view->ui, x - 2, y - 2, x + size + 2, y + size + 2, TD_C(TEXT), TD_U(view, 4),
                             TD_U(view, 1.5f));
    }
}

static void draw_text_field(struct td_view *view, struct td_annotation *note, float x, float y, float wide)
{
    struct notes_state *s = state_of(view);
    char before[TD_ANNOTATION_TEXT];
    memcpy(before, note->text, sizeof before);
    int input = td_ui_input(view->ui, "##note", "Text of the note   Enter", x, y, wide, TD_U(view, 23),
                            note->text, sizeof note->text, s->edit);
    s->edit = false;
    view->notes.changed |= strcmp(before, note->text) != 0;
    if (input & TD_INPUT_ENTER)
        td_ui_blur(view->ui);
}

static void draw_notes_tools(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    float pad = TD_U(view, 8), high = TD_U(view, 23), x = place->left + pad, y = place->top + TD_U(view, 4);
    float second = y + TD_U(view, 29), room = place->right - place->left - 2 * pad;
    struct td_annotation *note = chosen_note(view);
    if (note)
        draw_text_field(view, note, x, y, room);
    else
        td_ui_text_fit(ui, TD_FONT_SMALL, x, y + TD_U(view, 5), room, TD_C(TEXT_FAINT),
                       "M notes the marked or the visible range.");
    float right = place->right - pad, button = TD_U(view, 60);
    if (td_ui_button(ui, "Add", right - button, second, button, high))
        add_note(view);
    right -= button + pad;
    note = chosen_note(view);
    if (note && td_ui_button(ui, "Delete", right - button, second, button, high))
        remove_note(view);
    note = chosen_note(view);
    if (note && x + TD_U(view, 21 * COLORS) < right - button - pad)
        draw_colors(view, note, x + 2, second + TD_U(view, 3));
}

static void draw_note(struct td_list_drawing *d, const struct td_annotation *note)
{
    char text[TD_FORMAT_BYTES];
    double length = (double)note->to_ns - (double)note->from_ns;
    td_list_name(d, TEXT, note->color, *note->text ? TD_C(TEXT) : TD_C(TEXT_FAINT),
                 *note->text ? note->text : "(no text)");
    td_list_text(d, START, TD_C(TEXT_DIM),
                 td_format_time(text, (double)note->from_ns, fmax(length / 100, 1)));
    td_list_text(d, LENGTH, TD_C(TEXT_DIM), td_format_ns(text, length));
}

static void draw_notes(struct td_view *view, const struct td_rect *place)
{
    struct notes_state *s = state_of(view);
    struct td_list_drawing d;
    struct td_rect rows = *place;
    int clicked = -1;
    draw_notes_tools(view, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    s->list.show |= s->list.selected != view->selection.note;
    s->list.selected = view->selection.note;
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)view->notes.count, &rows, &d);
         i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            clicked = i;
        draw_note(&d, &view->notes.list[i]);
    }
    td_list_end(&d);
    if (clicked >= 0)
        td_view_show_note(view, (size_t)clicked);
}

/* ---- keys ---- */

static bool take_notes_key(struct td_view *view, const struct td_key_press *press)
{
    struct notes_state *s = state_of(view);
    bool enter;
    if (press->key == 'm' && !press->ctrl && !press->alt) {
        add_note(view);
        return true;
    }
    if (!td_panel_has_keys(view, TD_PANEL_NOTES))
        return false;
    if (press->key == TD_KEY_DELETE) {
        remove_note(view);
        return true;
    }
    const struct td_annotation *note = chosen_note(view);
    if (press->key == 'z' && note) {
        td_camera_set_range(&view->camera, (double)note->from_ns, (double)note->to_ns, false);
        return true;
    }
    s->list.selected = view->selection.note;
    if (!td_list_key(&s->list, press, (int)view->notes.count, &enter))
        return false;
    if (enter)
        td_notes_edit(view);
    else
        td_view_show_note(view, (size_t)s->list.selected - 1);
    return true;
}

static const struct td_help_line notes_help[] = {
    {"M", "note the marked range, else the visible one"},
    {"'  \"", "go to the next note, the previous one"},
    {"Enter, Delete, Z", "in the list: edit the note, remove it, zoom to it"},
    {0},
};

const struct td_panel td_panel_notes = {
    .name = "notes",
    .dock = TD_DOCK_RIGHT,
    .title = "Notes",
    .group = TD_GROUP_ZONES,
    .page = "How do I keep what I have found?",
    .help = notes_help,
    .state_bytes = sizeof(struct notes_state),
    .draw = draw_notes,
    .take_key = take_notes_key,
};
