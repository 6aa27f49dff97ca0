/* The bar at the top: facts about the trace, and at its right end the controls of the panels. */
#include "host/query/table/track_name.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/tooltip.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAR_HEIGHT     44
#define CONTROL_HEIGHT 27
#define CONTROL_GAP    8
#define NAME_WIDTH     700 /* a narrower bar has no room for the viewer's name */

/* Draws a value and its label; nothing if they would not fit left of `limit`. Returns the next x. */
static float draw_fact(struct td_view *view, float x, float y, float limit, const char *value,
                       const char *label, td_rgba color)
{
    struct td_ui *ui = view->ui;
    float wide =
        td_ui_text_width(ui, TD_FONT_TEXT, value) + TD_U(view, 4) + td_ui_text_width(ui, TD_FONT_TEXT, label);
    if (!*value || x + wide > limit)
        return x;
    x += td_ui_text(ui, TD_FONT_TEXT, x, y, color, value) + TD_U(view, 4);
    x += td_ui_text(ui, TD_FONT_TEXT, x, y, TD_C(TEXT_FAINT), label);
    return x + TD_U(view, 20);
}

/* ---- alarms: what is lost or damaged, at a fixed place; a click lists it ---- */

enum alarm_form { ALARM_COUNTED, ALARM_NAMED, ALARM_ONE, ALARM_FORMS };

static td_rgba color_of_alarm(enum td_loss_kind kind)
{
    return kind == TD_LOSS_STALL ? TD_C(STALL) : kind >= TD_LOSS_UNSYNCED ? TD_C(MESSAGE) : TD_C(LOST);
}

/* "LOST 128", "LOST", or for all together "LOST +2". */
static void name_alarm(const struct td_view *view, enum td_loss_kind kind, enum alarm_form form,
                       char text[2 * TD_FORMAT_BYTES])
{
    char number[TD_FORMAT_BYTES];
    int kinds = 0;
    for (int k = 0; k < TD_LOSS_KINDS; k++)
        kinds += view->model.losses.of[k] > 0;
    if (form == ALARM_ONE && kinds > 1)
        snprintf(text, 2 * TD_FORMAT_BYTES, "%s +%d", td_loss_label(kind), kinds - 1);
    else if (form != ALARM_COUNTED || kind == TD_LOSS_CRASH || kind == TD_LOSS_SALVAGED)
        snprintf(text, 2 * TD_FORMAT_BYTES, "%s", td_loss_label(kind));
    else
        snprintf(text, 2 * TD_FORMAT_BYTES, "%s %s", td_loss_label(kind),
                 td_format_count(number, view->model.losses.of[kind]));
}

static float alarms_width(struct td_view *view, enum alarm_form form)
{
    char text[2 * TD_FORMAT_BYTES];
    float wide = 0;
    for (int k = 0; k < TD_LOSS_KINDS; k++) {
        if (!view->model.losses.of[k])
            continue;
        name_alarm(view, (enum td_loss_kind)k, form, text);
        wide += td_ui_text_width(view->ui, TD_FONT_BOLD, text) + TD_U(view, 18);
        if (form == ALARM_ONE)
            break;
    }
    return wide;
}

static void set_crash_tip(struct td_view *view)
{
    const struct td_crash *crash = td_trace_crash(view->model.trace);
    char time[TD_FORMAT_BYTES], room[TD_TRACK_NAME_BYTES];
    td_tip(view, "The program crashed", "at\t%s\nthread\t%.100s\n%.600s\n",
           td_format_time(time, (double)crash->time_ns, 1),
           td_track_name(view->model.dict, crash->track, room), td_dict_text(view->model.dict, crash->text));
}

static void set_alarm_tip(struct td_view *view, enum td_loss_kind kind)
{
    char number[TD_FORMAT_BYTES];
    if (kind == TD_LOSS_CRASH)
        set_crash_tip(view);
    else if (kind == TD_LOSS_SALVAGED)
        td_tip(view, "Only the intact part of a damaged file", "%.600s\n",
               td_trace_get_info(view->model.trace)->salvaged);
    else
        td_tip(view, td_loss_title(kind), "count\t%s\nClick, or L, to list them.\n",
               td_format_count(number, view->model.losses.of[kind]));
}

static float draw_alarm(struct td_view *view, enum td_loss_kind kind, enum alarm_form form, float x, float y,
                        float height)
{
    char text[2 * TD_FORMAT_BYTES], id[32];
    bool hovered;
    name_alarm(view, kind, form, text);
    float wide = td_ui_text_width(view->ui, TD_FONT_BOLD, text) + TD_U(view, 12);
    snprintf(id, sizeof id, "alarm %d", kind);
    if (td_ui_click_area(view->ui, id, x, y, wide, height, &hovered))
        td_panel_set_open(view, TD_PANEL_LOSSES, true);
    td_rgba color = color_of_alarm(kind);
    td_ui_rect(view->ui, x, y, x + wide, y + height, td_color_alpha(color, hovered ? .4f : .2f),
               TD_U(view, 4));
    td_ui_text(view->ui, TD_FONT_BOLD, x + TD_U(view, 6),
               y + (height - td_ui_text_height(view->ui, TD_FONT_BOLD)) / 2, color, text);
    if (hovered)
        set_alarm_tip(view, kind);
    return x + wide + TD_U(view, 6);
}

