/* Kinds of rows that a setting shows or hides: which of them the trace has, but the timeline does not show. */
#include "host/trace/tables.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <string.h>

static bool has_plots(const struct td_view *view)
{
    for (uint32_t p = 0; p < td_dict_plot_count(view->model.dict); p++)
        if (td_trace_plot_points(view->model.trace, p))
            return true;
    return td_trace_table_rows(view->model.trace, TD_TABLE_MEMORY) > 0;
}

static const struct kind_of_row {
    enum td_choice choice;
    const char *name;
    enum td_table table; /* TD_TABLE_COUNT: plots */
} kinds[] = {
    {TD_CHOICE_SWITCHES, "switches", TD_TABLE_SWITCH}, {TD_CHOICE_SAMPLES, "samples", TD_TABLE_SAMPLE},
    {TD_CHOICE_CPUS, "CPU data", TD_TABLE_CPU_SWITCH}, {TD_CHOICE_LOCKS, "locks", TD_TABLE_LOCK_EVENT},
    {TD_CHOICE_PLOTS, "plots", TD_TABLE_COUNT},        {TD_CHOICE_GPU, "GPU", TD_TABLE_GPU_CONTEXT},
};

/* As a setting says, whose first value is "shown". */
static bool is_hidden(const struct td_view *view, const struct kind_of_row *kind)
{
    const int value = td_view_choice(view, kind->choice);
    if (!value || (kind->choice == TD_CHOICE_LOCKS && value == TD_LOCKS_BESIDE))
        return false;
    return kind->table == TD_TABLE_COUNT ? has_plots(view)
                                         : td_trace_table_rows(view->model.trace, kind->table) > 0;
}

bool td_view_hidden_kinds(const struct td_view *view, char *text, size_t bytes)
{
    *text = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t used = strlen(text);
        if (is_hidden(view, &kinds[i]))
            snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", kinds[i].name);
    }
    return *text != 0;
}

void td_view_show_kinds(struct td_view *view)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_hidden(view, &kinds[i]))
            td_view_choose(view, td_choice_name(kinds[i].choice), td_choice_word(kinds[i].choice, 0), NULL);
}
