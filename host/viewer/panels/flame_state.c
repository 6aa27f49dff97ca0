#include "host/viewer/panels/flame_state.h"
#include "host/base/hash.h"
#include "host/query/code/samples.h"
#include "host/viewer/panels/compare.h"
#include "host/viewer/panels/operations.h"
#include "host/viewer/panels/sampled.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flame_panel *flame_panel_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_FLAME].state;
}

/* ---- sums, in a thread ---- */

static int make_flame(const struct flame_request *of, const struct td_trace *trace,
                      const struct td_lane_choice *lanes, const struct td_progress *progress,
                      struct td_flame *flame, uint64_t *cut)
{
    struct td_call_tree tree = {0};
    int rc = 0;
    if (of->of == FLAME_ZONES) {
        const struct td_zone_tree_choice choice = {of->from_ns, of->to_ns, lanes, of->by_track,
                                                   TD_ZONE_TREE_NODES};
        rc = td_zone_tree_make(trace, &choice, progress, &tree, cut);
    } else {
        const uint32_t all = td_dict_track_count(td_trace_dict(trace));
        uint32_t *tracks = malloc(((size_t)all + 1) * sizeof *tracks);
        struct td_samples_choice choice = {.kind = TD_SAMPLES_RUNNING, .tracks = tracks};
        if (of->from_ns != INT64_MIN || of->to_ns != INT64_MAX) {
            choice.from_ns = of->from_ns;
            choice.to_ns = of->to_ns;
        }
        for (uint32_t t = 0; tracks && t < all; t++)
            if (td_lane_chosen(lanes, t))
                tracks[choice.track_count++] = t;
        rc = tracks ? td_sample_tree_make(trace, &choice, of->by_track, progress, &tree) : TD_E_NOMEM;
        free(tracks);
    }
    rc = rc ? rc : td_flame_take(flame, trace, &tree);
    td_call_tree_free(&tree);
    return rc;
}

/* The tracks of the other trace that are called as those that pass. */
static int choose_others(const struct flame_request *of, struct td_lane_choice *others)
{
    const struct td_dict *dict = td_trace_dict(of->trace), *other = td_trace_dict(of->other);
    const uint32_t tracks = td_dict_track_count(other);
    struct td_name_table names = {0};
    int rc = 0;
    *others = (struct td_lane_choice){0};
    if (!of->lanes.passes)
        return 0;
    *others = (struct td_lane_choice){calloc((size_t)tracks + 1, 1), tracks};
    rc = others->passes ? 0 : TD_E_NOMEM;
    for (uint32_t t = 0; rc == 0 && t < td_dict_track_count(dict); t++) {
        const uint32_t name = td_dict_get_track(dict, t)->name;
        if (td_lane_chosen(&of->lanes, t) &&
            td_name_table_number(&names, td_dict_text(dict, name), td_dict_text_bytes(dict, name)) ==
                UINT32_MAX)
            rc = TD_E_NOMEM;
    }
    for (uint32_t t = 0; rc == 0 && t < tracks; t++) {
        const uint32_t name = td_dict_get_track(other, t)->name;
        others->passes[t] = td_name_table_find(&names, td_dict_text(other, name),
                                               td_dict_text_bytes(other, name)) != UINT32_MAX;
    }
    td_name_table_free(&names);
    return rc;
}

static void run_flame(void *self, struct td_job *job)
{
    struct flame_panel *s = self;
    const struct flame_request *of = &s->request;
    const struct td_progress progress = td_job_progress_of(job);
    struct td_flame other = {0};
    struct td_lane_choice others = {0};
    td_flame_free(&s->made);
    s->made_cut = 0;
    s->made_rc = make_flame(of, of->trace, &of->lanes, &progress, &s->made, &s->made_cut);
    if (s->made_rc == 0 && of->other) {
        s->made_rc = choose_others(of, &others);
        if (s->made_rc == 0)
            s->made_rc = make_flame(of, of->other, &others, &progress, &other, NULL);
        if (s->made_rc == 0)
            s->made_rc = of->before ? td_flame_compare(&other, &s->made) : td_flame_compare(&s->made, &other);
        if (s->made_rc == 0 && of->before) {
            td_flame_free(&s->made);
            s->made = other;
            other = (struct td_flame){0};
        }
    }
    td_flame_free(&other);
    td_lane_choice_free(&others);
}

