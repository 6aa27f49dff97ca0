#include "host/viewer/timeline/plot_stats.h"
#include "host/event/map.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/view.h"

static void run_stats(void *self, struct td_job *job)
{
    struct td_plot_stats *s = self;
    td_plot_sums_free(&s->made);
    /* Without memory there are none. */
    if (td_plot_sums_make(&s->made, s->trace, s->from_ns, s->to_ns, job) < 0)
        td_plot_sums_free(&s->made);
}

void td_view_take_plot_stats(struct td_view *view)
{
    struct td_plot_stats *s = &view->plot_stats;
    bool fresh = false;
    if (s->job.running)
        td_job_want(&s->job, s->job.key, &fresh);
    if (fresh)
        TD_JOB_TAKE(&s->shown, &s->made, td_plot_sums_free);
}

const struct td_plot_sum *td_view_plot_stats(struct td_view *view, uint32_t plot)
{
    struct td_plot_stats *s = &view->plot_stats;
    /* The target: a range that moves for a moment is not worth counting. */
    const int64_t from = td_lod_time(view->camera.to_start_ns), to = td_lod_time(view->camera.to_end_ns);
    const uint64_t key = td_mix64(td_mix64((uint64_t)from ^ view->model.counted) ^ (uint64_t)to);
    bool fresh;
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh)
        TD_JOB_TAKE(&s->shown, &s->made, td_plot_sums_free);
    if (state == TD_JOB_WANTED) {
        s->trace = view->model.trace;
        s->from_ns = from;
        s->to_ns = to;
        td_job_start(&s->job, key, run_stats, s);
    }
    return state == TD_JOB_READY && plot < s->shown.plots ? &s->shown.of[plot] : NULL;
}

void td_plot_stats_free(struct td_plot_stats *s)
{
    td_job_stop(&s->job);
    td_plot_sums_free(&s->made);
    td_plot_sums_free(&s->shown);
}
