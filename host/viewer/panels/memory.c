/* Memory: the allocations of a pool, those that are active, a map of its addresses, and its call stacks as a tree. */
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/memory.h"
#include "host/viewer/panels/memory_pages.h"
#include "host/viewer/timeline/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_AREA    40 /* of a list, map or tree */
#define TOOLS_HEIGHT  30
#define USAGE_HEIGHT  46
#define DETAILS_WIDTH 330
#define LEAST_LIST    420

static const char *const page_names[MEMORY_PAGES] = {"Allocations", "Active", "Map", "Call stacks"};

/* ---- sums ---- */

static void make_memory_sums(void *self, struct td_job *job)
{
    struct memory_sums_job *s = self;
    td_memory_sums_free(&s->made);
    /* Without memory there are no sums. */
    if (td_memory_sums_make(&s->made, &s->request, job) < 0)
        td_memory_sums_free(&s->made);
}

static void update_sums(struct td_view *view, struct memory_sums_job *s)
{
    bool fresh;
    const uint64_t key = memory_key(view);
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_memory_sums_free);
        s->any = true;
    }
    if (state != TD_JOB_WANTED)
        return;
    s->request = memory_range(view);
    td_job_start(&s->job, key, make_memory_sums, s);
}

/* ---- what is shown ---- */

static uint64_t pool_count(const struct td_view *view)
{
    return td_series_count(td_trace_table(view->model.trace, TD_TABLE_POOL));
}

static void set_pool(struct memory_panel *s, uint32_t pool)
{
    s->pool = pool;
    s->stack_count = 0;
    s->stacks_version++;
}

/* The first pool with allocations. */
static void choose_pool(const struct td_view *view, struct memory_panel *s)
{
    const uint64_t pools = pool_count(view);
    if (s->started)
        return;
    for (uint64_t p = pools; p-- > 0;)
        if (td_series_count(td_trace_list(view->model.trace, TD_TABLE_MEMORY, p)))
            s->pool = (uint32_t)p;
    s->started = pools > 0;
}

static void choose_page(struct memory_panel *s, enum memory_page page)
{
    s->page = page;
    s->stacks_version += s->stack_count > 0;
    s->stack_count = 0;
}

static bool take_memory_click(struct td_view *view)
{
    struct memory_panel *s = memory_panel_of(view);
    choose_pool(view, s);
    if (s->pool != view->hover.pool - 1)
        set_pool(s, view->hover.pool - 1);
    td_panel_set_open(view, TD_PANEL_MEMORY, true);
    if (!view->hover.allocation)
        return true;
    memory_select(view, view->hover.allocation);
    choose_page(s, MEMORY_ALLOCATIONS);
    s->address[0] = 0;
    s->seen = 0;
    s->shows_selected = true;
    return true;
}

static void next_pool(const struct td_view *view, struct memory_panel *s)
{
    const uint64_t pools = pool_count(view);
    set_pool(s, pools ? (uint32_t)((s->pool + 1) % pools) : 0);
}

/* ---- commands ---- */

static const char *const actions[] = {"allocations", "active", "map", "stacks", "pool", "address"};
enum { ACTIONS = sizeof actions / sizeof *actions };

const char *td_memory_action(size_t index)
{
    return index < ACTIONS ? actions[index] : NULL;
}

static int choose_pool_named(struct td_view *view, struct memory_panel *s, const char *name,
                             struct td_err *err)
{
    for (uint64_t p = 0; p < pool_count(view); p++)
        if (!strcmp(td_memory_pool_name(view->model.trace, p), name)) {
            set_pool(s, (uint32_t)p);
            return 0;
        }
    return td_fail(err, TD_E_NOTFOUND, "there is no memory pool '%.80s'", name);
}

int td_memory_do(struct td_view *view, const char *action, const char *value, struct td_err *err)
{
    struct memory_panel *s = memory_panel_of(view);
    size_t i = 0;
    while (i < ACTIONS && strcmp(actions[i], action))
        i++;
    if (i == ACTIONS)
        return td_fail(err, TD_E_USAGE,
                       "'%.80s' is not one of: allocations, active, map, stacks, pool, address", action);
    if ((i >= MEMORY_PAGES) != (value != NULL))
        return td_fail(err, TD_E_USAGE, i >= MEMORY_PAGES ? "%s needs a value" : "%s needs no value", action);
    choose_pool(view, s);
    td_panel_set_open(view, TD_PANEL_MEMORY, true);
    if (i < MEMORY_PAGES) {
        choose_page(s, (enum memory_page)i);
        return 0;
    }
    if (!strcmp(action, "pool"))
        return choose_pool_named(view, s, value, err);
    snprintf(s->address, sizeof s->address, "%s", value);
    choose_page(s, s->page == MEMORY_ACTIVE ? MEMORY_ACTIVE : MEMORY_ALLOCATIONS);
    return 0;
}

