#include "host/viewer/timeline/band_switches.h"
#include "host/viewer/timeline/band_items.h"
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/zone_color.h"
#include "host/viewer/ui/data_colors.h"

#include <math.h>
#include <stdlib.h>

bool td_band_is_switches(const struct td_band_key *key)
{
    return key->row == TD_BAND_SWITCHES || key->row == TD_BAND_CPU || key->row == TD_BAND_USAGE;
}

td_rgba td_runner_color(const struct td_switches *switches, uint64_t thread)
{
    const uint32_t track = td_switches_track(switches, thread);
    if (track != UINT32_MAX)
        return td_color_of_row(td_dict_get_track(td_trace_dict(switches->trace), track), 0);
    return td_switches_runner(switches, thread) == TD_RUNNER_OWN ? TD_DATA_OWN_UNKNOWN : TD_DATA_OTHER;
}

/* ---- runs ---- */

/* The rows of one cell after the other. */
struct cell_runs {
    const struct td_switches *switches;
    const struct td_busy *busy;
    const struct td_band_key *key;
    uint64_t first, end; /* the rows that start in the cell */
    double cell_ns, cell_end_ns;
    struct td_busy_times before; /* row `end` */
};

static int64_t start_of(const struct cell_runs *r, uint64_t row)
{
    return td_series_get(r->busy->rows, row, r->busy->start);
}

/* False: there are no more in the band. */
static bool next_cell(struct cell_runs *r)
{
    const uint64_t count = td_series_count(r->busy->rows);
    r->first = r->end;
    if (r->first >= count)
        return false;
    const double start = (double)start_of(r, r->first);
    if (start >= td_band_start_ns(r->key) + TD_BAND_CELLS * r->cell_ns)
        return false;
    r->cell_end_ns = (floor(start / r->cell_ns) + 1) * r->cell_ns;
    r->end = td_busy_from(r->busy, r->first + 1, td_lod_time(ceil(r->cell_end_ns)));
    return true;
}

static unsigned share_of(double part_ns, double whole_ns)
{
    const double share = part_ns / fmax(whole_ns, 1) * 255;
    return part_ns <= 0 ? 0 : (unsigned)fmax(fmin(share + .5, 255), 1);
}

/* Of the first row: from where it came, and when it was woken. */
static void add_thread_facts(const struct cell_runs *r, struct td_band_item *item)
{
    const struct td_series *rows = r->busy->rows;
    const int64_t cpu = td_series_get(rows, r->first, TD_SWITCH_CPU),
                  woken = td_series_get(rows, r->first, TD_SWITCH_WAKEUP);
    if (r->first && td_series_get(rows, r->first - 1, TD_SWITCH_CPU) != cpu)
        item->flags |= TD_ITEM_MOVED;
    if (td_series_get(rows, r->first, TD_SWITCH_REASON) == -2)
        item->flags |= TD_ITEM_WOKEN;
    if (woken < item->start_ns)
        item->woken = (uint32_t)fmin(((double)item->start_ns - (double)woken) / r->cell_ns * TD_WOKEN_PARTS,
                                     UINT32_MAX);
}

static void add_shares(struct cell_runs *r, const struct td_busy_times *before, struct td_band_item *item)
{
    const int64_t last_ns = td_busy_end(r->busy, r->end - 1, INT64_MIN);
    const double until_ns = fmax((double)last_ns, r->cell_end_ns), whole = until_ns - (double)item->start_ns;
    const double own = (double)(r->before.own_ns - before->own_ns),
                 other = (double)(r->before.other_ns - before->other_ns);
    item->end_ns = td_lod_time(until_ns);
    item->coverage = share_of(own, whole) & 0xff;
    if (r->key->row == TD_BAND_CPU)
        item->used = share_of(own + other, whole);
}

static struct td_band_item make_item(struct cell_runs *r, uint64_t known)
{
    const uint64_t n = r->end - r->first;
    struct td_band_item item = {.start_ns = start_of(r, r->first), .first = r->first};
    item.count = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    if (r->key->row == TD_BAND_SWITCHES)
        add_thread_facts(r, &item);
    if (n > 1) {
        const struct td_busy_times before = known == r->first ? r->before : td_busy_before(r->busy, r->first);
        r->before = td_busy_before(r->busy, r->end);
        add_shares(r, &before, &item);
        return item;
    }
    item.flags |= TD_ITEM_ZONE;
    item.end_ns = td_busy_end(r->busy, r->first, TD_OPEN);
    if (item.end_ns == TD_OPEN)
        item.flags |= TD_ITEM_OPEN;
    if (r->key->row == TD_BAND_CPU)
        item.color = 0xffffffu & td_runner_color(r->switches, (uint64_t)td_series_get(r->busy->rows, r->first,
                                                                                      r->busy->thread));
    return item;
}

