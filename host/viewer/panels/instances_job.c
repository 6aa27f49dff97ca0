#include "host/viewer/panels/instances_job.h"
#include "host/event/map.h"
#include "host/viewer/timeline/limits.h"
#include "host/viewer/timeline/view.h"

#include <string.h>

static void make(void *self, struct td_job *job)
{
    struct td_instances_job *i = self;
    td_instances_free(&i->made);
    /* Without memory there are no instances; the panels say so. */
    td_instances_make(&i->made, &i->wanted, job);
}

bool td_instances_want(struct td_view *view, struct td_instances_job *job, const char *name,
                       enum td_length length, bool limited)
{
    struct td_instances_wanted wanted = {view->model.trace, name, INT64_MIN, INT64_MAX, length, NULL};
    bool fresh;
    uint64_t key = view->model.zones;
    if (limited) {
        td_view_limits(view, &wanted.from_ns, &wanted.to_ns);
        key = td_view_limits_key(view) ^ td_lanes_key(view);
        wanted.lanes = &job->lanes;
    }
    key = td_mix64(key ^ (uint64_t)(uintptr_t)name) + (uint64_t)length;
    if (td_job_want(&job->job, key, &fresh) == TD_JOB_WANTED &&
        (!limited || td_lanes_copy(view, &job->lanes))) {
        job->wanted = wanted;
        td_job_start(&job->job, key, make, job);
    }
    return fresh;
}

void td_instances_take(struct td_instances_job *job)
{
    TD_JOB_TAKE(&job->shown, &job->made, td_instances_free);
    job->shown_as = job->wanted;
    job->version++;
}

void td_instances_job_free(struct td_instances_job *job)
{
    td_job_stop(&job->job);
    td_instances_free(&job->made);
    td_instances_free(&job->shown);
    td_lane_choice_free(&job->lanes);
    *job = (struct td_instances_job){0};
}

const char *td_instances_name(const struct td_dict *dict, const struct td_zone *zone)
{
    const char *name = td_dict_zone_name(dict, zone->srcloc);
    return *name || !zone->name ? name : td_dict_text(dict, zone->name);
}
