#include "host/viewer/timeline/noc.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

static void read_transfers(void *self, struct td_job *job)
{
    struct td_view_noc *noc = self;
    td_noc_index_free(&noc->made_index);
    /* Without memory there are none. */
    td_noc_index_make(&noc->made_index, noc->trace, job);
}

static void count_traffic(void *self, struct td_job *job)
{
    struct td_view_noc *noc = self;
    td_noc_traffic_free(&noc->made_traffic);
    td_noc_traffic_make(&noc->made_traffic, &noc->index, noc->from_ns, noc->to_ns, job);
}

static void show_index(struct td_view_noc *noc)
{
    td_job_stop(&noc->counting); /* it reads the old ones */
    noc->counting = (struct td_job){0};
    TD_JOB_TAKE(&noc->index, &noc->made_index, td_noc_index_free);
    noc->has_index = true;
}

const struct td_noc_index *td_view_transfers(struct td_view *view)
{
    struct td_view_noc *noc = &view->noc;
    bool fresh;
    if (!view->model.cores || !td_trace_messages(view->model.trace))
        return NULL;
    const uint64_t key = view->model.counted + 1;
    const enum td_job_state state = td_job_want(&noc->reading, key, &fresh);
    if (fresh)
        show_index(noc);
    if (state == TD_JOB_WANTED) {
        noc->trace = view->model.trace;
        td_job_start(&noc->reading, key, read_transfers, noc);
    }
    return noc->has_index && noc->index.transfers.count ? &noc->index : NULL;
}

const struct td_noc_traffic *td_view_traffic(struct td_view *view)
{
    struct td_view_noc *noc = &view->noc;
    bool fresh;
    if (!td_view_transfers(view))
        return NULL;
    const enum td_job_state state = td_job_want(&noc->counting, td_view_limits_key(view), &fresh);
    if (fresh) {
        TD_JOB_TAKE(&noc->traffic, &noc->made_traffic, td_noc_traffic_free);
        noc->has_traffic = true;
        noc->version++;
    }
    if (state == TD_JOB_WANTED) {
        td_view_limits(view, &noc->from_ns, &noc->to_ns);
        td_job_start(&noc->counting, td_view_limits_key(view), count_traffic, noc);
    }
    return noc->has_traffic ? &noc->traffic : NULL;
}

bool td_view_noc_is_busy(const struct td_view *view)
{
    return view->noc.reading.running || view->noc.counting.running;
}

double td_view_noc_rate(const struct td_view *view, uint64_t bytes)
{
    const struct td_noc_traffic *traffic = &view->noc.traffic;
    const double from = fmax((double)traffic->from_ns, (double)view->model.first_ns),
                 to = fmin((double)traffic->to_ns, (double)view->model.last_ns);
    return (double)bytes * 1e9 / fmax(to - from, 1);
}

void td_view_noc_free(struct td_view_noc *noc)
{
    td_job_stop(&noc->counting);
    td_job_stop(&noc->reading);
    td_noc_traffic_free(&noc->made_traffic);
    td_noc_traffic_free(&noc->traffic);
    td_noc_index_free(&noc->made_index);
    td_noc_index_free(&noc->index);
    *noc = (struct td_view_noc){0};
}
