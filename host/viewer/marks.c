#include "host/viewer/marks.h"
#include "host/base/grow.h"

static int add_mark_row(struct td_marks *marks, uint32_t track, uint32_t row)
{
    if (td_grow(&marks->rows, &marks->row_capacity, marks->row_count + 1, sizeof *marks->rows) < 0)
        return -1;
    marks->rows[marks->row_count++] = (struct td_mark_row){track, row, marks->count, 0};
    return 0;
}

static int collect_row(struct td_marks *marks, const struct td_trace *trace, uint32_t track, uint32_t row,
                       td_mark_test *test, void *self, size_t limit)
{
    size_t zones = td_trace_row_zones(trace, track, row), before = marks->count;
    for (size_t i = 0; i < zones; i++) {
        struct td_zone zone = td_trace_zone(trace, track, row, i);
        if (!test(self, &zone))
            continue;
        if (marks->count == limit) {
            marks->cut = true;
            break;
        }
        if (marks->count == before && add_mark_row(marks, track, row) < 0)
            return -1;
        if (td_grow(&marks->index, &marks->capacity, marks->count + 1, sizeof *marks->index) < 0)
            return -1;
        marks->index[marks->count++] = i;
        marks->rows[marks->row_count - 1].count++;
    }
    return 0;
}

int td_marks_collect(struct td_marks *marks, const struct td_trace *trace, td_mark_test *test, void *self,
                     size_t limit, struct td_err *err)
{
    marks->count = marks->row_count = 0;
    marks->cut = false;
    uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    for (uint32_t t = 0; t < tracks; t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t) && !marks->cut; r++)
            if (collect_row(marks, trace, t, r, test, self, limit) < 0)
                return td_fail_no_memory(err, "while searching zones");
    return 0;
}

void td_marks_free(struct td_marks *marks)
{
    free(marks->rows);
    free(marks->index);
    *marks = (struct td_marks){0};
}

/* Position in `index` of the first entry of the row that is not less than `zone`. */
static size_t lower_bound_in_row(const struct td_marks *marks, const struct td_mark_row *row, size_t zone)
{
    size_t low = row->first, high = row->first + row->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (marks->index[middle] < zone)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t td_marks_in(const struct td_marks *marks, uint32_t track, uint32_t row, size_t first, size_t count)
{
    size_t low = 0, high = marks->row_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct td_mark_row *r = &marks->rows[middle];
        if (r->track < track || (r->track == track && r->row < row))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == marks->row_count || marks->rows[low].track != track || marks->rows[low].row != row)
        return SIZE_MAX;
    const struct td_mark_row *r = &marks->rows[low];
    size_t at = lower_bound_in_row(marks, r, first);
    return at < r->first + r->count && marks->index[at] < first + count ? marks->index[at] : SIZE_MAX;
}

struct mark_position {
    int64_t time_ns;
    struct td_zone_ref ref;
};

static int compare_positions(const struct mark_position *a, const struct mark_position *b)
{
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->ref.track != b->ref.track)
        return a->ref.track < b->ref.track ? -1 : 1;
    if (a->ref.row != b->ref.row)
        return a->ref.row < b->ref.row ? -1 : 1;
    return a->ref.index < b->ref.index ? -1 : a->ref.index > b->ref.index;
}

static struct mark_position mark_position_at(const struct td_marks *marks, const struct td_trace *trace,
                                             const struct td_mark_row *row, size_t at)
{
    struct td_zone_ref ref = {row->track, row->row, marks->index[at]};
    return (struct mark_position){td_trace_zone(trace, ref.track, ref.row, ref.index).start_ns, ref};
}

struct td_zone_ref td_marks_next(const struct td_marks *marks, const struct td_trace *trace, int64_t time_ns,
                                 struct td_zone_ref from, bool forward)
{
    struct mark_position here = {time_ns, from}, best = {0, TD_NO_ZONE};
    if (!td_ref_valid(
            from)) /* no zone: a position before all zones that begin at that time, in either direction */
        here.ref = forward ? (struct td_zone_ref){0, 0, 0} : TD_NO_ZONE;
    for (size_t r = 0; r < marks->row_count; r++) {
        const struct td_mark_row *row = &marks->rows[r];
        /* The first zone of the row after `here`. */
        size_t low = row->first, high = row->first + row->count, end = high;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            struct mark_position p = mark_position_at(marks, trace, row, middle);
            int order = compare_positions(&p, &here);
            if (order > 0 || (order == 0 && forward && !td_ref_valid(from)))
                high = middle;
            else
                low = middle + 1;
        }
        if (!forward) {
            /* The last zone before `here`; skip `here` itself. */
            while (low > row->first) {
                struct mark_position p = mark_position_at(marks, trace, row, low - 1);
                if (compare_positions(&p, &here) < 0)
                    break;
                low--;
            }
            if (low == row->first)
                continue;
            low--;
        } else if (low == end) {
            continue;
        }
        struct mark_position p = mark_position_at(marks, trace, row, low);
        int order = td_ref_valid(best.ref) ? compare_positions(&p, &best) : (forward ? -1 : 1);
        if (forward ? order < 0 : order > 0)
            best = p;
    }
    return best.ref;
}