/* In the longest form that takes no more than its share of the bar; never left out. Returns the next x. */
static float draw_alarms(struct td_view *view, float x, const struct td_rect *place)
{
    static const float share[ALARM_FORMS] = {.4f, .5f, 1};
    float wide = place->right - place->left, height = TD_U(view, CONTROL_HEIGHT) - TD_U(view, 4);
    float y = (place->top + place->bottom - height) / 2;
    enum alarm_form form = ALARM_COUNTED;
    while (form < ALARM_ONE && alarms_width(view, form) > wide * share[form])
        form++;
    for (int k = 0; k < TD_LOSS_KINDS; k++) {
        if (!view->model.losses.of[k])
            continue;
        x = draw_alarm(view, (enum td_loss_kind)k, form, x, y, height);
        if (form == ALARM_ONE)
            break;
    }
    return x;
}

/* ---- facts ---- */

/* A trace that grows does not know yet. */
static float draw_no_loss(struct td_view *view, float x, float y, float limit)
{
    if (view->model.losses.any || !td_trace_is_finished(view->model.trace))
        return x;
    return draw_fact(view, x, y, limit, "nothing", "lost", TD_C(TEXT));
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void draw_facts(struct td_view *view, float x, float y, float limit)
{
    struct td_ui *ui = view->ui;
    char text[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES + 8];
    x += td_ui_text_fit(ui, TD_FONT_BOLD, x, y, fmaxf(limit - x, 0) * .5f, TD_C(TEXT),
                        file_name(view->model.path));
    x += TD_U(view, 24);
    const char *program =
        td_live_has_info(view->model.live) ? td_trace_get_info(view->model.trace)->program : NULL;
    x = draw_fact(view, x, y, limit, program ? file_name(program) : "", "program", TD_C(TEXT));
    if (view->layout.count)
        x = draw_fact(view, x, y, limit,
                      td_format_ns(text, (double)(view->model.last_ns - view->model.first_ns)), "recorded",
                      TD_C(TEXT));
    x = draw_fact(view, x, y, limit, td_format_count(text, view->model.zones),
                  view->model.zones == 1 ? "zone" : "zones", TD_C(TEXT));
    if (view->model.cores)
        x = draw_fact(view, x, y, limit, td_format_count(text, view->model.cores),
                      view->model.cores == 1 ? "core" : "cores", TD_C(TEXT));
    x = draw_no_loss(view, x, y, limit);
    const char *error = td_trace_get_note(view->model.trace, TD_NOTE_CLOCK_ERROR_NS, 0);
    double error_ns = 0;
    if (error && sscanf(error, "%lf", &error_ns) == 1) {
        snprintf(more, sizeof more, "\xc2\xb1%s", td_format_ns(text, error_ns));
        draw_fact(view, x, y, limit, more, "clock error", TD_C(TEXT));
    }
}

bool td_bar_button(struct td_view *view, struct td_bar_row *row, const char *label, float width)
{
    float left = row->right - width;
    if (left < row->left)
        return false;
    bool clicked = td_ui_button(view->ui, label, left, row->y, width, row->height);
    row->right = left - TD_U(view, CONTROL_GAP);
    return clicked;
}

/* Three lines, which open a menu. Returns the next x. */
static float draw_menu_button(struct td_view *view, float x, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    const float size = TD_U(view, CONTROL_HEIGHT), y = (place->top + place->bottom - size) / 2;
    const float inset = TD_U(view, 7), step = TD_U(view, 5), high = roundf(TD_U(view, 1.5f));
    bool hovered;
    if (td_ui_click_area(ui, "menu", x, y, size, size, &hovered))
        td_menu_of_bar(view, x, place->bottom);
    if (hovered) {
        td_ui_rect(ui, x, y, x + size, y + size, TD_C(LIT), TD_U(view, 4));
        td_tip(view, "Menu", "%s", "all that can be done\tCtrl+P\n");
    }
    for (int i = -1; i <= 1; i++) {
        const float line = roundf(y + size / 2 + step * (float)i - high / 2);
        td_ui_rect(ui, x + inset, line, x + size - inset, line + high, hovered ? TD_C(TEXT) : TD_C(TEXT_DIM),
                   0);
    }
    return x + size + TD_U(view, CONTROL_GAP);
}

static float bar_height(const struct td_view *view)
{
    return TD_U(view, BAR_HEIGHT);
}

static void draw_bar(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    float height = place->bottom - place->top, control = TD_U(view, CONTROL_HEIGHT);
    td_ui_region_begin(ui, td_panel_bar.name, place->left, place->top, place->right - place->left, height,
                       TD_C(BAR), TD_LAYER_BASE);
    float text_y = place->top + (height - td_ui_text_height(ui, TD_FONT_TEXT)) / 2;
    float x = draw_menu_button(view, place->left + TD_U(view, CONTROL_GAP), place);
    if (place->right - place->left >= TD_U(view, NAME_WIDTH))
        x += td_ui_text(ui, TD_FONT_BOLD, x, text_y, TD_C(ACCENT), "Tendril") + TD_U(view, 14);
    x = draw_alarms(view, x, place);
    struct td_bar_row row = {x, place->right - TD_U(view, 10), place->top + (height - control) / 2, control};
    for (int rank = 1; rank <= TD_PANEL_COUNT; rank++)
        for (int i = 0; i < TD_PANEL_COUNT; i++)
            if (view->panels.table[i]->bar_rank == rank)
                view->panels.table[i]->draw_controls(view, &row);
    draw_facts(view, x, text_y, row.right);
    td_ui_rect(ui, place->left, place->bottom - 1, place->right, place->bottom, TD_C(EDGE), 0);
    td_ui_region_end(ui);
}

const struct td_panel td_panel_bar = {
    .name = "bar",
    .dock = TD_DOCK_TOP,
    .is_open = td_panel_always_open,
    .size = bar_height,
    .draw = draw_bar,
};
