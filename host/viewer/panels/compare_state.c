#include "host/viewer/panels/compare_state.h"
#include "host/viewer/model/file_sum.h"
#include "host/viewer/model/notes_file.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct compare_state *td_compare_state_of(const struct td_view *view)
{
    return view->panels.slot[TD_PANEL_COMPARE].state;
}

const struct td_compare_entry *td_compare_chosen(const struct compare_state *s)
{
    return s->chosen ? &s->shown.table.entries[s->chosen - 1] : NULL;
}

/* ---- loading ---- */

static int step_load(void *self, uint64_t done, uint64_t total)
{
    struct td_job *job = self;
    td_job_set_progress(job, done, total);
    return td_job_cancelled(job);
}

static bool is_present(const struct compare_state *s)
{
    return !strcmp(s->reads, TD_COMPARE_THIS);
}

static void free_made(struct compare_state *s)
{
    td_comparison_free(&s->made);
    td_trace_destroy(s->made_trace);
    s->made_trace = NULL;
    td_named_ranges_free(&s->made_names[0]);
    td_named_ranges_free(&s->made_names[1]);
}

/* The notes of a trace are in a file of the user's. Without it, there are none. */
static int make_names(struct compare_state *s, const struct td_trace *other)
{
    const struct td_trace_info *info = td_trace_get_info(other);
    struct td_annotations notes = {0};
    if (other == s->present)
        return td_named_ranges_make(&s->made_names[0], other, &s->notes);
    td_notes_read(&notes, info, td_trace_file_sum(info, s->reads), NULL);
    const int rc = td_named_ranges_make(&s->made_names[0], other, &notes);
    td_annotations_free(&notes);
    return rc;
}

static void compare_ranges(struct compare_state *s, const struct td_trace *other, struct td_job *job)
{
    static const char *const sides[] = {"the other trace", "this trace"};
    struct td_compare_range ranges[2];
    int rc = make_names(s, other);
    rc = rc ? rc : td_named_ranges_make(&s->made_names[1], s->present, &s->notes);
    if (rc < 0)
        td_fail_no_memory(&s->made_err, NULL);
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = td_named_ranges_find(&s->made_names[i], *s->ranges[i] ? s->ranges[i] : "all", sides[i],
                                  &ranges[i], &s->made_err);
    if (rc == 0)
        td_comparison_make(&s->made, other, s->present, ranges, job, &s->made_err);
}

static void run_load(void *self, struct td_job *job)
{
    struct compare_state *s = self;
    struct td_file_read_options options = {.progress = {step_load, job}};
    free_made(s);
    s->made_err = (struct td_err){0};
    if (!s->keeps && !is_present(s))
        td_load_with(s->reads, &s->options, &options, &s->made_trace, &s->made_err);
    if (!s->made_err.code)
        compare_ranges(s, s->keeps ? s->other : is_present(s) ? s->present : s->made_trace, job);
    snprintf(s->made_salvaged, sizeof s->made_salvaged, "%s", options.salvaged);
}

static void run_free(void *self, struct td_job *job)
{
    struct compare_state *s = self;
    td_comparison_free(&s->dropped);
    td_trace_destroy(s->dropped_trace);
    s->dropped_trace = NULL;
}

void td_compare_drop(struct compare_state *s)
{
    if (s->keeps && s->load.running) /* it reads the other trace */
        td_job_stop(&s->load);
    td_job_stop(&s->count_lengths);
    td_compare_source_free(&s->source);
    if (s->borrower)
        td_job_stop(s->borrower);
    td_compare_frames_free(&s->frames);
    td_table_list_free(&s->table); /* its rows are those of the comparison */
    td_job_stop(
        &s->free_dropped); /* has ended long ago unless traces are changed faster than they are read */
    s->dropped = s->shown;
    s->dropped_trace = s->other == s->present ? NULL : s->other;
    s->shown = (struct td_comparison){0};
    s->other = NULL;
    s->salvaged[0] = 0;
    if (s->dropped.table.entries || s->dropped_trace)
        td_job_start(&s->free_dropped, ++s->drops, run_free, s);
    free(s->tracks);
    s->tracks = NULL;
    s->track_count = s->chosen = 0;
    s->has_bins = false;
    s->followed[0] = 0;
}

void td_compare_choose(struct compare_state *s, size_t entry)
{
    s->chosen = entry + 1;
    s->has_bins = false;
    s->lengths = true;
    free(s->tracks);
    s->tracks = NULL;
    /* Without memory the bars are missing. */
    td_comparison_tracks(&s->shown, td_compare_chosen(s), &s->tracks, &s->track_count);
}

static void take_loaded(struct compare_state *s)
{
    struct td_trace *other = s->keeps ? s->other : is_present(s) ? s->present : s->made_trace;
    s->err = s->made_err;
    if (s->keeps && s->err.code) { /* such as a range that there is not: what is shown stays */
        memcpy(s->wants, s->shown_ranges, sizeof s->wants);
        return;
    }
    if (s->keeps)
        s->other = NULL;
    td_compare_drop(s);
    if (s->err.code)
        return;
    TD_JOB_TAKE(&s->shown, &s->made, td_comparison_free);
    s->other = other;
    s->made_trace = NULL;
    for (int i = 0; i < 2; i++)
        TD_JOB_TAKE(&s->names[i], &s->made_names[i], td_named_ranges_free);
    memcpy(s->shown_ranges, s->ranges, sizeof s->shown_ranges);
    if (!s->keeps)
        memcpy(s->salvaged, s->made_salvaged, sizeof s->salvaged);
    s->loads++;
}

