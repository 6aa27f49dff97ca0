/* tendril update: writes a trace again: packed differently, for another release, without some contents. */
#include "host/base/clock.h"
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/file/load.h"
#include "host/symbols/offline/image_dictionary.h"
#include "host/symbols/offline/symbol_update.h"
#include "host/tools/commands.h"
#include "host/tools/files/format_option.h"
#include "host/tools/files/output.h"
#include "host/tools/files/source_files.h"
#include "host/trace/tables.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TENSTORRENT_GPU 100 /* type of the fork's device contexts */

struct update {
    struct td_load_options load;
    int lz4, hc, extreme, dictionary, sources, contexts, quiet;
    long level, streams;
    const char *strip, *format;
    const char *in, *out;
    struct output output;
    struct td_symbol_update symbols;
    struct td_words source_folders;
    struct td_source_rules source_rules;
};

/* ---- options ---- */

static int parse_strip(const char *letters, unsigned *strip, struct td_err *err)
{
    static const char known[] = {
#define TD_X(letter, name) letter,
        TD_STRIP(TD_X)
#undef TD_X
            0};
    for (const char *p = letters; p && *p; p++) {
        const char *place = strchr(known, *p);
        if (!place)
            return td_fail(err, TD_E_USAGE, "--strip: '%c' is not one of the letters %s", *p, known);
        *strip |= 1u << (place - known);
    }
    return 0;
}

static int parse_packing(const struct update *u, struct td_file_options *options, struct td_err *err)
{
    if (u->lz4 + u->hc + u->extreme + (u->level != 0) > 1)
        return td_fail(err, TD_E_USAGE, "--lz4, --hc, --extreme and --zstd exclude each other");
    options->packing = u->lz4       ? TD_PACK_LZ4
                       : u->hc      ? TD_PACK_LZ4_HC
                       : u->extreme ? TD_PACK_LZ4_EXTREME
                       : u->level   ? TD_PACK_ZSTD
                                    : TD_PACK_DEFAULT;
    options->level = (int)u->level;
    options->streams = u->streams > 0 ? (int)u->streams : 0;
    if (u->streams < 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        options->streams = processors < 1 ? 1 : processors > 255 ? 255 : (int)processors;
    }
    if (u->streams == 0 || u->streams < -1)
        return td_fail(err, TD_E_USAGE, "--streams: %ld is not a number from 1 to 255, nor -1", u->streams);
    return 0;
}

static bool has_tenstorrent_contexts(const struct td_trace *trace)
{
    const struct td_series *contexts = td_trace_table(trace, TD_TABLE_GPU_CONTEXT);
    for (uint64_t i = 0; i < td_series_count(contexts); i++)
        if (td_series_get(contexts, i, TD_GPU_CONTEXT_TYPE) == TENSTORRENT_GPU)
            return true;
    return false;
}

/* The version of --format; by default that of the input. */
static int choose_version(const struct update *u, const struct td_trace *trace,
                          struct td_file_options *options, struct td_err *err)
{
    if (!u->format || !strcmp(u->format, "same")) {
        options->version = u->load.version;
        options->tenstorrent =
            u->load.version == TD_FILE_VERSION(0, 10, 0) && has_tenstorrent_contexts(trace);
        return 0;
    }
    return td_file_format(u->format, options, err);
}

/* ---- the summary ---- */

static const char *format_size(char *to, size_t bytes, int64_t size)
{
    if (size < 0)
        snprintf(to, bytes, "pipe");
    else if (size < 10000)
        snprintf(to, bytes, "%lld bytes", (long long)size);
    else if (size < 10000 * INT64_C(1024))
        snprintf(to, bytes, "%.2f KB", (double)size / 1024);
    else if (size < 10000 * INT64_C(1048576))
        snprintf(to, bytes, "%.2f MB", (double)size / 1048576);
    else
        snprintf(to, bytes, "%.2f GB", (double)size / 1073741824);
    return to;
}

static const char *format_version(char *to, size_t bytes, uint32_t version)
{
    if (version)
        snprintf(to, bytes, "%u.%u.%u", version >> 16, version >> 8 & 255, version & 255);
    else
        snprintf(to, bytes, "oldest");
    return to;
}

/* -1: not a regular file. */
static int64_t file_bytes(const char *path)
{
    struct stat st;
    return strcmp(path, "-") && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
}

