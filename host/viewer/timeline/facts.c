/* Facts about the trace that the viewer keeps: its range of time, counts, ranges of plots, rows, marks and
 * flows. In a live session they are brought up to date while the trace grows. */
#include "host/base/clock.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/query/task/span.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/facts.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPANDED_CORES   24  /* with more cores, tiles are collapsed at first */
#define EXPANDED_THREADS 64  /* with more threads and no cores, threads are; not while they come */
#define LATE_NS          2e9 /* zones of cores may arrive this late */
#define POINTS_AT_ONCE   256
#define SWITCHES_A_FRAME 4096   /* rows of context switches that are read before a frame, in a millisecond */
#define STACKS_A_FRAME   200    /* call stacks whose functions are counted, likewise */
#define POINTS_A_FRAME   500000 /* new points of plots that are read before a frame, in a few ms */
#define SCAN_LEAST       1000
#define COUNT_EVERY_MS   500
#define MOST_SECTIONS    10000 /* are read again whenever a trace has grown */
#define SCAN_GROWTH      1.1   /* the next scan waits until the trace has grown by this factor */

/* Reads the first and last time in the trace, and counts zones and cores. */
static void read_times(struct td_view *view)
{
    const struct td_trace *trace = view->model.trace;
    const bool whole = !view->model.live || td_live_get_state(view->model.live) == TD_LIVE_FINISHED;
    td_trace_span(trace, &view->model.first_ns, &view->model.last_ns);
    if (whole && view->model.last_ns < td_trace_get_info(trace)->last_time_ns)
        view->model.last_ns = td_trace_get_info(trace)->last_time_ns;
    view->model.zones = 0;
    view->model.cores = 0;
    for (uint32_t t = 0; t < td_dict_track_count(view->model.dict); t++) {
        const uint64_t zones = td_trace_track_zones(trace, t);
        view->model.zones += zones;
        view->model.cores += zones && td_track_is_core(td_dict_get_track(view->model.dict, t));
    }
}

/* Extends the range by the points from range->points to `end`. */
static void read_points(struct td_plot_range *range, const struct td_series *points, size_t end)
{
    int64_t bits[POINTS_AT_ONCE];
    while (range->points < end) {
        const size_t left = end - range->points, n = left < POINTS_AT_ONCE ? left : POINTS_AT_ONCE;
        td_series_read(points, TD_POINT_VALUE, range->points, n, bits);
        for (size_t i = 0; i < n; i++) {
            double value;
            memcpy(&value, &bits[i], sizeof value);
            if (isfinite(value)) {
                range->low = fmin(range->low, value);
                range->high = fmax(range->high, value);
            }
        }
        range->points += n;
    }
}

/* Extends the ranges of the plots by the points that are new, at most `most` of them. 1: there are more. */
static int read_plots(struct td_view *view, size_t most, struct td_err *err)
{
    const uint32_t plots = td_dict_plot_count(view->model.dict);
    if (td_grow(&view->model.plots, &view->model.plot_capacity, (size_t)plots + 1,
                sizeof *view->model.plots) < 0)
        return td_fail_no_memory(err, NULL);
    for (; view->model.plot_count < plots; view->model.plot_count++)
        view->model.plots[view->model.plot_count] =
            (struct td_plot_range){.low = INFINITY, .high = -INFINITY};
    for (uint32_t p = 0; p < plots; p++) {
        struct td_plot_range *range = &view->model.plots[p];
        const struct td_series *points = td_trace_list(view->model.trace, TD_TABLE_POINT, p);
        const size_t all = td_series_count(points), from = range->points;
        read_points(range, points, all - from > most ? from + most : all);
        most -= range->points - from;
        if (range->points < all)
            return 1;
    }
    return 0;
}

void td_view_plot_range(const struct td_view *view, uint32_t plot, double *low, double *high)
{
    const struct td_plot_range *range = &view->model.plots[plot];
    *low = *high = 0;
    if (plot >= view->model.plot_count || range->low > range->high)
        return;
    *low = range->low;
    *high = range->high;
}

