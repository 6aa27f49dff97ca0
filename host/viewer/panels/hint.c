/* A line below the timeline with what a new user does first. It is there for five minutes, or until it is turned off. */
#include "host/base/clock.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define HIGH     24
#define SHOWN_MS 300000

static bool is_shown(const struct td_view *view)
{
    /* Pictures have no user. */
    return view->choices.shared && !td_view_choice(view, TD_CHOICE_HINTS) &&
           td_mono_ms() - view->panels.begun_ms < SHOWN_MS;
}

static float hint_height(const struct td_view *view)
{
    return roundf(TD_U(view, HIGH));
}

static void draw_hint(struct td_view *view, const struct td_rect *place)
{
    static const char text[] = "Wheel: zoom      Drag: move      Drag with the right button: mark a range    "
                               "  Right button: menu      "
                               "/: find      Ctrl+P: commands      ?: keys";
    struct td_ui *ui = view->ui;
    const float wide = place->right - place->left, high = place->bottom - place->top, button = TD_U(view, 96),
                pad = TD_U(view, 12);
    td_ui_region_begin(ui, "hint", place->left, place->top, wide, high, TD_C(BAR), TD_LAYER_BASE);
    td_ui_rect(ui, place->left, place->top, place->right, place->top + 1, TD_C(EDGE), 0);
    td_ui_text_fit(ui, TD_FONT_SMALL, place->left + pad,
                   place->top + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, wide - button - 2 * pad,
                   TD_C(TEXT_DIM), text);
    if (td_ui_button(ui, "No hints", place->right - button - 2, place->top + 2, button, high - 4))
        td_view_choose(view, td_choice_name(TD_CHOICE_HINTS), "hidden", NULL);
    td_ui_region_end(ui);
}

const struct td_panel td_panel_hint = {
    .name = "hint",
    .dock = TD_DOCK_BOTTOM,
    .size = hint_height,
    .draw = draw_hint,
    .is_open = is_shown,
};
