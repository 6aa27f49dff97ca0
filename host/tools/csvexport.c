/* tendril csvexport: prints tables of a trace as comma separated values, in the format of Tracy's program of
 * that name. */
#include "host/base/options.h"
#include "host/file/load.h"
#include "host/file/out_file.h"
#include "host/tools/commands.h"
#include "host/tools/csv/csv.h"
#include "host/tools/csv/csv_own.h"
#include "host/tools/recording/compensate_option.h"
#include "host/tools/files/stock_order.h"
#include "host/trace/tables.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRUNCATED_PERCENTILE 90 /* of --truncated_mean without a number */

/* ---- styles ---- */

#define STYLE_VARIABLE "TENDRIL_CSVEXPORT_STYLE"
#define STYLES         "auto|0.9.1|0.10|0.11.1|0.12.2|0.13.1|0.14.0|tt"
static const struct csv_style styles[] = {
    {"0.9.1", 1, 0, 0, 0},  {"0.10", 0, 1, 0, 0},   {"0.11.1", 0, 1, 0, 0}, {"0.12.2", 0, 1, 1, 0},
    {"0.13.1", 0, 1, 1, 0}, {"0.14.0", 0, 1, 1, 0}, {"tt", 0, 1, 0, 1},
};
enum { STYLE_0_9_1, STYLE_0_10, STYLE_0_11_1, STYLE_0_12_2, STYLE_0_13_1, STYLE_NEWEST };

/* The trace was recorded by tendril. Its version then says nothing about the tools of the user, and the
 * default is a style without texts, which may contain separators and newlines. */
static bool is_our_own(const struct td_trace *trace)
{
    for (size_t i = 0; i < td_trace_app_infos(trace); i++)
        if (!strncmp(td_dict_text(td_trace_dict(trace), td_trace_app_info(trace, i)), TD_NOTE_PREFIX,
                     strlen(TD_NOTE_PREFIX)))
            return true;
    return false;
}

static const struct csv_style *choose_style(const struct csv *c, int asked, uint32_t version)
{
    if (asked)
        return &styles[asked - 1];
    if (is_our_own(c->trace))
        return &styles[STYLE_0_11_1];
    if (version >= TD_FILE_VERSION(0, 13, 2))
        return &styles[STYLE_NEWEST];
    return &styles[version < TD_FILE_VERSION(0, 10, 0)    ? STYLE_0_9_1
                   : version == TD_FILE_VERSION(0, 10, 0) ? STYLE_0_10
                   : version <= TD_FILE_VERSION(0, 11, 1) ? STYLE_0_11_1
                   : version <= TD_FILE_VERSION(0, 12, 2) ? STYLE_0_12_2
                                                          : STYLE_0_13_1];
}

/* ---- locations ---- */

/* All locations: first those of the file's list, in the order of stock csvexport's table, then the others.
 * Returns their number; SIZE_MAX: out of memory. */
static size_t list_locations(const struct csv *c, int gpu, uint32_t *srclocs)
{
    const struct td_series *listed =
        td_trace_table(c->trace, gpu ? TD_TABLE_GPU_LOCATION : TD_TABLE_ZONE_LOCATION);
    size_t count = (size_t)td_series_count(listed), all = td_dict_srcloc_count(c->dict), used = 0;
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    size_t *order = malloc((count + 1) * sizeof *order);
    uint8_t *seen = calloc(all, 1);
    size_t ordered = SIZE_MAX;
    if (keys && order && seen) {
        for (size_t i = 0; i < count; i++)
            keys[i] = (uint64_t)td_series_get(listed, i, TD_ZONE_LOCATION_NUMBER);
        ordered = stock_order(keys, count, gpu ? 0 : all, order); /* stock csvexport reserves room for all */
    }
    for (size_t i = 0; ordered != SIZE_MAX && i < ordered; i++) {
        uint32_t srcloc = (uint32_t)td_series_get(listed, order[i], TD_ZONE_LOCATION_SRCLOC);
        if (srcloc >= all || seen[srcloc])
            continue;
        srclocs[used++] = srcloc;
        seen[srcloc] = 1;
    }
    for (size_t s = 0; ordered != SIZE_MAX && s < all; s++)
        if (!seen[s])
            srclocs[used++] = (uint32_t)s;
    free(keys);
    free(order);
    free(seen);
    return ordered == SIZE_MAX ? SIZE_MAX : used;
}

