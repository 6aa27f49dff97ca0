/* What the timeline and the panels draw of the choice of lanes: the lit lane, the corner, the filter. */
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool contains_lane(const struct td_view *view, const struct td_node *node, uint32_t track)
{
    int number = track == TD_NO_LANE ? -1 : td_layout_track_node(&view->layout, track);
    const int self = (int)(node - view->layout.nodes);
    bool is_self = number == self, is_inside = node->collapsed && number > self && number < node->end;
    return number >= 0 && (is_self || is_inside);
}

void td_draw_lane_light(struct td_view *view, const struct td_node *node, float y, float x)
{
    struct td_ui *ui = view->ui;
    if (contains_lane(view, node, view->lanes.lit))
        td_ui_rect(ui, x, y, view->area.left, y + node->height, td_color_alpha(TD_C(ACCENT), .35f), 0);
    if (contains_lane(view, node, view->lanes.selected)) {
        td_ui_rect(ui, x, y, view->area.left, y + node->height, td_color_alpha(TD_C(ACCENT), .14f), 0);
        td_ui_rect(ui, x, y, x + TD_U(view, 3), y + node->height, TD_C(ACCENT), 0);
    }
}

void td_draw_lane_corner(struct td_view *view, float y, float height)
{
    struct td_ui *ui = view->ui;
    const struct td_lanes *l = &view->lanes;
    char text[120] = "", number[2][TD_FORMAT_BYTES];
    float left = view->area.panel.left, room = view->area.left - left;
    bool hovered, filtered = l->filter.count > 0;
    if (filtered)
        snprintf(text, sizeof text, "%s of %s lanes", td_format_count(number[0], l->passing),
                 td_format_count(number[1], l->lanes));
    if (l->hidden_rows) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s hidden", used ? ", " : "",
                 td_format_count(number[0], l->hidden_rows));
    }
    char kinds[80];
    if (td_view_hidden_kinds(view, kinds, sizeof kinds)) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%sno %s", used ? ", " : "", kinds);
    }
    if (!*text)
        return;
    float wide = td_ui_text_width(ui, TD_FONT_SMALL, "clear") + TD_U(view, 16), top = y + TD_U(view, 2);
    float text_y = y + (height - td_ui_text_height(ui, TD_FONT_SMALL)) / 2,
          bottom = y + height - TD_U(view, 3);
    td_ui_rect(ui, left, top, view->area.left - 1, bottom, TD_C(GUTTER), 0);
    td_ui_rect(ui, left, top, left + TD_U(view, 3), bottom, TD_C(MATCH), 0);
    td_ui_text_fit(ui, TD_FONT_SMALL, left + TD_U(view, 12), text_y, room - wide - TD_U(view, 14),
                   TD_C(MATCH), text);
    if (td_ui_click_area(ui, "clear lanes", view->area.left - wide, top, wide - 1, bottom - top, &hovered)) {
        td_lanes_show_all(view);
        td_view_show_kinds(view);
    }
    td_ui_text(ui, TD_FONT_SMALL, view->area.left - wide + TD_U(view, 8), text_y,
               hovered ? TD_C(TEXT) : TD_C(ACCENT), "clear");
    if (hovered)
        td_tip(view, "Show all lanes", "filter\t%s\nhidden rows\t%u\nhidden by settings\t%s\n",
               filtered ? l->filter.text : "none", l->hidden_rows, *kinds ? kinds : "none");
}

float td_draw_lane_filter(struct td_view *view, const char *id, float x, float y, float width, float height,
                          bool focus)
{
    struct td_ui *ui = view->ui;
    struct td_lanes *l = &view->lanes;
    td_ui_input(ui, id, "Filter lanes: tile 3,* and wait > 10 %", x, y, width, height, l->text,
                sizeof l->text, focus);
    if (!*l->mistake.text || strcmp(l->text, l->taken))
        return x + width;
    /* The message hangs below the field; a tick shows the place. */
    char before[TD_LANE_FILTER_BYTES];
    snprintf(before, sizeof before, "%.*s", (int)l->mistake.at, l->text);
    float mark = x + TD_U(view, 8) + td_ui_text_width(ui, TD_FONT_TEXT, before);
    mark = fminf(mark, x + width - TD_U(view, 6));
    float line = td_ui_text_height(ui, TD_FONT_SMALL) + TD_U(view, 6), top = y + height;
    float wide = td_ui_text_width(ui, TD_FONT_SMALL, l->mistake.text) + TD_U(view, 16);
    float left = fmaxf(fminf(x, td_ui_width(ui) - wide), 0),
          tick[6] = {mark - TD_U(view, 4), top, mark + TD_U(view, 4), top, mark, top - TD_U(view, 5)};
    td_ui_on_top(ui, true);
    td_ui_rect(ui, left, top, left + wide, top + line, td_color_mix(TD_C(PANEL), TD_C(LOST), .15f),
               TD_U(view, 3));
    td_ui_triangle(ui, tick, TD_C(LOST));
    td_ui_text_fit(ui, TD_FONT_SMALL, left + TD_U(view, 8), top + TD_U(view, 3), wide - TD_U(view, 10),
                   TD_C(TEXT), l->mistake.text);
    td_ui_on_top(ui, false);
    return x + width;
}
