/* The menu of the timeline's rows: how cores are grouped. */
#include "host/viewer/view.h"

#include <math.h>
#include <stdio.h>

#define ROW_HEIGHT 26

static const char *const names[] = {
#define TD_X(id, name) name,
    TD_GROUPINGS(TD_X)
#undef TD_X
};

static void choose(struct td_view *view, int grouping)
{
    td_lanes_group(view, (enum td_grouping)grouping);
    td_panel_set_open(view, TD_PANEL_GROUPING, false);
}

static void draw_grouping(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    const float row = TD_U(view, ROW_HEIGHT), wide = fminf(TD_U(view, 230), place->right - place->left);
    const float x = place->left + TD_U(view, 12), y = place->top + TD_U(view, 60), head = TD_U(view, 28);
    const float high = head + row * TD_GROUPING_COUNT + TD_U(view, 6);
    td_ui_region_begin(ui, td_panel_grouping.name, x, y, wide, high, TD_C(PANEL), true);
    td_ui_frame_rect(ui, x, y, x + wide, y + high, TD_C(EDGE), 0, 1);
    td_ui_text(ui, TD_FONT_SMALL, x + TD_U(view, 12), y + TD_U(view, 8), TD_C(TEXT_FAINT), "Group cores by");
    for (int i = 0; i < TD_GROUPING_COUNT; i++) {
        float top = y + head + row * (float)i, text = top + (row - td_ui_text_height(ui, TD_FONT_TEXT)) / 2;
        char label[40];
        bool hovered, chosen = (int)view->lanes.grouping == i;
        if (td_ui_click_area(ui, names[i], x, top, wide, row, &hovered))
            choose(view, i);
        if (hovered)
            td_ui_rect(ui, x + 1, top, x + wide - 1, top + row, 0xff2d3a48, 0);
        snprintf(label, sizeof label, "%d   %s", i + 1, names[i]);
        td_ui_text(ui, chosen ? TD_FONT_BOLD : TD_FONT_TEXT, x + TD_U(view, 12), text,
                   chosen ? TD_C(ACCENT) : TD_C(TEXT), label);
    }
    if (td_ui_mouse_pressed(ui, TD_MOUSE_LEFT) && !td_ui_region_hovered(ui))
        td_panel_set_open(view, TD_PANEL_GROUPING, false);
    td_ui_region_end(ui);
}

static bool take_grouping_key(struct td_view *view, const struct td_key_press *press)
{
    int count = TD_GROUPING_COUNT, now = (int)view->lanes.grouping;
    if (!td_panel_is_open(view, TD_PANEL_GROUPING))
        return false;
    if (press->key >= '1' && press->key < '1' + count)
        choose(view, press->key - '1');
    else if (press->key == TD_KEY_DOWN || press->key == TD_KEY_UP)
        td_lanes_group(view, (enum td_grouping)((now + (press->key == TD_KEY_DOWN ? 1 : count - 1)) % count));
    else if (press->key == TD_KEY_ENTER)
        td_panel_set_open(view, TD_PANEL_GROUPING, false);
    else
        return false;
    return true;
}

static const struct td_help_line grouping_help[] = {
    {"G", "group cores by place, kind or kernel, or not at all"},
    {0},
};

const struct td_panel td_panel_grouping = {
    .name = "grouping",
    .dock = TD_DOCK_OVERLAY,
    .keys = {{'g', false}},
    .help = grouping_help,
    .draw = draw_grouping,
    .take_key = take_grouping_key,
};
