#include "host/query/ops/operations.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/report/ops/op.h"
#include "proto/track.h"
#include "proto/track_text.h"

#include <stdlib.h>
#include <string.h>

#define IN "flow in " TD_FLOW_LAUNCH " #"

/* While collecting, a member has the number of its operation, and how often its track had that number before. */
struct operation_entry {
    uint64_t id;
    uint32_t round;
    struct td_operation_member member;
};

struct operation_entries {
    struct operation_entry *entry;
    size_t count, capacity;
    bool cut;
};

static bool read_launch(const char *text, uint64_t *id)
{
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (!strncmp(line, IN, sizeof IN - 1)) {
            char *end;
            *id = strtoull(line + sizeof IN - 1, &end, 10);
            return end != line + sizeof IN - 1;
        }
    return false;
}

static int add_entry(struct operation_entries *all, struct operation_entry entry)
{
    if (all->count == TD_OPERATION_MEMBERS) {
        all->cut = true;
        return 0;
    }
    return TD_APPEND(all->entry, all->count, all->capacity, entry);
}

/* The members of a track: those with a launch, or all in their order. */
static int add_track(struct operation_entries *all, const struct td_trace *trace, uint32_t track,
                     bool by_order, int64_t now_ns)
{
    const struct td_dict *dict = td_trace_dict(trace);
    size_t zones = td_trace_row_zones(trace, track, 0);
    uint64_t number = 0;
    for (size_t i = 0; i < zones && !all->cut; i++) {
        const struct td_zone zone = td_trace_zone(trace, track, 0, i);
        uint64_t id = number;
        if (td_dict_get_srcloc(dict, zone.srcloc)->flags & TD_SRCLOC_LOST)
            continue;
        number++;
        if (!by_order && (!zone.text || !read_launch(td_dict_text(dict, zone.text), &id)))
            continue;
        int64_t end =
            zone.end_ns == TD_OPEN ? (now_ns > zone.start_ns ? now_ns : zone.start_ns) : zone.end_ns;
        const bool no_end = zone.text && strstr(td_dict_text(dict, zone.text), TD_NO_END_TEXT);
        struct operation_entry e = {id, 0, {{track, 0, i}, zone.start_ns, end, no_end}};
        if (add_entry(all, e) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

static int collect(struct operation_entries *all, const struct td_trace *trace, bool by_order, int64_t now_ns,
                   struct td_job *job)
{
    uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    all->count = 0;
    for (uint32_t t = 0; t < tracks; t++) {
        if (job && td_job_cancelled(job))
            return TD_E_STOPPED;
        if (td_track_is_core(td_dict_get_track(td_trace_dict(trace), t)) && td_trace_rows(trace, t) &&
            add_track(all, trace, t, by_order, now_ns) < 0)
            return TD_E_NOMEM;
        if (job)
            td_job_set_progress(job, t, tracks);
    }
    return 0;
}

/* By number, then by track and time: a track that has a number twice gives rounds. */
TD_COMPARE(compare_by_track, struct operation_entry,
           TD_UP(id) TD_UP(member.zone.track) TD_UP(member.zone.index))

TD_COMPARE(compare_by_round, struct operation_entry, TD_UP(id) TD_UP(round) TD_UP(member.zone.track))

static void number_rounds(struct operation_entries *all)
{
    if (all->count)
        qsort(all->entry, all->count, sizeof *all->entry, compare_by_track);
    for (size_t i = 1; i < all->count; i++) {
        struct operation_entry *e = &all->entry[i];
        /* A begin of a launch without an end is not one more launch. */
        if (e->id == e[-1].id && e->member.zone.track == e[-1].member.zone.track)
            e->round = e[-1].round + !e[-1].member.doubted;
    }
    if (all->count)
        qsort(all->entry, all->count, sizeof *all->entry, compare_by_round);
}

static size_t count_operations(const struct operation_entries *all)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count +=
            !i || all->entry[i].id != all->entry[i - 1].id || all->entry[i].round != all->entry[i - 1].round;
    return count;
}

/* Leaves out the members of other lanes, once all are numbered. */
static void choose_entries(struct operation_entries *all, const struct td_lane_choice *lanes)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (td_lane_chosen(lanes, all->entry[i].member.zone.track))
            all->entry[kept++] = all->entry[i];
    all->count = kept;
}

TD_COMPARE_NUMBERS(compare_times, int64_t)

TD_COMPARE(compare_operations, struct td_operation, TD_UP(start_ns) TD_UP(id))

/* Marks members whose times cannot be right. `times` has room for those of all members. */
static void doubt_members(const struct td_operations *all, struct td_operation *operation, int64_t *times)
{
    const struct td_op_clock ns = {0, false};
    struct td_operation_member *m = all->member + operation->first;
    int64_t last_ns = INT64_MIN;
    size_t count = 0;
    for (size_t i = 0; i < operation->count; i++) {
        if (m[i].doubted) {
            operation->doubt = TD_OP_DOUBT_OUTSIDE;
            continue;
        }
        times[count++] = m[i].start_ns;
        last_ns = m[i].end_ns > last_ns ? m[i].end_ns : last_ns;
    }
    const int64_t earliest = td_op_earliest(&ns, times, count, last_ns);
    for (size_t i = 0; i < operation->count; i++)
        if (m[i].start_ns < earliest) {
            m[i].doubted = true;
            operation->doubt = operation->doubt ? operation->doubt : TD_OP_DOUBT_EARLY;
        }
}

static void measure(const struct td_operations *all, struct td_operation *operation,
                    const struct td_flows *flows, int64_t *ends)
{
    const struct td_operation_member *m = all->member + operation->first;
    struct td_flow_pair pair;
    size_t count = 0;
    doubt_members(all, operation, ends);
    operation->last = operation->first;
    operation->launch = TD_NO_ZONE;
    for (size_t i = 0; i < operation->count; i++) {
        if (m[i].doubted)
            continue;
        if (!count || m[i].start_ns < operation->start_ns)
            operation->start_ns = m[i].start_ns;
        if (!count || m[i].end_ns > all->member[operation->last].end_ns)
            operation->last = operation->first + i;
        ends[count++] = m[i].end_ns;
    }
    if (!count) { /* all are in doubt */
        operation->start_ns = m[0].start_ns;
        ends[count++] = m[0].end_ns;
    }
    operation->end_ns = all->member[operation->last].end_ns;
    qsort(ends, count, sizeof *ends, compare_times);
    operation->median_ns = ends[(count - 1) / 2];
    if (flows && td_flows_of(flows, m[0].zone, &pair, 1) && td_ref_equal(pair.to->zone, m[0].zone))
        operation->launch = pair.from->zone;
}

static int take_entries(struct td_operations *all, const struct operation_entries *entries,
                        const struct td_flows *flows)
{
    size_t most = 0, number = 0;
    for (size_t i = 0, run = 0; i < entries->count; i++) {
        const struct operation_entry *e = &entries->entry[i];
        bool same = i && e->id == e[-1].id && e->round == e[-1].round;
        run = same ? run + 1 : 1;
        number += !same;
        most = run > most ? run : most;
    }
    int64_t *ends = malloc((most + 1) * sizeof *ends);
    all->member = malloc((entries->count + 1) * sizeof *all->member);
    all->operation = malloc((number + 1) * sizeof *all->operation);
    if (!ends || !all->member || !all->operation) {
        free(ends);
        return TD_E_NOMEM;
    }
    for (size_t i = 0; i < entries->count; i++) {
        const struct operation_entry *e = &entries->entry[i];
        if (!i || e->id != e[-1].id || e->round != e[-1].round)
            all->operation[all->count++] = (struct td_operation){.id = e->id, .first = i};
        all->operation[all->count - 1].count++;
        all->member[i] = e->member;
    }
    all->member_count = entries->count;
    for (size_t o = 0; o < all->count; o++)
        measure(all, &all->operation[o], flows, ends);
    if (all->count)
        qsort(all->operation, all->count, sizeof *all->operation, compare_operations);
    for (size_t o = all->count; o-- > 0;)
        if (all->operation[o].doubt) {
            all->doubted++;
            all->first_doubted = o;
        }
    free(ends);
    return 0;
}

int td_operations_make(struct td_operations *operations, const struct td_trace *trace,
                       const struct td_flows *flows, const struct td_lane_choice *lanes, int64_t now_ns,
                       struct td_job *job)
{
    struct operation_entries entries = {0};
    *operations = (struct td_operations){0};
    int rc = collect(&entries, trace, false, now_ns, job);
    if (rc == 0 && !entries.count) {
        operations->by_order = true;
        rc = collect(&entries, trace, true, now_ns, job);
    }
    if (rc == 0) {
        operations->cut = entries.cut;
        number_rounds(&entries);
        operations->all = count_operations(&entries);
        choose_entries(&entries, lanes);
        rc = take_entries(operations, &entries, flows);
    }
    free(entries.entry);
    if (rc < 0)
        td_operations_free(operations);
    return rc;
}

void td_operations_free(struct td_operations *operations)
{
    free(operations->operation);
    free(operations->member);
    *operations = (struct td_operations){0};
}
