/* The menu of the timeline's rows: how cores are grouped, and the saved views of the trace. */
#include "host/viewer/timeline/notes.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

#define ROW_HEIGHT  26
#define HEAD_HEIGHT 28
#define DIGITS      9

struct grouping_state {
    char name[TD_SAVED_VIEW_NAME]; /* under which a view is to be saved */
};

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

TD_PANEL_STATE(grouping_state, GROUPING)

static void show_view(struct td_view *view, const char *name)
{
    td_saved_view_show(view, name, NULL);
    td_panel_set_open(view, TD_PANEL_GROUPING, false);
}

/* A line of the menu with the digit that chooses it; true: it was clicked. */
static bool draw_entry(struct td_view *view, const char *id, const struct td_rect *r, int digit,
                       const char *name, bool chosen)
{
    struct td_ui *ui = view->ui;
    char number[12];
    bool hovered;
    const bool clicked =
        td_ui_click_area(ui, id, r->left, r->top, r->right - r->left, r->bottom - r->top, &hovered);
    const float text = r->top + (r->bottom - r->top - td_ui_text_height(ui, TD_FONT_TEXT)) / 2;
    const enum td_font font = chosen ? TD_FONT_BOLD : TD_FONT_TEXT;
    const td_rgba color = chosen ? TD_C(ACCENT) : TD_C(TEXT);
    if (hovered)
        td_ui_rect(ui, r->left + 1, r->top, r->right - 1, r->bottom, TD_C(CHOSEN), 0);
    snprintf(number, sizeof number, "%d", digit);
    if (digit <= DIGITS)
        td_ui_text(ui, font, r->left + TD_U(view, 12), text, color, number);
    td_ui_text_fit(ui, font, r->left + TD_U(view, 34), text, r->right - r->left - TD_U(view, 40), color,
                   name);
    return clicked;
}

/* The saved views from y on, and the field for another one. */
static void draw_views(struct td_view *view, float x, float y, float wide)
{
    struct td_ui *ui = view->ui;
    struct grouping_state *s = state_of(view);
    const float row = TD_U(view, ROW_HEIGHT), field = TD_U(view, 23), button = TD_U(view, 26);
    const char *name;
    td_ui_text(ui, TD_FONT_SMALL, x + TD_U(view, 12), y + TD_U(view, 8), TD_C(TEXT_FAINT),
               "Views of this trace");
    y += TD_U(view, HEAD_HEIGHT);
    for (size_t i = 0; (name = td_saved_view_name(view, i)); i++, y += row) {
        const struct td_rect place = {x, y, x + wide - button, y + row};
        char id[32];
        snprintf(id, sizeof id, "x##remove view %zu", i);
        if (td_ui_button(ui, id, x + wide - button, y + 2, button - TD_U(view, 4), row - 4)) {
            td_saved_view_remove(view, name, NULL);
            break;
        }
        snprintf(id, sizeof id, "view %zu", i);
        if (draw_entry(view, id, &place, TD_GROUPING_COUNT + 1 + (int)i, name, false))
            show_view(view, name);
    }
    const int input = td_ui_input(ui, "##view name", "Save the view as ...   Enter", x + TD_U(view, 8), y + 2,
                                  wide - TD_U(view, 16), field, s->name, sizeof s->name, false);
    struct td_err err = {0};
    if (input & TD_INPUT_ENTER && td_saved_view_keep(view, s->name, &err) == 0) {
        s->name[0] = 0;
        td_ui_blur(ui);
    } else if (err.text[0]) {
        td_view_say(view, err.text);
    }
}

static size_t count_views(const struct td_view *view)
{
    size_t count = 0;
    while (td_saved_view_name(view, count))
        count++;
    return count;
}

static void draw_grouping(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    const float row = TD_U(view, ROW_HEIGHT), wide = fminf(TD_U(view, 250), place->right - place->left);
    const float x = place->left + TD_U(view, 12), y = place->top + TD_U(view, 60),
                head = TD_U(view, HEAD_HEIGHT);
    const float high = 2 * head + row * (float)(TD_GROUPING_COUNT + count_views(view)) + TD_U(view, 36);
    td_ui_region_begin(ui, td_panel_grouping.name, x, y, wide, high, TD_C(PANEL), TD_LAYER_TOP);
    td_ui_frame_rect(ui, x, y, x + wide, y + high, TD_C(EDGE), 0, 1);
    td_ui_text(ui, TD_FONT_SMALL, x + TD_U(view, 12), y + TD_U(view, 8), TD_C(TEXT_FAINT), "Group cores by");
    for (int i = 0; i < TD_GROUPING_COUNT; i++) {
        const float top = y + head + row * (float)i;
        if (draw_entry(view, names[i], &(struct td_rect){x, top, x + wide, top + row}, i + 1, names[i],
                       (int)view->lanes.grouping == i))
            choose(view, i);
    }
    draw_views(view, x, y + head + row * TD_GROUPING_COUNT, wide);
    /* While one of its widgets is held, the region does not count as hovered. */
    const float mx = td_ui_mouse_x(ui), my = td_ui_mouse_y(ui);
    if (td_ui_mouse_pressed(ui, TD_MOUSE_LEFT) && (mx < x || mx >= x + wide || my < y || my >= y + high))
        td_panel_set_open(view, TD_PANEL_GROUPING, false);
    td_ui_region_end(ui);
}

static bool take_grouping_key(struct td_view *view, const struct td_key_press *press)
{
    const int count = TD_GROUPING_COUNT, now = (int)view->lanes.grouping, digit = press->key - '0';
    if (!td_panel_is_open(view, TD_PANEL_GROUPING))
        return false;
    const char *name =
        digit > count && digit <= DIGITS ? td_saved_view_name(view, (size_t)(digit - count - 1)) : NULL;
    if (digit >= 1 && digit <= count)
        choose(view, digit - 1);
    else if (name)
        show_view(view, name);
    else if (press->key == TD_KEY_DOWN || press->key == TD_KEY_UP)
        td_lanes_group(view, (enum td_grouping)((now + (press->key == TD_KEY_DOWN ? 1 : count - 1)) % count));
    else if (press->key == TD_KEY_ENTER)
        td_panel_set_open(view, TD_PANEL_GROUPING, false);
    else
        return false;
    return true;
}

static const struct td_help_line grouping_help[] = {
    {"G", "group cores by place, kind or kernel, or not at all; saved views"},
    {0},
};

const struct td_panel td_panel_grouping = {
    .name = "grouping",
    .dock = TD_DOCK_OVERLAY,
    .keys = {{.key = 'g'}},
    .help = grouping_help,
    .state_bytes = sizeof(struct grouping_state),
    .draw = draw_grouping,
    .take_key = take_grouping_key,
};
