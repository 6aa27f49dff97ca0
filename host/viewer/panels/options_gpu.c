/* The clocks of GPU contexts, in the panel of options. */
#include "host/viewer/panels/options_gpu.h"
#include "host/viewer/model/gpu_clocks.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>

#define LINE       30
#define DRIFT_STEP 1000 /* ns for each s */

static void draw_buttons(struct td_view *view, uint32_t context, float x, float y, float wide)
{
    static const struct {
        const char *label;
        double step;
        bool measure;
    } buttons[] = {{"Auto", 0, true}, {"-", -DRIFT_STEP, false}, {"+", DRIFT_STEP, false}, {"0", 0, false}};
    const float gap = TD_U(view, 4), each = (wide - 3 * gap) / 4, high = TD_U(view, LINE - 4);
    const struct td_gpu_clock clock = td_view_gpu_clock(&view->model, context);
    for (int i = 0; i < 4; i++) {
        char label[40];
        struct td_err err = {0};
        const double drift = buttons[i].step != 0 ? clock.drift + buttons[i].step : 0;
        snprintf(label, sizeof label, "%s##gpu %u", buttons[i].label, (unsigned)context);
        if (!td_ui_button(view->ui, label, x + (each + gap) * (float)i, y, each, high))
            continue;
        if (td_view_set_gpu_clock(&view->model, context, buttons[i].measure ? NULL : &drift, clock.offset_ns,
                                  &err) < 0)
            snprintf(view->panels.notice, sizeof view->panels.notice, "%s", err.text);
    }
}

void td_options_draw_gpu(struct td_view *view, float left, float right, float y)
{
    struct td_ui *ui = view->ui;
    const float line = TD_U(view, LINE), middle = left + (right - left) * .4f, text_y = TD_U(view, 6);
    const uint32_t contexts = td_view_gpu_contexts(&view->model);
    if (!contexts)
        return;
    td_ui_text_fit(ui, TD_FONT_BOLD, left, y + text_y, right - left, TD_C(TEXT), "Drift of GPU contexts");
    y += line;
    for (uint32_t c = 0; c < contexts; c++, y += line) {
        char name[40], text[120];
        const struct td_gpu_clock clock = td_view_gpu_clock(&view->model, c);
        const char *shown = td_view_gpu_name(&view->model, c, name, sizeof name);
        if (clock.drift != 0)
            snprintf(text, sizeof text, "%.60s: %+.0f ns/s", shown, clock.drift);
        else
            snprintf(text, sizeof text, "%.60s", shown);
        td_ui_text_fit(ui, TD_FONT_TEXT, left, y + text_y, middle - left - text_y, TD_C(TEXT_DIM), text);
        if (td_view_gpu_is_calibrated(&view->model, c))
            td_ui_text_fit(ui, TD_FONT_TEXT, middle, y + text_y, right - middle, TD_C(TEXT_FAINT),
                           "calibrated by the program");
        else
            draw_buttons(view, c, middle, y, right - middle);
    }
}
