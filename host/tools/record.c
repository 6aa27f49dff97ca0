/* tendril record: runs a program on a board and writes one trace of both. */
#include "host/agent/recorder.h"
#include "host/base/interrupt.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/file/file.h"
#include "host/tools/commands.h"
#include "host/tools/shared/collect_options.h"
#include "host/tools/shared/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_summary(const struct td_recorder_result *r, const char *path)
{
    const struct td_board_summary *b = &r->board;
    printf("cores        %" PRIu32 " of %" PRIu32 " wrote markers\n", b->lanes_used, b->lanes);
    printf("zones        %" PRIu64 " on cores, %" PRIu64 " in the program\n", b->zones, r->host_zones);
    if (b->left_open)
        printf("never closed %" PRIu64 " of them, open when their cores stopped or the recording ended\n",
               b->left_open);
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
    if (b->damages)
        printf("damage       %" PRIu32 " lanes were overwritten; the trace's notes say which\n", b->damages);
    printf("trace        %s\n", TD_PLAIN(path));
}

static int record_program(const struct td_recorder_options *options, struct output *output,
                          struct td_file_options *file, int quiet, struct td_err *err)
{
    struct td_trace *trace;
    struct td_recorder_result result;
    if (td_recorder_run(options, &trace, &result, err) < 0)
        return 1;
    if (result.stopped[0])
        fprintf(stderr, "tendril record: %s\n", result.stopped);
    file->threads = result.save_threads;
    int rc = output_write(output, trace, file, err);
    td_trace_destroy(trace);
    if (output->saved[0] && file->notice->text[0])
        fprintf(stderr, "tendril record: %s\n", TD_PLAIN(file->notice->text));
    if (output->saved[0] && !quiet)
        print_summary(&result, output->saved);
    if (rc < 0)
        return 1;
    if (result.trouble[0]) {
        td_fail(err, TD_E_GONE, "%s", result.trouble);
        return result.program_code ? result.program_code : 1;
    }
    return 0;
}

static const char details[] =
    "FILE is opened before the program starts. A recording that cannot be written there "
    "in the end (full disk, deleted folder) is not lost: on a terminal you are asked "
    "for another name; otherwise the recording goes to a new file in TMPDIR, or "
    "/tmp, which the error names. Ctrl-C, SIGTERM and SIGHUP ask the program to end; "
    "what was recorded is saved.\n"
    "\n"
    "Exit code: that of a program that failed, 1 the program could not be recorded to "
    "its end, or the trace not written to FILE, 2 wrong usage.";

int td_cmd_record(int argc, char **argv, struct td_err *err)
{
    const char *board = NULL, *at = NULL, *grid = NULL, *elf = NULL, *offset = NULL, *drift = NULL,
               *format = "any";
    struct collect_options collect = {0};
    struct output output = {.command = "tendril record", .path = "trace.tracy", .keep = 1};
    int policy = 0, tracks = 0, insn = 0, drain = 0, quiet = 0;
    const struct td_option options[] = {
        {'b', "board", TD_OPT_STRING, &board, "NAME", "board, or its description file (default tensix_sim)",
         0, 0, 0},
        {0, "at", TD_OPT_STRING, &at, "WHERE",
         "attach to a board that runs: FILE, pci:BDF, tenstorrent:N, usb, serial:DEVICE, tcp:HOST:PORT, "
         "unix:PATH",
         0, 0, 0},
        {0, "drain", TD_OPT_CHOICE, &drain, "D",
         "who drains lanes: the host, a spare core, or the one that suits the board",
         TD_RECORDER_DRAIN_CHOICES, 0, 0},
        {0, "grid", TD_OPT_STRING, &grid, "WxH", "tiles to use (default: the board's)", 0, 0, 0},
        {'o', "output", TD_OPT_STRING, &output.path, "FILE", "trace to write (default trace.tracy)", 0, 0, 0},
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
        COLLECT_OPTIONS(collect),
        {'q', "quiet", TD_OPT_FLAG, &quiet, NULL, "no summary", 0, 0, 0},
        TD_OPTION_DEBUG,
        {0}};
    const struct td_command_line line = {
        .name = "tendril record",
        .usage = "[options] -- PROGRAM [ARGS]",
        .summary = "Runs PROGRAM on a board and writes one Tracy trace of cores and program.",
        .options = options,
        .min_args = 1,
        .max_args = -1,
        .details = details,
        .stop_at_operand = true,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    argv[1 + args.count] = NULL;
    struct td_file_notice notice = {0};
    struct td_file_options fo = {.notice = &notice, .contexts = tracks};
    struct td_collection_options collection;
    if (td_file_format(format, &fo, err) < 0 || collect_options_parse(&collect, &collection, err) < 0)
        return err->code;
    const struct td_recorder_board_options bo = {.board = board || at ? board : "tensix_sim",
                                                 .at = at,
                                                 .drain = (enum td_recorder_drain)drain,
                                                 .grid = grid,
                                                 .policy = (enum td_policy)(TD_POLICY_BLOCK + policy),
                                                 .offset_ns = offset,
                                                 .drift_ppm = drift};
    struct td_recorder_options ro = {.boards = &bo,
                                     .board_count = 1,
                                     .elf_dirs = &elf,
                                     .elf_dir_count = elf != NULL,
                                     .collection = collection,
                                     .insn_clock = insn,
                                     .program = argv + 1,
                                     .interrupted = td_interrupt_count()};
    if (output_open(&output, TD_OUT_REPLACE, err) < 0)
        return 1;
    int code = record_program(&ro, &output, &fo, quiet, err);
    output_close(&output);
    return code;
}
