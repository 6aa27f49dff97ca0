/* tendril capture: collects the events of an instrumented program, or samples of any, and writes a trace. */
#include "host/agent/client/client_clock.h"
#include "host/agent/client/client_source.h"
#include "host/agent/clock_origin.h"
#include "host/agent/collection.h"
#include "host/agent/journal/client_journal.h"
#include "host/base/clock.h"
#include "host/base/interrupt.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/base/process.h"
#include "host/file/file.h"
#include "host/file/format.h"
#include "host/tools/commands.h"
#include "host/tools/recording/capture_daemon.h"
#include "host/tools/recording/capture_settings.h"
#include "host/tools/recording/collect_options.h"
#include "host/tools/files/cut_files.h"
#include "host/tools/files/format_option.h"
#include "host/tools/recording/journaling.h"
#include "host/tools/recording/serving.h"
#include "host/tools/recording/session_file.h"
#include "host/tools/files/source_files.h"
#include "host/tools/recording/system_watch.h"
#include "host/trace/trace.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STEP_MS 100 /* between checks of signals and limits, and between drawings of the status line */

/* Exit codes, those of stock capture; exit_code() chooses by the error. */
enum {
    EXIT_OK,
    EXIT_VERSION,
    EXIT_LOSS = EXIT_VERSION,
    EXIT_NOT_AVAILABLE,
    EXIT_DROPPED,
    EXIT_EXISTS,
    EXIT_NOT_WRITTEN,
    EXIT_DAMAGED
};

struct capture {
    const char *address, *format;
    struct collect_options collect;
    struct output output;
    struct cut_files cuts;
    const volatile int *interrupts;
    struct td_collection collection;
    long port, seconds, wait_s;
    int force, quiet, no_sources;
    struct capture_daemon_options daemon;
    struct system_watch system;
    struct td_words source_folders;
    struct td_source_rules source_rules;
    struct capture_settings settings;
    struct serving serving;
    struct td_client_source *source;
    struct journaling journaling;
    struct td_client_journal client_journal;
    int64_t began_ns, drawn_ns;
    struct td_clock_moment began;  /* for the note of the trace's clock */
    struct td_clock_origin origin; /* as noted last */
    uint64_t drawn_packed;
    int stopping, on_terminal;
    struct td_client_counts counts;
    struct td_err why; /* why the session ended early */
};

/* ---- the status line ---- */

static uint64_t resident_bytes(void)
{
    uint64_t bytes;
    td_process_memory(&bytes, NULL);
    return bytes;
}

static void draw_status(struct capture *c, int64_t now_ns)
{
    uint64_t packed, unpacked;
    td_client_source_bytes(c->source, &packed, &unpacked);
    double seconds = (double)(now_ns - c->drawn_ns) / 1e9;
    double mbps = seconds > 0 ? (double)(packed - c->drawn_packed) * 8 / 1e6 / seconds : 0;
    double part = unpacked ? 100. * (double)packed / (double)unpacked : 100;
    const struct td_client_counts counts = td_client_source_counts(c->source);
    fprintf(stderr,
            "\r%7.2f Mbps / %5.1f%% = %7.2f Mbps | %" PRIu64 " MB received | %" PRIu64 " MB memory | %" PRIu64
            " zones | %" PRIu64 " queries wait | %.1f s\033[K",
            mbps, part, part > 0 ? mbps * 100 / part : 0, packed >> 20, resident_bytes() >> 20, counts.zones,
            counts.questions, (double)(now_ns - c->began_ns) / 1e9);
    fflush(stderr);
    c->drawn_ns = now_ns;
    c->drawn_packed = packed;
}

/* ---- the session ---- */

static void stop_session(struct capture *c)
{
    if (!c->stopping)
        td_client_source_ask_end(c->source);
    c->stopping = 1;
}