/* In a finished trace, only locations that have zones count. */
static void read_flags(struct td_view *view, bool *lost)
{
    const struct td_stat *stats;
    *lost = false;
    view->model.errors = td_time_errors_read(view->model.trace);
    for (int gpu = 0; gpu < 2 && !view->model.loading; gpu++) {
        size_t count =
            gpu ? td_trace_gpu_stats(view->model.trace, &stats) : td_trace_stats(view->model.trace, &stats);
        for (size_t i = 0; i < count; i++) {
            uint32_t flags = td_dict_get_srcloc(view->model.dict, stats[i].srcloc)->flags;
            view->model.has_waits |= (flags & TD_SRCLOC_WAIT) != 0;
            *lost |= (flags & TD_SRCLOC_LOST) != 0;
        }
    }
    for (uint32_t s = 0;
         (view->model.live || view->model.loading) && s < td_dict_srcloc_count(view->model.dict); s++) {
        uint32_t flags = td_dict_get_srcloc(view->model.dict, s)->flags;
        view->model.has_waits |= (flags & TD_SRCLOC_WAIT) != 0;
        *lost |= (flags & TD_SRCLOC_LOST) != 0;
    }
    view->model.has_losses = *lost;
}

/* A number that changes when the rows of the timeline have to be arranged anew. */
static uint64_t layout_key(const struct td_view *view)
{
    uint64_t key = 0;
    for (uint32_t t = 0; t < td_dict_track_count(view->model.dict); t++) {
        const char *name = td_dict_text(view->model.dict, td_dict_get_track(view->model.dict, t)->name);
        key = td_mix64(key ^ td_trace_rows(view->model.trace, t));
        key = td_mix64(key ^ (td_messages_count(&view->model.messages, view->model.trace, t) > 0));
        key = td_mix64(key ^ (uint64_t)(uintptr_t)name);
        key = td_mix64(key ^ (td_series_count(td_trace_list(view->model.trace, TD_TABLE_SAMPLE, t)) > 0));
        key = td_mix64(key ^ (td_switches_of(&view->model.switches, t) != NULL));
    }
    for (uint32_t p = 0; p < td_dict_plot_count(view->model.dict); p++)
        key = td_mix64(key ^ (td_trace_plot_points(view->model.trace, p) > 0));
    for (uint32_t s = 0; s < td_dict_frame_set_count(view->model.dict); s++)
        key = td_mix64(key ^ (td_trace_frames(view->model.trace, s) > (s ? 0 : 2)));
    for (uint32_t c = 0; c < view->model.sections.category_count; c++)
        key = td_mix64(key ^ view->model.sections.categories[c].number ^
                       (uint64_t)view->model.sections.categories[c].lanes << 32);
    return key;
}

static bool is_same_group(const struct td_layout *a, const struct td_node *m, const struct td_layout *b,
                          const struct td_node *n)
{
    while (!strcmp(m->label, n->label) && m->parent >= 0 && n->parent >= 0) {
        m = &a->nodes[m->parent];
        n = &b->nodes[n->parent];
    }
    return !strcmp(m->label, n->label) && m->parent == n->parent;
}

/* The node of `layout` that is like one of the layout `of`. */
static const struct td_node *find_node(const struct td_layout *layout, const struct td_layout *of,
                                       const struct td_node *like)
{
    for (int i = 0; i < layout->count; i++) {
        const struct td_node *n = &layout->nodes[i];
        if (n->kind == like->kind && n->number == like->number && n->level == like->level &&
            (n->kind != TD_NODE_GROUP || is_same_group(layout, n, of, like)))
            return n;
    }
    return NULL;
}

