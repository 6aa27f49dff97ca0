/* The plots of the trace with their least, greatest, mean and last value in the chosen range. */
#include "host/query/table/tables.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/table_panel.h"

/* Plots without points have no row in the timeline. */
static bool plot_is_listed(const struct td_query_rows *rows, uint64_t plot, int group)
{
    return td_trace_plot_points(rows->of.trace, (uint32_t)plot) != 0;
}

static void look_of_plot(const struct td_view *view, const struct td_query_rows *rows, uint64_t plot,
                         struct td_row_look *look)
{
    const struct td_plot *of = td_dict_get_plot(view->model.dict, (uint32_t)plot);
    look->box =
        of->color ? 0xff000000u | of->color : td_color_of_name(td_dict_text(view->model.dict, of->name));
}

static const struct td_table_panel plots = {
    .table = &td_table_plots,
    .id = TD_PANEL_PLOTS,
    .columns = "name min mean max last points rate",
    .sort = "name",
    .filter = "name",
    .hint = "Filter: name, -not",
    .row = "plot",
    .has_node = true,
    .node = TD_NODE_PLOT,
    .lists = plot_is_listed,
    .look = look_of_plot,
};
TD_TABLE_PANEL(plots)

static const struct td_help_line plots_help[] = {
    {"Shift+P", "list of plots"},
    {"X in it", "hide and show the row of the plot"},
    {0},
};

const struct td_panel td_panel_plots = {
    .name = "plots",
    .dock = TD_DOCK_BOTTOM,
    .title = "Plots",
    .group = TD_GROUP_MEMORY,
    .page = "How did a value change over time?",
    .lacks = td_lacks_plots,
    .keys = {{.key = 'p', .shift = true}},
    .help = plots_help,
    TD_TABLE_PANEL_FUNCTIONS,
};
