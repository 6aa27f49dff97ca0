/* Trouble for the user, and notes in the trace. */
#include "host/agent/board/board_notes.h"
#include "host/agent/recorder_internal.h"
#include "host/trace/origin.h"

#include <math.h>
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
        td_recorder_trouble(r, "%s %s; the trace shows what it did until then", r->options->program[0], how);
}

/* Where the trace's clock is, as far as it is known now. */
static struct td_clock_origin journal_clock(struct recorder *r)
{
    struct td_clock_origin origin;
    char text[TD_CLOCK_ORIGIN_TEXT];
    td_clock_origin_of_ticks(&origin, &r->began, r->t0, r->ns_per_tick);
    td_clock_origin_text(&origin, text);
    td_journal_put_setting(r->collection.options.journal, "clock_origin", "%s", text);
    return origin;
}

void td_recorder_journal_clock(struct recorder *r)
{
    if (!r->virtual_clock)
        journal_clock(r);
}

/* Virtual time is on no clock. */
static int note_clock(struct recorder *r)
{
    if (r->virtual_clock)
        return 0;
    struct td_clock_origin origin = journal_clock(r);
    td_clock_origin_move(&origin, td_trace_origin(r->collection.trace));
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

static const char *name_board(const struct recorder *r)
{
    if (r->board_count)
        return r->boards[0].board.name;
    for (size_t i = 0; i < r->agent_count; i++)
        if (r->agents[i].board_count)
            return td_board_player_board(r->agents[i].boards[0].player)->name;
    return "";
}

/* The program, else the first process that sent events, else the first board. */
static const char *name_recording(const struct recorder *r)
{
    if (!r->options->program)
        return r->first_process[0] ? r->first_process : name_board(r);
    const char *name = strrchr(r->options->program[0], '/');
    return name ? name + 1 : r->options->program[0];
}

/* What went wrong on the boards. Damage comes first, because it may have caused the other trouble. */
static void judge_damage(struct recorder *r, const struct td_noted_board *boards, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (td_board_source_summary(boards[i].source)->damages)
            td_recorder_trouble(r, "%s; %s", td_board_source_damage(boards[i].source, 0),
                                td_board_source_summary(boards[i].source)->unknown_lanes
                                    ? "what was lost there is not known"
                                    : "the rest was recorded");
}

static void judge_boards(struct recorder *r, const struct td_noted_board *boards, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct td_board_source *source = boards[i].source;
        const char *missing = td_board_source_missing_image(source);
        if (td_board_source_summary(source)->faults)
            td_recorder_trouble(r, "a core stopped: %s", td_board_source_fault(source, 0));
        if (td_board_source_lacks_tt_buffers(source))
            td_recorder_trouble(
                r, "no buffers of tt-metal's device profiler are in the memory of the board's tiles: "
                   "run the program with TT_METAL_DEVICE_PROFILER=1 (or TT_METAL_STREAMING_PROFILER=1), and "
                   "give tiles it uses");
        if (td_board_source_lacks_stamps(source))
            td_recorder_trouble(r,
                                "zones of kernels that were built with STAMPED are missing: the timestampers "
                                "are not read through a probe or relay");
        if (missing)
            td_recorder_trouble(
                r, "no ELF with build id %s: its zones have no names; name its folder with --elf DIR",
                missing);
    }
}

int td_recorder_describe(struct recorder *r, struct td_err *err)
{
    const uint64_t when_s = r->virtual_clock ? 0 : (uint64_t)time(NULL);
    td_journal_put_setting(r->collection.options.journal, "when", "%llu", (unsigned long long)when_s);
    return td_board_notes_name(r->collection.trace, name_recording(r), when_s, err);
}

/* All boards, with those of agents. NULL: no memory; the caller frees. */
static struct td_noted_board *list_boards(const struct recorder *r, size_t *count)
{
    size_t all = r->board_count + 1, n = 0;
    for (size_t i = 0; i < r->agent_count; i++)
        all += r->agents[i].board_count;
    struct td_noted_board *noted = calloc(all, sizeof *noted);
    for (size_t i = 0; noted && i < r->board_count; i++)
        noted[n++] = (struct td_noted_board){&r->boards[i].board, r->boards[i].source};
    for (size_t i = 0; noted && i < r->agent_count; i++)
        for (size_t k = 0; k < r->agents[i].board_count; k++) {
            const struct td_board_player *player = r->agents[i].boards[k].player;
            if (td_board_player_source(player))
                noted[n++] =
                    (struct td_noted_board){td_board_player_board(player), td_board_player_source(player)};
        }
    *count = n;
    return noted;
}

static int note_agents(struct recorder *r, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < r->agent_count; i++) {
        char bound[40] = "not compared";
        if (isfinite(r->agents[i].bound_ns))
            snprintf(bound, sizeof bound, "%.0f ns", r->agents[i].bound_ns);
        rc = td_trace_note(r->collection.trace, TD_NOTE_PROCESS, "agent %s: %s",
                           td_agent_source_where(r->agents[i].source), bound);
    }
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

int td_recorder_write_notes(struct recorder *r, struct td_err *err)
{
    size_t count;
    struct td_noted_board *noted = list_boards(r, &count);
    if (!noted)
        return td_fail_no_memory(err, NULL);
    r->result->board = td_board_notes_sum(noted, count);
    for (size_t i = 0; i < r->board_count; i++)
        if (r->boards[i].board.simulated && !r->boards[i].virtual_clock)
            r->result->simulated_real_time = true;
    judge_damage(r, noted, count);
    if (r->options->program)
        note_program(r);
    judge_boards(r, noted, count);
    int rc = td_recorder_describe(r, err);
    rc = rc ? rc : td_board_notes_write(r->collection.trace, noted, count, err);
    rc = rc ? rc : note_agents(r, err);
    free(noted);
    if (rc == 0 && (note_processes(r) < 0 || note_clock(r) < 0))
        rc = td_fail_no_memory(err, NULL);
    return rc ? rc : td_recorder_add_sources(r, err);
}
