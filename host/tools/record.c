/* tendril record: runs a program on a board and writes one trace of both. */
#include "host/agent/recorder.h"
#include "host/base/options.h"
#include "host/file/file.h"
#include "host/tools/commands.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile int interrupted;

static void on_signal(int number)
{
    interrupted++;
}

static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void print_summary(const struct td_recorder_result *r, const char *path)
{
    const struct td_board_summary *b = &r->board;
    printf("cores        %" PRIu32 " of %" PRIu32 " wrote markers\n", b->lanes_used, b->lanes);
    printf("zones        %" PRIu64 " on cores, %" PRIu64 " in the program\n", b->zones, r->host_zones);
    printf("messages     %" PRIu64 " on cores, %" PRIu64 " in the program\n", b->messages, r->host_messages);
    printf("lost         %" PRIu64 " zones, %" PRIu64 " other packets; %" PRIu64 " waits for room\n",
           b->lost_zones, b->lost_other, b->stalls);
    if (b->clock_error_ns >= 0)
        printf("clock error  below %.2f us\n", b->clock_error_ns / 1000);
    else
        printf("clock        virtual, not related to the host's\n");
    if (b->link_lost_slots || b->link_bad_frames)
        printf("link         %" PRIu64 " slots lost in %" PRIu64 " damaged frames\n", b->link_lost_slots,
               b->link_bad_frames);
    if (b->bad_slots)
        printf("bad bytes    %" PRIu64 "\n", b->bad_slots * 8);
    printf("trace        %s\n", path);
}

int td_cmd_record(int argc, char **argv, struct td_err *err)
{
    const char *board = NULL, *at = NULL, *grid = NULL, *out = "trace.tracy", *elf = NULL, *offset = NULL,
               *drift = NULL, *format = "any";
    int policy = 0, tracks = 0, insn = 0, drain = 0, quiet = 0;
    const struct td_option options[] = {
        {'b', "board", TD_OPT_STRING, &board, "NAME", "board, or its description file (default tensix_sim)",
         0, 0, 0},
        {0, "at", TD_OPT_STRING, &at, "WHERE",
         "attach to a board that runs: FILE, pci:BDF, tenstorrent:N, usb, serial:DEVICE, tcp:HOST:PORT, "
         "unix:PATH",
         0, 0, 0},
        {0, "drain", TD_OPT_CHOICE, &drain, "D",
         "who takes what lanes hold: the host, a spare core, or what fits", TD_RECORDER_DRAIN_CHOICES, 0, 0},
        {0, "grid", TD_OPT_STRING, &grid, "WxH", "tiles to use (default: the board's)", 0, 0, 0},
        {'o', "output", TD_OPT_STRING, &out, "FILE", "trace to write (default trace.tracy)", 0, 0, 0},
        {0, "policy", TD_OPT_CHOICE, &policy, "P", "what a core does when its lane is full",
         "block|drop|overwrite", 0, 0},
        {0, "tracks", TD_OPT_CHOICE, &tracks, "T", "cores as threads, or as GPU contexts", "threads|contexts",
         0, 0},
        {0, "format", TD_OPT_STRING, &format, "VERSION",
         "release that the trace is for: any, tt, 0.9.0 to 0.14.0 (default any: all open it)", 0, 0, 0},
        {0, "elf", TD_OPT_STRING, &elf, "DIR",
         "where kernels' ELFs are, if the program does not announce them", 0, 0, 0},
        {0, "clock", TD_OPT_CHOICE, &insn, "C", "simulator: real time, or virtual and deterministic",
         "host|insn", 0, 0},
        {0, "offset-ns", TD_OPT_STRING, &offset, "N", "simulator: offset injected into the board's clock", 0,
         0, 0},
        {0, "drift-ppm", TD_OPT_STRING, &drift, "X", "simulator: drift injected into the board's clock", 0, 0,
         0},
        {'q', "quiet", TD_OPT_FLAG, &quiet, NULL, "no summary", 0, 0, 0},
        {0}};
    const struct td_command_line line = {
        .name = "tendril record",
        .usage = "[options] -- PROGRAM [ARGS]",
        .summary = "Runs PROGRAM on a board and writes one Tracy trace of cores and program.",
        .options = options,
        .min_args = 1,
        .max_args = -1,
    };
    int operands = td_options_parse(&line, argc, argv, 1, err);
    if (operands < 0)
        return operands == -2 ? 0 : -1;
    argv[1 + operands] = NULL;
    struct td_file_notice notice = {0};
    struct td_file_options fo = {.notice = &notice, .contexts = tracks};
    if (td_file_format(format, &fo, err) < 0)
        return -1;
    catch_signals();
    struct td_recorder_options ro = {.board = board || at ? board : "tensix_sim",
                                     .at = at,
                                     .drain = (enum td_recorder_drain)drain,
                                     .grid = grid,
                                     .policy = (enum td_policy)(TD_POLICY_BLOCK + policy),
                                     .elf_dirs = &elf,
                                     .elf_dir_count = elf != NULL,
                                     .insn_clock = insn,
                                     .offset_ns = offset,
                                     .drift_ppm = drift,
                                     .program = argv + 1,
                                     .interrupted = &interrupted};
    struct td_trace *trace;
    struct td_recorder_result result;
    if (td_recorder_run(&ro, &trace, &result, err) < 0)
        return 1;
    int rc = td_file_write(trace, out, &fo, err);
    td_trace_destroy(trace);
    if (rc < 0)
        return 1;
    if (notice.text[0])
        fprintf(stderr, "tendril record: %s\n", notice.text);
    if (!quiet)
        print_summary(&result, out);
    if (result.trouble[0]) {
        td_fail(err, TD_E_GONE, "%s", result.trouble);
        return result.program_code ? result.program_code : 1;
    }
    return 0;
}
