#include "host/query/diff/samples.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/percentile.h"
#include "host/base/wrap.h"

#include <stdlib.h>
#include <string.h>

static struct td_compare_group *find_or_add(struct td_compare_samples *s, const char *name)
{
    const uint32_t number = td_name_table_number(&s->names, name, strlen(name));
    if (number == UINT32_MAX || td_grow(&s->groups, &s->capacity, number + 1, sizeof *s->groups) < 0)
        return NULL;
    if (number == s->count)
        s->groups[s->count++] = (struct td_compare_group){.name = td_name_table_at(&s->names, number)};
    return &s->groups[number];
}

int td_compare_samples_add(struct td_compare_samples *samples, const char *name, int64_t ns)
{
    struct td_compare_group *group = find_or_add(samples, name);
    if (!group)
        return TD_E_NOMEM;
    struct td_compare_side *sums = &group->sums;
    sums->count++;
    if (ns <= 0)
        return 0;
    sums->min_ns = !sums->timed || ns < sums->min_ns ? ns : sums->min_ns;
    sums->max_ns = ns > sums->max_ns ? ns : sums->max_ns;
    sums->timed++;
    sums->total_ns = td_wrap_add(sums->total_ns, ns);
    sums->mean_ns = (double)sums->total_ns / (double)sums->timed;
    if (!samples->percentiles)
        return 0;
    return TD_APPEND(group->values, group->value_count, group->value_capacity, ns);
}

TD_COMPARE_NUMBERS(by_length, int64_t)

void td_compare_samples_finish(struct td_compare_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        struct td_compare_group *group = &samples->groups[i];
        if (!group->value_count)
            continue;
        qsort(group->values, group->value_count, sizeof *group->values, by_length);
        group->sums.median_ns = (double)group->values[td_percentile_rank(group->value_count, .5)];
        group->sums.p99_ns = (double)group->values[td_percentile_rank(group->value_count, .99)];
        free(group->values);
        group->values = NULL;
        group->value_count = group->value_capacity = 0;
    }
}

void td_compare_samples_free(struct td_compare_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        free(samples->groups[i].values);
    free(samples->groups);
    td_name_table_free(&samples->names);
    *samples = (struct td_compare_samples){0};
}
