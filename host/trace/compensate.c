#include "host/trace/compensate.h"
#include "host/base/compare.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "host/trace/copy.h"
#include "host/trace/walk.h"
#include "proto/bill_text.h"
#include "proto/device/packet.h"
#include "proto/track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A zone that the recorder made: of a wait for room, or of lost packets. It is no marker. */
struct made_zone {
    int64_t start_ns;
    int64_t waited_ns; /* up to its end, of all up to this one */
};

struct core_costs {
    double zone_ns, message_ns, point_ns; /* all 0: not a core, or its costs are not known */
    struct made_zone *made;               /* by start */
    size_t made_count, made_capacity;
    uint32_t *plots; /* of the core */
    size_t plot_count, plot_capacity;
};

struct compensation {
    const struct td_trace *trace;
    struct core_costs *cores; /* by track */
};

/* ---- what is known of each core ---- */

static struct core_costs *find_core(const struct compensation *c, uint32_t chip, uint32_t x, uint32_t y,
                                    uint32_t core)
{
    const struct td_dict *dict = td_trace_dict(c->trace);
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        if (td_track_is_core(track) && track->chip == chip && track->x == x && track->y == y &&
            track->core == core)
            return &c->cores[t];
    }
    return NULL;
}

/* Returns how many cores have costs. */
static size_t read_bills(const struct compensation *c)
{
    size_t known = 0, next = 0;
    const char *line;
    struct td_bill bill;
    while ((line = td_trace_next_note(c->trace, TD_NOTE_BILL, &next))) {
        struct core_costs *core =
            td_bill_read(line, &bill) ? find_core(c, bill.chip, bill.x, bill.y, bill.core) : NULL;
        if (!core || !(bill.zone_ps | bill.message_ps | bill.point_ps))
            continue;
        core->zone_ns = (double)bill.zone_ps / 1000;
        core->message_ns = (double)bill.message_ps / 1000;
        core->point_ns = (double)bill.point_ps / 1000;
        known++;
    }
    return known;
}

static bool has_costs(const struct core_costs *core)
{
    return core->zone_ns > 0 || core->message_ns > 0 || core->point_ns > 0;
}

/* A core's plots have its place at the end of their names: "queue (0/1,2/BRISC)". */
static int find_plots(const struct compensation *c)
{
    const struct td_dict *dict = td_trace_dict(c->trace);
    for (uint32_t p = 0; p < td_dict_plot_count(dict); p++) {
        unsigned chip, x, y;
        char name[32];
        const char *place = strrchr(td_dict_text(dict, td_dict_get_plot(dict, p)->name), '(');
        if (!place || sscanf(place, "(%9u/%9u,%9u/%31[^)])", &chip, &x, &y, name) != 4)
            continue;
        for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
            const struct td_track *track = td_dict_get_track(dict, t);
            const char *core = td_track_is_core(track) ? strrchr(td_dict_text(dict, track->name), ' ') : NULL;
            struct core_costs *costs = &c->cores[t];
            if (!core || !has_costs(costs) || track->chip != chip || track->x != x || track->y != y ||
                strcmp(core + 1, name) != 0)
                continue;
            if (TD_APPEND(costs->plots, costs->plot_count, costs->plot_capacity, p) < 0)
                return TD_E_NOMEM;
        }
    }
    return 0;
}

TD_COMPARE(by_start, struct made_zone, TD_UP(start_ns))

static int find_made_zones(const struct compensation *c, uint32_t track)
{
    const struct td_dict *dict = td_trace_dict(c->trace);
    struct core_costs *core = &c->cores[track];
    struct td_zones zones;
    for (uint32_t row = 0; row < td_trace_rows(c->trace, track); row++)
        for (uint64_t at = 0; td_trace_zones_read(c->trace, track, row, at, TD_ZONES_ALL, &zones);
             at += zones.count)
            for (uint32_t i = 0; i < zones.count; i++) {
                const uint32_t srcloc = (uint32_t)zones.column[TD_ZONE_SRCLOC][i];
                const int64_t length = zones.column[TD_ZONE_DURATION][i];
                if (!(td_dict_get_srcloc(dict, srcloc)->flags & TD_SRCLOC_LOST))
                    continue;
                if (td_grow(&core->made, &core->made_capacity, core->made_count + 1, sizeof *core->made))
                    return TD_E_NOMEM;
                const bool waits = strcmp(td_dict_zone_name(dict, srcloc), TD_NAME_STALL) == 0 && length > 0;
                core->made[core->made_count++] =
                    (struct made_zone){zones.column[TD_ZONE_START][i], waits ? length : 0};
            }
    if (core->made_count)
        qsort(core->made, core->made_count, sizeof *core->made, by_start);
    for (size_t i = 1; i < core->made_count; i++)
        core->made[i].waited_ns += core->made[i - 1].waited_ns;
    return 0;
}

/* ---- what is inside a zone ---- */