/* ---- searching, in a thread ---- */

/* The pictures that it reads are about to change. */
static void stop_search(struct flame_panel *s)
{
    td_job_stop(&s->search_job);
    s->search_version++;
}

static void run_search(void *self, struct td_job *job)
{
    struct flame_panel *s = self;
    const struct flame_picture *const pictures[] = {&s->whole, &s->callers, &s->callees};
    for (int i = 0; i < 3 && !td_job_cancelled(job); i++)
        flame_picture_search(pictures[i], s->search_text, &s->found[i].hits, &s->found[i].sum);
}

static void update_search(struct flame_panel *s)
{
    struct flame_picture *const pictures[] = {&s->whole, &s->callers, &s->callees};
    bool fresh;
    const uint64_t key = td_mix64(td_hash(s->search, strlen(s->search)) ^ s->search_version);
    const enum td_job_state state = td_job_want(&s->search_job, key, &fresh);
    for (int i = 0; fresh && i < 3; i++)
        flame_picture_take_hits(pictures[i], &s->found[i].hits, s->found[i].sum);
    if (state != TD_JOB_WANTED)
        return;
    memcpy(s->search_text, s->search, sizeof s->search_text);
    td_job_start(&s->search_job, key, run_search, s);
}

/* The widest node of that name. */
static uint32_t node_named(const struct td_flame *flame, const char *name)
{
    uint32_t found = TD_CALL_NONE;
    for (uint32_t i = 1; i < flame->tree.count; i++)
        if (!strcmp(td_flame_name(flame, i), name) &&
            (found == TD_CALL_NONE || flame->tree.at[i].total > flame->tree.at[found].total))
            found = i;
    return found;
}

bool flame_lacks_name(const struct flame_panel *s, const char *name)
{
    return s->whole.flame.tree.count && !s->job.running && node_named(&s->whole.flame, name) == TD_CALL_NONE;
}

void flame_zoom_name(struct flame_panel *s, const char *name)
{
    const uint32_t node = node_named(&s->whole.flame, name);
    if (node != TD_CALL_NONE)
        flame_picture_zoom(&s->whole, node);
    else
        snprintf(s->wanted, sizeof s->wanted, "%s", name);
}

/* ---- around a name, in a thread ---- */

static void run_turn(void *self, struct td_job *job)
{
    struct flame_panel *s = self;
    const struct td_flame *flame = &s->whole.flame;
    td_flame_free(&s->made_callers);
    td_flame_free(&s->made_callees);
    const struct td_call_tree *tree = &flame->tree;
    for (size_t i = 1; i < tree->count; i++)
        if (!strcmp(td_flame_name(flame, (uint32_t)i), s->turn_name)) {
            const uint32_t name = tree->at[i].name;
            /* Without memory they are empty. */
            if (td_flame_around(flame, name, true, &s->made_callers) < 0 ||
                td_flame_around(flame, name, false, &s->made_callees) < 0) {
                td_flame_free(&s->made_callers);
                td_flame_free(&s->made_callees);
            }
            return;
        }
}

static void update_turn(struct flame_panel *s)
{
    bool fresh;
    if (!s->around[0] || !s->whole.flame.tree.count)
        return;
    const uint64_t key = td_hash(s->around, strlen(s->around)) ^ s->version;
    const enum td_job_state state = td_job_want(&s->turn_job, key, &fresh);
    if (fresh) {
        stop_search(s);
        flame_picture_take(&s->callers, &s->made_callers, true);
        flame_picture_take(&s->callees, &s->made_callees, true);
    }
    if (state != TD_JOB_WANTED)
        return;
    memcpy(s->turn_name, s->around, sizeof s->turn_name);
    td_job_start(&s->turn_job, key, run_turn, s);
}

void flame_set_around(struct flame_panel *s, const char *name)
{
    snprintf(s->around, sizeof s->around, "%s", name);
    if (!*name) {
        td_job_stop(&s->turn_job);
        stop_search(s);
        flame_picture_free(&s->callers);
        flame_picture_free(&s->callees);
    }
}