static int make_runs(const struct td_switches *switches, const struct td_busy *busy,
                     const struct td_band_key *key, struct td_band_data *data)
{
    struct td_band_item items[TD_BAND_CELLS];
    struct cell_runs runs = {
        .switches = switches, .busy = busy, .key = key, .cell_ns = td_band_cell_ns(key->level)};
    uint64_t known = UINT64_MAX; /* the row before which runs.before counts */
    runs.end = td_busy_from(busy, 0, td_lod_time(ceil(td_band_start_ns(key))));
    while (data->count < TD_BAND_CELLS && next_cell(&runs)) {
        struct td_band_item *item = &items[data->count++];
        *item = make_item(&runs, known);
        known = runs.end - runs.first > 1 ? runs.end : known;
        data->has_open |= (item->flags & TD_ITEM_OPEN) != 0;
    }
    data->complete = runs.end < td_series_count(busy->rows);
    return td_band_keep_items(data, items, data->count);
}

/* ---- all processors ---- */

static void add_usage(const struct td_busy *busy, const struct td_band_key *key, int64_t open_ns, double *own,
                      double *other)
{
    const double start_ns = td_band_start_ns(key), cell_ns = td_band_cell_ns(key->level);
    struct td_busy_times a = td_busy_until(busy, td_lod_time(start_ns), open_ns);
    for (unsigned c = 0; c < TD_BAND_CELLS; c++) {
        const struct td_busy_times b =
            td_busy_until(busy, td_lod_time(start_ns + (c + 1) * cell_ns), open_ns);
        own[c] += (double)(b.own_ns - a.own_ns) / cell_ns;
        other[c] += (double)(b.other_ns - a.other_ns) / cell_ns;
        a = b;
    }
}

static int make_usage(const struct td_switches *switches, const struct td_band_key *key, int64_t open_ns,
                      struct td_band_data *data)
{
    double own[TD_BAND_CELLS] = {0}, other[TD_BAND_CELLS] = {0};
    const double end_ns = td_band_start_ns(key) + TD_BAND_CELLS * td_band_cell_ns(key->level);
    unsigned cpus = 0;
    data->complete = true;
    for (uint32_t c = 0; c < switches->cpu_count; c++) {
        const struct td_busy *busy = td_switches_cpu(switches, c);
        if (!busy)
            continue;
        add_usage(busy, key, open_ns, own, other);
        const uint64_t last = td_series_count(busy->rows) - 1;
        data->complete &= (double)td_series_get(busy->rows, last, busy->start) >= end_ns;
        cpus++;
    }
    data->cells = calloc(TD_BAND_CELLS, sizeof *data->cells);
    if (!data->cells)
        return TD_E_NOMEM;
    data->count = TD_BAND_CELLS;
    for (unsigned c = 0; cpus && c < TD_BAND_CELLS; c++) {
        const double others = fmin(other[c] / cpus, 1), all = fmin(own[c] / cpus + others, 1);
        data->cells[c].busy = (uint16_t)(all * TD_BAND_SHARE + .5);
        data->cells[c].wait = (uint16_t)(others * TD_BAND_SHARE + .5);
    }
    return 0;
}

/* ---- all ---- */

static int make_band(const struct td_switches *switches, const struct td_band_key *key, int64_t open_ns,
                     struct td_band_data *data)
{
    if (key->row == TD_BAND_USAGE)
        return make_usage(switches, key, open_ns, data);
    const struct td_busy *busy = key->row == TD_BAND_CPU ? td_switches_cpu(switches, key->track)
                                                         : td_switches_of(switches, key->track);
    return busy ? make_runs(switches, busy, key, data) : 0;
}

int td_band_make_switches_(struct td_switches *switches, const struct td_band_key *key, double open_ns,
                           struct td_band_data *data)
{
    if (!switches)
        return 0;
    td_switches_hold(switches);
    const int rc = make_band(switches, key, td_lod_time(open_ns), data);
    td_switches_release(switches);
    return rc;
}
