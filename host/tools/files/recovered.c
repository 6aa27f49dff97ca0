#include "host/tools/files/recovered.h"
#include "host/agent/board/board_notes.h"
#include "host/agent/client/client_clock.h"
#include "host/agent/clock_origin.h"
#include "host/base/plain_text.h"
#include "host/file/file.h"
#include "host/trace/origin.h"
#include "host/tools/files/rank_output.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS INT64_C(1000000000)

bool recovered_is_recording(const struct td_journal_replay *replay)
{
    const char *command = td_journal_replay_setting(replay, "command");
    return td_journal_replay_board(replay, 0) || (command && strcmp(command, "tendril record") == 0);
}

/* The trace has room for the description of one process: that of the first one. */
static int describe_process(const struct td_journal_replay *replay, struct td_trace *trace)
{
    const struct td_client_replay *client = td_journal_replay_client(replay, 0);
    return client ? td_client_describe(td_client_replay_welcome(client), td_trace_edit_info(trace)) : 0;
}

/* The program, else the first process, else the first board: as the recorder names a recording. */
static const char *name_recording(const struct td_journal_replay *replay)
{
    const char *program = td_journal_replay_setting(replay, "program");
    const struct td_client_replay *client = td_journal_replay_client(replay, 0);
    const struct td_board_player *board = td_journal_replay_board(replay, 0);
    if (!program && client)
        return td_client_replay_welcome(client)->programName;
    if (!program)
        return board ? td_board_player_board(board)->name : "";
    const char *slash = strrchr(program, '/');
    return slash ? slash + 1 : program;
}

/* The boards, which the caller frees. NULL: no memory. */
static struct td_noted_board *list_boards(const struct td_journal_replay *replay, size_t *count)
{
    const struct td_board_player *player;
    for (*count = 0; td_journal_replay_board(replay, *count);)
        ++*count;
    struct td_noted_board *boards = calloc(*count + 1, sizeof *boards);
    for (size_t i = 0; boards && (player = td_journal_replay_board(replay, i)) != NULL; i++)
        boards[i] = (struct td_noted_board){td_board_player_board(player), td_board_player_source(player)};
    return boards;
}

/* One process that reads the trace's clock is described by the trace itself. */
static int note_processes(const struct td_journal_replay *replay, struct td_trace *trace)
{
    const struct td_client_replay *client;
    size_t count = 0;
    bool has_error = false;
    for (; (client = td_journal_replay_client(replay, count)) != NULL; count++)
        has_error |= td_client_replay_clock_error_ns(client) > 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && (count > 1 || has_error) && i < count; i++) {
        client = td_journal_replay_client(replay, i);
        const char *line = td_client_replay_process(client);
        if (line)
            rc = td_trace_note(trace, TD_NOTE_PROCESS, "%s", line);
        else
            rc = td_trace_note(trace, TD_NOTE_PROCESS, "%s: not known, the recording was killed",
                               td_client_replay_label(client));
    }
    return rc;
}

int recovered_note_clock(const struct td_journal_replay *replay, struct td_trace *trace, struct td_err *err)
{
    struct td_clock_origin origin;
    if (!td_clock_origin_parse(td_journal_replay_setting(replay, "clock_origin"), &origin))
        return 0;
    td_clock_origin_move(&origin, td_trace_origin(trace));
    if (td_clock_origin_note(trace, &origin) < 0)
        return td_fail_no_memory(err, "for the trace");
    return 0;
}

/* When what was recorded began, as the recorder has it. Journals of older releases have their time 0 there. */
static void begin_trace(const struct td_journal_replay *replay, struct td_trace *trace)
{
    const struct td_client_replay *client;
    const struct td_board_player *board;
    if (!td_journal_replay_setting(replay, "began_ns"))
        return;
    const int64_t began_ns = td_journal_replay_began_ns(replay);
    td_trace_expect_origin(trace, began_ns);
    if (td_journal_replay_board(replay, 0))
        td_trace_begins(trace, began_ns);
    for (size_t i = 0; (board = td_journal_replay_board(replay, i)) != NULL; i++)
        td_trace_begins(trace, td_board_source_begin_ns(td_board_player_source(board), began_ns));
    for (size_t i = 0; (client = td_journal_replay_client(replay, i)) != NULL; i++)
        td_trace_begins(trace, td_client_replay_begin_ns(client));
}