/* Gives the node the state of the same one in the old layout. */
static void keep_state(const struct td_layout *old, const struct td_layout *layout, struct td_node *node,
                       bool arranged)
{
    const struct td_node *was = NULL;
    if (node->kind == TD_NODE_TRACK) {
        int number = td_layout_track_node(old, node->number);
        was = number < 0 ? NULL : &old->nodes[number];
    } else {
        was = find_node(old, layout, node);
    }
    node->hidden = was && was->hidden;
    node->pinned = was && was->pinned;
    if (arranged)
        node->collapsed = was && was->collapsed;
}

/* Most cores are in collapsed rows. */
static bool is_dense(const struct td_layout *layout)
{
    int cores = 0, closed = 0;
    for (int i = 0; i < layout->count; i++) {
        const struct td_node *n = &layout->nodes[i];
        if (n->kind != TD_NODE_TRACK || !n->is_device)
            continue;
        cores++;
        closed += n->collapsed || (n->parent >= 0 && layout->nodes[n->parent].collapsed);
    }
    return closed * 2 > cores;
}

/* The rows that are closed at first. */
static bool has_very_many(const struct td_view *view, const struct td_layout *layout)
{
    int threads = 0;
    for (int i = 0; i < layout->count; i++)
        threads += layout->nodes[i].kind == TD_NODE_TRACK;
    return view->model.cores ? view->model.cores > EXPANDED_CORES
                             : !view->model.live && threads > EXPANDED_THREADS;
}

static void free_track_lists(struct td_view *view)
{
    for (int i = 0; view->rows.lists && i <= view->layout.count; i++)
        td_track_list_release(view->rows.lists[i]);
    free(view->rows.lists);
    view->rows.lists = NULL;
}

/* The settings on which the rows depend, as a number. */
static unsigned row_choices(const struct td_view *view)
{
    static const enum td_choice of[] = {TD_CHOICE_SWITCHES, TD_CHOICE_SAMPLES, TD_CHOICE_CPUS,
                                        TD_CHOICE_GHOSTS,   TD_CHOICE_LOCKS,   TD_CHOICE_PLOTS,
                                        TD_CHOICE_GPU};
    unsigned all = 0;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        all = all << 3 | (unsigned)td_view_choice(view, of[i]);
    return all;
}

void td_view_check_rows(struct td_view *view)
{
    if (view->rows.choices != row_choices(view)) {
        view->rows.arranged = true; /* what is closed stays so */
        td_view_arrange_rows(view, NULL);
    }
}

/* Arranges the rows; what the user has collapsed stays so. */
int td_view_arrange_rows(struct td_view *view, struct td_err *err)
{
    struct td_layout layout;
    struct td_arrangement as = td_lanes_arrangement(view);
    as.sections = &view->model.sections;
    as.fibers = &view->model.fibers;
    as.switches = td_view_choice(view, TD_CHOICE_SWITCHES) ? NULL : &view->model.switches;
    as.samples = !td_view_choice(view, TD_CHOICE_SAMPLES);
    as.cpus = !td_view_choice(view, TD_CHOICE_CPUS);
    as.processors = &view->model.switches;
    as.ghosts = (enum td_ghost_rows)td_view_choice(view, TD_CHOICE_GHOSTS);
    as.locks = (enum td_lock_rows)td_view_choice(view, TD_CHOICE_LOCKS);
    as.lock_times = &view->model.locks;
    as.own = &view->rows.own;
    as.no_plots = td_view_choice(view, TD_CHOICE_PLOTS) != 0;
    as.no_contexts = td_view_choice(view, TD_CHOICE_GPU) != 0;
    as.stack_depths = view->model.stack_depths;
    as.stack_count = view->model.stack_count;
    view->rows.choices = row_choices(view);
    if (td_layout_build(&layout, view->model.trace, &view->model.messages, &as, err) < 0)
        return TD_E_NOMEM;
    struct td_track_list **lists = calloc((size_t)layout.count + 1, sizeof *lists);
    if (!lists) {
        td_layout_free(&layout);
        return td_fail_no_memory(err, NULL);
    }
    if (!view->rows.arranged)
        td_layout_collapse(&layout, has_very_many(view, &layout));
    const bool regrouped = view->rows.grouped != as.grouping;
    for (int i = 0; i < layout.count; i++)
        keep_state(&view->layout, &layout, &layout.nodes[i], view->rows.arranged && !regrouped);
    if (regrouped)
        td_layout_collapse(&layout, is_dense(&view->layout));
    view->rows.grouped = as.grouping;
    free_track_lists(view);
    td_layout_free(&view->layout);
    view->layout = layout;
    view->rows.lists = lists;
    view->rows.arrangement++;
    view->hover.zone = TD_NO_ZONE;
    view->hover.node = -1;
    td_lanes_apply(view);
    td_view_place_rows(view);
    return 0;
}

