/* The settings that hold for all traces. A change is used at once, and kept. */
#include "host/viewer/panels/options_gpu.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>

#define LINE       30
#define SCALE_STEP 1.25
#define DIGITS     9 /* choices that a digit changes */

static const char *const titles[] = {"Times",
                                     "Colours",
                                     "Mouse",
                                     "Colours of zones",
                                     "Program's colours",
                                     "Inherited colours",
                                     "Names of zones",
                                     "Grid of chips",
                                     "Critical chain",
                                     "NoC traffic in Chips",
                                     "NoC transfers",
                                     "Context switches",
                                     "Zones while not running",
                                     "Samples",
                                     "CPU data",
                                     "Migrations",
                                     "Ghost zones",
                                     "Locks",
                                     "Plots",
                                     "GPU contexts",
                                     "Target of frames",
                                     "Frames over target",
                                     "Empty tracks"};
_Static_assert(sizeof titles / sizeof *titles == TD_CHOICE_COUNT, "a title for each choice");

/* 0: the scale of the display. */
static void change_scale(struct td_view *view, double factor)
{
    double scale = factor > 0 ? (double)view->scale * factor : 0;
    if (factor > 0)
        scale = fmin(fmax(scale, TD_UI_MIN_SCALE), TD_UI_MAX_SCALE);
    view->choices.shared->scale = scale;
    view->wishes.page = TD_WISH_SCALE;
}

static void draw_scale(struct td_view *view, float left, float right, float y)
{
    struct td_ui *ui = view->ui;
    const float line = TD_U(view, LINE), high = line - TD_U(view, 4), middle = left + (right - left) * .4f;
    char text[60];
    snprintf(text, sizeof text, "%.0f %%%s", (double)view->scale * 100,
             view->choices.shared->scale > 0 ? "" : ", as the display");
    td_ui_text_fit(ui, TD_FONT_TEXT, left, y + TD_U(view, 6), middle - left, TD_C(TEXT_DIM), "Scale");
    td_ui_text_fit(ui, TD_FONT_TEXT, middle, y + TD_U(view, 6), right - middle, TD_C(TEXT), text);
    y += line;
    static const struct {
        const char *label;
        double factor;
    } buttons[] = {{"Smaller", 1 / SCALE_STEP}, {"Larger", SCALE_STEP}, {"Display's", 0}};
    const float gap = TD_U(view, 6), wide = (right - left - 2 * gap) / 3;
    for (int i = 0; i < 3; i++)
        if (td_ui_button(ui, buttons[i].label, left + (wide + gap) * (float)i, y, wide, high))
            change_scale(view, buttons[i].factor);
}

static void draw_options(struct td_view *view, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    const float margin = TD_U(view, 14), line = TD_U(view, LINE), high = line - TD_U(view, 4);
    const float left = place->left + margin, right = place->right - margin,
                middle = left + (right - left) * .4f;
    const uint32_t contexts = td_view_gpu_contexts(&view->model);
    const float lines =
        (float)(TD_CHOICE_COUNT + (view->choices.shared ? 2 : 0) + (contexts ? contexts + 1 : 0));
    int first, last;
    float top;
    td_ui_list_begin(ui, "options", place->left, place->top, place->right - place->left,
                     place->bottom - place->top, (int)(lines * line + TD_U(view, 28)), 1, &first, &last,
                     &top);
    float y = top - (float)first + TD_U(view, 10);
    char text[60];
    for (int c = 0; c < TD_CHOICE_COUNT; c++, y += line) {
        td_ui_text_fit(ui, TD_FONT_TEXT, left, y + TD_U(view, 6), middle - left, TD_C(TEXT_DIM), titles[c]);
        const char *word = td_choice_word(c, td_view_choice(view, c));
        if (c < DIGITS)
            snprintf(text, sizeof text, "%s (%d)##%s", word, c + 1, td_choice_name(c));
        else
            snprintf(text, sizeof text, "%s##%s", word, td_choice_name(c));
        if (td_ui_button(ui, text, middle, y, right - middle, high))
            td_view_next_choice(view, c);
    }
    if (view->choices.shared) { /* a picture's scale does not change */
        draw_scale(view, left, right, y);
        y += 2 * line;
    }
    td_options_draw_gpu(view, left, right, y + TD_U(view, 8));
    td_ui_list_end(ui);
}

/* Ctrl with +, - and 0 change the scale; digits the other settings, while the panel is open. */
static bool take_options_key(struct td_view *view, const struct td_key_press *press)
{
    if (view->choices.shared && press->ctrl &&
        (press->key == '+' || press->key == '-' || press->key == '0')) {
        change_scale(view, press->key == '+' ? SCALE_STEP : press->key == '-' ? 1 / SCALE_STEP : 0);
        return true;
    }
    const int choice = press->key - '1';
    if (press->ctrl || choice < 0 || choice >= DIGITS || !td_panel_has_keys(view, TD_PANEL_OPTIONS))
        return false;
    td_view_next_choice(view, (enum td_choice)choice);
    return true;
}

static const struct td_help_line options_help[] = {
    {"Ctrl+comma", "options; the digits change them"},
    {"Ctrl with +, -, 0", "larger, smaller, as the display wants"},
    {"Ctrl+O, Ctrl+W", "open another trace, close this one"},
    {"Ctrl+Tab, with Shift", "next tab, previous tab"},
    {0},
};

const struct td_panel td_panel_options = {
    .name = "options",
    .dock = TD_DOCK_RIGHT,
    .title = "Options",
    .keys = {{.key = ',', .ctrl = true}},
    .help = options_help,
    .draw = draw_options,
    .take_key = take_options_key,
};
