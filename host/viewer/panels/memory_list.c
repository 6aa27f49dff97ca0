/* The lists of allocations. */
#include "host/viewer/panels/memory.h"
#include "host/query/code/stack_text.h"
#include "host/query/table/track_name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum allocations_column { ADDRESS, SIZE, TIME, LIFE, THREAD, ZONE, FREE_ZONE, STACK, COLUMNS };

static const struct td_column columns[COLUMNS] = {
    [ADDRESS] = {.title = "Address", .width = 134},
    [SIZE] = {.title = "Size", .width = 92, .right = true},
    [TIME] = {.title = "Appeared at", .width = 112},
    [LIFE] = {.title = "Duration", .width = 96, .right = true},
    [THREAD] = {.title = "Thread", .width = 150, .fixed = true},
    [ZONE] = {.title = "Zone alloc", .width = 150, .fixed = true},
    [FREE_ZONE] = {.title = "Zone free", .width = 150, .fixed = true},
    [STACK] = {.title = "Call stack", .fixed = true},
};

static void make_list(void *self, struct td_job *job)
{
    struct memory_list_job *s = self;
    td_allocation_list_free(&s->made);
    /* Without memory the list is empty. */
    if (td_allocation_list_make(&s->made, &s->request, job) < 0)
        td_allocation_list_free(&s->made);
}

/* What the field means; false: it is empty or no address. */
static bool read_address(const char *text, uint64_t *address)
{
    char *end;
    errno = 0;
    *address = strtoull(text, &end, 16);
    return end != text && !*end && !errno;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool set_request(struct td_view *view, struct memory_panel *s)
{
    static const enum td_allocation_order orders[COLUMNS] = {
        [ADDRESS] = TD_BY_ADDRESS, [SIZE] = TD_BY_SIZE, [TIME] = TD_BY_TIME, [LIFE] = TD_BY_LIFE};
    struct memory_list_job *l = &s->allocations;
    free(l->stacks);
    l->stacks = s->stack_count ? malloc(s->stack_count * sizeof *l->stacks) : NULL;
    if (s->stack_count && !l->stacks)
        return false;
    if (l->stacks) {
        memcpy(l->stacks, s->stacks, s->stack_count * sizeof *l->stacks);
        qsort(l->stacks, s->stack_count, sizeof *l->stacks, compare_numbers);
    }
    l->request = (struct td_allocations_wanted){.range = memory_range(view),
                                                .part = s->page == MEMORY_ACTIVE ? TD_ALLOCATIONS_ACTIVE
                                                                                 : TD_ALLOCATIONS_ALL,
                                                .stacks = l->stacks,
                                                .stack_count = s->stack_count,
                                                .order = orders[s->list.sort],
                                                .descending = s->list.descending};
    if (l->stacks && s->part != TD_ALLOCATIONS_ALL)
        l->request.part = s->part;
    l->request.at = read_address(s->address, &l->request.address);
    return true;
}

static void update_list(struct td_view *view, struct memory_panel *s)
{
    struct memory_list_job *l = &s->allocations;
    uint64_t address = 0;
    bool fresh, at = read_address(s->address, &address);
    uint64_t key = td_mix64(memory_key(view) + (s->page == MEMORY_ACTIVE) + 2 * s->stacks_version);
    key = td_mix64(key ^ address) + (uint64_t)s->list.sort * 4 + s->list.descending * 2 + at;
    enum td_job_state state = td_job_want(&l->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&l->shown, &l->made, td_allocation_list_free);
        l->range = l->request.range;
        l->any = true;
        s->list.selected = 0;
        for (size_t i = 0; s->selected && i < l->shown.count; i++)
            if (l->shown.row[i] == s->selected - 1)
                s->list.selected = (int)i + 1;
    }
    if (state == TD_JOB_WANTED && set_request(view, s))
        td_job_start(&l->job, key, make_list, l);
}

/* ---- drawing ---- */

static void draw_zone_name(struct td_list_drawing *d, int column, struct td_zone_ref ref, bool same)
{
    if (!td_ref_valid(ref)) {
        td_list_text(d, column, TD_C(TEXT_FAINT), "-");
        return;
    }
    const struct td_zone zone = td_view_zone(d->view, ref);
    td_list_name(d, column, td_color_of_zone(d->view->model.dict, &zone), same ? TD_C(MATCH) : TD_C(TEXT_DIM),
                 td_zone_label(d->view->model.dict, &zone));
}