static void print_connected(const struct capture *c)
{
    char timer[100];
    const struct td_wire_welcome *w = td_client_source_welcome(c->source);
    td_client_timer_text(w, timer, sizeof timer);
    fprintf(stderr, "\rconnected to %s (Tracy %s); %s\033[K\n", TD_PLAIN(w->programName),
            td_client_source_release(c->source)->tracy, timer);
}

/* The program's clock, if it is this machine's, or the time of day at which the program began. */
static struct td_clock_origin clock_origin(const struct capture *c)
{
    const struct td_wire_welcome *welcome = td_client_source_welcome(c->source);
    struct td_clock_origin origin;
    if (td_client_reads_our_clock(welcome, td_host_ns_per_tick(0)))
        td_clock_origin_of_ticks(&origin, &c->began, (uint64_t)welcome->initBegin, welcome->timerMul);
    else
        td_clock_origin_of_day(&origin, welcome->epoch);
    return origin;
}

static void journal_clock(const struct capture *c, const struct td_clock_origin *origin)
{
    char text[TD_CLOCK_ORIGIN_TEXT];
    td_clock_origin_text(origin, text);
    td_journal_put_setting(c->journaling.journal, "clock_origin", "%s", text);
}

/* Ends the session at a signal or at a limit. */
static void check_limits(struct capture *c)
{
    int64_t now_ns = td_mono_ns();
    int streams = td_client_source_get_state(c->source) >= TD_SOURCE_STREAM;
    if (streams && !c->began_ns) {
        c->began_ns = c->drawn_ns = now_ns;
        const struct td_clock_origin origin = clock_origin(c);
        journal_clock(c, &origin);
        td_collection_started(&c->collection);
        if (c->on_terminal)
            print_connected(c);
    }
    if (streams)
        serving_describe_client(&c->serving, c->source);
    if (*c->interrupts)
        stop_session(c);
    if (td_collection_look(&c->collection, c->source, 0, 0))
        stop_session(c);
    if (c->collection.memory.state == TD_MEMORY_OVER || c->collection.stop == TD_STOP_SIZE)
        td_client_source_take_answers(c->source);
    if (now_ns - c->drawn_ns < STEP_MS * INT64_C(1000000))
        return;
    if (streams && c->on_terminal)
        draw_status(c, now_ns);
}

/* Runs the session to its end. 0: there are events to save. */
static int collect_events(struct capture *c, struct td_err *err)
{
    int going;
    if (c->on_terminal)
        fprintf(stderr, "waiting for a program at %s:%ld ...", TD_PLAIN(c->address), c->port);
    while ((going = td_client_source_pump(c->source, &c->why)) == 1 && *c->interrupts < 2) {
        if (capture_settings_apply(&c->settings, c->collection.trace, c->source, err) < 0 ||
            serving_apply(&c->serving, c->source, err) < 0 ||
            system_watch_step(&c->system, td_client_source_get_state(c->source) >= TD_SOURCE_STREAM, err) < 0)
            return err->code;
        td_client_source_wait(c->source, STEP_MS);
        check_limits(c);
    }
    if (going == 1)
        going = td_client_source_end_now(c->source, &c->why);
    if (c->on_terminal)
        fprintf(stderr, "\r\033[K");
    /* A short session may begin and end within one step. */
    if (c->began_ns || td_client_source_counts(c->source).items)
        return 0;
    if (going < 0)
        return td_fail(err, going, "%s", c->why.text);
    return td_collection_fail_empty(&c->collection, err);
}

static int exit_code(const struct td_err *err)
{
    switch (err->code) {
    case TD_E_VERSION:
        return EXIT_VERSION;
    case TD_E_GONE:
    case TD_E_FORMAT:
        return EXIT_NOT_AVAILABLE;
    default:
        return EXIT_DROPPED;
    }
}

/* ---- the trace ---- */

