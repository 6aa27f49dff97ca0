/* The bar at the top: facts about the trace, and at its right end the controls of the panels. */
#include "host/viewer/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAR_HEIGHT     44
#define CONTROL_HEIGHT 27
#define CONTROL_GAP    8

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

/* The number in a note of the trace; 0: no such note. */
static uint64_t read_number_note(const struct td_view *view, const char *key)
{
    const char *note = td_trace_get_note(view->trace, key, 0);
    uint64_t number = 0;
    return note && sscanf(note, "%" SCNu64, &number) == 1 ? number : 0;
}

static float draw_losses(struct td_view *view, float x, float y, float limit)
{
    char text[TD_FORMAT_BYTES];
    uint64_t lost = read_number_note(view, TD_NOTE_LOST), stalls = read_number_note(view, TD_NOTE_STALLS);
    if (lost)
        x = draw_fact(view, x, y, limit, td_format_count(text, lost), "zones lost", TD_C(LOST));
    else
        x = draw_fact(view, x, y, limit, "nothing", "lost", TD_C(TEXT));
    if (stalls)
        x = draw_fact(view, x, y, limit, td_format_count(text, stalls), stalls == 1 ? "stall" : "stalls",
                      TD_C(STALL));
    return x;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void draw_facts(struct td_view *view, float left, float y, float limit)
{
    struct td_ui *ui = view->ui;
    char text[TD_FORMAT_BYTES], more[TD_FORMAT_BYTES + 8];
    float x = left + TD_U(view, 14);
    x += td_ui_text(ui, TD_FONT_BOLD, x, y, TD_C(ACCENT), "Tendril") + TD_U(view, 14);
    x += td_ui_text_fit(ui, TD_FONT_BOLD, x, y, fmaxf(limit - x, 0) * .5f, TD_C(TEXT), file_name(view->path));
    x += TD_U(view, 24);
    const struct td_trace_info *info = td_trace_get_info(view->trace);
    x = draw_fact(view, x, y, limit, info->program && *info->program ? file_name(info->program) : "",
                  "program", TD_C(TEXT));
    x = draw_fact(view, x, y, limit, td_format_ns(text, (double)(view->last_ns - view->first_ns)), "recorded",
                  TD_C(TEXT));
    x = draw_fact(view, x, y, limit, td_format_count(text, view->zones), view->zones == 1 ? "zone" : "zones",
                  TD_C(TEXT));
    if (view->cores)
        x = draw_fact(view, x, y, limit, td_format_count(text, view->cores),
                      view->cores == 1 ? "core" : "cores", TD_C(TEXT));
    x = draw_losses(view, x, y, limit);
    const char *error = td_trace_get_note(view->trace, TD_NOTE_CLOCK_ERROR_NS, 0);
    double error_ns = 0;
    if (error && sscanf(error, "%lf", &error_ns) == 1) {
        snprintf(more, sizeof more, "\xc2\xb1%s", td_format_ns(text, error_ns));
        x = draw_fact(view, x, y, limit, more, "clock error", TD_C(TEXT));
    }
    if (td_trace_crash(view->trace))
        draw_fact(view, x, y, limit, "crashed", "", TD_C(LOST));
}

bool td_bar_button(struct td_view *view, struct td_bar_row *row, const char *label, float width)
{
    float left = row->right - width;
    bool clicked = td_ui_button(view->ui, label, left, row->y, width, row->height);
    row->right = left - TD_U(view, CONTROL_GAP);
    return clicked;
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
                       TD_C(BAR), false);
    struct td_bar_row row = {place->right - TD_U(view, 10), place->top + (height - control) / 2, control};
    for (int rank = 1; rank <= TD_PANEL_COUNT; rank++)
        for (int i = 0; i < TD_PANEL_COUNT; i++)
            if (view->panels[i]->bar_rank == rank)
                view->panels[i]->draw_controls(view, &row);
    draw_facts(view, place->left, place->top + (height - td_ui_text_height(ui, TD_FONT_TEXT)) / 2, row.right);
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