/* ---- what is wanted ---- */

/* The request without its lanes, and its key; false: s->reason says why there is none. */
static bool choose(struct td_view *view, struct flame_panel *s, struct flame_request *of, uint64_t *key)
{
    uint64_t loads = 0, operation = 0;
    *of = (struct flame_request){.trace = view->model.trace,
                                 .of = (enum flame_of)s->of,
                                 .by_track = s->by_track,
                                 .before = s->difference == FLAME_BEFORE,
                                 .from_ns = INT64_MIN,
                                 .to_ns = INT64_MAX};
    s->reason = NULL;
    if (s->difference != FLAME_ALONE) {
        of->other = td_compare_lend(view, &s->job, &loads);
        if (!of->other)
            s->reason = "The difference needs a second trace: open it with :compare FILE.";
    } else if (s->operation) {
        if (!td_operation_range(view, &of->from_ns, &of->to_ns, &operation))
            s->reason = "Choose an operation in the panel Operations.";
    } else {
        td_view_limits(view, &of->from_ns, &of->to_ns);
    }
    *key = td_mix64((uint64_t)of->from_ns ^ view->model.counted) ^ (uint64_t)of->to_ns;
    *key = td_mix64(*key ^ td_mix64(td_lanes_key(view) + 1) ^ operation);
    *key = td_mix64(*key + loads * 64 + (uint64_t)s->difference * 16 + (uint64_t)s->of * 8 +
                    (uint64_t)s->by_track * 4 + (uint64_t)s->operation);
    return !s->reason;
}

static void take(struct td_view *view, struct flame_panel *s)
{
    td_job_stop(&s->turn_job); /* they read what is replaced */
    stop_search(s);
    s->shown_rc = s->made_rc;
    if (s->made_rc < 0)
        td_flame_free(&s->made);
    flame_picture_take(&s->whole, &s->made, false);
    s->cut = s->made_cut;
    s->shown_of = (int)s->request.of;
    s->shown_swapped = s->request.before && s->request.other;
    s->sample_ns = s->shown_of == FLAME_SAMPLES ? td_sampled_ns(view->model.trace, 1) : 0;
    s->version++;
    const uint32_t node = s->wanted[0] ? node_named(&s->whole.flame, s->wanted) : TD_CALL_NONE;
    if (node != TD_CALL_NONE)
        flame_picture_zoom(&s->whole, node);
    s->wanted[0] = 0;
}

void flame_update(struct td_view *view, struct flame_panel *s)
{
    struct flame_request of;
    uint64_t key;
    bool fresh;
    if (!s->begun) { /* samples are shown where there is nothing else */
        s->begun = true;
        s->of = !view->model.zones && td_trace_table_rows(view->model.trace, TD_TABLE_SAMPLE) ? FLAME_SAMPLES
                                                                                              : FLAME_ZONES;
    }
    if (!choose(view, s, &of, &key)) {
        td_job_stop(&s->job);
        return;
    }
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh)
        take(view, s);
    if (state == TD_JOB_WANTED) {
        td_lane_choice_free(&s->request.lanes);
        s->request = of;
        if (td_lanes_copy(view, &s->request.lanes) &&
            (!s->operation || of.other || td_operation_lanes(view, &s->request.lanes)))
            td_job_start(&s->job, key, run_flame, s);
    }
    update_turn(s);
    update_search(s);
}

bool flame_is_busy(const struct td_view *view)
{
    const struct flame_panel *s = flame_panel_of(view);
    return s->job.running || s->turn_job.running || s->search_job.running;
}

void flame_free(struct td_view *view)
{
    struct flame_panel *s = flame_panel_of(view);
    td_job_stop(&s->job);
    td_job_stop(&s->turn_job);
    stop_search(s);
    for (int i = 0; i < 3; i++)
        free(s->found[i].hits);
    td_lane_choice_free(&s->request.lanes);
    td_flame_free(&s->made);
    td_flame_free(&s->made_callers);
    td_flame_free(&s->made_callees);
    flame_picture_free(&s->whole);
    flame_picture_free(&s->callers);
    flame_picture_free(&s->callees);
}
