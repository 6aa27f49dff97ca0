/* Columns of times are as wide as whole nanoseconds need, while the user wants these. */
#include "host/viewer/panels/table_panel.h"

#include <math.h>

#define SUM_OF 100 /* sums over many tracks have two digits more than the trace is long */

void td_table_fit_times(const struct td_view *view, struct td_table_list *list)
{
    const double longest = (double)view->model.last_ns - (double)view->model.first_ns;
    char text[TD_FORMAT_BYTES];
    const float least =
        td_view_choice(view, TD_CHOICE_TIMES) == TD_FORMAT_EXACT
            ? td_ui_text_width(view->ui, TD_FONT_TEXT, td_format_ns(text, longest * SUM_OF)) / view->scale +
                  16
            : 0;
    for (int c = list->panel->has_node; c < list->column_count; c++) {
        const struct td_query_column *column = list->listed[c];
        if (column->type == TD_AS_TIME || column->type == TD_AS_DURATION || column->type == TD_AS_MEAN)
            list->columns[c].width = fmaxf(column->width, least);
    }
}