int csv_find_locations(const struct csv *c, int gpu, struct csv_locations *found, struct td_err *err)
{
    size_t all = td_dict_srcloc_count(c->dict), listed, stat_count = 0;
    const struct td_stat *stats = NULL;
    uint8_t *timed = calloc(all, 1);
    *found = (struct csv_locations){malloc((all + 1) * sizeof *found->srclocs), 0};
    listed = timed && found->srclocs ? list_locations(c, gpu, found->srclocs) : SIZE_MAX;
    if (listed == SIZE_MAX) {
        free(timed);
        return td_fail_no_memory(err, NULL);
    }
    if (!gpu)
        stat_count = td_trace_stats(c->trace, &stats);
    if (!gpu && !stats) {
        free(timed);
        return td_fail_no_memory(err, NULL);
    }
    for (size_t i = 0; i < stat_count; i++)
        timed[stats[i].srcloc] = stats[i].timed != 0;
    for (size_t i = 0; i < listed; i++)
        if (!c->text && (gpu || timed[found->srclocs[i]]) &&
            csv_is_chosen(c, td_dict_zone_name(c->dict, found->srclocs[i])))
            found->srclocs[found->count++] = found->srclocs[i];
    free(timed);
    return 0;
}

/* ---- rows ---- */

/* As in stock csvexport, the mean is a whole number, and with --self the deviation of total times is taken
 * from the mean of self times. Stock's sum overflows for means of seconds, and may be less than 0; what it prints then
 * is printed only where the style of a release was asked for. */
static void print_deviation(struct csv *c, const struct td_stat *s, uint64_t mean)
{
    const double m = (double)mean, n = (double)s->timed;
    uint64_t part = 0;
    const bool is_right =
        !__builtin_mul_overflow(mean, mean, &part) && !__builtin_mul_overflow(part, s->timed, &part);
    double square = s->sum_squares - 2. * (double)s->total_ns * m +
                    (is_right || c->is_style_asked ? (double)(mean * mean * s->timed) : m * m * n);
    if (!c->is_style_asked)
        square = fmax(0, square);
    const bool plain = c->is_style_asked && c->style->plain_deviation;
    if (s->timed > 1 ? square < 0 : plain && square <= 0)
        csv_out_text(&c->out, "-nan");
    else if (s->timed > 1)
        csv_out_f6(&c->out, sqrt(square / (n - 1)));
    else
        csv_out_text(&c->out, plain ? "inf" : "0.000000");
}

static void stat_row(struct csv *c, const struct td_stat *s, const int64_t *truncated)
{
    int64_t time = c->self ? s->self_ns : s->total_ns;
    uint64_t mean = (uint64_t)time / s->timed;
    const int64_t numbers[] = {(int64_t)s->timed, (int64_t)mean, c->self ? s->self_min_ns : s->min_ns,
                               c->self ? s->self_max_ns : s->max_ns};
    csv_location(c, &c->out, s->srcloc);
    csv_out_text(&c->out, c->separator);
    csv_out_i64(&c->out, time);
    csv_out_text(&c->out, c->separator);
    const int64_t last_ns = td_trace_get_info(c->trace)->last_time_ns;
    csv_out_f6(&c->out, last_ns > 0 ? 100. * (double)time / (double)last_ns : 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        csv_out_text(&c->out, c->separator);
        csv_out_i64(&c->out, numbers[i]);
    }
    csv_out_text(&c->out, c->separator);
    print_deviation(c, s, mean);
    for (size_t i = 0; truncated && i < 2; i++) {
        csv_out_text(&c->out, c->separator);
        csv_out_i64(&c->out, truncated[i]);
    }
    csv_out_bytes(&c->out, "\n", 1);
    csv_out_flush_if_full(&c->out);
}

/* Rows for names that were given at run time. */
static int print_own_statistics(struct csv *c, bool has_more, struct td_err *err)
{
    struct csv_own own;
    const int rc = csv_find_own(c, &own);
    for (size_t i = 0; i < own.count && rc == 0;) {
        struct td_stat stat;
        c->own_name = csv_own_name(c, &own.zones[i]);
        i = csv_own_stat(&own, i, &stat);
        const int64_t whole[] = {stat.max_ns, stat.total_ns / (int64_t)stat.timed};
        stat_row(c, &stat, has_more ? whole : NULL);
    }
    c->own_name = NULL;
    free(own.zones);
    return rc < 0 ? td_fail_no_memory(err, NULL) : 0;
}

