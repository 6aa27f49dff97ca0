/* Where the samples of a function came from: its callers as a tree or as a list of call stacks. Without a function:
 * all samples, from their functions to the callers or the other way. */
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/callstack.h"
#include "host/viewer/panels/entries.h"

#include <stdio.h>

TD_PANEL_STATE(entries, ENTRIES)

/* ---- the tree ---- */

static void make_tree(void *self, struct td_job *job)
{
    struct td_sampled_tree *t = self;
    const struct td_progress progress = td_job_progress_of(job);
    struct td_stack_counts counts = {0};
    if (td_stack_counts_make(t->sampled.trace, &t->sampled.choice, &progress, &counts, NULL) == 0)
        td_call_tree_make(t->sampled.trace, &counts, &t->request, &progress, &t->made, NULL);
    td_stack_counts_free(&counts);
}

static bool choose_tree(const struct td_view *view, struct td_call_tree_choice *choice)
{
    const struct entries *s = state_of(view);
    choice->key = s->key;
    choice->address = s->address;
    choice->bytes = s->bytes;
    choice->inwards = s->inwards;
    choice->anywhere = s->anywhere;
    return !s->as_list;
}

static const struct td_table_tree tree = {offsetof(struct entries, tree), choose_tree, make_tree};

/* ---- the list ---- */

static uint64_t entries_key(const struct td_view *view)
{
    const struct entries *s = state_of(view);
    return td_mix64(td_sampled_key(view) ^ s->key ^ td_mix64(s->address)) + (uint64_t)s->anywhere;
}

static bool ask_for_stacks(struct td_view *view, struct td_query_request *of)
{
    if (!td_sampled_ask(view, of))
        return false;
    const struct entries *s = state_of(view);
    struct td_samples_wanted *wanted = of->with;
    wanted->key = s->key;
    wanted->address = s->address;
    wanted->bytes = s->bytes;
    wanted->anywhere = s->anywhere;
    return true;
}

static const char *label_of_all(const struct td_view *view, bool *on)
{
    *on = !state_of(view)->key && !state_of(view)->bytes;
    return "All functions";
}

static void choose_all(struct td_view *view)
{
    td_view_show_entries(view, 0, "");
}

static void describe_entries(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                             char *text, size_t bytes)
{
    const struct entries *s = state_of(view);
    char number[TD_FORMAT_BYTES];
    snprintf(text, bytes, "%s samples %s%s, %" PRIu64 " call stacks",
             td_format_count(number, td_stacks_samples(rows)),
             s->bytes      ? "at "
             : !s->key     ? "of all functions"
             : s->anywhere ? "that reached "
                           : "in ",
             s->name, listed);
}

static void show_stack(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                       enum td_row_choice how)
{
    td_view_show_stack(view, (struct td_stack_spot){TD_STACK_ROW, 0, td_stacks_at(rows, row)});
}

static const struct td_table_button buttons[] = {
    TD_SWITCH_BUTTON('v', struct entries, as_list, 1, "List"),
    TD_SWITCH_BUTTON('q', struct entries, inwards, 1, "From the outside"),
    TD_SWITCH_BUTTON('k', struct entries, anywhere, 1, "Calls"),
    TD_BUTTON('y', label_of_all, choose_all),
    {0}};

static const struct td_table_panel entries = {
    .table = &td_table_stacks,
    .id = TD_PANEL_ENTRIES,
    .columns = "callers samples share",
    .sort = "samples",
    .filter = "callers",
    .hint = "Filter: function, -not",
    .row = "call stack",
    .bar = "share",
    .buttons = buttons,
    .tree = &tree,
    .key = entries_key,
    .ask = ask_for_stacks,
    .choose = show_stack,
    .describe = describe_entries,
};
TD_TABLE_PANEL(entries)

static const struct td_help_line entries_help[] = {
    {"Shift+E", "callers of a function, as samples show them"},
    {"V, Q, Y", "list of call stacks, tree from the outside, all functions"},
    {"K", "also samples in what the function calls: all stacks that reached it"},
    {"Left, Right, Enter", "close, open, the source of the function"},
    {0},
};

const struct td_panel td_panel_entries = {
    .name = "entries",
    .dock = TD_DOCK_BOTTOM,
    .title = "Entries",
    .group = TD_GROUP_SAMPLES,
    .page = "Which functions take the processor, and where do threads wait?",
    .lacks = td_lacks_samples,
    .keys = {{.key = 'e', .shift = true}},
    .help = entries_help,
    .state_bytes = sizeof(struct entries),
    .draw = draw_table,
    .free_state = free_table,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_table_key,
};
