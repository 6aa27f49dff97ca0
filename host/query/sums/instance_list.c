/* Lists of instances: those of a group and a range of lengths, by length, time or name. */
#include "host/base/compare.h"
#include "host/trace/fill.h"
#include "host/query/sums/instance_groups.h"

#include <stdlib.h>
#include <string.h>

#define ASK_JOB 65536u /* instances between two looks at the job */

static bool is_stopped(struct td_job *job, size_t at)
{
    return at % ASK_JOB == 0 && job && td_job_cancelled(job);
}

/* A bit for each instance. */
static bool has_bit(const uint64_t *bits, size_t number)
{
    return bits[number / 64] >> number % 64 & 1;
}

static void set_bit(uint64_t *bits, size_t number)
{
    bits[number / 64] |= UINT64_C(1) << number % 64;
}

/* ---- which ones ---- */

static uint64_t *members_of(const struct td_instances *instances, const struct td_instance_groups *groups,
                            size_t group)
{
    uint64_t *bits = calloc(instances->count / 64 + 1, sizeof *bits);
    for (size_t p = 0; bits && p < instances->parts; p++) {
        const size_t end = td_instances_part_end(instances, p);
        if (groups->of_part && groups->of_part[p] != group)
            continue;
        for (size_t i = instances->part[p].at; i < end; i++)
            if (!groups->of || groups->of[i] == group)
                set_bit(bits, i);
    }
    return bits;
}

/* The list in order of length. */
static int select_by_length(struct td_instance_list *list, const struct td_instances *instances,
                            const struct td_instance_groups *groups, size_t group, size_t low, size_t high,
                            struct td_job *job)
{
    const size_t all = high > low ? high - low : 0;
    list->by_length = instances->order + low;
    list->count = all;
    if (group == SIZE_MAX || (!groups->of && !groups->of_part))
        return 0;
    uint64_t *members = members_of(instances, groups, group);
    uint32_t *own = NULL;
    size_t count = 0;
    for (size_t r = low; members && r < high; r++)
        count += has_bit(members, instances->order[r]);
    if (members && count < all)
        own = malloc((count + 1) * sizeof *own);
    int rc = members && (own || count == all) ? 0 : TD_E_NOMEM;
    size_t at = 0;
    for (size_t r = low; rc == 0 && own && r < high; r++) {
        if (has_bit(members, instances->order[r]))
            own[at++] = instances->order[r];
        rc = is_stopped(job, r) ? TD_E_STOPPED : 0;
    }
    free(members);
    list->own = own;
    if (own)
        list->by_length = own;
    list->count = count;
    return rc;
}

/* ---- by time: each row is in order of time, so the rows are merged ---- */

struct list_row {
    const struct td_series *series;
    size_t part, at, end; /* the present part; the next instance; the end of the row's instances */
    int64_t start_ns;     /* of the next instance */
};

struct list_merge {
    const struct td_instances *instances;
    uint64_t *listed;
    struct list_row *row; /* a heap: the one with the earliest instance first */
    size_t rows;
};

/* Goes to the row's next listed instance; false: there is none. */
static bool advance_row(const struct list_merge *m, struct list_row *row)
{
    while (row->at < row->end) {
        const uint64_t bits = m->listed[row->at / 64] >> row->at % 64;
        if (bits) {
            row->at += (unsigned)__builtin_ctzll(bits);
            break;
        }
        row->at = (row->at / 64 + 1) * 64;
    }
    if (row->at >= row->end)
        return false;
    while (td_instances_part_end(m->instances, row->part) <= row->at)
        row->part++;
    row->start_ns = td_series_get(
        row->series, m->instances->part[row->part].first + m->instances->offset[row->at], TD_ZONE_START);
    return true;
}

static bool is_earlier(const struct list_row *a, const struct list_row *b)
{
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->at < b->at;
}

/* Moves the row at a place of the heap down to where it belongs. */
static void sink_row(struct list_merge *m, size_t place)
{
    const struct list_row row = m->row[place];
    for (size_t child; (child = 2 * place + 1) < m->rows; place = child) {
        child += child + 1 < m->rows && is_earlier(&m->row[child + 1], &m->row[child]);
        if (!is_earlier(&m->row[child], &row))
            break;
        m->row[place] = m->row[child];
    }
    m->row[place] = row;
}

static bool is_same_row(const struct td_instance_part *a, const struct td_instance_part *b)
{
    return a->track == b->track && a->row == b->row;
}

static void gather_rows(struct list_merge *m, const struct td_trace *trace)
{
    const struct td_instances *all = m->instances;
    for (size_t p = 0, next; p < all->parts; p = next) {
        const struct td_instance_part *part = &all->part[p];
        for (next = p + 1; next < all->parts && is_same_row(part, &all->part[next]);)
            next++;
        m->row[m->rows] = (struct list_row){td_trace_row(trace, part->track, part->row), p, part->at,
                                            td_instances_part_end(all, next - 1), 0};
        m->rows += advance_row(m, &m->row[m->rows]);
    }
    for (size_t i = m->rows / 2; i-- > 0;)
        sink_row(m, i);
}

