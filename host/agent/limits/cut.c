#include "host/agent/limits/cut.h"
#include "host/trace/copy.h"
#include "host/trace/origin.h"
#include "host/trace/tables.h"

#include <inttypes.h>

static int copy_range(const struct td_trace *from, const struct td_cut *cut, struct td_trace *to,
                      struct td_err *err)
{
    struct td_copy_options options = {.from_ns = cut->from_ns,
                                      .until_ns = cut->until_ns < TD_OPEN ? cut->until_ns + 1 : TD_OPEN};
    struct td_copier *copier = td_copier_create(to, err);
    if (!copier)
        return TD_E_NOMEM;
    int rc = td_copier_add(copier, from, &options, err);
    rc = rc ? rc : td_copier_end(copier, err);
    td_copier_destroy(copier);
    return rc;
}

static int note_cut(const struct td_cut *cut, int64_t origin_ns, struct td_trace *to, struct td_err *err)
{
    int rc = 0;
    if (cut->from_ns != INT64_MIN && cut->until_ns != TD_OPEN)
        rc = td_trace_note(to, TD_NOTE_WINDOW, "%" PRId64 " .. %" PRId64 " ns", cut->from_ns - origin_ns,
                           cut->until_ns - origin_ns);
    if (rc == 0 && cut->why[0])
        rc = td_trace_note(to, TD_NOTE_TRIGGER, "%s", cut->why);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

void td_cut_move(struct td_cut *cut, int64_t moved_ns)
{
    cut->from_ns -= cut->from_ns == INT64_MIN ? 0 : moved_ns;
    cut->until_ns -= cut->until_ns == TD_OPEN ? 0 : moved_ns;
}

int td_cut_make(const struct td_trace *from, const struct td_cut *cut, uint64_t memory_bytes,
                struct td_trace **to, struct td_err *err)
{
    struct td_dict *dict = td_dict_create();
    *to = dict ? td_trace_create_within(dict, memory_bytes) : NULL;
    if (!*to)
        return td_fail_no_memory(err, "for the part of the trace to be saved");
    td_trace_may_exceed(*to);
    const int64_t origin_ns = td_trace_origin(from);
    int rc = copy_range(from, cut, *to, err);
    return rc < 0 ? rc : note_cut(cut, origin_ns, *to, err);
}

/* Tables that grow with the time that is recorded. */
static const struct {
    enum td_table table;
    unsigned column;
} timed[] = {
    {TD_TABLE_MESSAGE, TD_MESSAGE_TIME},       {TD_TABLE_POINT, TD_POINT_TIME},
    {TD_TABLE_FRAME, TD_FRAME_START},          {TD_TABLE_MEMORY, TD_MEMORY_TIME},
    {TD_TABLE_LOCK_EVENT, TD_LOCK_EVENT_TIME}, {TD_TABLE_SAMPLE, TD_SAMPLE_TIME},
};

/* Zones that end, and rows that are, at or before a time. */
static uint64_t count_until(const struct td_trace *trace, int64_t until_ns)
{
    uint64_t count = 0;
    for (uint32_t t = 0; t < td_dict_track_count(td_trace_dict(trace)); t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t); r++)
            count += td_trace_zone_after(trace, t, r, until_ns);
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        for (uint64_t list = 0; list < td_trace_lists(trace, timed[i].table); list++)
            count += td_series_after(td_trace_list(trace, timed[i].table, list), timed[i].column, until_ns);
    return count;
}

int64_t td_cut_time_of_part(const struct td_trace *trace, int64_t last_ns, double part)
{
    int64_t low = 0, high = last_ns;
    double most = part * (double)count_until(trace, TD_OPEN - 1);
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if ((double)count_until(trace, middle) <= most)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