uint64_t recovered_when(const struct td_journal_replay *replay, int64_t last_ns)
{
    const char *when = td_journal_replay_setting(replay, "when");
    const uint64_t seconds =
        when && td_journal_replay_is_collected(replay) ? strtoull(when, NULL, 10) : UINT64_MAX;
    return seconds <= INT64_MAX / SECOND_NS ? seconds : (uint64_t)(last_ns / SECOND_NS);
}

/* --rank-output. */
static int name_rank(const struct td_journal_replay *replay, struct td_trace *trace, struct td_err *err)
{
    const char *rank = td_journal_replay_setting(replay, "rank");
    return rank ? rank_output_add(trace, strtol(rank, NULL, 10), err) : 0;
}

static int describe_trace(const struct recovered *r, struct td_trace *trace, struct td_board_summary *sum,
                          struct td_err *err)
{
    size_t count;
    const struct td_board_player *board = td_journal_replay_board(r->replay, 0);
    struct td_noted_board *boards = list_boards(r->replay, &count);
    if (!boards || describe_process(r->replay, trace) < 0) {
        free(boards);
        return td_fail_no_memory(err, "for the trace");
    }
    *sum = td_board_notes_sum(boards, count);
    int bad = td_board_notes_name(trace, name_recording(r->replay),
                                  board && td_board_player_is_virtual(board) ? 0 : r->when_s, err);
    bad = bad ? bad : td_board_notes_write(trace, boards, count, err);
    free(boards);
    if (!bad && note_processes(r->replay, trace) < 0)
        bad = td_fail_no_memory(err, "for the trace");
    bad = bad ? bad : recovered_note_clock(r->replay, trace, err);
    return bad ? bad : name_rank(r->replay, trace, err);
}

static void print_summary(const struct recovered *r, const struct td_board_summary *b)
{
    uint64_t zones = 0, messages = 0;
    const struct td_client_replay *client;
    for (size_t i = 0; (client = td_journal_replay_client(r->replay, i)) != NULL; i++) {
        zones += td_client_replay_counts(client)->zones;
        messages += td_client_replay_counts(client)->messages;
    }
    printf("cores        %" PRIu32 " of %" PRIu32 " wrote markers\n", b->lanes_used, b->lanes);
    printf("zones        %" PRIu64 " on cores, %" PRIu64 " in the program\n", b->zones, zones);
    printf("messages     %" PRIu64 " on cores, %" PRIu64 " in the program\n", b->messages, messages);
    printf("lost         %s%" PRIu64 " zones, %" PRIu64 " other packets; %" PRIu64 " waits for room%s\n",
           b->unknown_lanes ? "at least " : "", b->lost_zones, b->lost_other, b->stalls,
           b->unknown_lanes ? "; the rest is not known" : "");
    printf("trace        %s\n", TD_PLAIN(r->output->saved));
}

int recovered_save(const struct recovered *r, struct td_trace *trace, struct td_err *err)
{
    struct td_board_summary sum = {0};
    struct td_file_notice notice = {0};
    const char *format = r->format ? r->format : td_journal_replay_setting(r->replay, "format");
    const char *tracks = td_journal_replay_setting(r->replay, "tracks");
    struct td_file_options options = {
        .notice = &notice, .threads = r->threads, .contexts = tracks && strcmp(tracks, "contexts") == 0};
    int bad = td_file_format(format ? format : "any", &options, err);
    begin_trace(r->replay, trace);
    bad = bad ? bad : describe_trace(r, trace, &sum, err);
    bad = bad ? bad : td_trace_finish(trace, err);
    bad = bad ? bad : output_write(r->output, trace, &options, err);
    if (!r->output->saved[0])
        return bad;
    if (notice.text[0])
        fprintf(stderr, "%s: %s\n", r->output->command, TD_PLAIN(notice.text));
    if (!r->quiet)
        print_summary(r, &sum);
    return bad;
}
