/* The help page: the mouse and key actions of all panels, in columns under the titles of the panels. It scrolls
 * where the window is too small for it. */
#include "host/viewer/panels/label.h"
#include "host/viewer/timeline/view.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#define MOST_COLUMNS 3
#define COLUMN_WIDTH 590 /* of the window's page */
#define NARROW_WIDTH 400 /* of the page of all panels */
#define KEYS_WIDTH   210
#define ROW_HEIGHT   18
#define HEAD_HEIGHT  40
#define MARGIN       12 /* to the window's edges */

struct help_state {
    int first, page; /* rows that were visible last */
    int wanted;      /* row to scroll to, counted from 1; 0: none */
    bool all;        /* of all panels, not only the window's and that of the one with the keyboard */
};

/* A line of the help of a panel; line -1: the title. */
struct help_place {
    int panel, line;
};

static const struct td_help_line *help_of(const struct td_view *view, int panel)
{
    const struct td_panel *p = view->panels.table[panel];
    return p->choose_help ? p->choose_help(view) : p->help;
}

static int lines_of(const struct td_view *view, int panel)
{
    int count = 0;
    for (const struct td_help_line *l = help_of(view, panel); l && l->keys; l++)
        count++;
    return count;
}

/* With the title. */
static int rows_of(const struct td_view *view, int panel)
{
    const struct help_state *s = td_panel_state((struct td_view *)view, TD_PANEL_HELP);
    if (!s->all && view->panels.table[panel]->title && panel != TD_PANEL_OPTIONS &&
        panel != (int)view->panels.focus)
        return 0;
    int lines = lines_of(view, panel);
    return lines ? lines + 1 : 0;
}

/* The first panel of each column, so that the columns are about equally long; returns the rows of the longest. */
static int split_columns(const struct td_view *view, int columns, int first[MOST_COLUMNS + 1])
{
    int all = 0, used = 0, longest = 0, column = 0, column_rows = 0;
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        all += rows_of(view, i);
    first[0] = 0;
    for (int i = 0; i < TD_PANEL_COUNT; i++) {
        int rows = rows_of(view, i);
        if (column + 1 < columns && used + rows / 2 > all * (column + 1) / columns) {
            first[++column] = i;
            column_rows = 0;
        }
        used += rows;
        column_rows += rows;
        longest = column_rows > longest ? column_rows : longest;
    }
    while (column < columns)
        first[++column] = TD_PANEL_COUNT;
    return longest;
}

/* What is in a row of the column that begins with panel `first`; false: nothing. */
static bool find_place(const struct td_view *view, int first, int end, int row, struct help_place *place)
{
    for (int i = first; i < end; i++) {
        int rows = rows_of(view, i);
        if (row < rows) {
            *place = (struct help_place){i, row - 1};
            return true;
        }
        row -= rows;
    }
    return false;
}

static void draw_help_row(struct td_view *view, const struct help_place *place, float x, float y, float wide)
{
    struct td_ui *ui = view->ui;
    const struct td_panel *panel = view->panels.table[place->panel];
    float keys = fminf(TD_U(view, KEYS_WIDTH), wide * .42f), gap = TD_U(view, 10);
    if (place->line < 0) {
        char title[40];
        snprintf(title, sizeof title, "%s", panel->title ? panel->title : panel->name);
        title[0] = (char)toupper((unsigned char)title[0]);
        td_ui_text_fit(ui, TD_FONT_BOLD, x, y, wide, TD_C(TEXT), title);
        td_ui_rect(ui, x, y + TD_U(view, ROW_HEIGHT - 1), x + wide - gap, y + TD_U(view, ROW_HEIGHT),
                   TD_C(EDGE), 0);
        return;
    }
    const struct td_help_line *line = &help_of(view, place->panel)[place->line];
    td_label(view, TD_FONT_TEXT, x, y, keys - gap, TD_C(ACCENT), line->keys, TD_CUT_END);
    td_label(view, TD_FONT_TEXT, x + keys, y, wide - keys - gap, TD_C(TEXT_DIM), line->action, TD_CUT_END);
}