static void draw_row(struct td_list_drawing *d, const struct td_allocation *a)
{
    struct td_view *view = d->view;
    char text[400], thread[80], other[80];
    const bool freed = a->free_ns >= 0;
    uint64_t looked_for;
    const bool at = read_address(memory_panel_of(view)->address, &looked_for);
    snprintf(text, sizeof text, at && looked_for != a->address ? "0x%" PRIx64 "+%" PRIu64 : "0x%" PRIx64,
             a->address, looked_for - a->address);
    td_list_text(d, ADDRESS, TD_C(TEXT), text);
    td_list_text(d, SIZE, TD_C(TEXT), td_format_value(text, (double)a->bytes, 1));
    td_list_text(d, TIME, TD_C(TEXT_DIM), td_format_time(text, (double)a->time_ns, 1));
    td_list_text(d, LIFE, freed ? TD_C(TEXT_DIM) : TD_MEMORY_ACTIVE_COLOR,
                 td_format_ns(text, (double)(freed ? a->free_ns : view->model.last_ns) - (double)a->time_ns));
    memory_thread_name(view, a->thread, thread, sizeof thread);
    if (freed && a->free_thread != a->thread) {
        snprintf(text, sizeof text, "%.70s / %.70s", thread,
                 memory_thread_name(view, a->free_thread, other, sizeof other));
        td_list_text(d, THREAD, TD_C(TEXT_DIM), text);
    } else {
        td_list_text(d, THREAD, TD_C(TEXT_DIM), thread);
    }
    const struct td_zone_ref made = memory_zone_at(view, a->thread, a->time_ns);
    draw_zone_name(d, ZONE, made, false);
    if (freed) {
        const struct td_zone_ref gone = memory_zone_at(view, a->free_thread, a->free_ns);
        draw_zone_name(d, FREE_ZONE, gone, td_ref_valid(gone) && td_ref_equal(gone, made));
    } else {
        td_list_text(d, FREE_ZONE, TD_MEMORY_ACTIVE_COLOR, "active");
    }
    td_list_text(d, STACK, TD_C(TEXT_FAINT),
                 td_stack_text(view->model.trace, a->stack, " < ", 4, text, sizeof text));
}

static void select_row(struct td_view *view, struct memory_panel *s, int row, bool zooms)
{
    const struct td_allocation a =
        td_allocation_get(view->model.trace, s->allocations.range.pool, s->allocations.shown.row[row]);
    s->selected = a.row + 1;
    view->selection.spot = (struct td_spot){.used = true,
                                            .track = TD_NO_TRACK,
                                            .start_ns = a.time_ns,
                                            .end_ns = a.free_ns < 0 ? view->model.last_ns : a.free_ns};
    td_view_show_spot(view, view->selection.spot, zooms);
}

static void draw_state(struct td_view *view, const struct memory_panel *s, const struct td_rect *place)
{
    const struct td_allocation_list *list = &s->allocations.shown;
    char text[200], count[TD_FORMAT_BYTES], bytes[TD_FORMAT_BYTES], most[TD_FORMAT_BYTES];
    int used = snprintf(text, sizeof text, "%s allocations, %s", td_format_count(count, list->passing),
                        td_format_value(bytes, (double)list->bytes, 1));
    if (list->count < list->passing)
        used += snprintf(text + used, sizeof text - (size_t)used, ", the first %s are listed",
                         td_format_count(most, list->count));
    if (s->stack_count)
        snprintf(text + used, sizeof text - (size_t)used, ", of the chosen function");
    if (!s->allocations.any)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->allocations.job) * 100);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, place->left + TD_U(view, 8), place->top + TD_U(view, 3),
                   place->right - place->left, TD_C(TEXT_FAINT), text);
}

void memory_draw_list(struct td_view *view, const struct td_rect *place)
{
    struct memory_panel *s = memory_panel_of(view);
    struct td_list_drawing d;
    struct td_rect rows = *place;
    int chosen = -1;
    update_list(view, s);
    draw_state(view, s, place);
    rows.top += TD_U(view, 18);
    const struct memory_list_job *l = &s->allocations;
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)l->shown.count, &rows, &d); i < d.last;
         i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            chosen = i;
        const struct td_allocation a = td_allocation_get(view->model.trace, l->range.pool, l->shown.row[i]);
        draw_row(&d, &a);
    }
    td_list_end(&d);
    if (chosen >= 0)
        select_row(view, s, chosen, false);
}

bool memory_list_key(struct td_view *view, const struct td_key_press *press)
{
    struct memory_panel *s = memory_panel_of(view);
    bool enter;
    if (!td_list_key(&s->list, press, (int)s->allocations.shown.count, &enter) || !s->list.selected)
        return false;
    select_row(view, s, s->list.selected - 1, enter);
    return true;
}

void memory_copy_list(struct td_view *view)
{
    const struct memory_list_job *l = &memory_panel_of(view)->allocations;
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f, "address\tbytes\ttime_ns\tfree_ns\tthread\tfree_thread\n");
    for (size_t i = 0; i < l->shown.count; i++) {
        const struct td_allocation a = td_allocation_get(view->model.trace, l->range.pool, l->shown.row[i]);
        fprintf(f, "0x%" PRIx64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                a.address, a.bytes, a.time_ns, a.free_ns, a.thread, a.free_thread);
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

void memory_free_list(struct memory_panel *s)
{
    td_job_stop(&s->allocations.job);
    td_allocation_list_free(&s->allocations.made);
    td_allocation_list_free(&s->allocations.shown);
    free(s->allocations.stacks);
    free(s->stacks);
}