static void describe_session(struct capture *c, struct session_file *session)
{
    *session = (struct session_file){
        .output = &c->output,
        .format = c->format,
        .welcome = td_client_source_welcome(c->source),
        .release = td_client_source_release(c->source),
        .counts = &c->counts,
        .frame_offset = td_client_source_frame_offset(c->source),
        .when = time(NULL),
        .threads = td_memory_watch_threads(&c->collection.memory),
    };
}

/* ---- the command ---- */

/* The newest protocol whose events all fit in the format that --format asks for. Tendril's client speaks
 * several protocols, and is asked for this one. 0: the program chooses. */
static uint32_t wanted_protocol(const struct capture *c)
{
    struct td_file_options wanted = {0}, offered = {0};
    const struct td_wire_release *release, *best = NULL;
    struct td_err unused;
    if (!c->format || !strcmp(c->format, "same") || td_file_format(c->format, &wanted, &unused) < 0)
        return 0;
    if (wanted.tenstorrent)
        return td_wire_66tt.protocol;
    for (size_t i = 0; (release = td_wire_release_at(i)) != NULL; i++)
        if (td_file_format(release->tracy, &offered, &unused) == 0 && offered.version <= wanted.version)
            best = release;
    return best ? best->protocol : 0;
}

static int begin_session(struct capture *c, struct td_err *err)
{
    td_clock_init();
    td_clock_moment_take(&c->began);
    if (td_collection_begin(&c->collection, err) < 0 ||
        serving_begin(&c->serving, c->collection.trace, err) < 0)
        return err->code;
    struct td_client_source_config config = {.host = c->address,
                                             .port = (int)c->port,
                                             .connect_ms = c->wait_s ? (int)c->wait_s * 1000 : INT_MAX,
                                             .hub = c->collection.hub,
                                             .protocol = wanted_protocol(c),
                                             .ns_per_tick = 1,
                                             .own_clock = 1,
                                             .sources = !c->no_sources,
                                             .source_rules = c->source_rules};
    config.tap = td_client_journal_init(&c->client_journal, c->journaling.journal);
    c->source = td_client_source_create(&config, err);
    return c->source ? 0 : TD_E_NOTFOUND;
}

/* Prints one line if the session ended early, or about the triggers. */
static void print_early_end(struct capture *c, const char *about)
{
    char line[300];
    td_memory_watch_ran_out(&c->collection.memory, &c->why);
    if (c->why.code && c->collection.memory.state != TD_MEMORY_FINE)
        c->collection.memory.state = TD_MEMORY_OVER; /* events that the program had sent are missing */
    if (c->collection.stop == TD_STOP_SECONDS)
        line[0] = 0; /* as the user wanted */
    else
        td_collection_tell(&c->collection, line, sizeof line);
    if (about[0] && c->collection.stop != TD_STOP_TRIGGER)
        fprintf(stderr, "tendril capture: %s\n", TD_PLAIN(about));
    if (line[0] || c->why.code)
        fprintf(stderr, "tendril capture: %s\n", line[0] ? line : c->why.text);
}

/* `saved`: what session_file_save() returned. */
static int exit_code_of_saved(const struct capture *c, int saved)
{
    if (saved < 0)
        return EXIT_NOT_WRITTEN;
    /* The death of the program and the limit of memory are normal ends of a session. */
    if (!c->why.code || c->why.code == TD_E_GONE || c->why.code == TD_E_TIMEOUT ||
        c->collection.memory.state != TD_MEMORY_FINE)
        return EXIT_OK;
    return EXIT_DAMAGED;
}

static int note_clock(struct capture *c, struct td_trace *trace)
{
    if (td_trace_is_finished(trace) || td_trace_get_note(trace, TD_NOTE_CLOCK_ORIGIN, 0))
        return 0;
    c->origin = clock_origin(c);
    return td_clock_origin_note(trace, &c->origin);
}

