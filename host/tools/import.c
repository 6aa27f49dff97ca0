/* tendril import: makes a trace from a saved session, a Chrome or Fuchsia trace, or files of tt-metal. */
#include "host/agent/client/saved_session.h"
#include "host/agent/import/chrome_trace.h"
#include "host/agent/import/fuchsia_trace.h"
#include "host/agent/import/tt_import.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/base/progress_bar.h"
#include "host/file/in_source.h"
#include "host/tools/commands.h"
#include "host/tools/shared/format_option.h"
#include "host/tools/shared/packed_input.h"
#include "host/tools/shared/session_file.h"
#include "host/tools/shared/tt_inputs.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PIECE     PACKED_PIECE
#define FILES_MAX 4096

struct import {
    const char *in, *format; /* in: the file that is read */
    struct tt_inputs inputs;
    struct output output;
    int force, quiet;
    struct td_in_source source;
    struct td_progress progress;
    struct td_trace *trace;
    struct td_hub *hub;
    struct td_saved_session *session; /* the first bytes decide which of these four is created */
    struct td_chrome *chrome;
    struct td_fuchsia *fuchsia;
    struct td_tt_import *tt;     /* of one or several files */
    bool chosen;                 /* a reader has been chosen for the file `in` */
    bool is_cut;                 /* the packed file `in` breaks off */
    struct packed_input *packed; /* NULL: the file is not packed */
};

static int stopped(void *self)
{
    const struct import *i = self;
    return i->progress.step &&
           i->progress.step(i->progress.self, i->source.taken_bytes, i->source.total_bytes);
}

static int begin_trace(struct import *i, struct td_err *err)
{
    struct td_dict *dict = td_dict_create();
    i->trace = dict ? td_trace_create(dict) : NULL;
    i->hub = i->trace ? td_hub_create(dict) : NULL;
    if (!i->hub || td_hub_add_sink(i->hub, td_trace_sink(i->trace)) < 0)
        return td_fail(err, TD_E_NOMEM, "no memory for a trace");
    return 0;
}

/* Creates the reader of the format that the first bytes show. */
static int choose_reader(struct import *i, const uint8_t *bytes, size_t count, struct td_err *err)
{
    const enum td_tt_file_kind kind = td_tt_file_begins(bytes, count);
    i->chosen = true;
    if (kind != TD_TT_FILE_NONE && !i->tt)
        i->tt = td_tt_import_create(i->hub);
    if (kind != TD_TT_FILE_NONE)
        return i->tt ? td_tt_import_begin_file(i->tt, i->in, kind, err)
                     : td_fail(err, TD_E_NOMEM, "no memory to read %s", i->in);
    if (i->inputs.count > 1)
        return td_fail(err, TD_E_FORMAT,
                       "%s: this is no file of tt-metal; only these can be imported together", i->in);
    if (td_saved_session_begins(bytes, count))
        i->session = td_saved_session_create(i->hub);
    else if (td_fuchsia_begins(bytes, count))
        i->fuchsia = td_fuchsia_create(i->hub);
    else if (td_chrome_begins(bytes, count))
        i->chrome = td_chrome_create(i->hub);
    else
        return td_fail(
            err, TD_E_FORMAT,
            "%s: this is neither a saved session nor a Chrome or Fuchsia trace nor a file of tt-metal",
            i->in);
    return i->session || i->chrome || i->fuchsia ? 0
                                                 : td_fail(err, TD_E_NOMEM, "no memory to read %s", i->in);
}

static int feed_reader(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct import *i = self;
    if (stopped(i))
        return td_fail(err, TD_E_STOPPED, "stopped; nothing is written");
    int bad = i->chosen ? 0 : choose_reader(i, bytes, count, err);
    if (bad)
        return bad;
    if (i->tt)
        return td_tt_import_feed(i->tt, bytes, count, err);
    if (i->fuchsia)
        return td_fuchsia_feed(i->fuchsia, bytes, count, err);
    return i->chrome ? td_chrome_feed(i->chrome, bytes, count, err)
                     : td_saved_session_feed(i->session, bytes, count, err);
}

static int feed_packed(struct import *i, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return packed_feed(i->packed, bytes, count, feed_reader, i, err);
}

static int end_tt_file(struct import *i, struct td_err *err)
{
    bool cut = false;
    const int bad = td_tt_import_end_file(i->tt, &cut, err);
    if (!bad && (cut || i->is_cut))
        fprintf(stderr, "tendril import: %s breaks off; what came before is kept\n", TD_PLAIN(i->in));
    return bad;
}

static int end_input(struct import *i, struct td_err *err)
{
    int bad = i->packed ? packed_end_stream(i->packed, &i->is_cut, feed_reader, i, err) : 0;
    if (bad)
        return bad;
    if (!i->chosen)
        return td_fail(err, TD_E_FORMAT, "%s: the file is empty", i->in);
    if (i->tt)
        return end_tt_file(i, err);
    if (i->fuchsia)
        return td_fuchsia_close(i->fuchsia, err);
    return i->chrome ? td_chrome_close(i->chrome, err) : td_saved_session_close(i->session, err);
}