/* ---- drawing ---- */

static char *copy_page(struct td_view *view, enum td_copy_form form)
{
    const struct memory_panel *s = memory_panel_of(view);
    if (s->page == MEMORY_TREE)
        return form == TD_COPY_LINES ? td_tree_view_text(view, &s->tree.view) : NULL;
    return s->page == MEMORY_MAP ? NULL : td_table_text(&s->list, form);
}

/* What is in a row of buttons, from the left; what does not fit is left out. */
struct memory_row {
    float x, y, right;
};

static float button_width(const struct td_view *view, const char *label)
{
    return td_ui_text_width(view->ui, TD_FONT_TEXT, label) + TD_U(view, 18);
}

static bool draw_button(struct td_view *view, struct memory_row *row, const char *label, bool on)
{
    struct td_ui *ui = view->ui;
    const float wide = button_width(view, label), high = TD_U(view, 23), x = row->x;
    if (x + wide > row->right) {
        row->right = x;
        return false;
    }
    bool clicked = td_ui_button(ui, label, x, row->y, wide, high);
    if (on)
        td_ui_rect(ui, x, row->y + high, x + wide, row->y + high + TD_U(view, 2), TD_C(ACCENT), 0);
    row->x += wide + TD_U(view, 6);
    return clicked;
}

static void draw_tree_tools(struct td_view *view, struct memory_panel *s, struct memory_row *row)
{
    static const char *const parts[] = {"All", "Active ones", "Freed ones"};
    if (draw_button(view, row, s->from_place ? "From place" : "From entry", false))
        s->from_place = !s->from_place;
    if (draw_button(view, row, s->each_place ? "By place" : "By name", false))
        s->each_place = !s->each_place;
    if (draw_button(view, row, parts[s->part], false))
        s->part = (s->part + 1) % TD_ALLOCATION_PARTS;
}

static void draw_list_tools(struct td_view *view, struct memory_panel *s, struct memory_row *row)
{
    if (row->x + TD_U(view, 130) > row->right)
        return;
    td_ui_input(view->ui, "##memory address", "Address", row->x, row->y, TD_U(view, 130), TD_U(view, 23),
                s->address, sizeof s->address, false);
    row->x += TD_U(view, 136);
    if (s->stack_count && draw_button(view, row, "All call stacks", true)) {
        s->stack_count = 0;
        s->stacks_version++;
    }
}

/* The pages come first: where there is no room for both, the limits are left out. */
static void draw_tools(struct td_view *view, struct memory_panel *s, const struct td_rect *place)
{
    char label[80];
    const float pad = TD_U(view, 8), copy = TD_U(view, 56), high = TD_U(view, 23);
    struct memory_row row = {place->left + pad, place->top + TD_U(view, 3), place->right - pad};
    float pages = row.x;
    snprintf(label, sizeof label, "Pool: %.40s", td_memory_pool_name(view->model.trace, s->pool));
    pages += pool_count(view) > 1 ? button_width(view, label) + TD_U(view, 6) : 0;
    for (int i = 0; i < MEMORY_PAGES; i++)
        pages += button_width(view, page_names[i]) + TD_U(view, 6);
    if (pages + td_limits_width(view) <= row.right)
        row.right = td_draw_limits(view, row.right, row.y, high) - pad;
    const bool copies = s->page != MEMORY_MAP && pages + copy <= row.right;
    if (copies && td_ui_button(view->ui, "Copy", row.right - copy, row.y, copy, high))
        td_panel_copy(view, TD_PANEL_MEMORY, TD_COPY_LINES);
    row.right -= copies ? copy + pad : 0;
    if (pool_count(view) > 1 && draw_button(view, &row, label, false))
        next_pool(view, s);
    for (int i = 0; i < MEMORY_PAGES; i++)
        if (draw_button(view, &row, page_names[i], s->page == (enum memory_page)i))
            choose_page(s, (enum memory_page)i);
    row.x += TD_U(view, 12);
    if (s->page == MEMORY_TREE)
        draw_tree_tools(view, s, &row);
    else if (s->page != MEMORY_MAP)
        draw_list_tools(view, s, &row);
}

