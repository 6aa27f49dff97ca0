#include "host/file/read_tree.h"

#include "host/base/grow.h"

static int set_left(struct reader *r, uint32_t depth, uint64_t zones)
{
    if (zones > UINT32_MAX) {
        td_in_damaged(&r->in, "an impossible number of zones");
        return r->in.failed;
    }
    if (td_grow(&r->depth_left, &r->depth_capacity, (size_t)depth + 1, sizeof *r->depth_left) < 0) {
        td_in_no_memory(&r->in);
        return r->in.failed;
    }
    r->depth_left[depth] = (uint32_t)zones;
    return 0;
}

int td_tree_begin_(struct reader *r, struct read_tree *tree, uint32_t track, uint64_t zones)
{
    *tree = (struct read_tree){.low_ns = 0};
    if (r->in.failed || td_tree_locations_(r) < 0)
        return r->in.failed;
    if (td_trace_track_zones(r->trace, track)) {
        td_in_damaged(&r->in, "a thread occurs twice");
        return r->in.failed;
    }
    r->in.failed = td_fill_begin(&tree->fill, r->trace, track, r->in.err);
    if (!r->in.failed && set_left(r, 0, zones) == 0)
        return 0;
    td_fill_end(&tree->fill);
    return r->in.failed;
}

void td_tree_end_(struct read_tree *tree)
{
    tree->fill.last_time_ns = tree->low_ns;
    td_fill_end(&tree->fill);
}

int td_tree_down_(struct reader *r, struct read_tree *tree, uint64_t zones)
{
    td_fill_down(&tree->fill);
    return set_left(r, tree->fill.depth, zones);
}

uint32_t td_tree_end_open_(struct read_tree *tree, int64_t time_ns)
{
    uint32_t ended = tree->open_end - tree->open_first;
    for (uint32_t depth = tree->open_first; depth < tree->open_end; depth++) {
        struct td_series *row = tree->fill.rows[depth];
        int64_t start_ns = td_series_get_last(row, TD_ZONE_START);
        td_series_set_last(row, TD_ZONE_DURATION, time_ns > start_ns ? time_ns - start_ns : 0);
    }
    tree->open_first = tree->open_end = 0;
    return ended;
}

int td_tree_locations_(struct reader *r)
{
    if (r->locations)
        return 0;
    r->locations = malloc((UINT16_MAX + 1) * sizeof *r->locations);
    if (!r->locations) {
        td_in_no_memory(&r->in);
        return r->in.failed;
    }
    memset(r->locations, 0xff, (UINT16_MAX + 1) * sizeof *r->locations);
    for (size_t i = 1; i < r->static_number_count && i <= INT16_MAX; i++)
        r->locations[i] = r->static_numbers[i];
    for (size_t i = 0; i < r->dynamic_count && i <= INT16_MAX; i++)
        r->locations[UINT16_MAX - i] = r->dynamic_numbers[i];
    return 0;
}
