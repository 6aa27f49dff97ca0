/* Trouble for the user, and notes in the trace. */
#include "host/agent/board/board_notes.h"
#include "host/agent/recorder_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Virtual time is on no clock. */
static int note_clock(struct recorder *r)
{
    struct td_clock_origin origin;
    if (r->virtual_clock)
        return 0;
    td_clock_origin_of_ticks(&origin, &r->began, r->t0, r->ns_per_tick);
    return td_clock_origin_note(r->collection.trace, &origin);
}

/* One process that reads the trace's clock is described by the trace itself. */
static int note_processes(struct recorder *r)
{
    int rc = 0;
    if (r->process_count <= 1 && !(r->result->client_error_ns > 0))
        return 0;
    for (size_t i = 0; rc == 0 && i < r->process_count; i++)
        rc = td_trace_note(r->collection.trace, TD_NOTE_PROCESS, "%s", r->processes[i]);
    return rc;
}

/* The program, else the first process that sent events, else the first board. */
static const char *name_recording(const struct recorder *r)
{
    if (!r->options->program)
        return r->first_process[0] || !r->board_count ? r->first_process : r->boards[0].board.name;
    const char *name = strrchr(r->options->program[0], '/');
    return name ? name + 1 : r->options->program[0];
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

int td_recorder_describe(struct recorder *r, struct td_err *err)
{
    return td_board_notes_name(r->collection.trace, name_recording(r),
                               r->virtual_clock ? 0 : (uint64_t)time(NULL), err);
}

int td_recorder_write_notes(struct recorder *r, struct td_err *err)
{
    struct td_noted_board *noted = calloc(r->board_count + 1, sizeof *noted);
    if (!noted)
        return td_fail_no_memory(err, NULL);
    for (size_t i = 0; i < r->board_count; i++)
        noted[i] = (struct td_noted_board){&r->boards[i].board, r->boards[i].source};
    r->result->board = td_board_notes_sum(noted, r->board_count);
    judge_damage(r);
    if (r->options->program)
        note_program(r);
    judge_boards(r);
    int rc = td_recorder_describe(r, err);
    rc = rc ? rc : td_board_notes_write(r->collection.trace, noted, r->board_count, err);
    free(noted);
    if (rc == 0 && (note_processes(r) < 0 || note_clock(r) < 0))
        rc = td_fail_no_memory(err, NULL);
    return rc ? rc : td_recorder_add_sources(r, err);
}
