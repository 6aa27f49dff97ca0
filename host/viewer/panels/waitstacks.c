/* Where threads waited: the call stacks with which they were switched out, as a list or as a tree. */
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/callstack.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/panels/table_panel.h"

#include <stdio.h>

enum waits_form { AS_LIST, FROM_WAIT, FROM_OUTSIDE, FORMS };

struct waitstacks {
    struct td_table_list table;
    int form; /* enum waits_form */
    struct td_sampled_tree tree;
};

TD_PANEL_STATE(waitstacks, WAITSTACKS)

/* ---- the tree ---- */

static void make_tree(void *self, struct td_job *job)
{
    struct td_sampled_tree *t = self;
    const struct td_progress progress = td_job_progress_of(job);
    struct td_wait_stacks waits = {0};
    if (td_wait_stacks_make(t->sampled.trace, &t->sampled.choice, &progress, &waits, NULL) == 0) {
        t->is_time = waits.total_ns > 0;
        td_call_tree_make(t->sampled.trace, t->is_time ? &waits.times_ns : &waits.counts, &t->request,
                          &progress, &t->made, NULL);
    }
    td_wait_stacks_free(&waits);
}

static bool choose_tree(const struct td_view *view, struct td_call_tree_choice *choice)
{
    choice->inwards = state_of(view)->form == FROM_OUTSIDE;
    return state_of(view)->form != AS_LIST;
}

static const struct td_table_tree tree = {offsetof(struct waitstacks, tree), choose_tree, make_tree};

/* ---- the list ---- */

static void describe_waits(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                           char *text, size_t bytes)
{
    const struct td_wait_stacks *waits = td_wait_stacks_of(rows);
    char number[2][TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    snprintf(text, bytes, "%s waits, %s with a known length, %s", td_format_count(number[0], waits->waits),
             td_format_count(number[1], waits->timed), td_format_ns(time, (double)waits->total_ns));
}

static void show_stack(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                       enum td_row_choice how)
{
    td_view_show_stack(view, (struct td_stack_spot){TD_STACK_ROW, 0, td_wait_stacks_of(rows)->at[row].stack});
}

static const struct td_table_button buttons[] = {
    TD_CHOICE_BUTTON(0, struct waitstacks, form, FROM_OUTSIDE, "From the outside"),
    TD_CHOICE_BUTTON(0, struct waitstacks, form, FROM_WAIT, "From the wait"),
    TD_CHOICE_BUTTON(0, struct waitstacks, form, AS_LIST, "List"),
    {0}};

static const struct td_table_panel waitstacks = {
    .table = &td_table_wait_stacks,
    .id = TD_PANEL_WAITSTACKS,
    .columns = "callers total_ns count mean_ns max_ns woken_ns",
    .sort = "total_ns",
    .filter = "callers",
    .hint = "Filter: function, -not",
    .row = "call stack",
    .empty = "The trace has no wait stacks in this range.",
    .bar = "total_ns",
    .buttons = buttons,
    .tree = &tree,
    .key = td_sampled_key,
    .ask = td_sampled_ask,
    .choose = show_stack,
    .describe = describe_waits,
};
TD_TABLE_PANEL(waitstacks)

static bool take_waitstacks_key(struct td_view *view, const struct td_key_press *press)
{
    struct waitstacks *s = state_of(view);
    if (!td_panel_has_keys(view, TD_PANEL_WAITSTACKS) || press->ctrl || press->alt || press->key != 'v')
        return take_table_key(view, press);
    s->form = (s->form + 1) % FORMS;
    return true;
}

static const struct td_help_line waitstacks_help[] = {
    {"Shift+V", "call stacks with which threads stopped to run"},
    {"V", "as a list, as a tree from the wait, or from the outside"},
    {0},
};

const struct td_panel td_panel_waitstacks = {
    .name = "waitstacks",
    .dock = TD_DOCK_BOTTOM,
    .title = "Wait stacks",
    .group = TD_GROUP_THREADS,
    .page = "Which functions take the processor, and where do threads wait?",
    .lacks = td_lacks_wait_stacks,
    .keys = {{.key = 'v', .shift = true}},
    .help = waitstacks_help,
    .state_bytes = sizeof(struct waitstacks),
    .draw = draw_table,
    .free_state = free_table,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_waitstacks_key,
};
