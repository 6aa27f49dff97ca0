/* tendril record: records boards and programs in one trace. */
#include "host/agent/client/client_files.h"
#include "host/agent/recorder.h"
#include "host/base/interrupt.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/file/file.h"
#include "host/tools/commands.h"
#include "host/tools/shared/collect_options.h"
#include "host/tools/shared/journaling.h"
#include "host/tools/shared/output.h"
#include "host/tools/shared/rank_output.h"
#include "host/tools/shared/serving.h"
#include "host/tools/shared/source_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_clocks(const struct td_recorder_result *r)
{
    if (r->client_error_ns > 0)
        printf("clocks       of programs that do not read this machine's: right to %.2f us\n",
               r->client_error_ns / 1000);
}

static void print_programs(const struct td_recorder_result *r, const char *path)
{
    printf("programs     %" PRIu64 " processes\n", r->sessions);
    printf("zones        %" PRIu64 "\n", r->host_zones);
    printf("messages     %" PRIu64 "\n", r->host_messages);
    print_clocks(r);
    printf("trace        %s\n", TD_PLAIN(path));
}

static void print_summary(const struct td_recorder_result *r, const char *path)
{
    const struct td_board_summary *b = &r->board;
    if (r->sessions > 1)
        printf("programs     %" PRIu64 " processes\n", r->sessions);
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
    print_clocks(r);
    if (b->link_lost_slots || b->link_bad_frames)
        printf("link         %" PRIu64 " slots lost in %" PRIu64 " damaged frames\n", b->link_lost_slots,
               b->link_bad_frames);
    if (b->bad_slots)
        printf("bad bytes    %" PRIu64 "\n", b->bad_slots * 8);
    if (b->damages)
        printf("damage       %" PRIu32 " lanes were overwritten; the trace's notes say which\n", b->damages);
    printf("trace        %s\n", TD_PLAIN(path));
}

/* A recording that viewers follow (--serve). */
struct served {
    struct serving serving;
    const char *program;
};

static int begin_serving(void *self, struct td_trace *trace, struct td_err *err)
{
    struct served *served = self;
    int rc = serving_begin(&served->serving, trace, err);
    if (rc == 0)
        serving_describe(&served->serving, served->program);
    return rc;
}

static void end_serving(void *self)
{
    struct served *served = self;
    serving_end(&served->serving, "tendril record");
}

static int record_program(const struct td_recorder_options *options, struct output *output,
                          struct journaling *journaling, struct td_file_options *file,
                          const struct rank_output *rank, int quiet, struct td_err *err)
{
    struct td_trace *trace;
    struct td_recorder_result result;
    if (td_recorder_run(options, &trace, &result, err) < 0)
        return 1;
    if (result.stopped[0])
        fprintf(stderr, "tendril record: %s\n", result.stopped);
    file->threads = result.save_threads;
    journaling_collected(journaling);
    int rc = rank_output_name(rank, trace, err);
    rc = rc < 0 ? rc : output_write(output, trace, file, err);
    td_trace_destroy(trace);
    if (output->saved[0] && file->notice->text[0])
        fprintf(stderr, "tendril record: %s\n", TD_PLAIN(file->notice->text));
    if (output->saved[0] && !quiet && options->board_count)
        print_summary(&result, output->saved);
    else if (output->saved[0] && !quiet)
        print_programs(&result, output->saved);
    if (rc < 0)
        return 1;
    if (result.trouble[0]) {
        td_fail(err, TD_E_GONE, "%s", result.trouble);
        return result.program_code ? result.program_code : 1;
    }
    return 0;
}

static const char details[] =
    "PROGRAM runs on the boards: the first one is TENDRIL_BOARD, the next TENDRIL_BOARD_1, and so on. "
    "Without "
    "-b and --at there is one simulated board; with -a there is none. With several boards, -b begins a "
    "board, "
    "and --at, --grid, --policy, --drain, --offset-ns and --drift-ppm after it are its own; those before the "
    "first one are for all boards. Programs at -a may start and end at any time, and are of any release of "
    "Tracy. The recording ends with PROGRAM; without one, when all programs at -a have been there and none "
    "is "
    "left, or at Ctrl-C.\n"
    "\n"
    "FILE is opened before the program starts. A recording that cannot be written there "
    "in the end (full disk, deleted folder) is not lost: on a terminal you are asked "
    "for another name; otherwise the recording goes to a new file in TMPDIR, or "
    "/tmp, which the error names. Ctrl-C, SIGTERM and SIGHUP ask the program to end; "
    "what was recorded is saved.\n"
    "\n"
    "--serve lets viewers and recorders of any release connect to this recording as to a program, several at "
    "once. "
    "One that connects late gets everything from the start; a slow one does not slow the recording.\n"
    "\n"
    "Exit code: that of a program that failed, 1 the program could not be recorded to "
    "its end, or the trace not written to FILE, 2 wrong usage.";

