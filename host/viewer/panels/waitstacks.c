/* Where threads waited: the call stacks with which they were switched out, as a list or as a tree. */
#include "host/base/cell_text.h"
#include "host/query/code/wait_stacks.h"
#include "host/query/code/stack_text.h"
#include "host/viewer/panels/callstack.h"
#include "host/viewer/panels/sampled.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define MOST_FRAMES  40

enum waits_column { STACK, TOTAL, COUNT, MEAN, MOST, WOKEN, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [STACK] = {.title = "Call stack", .fixed = true},
    [TOTAL] = {.title = "Waited", .width = 100, .right = true},
    [COUNT] = {.title = "Times", .width = 80, .right = true},
    [MEAN] = {.title = "Mean", .width = 92, .right = true},
    [MOST] = {.title = "Longest", .width = 92, .right = true},
    [WOKEN] = {.title = "Then woken", .width = 92, .right = true},
};

enum waits_form { AS_LIST, FROM_WAIT, FROM_OUTSIDE, FORMS };

struct waitstacks {
    struct td_job job;
    struct td_sampled sampled;
    enum waits_form request, form;
    struct td_wait_stacks made, shown;
    struct td_call_tree tree_made;
    bool tree_is_time; /* of tree_made */
    struct td_tree_view tree;
    struct td_list list;
    bool any, started;
};

static struct waitstacks *state_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_WAITSTACKS].state;
}

static void make_waits(void *self, struct td_job *job)
{
    struct waitstacks *s = self;
    const struct td_progress progress = td_job_progress_of(job);
    const struct td_call_tree_choice choice = {.inwards = s->request == FROM_OUTSIDE, .inlines = true};
    struct td_err err = {0};
    if (td_wait_stacks_make(s->sampled.trace, &s->sampled.choice, &progress, &s->made, &err) < 0 ||
        s->request == AS_LIST)
        return;
    s->tree_is_time = s->made.total_ns > 0;
    td_call_tree_make(s->sampled.trace, s->tree_is_time ? &s->made.times_ns : &s->made.counts, &choice,
                      &progress, &s->tree_made, &err);
}

static int compare_rows(const void *a, const void *b, void *self)
{
    const struct td_list *list = self;
    const struct td_wait_stack *x = a, *y = b;
    const double p[] = {[TOTAL] = (double)x->total_ns,
                        [COUNT] = (double)x->count,
                        [MEAN] = x->timed ? (double)x->total_ns / (double)x->timed : 0,
                        [MOST] = (double)x->max_ns,
                        [WOKEN] = (double)x->woken_ns},
                 q[] = {[TOTAL] = (double)y->total_ns,
                        [COUNT] = (double)y->count,
                        [MEAN] = y->timed ? (double)y->total_ns / (double)y->timed : 0,
                        [MOST] = (double)y->max_ns,
                        [WOKEN] = (double)y->woken_ns};
    int result = p[list->sort] < q[list->sort] ? -1 : p[list->sort] > q[list->sort];
    result = list->descending ? -result : result;
    return result ? result : x->stack < y->stack ? -1 : x->stack > y->stack;
}

static void sort_rows(struct waitstacks *s)
{
    s->list.selected = 0;
    if (s->shown.count)
        qsort_r(s->shown.at, s->shown.count, sizeof *s->shown.at, compare_rows, &s->list);
}

static void update(struct td_view *view, struct waitstacks *s)
{
    bool fresh;
    const uint64_t key = td_mix64(td_sampled_key(view) + (uint64_t)s->form);
    if (!s->started) {
        s->list.sort = TOTAL;
        s->list.descending = s->started = true;
    }
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_wait_stacks_free);
        td_tree_view_take(&s->tree, &s->tree_made, s->tree_is_time);
        s->any = true;
        sort_rows(s);
    }
    if (state != TD_JOB_WANTED)
        return;
    td_sampled_free(&s->sampled);
    td_wait_stacks_free(&s->made);
    td_call_tree_free(&s->tree_made);
    s->request = s->form;
    if (td_sampled_choose(&s->sampled, view))
        td_job_start(&s->job, key, make_waits, s);
}

