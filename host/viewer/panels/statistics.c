/* Statistics of the source locations in the chosen range, and how their time is spread over the tracks. */
#include "host/event/map.h"
#include "host/base/sorted.h"
#include "host/query/sums/location_table.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/navigate.h"
#include "host/viewer/model/gpu_clocks.h"

#include <math.h>
#include <stdlib.h>

#define SPREAD_BARS 24

/* Of which tracks zones count. */
enum statistics_of { OF_ALL, OF_HOST, OF_GPU, OFS };

struct statistics {
    struct td_table_list table;
    enum statistics_of of;
    int timing; /* enum td_timing */
};

TD_PANEL_STATE(statistics, STATISTICS)

/* The zones of the track count: it passes the filter, and is of the chosen kind. */
static bool counts_track(const struct td_view *view, uint32_t track)
{
    const enum statistics_of of = state_of(view)->of;
    const bool gpu = td_dict_get_track(view->model.dict, track)->context != 0;
    return td_lanes_passes(view, track) && (of == OF_ALL || gpu == (of == OF_GPU));
}

static uint64_t statistics_key(const struct td_view *view)
{
    const struct statistics *s = state_of(view);
    return td_mix64(td_lanes_key(view) ^ td_mix64(view->sums.version)) + (uint64_t)s->timing +
           (uint64_t)s->of * TD_TIMINGS;
}

static void release_sums(void *self)
{
    td_range_sums_release(self);
}

/* Once the sums of the range are there. */
static bool ask_for_locations(struct td_view *view, struct td_query_request *of)
{
    const uint32_t tracks = td_dict_track_count(view->model.dict);
    const struct td_sums *sums = td_view_sums(view);
    if (!sums || view->sums.job.running)
        return false;
    struct td_locations_wanted *wanted = calloc(1, sizeof *wanted);
    uint8_t *passes = malloc((size_t)tracks + 1);
    if (!wanted || !passes) {
        free(wanted);
        free(passes);
        return false;
    }
    for (uint32_t t = 0; t < tracks; t++)
        passes[t] = counts_track(view, t);
    *wanted = (struct td_locations_wanted){
        {passes, tracks}, (enum td_timing)state_of(view)->timing, sums, release_sums, &view->sums};
    td_view_hold_sums(view);
    of->with = wanted;
    return true;
}

/* ---- drawing ---- */

static void look_of_location(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                             struct td_row_look *look)
{
    const struct td_zone zone = {.srcloc = td_location_at(rows, row)->sum.srcloc};
    look->box = td_color_of_zone(rows->dict, &zone);
}

/* The first sum of the location. */
static size_t first_sum(const struct td_sums *sums, uint32_t srcloc)
{
    size_t low = 0, high = sums->count;
    TD_BISECT(low, high, i, sums->sum[i].srcloc < srcloc);
    return low;
}

/* The time of each track, as bars: those of many tracks are joined. */
static bool draw_spread(struct td_list_drawing *d, const struct td_query_rows *rows, uint64_t row, int column,
                        const char *key)
{
    const struct td_location *location = td_location_at(rows, row);
    const struct td_sums *sums = td_view_sums(d->view);
    struct td_rect cell;
    if (strcmp(key, "spread"))
        return false;
    if (!sums || !td_list_cell(d, column, &cell))
        return true;
    double bar[SPREAD_BARS] = {0}, most = 0;
    const int bars = location->tracks < SPREAD_BARS ? (int)location->tracks : SPREAD_BARS;
    for (size_t i = first_sum(sums, location->sum.srcloc), n = 0;
         i < sums->count && sums->sum[i].srcloc == location->sum.srcloc && n < location->tracks; i++) {
        if (!counts_track(d->view, sums->sum[i].track))
            continue;
        double *b = &bar[n++ * (size_t)bars / location->tracks];
        *b = fmax(*b, (double)sums->sum[i].total_ns);
        most = fmax(most, *b);
    }
    const float wide = (cell.right - cell.left) / SPREAD_BARS, base = cell.bottom - TD_U(d->view, 3),
                high = base - cell.top - TD_U(d->view, 3);
    for (int i = 0; i < bars && most > 0; i++)
        td_ui_rect(d->view->ui, cell.left + wide * (float)i, base - fmaxf(high * (float)(bar[i] / most), 1),
                   cell.left + wide * (float)(i + 1) - 1, base, TD_C(DENSITY), 0);
    return true;
}

static void find_zones(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                       enum td_row_choice how)
{
    td_view_search_name(view, td_dict_zone_name(rows->dict, td_location_at(rows, row)->sum.srcloc));
    if (how == TD_ROW_BY_ENTER)
        td_view_next_match(view, true);
}

/* ---- buttons ---- */

static const char *label_of_tracks(const struct td_view *view, bool *on)
{
    static const char *const labels[OFS] = {"All zones", "Without GPU", "GPU"};
    return td_view_gpu_contexts(&view->model) ? labels[state_of(view)->of] : NULL;
}

static void next_tracks(struct td_view *view)
{
    struct statistics *s = state_of(view);
    s->of = (enum statistics_of)((s->of + 1) % OFS);
}

static const char *const timings[TD_TIMINGS] = {
    [TD_TIMING_WHOLE] = "With children", [TD_TIMING_SELF] = "Self", [TD_TIMING_OUTER] = "Non-reentrant"};
static const struct td_table_button buttons[] = {TD_STEP_BUTTON('v', struct statistics, timing, timings),
                                                 TD_BUTTON('y', label_of_tracks, next_tracks),
                                                 {0}};

static const struct td_table_panel statistics = {
    .table = &td_table_locations,
    .id = TD_PANEL_STATISTICS,
    .columns = "name total_ns share count mean_ns median_ns p90_ns p99_ns self_ns min_ns max_ns std_ns "
               "tracks spread source",
    .sort = "total_ns",
    .filter = "name file",
    .hint = "Filter: name or file, -not",
    .row = "source location",
    .bar = "share",
    .buttons = buttons,
    .key = statistics_key,
    .ask = ask_for_locations,
    .look = look_of_location,
    .draw = draw_spread,
    .choose = find_zones,
};
TD_TABLE_PANEL(statistics)

static const struct td_help_line statistics_help[] = {
    {"T", "statistics of zones in the chosen range"},
    {"V in it", "with children, self, non-reentrant"},
    {"Y in it", "all zones, without those of GPUs, only those"},
    {0},
};

const struct td_panel td_panel_statistics = {
    .name = "statistics",
    .dock = TD_DOCK_BOTTOM,
    .title = "Zones",
    .group = TD_GROUP_ZONES,
    .page = "Which zones take the time?",
    .lacks = td_lacks_zones,
    .keys = {{.key = 't'}},
    .help = statistics_help,
    .state_bytes = sizeof(struct statistics),
    .draw = draw_table,
    .free_state = free_table,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_table_key,
};
