/* What each core did, from one pass over the zones of the cores. */
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/report/ops/core_walk.h"
#include "host/report/html/html_internal.h"
#include "proto/track_text.h"
#include "host/trace/walk.h"

#include <stdlib.h>
#include <string.h>

TD_COMPARE(by_place, struct td_html_core, TD_UP(chip) TD_UP(y) TD_UP(x) TD_UP(number) TD_UP(track))

static int list_cores(struct td_html_cores *cores, const struct td_dict *dict)
{
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        struct td_core_place place;
        if (!td_core_place_of(dict, t, &place))
            continue;
        if (TD_APPEND(cores->list, cores->count, cores->capacity,
                      (struct td_html_core){.track = t,
                                            .chip = place.device,
                                            .x = place.x,
                                            .y = place.y,
                                            .number = place.lane,
                                            .first_ns = INT64_MAX,
                                            .last_ns = INT64_MIN}) < 0)
            return TD_E_NOMEM;
    }
    if (cores->count)
        qsort(cores->list, cores->count, sizeof *cores->list, by_place);
    return 0;
}

static int list_chips(struct td_html_cores *cores)
{
    struct td_html_chip *chip = NULL;
    for (size_t i = 0; i < cores->count; i++) {
        const struct td_html_core *core = &cores->list[i];
        if (!chip || chip->chip != core->chip) {
            if (td_grow(&cores->chips, &cores->chip_capacity, cores->chip_count + 1, sizeof *cores->chips) <
                0)
                return TD_E_NOMEM;
            chip = &cores->chips[cores->chip_count++];
            *chip = (struct td_html_chip){.chip = core->chip,
                                          .first = i,
                                          .first_ns = INT64_MAX,
                                          .last_ns = INT64_MIN,
                                          .x_min = core->x,
                                          .x_max = core->x,
                                          .y_min = core->y,
                                          .y_max = core->y};
        }
        chip->count++;
        chip->x_min = core->x < chip->x_min ? core->x : chip->x_min;
        chip->x_max = core->x > chip->x_max ? core->x : chip->x_max;
        chip->y_min = core->y < chip->y_min ? core->y : chip->y_min;
        chip->y_max = core->y > chip->y_max ? core->y : chip->y_max;
    }
    return 0;
}

static void add_to_sum(struct td_html_zone_sum *sum, int64_t ns)
{
    sum->count++;
    sum->total_ns += ns;
    sum->max_ns = ns > sum->max_ns ? ns : sum->max_ns;
}

static void add_zone(struct td_html_cores *cores, struct td_html_chip *chip, struct td_html_core *core,
                     uint32_t row, int64_t start_ns, int64_t end_ns, uint32_t srcloc, uint32_t flags)
{
    const int64_t ns = end_ns - start_ns;
    if (flags & (TD_SRCLOC_WAIT | TD_SRCLOC_LOST) && srcloc < cores->zone_count)
        add_to_sum(&cores->zones[srcloc], ns);
    if (flags & TD_SRCLOC_LOST) {
        core->stall_ns += ns;
        core->gap_ns += row == 0 ? ns : 0;
    } else if (flags & TD_SRCLOC_WAIT) {
        core->wait_ns += ns;
        td_html_bins_add(chip->wait, start_ns, end_ns, cores->end_ns);
    }
    if (row != 0 || flags & TD_SRCLOC_LOST)
        return;
    core->launches++;
    core->busy_ns += ns;
    core->first_ns = start_ns < core->first_ns ? start_ns : core->first_ns;
    core->last_ns = end_ns > core->last_ns ? end_ns : core->last_ns;
    td_html_bins_add(chip->busy, start_ns, end_ns, cores->end_ns);
}

/* An imported launch whose end is not in the file has no length. */
static bool has_no_end(const struct td_trace *trace, uint32_t track, uint64_t index)
{
    const struct td_zone zone = td_trace_zone(trace, track, 0, (size_t)index);
    return zone.text && strstr(td_dict_text(td_trace_dict(trace), zone.text), TD_NO_END_TEXT);
}

static void read_row(struct td_html_cores *cores, struct td_html_chip *chip, struct td_html_core *core,
                     const struct td_trace *trace, uint32_t row, struct td_zones *zones)
{
    const unsigned columns =
        1u << TD_ZONE_START | 1u << TD_ZONE_DURATION | 1u << TD_ZONE_SRCLOC | 1u << TD_ZONE_EXTRA;
    const struct td_dict *dict = td_trace_dict(trace);
    for (uint64_t first = 0;
         td_trace_zones_read(trace, core->track, row, first, columns, zones) && zones->count;
         first += zones->count)
        for (uint32_t i = 0; i < zones->count; i++) {
            const uint32_t srcloc = (uint32_t)zones->column[TD_ZONE_SRCLOC][i];
            const uint32_t flags = td_dict_get_srcloc(dict, srcloc)->flags;
            const int64_t start = zones->column[TD_ZONE_START][i], ns = zones->column[TD_ZONE_DURATION][i];
            if (row == 0 && zones->column[TD_ZONE_EXTRA][i] && has_no_end(trace, core->track, first + i))
                continue;
            if (row == 0 || flags & (TD_SRCLOC_WAIT | TD_SRCLOC_LOST))
                add_zone(cores, chip, core, row, start,
                         ns >= 0                 ? start + ns
                         : cores->end_ns > start ? cores->end_ns
                                                 : start,
                         srcloc, flags);
        }
}

int td_html_cores_read(struct td_html_cores *cores, const struct td_trace *trace, struct td_err *err)
{
    struct td_zones *zones = malloc(sizeof *zones);
    const struct td_dict *dict = td_trace_dict(trace);
    cores->end_ns = td_trace_get_info(trace)->last_time_ns;
    cores->zone_count = td_dict_srcloc_count(dict);
    cores->zones = calloc(cores->zone_count + 1, sizeof *cores->zones);
    int rc = zones && cores->zones ? list_cores(cores, dict) : TD_E_NOMEM;
    rc = rc ? rc : list_chips(cores);
    for (size_t c = 0; rc == 0 && c < cores->chip_count; c++) {
        struct td_html_chip *chip = &cores->chips[c];
        for (size_t i = chip->first; i < chip->first + chip->count; i++) {
            struct td_html_core *core = &cores->list[i];
            for (uint32_t row = 0; row < td_trace_rows(trace, core->track); row++)
                read_row(cores, chip, core, trace, row, zones);
            chip->first_ns = core->first_ns < chip->first_ns ? core->first_ns : chip->first_ns;
            chip->last_ns = core->last_ns > chip->last_ns ? core->last_ns : chip->last_ns;
        }
    }
    free(zones);
    return rc ? td_fail_no_memory(err, "for the cores") : 0;
}

void td_html_cores_free(struct td_html_cores *cores)
{
    free(cores->list);
    free(cores->chips);
    free(cores->zones);
    *cores = (struct td_html_cores){0};
}
