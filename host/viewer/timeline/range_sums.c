#include "host/viewer/timeline/range_sums.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/view.h"

static void make(void *self, struct td_job *job)
{
    struct td_range_sums *s = self;
    td_sums_free(&s->made);
    td_lane_table_free(&s->made_table);
    /* Without memory there are no sums; the panels say so. */
    if (td_sums_make(&s->made, s->trace, s->from_ns, s->to_ns, s->now_ns, NULL, job) == 0)
        td_lane_table_make(&s->made_table, s->trace, &s->made, s->first_ns, s->last_ns);
}

static void show_made(struct td_range_sums *s)
{
    TD_JOB_TAKE(&s->shown, &s->made, td_sums_free);
    TD_JOB_TAKE(&s->table, &s->made_table, td_lane_table_free);
    s->version++;
}

void td_view_take_sums(struct td_view *view)
{
    struct td_range_sums *s = &view->sums;
    bool fresh = false;
    if (s->job.running && !td_view_holds_sums(view))
        td_job_want(&s->job, s->job.key, &fresh);
    if (fresh)
        show_made(s);
}

const struct td_sums *td_view_sums(struct td_view *view)
{
    struct td_range_sums *s = &view->sums;
    bool fresh;
    if (td_view_holds_sums(view))
        return s->shown.lane ? &s->shown : NULL;
    const uint64_t key = td_view_limits_key(view);
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh)
        show_made(s);
    if (state == TD_JOB_WANTED) {
        td_view_limits(view, &s->from_ns, &s->to_ns);
        s->trace = view->model.trace;
        s->now_ns = s->last_ns = view->model.last_ns;
        s->first_ns = view->model.first_ns;
        td_job_start(&s->job, key, make, s);
    }
    return s->shown.lane ? &s->shown : NULL;
}

void td_view_hold_sums(struct td_view *view)
{
    __atomic_add_fetch(&view->sums.readers, 1, __ATOMIC_RELAXED);
}

bool td_view_holds_sums(const struct td_view *view)
{
    return __atomic_load_n(&view->sums.readers, __ATOMIC_ACQUIRE) != 0;
}

void td_range_sums_release(struct td_range_sums *sums)
{
    __atomic_sub_fetch(&sums->readers, 1, __ATOMIC_RELEASE);
}

float td_view_sums_progress(const struct td_view *view)
{
    return view->sums.job.running ? td_job_progress(&view->sums.job) : -1;
}

void td_range_sums_free(struct td_range_sums *sums)
{
    td_job_stop(&sums->job);
    td_sums_free(&sums->made);
    td_sums_free(&sums->shown);
    td_lane_table_free(&sums->made_table);
    td_lane_table_free(&sums->table);
    *sums = (struct td_range_sums){0};
}