/* Faults of the program's markers, a line for each kind. */
static void print_faults(const struct capture *c)
{
    const char *fault;
    for (size_t i = 0; (fault = td_trace_get_note(c->collection.trace, TD_NOTE_INSTRUMENTATION, i)) != NULL;
         i++)
        fprintf(stderr, "tendril capture: wrong markers: %s\n", TD_PLAIN(fault));
}

/* The session's facts for a file that is written while it runs. */
static int prepare_cut(void *self, struct td_trace *cut, struct td_file_options *options, struct td_err *err)
{
    struct session_file session;
    describe_session(self, &session);
    if (note_clock(self, cut) < 0)
        return td_fail_no_memory(err, NULL);
    return session_file_prepare(&session, cut, options, err);
}

/* What --strict does not accept; in the order of causes. */
static int check_losses(struct capture *c, struct td_err *err)
{
    const struct td_client_counts *n = &c->counts;
    if (c->why.code)
        td_collection_lose(&c->collection, "%s", c->why.text);
    if (n->unnamed)
        td_collection_lose(&c->collection, "%" PRIu64 " events have no name: the program did not answer",
                           n->unnamed);
    if (n->ignored || n->odd_memory || n->time_bent)
        td_collection_lose(&c->collection,
                           "%" PRIu64 " unmatched items, %" PRIu64 " odd in memory, %" PRIu64 " odd times",
                           n->ignored, n->odd_memory, n->time_bent);
    return td_collection_check_losses(&c->collection, err) < 0 ? EXIT_LOSS : EXIT_OK;
}

/* With --rotate, all files are written. */
static int end_rotation(struct capture *c, int saved, const char *about, struct td_err *err)
{
    print_early_end(c, about);
    if (saved < 0)
        return EXIT_NOT_WRITTEN;
    int code = exit_code_of_saved(c, saved);
    return code ? code : check_losses(c, err);
}

/* Why the program's last seconds are worth a file of --rotate: it crashed or was killed. NULL: it ended. */
static const char *lost_program(const struct capture *c)
{
    return c->why.code == TD_E_GONE ? c->why.text : NULL;
}

/* Notes the trace's clock there and in the journal, which is complete then. */
static void end_journal(struct capture *c, time_t when)
{
    journal_clock(c, &c->origin);
    td_journal_put_setting(c->journaling.journal, "when", "%lld", (long long)when);
    journaling_collected(&c->journaling);
}

static int collect_and_save(struct capture *c, struct td_err *err)
{
    struct session_file session;
    char about[300];
    if (system_watch_begin(&c->system, &c->port, err) < 0 || begin_session(c, err) < 0)
        return EXIT_DROPPED;
    if (collect_events(c, err) < 0)
        return exit_code(err);
    c->counts = td_client_source_counts(c->source);
    serving_end(&c->serving, "tendril capture");
    if (lost_program(c))
        td_collection_report(&c->collection, TD_TRIGGER_CRASH, "the program went away (crash)");
    if (note_clock(c, c->collection.trace) < 0) {
        td_fail_no_memory(err, NULL);
        return EXIT_NOT_WRITTEN;
    }
    int saved = td_collection_finish(&c->collection, lost_program(c), about, sizeof about, err);
    if (c->collection.options.rotate)
        return end_rotation(c, saved, about, err);
    if (saved < 0) { /* then the trace is whole */
        fprintf(stderr, "tendril capture: more than wanted is saved: %s\n", TD_PLAIN(err->text));
        *err = (struct td_err){0};
    }
    describe_session(c, &session);
    end_journal(c, session.when);
    saved = session_file_save(&session, c->collection.trace, err);
    print_early_end(c, about);
    print_faults(c);
    if (!c->output.saved[0])
        return EXIT_NOT_WRITTEN;
    capture_settings_warn(&c->settings, c->collection.trace);
    if (!c->quiet)
        session_file_print(&session, c->collection.trace);
    int code = exit_code_of_saved(c, saved);
    return code ? code : check_losses(c, err);
}