static void draw_help(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    struct help_state *s = td_panel_state(view, TD_PANEL_HELP);
    float row = roundf(TD_U(view, ROW_HEIGHT)), head = TD_U(view, HEAD_HEIGHT), pad = TD_U(view, 20);
    float most_wide = td_ui_width(ui) - 2 * TD_U(view, MARGIN),
          most_high = td_ui_height(ui) - 2 * TD_U(view, MARGIN);
    const float each = TD_U(view, s->all ? NARROW_WIDTH : COLUMN_WIDTH);
    int columns = (int)fminf(fmaxf(most_wide / each, 1), s->all ? MOST_COLUMNS : 2);
    int first_panel[MOST_COLUMNS + 1], rows = split_columns(view, columns, first_panel), first, last;
    (void)place; /* centred in the window, over all panels */
    float wide = fminf((float)columns * each, most_wide);
    float high = fminf(head + row * (float)rows + TD_U(view, 8), most_high);
    float x = floorf((td_ui_width(ui) - wide) / 2), y = floorf((td_ui_height(ui) - high) / 3), top;
    td_ui_region_begin(ui, td_panel_help.name, x, y, wide, high, TD_C(PANEL), TD_LAYER_TOP);
    td_ui_text_fit(ui, TD_FONT_BOLD, x + pad, y + TD_U(view, 14), wide - 2 * pad - TD_U(view, 160),
                   TD_C(TEXT),
                   s->all ? "Mouse and keys of all panels"
                          : "Mouse and keys of the window and the panel with the keyboard");
    const char *other = s->all ? "Window   Left" : "All panels   Right";
    const float word = td_ui_text_width(ui, TD_FONT_TEXT, other);
    bool hovered;
    if (td_ui_click_area(ui, "other page", x + wide - pad - word, y, word, head, &hovered))
        s->all = !s->all;
    td_ui_text(ui, TD_FONT_TEXT, x + wide - pad - word, y + TD_U(view, 14),
               hovered ? TD_C(TEXT) : TD_C(ACCENT), other);
    td_ui_list_begin(ui, "help lines", x, y + head, wide, fmaxf(high - head, 1), rows, row, &first, &last,
                     &top);
    for (int i = first; i < last; i++)
        for (int c = 0; c < columns; c++) {
            struct help_place at;
            float column = (wide - pad) / (float)columns;
            if (find_place(view, first_panel[c], first_panel[c + 1], i, &at))
                draw_help_row(view, &at, x + pad + column * (float)c, top + row * (float)(i - first),
                              column - pad);
        }
    s->first = first;
    s->page = (int)((high - head) / row);
    if (s->wanted)
        td_ui_list_show(ui, row * (float)(s->wanted - 1), row);
    s->wanted = 0;
    td_ui_list_end(ui);
    td_ui_region_end(ui);
}

static bool take_help_key(struct td_view *view, const struct td_key_press *press)
{
    struct help_state *s = td_panel_state(view, TD_PANEL_HELP);
    int row;
    if (!td_panel_is_open(view, TD_PANEL_HELP))
        return false;
    switch (press->key) {
    case TD_KEY_LEFT:
    case TD_KEY_RIGHT:
        s->all = press->key == TD_KEY_RIGHT;
        row = 0;
        break;
    case TD_KEY_DOWN:
        row = s->first + s->page;
        break;
    case TD_KEY_UP:
        row = s->first - 1;
        break;
    case TD_KEY_PAGE_DOWN:
        row = s->first + 2 * s->page - 1;
        break;
    case TD_KEY_PAGE_UP:
        row = s->first - s->page;
        break;
    case TD_KEY_HOME:
        row = 0;
        break;
    case TD_KEY_END: {
        int first[MOST_COLUMNS + 1];
        row = split_columns(view, 1, first);
        break;
    }
    default:
        return false;
    }
    s->wanted = row < 0 ? 1 : row + 1;
    return true;
}

static void draw_help_button(struct td_view *view, struct td_bar_row *row)
{
    if (td_bar_button(view, row, "?", TD_U(view, 28)))
        td_panel_set_open(view, TD_PANEL_HELP, !td_panel_is_open(view, TD_PANEL_HELP));
}

static const struct td_help_line help_help[] = {
    {"?, H", "show and hide this page; Left, Right: that of all panels"},
    {"Esc", "close a panel, end the search, deselect"},
    {0},
};

const struct td_panel td_panel_help = {
    .name = "help",
    .dock = TD_DOCK_OVERLAY,
    .keys = {{.key = '?'}, {.key = 'h'}},
    .help = help_help,
    .bar_rank = 1,
    .state_bytes = sizeof(struct help_state),
    .draw = draw_help,
    .draw_controls = draw_help_button,
    .take_key = take_help_key,
};
