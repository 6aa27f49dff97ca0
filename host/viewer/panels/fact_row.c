#include "host/viewer/panels/fact_row.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define GAP 20

void td_fact_row(struct td_view *view, float x, float y, float right, const struct td_named_value *values,
                 int count)
{
    struct td_ui *ui = view->ui;
    const float line = td_ui_text_height(ui, TD_FONT_SMALL) + TD_U(view, 4);
    for (int i = 0; i < count; i++) {
        if (!values[i].value[0])
            continue;
        const float name = td_ui_text_width(ui, TD_FONT_SMALL, values[i].name),
                    value = td_ui_text_width(ui, TD_FONT_TEXT, values[i].value), wide = fmaxf(name, value);
        if (x + wide > right)
            return;
        td_ui_text(ui, TD_FONT_SMALL, x + wide - name, y, TD_C(TEXT_FAINT), values[i].name);
        td_ui_text(ui, TD_FONT_TEXT, x + wide - value, y + line, TD_C(TEXT), values[i].value);
        x += wide + TD_U(view, GAP);
    }
}