/* The number of made zones that begin before a time. */
static size_t made_before(const struct core_costs *core, int64_t time_ns)
{
    size_t low = 0, high = core->made_count;
    TD_BISECT(low, high, middle, core->made[middle].start_ns < time_ns);
    return low;
}

static uint64_t child_end(const struct td_series *row, uint64_t zones)
{
    return zones ? (uint64_t)td_series_get(row, zones - 1, TD_ZONE_CHILD_END) : 0;
}

/* Zones at any depth below this one. In each row they follow each other. */
static uint64_t zones_inside(const struct compensation *c, uint32_t track, uint32_t row, uint64_t zone)
{
    uint64_t first = zone, end = zone + 1, count = 0;
    for (; first < end; row++) {
        const struct td_series *zones = td_trace_row(c->trace, track, row);
        first = child_end(zones, first);
        end = child_end(zones, end);
        count += end > first ? end - first : 0;
    }
    return count;
}

static size_t messages_before(const struct compensation *c, uint32_t track, int64_t time_ns)
{
    size_t low = 0, high = td_trace_track_messages(c->trace, track);
    TD_BISECT(low, high, middle,
              td_trace_message(c->trace, td_trace_track_message(c->trace, track, middle)).time_ns < time_ns);
    return low;
}

static size_t points_before(const struct compensation *c, uint32_t plot, int64_t time_ns)
{
    size_t low = 0, high = td_trace_plot_points(c->trace, plot);
    TD_BISECT(low, high, middle, td_trace_plot_point(c->trace, plot, middle).time_ns < time_ns);
    return low;
}

static double between(size_t first, size_t end)
{
    return end > first ? (double)(end - first) : 0;
}

static int64_t compensated_length(const void *self, uint32_t track, uint32_t row, uint64_t zone,
                                  int64_t start_ns, int64_t length_ns)
{
    const struct compensation *c = self;
    const struct core_costs *core = &c->cores[track];
    if (!has_costs(core))
        return length_ns;
    const int64_t end_ns = td_wrap_add(start_ns, length_ns);
    const size_t first = made_before(core, start_ns + 1), end = made_before(core, end_ns);
    const uint64_t inside = zones_inside(c, track, row, zone);
    double cost = core->zone_ns * between(end > first ? end - first : 0, inside);
    if (end > first)
        cost += (double)(core->made[end - 1].waited_ns - (first ? core->made[first - 1].waited_ns : 0));
    cost += core->message_ns *
            between(messages_before(c, track, start_ns + 1), messages_before(c, track, end_ns));
    for (size_t i = 0; i < core->plot_count; i++)
        cost += core->point_ns * between(points_before(c, core->plots[i], start_ns + 1),
                                         points_before(c, core->plots[i], end_ns));
    return cost < (double)length_ns ? length_ns - (int64_t)(cost + 0.5) : 0;
}

/* ---- the copy ---- */

static int copy_shortened(struct td_trace *to, const struct compensation *c, struct td_err *err)
{
    const struct td_copy_options options = {.length = compensated_length, .length_self = c};
    struct td_copier *copier = td_copier_create(to, err);
    int rc = copier ? td_copier_add(copier, c->trace, &options, err) : err->code;
    rc = rc ? rc : td_copier_end(copier, err);
    td_copier_destroy(copier);
    return rc ? rc : td_trace_finish(to, err);
}

static int read_costs(struct compensation *c, struct td_err *err)
{
    const uint32_t tracks = td_dict_track_count(td_trace_dict(c->trace));
    c->cores = calloc((size_t)tracks + 1, sizeof *c->cores);
    if (!c->cores)
        return td_fail_no_memory(err, "for the costs of markers");
    if (!read_bills(c))
        return td_fail(
            err, TD_E_NOTFOUND,
            "the trace does not say how long its cores' markers took: it is no recording of cores by "
            "this release, or the simulator ran in real time");
    int rc = find_plots(c);
    for (uint32_t t = 0; rc == 0 && t < tracks; t++)
        if (has_costs(&c->cores[t]))
            rc = find_made_zones(c, t);
    return rc ? td_fail_no_memory(err, "for the costs of markers") : 0;
}

struct td_trace *td_trace_compensate(const struct td_trace *trace, uint64_t memory_bytes, struct td_err *err)
{
    struct compensation c = {.trace = trace};
    const uint32_t tracks = td_dict_track_count(td_trace_dict(trace));
    struct td_trace *to = NULL;
    int rc = read_costs(&c, err);
    if (rc == 0) {
        struct td_dict *dict = td_dict_create();
        to = dict ? td_trace_create_within(dict, memory_bytes) : NULL;
        rc = to ? copy_shortened(to, &c, err) : td_fail_no_memory(err, NULL);
    }
    for (uint32_t t = 0; c.cores && t < tracks; t++) {
        free(c.cores[t].made);
        free(c.cores[t].plots);
    }
    free(c.cores);
    if (rc == 0)
        return to;
    td_trace_destroy(to);
    return NULL;
}
