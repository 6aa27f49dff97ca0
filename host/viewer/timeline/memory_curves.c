#include "host/viewer/timeline/memory_curves.h"
#include "host/base/grow.h"

#include <stdlib.h>

static void make_curve(void *self, struct td_job *job)
{
    struct td_memory_curve *c = self;
    td_memory_sums_free(&c->made);
    /* Without memory there is no curve. */
    if (td_memory_sums_make(&c->made, &c->request, job) < 0)
        td_memory_sums_free(&c->made);
}

/* A curve stays where it is, because its job has its address. NULL: no memory. */
static struct td_memory_curve *curve_of(struct td_memory_curves *curves, uint32_t pool)
{
    if (td_grow(&curves->of, &curves->capacity, (size_t)pool + 1, sizeof *curves->of) < 0)
        return NULL;
    while (curves->count <= pool)
        curves->of[curves->count++] = NULL;
    if (!curves->of[pool])
        curves->of[pool] = calloc(1, sizeof **curves->of);
    return curves->of[pool];
}

static void take_curve(struct td_memory_curve *c)
{
    TD_JOB_TAKE(&c->shown, &c->made, td_memory_sums_free);
    c->any = true;
}

const struct td_memory_sums *td_memory_curve_get(struct td_memory_curves *curves,
                                                 const struct td_trace *trace, uint32_t pool, uint64_t key)
{
    struct td_memory_curve *c = curve_of(curves, pool);
    bool fresh;
    if (!c)
        return NULL;
    /* What grows is counted to the end before it is counted again. */
    const enum td_job_state state = td_job_want(&c->job, c->job.running ? c->job.key : key, &fresh);
    if (fresh)
        take_curve(c);
    if (state == TD_JOB_WANTED) {
        c->request = (struct td_memory_range){trace, pool, INT64_MIN, INT64_MAX};
        td_job_start(&c->job, key, make_curve, c);
    }
    return c->any ? &c->shown : NULL;
}

bool td_memory_curves_take(struct td_memory_curves *curves)
{
    bool any = false, fresh;
    for (size_t p = 0; p < curves->count; p++) {
        struct td_memory_curve *c = curves->of[p];
        if (!c || !c->job.running || !__atomic_load_n(&c->job.done, __ATOMIC_ACQUIRE))
            continue;
        td_job_want(&c->job, c->job.key, &fresh);
        if (fresh)
            take_curve(c);
        any |= fresh;
    }
    return any;
}

bool td_memory_curves_pending(const struct td_memory_curves *curves)
{
    for (size_t p = 0; p < curves->count; p++)
        if (curves->of[p] && curves->of[p]->job.running)
            return true;
    return false;
}

void td_memory_curves_free(struct td_memory_curves *curves)
{
    for (size_t p = 0; p < curves->count; p++) {
        if (!curves->of[p])
            continue;
        td_job_stop(&curves->of[p]->job);
        td_memory_sums_free(&curves->of[p]->made);
        td_memory_sums_free(&curves->of[p]->shown);
        free(curves->of[p]);
    }
    free(curves->of);
    *curves = (struct td_memory_curves){0};
}
