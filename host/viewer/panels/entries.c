/* Where the samples of a function came from: its callers as a tree or as a list of call stacks. Without a function:
 * all samples, from their functions to the callers or the other way. */
#include "host/base/cell_text.h"
#include "host/base/grow.h"
#include "host/query/code/stack_text.h"
#include "host/viewer/panels/callstack.h"
#include "host/viewer/panels/sampled.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define MOST_FRAMES  40

enum list_column { STACK, COUNT, SHARE, LIST_COLUMNS };

static const struct td_column columns[LIST_COLUMNS] = {
    [STACK] = {.title = "Call stack", .fixed = true},
    [COUNT] = {.title = "Samples", .width = 100, .right = true, .fixed = true},
    [SHARE] = {.title = "Share", .width = 80, .right = true, .fixed = true},
};

struct entry_stack {
    uint32_t stack;
    uint64_t count;
};
struct entry_stacks {
    struct entry_stack *at;
    size_t count, capacity;
    uint64_t total;
};

struct entries {
    struct td_job job;
    struct td_sampled sampled; /* the request */
    struct td_call_tree_choice request;
    struct td_call_tree made;
    struct entry_stacks stacks_made, stacks;
    struct td_tree_view tree;
    struct td_list list;
    uint64_t key; /* of the function; 0: all */
    char name[200];
    bool as_list, inwards, any;
};

static struct entries *state_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_ENTRIES].state;
}

static void free_stacks(struct entry_stacks *s)
{
    free(s->at);
    *s = (struct entry_stacks){0};
}

static int compare_stacks(const void *a, const void *b)
{
    const struct entry_stack *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* The stacks whose sample is in the function. Without memory the list ends early. */
static void list_stacks(struct entries *s, const struct td_stack_counts *counts)
{
    struct td_levels levels = {0};
    for (size_t i = 0; i < counts->stacks; i++) {
        if (!counts->at[i])
            continue;
        if (td_levels_read(&levels, s->sampled.trace, (uint32_t)i) < 0)
            break;
        if (!levels.count || (s->request.key && td_level_key(&levels.at[0]) != s->request.key))
            continue;
        struct entry_stacks *to = &s->stacks_made;
        if (td_grow(&to->at, &to->capacity, to->count + 1, sizeof *to->at) < 0)
            break;
        to->at[to->count++] = (struct entry_stack){(uint32_t)i, counts->at[i]};
        to->total += counts->at[i];
    }
    if (s->stacks_made.count)
        qsort(s->stacks_made.at, s->stacks_made.count, sizeof *s->stacks_made.at, compare_stacks);
    td_levels_free(&levels);
}

static void make_entries(void *self, struct td_job *job)
{
    struct entries *s = self;
    const struct td_progress progress = td_job_progress_of(job);
    struct td_stack_counts counts = {0};
    struct td_err err = {0};
    if (td_stack_counts_make(s->sampled.trace, &s->sampled.choice, &progress, &counts, &err) == 0) {
        td_call_tree_make(s->sampled.trace, &counts, &s->request, &progress, &s->made, &err);
        list_stacks(s, &counts);
    }
    td_stack_counts_free(&counts);
}

static void update(struct td_view *view, struct entries *s)
{
    bool fresh;
    const uint64_t key = td_mix64(td_mix64(td_sampled_key(view) ^ s->key) + s->inwards);
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        td_tree_view_take(&s->tree, &s->made, false);
        TD_JOB_TAKE(&s->stacks, &s->stacks_made, free_stacks);
        s->list.selected = 0;
        s->any = true;
    }
    if (state != TD_JOB_WANTED)
        return;
    td_sampled_free(&s->sampled);
    td_call_tree_free(&s->made);
    free_stacks(&s->stacks_made);
    s->request = (struct td_call_tree_choice){.key = s->key, .inwards = s->inwards, .inlines = true};
    if (td_sampled_choose(&s->sampled, view))
        td_job_start(&s->job, key, make_entries, s);
}

void td_view_show_entries(struct td_view *view, uint64_t key, const char *name)
{
    struct entries *s = state_of(view);
    s->key = key;
    snprintf(s->name, sizeof s->name, "%s", name);
    s->inwards = false;
    td_panel_set_open(view, TD_PANEL_ENTRIES, true);
}

