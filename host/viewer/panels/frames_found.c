#include "host/viewer/panels/frames_found.h"
#include "host/event/map.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>

static void count_matches(void *self, struct td_job *job)
{
    struct frames_found *f = self;
    td_frame_matches_free(&f->made);
    /* Without memory no frame is marked. */
    if (td_frame_matches_make(&f->made, f->trace, f->set, f->matches, &f->lanes, f->now_ns, job) < 0)
        td_frame_matches_free(&f->made);
}

static bool is_shown(const struct td_view *view, const struct frames_found *f)
{
    return view->find.active && f->shown.frames && f->shown_set == view->selection.frame_set;
}

void td_frames_found_update(struct td_view *view, struct frames_found *f)
{
    const uint64_t lanes = td_lanes_key(view);
    bool fresh;
    if (!view->find.active || !view->find.matches)
        return;
    /* A search that goes on has more matches soon: a count of what it had is finished first. */
    const bool grows = f->job.running && f->set == view->selection.frame_set && f->lanes_key == lanes &&
                       f->matches == view->find.matches;
    const uint64_t frames = td_trace_frames(view->model.trace, view->selection.frame_set);
    const uint64_t key = grows ? f->job.key
                               : td_mix64(td_mix64(view->find.generation + 1) ^ view->selection.frame_set) ^
                                     td_mix64(frames ^ lanes);
    const enum td_job_state state = td_job_want(&f->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&f->shown, &f->made, td_frame_matches_free);
        f->shown_set = f->set;
    }
    if (state != TD_JOB_WANTED || !td_lanes_copy(view, &f->lanes))
        return;
    td_matches_release(f->matches);
    f->matches = td_matches_share(view->find.matches);
    f->lanes_key = lanes;
    f->trace = view->model.trace;
    f->set = view->selection.frame_set;
    f->now_ns = view->model.last_ns;
    td_job_start(&f->job, key, count_matches, f);
}

void td_frames_found_free(struct frames_found *f)
{
    td_job_stop(&f->job);
    td_matches_release(f->matches);
    td_lane_choice_free(&f->lanes);
    td_frame_matches_free(&f->made);
    td_frame_matches_free(&f->shown);
}

bool td_frames_found_any(const struct td_view *view, const struct frames_found *f)
{
    return is_shown(view, f) || (!view->find.active && td_ref_valid(view->selection.zone));
}

float td_frames_found_in(const struct td_view *view, const struct frames_found *f, size_t first, size_t end)
{
    if (is_shown(view, f))
        return td_frame_matches_most(&f->shown, first, end);
    if (view->find.active || !td_ref_valid(view->selection.zone))
        return 0;
    const struct td_zone zone = td_view_zone(view, view->selection.zone);
    const struct td_frame last = td_trace_frame(view->model.trace, view->selection.frame_set, end - 1);
    const int64_t start_ns = td_trace_frame(view->model.trace, view->selection.frame_set, first).start_ns;
    const int64_t end_ns = last.start_ns + td_frame_length(view->model.trace, view->selection.frame_set,
                                                           end - 1, view->model.last_ns);
    return zone.start_ns < end_ns && td_view_zone_end(view, &zone) >= (double)start_ns ? TD_FRAME_TOUCHED : 0;
}

const char *td_frames_found_text(const struct td_view *view, const struct frames_found *f, char *text,
                                 size_t bytes)
{
    char found[TD_FORMAT_BYTES], all[TD_FORMAT_BYTES];
    *text = 0;
    if (is_shown(view, f))
        snprintf(text, bytes, ", %s of %s with matches", td_format_count(found, f->shown.found),
                 td_format_count(all, f->shown.frames));
    return text;
}
