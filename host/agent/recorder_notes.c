/* Trouble for the user, and notes in the trace. */
#include "host/agent/recorder_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

void td_recorder_trouble(struct recorder *r, const char *format, ...)
{
    if (r->result->trouble[0])
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(r->result->trouble, sizeof r->result->trouble, format, args);
    va_end(args);
}

static void note_program(struct recorder *r)
{
    char how[120];
    int status = r->program.status;
    r->result->program_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (!td_child_has_failed(&r->program, how, sizeof how))
        return;
    if (r->asked_to_stop)
        td_recorder_trouble(r, "stopped by the user; the trace holds what ran until then");
    else
        td_recorder_trouble(r,
                            "%s %s; its own message above says why, the trace shows what it did until then",
                            r->options->program[0], how);
}

/* The counts of all boards. */
static struct td_board_summary sum_boards(const struct recorder *r)
{
    struct td_board_summary sum = {.clock_error_ns = -1};
    for (size_t i = 0; i < r->board_count; i++) {
        const struct td_board_summary *s = td_board_source_summary(r->boards[i].source);
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
        sum.faults += s->faults;
        sum.damages += s->damages;
        sum.clock_error_ns = s->clock_error_ns > sum.clock_error_ns ? s->clock_error_ns : sum.clock_error_ns;
    }
    return sum;
}

static int note_boards(struct recorder *r)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->board_count; i++) {
        const struct td_board *b = &r->boards[i].board;
        rc = td_trace_note(r->collection.trace, TD_NOTE_BOARD, "%s %" PRIu32 "x%" PRIu32, b->name,
                           b->grid_width, b->grid_height);
    }
    return rc;
}

static int note_counts(struct recorder *r)
{
    const struct td_board_summary *s = &r->result->board;
    int rc = 0;
    if (s->clock_error_ns >= 0)
        rc = td_trace_note(r->collection.trace, TD_NOTE_CLOCK_ERROR_NS, "%.0f", s->clock_error_ns);
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
        rc = td_trace_note(r->collection.trace, counts[i].key, "%" PRIu64, counts[i].value);
    return rc;
}

static int note_lines(struct recorder *r, const char *key, uint32_t count, const struct recorder_board *b,
                      const char *(*line)(const struct td_board_source *source, uint32_t index))
{
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = td_trace_note(r->collection.trace, key, "%s", line(b->source, i));
    return rc;
}

/* Virtual time is on no clock. */
static int note_clock(struct recorder *r)
{
    struct td_clock_origin origin;
    if (r->virtual_clock)
        return 0;
    td_clock_origin_of_ticks(&origin, &r->began, r->t0, r->ns_per_tick);
    return td_clock_origin_note(r->collection.trace, &origin);
}

static int write_notes(struct recorder *r, struct td_err *err)
{
    int rc = note_boards(r);
    if (rc == 0 && r->board_count)
        rc = note_counts(r);
    for (size_t i = 0; rc == 0 && i < r->board_count; i++) {
        const struct recorder_board *b = &r->boards[i];
        const struct td_board_summary *s = td_board_source_summary(b->source);
        rc = note_lines(r, TD_NOTE_FAULT, s->faults, b, td_board_source_fault);
        rc = rc ? rc : note_lines(r, TD_NOTE_DAMAGE, s->damages, b, td_board_source_damage);
    }
    if (rc == 0)
        rc = note_clock(r);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

/* The program, else the first process that sent events, else the first board. */
static const char *name_recording(const struct recorder *r)
{
    if (!r->options->program)
        return r->first_process[0] || !r->board_count ? r->first_process : r->boards[0].board.name;
    const char *name = strrchr(r->options->program[0], '/');
    return name ? name + 1 : r->options->program[0];
}

static int fill_info(struct recorder *r, struct td_err *err)
{
    struct td_trace_info *info = td_trace_edit_info(r->collection.trace);
    const char *name = name_recording(r);
    /* In virtual time, the same input gives the same bytes: the trace has neither date nor process of this
     * run. */
    time_t now = r->virtual_clock ? 0 : time(NULL);
    char capture[300], when[40] = "virtual time";
    struct tm tm;
    if (!r->virtual_clock && localtime_r(&now, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    snprintf(capture, sizeof capture, "%.200s @ %s", name, when);
    info->capture_time_s = (uint64_t)now;
    info->resolution_ns = 1;
    if (info->timer_mul == 0)
        info->timer_mul = 1.0;
    if (td_trace_set_string(&info->capture_name, capture) < 0 ||
        td_trace_set_string(&info->program, name) < 0)
        return td_fail_no_memory(err, NULL);
    return 0;
}

/* What went wrong on the boards. Damage comes first, because it may have caused the other trouble. */
static void judge_damage(struct recorder *r)
{
    for (size_t i = 0; i < r->board_count; i++)
        if (td_board_source_summary(r->boards[i].source)->damages)
            td_recorder_trouble(r, "%s; the rest was recorded",
                                td_board_source_damage(r->boards[i].source, 0));
}

static void judge_boards(struct recorder *r)
{
    for (size_t i = 0; i < r->board_count; i++) {
        const struct td_board_source *source = r->boards[i].source;
        const char *missing = td_board_source_missing_image(source);
        if (td_board_source_summary(source)->faults)
            td_recorder_trouble(r, "a core stopped: %s", td_board_source_fault(source, 0));
        if (missing)
            td_recorder_trouble(
                r, "no ELF with build id %s: its zones have no names; name its folder with --elf DIR",
                missing);
    }
}

int td_recorder_write_notes(struct recorder *r, struct td_err *err)
{
    r->result->board = sum_boards(r);
    judge_damage(r);
    if (r->options->program)
        note_program(r);
    judge_boards(r);
    int rc = fill_info(r, err);
    return rc ? rc : write_notes(r, err);
}
