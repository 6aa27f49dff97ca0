/* The locks of the program: how long each was held and waited for in the chosen range, and by how many threads. */
#include "host/base/cell_text.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/trace/tables.h"
#include "host/query/rows/lock_sums.h"
#include "host/query/table/text_filter.h"
#include "host/query/table/track_name.h"
#include "host/viewer/ui/list.h"
#include "host/viewer/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30

enum locks_column {
    SHOWN,
    NAME,
    WAITED,
    LONGEST,
    HELD,
    CONTENDED,
    WAITS,
    OBTAINS,
    THREADS,
    KIND,
    LIFE,
    EVENTS,
    ANNOUNCED,
    SOURCE,
    COLUMNS
};

static const struct td_column columns[COLUMNS] = {
    [SHOWN] = {.title = "Row", .width = 46, .fixed = true},
    [NAME] = {.title = "Lock"},
    [WAITED] = {.title = "Waited", .width = 92, .right = true},
    [LONGEST] = {.title = "Longest wait", .width = 96, .right = true},
    [HELD] = {.title = "Held", .width = 92, .right = true},
    [CONTENDED] = {.title = "Contended", .width = 92, .right = true},
    [WAITS] = {.title = "Waits", .width = 76, .right = true},
    [OBTAINS] = {.title = "Obtained", .width = 80, .right = true},
    [THREADS] = {.title = "Threads", .width = 66, .right = true},
    [KIND] = {.title = "Kind", .width = 66},
    [LIFE] = {.title = "Lifetime", .width = 92, .right = true},
    [EVENTS] = {.title = "Events", .width = 80, .right = true},
    [ANNOUNCED] = {.title = "Announced", .width = 106, .right = true},
    [SOURCE] = {.title = "Source", .width = 190},
};

/* Which locks are listed, as stock groups them. */
enum locks_group { ALL_LOCKS, CONTENDED_LOCKS, SHARED_LOCKS, PRIVATE_LOCKS, GROUPS };
static const char *const group_names[GROUPS] = {"All locks", "Contended", "Several threads", "One thread"};

struct locks_panel {
    struct td_list list;
    struct td_job job;
    const struct td_trace *trace; /* the request of the job */
    int64_t from_ns, to_ns, now_ns;
    struct td_lock_sums made, shown;
    uint64_t *rows; /* locks that are listed */
    size_t count, capacity;
    enum locks_group group, made_group;
    char filter[96], made_with[96];
    bool started, any;
};

static struct locks_panel *locks_panel_of(const struct td_view *view)
{
    return view->panel[TD_PANEL_LOCKS].state;
}

static int64_t cell_of(const struct td_view *view, uint64_t lock, unsigned column)
{
    return td_series_get(td_trace_table(view->trace, TD_TABLE_LOCK), lock, column);
}

static const struct td_srcloc *location_of(const struct td_view *view, uint64_t lock)
{
    return td_dict_get_srcloc(view->dict, (uint32_t)cell_of(view, lock, TD_LOCK_SRCLOC));
}

/* The name that the program gave it, else that of its declaration. */
static const char *lock_name(const struct td_view *view, uint64_t lock)
{
    const char *name = td_dict_text(view->dict, (uint32_t)cell_of(view, lock, TD_LOCK_NAME));
    return *name ? name : td_dict_zone_name(view->dict, (uint32_t)cell_of(view, lock, TD_LOCK_SRCLOC));
}

static int64_t lifetime_of(const struct td_view *view, uint64_t lock)
{
    const int64_t end = cell_of(view, lock, TD_LOCK_TERMINATED);
    return (end ? end : view->last_ns) - cell_of(view, lock, TD_LOCK_ANNOUNCED);
}

static uint64_t waits_of(const struct td_lock_sum *sum)
{
    return sum->events[0] + sum->events[3];
}

static uint64_t obtains_of(const struct td_lock_sum *sum)
{
    return sum->events[1] + sum->events[4];
}

/* ---- rows ---- */

