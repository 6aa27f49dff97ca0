/* tendril recover: makes the trace of a recording that was killed, from its journal. */
#include "host/agent/collection.h"
#include "host/agent/journal/journal_file.h"
#include "host/agent/journal/journal_replay.h"
#include "host/base/options.h"
#include "host/base/run_folder.h"
#include "host/base/plain_text.h"
#include "host/base/progress_bar.h"
#include "host/tools/commands.h"
#include "host/tools/files/format_option.h"
#include "host/tools/files/recovered.h"
#include "host/tools/recording/session_file.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE     (1u << 18)
#define ELF_BYTES (64u << 20) /* of the folder for ELFs, at most, as far as that is known before */

struct recover {
    const char *named; /* on the command line */
    const char *format;
    char path[TD_JOURNAL_PATH_MAX], trace[TD_JOURNAL_PATH_MAX];
    struct output output;
    int force, quiet, keep, salvage, fd;
    uint64_t bytes;
    struct td_collection collection;
    struct td_run_folder folder; /* for the kernels' ELFs */
    struct td_journal_replay *replay;
    struct td_journal_state state;
};

/* ---- which journal, which trace ---- */

struct found {
    char first[TD_JOURNAL_PATH_MAX];
    size_t count;
};

static void note_found(void *self, const char *path)
{
    struct found *found = self;
    if (!found->count++)
        snprintf(found->first, sizeof found->first, "%s", path);
}

/* The operand is a journal, or the trace that it was for. */
static int find_journal(struct recover *r, struct td_err *err)
{
    struct found found = {.count = 0};
    const bool is_journal = td_journal_file_is_name(r->named);
    if (snprintf(r->path, sizeof r->path, "%s", r->named) >= (int)sizeof r->path)
        return td_fail(err, TD_E_USAGE, "the name of the journal is too long");
    if (is_journal)
        return 0;
    td_journal_file_left(r->named, note_found, &found);
    if (found.count > 1)
        return td_fail(err, TD_E_USAGE, "there are %zu journals of '%.100s'; name one, such as '%.100s'",
                       found.count, r->named, found.first);
    if (found.count == 1)
        snprintf(r->path, sizeof r->path, "%s", found.first);
    else if (snprintf(r->path, sizeof r->path, "%s" TD_JOURNAL_SUFFIX, r->named) >= (int)sizeof r->path ||
             access(r->path, F_OK) != 0)
        snprintf(r->path, sizeof r->path, "%s", r->named); /* a journal of another name */
    return 0;
}

/* FILE.journal and FILE.2.journal are for FILE. */
static void name_trace(struct recover *r)
{
    if (r->output.path)
        return;
    snprintf(r->trace, sizeof r->trace, "%s", r->path);
    r->output.path = r->trace;
    if (!td_journal_file_is_name(r->path)) {
        snprintf(r->trace, sizeof r->trace, "%.4000s.recovered.tracy", r->path);
        return;
    }
    char *end = r->trace + strlen(r->trace) - (sizeof TD_JOURNAL_SUFFIX - 1);
    *end = 0;
    char *digits = end;
    while (digits > r->trace && isdigit((unsigned char)digits[-1]))
        digits--;
    if (digits < end && digits > r->trace + 1 && digits[-1] == '.')
        digits[-1] = 0;
}

/* ---- reading ---- */