static int print_statistics(struct csv *c, const struct csv_locations *locations, struct td_err *err)
{
    static const char *const columns[][13] = {
        {"name", "src_file", "src_line", "total_ns", "total_perc", "counts", "mean_ns", "min_ns", "max_ns",
         "std_ns", NULL},
        {"name", "src_file", "src_line", "total_ns", "total_perc", "counts", "mean_ns", "min_ns", "max_ns",
         "std_ns", "percentile_ns", "truncated_mean_ns", NULL},
    };
    const struct td_stat *stats;
    size_t count = td_trace_stats(c->trace, &stats), all = td_dict_srcloc_count(c->dict);
    const struct td_stat **by_location = calloc(all, sizeof *by_location);
    int64_t *truncated = c->percentile ? calloc(locations->count + 1, 2 * sizeof *truncated) : NULL;
    int rc = 0;
    if (!stats || !by_location || (c->percentile && !truncated))
        rc = td_fail_no_memory(err, NULL);
    if (rc == 0 && truncated)
        rc = csv_truncated_means(c, locations, truncated, err);
    for (size_t i = 0; i < count && rc == 0; i++)
        by_location[stats[i].srcloc] = &stats[i];
    if (rc == 0)
        csv_header(c, columns[truncated != NULL]);
    for (size_t i = 0; i < locations->count && rc == 0; i++)
        stat_row(c, by_location[locations->srclocs[i]], truncated ? truncated + 2 * i : NULL);
    const bool has_more = truncated != NULL;
    free(by_location);
    free(truncated);
    return rc < 0 ? rc : print_own_statistics(c, has_more, err);
}

static void print_messages(struct csv *c)
{
    static const char *const columns[] = {"MessageName", "total_ns", NULL};
    size_t count = td_trace_messages(c->trace);
    if (count)
        csv_header(c, columns);
    else
        csv_out_text(&c->out, "There are currently no messages!\n");
    for (size_t i = 0; i < count; i++) {
        struct td_message m = td_trace_message(c->trace, i);
        csv_out_text(&c->out, td_dict_text(c->dict, m.text));
        csv_out_text(&c->out, c->separator);
        csv_out_i64(&c->out, m.time_ns);
        csv_out_bytes(&c->out, "\n", 1);
        csv_out_flush_if_full(&c->out);
    }
}

static int print_table(struct csv *c, struct td_err *err)
{
    struct csv_locations locations;
    if (c->messages) {
        print_messages(c);
        return 0;
    }
    int rc = csv_find_locations(c, c->gpu, &locations, err);
    if (rc == 0)
        rc = c->gpu      ? csv_gpu_zones(c, &locations, err)
             : c->unwrap ? csv_zones(c, &locations, err)
                         : print_statistics(c, &locations, err);
    if (rc == 0 && c->plots && c->unwrap && !c->gpu)
        rc = csv_plots(c, err);
    free(locations.srclocs);
    return rc;
}

/* ---- the command ---- */

/* The style is needed before options are parsed, because -p has another meaning in the fork. */
static bool has_letters_of_fork(int argc, char **argv, const char *style)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strncmp(argv[i], "--style=", 8))
            style = argv[i] + 8;
        else if (!strcmp(argv[i], "--style") && i + 1 < argc)
            style = argv[++i];
    return style && !strcmp(style, "tt");
}

/* The style that the environment names: from 1, or 0 for auto. Negative: no such style. */
static int style_of_environment(const char *name)
{
    if (!name || !*name || !strcmp(name, "auto"))
        return 0;
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        if (!strcmp(styles[i].name, name))
            return (int)i + 1;
    return TD_E_NOTFOUND;
}

static int print_all(struct csv *c, const char *path, struct td_err *err)
{
    int rc = print_table(c, err);
    csv_out_flush(&c->out);
    if (rc == 0)
        rc = csv_out_result(&c->out, path ? path : "standard output", err);
    if (rc == 0 && c->out.file)
        rc = td_out_file_commit(c->out.file, err);
    return rc;
}

/* The output file is opened before the trace is read. It appears whole or not at all. */
static int export_trace(struct csv *c, const char *path, int style, struct td_load_options *load,
                        const char *trace, struct td_err *err)
{
    struct td_out_file *file = NULL;
    if (path && strcmp(path, "-") && !(file = td_out_file_open(path, TD_OUT_TEXT, err)))
        return err->code;
    c->out.fd = file ? -1 : STDOUT_FILENO;
    c->out.file = file;
    int rc = td_load(trace, load, "tendril csvexport", &c->trace, err);
    if (rc == 0 && c->compensate && (rc = compensate_loaded(&c->trace, load->memory_bytes, err)) < 0)
        td_trace_destroy(c->trace);
    if (rc == 0) {
        c->dict = td_trace_dict(c->trace);
        c->memory_bytes = load->memory_bytes;
        c->style = choose_style(c, style, load->version);
        c->is_style_asked = style != 0;
        if (c->plots && c->unwrap && !c->style->value && !c->style->fork)
            c->style = &styles[STYLE_0_12_2];
        rc = print_all(c, path, err);
        td_trace_destroy(c->trace);
    }
    csv_out_free(&c->out);
    td_out_file_close(file);
    return rc;
}