static int read_all(struct import *i, struct td_err *err)
{
    uint8_t *piece = malloc(PIECE);
    int bad = piece ? 0 : td_fail(err, TD_E_NOMEM, "no memory to read %s", i->in), first = 1;
    for (; !bad; first = 0) {
        size_t n = td_in_source_read(&i->source, piece, PIECE, stopped, i);
        if (i->source.error)
            bad = td_fail(err, TD_E_IO, "cannot read %s: %s", i->in, strerror(i->source.error));
        else if (i->source.given_up || stopped(i))
            bad = td_fail(err, TD_E_STOPPED, "stopped; nothing is written");
        else if (!n)
            break;
        else if (first && packed_begins(piece, n) && (i->packed = packed_create(piece, n)) == NULL)
            bad = td_fail(err, TD_E_NOMEM, "no memory to unpack %s", i->in);
        else
            bad = i->packed ? feed_packed(i, piece, n, err) : feed_reader(i, piece, n, err);
    }
    free(piece);
    return bad ? bad : end_input(i, err);
}

/* Forgets what belongs to the file that was read before. */
static void begin_input(struct import *i, const char *path)
{
    packed_destroy(i->packed);
    i->packed = NULL;
    i->chosen = i->is_cut = false;
    i->in = path;
}

static int load_input(struct import *i, const char *path, struct td_err *err)
{
    char name[300];
    struct td_progress_bar bar;
    begin_input(i, path);
    int bad = td_in_source_open(&i->source, i->in, err);
    if (bad)
        return bad;
    snprintf(name, sizeof name, "reading %s", i->in);
    i->progress = td_progress_bar_begin(&bar, name, 1);
    bad = read_all(i, err);
    td_progress_bar_end(&bar);
    td_in_source_close(&i->source);
    return bad;
}

/* The file's modification time; now for standard input. */
static time_t recorded_at(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && stat(path, &st) == 0 ? st.st_mtime : time(NULL);
}

static int save_session(const struct import *i, struct session_file *session, struct td_err *err)
{
    session->welcome = td_saved_session_welcome(i->session);
    session->release = td_saved_session_release(i->session);
    session->counts = td_saved_session_counts(i->session);
    session->frame_offset = td_saved_session_frame_offset(i->session);
    int bad = session_file_save(session, i->trace, err);
    if (!i->output.saved[0])
        return bad;
    if (!td_saved_session_complete(i->session) || i->is_cut)
        fprintf(stderr,
                "tendril import: %s breaks off before the program's end; the events before that are kept\n",
                TD_PLAIN(i->in));
    if (!i->quiet)
        session_file_print(session, i->trace);
    return bad;
}

/* The name of the file or folder without the folders around it. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void print_losses(const struct import *i, const struct td_timeline_counts *counts)
{
    char text[2000];
    if (counts->renamed)
        fprintf(stderr,
                "tendril import: %s: %" PRIu64
                " ends have names that no open zone has; they end the innermost one\n",
                TD_PLAIN(i->in), counts->renamed);
    if (!td_timeline_lost(counts))
        return;
    td_timeline_loss_text(counts, text, sizeof text);
    fprintf(stderr, "tendril import: %s: %s\n", TD_PLAIN(i->in), text);
}

/* Of a Chrome or Fuchsia trace. */
static int save_timeline(const struct import *i, struct session_file *session, struct td_err *err)
{
    const struct td_timeline_counts *counts =
        i->chrome ? td_chrome_get_counts(i->chrome) : td_fuchsia_get_counts(i->fuchsia);
    const bool cut = i->chrome ? td_chrome_is_cut(i->chrome) : td_fuchsia_is_cut(i->fuchsia);
    session->program = base_name(i->in);
    int bad = session_file_save(session, i->trace, err);
    if (!i->output.saved[0])
        return bad;
    if (cut || i->is_cut)
        fprintf(stderr, "tendril import: %s breaks off; the events before that are kept\n", TD_PLAIN(i->in));
    print_losses(i, counts);
    if (i->quiet)
        return bad;
    printf("zones        %" PRIu64 "\n", counts->zones);
    printf("messages     %" PRIu64 ", %" PRIu64 " frames, %" PRIu64 " plot points\n", counts->messages,
           counts->frames, counts->plot_points);
    if (counts->flows)
        printf("flows        %" PRIu64 " ends\n", counts->flows);
    printf("time         %.3f s\n", (double)td_trace_get_info(i->trace)->last_time_ns / 1e9);
    printf("trace        %s\n", TD_PLAIN(i->output.saved));
    return bad;
}

static int load_inputs(struct import *i, struct td_err *err)
{
    int bad = 0;
    for (size_t n = 0; n < i->inputs.count && !bad; n++)
        bad = load_input(i, i->inputs.paths[n], err);
    return bad || !i->tt ? bad : td_tt_import_close(i->tt, err);
}

