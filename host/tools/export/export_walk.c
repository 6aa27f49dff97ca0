#include "host/tools/export/export_walk.h"

#define PROGRESS_ZONES 65536

static int look_at_progress(const struct export_work *work, uint64_t done, struct td_err *err)
{
    const struct td_progress *p = work->progress;
    return p && p->step && p->step(p->self, done, 0) != 0 ? td_fail(err, TD_E_STOPPED, "stopped") : 0;
}

int export_each_zone(const struct export_work *work, uint32_t track, uint64_t *done,
                     int (*visit)(void *self, const struct td_step *step), void *self, struct td_err *err)
{
    struct td_walk walk;
    struct td_step step;
    if (td_walk_begin(&walk, work->trace, track) < 0)
        return td_fail_no_memory(err, NULL);
    int rc = 0;
    while (rc == 0 && td_walk_next(&walk, &step)) {
        rc = visit(self, &step);
        if (rc == TD_E_NOMEM)
            td_fail_no_memory(err, NULL);
        if (rc == 0 && step.leaves && ++*done % PROGRESS_ZONES == 0)
            rc = look_at_progress(work, *done, err);
    }
    td_walk_end(&walk);
    return rc;
}

uint32_t export_zone_name(const struct td_trace *trace, const struct td_zone *zone)
{
    return zone->name ? zone->name : td_dict_zone_string(td_trace_dict(trace), zone->srcloc);
}