/* One pass over the journal. */
static int read_pass(struct recover *r, struct td_journal_reader *reader, uint8_t *piece,
                     struct td_progress *progress, uint64_t before, struct td_err *err)
{
    uint64_t at = 0;
    for (;;) {
        const ssize_t n = pread(r->fd, piece, PIECE, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return td_fail_errno(err, "cannot read '%s'", r->path);
        if (n == 0)
            return td_journal_reader_close(reader, err);
        if (progress->step && progress->step(progress->self, before + at, 2 * r->bytes))
            return td_fail(err, TD_E_STOPPED, "stopped; nothing is written");
        int bad = td_journal_reader_feed(reader, piece, (size_t)n, err);
        if (bad)
            return bad;
        td_collection_look(&r->collection, NULL, 0, td_journal_replay_elf_bytes(r->replay));
        at += (uint64_t)n;
    }
}

/* The first pass collects what later records need, the second makes the events. */
static int read_journal(struct recover *r, struct td_progress *progress, struct td_err *err)
{
    static td_journal_visit *const passes[] = {td_journal_replay_prepare, td_journal_replay_record};
    uint8_t *piece = malloc(PIECE);
    int bad = piece ? 0 : td_fail_no_memory(err, "to read a journal");
    for (size_t i = 0; i < 2 && !bad; i++) {
        struct td_journal_reader *reader = td_journal_reader_create(passes[i], r->replay);
        bad = reader ? read_pass(r, reader, piece, progress, i * r->bytes, err)
                     : td_fail_no_memory(err, "to read a journal");
        if (reader)
            r->state = *td_journal_reader_state(reader);
        td_journal_reader_destroy(reader);
    }
    free(piece);
    return bad ? bad : td_journal_replay_close(r->replay, err);
}

static int load_journal(struct recover *r, struct td_err *err)
{
    char name[300];
    struct stat st;
    struct td_progress_bar bar;
    struct td_err why = {0};
    r->bytes = fstat(r->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    int bad = td_run_folder_make(&r->folder, r->bytes < ELF_BYTES ? r->bytes : ELF_BYTES, err);
    if (bad)
        return bad;
    r->replay = td_journal_replay_create(r->collection.hub, r->folder.path, r->collection.memory.limit.bytes);
    if (!r->replay)
        return td_fail_no_memory(err, "to read a journal");
    snprintf(name, sizeof name, "reading %.280s", r->path);
    struct td_progress progress = td_progress_bar_begin(&bar, name, 1);
    bad = read_journal(r, &progress, &why);
    td_progress_bar_end(&bar);
    if (bad == TD_E_FORMAT || bad == TD_E_VERSION)
        return td_fail(err, bad, "%.150s: %s", r->path, why.text);
    return bad ? td_fail(err, bad, "%s", why.text) : 0;
}

/* ---- results ---- */

/* One line: where the journal ends, and what is missing. */
static void print_end(const struct recover *r)
{
    const struct td_journal_state *s = &r->state;
    const double seconds = (double)(s->last_ns - s->begin_ns) / 1e9;
    char line[400];
    const char *trouble = td_journal_replay_trouble(r->replay);
    if (s->damaged)
        snprintf(line, sizeof line,
                 "is damaged after %.1f s, at byte %" PRIu64 "; the %" PRIu64
                 " bytes from there on are left out",
                 seconds, s->whole_bytes, s->torn_bytes);
    else if (td_journal_replay_is_collected(r->replay))
        snprintf(line, sizeof line, "is complete: the recording had ended after %.1f s", seconds);
    else
        snprintf(line, sizeof line,
                 "ends after %.1f s, with %" PRIu64
                 " incomplete bytes; of what came then, up to 1 s is missing",
                 seconds, s->torn_bytes);
    fprintf(stderr, "tendril recover: %s %s%s%s\n", TD_PLAIN(r->path), line, trouble[0] ? "; " : "",
            TD_PLAIN(trouble));
}

/* What the journal has and the memory limit does not allow: a line for each kind. */
static void print_left_out(struct recover *r)
{
    char line[300];
    for (unsigned i = 0; td_journal_replay_tell_left_out(r->replay, i, line, sizeof line); i++)
        if (line[0]) {
            fprintf(stderr, "tendril recover: %s\n", line);
            r->keep = 1; /* with more memory, more can be recovered */
        }
}

static int save_recording(struct recover *r, struct td_err *err)
{
    const struct recovered recovered = {.replay = r->replay,
                                        .output = &r->output,
                                        .format = r->format,
                                        .when_s = recovered_when(r->replay, r->state.last_ns),
                                        .threads = td_memory_watch_threads(&r->collection.memory),
                                        .quiet = r->quiet};
    return recovered_save(&recovered, r->collection.trace, err);
}

static int save_session(struct recover *r, struct td_err *err)
{
    const struct td_client_replay *client = td_journal_replay_client(r->replay, 0);
    const char *format = td_journal_replay_setting(r->replay, "format");
    struct session_file session = {.output = &r->output,
                                   .format = r->format ? r->format : format,
                                   .when = (time_t)recovered_when(r->replay, r->state.last_ns),
                                   .threads = td_memory_watch_threads(&r->collection.memory)};
    if (!client) {
        const char *trouble = td_journal_replay_trouble(r->replay);
        return td_fail(err, TD_E_FORMAT, "%.150s: %s", r->path,
                       *trouble ? trouble : "it has neither a program's events nor a board's");
    }
    if (session_file_check(session.format, err) != 0) /* a release that this one does not know */
        return err->code;
    session.welcome = td_client_replay_welcome(client);
    session.release = td_client_replay_release(client);
    session.counts = td_client_replay_counts(client);
    session.frame_offset = td_client_replay_frame_offset(client);
    int bad = recovered_note_clock(r->replay, r->collection.trace, err);
    bad = bad ? bad : session_file_save(&session, r->collection.trace, err);
    if (r->output.saved[0] && !r->quiet)
        session_file_print(&session, r->collection.trace);
    return bad;
}

/* A journal whose trace is safe goes away. */
static void remove_journal(const struct recover *r, bool is_direct)
{
    if (!r->keep && !is_direct && !r->state.damaged)
        td_journal_file_remove(r->fd, r->path);
}

/* The recording had received nothing. */
static int fail_empty(const struct recover *r, struct td_err *err)
{
    if (r->state.damaged)
        return td_fail(err, TD_E_FORMAT, "'%.150s' is damaged before the first event", r->path);
    remove_journal(r, false);
    return td_fail(err, TD_E_NOTFOUND, "'%.150s' has nothing to recover%s: nothing had arrived yet", r->path,
                   r->keep ? "" : ", and is removed");
}

static int recover_trace(struct recover *r, struct td_err *err)
{
    int bad = session_file_check(r->format, err);
    bad = bad ? bad : find_journal(r, err);
    if (bad)
        return bad;
    name_trace(r);
    r->fd = td_journal_file_open(r->path, err);
    if (r->fd < 0)
        return r->fd;
    bad = output_open(&r->output, r->force ? TD_OUT_REPLACE : TD_OUT_NEW | TD_OUT_CLAIM, err);
    if (!bad)
        r->collection.options.folder = output_folder(&r->output);
    bad = bad ? bad : td_collection_begin(&r->collection, err);
    bad = bad ? bad : load_journal(r, err);
    td_memory_watch_release(&r->collection.memory);
    if (bad)
        return bad;
    print_left_out(r);
    const bool is_direct = td_out_file_is_direct(r->output.file);
    if (!td_journal_replay_has_data(r->replay))
        return fail_empty(r, err);
    bad = (recovered_is_recording(r->replay) ? save_recording : save_session)(r, err);
    if (!r->output.saved[0])
        return bad;
    print_end(r);
    remove_journal(r, is_direct);
    return bad ? bad : r->state.damaged && !r->salvage;
}

static const char details[] =
    "FILE is the trace that `record` or `capture` was to write, or its journal, FILE.journal. The journal "
    "has "
    "what the recording had received. OUT has what the recording would have written; by default it has the "
    "name that the recording was given. One line says where the journal ends. The journal is removed when "
    "the trace is written.\n"
    "\n"
    "A journal that is damaged is recovered up to the damage, and stays. Then the exit code is 1, or 0 with "
    "--salvage. A journal whose recording runs is refused.\n"
    "\n"
    "Exit code: 1 the journal is damaged, or no trace could be made of it, 2 wrong usage, or OUT exists.\n"
    "\n"
    "  tendril recover trace.tracy\n"
    "  tendril recover trace.tracy.2.journal -o before.tracy";

const char td_summary_recover[] = "Makes the trace of a recording that was killed, from its journal.";

int td_cmd_recover(int argc, char **argv, struct td_err *err)
{
    struct recover *r = calloc(1, sizeof *r);
    if (!r)
        return td_fail_no_memory(err, "to read a journal");
    r->output.command = "tendril recover";
    r->fd = -1;
    const char *limit = NULL;
    const struct td_option options[] = {
        {'o', "output", TD_OPT_STRING, &r->output.path, "FILE", "trace to write", NULL, 0, 0},
        {'f', "force", TD_OPT_FLAG, &r->force, NULL, "overwrite it if it exists", NULL, 0, 0},
        FORMAT_OPTION(&r->format, "release that the trace is for (default: that of the recording)"),
        {'m', "memory-limit", TD_OPT_STRING, &limit, "LIMIT",
         "keep no more than this in memory: percent of the machine's, or 600M, 2G", NULL, 0, 0},
        {0, "keep", TD_OPT_FLAG, &r->keep, NULL, "do not remove the journal", NULL, 0, 0},
        {0, "salvage", TD_OPT_FLAG, &r->salvage, NULL, "a damaged journal is no error", NULL, 0, 0},
        {'q', "quiet", TD_OPT_FLAG, &r->quiet, NULL, "no summary", NULL, 0, 0},
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril recover",
        .usage = "[options] FILE",
        .summary = td_summary_recover,
        .options = options,
        .min_args = 1,
        .max_args = 1,
        .details = details,
    };
    struct td_command_args args;
    int bad = 0;
    if (!td_command_parse(&line, argc, argv, &args, err)) {
        free(r);
        return args.rc;
    }
    r->named = argv[1];
    bad = td_memory_limit_parse(limit, &r->collection.options.memory, err);
    bad = bad ? bad : recover_trace(r, err);
    output_close(&r->output);
    td_journal_replay_destroy(r->replay);
    td_collection_end(&r->collection);
    td_run_folder_remove(&r->folder);
    if (r->fd >= 0)
        close(r->fd);
    free(r);
    return bad == TD_E_USAGE || bad == TD_E_EXISTS ? 2 : bad;
}