static int capture_to_file(struct capture *c, struct td_err *err)
{
    c->interrupts = td_interrupt_count();
    c->on_terminal = isatty(STDERR_FILENO);
    c->cuts = (struct cut_files){.command = c->output.command,
                                 .path = c->output.path,
                                 .how = c->force ? TD_OUT_REPLACE : TD_OUT_NEW,
                                 .quiet = c->quiet,
                                 .prepare = prepare_cut,
                                 .self = c};
    c->collection.options.files = cut_files_callbacks(&c->cuts);
    if (c->collection.options.rotate) {
        td_interrupt_catch();
        int bad = cut_files_check(&c->cuts, err);
        return bad == TD_E_EXISTS ? EXIT_EXISTS : bad ? EXIT_NOT_WRITTEN : collect_and_save(c, err);
    }
    int bad = output_open(&c->output, c->force ? TD_OUT_REPLACE : TD_OUT_NEW | TD_OUT_CLAIM, err);
    if (bad)
        return bad == TD_E_EXISTS ? EXIT_EXISTS : EXIT_NOT_WRITTEN;
    journaling_begin(&c->journaling, &c->output, &c->collect, &c->collection.options);
    td_journal_put_setting(c->journaling.journal, "format", "%s", c->format ? c->format : "same");
    int code = collect_and_save(c, err);
    journaling_end(&c->journaling, err);
    output_close(&c->output);
    return code;
}

/* ---- --daemon ---- */

#define DAEMON_ARGUMENTS_MAX (3 * TD_WORDS_MAX)

struct daemon_arguments {
    const char *all[DAEMON_ARGUMENTS_MAX];
    size_t count;
    char seconds[24];
};

/* `value` NULL: no argument. */
static void add_argument(struct daemon_arguments *a, const char *option, const char *value)
{
    if (!value)
        return;
    a->all[a->count++] = option;
    a->all[a->count++] = value;
}

static int run_daemon(struct capture *c, struct td_err *err)
{
    struct daemon_arguments a = {0};
    snprintf(a.seconds, sizeof a.seconds, "%ld", c->seconds);
    add_argument(&a, "--seconds", c->seconds ? a.seconds : NULL);
    add_argument(&a, "--memory-limit", c->collect.memory_limit);
    add_argument(&a, "--format", c->format);
    for (size_t i = 0; i < c->source_folders.count && a.count < DAEMON_ARGUMENTS_MAX - 4; i++)
        add_argument(&a, "--sources", c->source_folders.words[i]);
    for (size_t i = 0; i < c->settings.words.count && a.count < DAEMON_ARGUMENTS_MAX - 4; i++)
        add_argument(&a, "--set", c->settings.words.words[i]);
    if (c->no_sources)
        a.all[a.count++] = "--no-sources";
    a.all[a.count] = NULL;
    c->daemon.arguments = a.all;
    c->daemon.quiet = c->quiet;
    return capture_daemon_run(&c->daemon, err) < 0 ? EXIT_NOT_WRITTEN : EXIT_OK;
}

static int check_daemon(struct capture *c, const char *keep_size, const char *keep_age, struct td_err *err)
{
    if (!c->daemon.folder && (c->daemon.filters.count || keep_size || keep_age))
        return td_fail(err, TD_E_USAGE, "--filter, --keep-size and --keep-age are for --daemon DIR");
    if (c->daemon.folder && c->output.path)
        return td_fail(err, TD_E_USAGE,
                       "--daemon and -o exclude each other: the files are named after programs");
    if (!c->daemon.folder && !c->output.path)
        return td_fail(err, TD_E_USAGE, "-o FILE is missing: which trace to write");
    if (keep_size && td_memory_size(keep_size, "--keep-size", &c->daemon.retention.size_bytes, err) < 0)
        return err->code;
    return retention_parse_age(keep_age, "--keep-age", &c->daemon.retention.age_s, err);
}