static const char details[] =
    "FILE may be - (standard input). Columns, order and numbers are those of stock csvexport of the release "
    "that --style names; auto is the release that the file is from, or 0.11.1 for recordings of tendril. "
    "What a release does not know (-m before 0.10; -g, -p before 0.12) has the form of the first that does.\n"
    "\n"
    "Names, texts and messages are printed as they are: they may contain separators and newlines. Zones "
    "without end and zones of length 0 are left out; in the column value, a zone without a text has that of "
    "the zone of its name before it. Plots come with -u only.\n"
    "\n"
    "With --style tt the letters are those of Tenstorrent's fork: -p TEXT is --special-parent, as -t is in "
    "every style. TENDRIL_CSVEXPORT_STYLE is the style where --style is not given, for scripts that call "
    "the fork's program.\n"
    "\n"
    "  tendril csvexport trace.tracy\n"
    "  tendril csvexport -u -f matmul -o zones.csv trace.tracy\n"
    "  tendril csvexport --style tt -u -p TT_DNN -x CompileProgram trace.tracy";

const char td_summary_csvexport[] =
    "Prints the zones of a trace as comma separated values, as stock csvexport does.";

int td_cmd_csvexport(int argc, char **argv, struct td_err *err)
{
    struct td_load_options load = {0};
    struct csv c = {.filter = "", .separator = ",", .special_parent = ""};
    const char *output = NULL;
    const char *usual = getenv(STYLE_VARIABLE);
    int style = style_of_environment(usual), fork = has_letters_of_fork(argc, argv, usual);
    const struct td_option options[] = {
        {'f', "filter", TD_OPT_STRING, &c.filter, "TEXT", "only zones with this in their name", NULL, 0, 0},
        {0, "text", TD_OPT_STRING, &c.text, "TEXT", "only zones with this in their text or values", NULL, 0,
         0},
        {'s', "sep", TD_OPT_STRING, &c.separator, "TEXT", "between columns, instead of a comma", NULL, 0, 0},
        {'c', "case", TD_OPT_FLAG, &c.case_sensitive, NULL, "the filter distinguishes upper and lower case",
         NULL, 0, 0},
        {'e', "self", TD_OPT_FLAG, &c.self, NULL, "times without those of children", NULL, 0, 0},
        {'u', "unwrap", TD_OPT_FLAG, &c.unwrap, NULL, "every zone instead of statistics", NULL, 0, 0},
        {'m', "messages", TD_OPT_FLAG, &c.messages, NULL, "messages instead of zones", NULL, 0, 0},
        {fork ? 0 : 'p', "plot", TD_OPT_FLAG, &c.plots, NULL, "points of plots after the zones of -u", NULL,
         0, 0},
        {'g', "gpu", TD_OPT_FLAG, &c.gpu, NULL, "every zone of GPU contexts instead", NULL, 0, 0},
        {0, "truncated_mean", TD_OPT_MAYBE, &c.percentile, "N",
         "with a percentile and the mean up to it (default 90)", NULL, 1, 99},
        {'x', "special", TD_OPT_STRING, &c.special, "NAMES",
         "style tt: zones whose parent's text is shown, separated by commas", NULL, 0, 0},
        {0, "special_functions", TD_OPT_STRING, &c.special, "NAMES", "the same, as the fork names it", NULL,
         0, 0},
        {'t', "special-parent", TD_OPT_STRING, &c.special_parent, "TEXT",
         "style tt: part of that parent's name", NULL, 0, 0},
        {fork ? 'p' : 0, "special_parent_function", TD_OPT_STRING, &c.special_parent, "TEXT",
         "the same, as the fork names it", NULL, 0, 0},
        {0, "style", TD_OPT_CHOICE, &style, "RELEASE", "the release of csvexport whose format is printed",
         STYLES, 0, 0},
        {'o', "output", TD_OPT_STRING, &output, "FILE", "write to a file", NULL, 0, 0},
        COMPENSATE_OPTION(&c.compensate),
        TD_LOAD_OPTIONS(&load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril csvexport",
        .usage = "[options] FILE",
        .summary = td_summary_csvexport,
        .options = options,
        .min_args = 1,
        .max_args = 1,
        .details = details,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (c.text && (c.messages || c.plots || c.gpu || c.percentile)) {
        td_fail(err, TD_E_USAGE, "--text is about zones: it does not go with -m, -p, -g or --truncated_mean");
        return 2;
    }
    if (style < 0) {
        td_fail(err, TD_E_USAGE, STYLE_VARIABLE ": '%s' is not one of " STYLES, usual);
        return 2;
    }
    c.threads = (unsigned)load.threads;
    if (!*c.special_parent) /* as in the fork */
        c.special = NULL;
    c.percentile = c.percentile < 0 ? TRUNCATED_PERCENTILE : c.percentile;
    return export_trace(&c, output, style, &load, argv[1], err);
}
