/* The settings that hold for all traces: check boxes and lists, with what each does. A change is used at once, and kept. */
#include "host/viewer/panels/options_gpu.h"
#include "host/viewer/panels/options_list.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/paragraph.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE       28
#define GAP        8 /* between options */
#define BOX        16
#define LIST_WIDE  124
#define SCALE_STEP 1.25
#define DIGITS     9 /* choices that a digit changes */

struct options_state {
    char search[60];
    float high; /* of all options, as they were drawn last */
};

TD_PANEL_STATE(options_state, OPTIONS)

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
    const float line = TD_U(view, LINE), high = line - TD_U(view, 4);
    char text[60];
    snprintf(text, sizeof text, "Scale: %.0f %%%s", (double)view->scale * 100,
             view->choices.shared->scale > 0 ? "" : ", as the display");
    td_ui_text_fit(ui, TD_FONT_TEXT, left, y + TD_U(view, 6), right - left, TD_C(TEXT), text);
    y += line;
    static const struct {
        const char *label;
        double factor;
    } buttons[] = {{"Smaller", 1 / SCALE_STEP}, {"Larger", SCALE_STEP}, {"Display's", 0}};
    const float gap = TD_U(view, GAP), wide = (right - left - 2 * gap) / 3;
    for (int i = 0; i < 3; i++)
        if (td_ui_button(ui, buttons[i].label, left + (wide + gap) * (float)i, y, wide, high))
            change_scale(view, buttons[i].factor);
}

/* ---- an option ---- */

static void draw_box(struct td_view *view, float x, float y, bool on, bool hovered)
{
    struct td_ui *ui = view->ui;
    const float size = TD_U(view, BOX), r = TD_U(view, 4);
    td_ui_rect(ui, x, y, x + size, y + size, on ? TD_C(ACCENT) : TD_C(FIELD), r);
    td_ui_frame_rect(ui, x, y, x + size, y + size, hovered || on ? TD_C(ACCENT) : TD_C(TEXT_FAINT), r, 1);
    if (!on)
        return;
    const float check[6] = {x + size * .22f, y + size * .52f, x + size * .42f,
                            y + size * .72f, x + size * .78f, y + size * .3f};
    td_ui_polyline(ui, check, 3, td_color_text_on(TD_C(ACCENT)), TD_U(view, 1.8f));
}

/* A menu of the words. */
static void open_words(struct td_view *view, enum td_choice choice, float x, float y)
{
    struct td_menu *menu = td_menu_begin(view, x, y);
    const char *word;
    for (int i = 0; (word = td_choice_word(choice, i)); i++) {
        struct td_menu_entry *entry =
            td_menu_add(menu, word, NULL, "set %s %s", td_choice_name(choice), word);
        if (entry)
            entry->mark = td_view_choice(view, choice) == i ? TD_MENU_ON : TD_MENU_OFF;
    }
    if (choice == TD_CHOICE_FPS)
        td_menu_add(menu, "Another number ...", NULL, "prompt 'set fps '");
}

/* The word that is chosen, and an arrow. */
static void draw_words(struct td_view *view, enum td_choice choice, float left, float right, float y)
{
    struct td_ui *ui = view->ui;
    const float high = TD_U(view, LINE - 4), d = TD_U(view, 3.5f), x = right - TD_U(view, 14),
                middle = y + high / 2;
    char id[60], room[TD_CHOICE_BYTES];
    snprintf(id, sizeof id, "##%s", td_choice_name(choice));
    if (td_ui_button(ui, id, left, y, right - left, high))
        open_words(view, choice, left, y + high);
    td_ui_text_fit(ui, TD_FONT_TEXT, left + TD_U(view, 8), middle - td_ui_text_height(ui, TD_FONT_TEXT) / 2,
                   x - left - TD_U(view, 12), TD_C(TEXT),
                   td_choice_text(choice, td_view_choice(view, choice), room));
    const float arrow[6] = {x - d, middle - d / 2, x, middle + d / 2, x + d, middle - d / 2};
    td_ui_polyline(ui, arrow, 3, TD_C(TEXT_DIM), TD_U(view, 1.4f));
}