static const char details[] =
    "Waits for the program, collects its events until it ends, and writes FILE. Programs of every release of "
    "Tracy from " TD_WIRE_OLDEST_TRACY " to " TD_WIRE_NEWEST_TRACY
    " and of Tenstorrent's fork are understood. Ctrl-C ends the session and saves, as "
    "SIGTERM and SIGHUP do; a second one saves at once what was collected. When the program dies, what was "
    "collected is saved.\n"
    "\n"
    "FILE is opened first, and without -f no other capture can begin to write it. A session that cannot be "
    "written there in the end (full disk, deleted folder) is not lost: on a terminal you are asked for "
    "another "
    "name; otherwise the session goes to a new file in TMPDIR, or /tmp, which the error names.\n"
    "\n"
    "--format is the release that the file is for: same (that of the program), any (all releases from 0.9.1 "
    "or "
    "0.10 on), tt (Tenstorrent's fork), or a version from 0.9.0 to 0.14.0. A program with "
    "Tendril's client, which speaks several protocols, is asked for that release's.\n"
    "\n"
    "--set sets a parameter as the user of a viewer would, as soon as the program has set it up: NAME is its "
    "name there, VALUE a whole number, true or false; a trigger takes any. The summary lists all "
    "parameters.\n"
    "\n"
    "The trace gets the text of source files that the program names. Files of this machine are taken if they "
    "are older than the program, regular, of text, at most 16 MB, and have the suffix of a source language "
    "(links followed); otherwise the text is that which the program sends. Because a program can name any "
    "file, --sources limits the folders, and --no-sources stores no text. `tendril info` lists the files.\n"
    "\n"
    "--system needs no client in the program: it samples call stacks, and collects context switches, of "
    "PROGRAM and "
    "the processes that it starts, of a running process (--pid), or of the whole machine. Rights that are "
    "missing "
    "are a line each. The exit code is that of a PROGRAM that failed.\n"
    "\n"
    "--daemon records each program that announces itself (see tendril clients) into a file of its own, "
    "PROGRAM_DATE-TIME_PROCESS.tracy in DIR, until SIGTERM or Ctrl-C, which saves all. --filter limits the "
    "programs by name, as '*' patterns or /REGEX/. --keep-size and --keep-age delete the oldest finished "
    "files of these names; --keep-size leaves the newest. A process is recorded once. Several programs are "
    "recorded at the same time.\n"
    "\n"
    "--serve lets viewers and recorders of any release connect to this capture as to a program, several at "
    "once. One that connects late gets everything from the start; a slow one does not slow the capture. In "
    "the end they get the rest, for up to 30 s, and one that takes nothing for 3 s is dropped, with a line.\n"
    "\n"
    "Exit code: 1 the program speaks an unknown protocol, 2 wrong usage, or the program sends, or has "
    "sent, its events to another capture or viewer, or went away, 3 no program answered, 4 FILE exists, "
    "or another capture is going to write it, 5 FILE cannot be written (the session may be in another "
    "file, as the error says), 6 the program's data are damaged, or there is no memory to read them; the "
    "events before that are saved. With "
    "--strict also 1 for any loss.\n"
    "\n"
    "  tendril capture -o trace.tracy\n"
    "  tendril capture -f -o trace.tracy -a 192.168.1.7 -p 8087 -s 10\n"
    "  tendril capture --system -o trace.tracy -- ./program\n"
    "  tendril capture --daemon traces --filter 'render*' --keep-size 10G --keep-age 7d";

const char td_summary_capture[] = "Records an instrumented program, or samples of any program.";