static void take_scan(struct td_view *view)
{
    td_marks_free(&view->model.lost);
    td_flows_free(&view->model.flows);
    view->model.lost = view->model.scan.lost;
    view->model.flows = view->model.scan.flows;
    view->model.scan.lost = (struct td_marks){0};
    view->model.scan.flows = (struct td_flows){0};
    view->model.losses = td_losses_count(view->model.trace, &view->model.lost);
}

/* Until the user chooses a set, it is the first one with frames. */
static void choose_frame_set(struct td_view *view)
{
    const uint32_t sets = td_dict_frame_set_count(view->model.dict);
    for (uint32_t s = 0; s < sets && !td_view_has_frames(view, view->selection.frame_set); s++)
        if (td_view_has_frames(view, s))
            view->selection.frame_set = s;
}

/* Sections and runs of fibers; without memory there are none. */
static int read_parts(struct td_view *view, struct td_err *err)
{
    td_sections_free(&view->model.sections);
    td_fiber_runs_free(&view->model.fibers);
    if (td_sections_build(&view->model.sections, view->model.trace) < 0 ||
        td_fiber_runs_build(&view->model.fibers, view->model.trace) < 0)
        return td_fail_no_memory(err, "while reading sections and fibers");
    return 0;
}

/* Context switches, and how deep call stacks are; without memory there are none. While a file is loaded, switches are
 * counted later: some before each frame, those of the finished trace by the scan. */
static int read_system(struct td_view *view, struct td_err *err)
{
    free(view->model.stack_depths);
    view->model.stack_depths = NULL;
    if (td_trace_table_rows(view->model.trace, TD_TABLE_SAMPLE))
        view->model.stack_depths = td_ghosts_depths(view->model.trace, &view->model.stack_count);
    const int rc =
        td_switches_update(&view->model.switches, view->model.trace, view->model.loading ? 0 : UINT64_MAX);
    view->model.lacks_switches = rc > 0;
    return rc < 0 ? td_fail_no_memory(err, "while reading context switches") : 0;
}

/* Sections of a growing trace end later than they begin, so all are read again, unless there are very many. */
static void refresh_sections(struct td_view *view)
{
    const uint64_t count = td_series_count(td_trace_table(view->model.trace, TD_TABLE_SECTION));
    if (!count || (count > MOST_SECTIONS && count == view->model.sections.count))
        return;
    td_sections_free(&view->model.sections);
    td_sections_build(&view->model.sections, view->model.trace);
}

/* Of a growing trace; there are no new rows without new switches or samples. */
static void refresh_system(struct td_view *view)
{
    if (td_trace_is_finished(view->model.trace))
        return;
    view->model.lacks_switches =
        td_switches_update(&view->model.switches, view->model.trace, SWITCHES_A_FRAME) > 0;
    /* Without memory, rows of ghost zones come later. */
    td_ghosts_depths_update(view->model.trace, &view->model.stack_depths, &view->model.stack_count,
                            &view->model.stack_next, STACKS_A_FRAME);
}