static void draw_memory(struct td_view *view, const struct td_rect *place)
{
    struct memory_panel *s = memory_panel_of(view);
    struct td_rect area = *place, usage = *place;
    if (!td_trace_table_rows(view->model.trace, TD_TABLE_MEMORY)) {
        td_ui_text(view->ui, TD_FONT_SMALL, place->left + TD_U(view, 8), place->top + TD_U(view, 8),
                   TD_C(TEXT_FAINT), "The program recorded no allocations.");
        return;
    }
    choose_pool(view, s);
    update_sums(view, &s->sums);
    draw_tools(view, s, place);
    area.top += TD_U(view, TOOLS_HEIGHT);
    usage.top = area.top;
    if (area.bottom - area.top >= TD_U(view, USAGE_HEIGHT + LEAST_AREA)) {
        area.top += TD_U(view, USAGE_HEIGHT);
        usage.bottom = area.top - TD_U(view, 3);
        memory_draw_usage(view, &usage);
    }
    if (area.bottom - area.top < TD_U(view, LEAST_AREA))
        return;
    if (memory_selected(view) && s->page != MEMORY_TREE &&
        area.right - area.left > TD_U(view, DETAILS_WIDTH + LEAST_LIST)) {
        struct td_rect details = area;
        details.left = area.right = area.right - TD_U(view, DETAILS_WIDTH);
        memory_draw_details(view, &details);
    }
    if (s->page == MEMORY_TREE)
        memory_draw_tree(view, &area);
    else if (s->page == MEMORY_MAP)
        memory_draw_map(view, &area);
    else
        memory_draw_list(view, &area);
}

static bool take_memory_key(struct td_view *view, const struct td_key_press *press)
{
    struct memory_panel *s = memory_panel_of(view);
    if (!td_panel_has_keys(view, TD_PANEL_MEMORY))
        return false;
    if (press->key == 'v' && !press->shift && !press->ctrl) {
        next_pool(view, s);
        return true;
    }
    if (press->key == 'y' && !press->shift && !press->ctrl) {
        choose_page(s, (s->page + 1) % MEMORY_PAGES);
        return true;
    }
    if (s->page == MEMORY_TREE)
        return memory_tree_key(view, press);
    return s->page != MEMORY_MAP && td_table_panel_key(view, &memory_list, press);
}

static bool memory_is_busy(const struct td_view *view)
{
    const struct memory_panel *s = memory_panel_of(view);
    return s->sums.job.running || s->list.job.running || s->map.job.running || s->tree.job.running;
}

static void free_memory(struct td_view *view)
{
    struct memory_panel *s = memory_panel_of(view);
    td_job_stop(&s->sums.job);
    td_memory_sums_free(&s->sums.made);
    td_memory_sums_free(&s->sums.shown);
    td_table_panel_free(view, &memory_list);
    free(s->stacks);
    memory_free_map(s);
    memory_free_tree(s);
}

static bool toggle_column(struct td_view *view, const char *title)
{
    return td_table_toggle_column(view, &memory_list, title);
}

static const struct td_help_line memory_help[] = {
    {"Ctrl+M", "allocations and memory"},
    {"V, Y in it", "next pool; next page: allocations, active, map, call stacks"},
    {"Enter in it", "zooms to the allocation; opens and closes a function"},
    {0},
};

const struct td_panel td_panel_memory = {
    .name = "memory",
    .dock = TD_DOCK_BOTTOM,
    .title = "Memory",
    .group = TD_GROUP_MEMORY,
    .page = "Where does the memory go?",
    .lacks = td_lacks_memory,
    .keys = {{.key = 'm', .ctrl = true}},
    .help = memory_help,
    .state_bytes = sizeof(struct memory_panel),
    .draw = draw_memory,
    .free_state = free_memory,
    .is_busy = memory_is_busy,
    .copy = copy_page,
    .toggle_column = toggle_column,
    .take_key = take_memory_key,
    .take_click = take_memory_click,
};
