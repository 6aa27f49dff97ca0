#include "host/query/diff/samples.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"

#include <stdlib.h>
#include <string.h>

/* The slot of that name, or the free slot where it belongs. */
static size_t *find_slot(const struct td_compare_samples *s, const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (const char *p = name; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    size_t at = (size_t)hash & (s->slot_count - 1);
    while (s->slots[at] && strcmp(s->groups[s->slots[at] - 1].name, name) != 0)
        at = (at + 1) & (s->slot_count - 1);
    return &s->slots[at];
}

static int grow_slots(struct td_compare_samples *s)
{
    if (s->slot_count > 2 * s->count)
        return 0;
    size_t *slots = calloc(s->slot_count ? 2 * s->slot_count : 64, sizeof *slots);
    if (!slots)
        return TD_E_NOMEM;
    free(s->slots);
    s->slots = slots;
    s->slot_count = s->slot_count ? 2 * s->slot_count : 64;
    for (size_t i = 0; i < s->count; i++)
        *find_slot(s, s->groups[i].name) = i + 1;
    return 0;
}

static struct td_compare_group *find_or_add(struct td_compare_samples *s, const char *name)
{
    if (grow_slots(s) < 0)
        return NULL;
    size_t *slot = find_slot(s, name);
    if (*slot)
        return &s->groups[*slot - 1];
    if (td_grow(&s->groups, &s->capacity, s->count + 1, sizeof *s->groups) < 0)
        return NULL;
    struct td_compare_group *group = &s->groups[s->count];
    *group = (struct td_compare_group){.name = strdup(name)};
    if (!group->name)
        return NULL;
    *slot = ++s->count;
    return group;
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
    if (td_grow(&group->values, &group->value_capacity, group->value_count + 1, sizeof *group->values) < 0)
        return TD_E_NOMEM;
    group->values[group->value_count++] = ns;
    return 0;
}

static int by_length(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* The least of the sorted values that `percent` of them do not exceed. */
static double percentile(const int64_t *values, size_t count, size_t percent)
{
    size_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;
    return (double)values[rank ? rank - 1 : 0];
}

void td_compare_samples_finish(struct td_compare_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        struct td_compare_group *group = &samples->groups[i];
        if (!group->value_count)
            continue;
        qsort(group->values, group->value_count, sizeof *group->values, by_length);
        group->sums.median_ns = percentile(group->values, group->value_count, 50);
        group->sums.p99_ns = percentile(group->values, group->value_count, 99);
        free(group->values);
        group->values = NULL;
        group->value_count = group->value_capacity = 0;
    }
}

void td_compare_samples_free(struct td_compare_samples *samples)
{
    for (size_t i = 0; i < samples->count; i++) {
        free(samples->groups[i].name);
        free(samples->groups[i].values);
    }
    free(samples->groups);
    free(samples->slots);
    *samples = (struct td_compare_samples){0};
}
