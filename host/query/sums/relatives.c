#include "host/query/sums/relatives.h"
#include "host/base/compare.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/event/map.h"
#include "host/trace/self_time.h"
#include "host/trace/walk.h"
#include "host/query/task/zone_parts.h"

#define NEAR 4 /* zones that are looked at before a search */

struct td_zone_ref td_zone_parent_from(const struct td_trace *trace, struct td_zone_ref zone, uint64_t *at)
{
    if (!zone.row)
        return TD_NO_ZONE;
    const uint64_t count = td_trace_row_zones(trace, zone.track, zone.row - 1);
    uint64_t low = *at, high = count;
    /* The parent of the next zone is often the same or the next. */
    for (int near = 0; near < NEAR && low < high; near++) {
        if (td_trace_zone(trace, zone.track, zone.row - 1, low).child_end > zone.index)
            high = low;
        else
            low++;
    }
    TD_BISECT(low, high, middle,
              td_trace_zone(trace, zone.track, zone.row - 1, middle).child_end <= zone.index);
    *at = low;
    return low < count ? (struct td_zone_ref){zone.track, zone.row - 1, low} : TD_NO_ZONE;
}

struct td_zone_ref td_zone_parent(const struct td_trace *trace, struct td_zone_ref zone)
{
    return td_zone_parent_from(trace, zone, &(uint64_t){0});
}

/* ---- the next of a name ---- */

static bool is_named(const struct td_trace *trace, int64_t location, int64_t extra, const char *name)
{
    struct td_zone zone = {.srcloc = (uint32_t)location};
    td_trace_zone_extra(trace, extra, &zone);
    const char *own = td_zone_label(td_trace_dict(trace), &zone);
    return own == name || !strcmp(own, name);
}

/* The index of the zone of that name in the row from `first` on, or before it; SIZE_MAX: there is none. */
static size_t scan_row(const struct td_trace *trace, uint32_t track, uint32_t row, size_t first,
                       const char *name, bool forward, uint64_t most)
{
    const unsigned columns = 1u << TD_ZONE_SRCLOC | 1u << TD_ZONE_EXTRA;
    const size_t count = td_trace_row_zones(trace, track, row);
    struct td_zones *zones = &(struct td_zones){0};
    int64_t location = -1, extra = -1;
    bool matches = false;
    for (size_t at = first, from; forward ? at < count : at > 0; at = forward ? at + zones->count : from) {
        from = forward ? at : at > TD_ZONES_AT_ONCE ? at - TD_ZONES_AT_ONCE : 0;
        uint32_t read = td_trace_zones_read(trace, track, row, from, columns, zones);
        if (!forward && from + read > at)
            read = (uint32_t)(at - from);
        for (uint32_t i = 0; i < read; i++) {
            uint32_t k = forward ? i : read - 1 - i;
            if (zones->column[TD_ZONE_SRCLOC][k] != location || zones->column[TD_ZONE_EXTRA][k] != extra) {
                location = zones->column[TD_ZONE_SRCLOC][k];
                extra = zones->column[TD_ZONE_EXTRA][k];
                matches = is_named(trace, location, extra, name);
            }
            if (matches)
                return from + k;
        }
        if (!read || most < read)
            break;
        most -= read;
    }
    return SIZE_MAX;
}

struct td_zone_ref td_zone_next_of_name(const struct td_trace *trace, struct td_zone_ref zone, bool forward,
                                        uint64_t most)
{
    const struct td_zone self = td_trace_zone(trace, zone.track, zone.row, zone.index);
    const char *name = td_zone_label(td_trace_dict(trace), &self);
    struct td_zone_ref best = TD_NO_ZONE;
    int64_t best_ns = 0;
    for (uint32_t r = 0; r < td_trace_rows(trace, zone.track); r++) {
        size_t low = 0, high = td_trace_row_zones(trace, zone.track, r);
        /* The first zone of the row that begins after this one; zones that begin with it are after it if their rows
         * are. */
        TD_BISECT(low, high, i,
                  td_trace_zone(trace, zone.track, r, i).start_ns <
                      self.start_ns + (r < zone.row || (r == zone.row && i <= zone.index)));
        size_t from = forward ? low : r == zone.row ? zone.index : low;
        size_t at = scan_row(trace, zone.track, r, from, name, forward, most);
        if (at == SIZE_MAX)
            continue;
        int64_t start = td_trace_zone(trace, zone.track, r, at).start_ns;
        if (!td_ref_valid(best) || (forward ? start < best_ns : start >= best_ns)) {
            best = (struct td_zone_ref){zone.track, r, at};
            best_ns = start;
        }
    }
    return best;
}

/* ---- children ---- */

