/* tendril record: records boards and programs in one trace. */
#include "host/base/source_file.h"
#include "host/agent/recorder.h"
#include "host/base/interrupt.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/file/file.h"
#include "host/tools/commands.h"
#include "host/tools/recording/collect_options.h"
#include "host/tools/files/cut_files.h"
#include "host/tools/files/format_option.h"
#include "host/tools/recording/journaling.h"
#include "host/tools/recording/on_op.h"
#include "host/tools/files/output.h"
#include "host/tools/files/rank_output.h"
#include "host/tools/recording/serving.h"
#include "host/tools/files/source_files.h"
#include "host/tools/recording/source_options.h"
#include "host/tools/recording/system_watch.h"
#include "host/tools/recording/ttmetal.h"

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
    printf("programs     %" PRIu64 " process%s\n", r->sessions, r->sessions == 1 ? "" : "es");
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
    printf("lost         %s%" PRIu64 " zones, %" PRIu64 " other packets; %" PRIu64 " waits for room%s\n",
           b->unknown_lanes ? "at least " : "", b->lost_zones, b->lost_other, b->stalls,
           b->unknown_lanes ? "; the rest is not known" : "");
    if (b->tt_launches | b->tt_missed)
        printf("launches     %" PRIu64 " of tiles read from tt-metal's buffers, %" PRIu64 " missed; %" PRIu64
               " buffers were full\n",
               b->tt_launches, b->tt_missed, b->tt_full);
    if (b->tt_ring_launches | b->tt_lost_words)
        printf("launches     %" PRIu64 " of cores read from tt-metal's rings; %" PRIu64
               " words of them were written over before\n",
               b->tt_ring_launches, b->tt_lost_words);
    if (b->samples)
        printf("samples      %" PRIu64 " of cores, %" PRIu64 " of them in no known function\n", b->samples,
               b->unnamed_samples);
    if (b->missed_samples)
        printf("left out     %" PRIu64 " looks at tiles, because this machine was busy\n", b->missed_samples);
    if (r->simulated_real_time)
        printf("clock        real time: how long simulated cores take depends on this machine (--clock)\n");
    if (b->clock_error_ns >= 0)
        printf("clock error  below %.2f us\n", b->clock_error_ns / 1000);
    else
        printf("clock        virtual: that of the simulated board, not related to the host's\n");
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

/* What the command was asked for. */
struct record {
    struct td_recorder_options recorder;
    struct output output;
    struct td_file_options file;
    struct rank_output rank;
    struct journaling journaling;
    struct collect_options collect;
    struct cut_files cuts;
    struct serving serving;
    struct op_report report;
    const char *format, *program;
    struct ttmetal ttmetal;
    const char *kernels; /* their folder */
    int tracks, quiet, is_ttmetal;
};

/* ---- --serve ---- */

static int begin_serving(void *self, struct td_trace *trace, struct td_err *err)
{
    struct record *record = self;
    int rc = serving_begin(&record->serving, trace, err);
    if (rc == 0)
        serving_describe(&record->serving, record->program);
    return rc;
}

static void end_serving(void *self)
{
    struct record *record = self;
    serving_end(&record->serving, "tendril record");
}

/* ---- saving ---- */

/* For traces that are cut out of the recording. The recorder has set their facts. */
static int prepare_cut(void *self, struct td_trace *cut, struct td_file_options *options, struct td_err *err)
{
    const struct record *record = self;
    options->version = record->file.version;
    options->tenstorrent = record->file.tenstorrent;
    options->contexts = record->file.contexts;
    return 0;
}

/* Programs and kernels that were built without markers end well, but nobody wants their trace. */
static void print_hint(const struct record *record, const struct td_recorder_result *r)
{
    const struct td_board_summary *b = &r->board;
    if (record->recorder.sample_hz || record->recorder.sampling.hz ||
        b->lanes_used | b->samples | b->tt_launches | r->host_zones | r->host_messages)
        return;
    if (b->lanes)
        printf("hint         no marker ran: kernels have them with PROFILE=1, programs with TRACY_ENABLE\n");
    else
        printf("hint         no marker ran: build the program with TRACY_ENABLE, or sample it (--sample)\n");
}

/* Writes the trace and prints what there is to say about it; --rotate has written its files already. */
static int save_recording(struct record *record, const struct td_recorder_result *result,
                          struct td_trace *trace, struct td_err *err)
{
    const char *saved = record->output.saved;
    record->file.threads = result->save_threads;
    journaling_collected(&record->journaling);
    int rc = rank_output_name(&record->rank, trace, err);
    rc = rc < 0 ? rc : output_write(&record->output, trace, &record->file, err);
    if (saved[0] && record->file.notice->text[0])
        fprintf(stderr, "tendril record: %s\n", TD_PLAIN(record->file.notice->text));
    if (saved[0] && !record->quiet && (record->recorder.board_count || record->recorder.agent_count))
        print_summary(result, saved);
    else if (saved[0] && !record->quiet)
        print_programs(result, saved);
    if (saved[0] && !record->quiet)
        print_hint(record, result);
    return rc;
}

