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

static int write_notes(struct recorder *r, struct td_err *err)
{
    const struct td_board_summary *s = td_board_source_summary(r->source);
    int rc = td_trace_note(r->collection.trace, TD_NOTE_BOARD, "%s %" PRIu32 "x%" PRIu32, r->board.name,
                           r->board.grid_width, r->board.grid_height);
    if (rc == 0 && s->clock_error_ns >= 0)
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
    for (uint32_t i = 0; rc == 0 && i < s->faults; i++)
        rc = td_trace_note(r->collection.trace, TD_NOTE_FAULT, "%s", td_board_source_fault(r->source, i));
    for (uint32_t i = 0; rc == 0 && i < s->damages; i++)
        rc = td_trace_note(r->collection.trace, TD_NOTE_DAMAGE, "%s", td_board_source_damage(r->source, i));
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

static int fill_info(struct recorder *r, struct td_err *err)
{
    struct td_trace_info *info = td_trace_edit_info(r->collection.trace);
    const char *name = strrchr(r->options->program[0], '/');
    name = name ? name + 1 : r->options->program[0];
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

int td_recorder_write_notes(struct recorder *r, struct td_err *err)
{
    r->result->board = *td_board_source_summary(r->source);
    /* Damage comes first, because it may have caused the other trouble. */
    if (r->result->board.damages)
        td_recorder_trouble(r, "%s; the rest was recorded", td_board_source_damage(r->source, 0));
    note_program(r);
    const char *missing = td_board_source_missing_image(r->source);
    if (r->result->board.faults)
        td_recorder_trouble(r, "a core stopped: %s", td_board_source_fault(r->source, 0));
    if (missing)
        td_recorder_trouble(
            r, "no ELF with build id %s: its zones have no names; name its folder with --elf DIR", missing);
    int rc = fill_info(r, err);
    return rc ? rc : write_notes(r, err);
}
