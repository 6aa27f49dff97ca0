#include "host/agent/board/board_notes.h"
#include "host/device/board/coordinates.h"
#include "host/trace/note_kinds.h"
#include "host/trace/origin.h"
#include "proto/chip_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

struct td_board_summary td_board_notes_sum(const struct td_noted_board *boards, size_t count)
{
    struct td_board_summary sum = {.clock_error_ns = -1};
    for (size_t i = 0; i < count; i++) {
        const struct td_board_summary *s = td_board_source_summary(boards[i].source);
        sum.lanes += s->lanes;
        sum.lanes_used += s->lanes_used;
        sum.zones += s->zones;
        sum.messages += s->messages;
        sum.points += s->points;
        sum.lost_zones += s->lost_zones;
        sum.lost_other += s->lost_other;
        sum.stalls += s->stalls;
        sum.bad_slots += s->bad_slots;
        sum.link_lost_slots += s->link_lost_slots;
        sum.link_bad_frames += s->link_bad_frames;
        sum.left_open += s->left_open;
        sum.unnamed_sites += s->unnamed_sites;
        sum.samples += s->samples;
        sum.unnamed_samples += s->unnamed_samples;
        sum.missed_samples += s->missed_samples;
        sum.faults += s->faults;
        sum.damages += s->damages;
        sum.unknown_lanes += s->unknown_lanes;
        sum.tt_launches += s->tt_launches;
        sum.tt_missed += s->tt_missed;
        sum.tt_full += s->tt_full;
        sum.tt_ring_launches += s->tt_ring_launches;
        sum.tt_lost_words += s->tt_lost_words;
        sum.clock_error_ns = s->clock_error_ns > sum.clock_error_ns ? s->clock_error_ns : sum.clock_error_ns;
    }
    return sum;
}

static int note_names(struct td_trace *trace, const struct td_noted_board *boards, size_t count)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const struct td_board *b = boards[i].board;
        rc = td_trace_note(trace, TD_NOTE_BOARD, "%s %" PRIu32 "x%" PRIu32, b->name, b->grid_width,
                           b->grid_height);
    }
    return rc;
}

static int note_clocks(struct td_trace *trace, const struct td_noted_board *noted)
{
    int rc = 0;
    for (uint32_t chip = 0; rc == 0 && chip < noted->board->chips; chip++) {
        char text[160];
        struct td_chip_clock clock = {.chip = td_board_source_first_chip(noted->source) + chip,
                                      .mhz = noted->board->frequency_hz / 1e6,
                                      .worker_cores = noted->board->grid_width * noted->board->grid_height};
        snprintf(clock.arch, sizeof clock.arch, "%s", noted->board->name);
        td_chip_clock_text(text, sizeof text, &clock);
        rc = td_trace_note(trace, TD_NOTE_CHIP_CLOCK, "%s", text);
    }
    return rc;
}

static int note_clock_parts(struct td_trace *trace, const struct td_noted_board *noted)
{
    struct td_clock_part parts[TD_CLOCK_PARTS];
    char text[160];
    int rc = 0;
    for (uint32_t chip = 0; rc == 0 && chip < noted->board->chips; chip++) {
        const size_t count = td_board_source_clock_parts(noted->source, chip, parts, TD_CLOCK_PARTS);
        for (size_t i = 0; rc == 0 && i < count; i++) {
            parts[i].from_ns -= td_trace_origin(trace);
            td_clock_part_text(text, sizeof text, &parts[i]);
            rc = td_trace_note(trace, TD_NOTE_CLOCK_PART, "%s", text);
        }
    }
    return rc;
}

static int note_maps(struct td_trace *trace, const struct td_noted_board *noted)
{
    int rc = 0;
    for (uint32_t chip = 0; rc == 0 && chip < noted->board->chips; chip++) {
        char text[TD_CHIP_MAP_BYTES];
        struct td_chip_map map;
        if (!td_board_chip_map(noted->board, chip, &map))
            continue;
        map.chip += td_board_source_first_chip(noted->source);
        td_chip_map_text(text, &map);
        rc = td_trace_note(trace, TD_NOTE_CHIP_MAP, "%s", text);
    }
    return rc;
}