static int record_program(struct record *record, struct td_err *err)
{
    struct td_trace *trace;
    struct td_recorder_result result;
    int rc = op_report_begin(&record->report, &record->recorder, err);
    rc = rc ? rc : td_recorder_run(&record->recorder, &trace, &result, err);
    if (rc < 0) {
        op_report_end(&record->report, NULL, true, NULL);
        return 1;
    }
    if (result.unsampled[0])
        fprintf(stderr, "tendril record: the program was recorded without samples: %s\n", result.unsampled);
    if (result.stopped[0])
        fprintf(stderr, "tendril record: %s\n", result.stopped);
    if (result.about[0])
        fprintf(stderr, "tendril record: %s\n", TD_PLAIN(result.about));
    rc = record->recorder.collection.rotate ? 0 : save_recording(record, &result, trace, err);
    if (rc >= 0)
        rc = op_report_end(&record->report, trace, record->quiet, err);
    else
        op_report_end(&record->report, NULL, true, NULL);
    td_trace_destroy(trace);
    if (rc < 0)
        return 1;
    if (result.trouble[0]) {
        td_fail(err, TD_E_GONE, "%s", result.trouble);
        return result.program_code ? result.program_code : 1;
    }
    if (!result.loss[0])
        return 0;
    td_fail(err, TD_E_GONE, "%s", result.loss);
    return 1;
}

