/* Lists of instances: those of a group and a range of lengths, by length, time or name. */
#include "host/base/grow.h"
#include "host/trace/walk.h"
#include "host/viewer/analysis/instance_groups.h"
#include "host/viewer/analysis/order.h"

static bool is_listed(const struct td_instance_groups *groups, size_t group, uint32_t number)
{
    return group == SIZE_MAX || !groups->of || groups->of[number] == group;
}

/* The list in order of length. */
static int select_by_length(struct td_instance_list *list, const struct td_instances *instances,
                            const struct td_instance_groups *groups, size_t group, size_t low, size_t high,
                            struct td_job *job)
{
    const size_t all = high > low ? high - low : 0;
    size_t room = group == SIZE_MAX ? all : 0;
    for (size_t r = low; group != SIZE_MAX && r < high; r++)
        room += is_listed(groups, group, instances->order[r]);
    list->by_length = malloc((room + 1) * sizeof *list->by_length);
    if (!list->by_length)
        return TD_E_NOMEM;
    for (size_t r = low; r < high; r++)
        if (is_listed(groups, group, instances->order[r]))
            list->by_length[list->count++] = instances->order[r];
    return job && td_job_cancelled(job) ? TD_E_STOPPED : 0;
}

static int read_starts(int64_t *key, const struct td_trace *trace, const struct td_instances *instances,
                       const struct td_instance_list *list, struct td_job *job)
{
    int64_t *start = malloc((instances->count + 1) * sizeof *start);
    struct td_zones *zones = malloc(sizeof *zones);
    int rc = start && zones ? 0 : TD_E_NOMEM;
    for (size_t p = 0; rc == 0 && p < instances->parts; p++) {
        const struct td_instance_part *part = &instances->part[p];
        const size_t end = p + 1 < instances->parts ? instances->part[p + 1].at : instances->count;
        zones->first = zones->count = 0;
        for (size_t i = part->at; i < end; i++) {
            uint64_t index = part->first + instances->offset[i];
            if (index < zones->first || index >= zones->first + zones->count)
                td_trace_zones_read(trace, part->track, part->row, index, 1u << TD_ZONE_START, zones);
            start[i] = zones->column[TD_ZONE_START][index - zones->first];
        }
        if (job && td_job_cancelled(job))
            rc = TD_E_STOPPED;
        if (job)
            td_job_set_progress(job, p / 2, instances->parts);
    }
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        key[i] = start[list->by_length[i]];
    free(zones);
    free(start);
    return rc;
}

struct list_label {
    char text[100];
    uint32_t group;
};

static int compare_labels(const void *a, const void *b)
{
    const struct list_label *x = a, *y = b;
    int result = strcmp(x->text, y->text);
    return result ? result : x->group < y->group ? -1 : x->group > y->group;
}

/* The key of an instance is the place of its label in alphabetical order; those of equal labels stay by length. */
static int rank_labels(int64_t *key, const struct td_trace *trace, const struct td_instances *instances,
                       const struct td_instance_list *list, enum td_instance_by grouping, struct td_job *job)
{
    struct td_instance_groups groups;
    int rc = td_instance_groups_make(&groups, trace, instances, grouping, 0, 0, job);
    struct list_label *label = NULL;
    int64_t *rank = NULL;
    if (rc == 0) {
        label = malloc((groups.count + 1) * sizeof *label);
        rank = malloc((groups.count + 1) * sizeof *rank);
        rc = label && rank ? 0 : TD_E_NOMEM;
    }
    for (size_t g = 0; rc == 0 && g < groups.count; g++) {
        td_instance_group_label(&groups, trace, &groups.group[g], label[g].text, sizeof label[g].text);
        label[g].group = (uint32_t)g;
    }
    if (rc == 0 && groups.count)
        qsort(label, groups.count, sizeof *label, compare_labels);
    int64_t place = 0;
    for (size_t g = 0; rc == 0 && g < groups.count; g++) {
        place += g && strcmp(label[g].text, label[g - 1].text);
        rank[label[g].group] = place;
    }
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        key[i] = groups.of ? rank[groups.of[list->by_length[i]]] : 0;
    free(label);
    free(rank);
    td_instance_groups_free(&groups);
    return rc;
}

static int sort_list(struct td_instance_list *list, const struct td_trace *trace,
                     const struct td_instances *instances, enum td_instance_sort sort, struct td_job *job)
{
    int64_t *key = malloc((list->count + 1) * sizeof *key);
    list->number = malloc((list->count + 1) * sizeof *list->number);
    int rc = key && list->number ? 0 : TD_E_NOMEM;
    if (rc == 0 && sort == TD_SORT_TIME)
        rc = read_starts(key, trace, instances, list, job);
    else if (rc == 0)
        rc = rank_labels(key, trace, instances, list,
                         sort == TD_SORT_NAME ? TD_INSTANCE_BY_NAME : TD_INSTANCE_BY_TRACK, job);
    if (rc == 0)
        rc = td_order_make(key, list->count, list->number, job);
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        list->number[i] = list->by_length[list->number[i]];
    free(key);
    return rc;
}

int td_instance_list_make(struct td_instance_list *list, const struct td_trace *trace,
                          const struct td_instances *instances, const struct td_instance_groups *groups,
                          size_t group, size_t low, size_t high, enum td_instance_sort sort,
                          struct td_job *job)
{
    high = high < instances->count ? high : instances->count;
    *list = (struct td_instance_list){0};
    int rc = select_by_length(list, instances, groups, group, low, high, job);
    if (rc == 0 && sort == TD_SORT_LENGTH)
        list->number = list->by_length;
    else if (rc == 0)
        rc = sort_list(list, trace, instances, sort, job);
    if (rc < 0)
        td_instance_list_free(list);
    return rc;
}

void td_instance_list_free(struct td_instance_list *list)
{
    if (list->number != list->by_length)
        free(list->number);
    free(list->by_length);
    *list = (struct td_instance_list){0};
}
