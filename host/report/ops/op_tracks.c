#include "host/report/ops/op_tracks.h"
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/report/ops/op_busy.h"
#include "proto/track_text.h"

#include <stdio.h>
#include <stdlib.h>
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

/* An operation of such a track: those of a chip may overlap, on several tracks and inside one another. */
struct op_zone {
    uint32_t chip, track, row;
    size_t index;
    int64_t start_ns;
};

struct op_zones {
    struct op_zone *list;
    size_t count, room;
};

static int add_track(struct op_zones *zones, const struct td_trace *trace, uint32_t track, uint32_t chip)
{
    for (uint32_t row = 0; row < td_trace_rows(trace, track); row++)
        for (size_t i = 0; i < td_trace_row_zones(trace, track, row); i++) {
            const struct td_zone zone = td_trace_zone(trace, track, row, i);
            if (zone.end_ns == TD_OPEN)
                continue;
            if (TD_APPEND(zones->list, zones->count, zones->room,
                          (struct op_zone){chip, track, row, i, zone.start_ns}) < 0)
                return TD_E_NOMEM;
        }
    return 0;
}

TD_COMPARE(compare_op_zones, struct op_zone, TD_UP(chip) TD_UP(start_ns) TD_UP(track) TD_UP(row) TD_UP(index))

static struct td_op_sum sum_of_zone(const struct td_trace *trace, const struct td_op_sums_options *options,
                                    const struct op_zone *at)
{
    const struct td_op_span none = {TD_OP_NO_TIME, TD_OP_NO_TIME, TD_OP_NO_TIME, TD_OP_NO_TIME};
    const struct td_zone zone = td_trace_zone(trace, at->track, at->row, at->index);
    const struct td_op_span span = {zone.start_ns, zone.start_ns, zone.end_ns, zone.end_ns};
    const struct td_dict *dict = td_trace_dict(trace);
    struct td_op_sum op = {.device = at->chip,
                           .run_id = run_id_of(dict, zone.text),
                           .trace = TD_OP_NO_TRACE,
                           .replay = TD_OP_NO_TRACE,
                           .name = zone.name ? td_dict_text(dict, zone.name)
                                             : td_dict_zone_name(dict, zone.srcloc),
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
        op.clock = options->clock(options->self, at->chip);
    return op;
}

static struct td_op_launch launch_of(const struct td_op_sum *op, const struct op_zone *at)
{
    return (struct td_op_launch){.device = op->device,
                                 .run_id = op->run_id,
                                 .trace = op->trace,
                                 .replay = op->replay,
                                 .risc = TD_OP_OTHER_RISC,
                                 .fw_start = op->fw.first_start,
                                 .fw_end = op->fw.last_end,
                                 .kernel_start = op->kernel.first_start,
                                 .kernel_end = op->kernel.last_end,
                                 .cb_wait_front = -1,
                                 .cb_reserve_back = -1,
                                 .track = at->track,
                                 .row = at->row,
                                 .zone = at->index};
}

static int give_zones(const struct td_trace *trace, const struct td_op_sums_options *options,
                      const struct op_zones *zones, struct td_err *err)
{
    struct td_op_busy busy = {0};
    int64_t previous_end = TD_OP_NO_TIME;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < zones->count; i++) {
        struct td_op_sum op = sum_of_zone(trace, options, &zones->list[i]);
        if (i && zones->list[i - 1].chip != op.device) {
            busy = (struct td_op_busy){0};
            previous_end = TD_OP_NO_TIME;
        }
        const struct td_op_launch launch = launch_of(&op, &zones->list[i]);
        op.number = i;
        td_op_busy_place(&busy, &op);
        if (previous_end != TD_OP_NO_TIME)
            op.latency = td_wrap_sub(op.kernel.first_start, previous_end);
        previous_end = op.kernel.last_end;
        rc = options->join ? options->join(options->self, i, &launch, err) : 0;
        rc = rc ? rc : options->give(options->self, &op, err);
    }
    return rc;
}

int td_op_tracks_read(const struct td_trace *trace, const struct td_op_sums_options *options,
                      struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct op_zones zones = {0};
    int rc = 0;
    for (uint32_t t = 0; rc == 0 && t < td_dict_track_count(dict); t++) {
        uint32_t chip;
        if (is_op_track(dict, t, &chip) && add_track(&zones, trace, t, chip) < 0)
            rc = td_fail_no_memory(err, "for operations");
    }
    if (zones.count)
        qsort(zones.list, zones.count, sizeof *zones.list, compare_op_zones);
    rc = rc ? rc : give_zones(trace, options, &zones, err);
    free(zones.list);
    return rc;
}