int td_cmd_capture(int argc, char **argv, struct td_err *err)
{
    struct capture c = {.address = "127.0.0.1",
                        .port = TD_WIRE_PORT,
                        .journaling.recover = td_cmd_recover,
                        .output = {.command = "tendril capture", .keep = 1}};
    const char *keep_size = NULL, *keep_age = NULL;
    const struct td_option options[] = {
        {'o', "output", TD_OPT_STRING, &c.output.path, "FILE", "trace to write", NULL, 0, 0},
        {'a', "address", TD_OPT_STRING, &c.address, "ADDRESS", "where the program runs (default 127.0.0.1)",
         NULL, 0, 0},
        {'p', "port", TD_OPT_INT, &c.port, "PORT", "its port (default 8086)", NULL, 1, 65535},
        SYSTEM_WATCH_OPTIONS(c.system),
        {'f', "force", TD_OPT_FLAG, &c.force, NULL, "overwrite FILE if it exists", NULL, 0, 0},
        {'s', "seconds", TD_OPT_INT, &c.seconds, "SECONDS", "the same as --max-seconds", NULL, 1, INT_MAX},
        COLLECT_OPTIONS(c.collect),
        FORMAT_OPTION(&c.format, "release that the file is for (default: same)"),
        SERVING_OPTION(c.serving),
        {0, "set", TD_OPT_WORDS, &c.settings.words, "NAME=VALUE",
         "set a parameter that the program offers; may be repeated", NULL, 0, 0},
        SOURCE_FILES_OPTIONS(c.source_folders, c.no_sources),
        {0, "wait", TD_OPT_INT, &c.wait_s, "SECONDS", "give up if no program answers within SECONDS", NULL, 1,
         1000000},
        {0, "daemon", TD_OPT_STRING, &c.daemon.folder, "DIR",
         "record each program that announces itself into a file in DIR", NULL, 0, 0},
        {0, "filter", TD_OPT_WORDS, &c.daemon.filters, "PATTERN",
         "with --daemon: only programs of this name, a '*' pattern or /REGEX/; may be repeated", NULL, 0, 0},
        {0, "keep-size", TD_OPT_STRING, &keep_size, "SIZE",
         "with --daemon: delete the oldest files when all take more than SIZE (500M, 10G)", NULL, 0, 0},
        {0, "keep-age", TD_OPT_STRING, &keep_age, "AGE",
         "with --daemon: delete files that are older than AGE (12h, 7d)", NULL, 0, 0},
        {'q', "quiet", TD_OPT_FLAG, &c.quiet, NULL, "no summary", NULL, 0, 0},
        TD_OPTION_DEBUG,
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril capture",
        .usage = "-o FILE | --daemon DIR [options] [-- PROGRAM [ARGS]]",
        .summary = td_summary_capture,
        .options = options,
        .max_args = -1,
        .details = details,
        .stop_at_operand = true,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    argv[1 + args.count] = NULL;
    if (check_daemon(&c, keep_size, keep_age, err) < 0 ||
        system_watch_check(&c.system, argv + 1, (size_t)args.count, err) < 0)
        return err->code;
    if (source_files_check(&c.source_folders, c.no_sources, err) < 0 ||
        capture_settings_parse(&c.settings, err) < 0 || session_file_check(c.format, err) < 0 ||
        collect_options_parse(&c.collect, &c.collection.options, err) < 0 ||
        serving_check(&c.serving, c.collection.options.keep_ns, err) < 0)
        return err->code;
    long *most = &c.collection.options.max_seconds;
    *most = !*most || (c.seconds && c.seconds < *most) ? c.seconds : *most;
    if (c.daemon.folder)
        return run_daemon(&c, err);
    int code = td_source_rules_init(&c.source_rules, &c.source_folders, err) < 0 ? err->code
                                                                                 : capture_to_file(&c, err);
    const int program_code = system_watch_end(&c.system, td_interrupt_count());
    td_source_rules_free(&c.source_rules);
    serving_end(&c.serving, "tendril capture");
    td_client_source_destroy(c.source);
    td_collection_end(&c.collection);
    return code ? code : program_code;
}