/* The file of the trace, its journal, and the recording between them. */
static int record_to_file(struct record *record, struct td_err *err)
{
    struct td_collection_options *collection = &record->recorder.collection;
    record->cuts = (struct cut_files){.command = record->output.command,
                                      .path = record->output.path,
                                      .quiet = record->quiet,
                                      .prepare = prepare_cut,
                                      .self = record};
    collection->files = cut_files_callbacks(&record->cuts);
    if (collection->rotate) {
        td_interrupt_catch();
        return cut_files_check(&record->cuts, err) < 0 ? 1 : record_program(record, err);
    }
    if (output_open(&record->output, TD_OUT_KEEP_OLD, err) < 0)
        return 1;
    journaling_begin(&record->journaling, &record->output, &record->collect, collection);
    struct td_journal *journal = record->journaling.journal;
    td_journal_put_setting(journal, "format", "%s", record->format);
    td_journal_put_setting(journal, "tracks", "%s", record->tracks ? "contexts" : "threads");
    if (record->recorder.program)
        td_journal_put_setting(journal, "program", "%s", record->program);
    if (record->rank.dir)
        td_journal_put_setting(journal, "rank", "%ld", record->rank.rank);
    int code = record_program(record, err);
    journaling_end(&record->journaling, err);
    output_close(&record->output);
    return code;
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
    "--report makes the report of `tendril report` when the recording has ended. In its folder, "
    "operations.jsonl gets a line for each operation of a device as it ends.\n"
    "\n"
    "--sample samples call stacks of PROGRAM and of the processes that it starts, and collects their context "
    "switches. They need no client of Tracy.\n"
    "\n"
    "Exit code: that of a program that failed, 1 the program could not be recorded to "
    "its end, or the trace not written to FILE, 2 wrong usage.";

static int begin_ttmetal(struct record *record, struct source_options *sources, struct td_err *err)
{
    struct td_recorder_options *recorder = &record->recorder;
    if (!recorder->program || recorder->board_count != 1 || recorder->tt_buffers.place)
        return td_fail(err, TD_E_USAGE, "--ttmetal is for one board and a PROGRAM, without --tt-buffers");
    int rc = ttmetal_begin(&record->ttmetal, &sources->board[0], recorder, err);
    record->kernels = record->ttmetal.kernels;
    if (rc == 0 && !recorder->elf_dir_count) {
        recorder->elf_dirs = &record->kernels;
        recorder->elf_dir_count = 1;
    }
    return rc;
}

/* Checks what belongs together, after the options were stored. */
static int complete_options(struct record *record, struct source_options *sources, int no_sources,
                            const struct td_words *folders, struct td_err *err)
{
    struct td_recorder_options *recorder = &record->recorder;
    if (td_file_format(record->format, &record->file, err) < 0 ||
        collect_options_parse(&record->collect, &recorder->collection, err) < 0 ||
        source_files_check(folders, no_sources, err) < 0 ||
        serving_check(&record->serving, recorder->collection.keep_ns, err) < 0)
        return err->code;
    if (record->serving.where)
        td_recorder_follow(recorder, (struct td_recorder_follower){record, begin_serving, end_serving});
    int rc = source_options_parse(sources, recorder, err);
    if (rc == 0 && record->is_ttmetal)
        rc = begin_ttmetal(record, sources, err);
    if (rc == 0 && recorder->sampling.hz > 0 && record->tracks)
        rc = td_fail(err, TD_E_USAGE, "--sample-cores needs cores as threads: leave --tracks out");
    return rc ? rc : rank_output_begin(&record->rank, &record->output.path, err);
}

const char td_summary_record[] = "Records boards, PROGRAM and other programs in one trace.";

int td_cmd_record(int argc, char **argv, struct td_err *err)
{
    struct record record = {.output = {.command = "tendril record", .path = "trace.tracy", .keep = 1},
                            .journaling = {.recover = td_cmd_recover},
                            .format = "any"};
    const char *elf = NULL;
    struct source_options sources = {0};
    struct td_tt_buffers_options tt_buffers = {0};
    struct td_words source_folders = {0};
    int clock = -1, no_sources = 0, sample = 0;
    long sample_hz = 0;
    const struct td_option options[] = {
        SOURCE_OPTIONS(sources),
        {'o', "output", TD_OPT_STRING, &record.output.path, "FILE", "trace to write (default trace.tracy)", 0,
         0, 0},
        {0, "rank-output", TD_OPT_STRING, &record.rank.dir, "DIR",
         "under mpirun or srun: write DIR/rank-NNNN.tracy, one trace for each rank", 0, 0, 0},
        {0, "tracks", TD_OPT_CHOICE, &record.tracks, "T", "cores as threads, or as GPU contexts",
         "threads|contexts", 0, 0},
        FORMAT_OPTION_ANY(&record.format),
        {0, "sample", TD_OPT_FLAG, &sample, NULL, "sample PROGRAM and the processes that it starts", NULL, 0,
         0},
        SAMPLE_HZ_OPTION(sample_hz),
        {0, "elf", TD_OPT_STRING, &elf, "DIR",
         "folder with kernels' ELFs, also in folders below it, if the program does not announce them", 0, 0,
         0},
        {0, "tt-buffers", TD_OPT_STRING, &tt_buffers.place, "PLACE",
         "record what tt-metal's own device profiler marks: auto, or ADDRESS[,LAYOUT] of its control words",
         0, 0, 0},
        {0, "tt-zones", TD_OPT_STRING, &tt_buffers.zones, "FILE",
         "its zone_src_locations.log, or a folder with it or with its kernels' ELFs", 0, 0, 0},
        {0, "ttmetal", TD_OPT_FLAG, &record.is_ttmetal, NULL,
         "PROGRAM is one of tt-metal: set what compiles its kernels with markers", NULL, 0, 0},
        {0, "clock", TD_OPT_CHOICE, &clock, "C", "simulator: real time, or virtual and deterministic",
         "host|insn", 0, 0},
        COLLECT_OPTIONS(record.collect),
        SERVING_OPTION(record.serving),
        OP_REPORT_OPTION(record.report),
        SOURCE_FILES_OPTIONS(source_folders, no_sources),
        {'q', "quiet", TD_OPT_FLAG, &record.quiet, NULL, "no summary", 0, 0, 0},
        TD_OPTION_DEBUG,
        {0}};
    const struct td_command_line line = {
        .name = "tendril record",
        .usage = "[options] [-- PROGRAM [ARGS]]",
        .summary = td_summary_record,
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
    struct td_source_rules rules;
    record.program = args.count ? argv[1] : "record";
    record.file = (struct td_file_options){.notice = &notice, .contexts = record.tracks};
    record.recorder = (struct td_recorder_options){.elf_dirs = &elf,
                                                   .elf_dir_count = elf != NULL,
                                                   .insn_clock = clock == 1,
                                                   .real_clock = clock == 0,
                                                   .sample_hz = !sample && !sample_hz ? 0
                                                                : sample_hz           ? sample_hz
                                                                                      : -1,
                                                   .tt_buffers = tt_buffers,
                                                   .no_sources = no_sources,
                                                   .source_rules = &rules,
                                                   .program = args.count ? argv + 1 : NULL,
                                                   .interrupted = td_interrupt_count()};
    int code = complete_options(&record, &sources, no_sources, &source_folders, err);
    if (code == 0) {
        code =
            td_source_rules_init(&rules, &source_folders, err) < 0 ? err->code : record_to_file(&record, err);
        td_source_rules_free(&rules);
    }
    ttmetal_end(&record.ttmetal);
    return code;
}