int td_cmd_record(int argc, char **argv, struct td_err *err)
{
    const char *elf = NULL, *format = "any";
    struct source_options sources = {0};
    struct collect_options collect = {0};
    struct served served = {0};
    struct output output = {.command = "tendril record", .path = "trace.tracy", .keep = 1};
    struct rank_output rank = {0};
    struct td_words source_folders = {0};
    int tracks = 0, insn = 0, quiet = 0, no_sources = 0;
    const struct td_option options[] = {
        SOURCE_OPTIONS(sources),
        {'o', "output", TD_OPT_STRING, &output.path, "FILE", "trace to write (default trace.tracy)", 0, 0, 0},
        {0, "rank-output", TD_OPT_STRING, &rank.dir, "DIR",
         "under mpirun or srun: write DIR/rank-NNNN.tracy, one trace for each rank", 0, 0, 0},
        {0, "tracks", TD_OPT_CHOICE, &tracks, "T", "cores as threads, or as GPU contexts", "threads|contexts",
         0, 0},
        {0, "format", TD_OPT_STRING, &format, "VERSION",
         "release that the trace is for: any, tt, 0.9.0 to 0.14.0 (default any: all open it)", 0, 0, 0},
        {0, "elf", TD_OPT_STRING, &elf, "DIR",
         "where kernels' ELFs are, if the program does not announce them", 0, 0, 0},
        {0, "clock", TD_OPT_CHOICE, &insn, "C", "simulator: real time, or virtual and deterministic",
         "host|insn", 0, 0},
        COLLECT_OPTIONS(collect),
        SERVING_OPTION(served.serving),
        {0, "sources", TD_OPT_WORDS, &source_folders, "DIR",
         "store source files of this machine only from DIR; may be repeated", 0, 0, 0},
        {0, "no-sources", TD_OPT_FLAG, &no_sources, NULL, "store no source files", 0, 0, 0},
        {'q', "quiet", TD_OPT_FLAG, &quiet, NULL, "no summary", 0, 0, 0},
        TD_OPTION_DEBUG,
        {0}};
    const struct td_command_line line = {
        .name = "tendril record",
        .usage = "[options] [-- PROGRAM [ARGS]]",
        .summary = "Records boards, PROGRAM and other programs in one Tracy trace.",
        .options = options,
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
    struct td_collection_options collection = {0};
    if (td_file_format(format, &fo, err) < 0 || collect_options_parse(&collect, &collection, err) < 0)
        return err->code;
    if (no_sources && source_folders.count)
        return td_fail(err, TD_E_USAGE, "--sources and --no-sources exclude each other");
    struct td_source_rules rules;
    struct td_recorder_options ro = {.elf_dirs = &elf,
                                     .elf_dir_count = elf != NULL,
                                     .collection = collection,
                                     .insn_clock = insn,
                                     .no_sources = no_sources,
                                     .source_rules = &rules,
                                     .program = args.count ? argv + 1 : NULL,
                                     .interrupted = td_interrupt_count()};
    if (source_options_parse(&sources, &ro, err) < 0 || rank_output_begin(&rank, &output.path, err) < 0)
        return err->code;
    served.program = args.count ? argv[1] : "record";
    if (served.serving.where)
        ro.follower = (struct td_recorder_follower){&served, begin_serving, end_serving};
    int code = td_source_rules_init(&rules, &source_folders, err) < 0 ? err->code : 1;
    if (code == 1 && output_open(&output, TD_OUT_REPLACE, err) == 0) {
        struct journaling journaling;
        journaling_begin(&journaling, &output, &collect, &ro.collection);
        td_journal_put_setting(journaling.journal, "format", "%s", format);
        td_journal_put_setting(journaling.journal, "tracks", "%s", tracks ? "contexts" : "threads");
        td_journal_put_setting(journaling.journal, "program", "%s", served.program);
        code = record_program(&ro, &output, &journaling, &fo, &rank, quiet, err);
        journaling_end(&journaling, &output, err);
        output_close(&output);
    }
    td_source_rules_free(&rules);
    return code;
}
