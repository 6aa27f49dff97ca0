#include "host/query/rows/plot_sums.h"
#include "host/base/sorted.h"

#include <math.h>
#include <stdlib.h>

#define CHECK_EVERY 8192 /* points between two looks at whether the job is cancelled */

size_t td_plot_point_at(const struct td_trace *trace, uint32_t plot, double time_ns)
{
    size_t low = 0, high = td_trace_plot_points(trace, plot);
    TD_BISECT(low, high, middle, (double)td_trace_plot_point(trace, plot, middle).time_ns < time_ns);
    return low;
}

static int sum_plot(struct td_plot_sum *sum, const struct td_trace *trace, uint32_t plot, int64_t from_ns,
                    int64_t to_ns, struct td_job *job)
{
    const size_t count = td_trace_plot_points(trace, plot);
    for (size_t i = td_plot_point_at(trace, plot, (double)from_ns), n = 0; i < count; i++, n++) {
        if (job && n % CHECK_EVERY == 0 && td_job_cancelled(job))
            return TD_E_STOPPED;
        const struct td_plot_point p = td_trace_plot_point(trace, plot, i);
        if (p.time_ns > to_ns)
            break;
        sum->first_ns = sum->points ? sum->first_ns : p.time_ns;
        sum->last_ns = p.time_ns;
        sum->points++;
        if (!isfinite(p.value))
            continue;
        sum->min = sum->finite ? fmin(sum->min, p.value) : p.value;
        sum->max = sum->finite ? fmax(sum->max, p.value) : p.value;
        sum->sum += p.value;
        sum->last = p.value;
        sum->finite++;
    }
    return 0;
}

int td_plot_sums_make(struct td_plot_sums *sums, const struct td_trace *trace, int64_t from_ns, int64_t to_ns,
                      struct td_job *job)
{
    int rc = 0;
    *sums = (struct td_plot_sums){.plots = td_dict_plot_count(td_trace_dict(trace))};
    sums->of = calloc((size_t)sums->plots + 1, sizeof *sums->of);
    if (!sums->of)
        return TD_E_NOMEM;
    for (uint32_t p = 0; rc == 0 && p < sums->plots; p++) {
        rc = sum_plot(&sums->of[p], trace, p, from_ns, to_ns, job);
        if (job)
            td_job_set_progress(job, p, sums->plots);
    }
    return rc;
}

void td_plot_sums_free(struct td_plot_sums *sums)
{
    free(sums->of);
    *sums = (struct td_plot_sums){0};
}
