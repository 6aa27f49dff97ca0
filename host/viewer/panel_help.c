/* The help page: lists the mouse and key actions of all panels. */
#include "host/viewer/view.h"

#include <math.h>

static int count_lines(const struct td_view *view)
{
    int count = 0;
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        for (const struct td_help_line *l = view->panels[i]->help; l && l->keys; l++)
            count++;
    return count;
}

static void draw_help(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    float wide = TD_U(view, 540), row = TD_U(view, 24),
          high = TD_U(view, 58) + row * (float)count_lines(view);
    float x = floorf((td_ui_width(ui) - wide) / 2), y = floorf((td_ui_height(ui) - high) / 3);
    (void)place; /* centred in the window, over all panels */
    td_ui_region_begin(ui, td_panel_help.name, x, y, wide, high, TD_C(PANEL), true);
    td_ui_text(ui, TD_FONT_BOLD, x + TD_U(view, 20), y + TD_U(view, 16), TD_C(TEXT), "Mouse and keys");
    float line = y + TD_U(view, 46);
    for (int i = 0; i < TD_PANEL_COUNT; i++)
        for (const struct td_help_line *l = view->panels[i]->help; l && l->keys; l++, line += row) {
            td_ui_text(ui, TD_FONT_TEXT, x + TD_U(view, 20), line, TD_C(ACCENT), l->keys);
            td_ui_text(ui, TD_FONT_TEXT, x + TD_U(view, 240), line, TD_C(TEXT), l->action);
        }
    td_ui_region_end(ui);
}

static void draw_help_button(struct td_view *view, struct td_bar_row *row)
{
    if (td_bar_button(view, row, "?", TD_U(view, 28)))
        td_panel_set_open(view, TD_PANEL_HELP, !td_panel_is_open(view, TD_PANEL_HELP));
}

static const struct td_help_line help_help[] = {
    {"?, H", "show and hide this page"},
    {"Esc", "close the last panel, end the search, deselect"},
    {0},
};

const struct td_panel td_panel_help = {
    .name = "help",
    .dock = TD_DOCK_OVERLAY,
    .keys = {{'?', false}, {'h', false}},
    .help = help_help,
    .bar_rank = 1,
    .draw = draw_help,
    .draw_controls = draw_help_button,
};
