/* tendril info: prints the contents of a trace: program, times, counts for each track and name, losses, clock
 * error. */
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/base/time_text.h"
#include "host/file/load.h"
#include "host/query/rows/track_sum.h"
#include "host/query/table/tables.h"
#include "host/query/table/text_form.h"
#include "host/tools/commands.h"
#include "host/tools/info/info.h"
#include "host/tools/recording/compensate_option.h"
#include "host/trace/note_kinds.h"
#include "host/trace/tables.h"
#include "proto/chip_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define TABLE_LINES 40 /* of each table, without --all */

static void print_text(const char *text, size_t bytes)
{
    td_plain_print(stdout, text, bytes);
}

/* "locks     3"; nothing if there are none. */
static void print_count(const char *name, uint64_t count, const char *more)
{
    if (count)
        printf("%-9s %" PRIu64 "%s\n", name, count, more);
}

static void print_contents(const struct td_trace *trace)
{
    static const struct {
        const char *name;
        enum td_table table;
        const char *more;
    } counts[] = {{"locks", TD_TABLE_LOCK, ""},           {"memory", TD_TABLE_MEMORY, " allocations"},
                  {"images", TD_TABLE_IMAGE, ""},         {"symbols", TD_TABLE_SYMBOL, ""},
                  {"sources", TD_TABLE_SOURCE, " files"}, {"sections", TD_TABLE_SECTION, ""}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        print_count(counts[i].name, td_trace_table_rows(trace, counts[i].table), counts[i].more);
}

static void print_frame_sets(const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    for (uint32_t f = 0; f < td_dict_frame_set_count(dict); f++) {
        int continuous;
        uint32_t name = td_dict_get_frame_set(dict, f, &continuous);
        if (!td_trace_frames(trace, f))
            continue;
        printf("frames    %zu in ", td_trace_frames(trace, f));
        const char *text = f ? td_dict_text(dict, name) : "Frame";
        print_text(text, strlen(text));
        puts(continuous ? "" : " (with ends)");
    }
}

static void print_zones(const struct td_track_totals *all)
{
    printf("tracks    %" PRIu64 " threads, %" PRIu64 " cores", all->threads, all->cores);
    if (all->gpu_rows)
        printf(", %" PRIu64 " of GPUs", all->gpu_rows);
    printf("\nzones     %" PRIu64, all->zones);
    if (all->open)
        printf(" (%" PRIu64 " without end)", all->open);
    if (all->gpu_zones)
        printf("\nGPU zones %" PRIu64, all->gpu_zones);
    if (all->gpu_open)
        printf(" (%" PRIu64 " without end)", all->gpu_open);
    putchar('\n');
}

static void print_notes(const struct td_trace *trace)
{
    const char *line;
    for (const struct td_note *note = td_notes; note < td_notes + TD_NOTE_KIND_COUNT; note++)
        for (size_t i = 0; note->head && (line = td_trace_get_note(trace, note->key, i)); i++)
            printf("%s %s\n", note->head, TD_PLAIN(line));
}

/* "chip 0    NoC 10x12: 8x9 Tensix, 6 harvested Tensix, 18 DRAM, ..." */
static void print_chip_maps(const struct td_trace *trace)
{
    struct td_chip_map map;
    const char *line;
    for (size_t i = 0; (line = td_trace_get_note(trace, TD_NOTE_CHIP_MAP, i)); i++) {
        uint32_t places[TD_PLACE_COUNT] = {0};
        if (!td_chip_map_read(line, &map))
            continue;
        for (uint32_t y = 0; y < map.height; y++)
            for (uint32_t x = 0; x < map.width; x++)
                places[map.place[y][x]]++;
        printf("chip %-4" PRIu32 " NoC %" PRIu32 "x%" PRIu32 ": %" PRIu32 "x%" PRIu32 " Tensix", map.chip,
               map.width, map.height, map.columns, map.rows);
        for (int p = TD_PLACE_TENSIX + 1; p < TD_PLACE_COUNT; p++)
            if (places[p])
                printf(", %" PRIu32 " %s", places[p], td_chip_place_name((enum td_chip_place)p));
        putchar('\n');
    }
}

static int print_head(const struct td_trace *trace, const char *path, uint32_t version, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_trace_info *info = td_trace_get_info(trace);
    const struct td_track_totals all = td_track_totals_of(trace);
    char text[64], date[64] = "", number[32];
    time_t when = (time_t)info->capture_time_s;
    struct tm parts;
    if (when && localtime_r(&when, &parts))
        strftime(date, sizeof date, ", captured %Y-%m-%d %H:%M:%S", &parts);
    printf("%s: ", TD_PLAIN(path));
    if (info->program && *info->program)
        print_text(info->program, strlen(info->program));
    else
        fputs("(program not known)", stdout);
    puts(date);
    if (version)
        printf("file      version %s\n", info_version(number, sizeof number, version));
    printf("time      %s\n", td_time_text(text, sizeof text, (double)info->last_time_ns, TD_TIME_WHOLE));
    print_zones(&all);
    printf("messages  %zu\nplots     %" PRIu32 "\n", td_trace_messages(trace), td_dict_plot_count(dict));
    print_frame_sets(trace);
    print_contents(trace);
    const int rc = info_print_samples(trace, err);
    const char *lost = td_trace_get_note(trace, TD_NOTE_LOST, 0),
               *other = td_trace_get_note(trace, TD_NOTE_LOST_OTHER, 0),
               *unknown = td_trace_get_note(trace, TD_NOTE_LOST_UNKNOWN, 0);
    const char *clock = td_trace_get_note(trace, TD_NOTE_CLOCK_ERROR_NS, 0);
    if (lost || other)
        printf("lost      %s%s zones, %s other%s\n", unknown ? "at least " : "", TD_PLAIN(lost ? lost : "0"),
               TD_PLAIN(other ? other : "0"), unknown ? "; the rest is not known" : "");
    if (clock)
        printf("clock     device times within %s ns of the host's\n", TD_PLAIN(clock));
    print_chip_maps(trace);
    print_notes(trace);
    if (td_trace_crash(trace)) {
        const char *message = td_dict_text(dict, td_trace_crash(trace)->text);
        printf("crash     ");
        print_text(message, strcspn(message, "\n"));
        putchar('\n');
    }
    if (td_trace_clamped(trace))
        printf("changed   %" PRIu64 " inconsistent times or nestings were corrected\n",
               td_trace_clamped(trace));
    return rc;
}

/* The source files whose text is in the trace. */
static void print_sources(const struct td_trace *trace, size_t limit)
{
    const struct td_series *sources = td_trace_table(trace, TD_TABLE_SOURCE);
    size_t count = (size_t)td_series_count(sources);
    if (count)
        puts("\n  source file, bytes");
    for (size_t i = 0; i < count && i < limit; i++) {
        uint32_t name = (uint32_t)td_series_get(sources, i, TD_SOURCE_NAME);
        printf("  ");
        print_text(td_dict_text(td_trace_dict(trace), name), td_dict_text_bytes(td_trace_dict(trace), name));
        printf(", %" PRId64 "\n", td_series_get(sources, i, TD_SOURCE_BYTES));
    }
    td_text_more(stdout, count > limit ? count - limit : 0);
}

/* All but what a table has printed. */
static void print_app_info(const struct td_trace *trace)
{
    const char *before = "\n  ";
    for (size_t i = 0; i < td_trace_app_infos(trace); i++) {
        const char *text = td_dict_text(td_trace_dict(trace), td_trace_app_info(trace, i));
        if (strncmp(text, TD_NOTE_BILL ": ", strlen(TD_NOTE_BILL ": ")) == 0)
            continue;
        fputs(before, stdout);
        before = "  ";
        print_text(text, strlen(text));
        putchar('\n');
    }
}

const char td_summary_info[] = "Prints what is in a trace: program, times, tracks, zones, losses.";

int td_cmd_info(int argc, char **argv, struct td_err *err)
{
    struct td_load_options load = {0};
    int json = 0, all = 0, waits = 0, compensate = 0;
    long op = -1;
    const struct td_option options[] = {
        {'j', "json", TD_OPT_FLAG | TD_OPT_LOOKS, &json, NULL, "everything, for programs (docs/info-json.md)",
         NULL, 0, 0},
        {'a', "all", TD_OPT_FLAG | TD_OPT_LOOKS, &all, NULL, "print whole tables, not only the first 40 rows",
         NULL, 0, 0},
        {'w', "waits", TD_OPT_FLAG, &waits, NULL, "who waited for whom: from flows and wait zones", NULL, 0,
         0},
        {0, "op", TD_OPT_INT, &op, "N", "the launches of operation N: cores, waits, chain of waits", NULL, 0,
         UINT32_MAX},
        COMPENSATE_OPTION(&compensate),
        TD_LOAD_OPTIONS(&load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril info",
        .usage = "[options] FILE",
        .summary = td_summary_info,
        .options = options,
        .min_args = 1,
        .max_args = 1,
    };
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    if (compensate && (waits || op >= 0))
        return td_fail(err, TD_E_USAGE, "--compensate changes tables of zones: leave out --waits and --op");
    struct td_trace *trace;
    const size_t limit = all ? SIZE_MAX : TABLE_LINES;
    int rc = td_load(argv[1], &load, "tendril info", &trace, err);
    if (rc < 0)
        return rc;
    if (compensate)
        rc = compensate_loaded(&trace, load.memory_bytes, err);
    if (rc < 0) {
        td_trace_destroy(trace);
        return rc;
    }
    if (waits || op >= 0) {
        const struct info_waits_request request = {
            .waits = waits, .op = op, .limit = limit, .json_path = json ? argv[1] : NULL};
        rc = info_print_waits(trace, &request, err);
    } else if (json) {
        rc = info_json(trace, argv[1], load.version, compensate, err);
    } else {
        rc = print_head(trace, argv[1], load.version, err);
        rc = rc ? rc : info_print_table(trace, &td_table_tracks, NULL, NULL, limit, err);
        rc = rc ? rc : info_print_table(trace, &td_table_names, "total_ns", NULL, limit, err);
        rc = rc ? rc : info_print_bill(trace, limit, err);
        print_sources(trace, limit);
        print_app_info(trace);
    }
    td_trace_destroy(trace);
    if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        rc = td_fail_errno(err, "cannot write the description");
    return rc;
}
