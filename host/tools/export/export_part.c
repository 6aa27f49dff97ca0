#include "host/tools/export/export_part.h"
#include "host/base/time_text.h"
#include "host/query/sums/lane_table.h"
#include "host/query/task/span.h"
#include "host/trace/copy.h"

#include <stdlib.h>

static int read_range(const struct export_part *part, struct td_copy_options *options, struct td_err *err)
{
    double from_ns, until_ns;
    if (!part->range)
        return 0;
    if (td_range_parse(part->range, &from_ns, &until_ns) < 0 || from_ns < 0 || until_ns >= 9e18)
        return td_fail(err, TD_E_USAGE, "--range %.200s: not FROM..TO with times such as 1.5s or 300us",
                       part->range);
    options->from_ns = (int64_t)from_ns;
    options->until_ns = (int64_t)until_ns;
    return 0;
}

static int read_lanes(const struct export_part *part, struct td_lane_filter *filter, struct td_err *err)
{
    struct td_lane_mistake mistake;
    if (!part->lanes || td_lane_filter_parse(filter, part->lanes, &mistake))
        return 0;
    return td_fail(err, TD_E_USAGE, "--lanes '%.100s': %s", part->lanes, mistake.text);
}

int export_part_check(const struct export_part *part, struct td_err *err)
{
    struct td_copy_options options = {0};
    struct td_lane_filter filter;
    const int rc = read_range(part, &options, err);
    return rc ? rc : read_lanes(part, &filter, err);
}

/* ---- tracks ---- */

/* Shares of lanes are those of the range. */
static int make_lanes(const struct td_trace *trace, const struct td_copy_options *options, bool needs_sums,
                      struct td_lane_table *lanes)
{
    struct td_sums sums = {0};
    int64_t first_ns, last_ns;
    td_trace_span(trace, &first_ns, &last_ns);
    const bool ranged = options->from_ns || options->until_ns;
    int rc = !needs_sums ? 0
                         : td_sums_make(&sums, trace, ranged ? options->from_ns : INT64_MIN,
                                        ranged ? options->until_ns : INT64_MAX,
                                        td_trace_get_info(trace)->last_time_ns, NULL, NULL);
    rc = rc ? rc : td_lane_table_make(lanes, trace, needs_sums ? &sums : NULL, first_ns, last_ns);
    td_sums_free(&sums);
    return rc;
}

/* *tracks is the caller's to free. */
static int choose_tracks(const struct export_part *part, const struct td_trace *trace,
                         const struct td_copy_options *options, uint8_t **tracks, struct td_err *err)
{
    struct td_lane_filter filter;
    struct td_lane_table lanes = {0};
    bool any = false;
    int rc = read_lanes(part, &filter, err);
    if (rc < 0 || !part->lanes)
        return rc;
    if (make_lanes(trace, options, filter.needs_sums, &lanes) < 0 ||
        !(*tracks = calloc((size_t)lanes.tracks + 1, 1)))
        rc = td_fail_no_memory(err, NULL);
    for (uint32_t t = 0; rc == 0 && t < lanes.tracks; t++) {
        (*tracks)[t] = td_lane_filter_passes(&filter, &lanes.lane[t].facts);
        any |= (*tracks)[t];
    }
    td_lane_table_free(&lanes);
    return rc == 0 && !any ? td_fail(err, TD_E_NOTFOUND, "--lanes '%.100s': no track passes", part->lanes)
                           : rc;
}

/* ---- the copy ---- */

static int copy_part(const struct td_trace *from, const struct td_copy_options *options, struct td_trace *to,
                     struct td_err *err)
{
    struct td_copier *copier = td_copier_create(to, err);
    int rc = copier ? td_copier_add(copier, from, options, err) : err->code;
    rc = rc ? rc : td_copier_end(copier, err);
    td_copier_destroy(copier);
    return rc ? rc : td_trace_finish(to, err);
}

int export_part_take(const struct export_part *part, struct td_trace **trace, struct td_err *err)
{
    struct td_copy_options options = {0};
    uint8_t *tracks = NULL;
    if (!part->range && !part->lanes)
        return 0;
    int rc = read_range(part, &options, err);
    rc = rc ? rc : choose_tracks(part, *trace, &options, &tracks, err);
    options.tracks = tracks;
    struct td_dict *dict = rc ? NULL : td_dict_create();
    struct td_trace *to = dict ? td_trace_create_within(dict, part->memory_bytes) : NULL;
    if (rc == 0)
        rc = to ? copy_part(*trace, &options, to, err) : td_fail_no_memory(err, NULL);
    free(tracks);
    if (rc < 0) {
        td_trace_destroy(to);
        return rc;
    }
    td_trace_destroy(*trace);
    *trace = to;
    return 0;
}