static int note_counts(struct td_trace *trace, const struct td_board_summary *s)
{
    int rc = 0;
    if (s->clock_error_ns >= 0)
        rc = td_trace_note(trace, TD_NOTE_CLOCK_ERROR_NS, "%.0f", s->clock_error_ns);
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{TD_NOTE_LOST, s->lost_zones},
                  {TD_NOTE_LOST_OTHER, s->lost_other},
                  {TD_NOTE_STALLS, s->stalls},
                  {TD_NOTE_BAD_BYTES, s->bad_slots * 8},
                  {TD_NOTE_LINK_LOST, s->link_lost_slots},
                  {TD_NOTE_LINK_BAD, s->link_bad_frames}};
    const size_t link_counts = 2, all = sizeof counts / sizeof *counts;
    const size_t shown = s->link_lost_slots || s->link_bad_frames ? all : all - link_counts;
    for (size_t i = 0; rc == 0 && i < shown; i++)
        rc = td_trace_note(trace, counts[i].key, "%" PRIu64, counts[i].value);
    if (rc == 0 && s->unknown_lanes)
        rc = td_trace_note(trace, TD_NOTE_LOST_UNKNOWN, "%" PRIu32, s->unknown_lanes);
    return rc;
}

static int note_lines(struct td_trace *trace, const char *key, uint32_t count, const struct td_noted_board *b,
                      const char *(*line)(const struct td_board_source *source, uint32_t index))
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = td_trace_note(trace, key, "%s", line(b->source, i));
    return rc;
}

static int note_bills(struct td_trace *trace, const struct td_noted_board *noted)
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < td_board_source_summary(noted->source)->lanes; i++) {
        char text[TD_BILL_BYTES];
        struct td_bill bill;
        if (!td_board_source_bill(noted->source, i, &bill))
            continue;
        td_bill_text(text, &bill);
        rc = td_trace_note(trace, TD_NOTE_BILL, "%s", text);
    }
    return rc;
}

int td_board_notes_write(struct td_trace *trace, const struct td_noted_board *boards, size_t count,
                         struct td_err *err)
{
    const struct td_board_summary sum = td_board_notes_sum(boards, count);
    int rc = note_names(trace, boards, count);
    if (rc == 0 && count)
        rc = note_counts(trace, &sum);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const struct td_board_summary *s = td_board_source_summary(boards[i].source);
        rc = note_lines(trace, TD_NOTE_FAULT, s->faults, &boards[i], td_board_source_fault);
        rc = rc ? rc : note_clocks(trace, &boards[i]);
        rc = rc ? rc : note_clock_parts(trace, &boards[i]);
        rc = rc ? rc : note_maps(trace, &boards[i]);
        rc = rc ? rc : note_lines(trace, TD_NOTE_DAMAGE, s->damages, &boards[i], td_board_source_damage);
        rc = rc ? rc : note_bills(trace, &boards[i]);
    }
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

int td_board_notes_name(struct td_trace *trace, const char *name, uint64_t capture_time_s, struct td_err *err)
{
    struct td_trace_info *info = td_trace_edit_info(trace);
    const time_t at = (time_t)capture_time_s;
    char capture[300], when[40] = "virtual time";
    struct tm tm;
    if (at && localtime_r(&at, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    snprintf(capture, sizeof capture, "%.200s @ %s", name, when);
    info->capture_time_s = capture_time_s;
    if (info->timer_mul == 0)
        info->timer_mul = 1.0;
    if (td_trace_set_string(&info->capture_name, capture) < 0 ||
        td_trace_set_string(&info->program, name) < 0)
        return td_fail_no_memory(err, NULL);
    return 0;
}
