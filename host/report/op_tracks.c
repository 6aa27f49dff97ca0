#include "host/report/op_tracks.h"
#include "proto/track_text.h"

#include <stdio.h>
#include <string.h>

static bool is_op_track(const struct td_dict *dict, uint32_t track, uint32_t *chip)
{
    const struct td_track *t = td_dict_get_track(dict, track);
    const char *name = td_dict_text(dict, t->name);
    unsigned number;
    int bytes = 0;
    if (td_track_is_core(t) || t->context || sscanf(name, "chip %9u operations%n", &number, &bytes) != 1 ||
        !bytes)
        return false;
    *chip = number;
    return name[bytes] == 0 || name[bytes] == ' ';
}

static uint32_t run_id_of(const struct td_dict *dict, uint32_t string)
{
    const char *text = td_dict_text(dict, string), *line;
    size_t at = 0, bytes;
    uint32_t id = 0;
    while (td_text_line(text, strlen(text), &at, &line, &bytes))
        if (td_op_text_read(line, bytes, &id))
            return id;
    return 0;
}

static int give_zone(const struct td_trace *trace, const struct td_op_sums_options *options, uint32_t chip,
                     const struct td_zone *zone, int64_t previous_end, struct td_err *err)
{
    const struct td_op_span none = {TD_OP_NO_TIME, TD_OP_NO_TIME, TD_OP_NO_TIME, TD_OP_NO_TIME};
    const struct td_op_span span = {zone->start_ns, zone->start_ns, zone->end_ns, zone->end_ns};
    const struct td_dict *dict = td_trace_dict(trace);
    struct td_op_sum op = {.device = chip,
                           .run_id = run_id_of(dict, zone->text),
                           .trace = TD_OP_NO_TRACE,
                           .replay = TD_OP_NO_TRACE,
                           .name = zone->name ? td_dict_text(dict, zone->name)
                                              : td_dict_zone_name(dict, zone->srcloc),
                           .fw = span,
                           .kernel = span,
                           .data_kernel = none,
                           .cb_wait_front = -1,
                           .cb_reserve_back = -1,
                           .latency = TD_OP_NO_TIME,
                           .data_latency = TD_OP_NO_TIME};
    for (unsigned i = 0; i < TD_OP_RISC_COUNT; i++)
        op.risc[i] = none;
    if (options->clock)
        op.clock = options->clock(options->self, chip);
    if (previous_end != TD_OP_NO_TIME)
        op.latency = zone->start_ns - previous_end;
    return options->give(options->self, &op, err);
}

int td_op_tracks_read(const struct td_trace *trace, const struct td_op_sums_options *options,
                      struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    int rc = 0;
    for (uint32_t t = 0; rc == 0 && t < td_dict_track_count(dict); t++) {
        uint32_t chip;
        int64_t previous_end = TD_OP_NO_TIME;
        if (!is_op_track(dict, t, &chip) || !td_trace_rows(trace, t))
            continue;
        for (size_t i = 0; rc == 0 && i < td_trace_row_zones(trace, t, 0); i++) {
            const struct td_zone zone = td_trace_zone(trace, t, 0, i);
            if (zone.end_ns == TD_OPEN)
                continue;
            rc = give_zone(trace, options, chip, &zone, previous_end, err);
            previous_end = zone.end_ns;
        }
    }
    return rc;
}