/* Returns the y below it. */
static float draw_option(struct td_view *view, enum td_choice choice, float left, float right, float y)
{
    const struct td_option_text *option = td_text_of_option(choice);
    struct td_ui *ui = view->ui;
    const float line = TD_U(view, LINE), text_y = y + (line - td_ui_text_height(ui, TD_FONT_TEXT)) / 2,
                inner = left + (option->is_switch ? TD_U(view, BOX + GAP) : 0);
    float end = right - (option->is_switch ? 0 : TD_U(view, LIST_WIDE + GAP));
    char digit[4] = "";
    bool hovered = false;
    if (choice < DIGITS)
        snprintf(digit, sizeof digit, "%d", (int)choice + 1);
    if (option->is_switch) {
        if (td_ui_click_area(ui, td_choice_name(choice), left, y, right - left, line, &hovered))
            td_view_next_choice(view, choice);
        draw_box(view, left, y + (line - TD_U(view, BOX)) / 2, td_view_choice(view, choice) == option->on,
                 hovered);
    } else {
        draw_words(view, choice, right - TD_U(view, LIST_WIDE), right, y + TD_U(view, 2));
    }
    if (*digit) {
        end -= TD_U(view, 14);
        td_ui_text(ui, TD_FONT_SMALL, end + TD_U(view, 4), text_y, TD_C(TEXT_FAINT), digit);
    }
    td_ui_text_fit(ui, TD_FONT_TEXT, inner, text_y, end - inner, TD_C(TEXT), option->title);
    y += line;
    return y +
           td_paragraph(view, TD_FONT_SMALL, inner, y, right - inner, TD_C(TEXT_FAINT), option->about, true) +
           TD_U(view, GAP);
}

static bool passes(const struct options_state *s, enum td_choice choice)
{
    const struct td_option_text *option = td_text_of_option(choice);
    if (!s->search[0] || strcasestr(option->title, s->search) || strcasestr(option->about, s->search) ||
        strcasestr(td_choice_name(choice), s->search))
        return true;
    for (int i = 0; td_choice_word(choice, i); i++)
        if (strcasestr(td_choice_word(choice, i), s->search))
            return true;
    return false;
}

static float draw_all(struct td_view *view, const struct options_state *s, float left, float right, float y)
{
    const char *section = NULL, *drawn = NULL;
    for (int c = 0; c < TD_CHOICE_COUNT; c++) {
        section = td_text_of_option((enum td_choice)c)->section
                      ? td_text_of_option((enum td_choice)c)->section
                      : section;
        if (!passes(s, (enum td_choice)c))
            continue;
        if (section != drawn) {
            td_ui_text_fit(view->ui, TD_FONT_BOLD, left, y + TD_U(view, 4), right - left, TD_C(ACCENT),
                           section);
            y += TD_U(view, LINE);
        }
        drawn = section;
        y = draw_option(view, (enum td_choice)c, left, right, y);
    }
    if (!drawn)
        y += td_paragraph(view, TD_FONT_TEXT, left, y, right - left, TD_C(TEXT_DIM),
                          "No option has this text in its name, its values or what it does.", true);
    return y;
}

static void draw_options(struct td_view *view, const struct td_rect *place)
{
    struct options_state *s = state_of(view);
    struct td_ui *ui = view->ui;
    const float margin = TD_U(view, 12), field = TD_U(view, 26);
    const float left = place->left + margin, right = place->right - margin - TD_U(view, 8),
                above = place->top + margin;
    const uint32_t contexts = td_view_gpu_contexts(&view->model);
    int first, last;
    float top;
    td_ui_input(ui, "##search options", "Search options", left, above, right - left, field, s->search,
                sizeof s->search, false);
    const float list = above + field + TD_U(view, GAP);
    td_ui_list_begin(ui, "options", place->left, list, place->right - place->left,
                     fmaxf(place->bottom - list, 1), (int)s->high, 1, &first, &last, &top);
    const float begin = top - (float)first;
    float y = draw_all(view, s, left, right, begin);
    if (view->choices.shared && !s->search[0]) { /* a picture's scale does not change */
        draw_scale(view, left, right, y);
        y += TD_U(view, 2 * LINE + GAP);
    }
    if (!s->search[0]) {
        td_options_draw_gpu(view, left, right, y);
        y += contexts ? TD_U(view, 30) * (float)(contexts + 1) : 0;
    }
    s->high = y - begin + margin;
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
    .group = TD_GROUP_SESSION,
    .page = "Which options are there?",
    .keys = {{.key = ',', .ctrl = true}},
    .help = options_help,
    .state_bytes = sizeof(struct options_state),
    .draw = draw_options,
    .take_key = take_options_key,
};