/* Without memory there are none. */
static void copy_notes(struct td_annotations *to, const struct td_annotations *from)
{
    td_annotations_free(to);
    for (size_t i = 0; i < from->count; i++)
        td_annotations_add(to, &from->list[i]);
}

static void update_load(struct td_view *view, struct compare_state *s)
{
    bool fresh;
    if (!s->request)
        return;
    enum td_job_state state = td_job_want(&s->load, s->request, &fresh);
    if (fresh)
        take_loaded(s);
    if (state != TD_JOB_WANTED)
        return;
    s->keeps = !s->reopens && s->other;
    if (!s->keeps)
        memcpy(s->reads, s->path, sizeof s->reads);
    s->reopens = false;
    memcpy(s->ranges, s->wants, sizeof s->ranges);
    copy_notes(&s->notes, &view->notes);
    s->present = view->model.trace;
    s->options = view->model.load ? *view->model.load : (struct td_load_options){0};
    td_job_start(&s->load, s->request, run_load, s);
}

int td_compare_open(struct td_view *view, const char *path, struct td_err *err)
{
    struct compare_state *s = td_compare_state_of(view);
    if (!td_trace_is_finished(view->model.trace))
        return td_fail(err, TD_E_USAGE, "a trace that still grows cannot be compared");
    if (strcmp(path, TD_COMPARE_THIS) != 0 && access(path, R_OK) < 0)
        return td_fail_errno(err, "cannot read %s", path);
    if (path != s->path)
        snprintf(s->path, sizeof s->path, "%s", path);
    s->err = (struct td_err){0};
    s->reopens = true;
    memset(s->wants, 0, sizeof s->wants);
    s->request++;
    td_panel_set_open(view, TD_PANEL_COMPARE, true);
    return 0;
}

int td_compare_between(struct td_view *view, const char *before, const char *now, struct td_err *err)
{
    struct compare_state *s = td_compare_state_of(view);
    const char *const names[2] = {before ? before : "all", now ? now : before ? before : "all"};
    if (!s->other)
        return td_fail(err, TD_E_USAGE,
                       "there is no comparison; begin one with: compare FILE, or compare this");
    for (int i = 0; i < 2; i++)
        snprintf(s->wants[i], sizeof s->wants[i], "%s", strcmp(names[i], "all") != 0 ? names[i] : "");
    s->request++;
    td_panel_set_open(view, TD_PANEL_COMPARE, true);
    return 0;
}

const struct td_comparison *td_compare_shown(const struct td_view *view)
{
    const struct compare_state *s = td_compare_state_of(view);
    return s->other ? &s->shown : NULL;
}

const struct td_compared_frames *td_compare_frames_shown(const struct td_view *view)
{
    const struct compare_state *s = td_compare_state_of(view);
    return s->frames.any ? &s->frames.shown : NULL;
}

const char *td_compare_error(const struct td_view *view)
{
    const struct compare_state *s = td_compare_state_of(view);
    return s->err.code ? s->err.text : NULL;
}

const struct td_trace *td_compare_lend(struct td_view *view, struct td_job *job, uint64_t *loads)
{
    struct compare_state *s = td_compare_state_of(view);
    s->borrower = job;
    *loads = s->loads;
    return s->other;
}

/* ---- lengths ---- */

static void run_lengths(void *self, struct td_job *job)
{
    struct compare_state *s = self;
    size_t entry = (size_t)job->key - 1;
    if (td_comparison_lengths(&s->shown, &s->shown.table.entries[entry], &s->made_bins, job) < 0)
        s->made_bins = (struct td_length_bins){0};
}

static void update_lengths(struct compare_state *s)
{
    bool fresh;
    if (!s->chosen)
        return;
    enum td_job_state state = td_job_want(&s->count_lengths, s->chosen, &fresh);
    if (fresh) {
        s->bins = s->made_bins;
        s->has_bins = true;
    }
    if (state == TD_JOB_WANTED)
        td_job_start(&s->count_lengths, s->chosen, run_lengths, s);
}

void td_compare_update(struct td_view *view, struct compare_state *s)
{
    update_load(view, s);
    update_lengths(s);
    if (s->other) {
        td_compare_frames_update(view, &s->frames, &s->shown);
        td_compare_source_update(view, &s->source, &s->shown, s->loads);
    }
}

bool td_compare_is_busy(const struct td_view *view)
{
    const struct compare_state *s = td_compare_state_of(view);
    return s->load.running || s->table.job.running || s->count_lengths.running || s->frames.job.running ||
           s->source.job.running || (s->request && s->load.key != s->request);
}

void td_compare_free(struct td_view *view)
{
    struct compare_state *s = td_compare_state_of(view);
    td_job_stop(&s->load);
    td_compare_drop(s);
    td_job_stop(&s->free_dropped);
    free_made(s);
    td_named_ranges_free(&s->names[0]);
    td_named_ranges_free(&s->names[1]);
    td_annotations_free(&s->notes);
}