int td_view_read_facts(struct td_view *view, struct td_err *err)
{
    bool lost;
    read_times(view);
    int rc = read_plots(view, view->model.loading || view->model.live ? POINTS_A_FRAME : SIZE_MAX, err);
    if (rc >= 0) {
        read_flags(view, &lost);
        rc = view->model.loading ? 0 : td_scan_run(&view->model.scan, view->model.trace, lost, err);
    }
    if (rc == 0 && !view->model.loading)
        take_scan(view);
    td_locks_free(&view->model.locks);
    if (rc == 0)
        rc = td_locks_build(&view->model.locks, view->model.trace, err);
    if (rc == 0)
        rc = read_parts(view, err);
    if (rc == 0)
        rc = read_system(view, err);
    if (rc == 0)
        rc = td_view_arrange_rows(view, err);
    choose_frame_set(view);
    view->rows.key = layout_key(view);
    view->model.counted_zones = view->model.zones;
    return rc;
}

/* What was drawn of times that may have changed is computed again. */
static void forget_densities(struct td_view *view, double from_ns)
{
    view->model.settled_ns = from_ns;
    view->model.refreshes++;
}

static void count_frames(struct td_view *view)
{
    for (int i = 0; i < view->layout.count; i++) {
        struct td_node *node = &view->layout.nodes[i];
        if (node->kind == TD_NODE_FRAMES)
            snprintf(node->detail, sizeof node->detail, "%zu",
                     td_trace_frames(view->model.trace, node->number));
    }
}

static void refresh_scan(struct td_view *view)
{
    bool lost;
    if (td_scan_take(&view->model.scan))
        take_scan(view);
    read_flags(view, &lost);
    if (view->model.zones > SCAN_LEAST &&
        (double)view->model.zones > (double)view->model.scan.zones * SCAN_GROWTH)
        td_scan_start(&view->model.scan, view->model.trace, lost, view->model.zones, NULL);
}

void td_view_rest(struct td_view *view)
{
    view->model.rests_ms = td_mono_ms();
    td_scan_free(&view->model.scan);
    td_jobs_stop();
    td_find_stop(&view->find);
    td_bands_forget(view->drawn.bands);
    td_ghost_cache_forget(&view->drawn.ghosts);
}

/* Panels count a trace that grows again only when they have finished: else they never would. */
static void count_anew(struct td_view *view, bool now)
{
    if (!now && (td_mono_ms() - view->model.counted_ms < COUNT_EVERY_MS || td_panels_busy(view)))
        return;
    view->model.counted += view->model.counted_zones != view->model.zones || now;
    view->model.counted_zones = view->model.zones;
    view->model.counted_ms = td_mono_ms();
}

/* Tells the camera the range of the trace. What is shown whole stays so while a file is loaded. */
static void set_full_range(struct td_view *view)
{
    const struct td_camera *camera = &view->camera;
    const bool whole =
        camera->to_start_ns == camera->full_start_ns && camera->to_end_ns == camera->full_end_ns;
    td_camera_set_full(&view->camera, (double)view->model.first_ns, (double)view->model.last_ns);
    if (whole && !view->model.live)
        td_camera_fit(&view->camera, true);
}

/* Takes what a trace has got. `from_ns`: what was drawn of earlier times stays valid. */
static void read_growth(struct td_view *view, double from_ns)
{
    read_plots(view, td_trace_is_finished(view->model.trace) ? SIZE_MAX : POINTS_A_FRAME, NULL);
    refresh_sections(view);
    refresh_system(view);
    const uint64_t key = layout_key(view);
    if (key != view->rows.key && td_view_arrange_rows(view, NULL) == 0)
        view->rows.key = key;
    forget_densities(view, from_ns);
    count_frames(view);
    choose_frame_set(view);
    set_full_range(view);
}

