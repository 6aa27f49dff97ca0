#include "host/viewer/analysis/range_sums.h"
#include "host/viewer/view.h"

#include <stdlib.h>

static void make(void *self, struct td_job *job)
{
    struct td_range_sums *s = self;
    td_sums_free(&s->made);
    /* Without memory there are no sums; the panels say so. */
    td_sums_make(&s->made, s->trace, s->from_ns, s->to_ns, s->now_ns, NULL, job);
}

const struct td_sums *td_view_sums(struct td_view *view)
{
    struct td_range_sums *s = &view->sums;
    bool fresh;
    const uint64_t key = td_view_limits_key(view);
    enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        struct td_sums old = s->shown;
        s->shown = s->made;
        s->made = (struct td_sums){0};
        td_sums_free(&old);
        s->version++;
    }
    if (state == TD_JOB_WANTED) {
        td_view_limits(view, &s->from_ns, &s->to_ns);
        s->trace = view->trace;
        s->now_ns = view->last_ns;
        td_job_start(&s->job, key, make, s);
    }
    return s->shown.lane ? &s->shown : NULL;
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
    *sums = (struct td_range_sums){0};
}