static void print_summary(const struct update *u, const struct td_file_options *options, int64_t before,
                          const int64_t times_ns[3])
{
    char in[40], out[40], from[32], to[32];
    int64_t after = file_bytes(u->out);
    FILE *where = strcmp(u->out, "-") ? stdout : stderr;
    fprintf(where, "%s (%s) {%s} -> %s (%s) {%s}  %.2f s load, %.2f s save", TD_PLAIN(u->in),
            format_version(from, sizeof from, u->load.version), format_size(in, sizeof in, before),
            TD_PLAIN(u->out), options->tenstorrent ? "tt" : format_version(to, sizeof to, options->version),
            format_size(out, sizeof out, after), (double)(times_ns[1] - times_ns[0]) / 1e9,
            (double)(times_ns[2] - times_ns[1]) / 1e9);
    if (before > 0 && after >= 0)
        fprintf(where, ", %.2f%% change", 100. * (double)after / (double)before);
    putc('\n', where);
}

/* ---- the command ---- */

static int save_trace(struct update *u, const struct td_trace *trace, struct td_file_options *options,
                      struct td_err *err)
{
    int rc = output_write(&u->output, trace, options, err);
    if (rc == 0 && options->notice->text[0])
        fprintf(stderr, "tendril update: %s\n", TD_PLAIN(options->notice->text));
    return rc;
}

/* The changes to the trace itself: symbols, the dictionary of images, source files. */
static int change_trace(struct update *u, struct td_trace *trace, struct td_err *err)
{
    int rc = 0;
    u->symbols.out = u->quiet ? NULL : strcmp(u->out, "-") ? stdout : stderr;
    if (u->symbols.resolve || u->symbols.reset)
        rc = td_symbol_update_run(trace, &u->symbols, err);
    if (rc == 0 && u->dictionary)
        rc = td_image_dictionary(trace, err);
    if (rc == 0 && u->sources)
        rc = td_source_files(trace, &u->source_rules, err);
    return rc;
}

static int update_file(struct update *u, struct td_err *err)
{
    struct td_file_notice notice = {0};
    struct td_file_options options = {
        .contexts = u->contexts, .threads = (int)u->load.threads, .notice = &notice};
    struct td_trace *trace;
    int64_t times_ns[3] = {td_mono_ns(), 0, 0}, before = file_bytes(u->in);
    if (parse_packing(u, &options, err) < 0 || parse_strip(u->strip, &options.strip, err) < 0)
        return TD_E_USAGE;
    if (u->format && strcmp(u->format, "same") && td_file_format(u->format, &options, err) < 0)
        return TD_E_USAGE;
    if (td_symbol_update_check(&u->symbols, err) < 0)
        return TD_E_USAGE;
    u->output = (struct output){.command = "tendril update", .path = u->out};
    int rc = output_open(&u->output, TD_OUT_REPLACE, err);
    rc = rc < 0 ? rc : td_load(u->in, &u->load, "tendril update", &trace, err);
    if (rc < 0) {
        output_close(&u->output);
        return rc;
    }
    times_ns[1] = td_mono_ns();
    rc = choose_version(u, trace, &options, err);
    rc = rc ? rc : change_trace(u, trace, err);
    rc = rc ? rc : save_trace(u, trace, &options, err);
    times_ns[2] = td_mono_ns();
    td_trace_destroy(trace);
    output_close(&u->output);
    if (rc == 0 && !u->quiet)
        print_summary(u, &options, before, times_ns);
    return rc;
}

static const char details[] =
    "With one name the file is replaced by its new form. IN and OUT may be - "
    "(standard input and output). OUT "
    "appears whole or not at all; a file of that name stays as it was until then.\n"
    "\n"
    "--format is the release that the file is for: same (that of IN), any (all "
    "releases from 0.9.1 or 0.10 on "
    "and the fork can read it), tt (Tenstorrent's fork), or a version from 0.9.0 "
    "to 0.14.0. What that release "
    "cannot hold is left out, and one line says so.\n"
    "\n"
    "Letters of --strip: l locks, m messages, p plots, M memory, i frame images, c "
    "context switches, s samples, "
    "C symbol code, S source files.\n"
    "\n"
    "-c adds regular files of text of at most 16 MB, older than the program, whose real path has the suffix "
    "of "
    "a source language. The program chooses the names, so --sources limits the folders.\n"
    "\n"
    "--resolve reads the files of the images that call stacks name, on this machine: for frames that "
    "programs left to tools (TRACY_SYMBOL_OFFLINE_RESOLVE), and for those without a function's or a file's "
    "name. What cannot be found stays as it was. --path says where images are: REGEX is searched for in the "
    "path that the trace has, all that it matches becomes REPLACEMENT ($1: its first group), and the first "
    "--path that matches counts. --reset leaves all frames to tools again, as far as their place in the "
    "image is known; with --resolve all are resolved anew. --addr2line asks that program, by -C -f -e IMAGE "
    "-a ADDRESS..., instead of reading debug information itself.\n"
    "\n"
    "  tendril update -z 19 trace.tracy small.tracy\n"
    "  tendril update --format 0.11.1 -s CS new.tracy old.tracy\n"
    "  tendril update -r -p '^/opt/app;/srv/build' trace.tracy";