static void draw_list(struct td_view *view, struct waitstacks *s, const struct td_rect *rows)
{
    struct td_list_drawing d;
    char text[2000];
    int chosen = -1;
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->shown.count, rows, &d); i < d.last;
         i++) {
        const struct td_wait_stack *w = &s->shown.at[i];
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        if (s->shown.total_ns > 0)
            td_list_bar(&d, TOTAL, (float)((double)w->total_ns / (double)s->shown.total_ns), 0xff5a3a36);
        td_list_text(&d, STACK, TD_C(TEXT),
                     td_stack_text(view->model.trace, w->stack, " < ", MOST_FRAMES, text, sizeof text));
        td_list_text(&d, COUNT, TD_C(TEXT), td_format_count(text, w->count));
        if (!w->timed)
            continue;
        td_list_text(&d, TOTAL, TD_C(TEXT), td_format_ns(text, (double)w->total_ns));
        td_list_text(&d, MEAN, TD_C(TEXT_DIM), td_format_ns(text, (double)w->total_ns / (double)w->timed));
        td_list_text(&d, MOST, TD_C(TEXT_DIM), td_format_ns(text, (double)w->max_ns));
        td_list_text(&d, WOKEN, TD_C(TEXT_DIM), td_format_ns(text, (double)w->woken_ns));
    }
    td_list_end(&d);
    if (d.sorted)
        sort_rows(s);
    else if (chosen >= 0)
        td_view_show_stack(view, (struct td_stack_spot){TD_STACK_ROW, 0, s->shown.at[chosen].stack});
}

static void copy_waits(struct td_view *view, const struct waitstacks *s)
{
    char *text = NULL, stack[4000];
    size_t bytes = 0;
    FILE *f = s->form == AS_LIST ? open_memstream(&text, &bytes) : NULL;
    if (s->form != AS_LIST)
        td_tree_view_copy(view, &s->tree);
    if (!f)
        return;
    fprintf(f, "count\ttimed\ttotal_ns\tmax_ns\twoken_ns\tstack\n");
    for (size_t i = 0; i < s->shown.count; i++) {
        const struct td_wait_stack *w = &s->shown.at[i];
        fprintf(f, "%" PRIu64 "\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%s\n", w->count,
                w->timed, w->total_ns, w->max_ns, w->woken_ns,
                TD_CELL(td_stack_text(view->model.trace, w->stack, ";", 200, stack, sizeof stack)));
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void draw_tools(struct td_view *view, struct waitstacks *s, const struct td_rect *place)
{
    static const char *const labels[] = {"Copy", "From the outside", "From the wait", "List"};
    struct td_ui *ui = view->ui;
    char text[200], number[2][TD_FORMAT_BYTES], time[TD_FORMAT_BYTES];
    const float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    const int pressed =
        td_sampled_buttons(view, labels, 4, 1u << (FORMS - s->form), place->left + pad, &right, y);
    if (pressed == 0)
        copy_waits(view, s);
    else if (pressed > 0)
        s->form = (enum waits_form)(FORMS - pressed);
    if (!s->any)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else if (!s->shown.waits)
        snprintf(text, sizeof text, "The trace has no wait stacks in this range.");
    else
        snprintf(text, sizeof text, "%s waits, %s with a known length, %s",
                 td_format_count(number[0], s->shown.waits), td_format_count(number[1], s->shown.timed),
                 td_format_ns(time, (double)s->shown.total_ns));
    td_ui_text_fit(ui, TD_FONT_SMALL, place->left + pad,
                   y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, right - place->left - pad,
                   TD_C(TEXT_FAINT), text);
}

static void draw_waitstacks(struct td_view *view, const struct td_rect *place)
{
    struct waitstacks *s = state_of(view);
    struct td_rect rows = *place;
    update(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    if (s->form == AS_LIST)
        draw_list(view, s, &rows);
    else
        td_tree_view_draw(view, &s->tree, &rows);
}

static bool take_waitstacks_key(struct td_view *view, const struct td_key_press *press)
{
    struct waitstacks *s = state_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_WAITSTACKS))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_waits(view, s);
        return true;
    }
    if (press->ctrl || press->alt)
        return false;
    if (press->key == 'v') {
        s->form = (enum waits_form)((s->form + 1) % FORMS);
        return true;
    }
    if (s->form != AS_LIST)
        return td_tree_view_key(view, &s->tree, press);
    if (!td_list_key(&s->list, press, (int)s->shown.count, &enter))
        return false;
    td_view_show_stack(view,
                       (struct td_stack_spot){TD_STACK_ROW, 0, s->shown.at[s->list.selected - 1].stack});
    return true;
}

static bool waitstacks_are_busy(const struct td_view *view)
{
    return state_of(view)->job.running;
}

static void free_waitstacks(struct td_view *view)
{
    struct waitstacks *s = state_of(view);
    td_job_stop(&s->job);
    td_sampled_free(&s->sampled);
    td_wait_stacks_free(&s->made);
    td_wait_stacks_free(&s->shown);
    td_call_tree_free(&s->tree_made);
    td_tree_view_free(&s->tree);
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
    .draw = draw_waitstacks,
    .free_state = free_waitstacks,
    .is_busy = waitstacks_are_busy,
    .take_key = take_waitstacks_key,
};