static double value_of(const struct td_view *view, uint64_t lock, int column)
{
    const struct td_lock_sum *sum = &locks_panel_of(view)->shown.of[lock];
    switch (column) {
    case LONGEST:
        return (double)sum->longest_ns;
    case HELD:
        return (double)sum->held_ns;
    case CONTENDED:
        return (double)sum->contended_ns;
    case WAITS:
        return (double)waits_of(sum);
    case OBTAINS:
        return (double)obtains_of(sum);
    case THREADS:
        return __builtin_popcountll(sum->threads);
    case KIND:
        return (double)cell_of(view, lock, TD_LOCK_TYPE);
    case LIFE:
        return (double)lifetime_of(view, lock);
    case EVENTS:
        return (double)td_lock_sum_events(sum);
    case ANNOUNCED:
        return (double)cell_of(view, lock, TD_LOCK_ANNOUNCED);
    default:
        return (double)sum->waited_ns;
    }
}

static int compare_locks(const void *a, const void *b, void *self)
{
    const struct td_view *view = self;
    const struct td_list *list = &locks_panel_of(view)->list;
    const uint64_t m = *(const uint64_t *)a, n = *(const uint64_t *)b;
    int result;
    if (list->sort == NAME) {
        result = strverscmp(lock_name(view, m), lock_name(view, n));
    } else if (list->sort == SOURCE) {
        result = strcmp(td_dict_text(view->dict, location_of(view, m)->file),
                        td_dict_text(view->dict, location_of(view, n)->file));
    } else {
        double x = value_of(view, m, list->sort), y = value_of(view, n, list->sort);
        result = x < y ? -1 : x > y;
    }
    if (list->descending)
        result = -result;
    return result ? result : m < n ? -1 : m > n;
}

static void sort_rows(struct td_view *view, struct locks_panel *s)
{
    if (s->count)
        qsort_r(s->rows, s->count, sizeof *s->rows, compare_locks, view);
}

static bool lock_is_listed(const struct td_view *view, const struct locks_panel *s, uint64_t lock)
{
    const struct td_lock_sum *sum = &s->shown.of[lock];
    const bool one = !(sum->threads & (sum->threads - 1)), contended = sum->contended_ns > 0;
    if ((s->group == CONTENDED_LOCKS && !contended) || (s->group == SHARED_LOCKS && one) ||
        (s->group == PRIVATE_LOCKS && !one))
        return false;
    return td_text_passes(s->filter, lock_name(view, lock),
                          td_dict_text(view->dict, location_of(view, lock)->file));
}

static void make_rows(struct td_view *view, struct locks_panel *s)
{
    const uint64_t selected = s->list.selected ? s->rows[s->list.selected - 1] : UINT64_MAX;
    s->count = 0;
    s->list.selected = 0;
    for (uint64_t l = 0; l < s->shown.locks; l++) {
        if (!lock_is_listed(view, s, l))
            continue;
        if (td_grow(&s->rows, &s->capacity, s->count + 1, sizeof *s->rows) < 0)
            break;
        s->rows[s->count++] = l;
    }
    memcpy(s->made_with, s->filter, sizeof s->made_with);
    s->made_group = s->group;
    sort_rows(view, s);
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i] == selected)
            s->list.selected = (int)i + 1;
}

static void make_sums(void *self, struct td_job *job)
{
    struct locks_panel *s = self;
    td_lock_sums_free(&s->made);
    /* Without memory there are no rows. */
    if (td_lock_sums_make(&s->made, s->trace, s->from_ns, s->to_ns, s->now_ns, job) < 0)
        td_lock_sums_free(&s->made);
}

static void update_locks(struct td_view *view, struct locks_panel *s)
{
    bool fresh;
    if (!s->started) {
        s->list.sort = WAITED;
        s->list.descending = s->started = true;
    }
    const uint64_t key = td_view_limits_key(view) + 1;
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_lock_sums_free);
        s->any = true;
    }
    if (fresh || s->group != s->made_group || strcmp(s->filter, s->made_with))
        make_rows(view, s);
    if (state != TD_JOB_WANTED)
        return;
    s->trace = view->trace;
    td_view_limits(view, &s->from_ns, &s->to_ns);
    s->now_ns = view->last_ns;
    td_job_start(&s->job, key, make_sums, s);
}

/* ---- the locks in the timeline ---- */

