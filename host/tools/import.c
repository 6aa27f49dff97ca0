/* tendril import: makes a trace from files of other formats (host/agent/import/importer.h). */
#include "host/agent/client/saved_session.h"
#include "host/agent/import/importer.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/base/progress_bar.h"
#include "host/file/in_source.h"
#include "host/tools/commands.h"
#include "host/tools/files/format_option.h"
#include "host/tools/files/packed_input.h"
#include "host/tools/recording/session_file.h"
#include "host/tools/files/tt_inputs.h"

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
    const struct td_importer *importer; /* the first bytes decide which; NULL: not chosen yet */
    void *reader;                       /* the importer's, of one or several files */
    bool chosen;                        /* the importer has begun with the file `in` */
    bool is_cut;                        /* the file `in` breaks off */
    bool is_read;                       /* the importer itself has read it */
    struct packed_input *packed;        /* NULL: the file is not packed */
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

/* Begins with the reader of the format that the first bytes, or the folder, show. */
static int choose_reader(struct import *i, const struct td_importer *importer, const uint8_t *bytes,
                         size_t count, struct td_err *err)
{
    i->chosen = true;
    if (i->inputs.count > 1 &&
        (!importer || !importer->begin_file || (i->importer && i->importer != importer)))
        return td_fail(err, TD_E_FORMAT,
                       "%s: this is no file of tt-metal; only these can be imported together", i->in);
    if (!importer)
        return td_fail(err, TD_E_FORMAT,
                       "%s: no format that can be imported begins like this; tendril help import lists them",
                       i->in);
    i->importer = importer;
    if (!i->reader)
        i->reader = importer->create(i->hub);
    if (!i->reader)
        return td_fail(err, TD_E_NOMEM, "no memory to read %s", i->in);
    return importer->begin_file ? importer->begin_file(i->reader, i->in, bytes, count, err) : 0;
}

static int feed_reader(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct import *i = self;
    if (stopped(i))
        return td_fail(err, TD_E_STOPPED, "stopped; nothing is written");
    int bad = i->chosen ? 0 : choose_reader(i, td_importer_of(bytes, count), bytes, count, err);
    if (bad)
        return bad;
    if (i->importer->read && !i->packed && strcmp(i->in, "-") != 0) {
        i->is_read = true;
        return i->importer->read(i->reader, i->in, &i->progress, &i->is_cut, err);
    }
    return i->importer->feed(i->reader, bytes, count, err);
}

static int feed_packed(struct import *i, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return packed_feed(i->packed, bytes, count, feed_reader, i, err);
}

static int end_input(struct import *i, struct td_err *err)
{
    bool cut = false;
    int bad = i->packed ? packed_end_stream(i->packed, &i->is_cut, feed_reader, i, err) : 0;
    if (!bad && !i->chosen)
        bad = td_fail(err, TD_E_FORMAT, "%s: the file is empty", i->in);
    bad = bad || i->is_read ? bad : i->importer->end_file(i->reader, &cut, err);
    if (!bad && (cut || i->is_cut))
        fprintf(stderr, "tendril import: %s breaks off; what came before is kept\n", TD_PLAIN(i->in));
    return bad;
}

