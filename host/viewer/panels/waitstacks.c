/* Where threads waited: the call stacks with which they were switched out, as a list or as a tree. */
#include "host/viewer/panels/callstack.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/panels/table_panel.h"

#include <stdio.h>

enum waits_form { AS_LIST, FROM_WAIT, FROM_OUTSIDE, FORMS };

struct waitstacks {
    struct td_table_list table;
    enum waits_form form;
    struct td_sampled_tree tree;
};

static struct waitstacks *state_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_WAITSTACKS].state;
}

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

static bool shows_tree(const struct td_view *view)
{
    return state_of(view)->form != AS_LIST;
}

static void draw_tree(struct td_view *view, const struct td_rect *place)
{
    struct waitstacks *s = state_of(view);
    const struct td_call_tree_choice choice = {.inwards = s->form == FROM_OUTSIDE, .inlines = true};
    td_sampled_tree_draw(view, &s->tree, &choice, make_tree, place);
}

static bool take_tree_key(struct td_view *view, const struct td_key_press *press)
{
    return td_tree_view_key(view, &state_of(view)->tree.view, press);
}

static void copy_tree(struct td_view *view)
{
    td_tree_view_copy(view, &state_of(view)->tree.view);
}

static const struct td_table_other tree = {shows_tree, draw_tree, take_tree_key, copy_tree};

/* ---- the list ---- */

static const char *label_of(const struct td_view *view, enum waits_form form, bool *on)
{
    static const char *const labels[FORMS] = {"List", "From the wait", "From the outside"};
    *on = state_of(view)->form == form;
    return labels[form];
}

static const char *label_of_list(const struct td_view *view, bool *on)
{
    return label_of(view, AS_LIST, on);
}

static const char *label_of_wait(const struct td_view *view, bool *on)
{
    return label_of(view, FROM_WAIT, on);
}

static const char *label_of_outside(const struct td_view *view, bool *on)
{
    return label_of(view, FROM_OUTSIDE, on);
}

static void choose_list(struct td_view *view)
{
    state_of(view)->form = AS_LIST;
}

static void choose_wait(struct td_view *view)
{
    state_of(view)->form = FROM_WAIT;
}

static void choose_outside(struct td_view *view)
{
    state_of(view)->form = FROM_OUTSIDE;
}

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

static const struct td_table_button buttons[] = {{label_of_outside, choose_outside, 0},
                                                 {label_of_wait, choose_wait, 0},
                                                 {label_of_list, choose_list, 0},
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
    .other = &tree,
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
    s->form = (enum waits_form)((s->form + 1) % FORMS);
    return true;
}

static bool waitstacks_are_busy(const struct td_view *view)
{
    return table_is_busy(view) || state_of(view)->tree.job.running;
}

static void free_waitstacks(struct td_view *view)
{
    td_sampled_tree_free(&state_of(view)->tree);
    free_table(view);
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
    .keys = {{.key = 'v', .shift = true}},
    .help = waitstacks_help,
    .state_bytes = sizeof(struct waitstacks),
    .draw = draw_table,
    .free_state = free_waitstacks,
    .is_busy = waitstacks_are_busy,
    .take_key = take_waitstacks_key,
};
