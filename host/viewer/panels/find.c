/* Search: the text field in the bar and the list of matching names. */
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LIST_ROWS   14
#define FIELD_WIDTH 250

struct find_state {
    bool focus; /* give the text field the keyboard focus in the next frame */
};

static void open_find(struct td_view *view)
{
    struct find_state *state = td_panel_state(view, TD_PANEL_FIND);
    state->focus = true;
    td_panel_set_open(view, TD_PANEL_FIND, true);
}

static bool find_is_open(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_FIND].open && view->find.active;
}

/* Esc closes the list first, then ends the search. */
static bool close_find(struct td_view *view)
{
    if (view->panels.slot[TD_PANEL_FIND].open)
        td_panel_set_open(view, TD_PANEL_FIND, false);
    else if (view->find.active)
        td_view_search(view, "");
    else
        return false;
    return true;
}

static void draw_find_field(struct td_view *view, struct td_bar_row *row)
{
    struct find_state *state = td_panel_state(view, TD_PANEL_FIND);
    float width = TD_U(view, FIELD_WIDTH);
    width = fminf(width, row->right - row->left);
    if (width < TD_U(view, 60))
        return;
    char before[sizeof view->find.text];
    memcpy(before, view->find.text, sizeof before);
    int input = td_ui_input(view->ui, "##find", "Find zones   /", row->right - width, row->y, width,
                            row->height, view->find.text, sizeof view->find.text, state->focus);
    state->focus = false;
    if (strcmp(before, view->find.text))
        td_view_search(view, view->find.text);
    if (input & (TD_INPUT_CHANGED | TD_INPUT_ACTIVE))
        td_panel_set_open(view, TD_PANEL_FIND, true);
    if (input & TD_INPUT_ENTER) {
        td_view_next_match(view, true);
        td_panel_set_open(view, TD_PANEL_FIND, false);
    }
    row->right -= width + TD_U(view, 8);
}

static void draw_text_right(struct td_view *view, enum td_font font, float right, float y, td_rgba color,
                            const char *text)
{
    td_ui_text(view->ui, font, right - td_ui_text_width(view->ui, font, text), y, color, text);
}

static void draw_name(struct td_view *view, const struct td_find_name *name, float x, float y, float wide,
                      float height, bool hovered)
{
    struct td_ui *ui = view->ui;
    char text[TD_FORMAT_BYTES];
    float text_y = y + (height - td_ui_text_height(ui, TD_FONT_TEXT)) / 2, right = x + wide - TD_U(view, 14);
    if (hovered || name->name == view->find.only)
        td_ui_rect(ui, x, y, x + wide, y + height, TD_C(LIT), 0);
    struct td_zone zone = {.srcloc = name->srcloc};
    float box = TD_U(view, 10), box_y = y + (height - box) / 2;
    td_ui_rect(ui, x + TD_U(view, 12), box_y, x + TD_U(view, 12) + box, box_y + box,
               td_color_of_zone(view->model.dict, &zone), TD_U(view, 2));
    draw_text_right(view, TD_FONT_TEXT, right, text_y, TD_C(TEXT),
                    td_format_ns(text, (double)name->total_ns));
    draw_text_right(view, TD_FONT_TEXT, right - TD_U(view, 96), text_y, TD_C(TEXT_DIM),
                    td_format_count(text, name->count));
    td_ui_text_fit(ui, TD_FONT_TEXT, x + TD_U(view, 30), text_y, wide - TD_U(view, 30 + 96 + 96), TD_C(TEXT),
                   name->name);
}

static void draw_find(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    const struct td_find *find = &view->find;
    float wide = fminf(TD_U(view, 470), place->right - place->left - TD_U(view, 20));
    float x = place->right - wide - TD_U(view, 10), y = place->top + TD_U(view, 4), row = TD_U(view, 24),
          head = TD_U(view, 30);
    int rows = find->name_count < LIST_ROWS ? (int)find->name_count : LIST_ROWS;
    float list = row * (float)rows, high = head + list + TD_U(view, 30);
    td_ui_region_begin(ui, td_panel_find.name, x, y, wide, high, TD_C(PANEL), TD_LAYER_TOP);
    char text[TD_FORMAT_BYTES], line[200];
    float text_y = y + (head - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, right = x + wide - TD_U(view, 14);
    if (find->name_count)
        snprintf(line, sizeof line, "%zu name%s", find->name_count, find->name_count == 1 ? "" : "s");
    else
        snprintf(line, sizeof line, "%s", td_find_pending(find) ? "Searching" : "No zone name passes");
    td_ui_text(ui, TD_FONT_SMALL, x + TD_U(view, 12), text_y, TD_C(TEXT_FAINT), line);
    if (find->name_count) {
        draw_text_right(view, TD_FONT_SMALL, right, text_y, TD_C(TEXT_FAINT), "total time");
        draw_text_right(view, TD_FONT_SMALL, right - TD_U(view, 96), text_y, TD_C(TEXT_FAINT), "count");
    }
    int first, last;
    float top;
    if (rows) {
        td_ui_list_begin(ui, "list", x, y + head, wide, list, (int)find->name_count, row, &first, &last,
                         &top);
        for (int i = first; i < last; i++) {
            char id[16];
            bool hovered;
            float row_y = top + row * (float)(i - first);
            snprintf(id, sizeof id, "%d", i);
            bool clicked = td_ui_click_area(ui, id, x, row_y, wide - TD_U(view, 12), row, &hovered);
            const char *name = find->names[i].name;
            draw_name(view, &find->names[i], x, row_y, wide, row, hovered);
            if (clicked) {
                view->find.only = view->find.only == name ? NULL : name;
                td_view_search(view, NULL);
                td_view_next_match(view, true);
            }
        }
        td_ui_list_end(ui);
    }
    snprintf(line, sizeof line, "%s zones%s     Enter, N: next     Shift+N: previous     Esc: close",
             td_format_count(text, td_matches_count(find->matches)), td_find_pending(find) ? " so far" : "");
    td_ui_text_fit(ui, TD_FONT_SMALL, x + TD_U(view, 12), y + head + list + TD_U(view, 8),
                   wide - TD_U(view, 24), TD_C(TEXT_FAINT), line);
    td_ui_region_end(ui);
}

static const struct td_help_line find_help[] = {
    {"/, Ctrl+F", "find zones by name"},
    {0},
};

const struct td_panel td_panel_find = {
    .name = "find",
    .dock = TD_DOCK_OVERLAY,
    .keys = {{.key = '/'}, {.key = 'f', .ctrl = true}},
    .help = find_help,
    .bar_rank = 3,
    .state_bytes = sizeof(struct find_state),
    .draw = draw_find,
    .draw_controls = draw_find_field,
    .is_open = find_is_open,
    .open = open_find,
    .close = close_find,
};