static int read_all(struct import *i, struct td_err *err)
{
    uint8_t *piece = malloc(PIECE);
    int bad = piece ? 0 : td_fail(err, TD_E_NOMEM, "no memory to read %s", i->in), first = 1;
    for (; !bad && !i->is_read; first = 0) {
        size_t n = td_in_source_read(&i->source, piece, PIECE, stopped, i);
        if (i->source.error)
            bad = td_fail(err, TD_E_IO, "cannot read %s: %s", i->in, strerror(i->source.error));
        else if (i->source.given_up || stopped(i))
            bad = td_fail(err, TD_E_STOPPED, "stopped; nothing is written");
        else if (!n)
            break;
        else if (first && packed_begins(piece, n) && (i->packed = packed_create(i->in, piece, n)) == NULL)
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
    i->chosen = i->is_cut = i->is_read = false;
    i->in = path;
}

static int read_folder(struct import *i, const struct td_importer *importer, struct td_err *err)
{
    const int bad = choose_reader(i, importer, NULL, 0, err);
    i->is_read = true;
    return bad ? bad : i->importer->read(i->reader, i->in, &i->progress, &i->is_cut, err);
}

static int load_input(struct import *i, const char *path, struct td_err *err)
{
    char name[300];
    struct td_progress_bar bar;
    struct stat st;
    begin_input(i, path);
    const struct td_importer *of_folder =
        stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? td_importer_of_folder(path) : NULL;
    int bad = of_folder ? 0 : td_in_source_open(&i->source, i->in, err);
    if (bad)
        return bad;
    snprintf(name, sizeof name, "reading %s", i->in);
    i->progress = td_progress_bar_begin(&bar, name, 1);
    bad = of_folder ? read_folder(i, of_folder, err) : read_all(i, err);
    bad = bad || !of_folder ? bad : end_input(i, err);
    td_progress_bar_end(&bar);
    if (!of_folder)
        td_in_source_close(&i->source);
    return bad;
}

/* The file's modification time; now for standard input. */
static time_t recorded_at(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && stat(path, &st) == 0 ? st.st_mtime : time(NULL);
}

/* The name of the file or folder without the folders around it. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void print_line(void *self, bool is_odd, const char *line)
{
    const struct import *i = self;
    if (!is_odd && !i->quiet)
        printf("%s\n", TD_PLAIN(line));
    if (is_odd && i->importer->begin_file)
        fprintf(stderr, "tendril import: %s\n", TD_PLAIN(line));
    else if (is_odd)
        fprintf(stderr, "tendril import: %s: %s\n", TD_PLAIN(i->in), TD_PLAIN(line));
}

static void print_summary(struct import *i, const struct session_file *session)
{
    const struct td_import_lines lines = {print_line, i};
    if (i->inputs.left_out)
        fprintf(stderr,
                "tendril import: %zu NoC traces are left out, because the device log has their events\n",
                i->inputs.left_out);
    if (i->importer->report)
        i->importer->report(i->reader, &lines);
    else if (i->importer->counts)
        td_timeline_report(i->importer->counts(i->reader), &lines);
    else if (!i->quiet)
        session_file_print(session, i->trace);
    if (session->welcome || i->quiet)
        return;
    printf("time         %.3f s\n", (double)td_trace_get_info(i->trace)->last_time_ns / 1e9);
    printf("trace        %s\n", TD_PLAIN(i->output.saved));
}

static int load_inputs(struct import *i, struct td_err *err)
{
    int bad = 0;
    for (size_t n = 0; n < i->inputs.count && !bad; n++)
        bad = load_input(i, i->inputs.paths[n], err);
    return bad || !i->importer->close ? bad : i->importer->close(i->reader, err);
}

static int save_trace(struct import *i, struct td_err *err)
{
    const struct td_saved_session *saved = i->importer->session ? i->importer->session(i->reader) : NULL;
    struct session_file session = {.output = &i->output, .format = i->format, .when = recorded_at(i->in)};
    session.program = base_name(i->inputs.paths[0]);
    if (saved) {
        session.welcome = td_saved_session_welcome(saved);
        session.release = td_saved_session_release(saved);
        session.counts = td_saved_session_counts(saved);
        session.frame_offset = td_saved_session_frame_offset(saved);
    }
    const int bad = session_file_save(&session, i->trace, err);
    if (i->output.saved[0])
        print_summary(i, &session);
    return bad;
}

static int import_files(struct import *i, struct td_err *err)
{
    int bad = session_file_check(i->format, err);
    bad = bad ? bad : output_open(&i->output, i->force ? TD_OUT_REPLACE : TD_OUT_NEW, err);
    bad = bad ? bad : begin_trace(i, err);
    bad = bad ? bad : load_inputs(i, err);
    if (i->reader && !i->importer->begin_file && (bad == TD_E_FORMAT || bad == TD_E_VERSION)) {
        const struct td_err why = *err;
        *err = (struct td_err){0};
        return td_fail(err, bad, "%s: %s", i->in, why.text);
    }
    return bad ? bad : save_trace(i, err);
}

/* A paragraph for each format, then the rest. */
static void put_details(char *text, size_t room)
{
    size_t used = 0;
    static const char rest[] =
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
    const struct td_importer *importer;
    for (size_t n = 0; (importer = td_importer_at(n)) != NULL && used < room; n++)
        used += (size_t)snprintf(text + used, room - used, "FILE can be %s. %s\n\n", importer->name,
                                 importer->about);
    if (used < room)
        snprintf(text + used, room - used, "%s", rest);
}

const char td_summary_import[] = "Makes a trace of what another program has recorded.";

int td_cmd_import(int argc, char **argv, struct td_err *err)
{
    struct import i = {.output = {.command = "tendril import"}};
    char details[8000];
    put_details(details, sizeof details);
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
        .summary = td_summary_import,
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
    if (i.importer)
        i.importer->destroy(i.reader);
    tt_inputs_free(&i.inputs);
    packed_destroy(i.packed);
    td_hub_destroy(i.hub);
    td_trace_destroy(i.trace);
    return bad == TD_E_USAGE || bad == TD_E_EXISTS ? 2 : bad;
}