struct children_maker {
    struct td_children *made;
    struct td_map map; /* from names to groups */
    const char *last;
    uint32_t last_group;
    int64_t longest_ns; /* of the direct children */
};

static struct td_child_group *group_of(struct children_maker *m, const char *name)
{
    if (name == m->last)
        return &m->made->group[m->last_group];
    /* Equal names are one string, so its address tells them apart. */
    uint32_t group = td_map_get(&m->map, (uint64_t)(uintptr_t)name, UINT32_MAX);
    if (group == UINT32_MAX) {
        if (td_grow(&m->made->group, &m->made->capacity, m->made->count + 1, sizeof *m->made->group) < 0 ||
            td_map_add(&m->map, (uint64_t)(uintptr_t)name, (uint32_t)m->made->count) < 0)
            return NULL;
        group = (uint32_t)m->made->count++;
        m->made->group[group] = (struct td_child_group){.name = name, .longest_ns = -1};
    }
    m->last = name;
    m->last_group = group;
    return &m->made->group[group];
}

/* The zones begin .. end - 1 of a row; `child`: the first child of the first of them. */
static int add_children(struct children_maker *m, const struct td_trace *trace, struct td_zone_ref at,
                        size_t end, uint64_t child, int64_t now_ns, bool deep, struct td_job *job)
{
    const unsigned columns = 1u << TD_ZONE_START | 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC |
                             1u << TD_ZONE_EXTRA | 1u << TD_ZONE_CHILD_END;
    const bool parents = deep && at.row + 1 < td_trace_rows(trace, at.track);
    struct td_zones *zones = &(struct td_zones){0}, *below = &(struct td_zones){0};
    for (; at.index < end; at.index++) {
        uint32_t i = (uint32_t)(at.index - zones->first);
        if (at.index >= zones->first + zones->count) {
            if (job && td_job_cancelled(job))
                return TD_E_STOPPED;
            if (!td_trace_zones_read(trace, at.track, at.row, at.index, columns, zones))
                return 0;
            i = 0;
        }
        struct td_zone zone = {.srcloc = (uint32_t)zones->column[TD_ZONE_SRCLOC][i]};
        td_trace_zone_extra(trace, zones->column[TD_ZONE_EXTRA][i], &zone);
        int64_t length = zones->column[TD_ZONE_DURATION][i];
        if (length < 0)
            length = td_wrap_add(now_ns, -zones->column[TD_ZONE_START][i]);
        length = length < 0 ? 0 : length;
        if (length > m->longest_ns) {
            m->longest_ns = length;
            m->made->longest = at;
        }
        int64_t counted = length;
        if (parents)
            counted = td_self_time(counted, td_zones_length(trace, at.track, at.row + 1, below, &child,
                                                            (uint64_t)zones->column[TD_ZONE_CHILD_END][i]));
        struct td_child_group *group = group_of(m, td_zone_label(td_trace_dict(trace), &zone));
        if (!group)
            return TD_E_NOMEM;
        group->count++;
        group->total_ns = td_wrap_add(group->total_ns, counted);
        if (length > group->longest_ns) {
            group->longest_ns = length;
            group->longest = at;
        }
        m->made->zones++;
        m->made->total_ns = td_wrap_add(m->made->total_ns, counted);
    }
    return 0;
}

TD_COMPARE(compare_groups, struct td_child_group, TD_DOWN(total_ns) TD_UP_TEXT(name))

int td_children_make(struct td_children *children, const struct td_trace *trace, struct td_zone_ref zone,
                     int64_t now_ns, bool deep, struct td_job *job)
{
    const struct td_zone self = td_trace_zone(trace, zone.track, zone.row, zone.index);
    struct children_maker m = {.made = children, .longest_ns = -1};
    size_t begin = self.child_begin, end = self.child_end;
    int rc = 0;
    *children = (struct td_children){.longest = TD_NO_ZONE};
    for (uint32_t row = zone.row + 1; rc == 0 && begin < end; row++) {
        struct td_zone first = td_trace_zone(trace, zone.track, row, begin);
        struct td_zone last = td_trace_zone(trace, zone.track, row, end - 1);
        rc = add_children(&m, trace, (struct td_zone_ref){zone.track, row, begin}, end, first.child_begin,
                          now_ns, deep, job);
        m.longest_ns = INT64_MAX; /* of the next row, none is a child */
        begin = first.child_begin;
        end = deep ? last.child_end : begin;
    }
    td_map_finish(&m.map);
    if (rc < 0) {
        td_children_free(children);
        return rc;
    }
    if (children->count)
        qsort(children->group, children->count, sizeof *children->group, compare_groups);
    return 0;
}

void td_children_free(struct td_children *children)
{
    free(children->group);
    *children = (struct td_children){0};
}