static int sort_by_time(struct td_instance_list *list, const struct td_trace *trace,
                        const struct td_instances *instances, uint32_t *number, struct td_job *job)
{
    struct list_merge m = {.instances = instances};
    m.listed = calloc(instances->count / 64 + 1, sizeof *m.listed);
    m.row = malloc((instances->parts + 1) * sizeof *m.row);
    int rc = m.listed && m.row ? 0 : TD_E_NOMEM;
    for (size_t i = 0; rc == 0 && i < list->count; i++)
        set_bit(m.listed, list->by_length[i]);
    if (rc == 0)
        gather_rows(&m, trace);
    for (size_t i = 0; rc == 0 && m.rows; i++) {
        number[i] = (uint32_t)m.row[0].at++;
        if (!advance_row(&m, &m.row[0]))
            m.row[0] = m.row[--m.rows];
        if (m.rows)
            sink_row(&m, 0);
        rc = is_stopped(job, i) ? TD_E_STOPPED : 0;
        if (i % ASK_JOB == 0 && job)
            td_job_set_progress(job, i, list->count);
    }
    free(m.listed);
    free(m.row);
    return rc;
}

/* ---- by label ---- */

struct list_label {
    char text[100];
    uint32_t group;
};

TD_COMPARE(compare_labels, struct list_label, TD_UP_TEXT(text) TD_UP(group))

/* rank[g]: the place of the group's label in alphabetical order; equal labels have one. */
static int rank_labels(uint32_t *rank, const struct td_instance_groups *groups, const struct td_trace *trace)
{
    struct list_label *label = malloc((groups->count + 1) * sizeof *label);
    if (!label)
        return TD_E_NOMEM;
    for (size_t g = 0; g < groups->count; g++) {
        td_instance_group_label(groups, trace, &groups->group[g], label[g].text, sizeof label[g].text);
        label[g].group = (uint32_t)g;
    }
    if (groups->count)
        qsort(label, groups->count, sizeof *label, compare_labels);
    uint32_t place = 0;
    for (size_t g = 0; g < groups->count; g++) {
        place += g && strcmp(label[g].text, label[g - 1].text);
        rank[label[g].group] = place;
    }
    free(label);
    return 0;
}

/* Distributes the instances by the ranks of their labels; those of equal labels stay by length. */
static int place_by_rank(struct td_instance_list *list, const struct td_instances *instances,
                         const struct td_instance_groups *groups, const uint32_t *rank, uint32_t *number,
                         struct td_job *job)
{
    uint32_t *places = calloc(groups->count + 1, sizeof *places), at = 0;
    int rc = places ? 0 : TD_E_NOMEM;
    for (size_t i = 0; rc == 0 && i < list->count; i++) {
        places[rank[td_instance_group_of(groups, instances, list->by_length[i])]]++;
        rc = is_stopped(job, i) ? TD_E_STOPPED : 0;
    }
    for (size_t r = 0; rc == 0 && r < groups->count; r++) {
        const uint32_t count = places[r];
        places[r] = at;
        at += count;
    }
    for (size_t i = 0; rc == 0 && i < list->count; i++) {
        const uint32_t one = list->by_length[i];
        number[places[rank[td_instance_group_of(groups, instances, one)]]++] = one;
        rc = is_stopped(job, i) ? TD_E_STOPPED : 0;
    }
    free(places);
    return rc;
}

static int sort_by_label(struct td_instance_list *list, const struct td_trace *trace,
                         const struct td_instances *instances, enum td_instance_by grouping, uint32_t *number,
                         struct td_job *job)
{
    struct td_instance_groups groups;
    int rc = td_instance_groups_make(&groups, trace, instances, grouping, 0, 0, job);
    uint32_t *rank = rc == 0 ? malloc((groups.count + 1) * sizeof *rank) : NULL;
    if (rc == 0)
        rc = rank ? rank_labels(rank, &groups, trace) : TD_E_NOMEM;
    rc = rc ? rc : place_by_rank(list, instances, &groups, rank, number, job);
    free(rank);
    td_instance_groups_free(&groups);
    return rc;
}

static int sort_list(struct td_instance_list *list, const struct td_trace *trace,
                     const struct td_instances *instances, enum td_instance_sort sort, struct td_job *job)
{
    uint32_t *number = malloc((list->count + 1) * sizeof *number);
    list->number = list->sorted = number;
    if (!number)
        return TD_E_NOMEM;
    if (sort == TD_SORT_TIME)
        return sort_by_time(list, trace, instances, number, job);
    return sort_by_label(list, trace, instances,
                         sort == TD_SORT_NAME ? TD_INSTANCE_BY_NAME : TD_INSTANCE_BY_TRACK, number, job);
}

int td_instance_list_make(struct td_instance_list *list, const struct td_trace *trace,
                          const struct td_instances *instances, const struct td_instance_groups *groups,
                          size_t group, size_t low, size_t high, enum td_instance_sort sort,
                          struct td_job *job)
{
    high = high < instances->count ? high : instances->count;
    low = low < high ? low : high;
    *list = (struct td_instance_list){0};
    int rc = select_by_length(list, instances, groups, group, low, high, job);
    list->number = list->by_length;
    if (rc == 0 && sort != TD_SORT_LENGTH)
        rc = sort_list(list, trace, instances, sort, job);
    if (rc < 0)
        td_instance_list_free(list);
    return rc;
}

void td_instance_list_free(struct td_instance_list *list)
{
    free(list->own);
    free(list->sorted);
    *list = (struct td_instance_list){0};
}
