#include "host/viewer/panels/compare_state.h"
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

static void run_load(void *self, struct td_job *job)
{
    struct compare_state *s = self;
    struct td_file_read_options options = {.progress = {step_load, job}};
    td_comparison_free(&s->made);
    td_trace_destroy(s->made_trace);
    s->made_trace = NULL;
    s->made_err = (struct td_err){0};
    if (td_load_with(s->reads, &s->options, &options, &s->made_trace, &s->made_err) == 0)
        td_comparison_make(&s->made, s->made_trace, s->present, job, &s->made_err);
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
    td_job_stop(&s->count_lengths);
    if (s->borrower)
        td_job_stop(s->borrower);
    td_compare_frames_free(&s->frames);
    td_table_list_free(&s->table); /* its rows are those of the comparison */
    td_job_stop(
        &s->free_dropped); /* has ended long ago unless traces are changed faster than they are read */
    s->dropped = s->shown;
    s->dropped_trace = s->other;
    s->shown = (struct td_comparison){0};
    s->other = NULL;
    s->salvaged[0] = 0;
    if (s->dropped_trace)
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
    td_compare_drop(s);
    s->err = s->made_err;
    if (s->err.code)
        return;
    TD_JOB_TAKE(&s->shown, &s->made, td_comparison_free);
    s->other = s->made_trace;
    memcpy(s->salvaged, s->made_salvaged, sizeof s->salvaged);
    s->made_trace = NULL;
    s->loads++;
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
    memcpy(s->reads, s->path, sizeof s->reads);
    s->present = view->model.trace;
    s->options = view->model.load ? *view->model.load : (struct td_load_options){0};
    td_job_start(&s->load, s->request, run_load, s);
}

int td_compare_open(struct td_view *view, const char *path, struct td_err *err)
{
    struct compare_state *s = td_compare_state_of(view);
    if (!td_trace_is_finished(view->model.trace))
        return td_fail(err, TD_E_USAGE, "a trace that still grows cannot be compared");
    if (access(path, R_OK) < 0)
        return td_fail_errno(err, "cannot read %s", path);
    if (path != s->path)
        snprintf(s->path, sizeof s->path, "%s", path);
    s->err = (struct td_err){0};
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
    if (s->other)
        td_compare_frames_update(view, &s->frames, &s->shown);
}

bool td_compare_is_busy(const struct td_view *view)
{
    const struct compare_state *s = td_compare_state_of(view);
    return s->load.running || s->table.job.running || s->count_lengths.running || s->frames.job.running ||
           (s->request && s->load.key != s->request);
}

void td_compare_free(struct td_view *view)
{
    struct compare_state *s = td_compare_state_of(view);
    td_job_stop(&s->load);
    td_compare_drop(s);
    td_job_stop(&s->free_dropped);
    td_comparison_free(&s->made);
    td_trace_destroy(s->made_trace);
}