static void toggle_row(struct td_view *view, uint64_t lock)
{
    const int node = td_layout_row_node(&view->layout, TD_NODE_LOCK, (uint32_t)lock);
    if (node >= 0 && view->layout.nodes[node].hidden)
        td_view_show_row(view, node, 0);
    else if (node >= 0)
        td_lanes_hide(view, node);
}

/* Shows the row, and with `wait` the longest wait. */
static void show_lock(struct td_view *view, uint64_t lock, bool wait)
{
    const struct td_lock_sum *sum = &locks_panel_of(view)->shown.of[lock];
    const int node = td_layout_row_node(&view->layout, TD_NODE_LOCK, (uint32_t)lock);
    if (node >= 0)
        td_view_show_row(view, node, 0);
    if (!wait || !sum->longest_ns)
        return;
    view->spot = (struct td_spot){.used = true,
                                  .track = TD_NO_TRACK,
                                  .start_ns = sum->longest_at_ns,
                                  .end_ns = sum->longest_at_ns + sum->longest_ns};
    td_view_show_spot(view, view->spot, true);
}

/* ---- drawing ---- */

static void draw_row(struct td_list_drawing *d, uint64_t lock)
{
    struct td_view *view = d->view;
    const struct td_srcloc *location = location_of(view, lock);
    const int node = td_layout_row_node(&view->layout, TD_NODE_LOCK, (uint32_t)lock);
    const bool hidden = node < 0 || view->layout.nodes[node].hidden;
    char text[300];
    td_list_text(d, SHOWN, hidden ? TD_C(TEXT_FAINT) : TD_C(ACCENT), hidden ? "off" : "on");
    td_list_text(d, NAME, hidden ? TD_C(TEXT_FAINT) : TD_C(TEXT), lock_name(view, lock));
    static const int times[] = {WAITED, LONGEST, HELD, CONTENDED, LIFE};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        td_list_text(d, times[i], TD_C(TEXT), td_format_ns(text, value_of(view, lock, times[i])));
    static const int counts[] = {WAITS, OBTAINS, THREADS, EVENTS};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        td_list_text(d, counts[i], TD_C(TEXT_DIM),
                     td_format_count(text, (uint64_t)value_of(view, lock, counts[i])));
    td_list_text(d, KIND, TD_C(TEXT_DIM), cell_of(view, lock, TD_LOCK_TYPE) == 1 ? "shared" : "mutex");
    td_list_text(d, ANNOUNCED, TD_C(TEXT_DIM),
                 td_format_time(text, (double)cell_of(view, lock, TD_LOCK_ANNOUNCED), 1));
    const char *file = td_dict_text(view->dict, location->file);
    snprintf(text, sizeof text, "%.200s:%" PRIu32, file, location->line);
    td_list_text(d, SOURCE, TD_C(TEXT_FAINT), *file ? text : "");
}

/* The list as lines with tabs, times in ns. */
static void copy_list(struct td_view *view, const struct locks_panel *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);
    if (!f)
        return;
    fprintf(f,
            "id\tlock\tkind\twaited_ns\tlongest_ns\theld_ns\tcontended_ns\twaits\tobtained\tthreads\tevents\t"
            "announced_ns\tlifetime_ns\tfile\tline\n");
    for (size_t i = 0; i < s->count; i++) {
        const uint64_t l = s->rows[i];
        const struct td_lock_sum *sum = &s->shown.of[l];
        fprintf(f, "%" PRId64 "\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t",
                cell_of(view, l, TD_LOCK_ID), TD_CELL(lock_name(view, l)),
                cell_of(view, l, TD_LOCK_TYPE) == 1 ? "shared" : "mutex", sum->waited_ns, sum->longest_ns,
                sum->held_ns, sum->contended_ns);
        fprintf(f, "%" PRIu64 "\t%" PRIu64 "\t%d\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%s\t%" PRIu32 "\n",
                waits_of(sum), obtains_of(sum), __builtin_popcountll(sum->threads), td_lock_sum_events(sum),
                cell_of(view, l, TD_LOCK_ANNOUNCED), lifetime_of(view, l),
                TD_CELL(td_dict_text(view->dict, location_of(view, l)->file)), location_of(view, l)->line);
    }
    if (fclose(f) == 0)
        td_ui_set_clipboard(view->ui, text);
    free(text);
}