const char td_summary_update[] =
    "Writes a trace again: packed differently, for another release, with less in it.";

int td_cmd_update(int argc, char **argv, struct td_err *err)
{
    struct update u = {.streams = 4};
    const struct td_option options[] = {
        {'4', "lz4", TD_OPT_FLAG, &u.lz4, NULL, "pack with LZ4: fast", NULL, 0, 0},
        {'h', "hc", TD_OPT_FLAG, &u.hc, NULL, "pack with LZ4 HC: smaller", NULL, 0, 0},
        {'e', "extreme", TD_OPT_FLAG, &u.extreme, NULL, "pack with LZ4 HC as small as it can: very slow",
         NULL, 0, 0},
        {'z', "zstd", TD_OPT_INT, &u.level, "LEVEL", "pack with Zstd, level 1 to 22 (default: 3)", NULL, 1,
         22},
        {'j', "streams", TD_OPT_INT, &u.streams, "N",
         "streams of a parallel container, 1 to 255 (default 4; -1: one a processor)", NULL, -1, 255},
        {'s', "strip", TD_OPT_STRING, &u.strip, "LETTERS", "leave out the contents that the letters name",
         NULL, 0, 0},
        {'d', "dictionary", TD_OPT_FLAG, &u.dictionary, NULL, "make a dictionary for frame images", NULL, 0,
         0},
        {'c', "cache", TD_OPT_FLAG, &u.sources, NULL,
         "add the source files that the trace names and this machine has", NULL, 0, 0},
        {0, "sources", TD_OPT_WORDS, &u.source_folders, "DIR", "with -c: only from DIR; may be repeated",
         NULL, 0, 0},
        {'r', "resolve", TD_OPT_FLAG, &u.symbols.resolve, NULL,
         "resolve call stack frames from files of this machine", NULL, 0, 0},
        {'R', "reset", TD_OPT_FLAG, &u.symbols.reset, NULL, "make all call stack frames unresolved", NULL, 0,
         0},
        {'p', "path", TD_OPT_WORDS, &u.symbols.paths, "REGEX;REPLACEMENT",
         "where images are, for paths of the trace that match; may be repeated", NULL, 0, 0},
        {'a', "addr2line", TD_OPT_STRING, &u.symbols.tool, "PROGRAM",
         "resolve with this program, which is called as addr2line is", NULL, 0, 0},
        {'A', "addr2line-args", TD_OPT_STRING, &u.symbols.arguments, "ARGUMENTS",
         "more arguments for it: --relative-address, or -i for inlined functions", NULL, 0, 0},
        {'v', "verbose", TD_OPT_FLAG, &u.symbols.verbose, NULL, "print every frame that is resolved", NULL, 0,
         0},
        FORMAT_OPTION(&u.format, "release that the file is for (default: same)"),
        {0, "contexts", TD_OPT_FLAG, &u.contexts, NULL, "cores of devices become GPU contexts", NULL, 0, 0},
        {'q', "quiet", TD_OPT_FLAG, &u.quiet, NULL, "no summary", NULL, 0, 0},
        TD_LOAD_OPTIONS(&u.load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril update",
        .usage = "[options] IN [OUT]",
        .summary = td_summary_update,
        .options = options,
        .min_args = 1,
        .max_args = 2,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    u.in = argv[1];
    u.out = argv[args.count];
    if (u.source_folders.count && !u.sources)
        return td_fail(err, TD_E_USAGE, "--sources says where -c finds files: give -c, too");
    int rc = td_source_rules_init(&u.source_rules, &u.source_folders, err);
    rc = rc < 0 ? rc : update_file(&u, err);
    td_source_rules_free(&u.source_rules);
    return rc;
}
