/* The call stacks of allocations as a tree of functions. */
#include "host/viewer/panels/memory.h"

#include <stdio.h>
#include <stdlib.h>

static void make_tree(void *self, struct td_job *job)
{
    struct memory_tree_job *s = self;
    const struct td_progress progress = td_job_progress_of(job);
    struct td_stack_counts counts = {0};
    td_call_tree_free(&s->made);
    /* Without memory the tree is empty. */
    if (td_memory_stacks_make(&counts, &s->request, s->part, job) == 0)
        td_call_tree_make(s->request.trace, &counts, &s->choice, &progress, &s->made, NULL);
    td_stack_counts_free(&counts);
}

static void update_tree(struct td_view *view, struct memory_panel *s)
{
    bool fresh;
    struct memory_tree_job *t = &s->tree;
    const uint64_t key =
        td_mix64(memory_key(view) + 1) + (uint64_t)s->part * 4 + (uint64_t)s->from_place * 2 + s->each_place;
    enum td_job_state state = td_job_want(&t->job, key, &fresh);
    if (fresh) {
        td_tree_view_take(&t->view, &t->made, TD_TREE_BYTES);
        t->any = true;
    }
    if (state != TD_JOB_WANTED)
        return;
    t->request = memory_range(view);
    t->part = s->part;
    t->choice = (struct td_call_tree_choice){
        .inwards = !s->from_place, .inlines = true, .same = s->each_place ? TD_SAME_PLACE : TD_SAME_NAME};
    td_job_start(&t->job, key, make_tree, t);
}

/* Lists the allocations whose call stacks pass the function of a row. */
static void show_allocations(struct memory_panel *s, int row)
{
    const struct td_call_tree *tree = &s->tree.view.tree;
    uint8_t *stacks = realloc(s->stacks, tree->stacks + 1);
    if (!stacks)
        return;
    s->stacks = stacks;
    s->stack_count = tree->stacks;
    for (uint32_t i = 0; i < tree->stacks; i++)
        stacks[i] = td_call_tree_passes(tree, i, s->tree.view.rows[row]);
    s->stacks_version++;
    s->page = MEMORY_ALLOCATIONS;
}

static void choose_row(struct memory_panel *s, int row, bool lists)
{
    if (lists)
        show_allocations(s, row);
    else
        td_tree_view_toggle(&s->tree.view, (size_t)row);
}

static void draw_state(struct td_view *view, const struct memory_panel *s, const struct td_rect *place)
{
    const struct td_call_tree *tree = &s->tree.view.tree;
    char text[300], count[TD_FORMAT_BYTES], bytes[TD_FORMAT_BYTES];
    const struct td_call_node none = {0}, *root = tree->count ? tree->at : &none;
    snprintf(text, sizeof text,
             "%s allocations, %s%s. Click: opens; Ctrl+click: lists the allocations of the function",
             td_format_count(count, root->total), td_format_value(bytes, (double)root->bytes, 1),
             root->self ? ", in part without a call stack" : "");
    if (!s->tree.any)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->tree.job) * 100);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, place->left + TD_U(view, 8), place->top + TD_U(view, 3),
                   place->right - place->left, TD_C(TEXT_FAINT), text);
}

void memory_draw_tree(struct td_view *view, const struct td_rect *place)
{
    struct memory_panel *s = memory_panel_of(view);
    struct td_rect rows = *place;
    update_tree(view, s);
    draw_state(view, s, place);
    rows.top += TD_U(view, 18);
    const int chosen = td_tree_view_draw(view, &s->tree.view, &rows);
    if (chosen >= 0)
        choose_row(s, chosen, td_ui_ctrl(view->ui));
}

bool memory_tree_key(struct td_view *view, const struct td_key_press *press)
{
    struct memory_panel *s = memory_panel_of(view);
    if (press->key != TD_KEY_ENTER || !s->tree.view.list.selected)
        return td_tree_view_key(view, &s->tree.view, press);
    choose_row(s, s->tree.view.list.selected - 1, press->ctrl);
    return true;
}

void memory_free_tree(struct memory_panel *s)
{
    td_job_stop(&s->tree.job);
    td_call_tree_free(&s->tree.made);
    td_tree_view_free(&s->tree.view);
}