static int save_tt(const struct import *i, struct session_file *session, struct td_err *err)
{
    const struct td_tt_import_counts counts = td_tt_import_get_counts(i->tt);
    session->program = base_name(i->inputs.paths[0]);
    int bad = session_file_save(session, i->trace, err);
    if (!i->output.saved[0])
        return bad;
    if (i->inputs.left_out)
        fprintf(stderr,
                "tendril import: %zu NoC traces are left out, because the device log has their events\n",
                i->inputs.left_out);
    tt_inputs_print(&counts, i->quiet);
    if (i->quiet)
        return bad;
    printf("time         %.3f s\n", (double)td_trace_get_info(i->trace)->last_time_ns / 1e9);
    printf("trace        %s\n", TD_PLAIN(i->output.saved));
    return bad;
}

static int import_files(struct import *i, struct td_err *err)
{
    int bad = session_file_check(i->format, err);
    bad = bad ? bad : output_open(&i->output, i->force ? TD_OUT_REPLACE : TD_OUT_NEW, err);
    bad = bad ? bad : begin_trace(i, err);
    bad = bad ? bad : load_inputs(i, err);
    if ((i->session || i->chrome || i->fuchsia) && (bad == TD_E_FORMAT || bad == TD_E_VERSION)) {
        const struct td_err why = *err;
        *err = (struct td_err){0};
        return td_fail(err, bad, "%s: %s", i->in, why.text);
    }
    if (bad)
        return bad;
    struct session_file session = {.output = &i->output, .format = i->format, .when = recorded_at(i->in)};
    return (i->tt ? save_tt : i->session ? save_session : save_timeline)(i, &session, err);
}

static const char details[] =
    "FILE is a session that a program with TENDRIL_SAVE or TRACY_SAVE_NO_SEND saved, or that was recorded on "
    "its way, of any release of Tracy from 0.9.0 to 0.14.0 or of Tenstorrent's fork. OUT has what capture "
    "would have written. FILE can also be a trace in Chrome's JSON format or in Fuchsia's (.fxt): zones, "
    "asynchronous operations, messages, counters, frames and flows. Zones that overlap get tracks of their "
    "own. "
    "What is damaged or not understood is left out; one line says how much of each kind.\n"
    "\n"
    "FILE can also be one of tt-metal's files, of any year: a device log (profile_log_device.csv), a report "
    "of "
    "operations (ops_perf_results_*.csv, cpp_device_perf_report.csv), messages of a program "
    "(tracy_ops_data.csv) or a NoC trace (noc_trace_*.json). Several of these become one trace. FILE can be "
    "a "
    "folder that has them, or has them in its folder .logs.\n"
    "\n"
    "Files may be packed with zstd or gzip. - is standard input. With two names and without -o, as stock "
    "import-chrome "
    "is called, OUT is overwritten if it exists.\n"
    "\n"
    "--format is the release that OUT is for: same (that of the session; of other files: any), any (all "
    "releases from 0.9.1 or 0.10 on), tt (Tenstorrent's fork), or a version from 0.9.0 to 0.14.0.\n"
    "\n"
    "  TENDRIL_SAVE=run.stream ./program && tendril import -o run.tracy run.stream\n"
    "  tendril import -o run.tracy generated/profiler\n"
    "  tendril import -o trace.tracy trace.json.gz";

int td_cmd_import(int argc, char **argv, struct td_err *err)
{
    struct import i = {.output = {.command = "tendril import"}};
    const struct td_option options[] = {
        {'o', "output", TD_OPT_STRING, &i.output.path, "FILE", "trace to write", NULL, 0, 0},
        {'f', "force", TD_OPT_FLAG, &i.force, NULL, "overwrite it if it exists", NULL, 0, 0},
        FORMAT_OPTION(&i.format, "release that the trace is for (default: same)"),
        {'q', "quiet", TD_OPT_FLAG, &i.quiet, NULL, "no summary", NULL, 0, 0},
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril import",
        .usage = "-o OUT [options] FILE...  or  [options] FILE OUT",
        .summary = "Makes a trace from a saved session, a Chrome or Fuchsia trace, or tt-metal's files.",
        .options = options,
        .min_args = 1,
        .max_args = FILES_MAX,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    int files = args.count;
    if (!i.output.path && files == 2) { /* FILE OUT */
        i.output.path = argv[2];
        i.force = 1;
        files = 1;
    }
    if (!i.output.path) {
        td_fail(err, TD_E_USAGE, "-o OUT is missing: which trace to write");
        return 2;
    }
    i.output.keep = !strcmp(argv[1], "-"); /* what was read from a pipe cannot be read again */
    int bad = 0;
    for (int n = 1; n <= files && !bad; n++)
        bad = tt_inputs_add(&i.inputs, argv[n], err);
    bad = bad ? bad : import_files(&i, err);
    output_close(&i.output);
    td_saved_session_destroy(i.session);
    td_chrome_destroy(i.chrome);
    td_fuchsia_destroy(i.fuchsia);
    td_tt_import_destroy(i.tt);
    tt_inputs_free(&i.inputs);
    packed_destroy(i.packed);
    td_hub_destroy(i.hub);
    td_trace_destroy(i.trace);
    return bad == TD_E_USAGE || bad == TD_E_EXISTS ? 2 : bad;
}