static void draw_stacks(struct td_view *view, struct entries *s, const struct td_rect *rows)
{
    struct td_list_drawing d;
    char text[2000], number[TD_FORMAT_BYTES];
    int chosen = -1;
    for (int i = td_list_begin(view, &s->list, columns, LIST_COLUMNS, (int)s->stacks.count, rows, &d);
         i < d.last; i++) {
        const struct entry_stack *e = &s->stacks.at[i];
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        td_list_text(&d, STACK, TD_C(TEXT),
                     td_stack_text(view->model.trace, e->stack, " < ", MOST_FRAMES, text, sizeof text));
        td_list_text(&d, COUNT, TD_C(TEXT), td_format_count(number, e->count));
        snprintf(text, sizeof text, "%.2f %%",
                 s->stacks.total ? (double)e->count * 100 / (double)s->stacks.total : 0);
        td_list_text(&d, SHARE, TD_C(TEXT_DIM), text);
    }
    td_list_end(&d);
    if (chosen >= 0)
        td_view_show_stack(view, (struct td_stack_spot){TD_STACK_ROW, 0, s->stacks.at[chosen].stack});
}

static void copy_entries(struct td_view *view, const struct entries *s)
{
    char *text = NULL, stack[4000];
    size_t bytes = 0;
    FILE *f = s->as_list ? open_memstream(&text, &bytes) : NULL;
    if (!s->as_list)
        td_tree_view_copy(view, &s->tree);
    if (!f)
        return;
    fprintf(f, "samples\tstack\n");
    for (size_t i = 0; i < s->stacks.count; i++)
        fprintf(
            f, "%" PRIu64 "\t%s\n", s->stacks.at[i].count,
            TD_CELL(td_stack_text(view->model.trace, s->stacks.at[i].stack, ";", 200, stack, sizeof stack)));
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void act(struct td_view *view, struct entries *s, int action)
{
    if (action == 0)
        copy_entries(view, s);
    s->as_list ^= action == 1;
    s->inwards ^= action == 2;
    if (action == 3) {
        s->key = 0;
        s->name[0] = 0;
    }
}

static void draw_tools(struct td_view *view, struct entries *s, const struct td_rect *place)
{
    const char *const labels[] = {"Copy", "List", "From the outside", "All functions"};
    struct td_ui *ui = view->ui;
    char text[400], number[TD_FORMAT_BYTES];
    const float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    const unsigned on = (unsigned)s->as_list << 1 | (unsigned)s->inwards << 2 | (unsigned)!s->key << 3;
    act(view, s, td_sampled_buttons(view, labels, 4, on, place->left + pad, &right, y));
    if (!s->any)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else
        snprintf(text, sizeof text, "%s samples %s%s, %zu call stacks",
                 td_format_count(number, s->stacks.total), s->key ? "in " : "of all functions", s->name,
                 s->stacks.count);
    td_ui_text_fit(ui, TD_FONT_SMALL, place->left + pad,
                   y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, right - place->left - pad,
                   TD_C(TEXT_FAINT), text);
}

static void draw_entries(struct td_view *view, const struct td_rect *place)
{
    struct entries *s = state_of(view);
    struct td_rect rows = *place;
    update(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    if (s->as_list)
        draw_stacks(view, s, &rows);
    else
        td_tree_view_draw(view, &s->tree, &rows);
}

static bool take_entries_key(struct td_view *view, const struct td_key_press *press)
{
    static const char actions[] = {'c', 'v', 'q', 'y'};
    struct entries *s = state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_ENTRIES) || press->alt)
        return false;
    for (int i = 0; i < 4; i++)
        if (press->key == actions[i] && press->ctrl == !i) {
            act(view, s, i);
            return true;
        }
    if (press->ctrl)
        return false;
    if (!s->as_list)
        return td_tree_view_key(view, &s->tree, press);
    if (!td_list_key(&s->list, press, (int)s->stacks.count, &enter))
        return false;
    td_view_show_stack(view,
                       (struct td_stack_spot){TD_STACK_ROW, 0, s->stacks.at[s->list.selected - 1].stack});
    return true;
}

static bool entries_are_busy(const struct td_view *view)
{
    return state_of(view)->job.running;
}

static void free_entries(struct td_view *view)
{
    struct entries *s = state_of(view);
    td_job_stop(&s->job);
    td_sampled_free(&s->sampled);
    td_call_tree_free(&s->made);
    free_stacks(&s->stacks_made);
    free_stacks(&s->stacks);
    td_tree_view_free(&s->tree);
}

static const struct td_help_line entries_help[] = {
    {"Shift+E", "callers of a function, as samples show them"},
    {"V, Q, Y", "list of call stacks, tree from the outside, all functions"},
    {"Left, Right, Enter", "close, open, the source of the function"},
    {0},
};

const struct td_panel td_panel_entries = {
    .name = "entries",
    .dock = TD_DOCK_BOTTOM,
    .title = "Entries",
    .keys = {{.key = 'e', .shift = true}},
    .help = entries_help,
    .state_bytes = sizeof(struct entries),
    .draw = draw_entries,
    .free_state = free_entries,
    .is_busy = entries_are_busy,
    .take_key = take_entries_key,
};