void td_view_take_loaded(struct td_view *view)
{
    bool lost;
    view->model.rests_ms = 0;
    read_flags(view, &lost);
    td_messages_free(&view->model.messages);
    view->drawn.self_of = TD_NO_ZONE;
    read_times(view);
    td_locks_free(&view->model.locks);
    td_locks_build(&view->model.locks, view->model.trace, NULL); /* without memory no locks are shown */
    read_parts(view, NULL);
    td_switches_forget(&view->model.switches); /* rows were sorted */
    read_system(view, NULL);
    read_growth(view, INFINITY);
    count_anew(view, true);
    if (td_view_arrange_rows(view, NULL) == 0)
        view->rows.key = layout_key(view);
    if (view->find.active)
        td_view_search(view, NULL);
    td_scan_start(&view->model.scan, view->model.trace, lost, view->model.zones, &view->model.switches);
}

/* The file has been loaded and scanned: true once. */
static bool take_first_scan(struct td_view *view)
{
    bool lost;
    if (!view->model.loading || !td_scan_take(&view->model.scan))
        return false;
    take_scan(view);
    view->model.loading = false;
    read_flags(view, &lost);
    return true;
}

/* The live session has ended, and its trace becomes as one that was loaded. */
static void take_finished(struct td_view *view)
{
    struct td_err why = {0};
    if (td_live_finish(view->model.live, &why) < 0)
        snprintf(view->model.live_end, sizeof view->model.live_end, "%.180s", why.text);
    view->model.settled_ns = INFINITY;
    view->model.refreshes++;
    view->history = (struct td_history){0}; /* zones have moved */
    view->camera.follow = false;
    view->model.loading = true;
    td_view_take_loaded(view);
}

bool td_view_refresh(struct td_view *view)
{
    /* Another view of the session may have seen its end before. */
    const bool is_live =
        view->model.live && (view->model.rests_ms || td_live_get_state(view->model.live) != TD_LIVE_FINISHED);
    if (!is_live && (!view->model.loading || td_trace_is_finished(view->model.trace)))
        return take_first_scan(view);
    const enum td_live_state state = is_live ? td_live_get_state(view->model.live) : TD_LIVE_RUNNING;
    const uint64_t zones = view->model.zones;
    const int64_t last_ns = view->model.last_ns;
    if (state == TD_LIVE_ENDED && !view->model.rests_ms && td_live_may_finish(view->model.live)) {
        td_view_rest(view);
        td_live_begin_finish(view->model.live);
    }
    if (state >= TD_LIVE_DONE)
        take_finished(view);
    if (state >= TD_LIVE_ENDED)
        return state >= TD_LIVE_DONE;
    const bool behind =
        (td_messages_update(&view->model.messages, view->model.trace, NULL) > 0) | view->model.lacks_switches;
    read_times(view);
    if (!behind && zones == view->model.zones && last_ns == view->model.last_ns &&
        state == view->model.live_state)
        return false;
    view->model.live_state = state;
    read_growth(view, is_live ? (double)last_ns - LATE_NS : -INFINITY);
    if (is_live)
        refresh_scan(view);
    count_anew(view, false);
    return true;
}

void td_view_free_facts(struct td_view *view)
{
    td_scan_free(&view->model.scan);
    td_bands_destroy(view->drawn.bands);
    free_track_lists(view);
    free(view->model.plots);
    free(view->model.gpu.list);
    td_messages_free(&view->model.messages);
    td_layout_free(&view->layout);
    td_row_choices_free(&view->rows.own);
    td_marks_free(&view->model.lost);
    td_flows_free(&view->model.flows);
    td_locks_free(&view->model.locks);
    td_sections_free(&view->model.sections);
    td_fiber_runs_free(&view->model.fibers);
    td_ghost_cache_free(&view->drawn.ghosts);
    td_switches_free(&view->model.switches);
    td_memory_curves_free(&view->drawn.memory);
    free(view->drawn.origins.of);
    free(view->model.stack_depths);
}
