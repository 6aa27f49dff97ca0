#include "host/query/sums/lane_table.h"
#include "proto/track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The beginning of the names of a tile's cores, which mostly follow each other. */
struct lane_place {
    char text[64];
    int bytes; /* 0: none yet */
    unsigned chip, x, y;
};

/* The name of a core without its place. */
static const char *core_name(const struct td_track *t, const char *name, struct lane_place *place)
{
    if (!place->bytes || place->chip != t->chip || place->x != t->x || place->y != t->y) {
        place->chip = t->chip;
        place->x = t->x;
        place->y = t->y;
        place->bytes =
            snprintf(place->text, sizeof place->text, TD_TRACK_NAME_FORMAT, t->chip, t->x, t->y, "");
    }
    return strncmp(name, place->text, (size_t)place->bytes) ? name : name + place->bytes;
}

static struct td_lane lane_of(const struct td_trace *trace, uint32_t track, struct lane_place *place)
{
    static const char *const kinds[] = {
        [TD_TRACK_THREAD] = "thread", [TD_TRACK_CORE] = "core", [TD_TRACK_GPU] = "GPU"};
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_track *t = td_dict_get_track(dict, track);
    const char *name = td_dict_text(dict, t->name);
    struct td_lane lane = {.facts = {.name = name,
                                     .kind = t->kind <= TD_TRACK_GPU ? kinds[t->kind] : "",
                                     .kernel = "",
                                     .is_core = td_track_is_core(t),
                                     .chip = t->chip,
                                     .x = t->x,
                                     .y = t->y,
                                     .core = t->core},
                           .sum = {.longest = TD_NO_ZONE, .longest_ns = -1},
                           .has_zones = td_trace_rows(trace, track) > 0};
    if (lane.facts.is_core && *name)
        lane.facts.kind = core_name(t, name, place);
    return lane;
}

static void set_numbers(struct td_lane *lane, const struct td_lane_sum *sum, double range_ns)
{
    struct td_lane_facts *f = &lane->facts;
    lane->sum = *sum;
    /* Waits within waits count twice in the sum. */
    double wait = fmin((double)sum->wait_ns, (double)sum->busy_ns);
    f->busy = fmin((double)sum->busy_ns / range_ns, 1);
    f->wait = fmin(wait / range_ns, 1);
    f->work = fmax(f->busy - f->wait, 0);
    f->lost = fmin((double)sum->lost_ns / range_ns, 1);
    f->zones = (double)sum->zones;
    f->longest_ns = fmax((double)sum->longest_ns, 0);
}

/* Zones that reach beyond the range are not in the sums: then the longest that touches it gives the name. */
static void set_kernels(struct td_lane_table *table, const struct td_trace *trace, const struct td_sums *sums)
{
    const struct td_dict *dict = td_trace_dict(trace);
    int64_t *most = calloc((size_t)table->tracks + 1, sizeof *most);
    for (size_t i = 0; most && i < sums->count; i++) {
        const struct td_sum *s = &sums->sum[i];
        if (s->track >= table->tracks || s->outer_ns <= most[s->track])
            continue;
        most[s->track] = s->outer_ns;
        table->lane[s->track].facts.kernel = td_dict_zone_name(dict, s->srcloc);
    }
    free(most);
    for (uint32_t t = 0; t < table->tracks; t++) {
        struct td_lane *lane = &table->lane[t];
        const struct td_zone_ref ref = lane->sum.longest;
        if (!*lane->facts.kernel && td_ref_valid(ref))
            lane->facts.kernel =
                td_dict_zone_name(dict, td_trace_zone(trace, ref.track, ref.row, ref.index).srcloc);
    }
}

int td_lane_table_make(struct td_lane_table *table, const struct td_trace *trace, const struct td_sums *sums,
                       int64_t first_ns, int64_t last_ns)
{
    const uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    struct td_lane *lanes = malloc(((size_t)tracks + 1) * sizeof *lanes);
    if (!lanes)
        return TD_E_NOMEM;
    free(table->lane);
    struct lane_place place = {0};
    *table = (struct td_lane_table){lanes, tracks};
    for (uint32_t t = 0; t < tracks; t++)
        lanes[t] = lane_of(trace, t, &place);
    if (!sums)
        return 0;
    const int64_t from = sums->from_ns > first_ns ? sums->from_ns : first_ns;
    const int64_t to = sums->to_ns < last_ns ? sums->to_ns : last_ns;
    for (uint32_t t = 0; t < tracks && t < sums->tracks; t++)
        set_numbers(&lanes[t], &sums->lane[t], fmax((double)to - (double)from, 1));
    set_kernels(table, trace, sums);
    return 0;
}

void td_lane_table_free(struct td_lane_table *table)
{
    free(table->lane);
    *table = (struct td_lane_table){0};
}