static void draw_tools(struct td_view *view, struct locks_panel *s, const struct td_rect *place)
{
    struct td_ui *ui = view->ui;
    char text[100], number[TD_FORMAT_BYTES];
    float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3), x = place->left + pad;
    float text_y = y + (high - td_ui_text_height(ui, TD_FONT_SMALL)) / 2, button = TD_U(view, 56);
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    const float field = fminf(TD_U(view, 190), fmaxf(right - x - TD_U(view, 126), TD_U(view, 60)));
    td_ui_input(ui, "##locks filter", "Filter: name or file, -not", x, y, field, high, s->filter,
                sizeof s->filter, false);
    x += field + pad;
    if (x + TD_U(view, 116) <= right && td_ui_button(ui, group_names[s->group], x, y, TD_U(view, 116), high))
        s->group = (s->group + 1) % GROUPS;
    x += TD_U(view, 126);
    if (right - button >= x && td_ui_button(ui, "Copy", right - button, y, button, high))
        copy_list(view, s);
    right -= button + pad;
    if (!s->any)
        snprintf(text, sizeof text, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else
        snprintf(text, sizeof text, "%s lock%s", td_format_count(number, s->count), s->count == 1 ? "" : "s");
    td_ui_text_fit(ui, TD_FONT_SMALL, x, text_y, right - x, TD_C(TEXT_FAINT), text);
}

static void draw_locks_panel(struct td_view *view, const struct td_rect *place)
{
    struct locks_panel *s = locks_panel_of(view);
    struct td_rect rows = *place, cell;
    struct td_list_drawing d;
    int chosen = -1;
    bool toggled = false, wait = false;
    update_locks(view, s);
    draw_tools(view, s, place);
    rows.top += TD_U(view, TOOLS_HEIGHT);
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->count, &rows, &d); i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED) {
            const float mx = td_ui_mouse_x(view->ui);
            chosen = i;
            toggled = td_list_cell(&d, SHOWN, &cell) && mx < cell.right;
            wait = td_list_cell(&d, LONGEST, &cell) && mx >= cell.left && mx < cell.right;
        }
        draw_row(&d, s->rows[i]);
    }
    td_list_end(&d);
    if (chosen >= 0 && toggled)
        toggle_row(view, s->rows[chosen]);
    else if (chosen >= 0)
        show_lock(view, s->rows[chosen], wait);
    if (d.sorted)
        sort_rows(view, s);
}

static bool take_locks_key(struct td_view *view, const struct td_key_press *press)
{
    struct locks_panel *s = locks_panel_of(view);
    bool enter;
    if (!td_panel_has_keys(view, TD_PANEL_LOCKS))
        return false;
    if (press->ctrl && press->key == 'c') {
        copy_list(view, s);
        return true;
    }
    if (press->key == 'v' && !press->shift) {
        s->group = (s->group + 1) % GROUPS;
        return true;
    }
    if (press->key == 'x' && !press->shift && s->list.selected) {
        toggle_row(view, s->rows[s->list.selected - 1]);
        return true;
    }
    if (!td_list_key(&s->list, press, (int)s->count, &enter) || !s->list.selected)
        return false;
    show_lock(view, s->rows[s->list.selected - 1], enter);
    return true;
}

static bool locks_are_busy(const struct td_view *view)
{
    return locks_panel_of(view)->job.running;
}

static void free_locks_panel(struct td_view *view)
{
    struct locks_panel *s = locks_panel_of(view);
    td_job_stop(&s->job);
    td_lock_sums_free(&s->made);
    td_lock_sums_free(&s->shown);
    free(s->rows);
}

static const struct td_help_line locks_help[] = {
    {"Ctrl+L", "list of locks"},
    {"V in it", "all, contended, of several threads, of one thread"},
    {"X in it", "hide and show the row of the lock"},
    {"Enter in it", "zooms to the longest wait"},
    {0},
};

const struct td_panel td_panel_locks = {
    .name = "locks",
    .dock = TD_DOCK_BOTTOM,
    .title = "Locks",
    .keys = {{.key = 'l', .ctrl = true}},
    .help = locks_help,
    .state_bytes = sizeof(struct locks_panel),
    .draw = draw_locks_panel,
    .free_state = free_locks_panel,
    .is_busy = locks_are_busy,
    .take_key = take_locks_key,
};
