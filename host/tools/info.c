/* tendril info: what is in a trace: program, times, counts per track and per name, losses, clock error. */
#include "host/base/options.h"
#include "host/file/load.h"
#include "host/tools/commands.h"
#include "host/tools/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TABLE_LINES 40 /* of a table, without --all */

/* What is known of one track beyond the dictionary. */
struct summary {
    uint64_t zones, open;
    int64_t first_ns, last_ns; /* of its zones; first > last: none */
    int64_t busy_ns;           /* total of the outermost zones that are finished */
};

/* Zones of one location in one track. */
struct count {
    uint64_t finished, open;
    int64_t total_ns;
};

static struct summary summarize(const struct td_trace *trace, uint32_t track)
{
    struct summary s = {.zones = td_trace_track_zones(trace, track), .first_ns = 0, .last_ns = -1};
    size_t roots = td_trace_row_zones(trace, track, 0);
    for (size_t i = 0; i < roots; i++) {
        struct td_zone zone = td_trace_zone(trace, track, 0, i);
        int64_t end = zone.end_ns == TD_OPEN ? zone.start_ns : zone.end_ns;
        s.first_ns = i ? s.first_ns : zone.start_ns;
        s.last_ns = end > s.last_ns ? end : s.last_ns;
        s.busy_ns += end - zone.start_ns;
    }
    /* Only the last zone of a list can be open, and then its parent is. */
    size_t last = roots;
    for (uint32_t row = 0; last; row++) {
        struct td_zone zone = td_trace_zone(trace, track, row, last - 1);
        if (zone.end_ns != TD_OPEN)
            break;
        s.open++;
        last = zone.child_end > zone.child_begin ? zone.child_end : 0;
    }
    return s;
}

/* Adds up the track's zones by location: `counts` has a place for each and is all zero. */
static void count_names(const struct td_trace *trace, uint32_t track, struct count *counts)
{
    for (uint32_t row = 0; row < td_trace_rows(trace, track); row++) {
        size_t zones = td_trace_row_zones(trace, track, row);
        for (size_t i = 0; i < zones; i++) {
            struct td_zone zone = td_trace_zone(trace, track, row, i);
            struct count *c = &counts[zone.srcloc];
            if (zone.end_ns == TD_OPEN) {
                c->open++;
                continue;
            }
            c->finished++;
            c->total_ns += zone.end_ns - zone.start_ns;
        }
    }
}

static const char *track_name(const struct td_dict *dict, const struct td_track *track)
{
    return track->name ? td_dict_text(dict, track->name) : "???";
}

/* ---- JSON; the fields are described in docs/info-json.md ---- */

static void json_location(struct td_json *j, const struct td_dict *dict, uint32_t srcloc)
{
    const struct td_srcloc *loc = td_dict_get_srcloc(dict, srcloc);
    td_json_string(j, "name", td_dict_zone_name(dict, srcloc));
    td_json_string(j, "function", td_dict_text(dict, loc->function));
    td_json_string(j, "file", td_dict_text(dict, loc->file));
    td_json_uint(j, "line", loc->line);
    td_json_bool(j, "wait", loc->flags & TD_SRCLOC_WAIT);
    td_json_bool(j, "lost", loc->flags & TD_SRCLOC_LOST);
}

static void json_track_names(struct td_json *j, const struct td_trace *trace, uint32_t track,
                             struct count *counts)
{
    const struct td_dict *dict = td_trace_dict(trace);
    count_names(trace, track, counts);
    td_json_array(j, "names");
    for (uint32_t s = 0; s < td_dict_srcloc_count(dict); s++) {
        if (!counts[s].finished && !counts[s].open)
            continue;
        td_json_object(j, NULL);
        td_json_string(j, "name", td_dict_zone_name(dict, s));
        td_json_string(j, "file", td_dict_text(dict, td_dict_get_srcloc(dict, s)->file));
        td_json_uint(j, "line", td_dict_get_srcloc(dict, s)->line);
        td_json_uint(j, "count", counts[s].finished);
        td_json_uint(j, "open", counts[s].open);
        td_json_int(j, "total_ns", counts[s].total_ns);
        td_json_end_object(j);
        counts[s] = (struct count){0};
    }
    td_json_end_array(j);
}

static void json_track(struct td_json *j, const struct td_trace *trace, uint32_t number, struct count *counts)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_track *track = td_dict_get_track(dict, number);
    struct summary s = summarize(trace, number);
    td_json_object(j, NULL);
    td_json_uint(j, "thread", track->thread);
    td_json_string(j, "name", track_name(dict, track));
    td_json_string(j, "kind", track->kind == TD_TRACK_CORE ? "core" : "thread");
    if (track->kind == TD_TRACK_CORE) {
        td_json_uint(j, "chip", track->chip);
        td_json_uint(j, "x", track->x);
        td_json_uint(j, "y", track->y);
        td_json_uint(j, "core", track->core);
        td_json_bool(j, "synced", !track->unsynced);
    }
    td_json_int(j, "group_hint", track->group_hint);
    td_json_uint(j, "zones", s.zones);
    td_json_uint(j, "open_zones", s.open);
    td_json_uint(j, "depth", td_trace_rows(trace, number));
    td_json_uint(j, "messages", td_trace_track_messages(trace, number));
    td_json_int(j, "busy_ns", s.busy_ns);
    if (s.first_ns <= s.last_ns) {
        td_json_int(j, "first_ns", s.first_ns);
        td_json_int(j, "last_ns", s.last_ns);
    } else {
        td_json_null(j, "first_ns");
        td_json_null(j, "last_ns");
    }
    json_track_names(j, trace, number, counts);
    td_json_end_object(j);
}

static void json_names(struct td_json *j, const struct td_trace *trace)
{
    const struct td_stat *stats;
    size_t count = td_trace_stats(trace, &stats);
    td_json_array(j, "names");
    for (size_t i = 0; i < count; i++) {
        td_json_object(j, NULL);
        json_location(j, td_trace_dict(trace), stats[i].srcloc);
        td_json_uint(j, "count", stats[i].count);
        td_json_uint(j, "open", stats[i].open);
        td_json_int(j, "total_ns", stats[i].total_ns);
        td_json_int(j, "self_ns", stats[i].self_ns);
        td_json_double(j, "mean_ns", stats[i].mean_ns);
        td_json_int(j, "min_ns", stats[i].min_ns);
        td_json_int(j, "max_ns", stats[i].max_ns);
        td_json_double(j, "std_ns", stats[i].std_ns);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

static void json_plots(struct td_json *j, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    td_json_array(j, "plots");
    for (uint32_t p = 0; p < td_dict_plot_count(dict); p++) {
        size_t points = td_trace_plot_points(trace, p);
        double min = 0, max = 0, sum = 0;
        for (size_t i = 0; i < points; i++) {
            double value = td_trace_plot_point(trace, p, i).value;
            min = i == 0 || value < min ? value : min;
            max = i == 0 || value > max ? value : max;
            sum += value;
        }
        td_json_object(j, NULL);
        td_json_string(j, "name", td_dict_text(dict, td_dict_get_plot(dict, p)->name));
        td_json_uint(j, "points", points);
        td_json_double(j, "min", min);
        td_json_double(j, "max", max);
        td_json_double(j, "sum", sum);
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

static void json_frame_sets(struct td_json *j, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    td_json_array(j, "frame_sets");
    for (uint32_t f = 0; f < td_dict_frame_set_count(dict); f++) {
        int continuous;
        uint32_t name = td_dict_get_frame_set(dict, f, &continuous);
        if (!td_trace_frames(trace, f))
            continue;
        td_json_object(j, NULL);
        td_json_string(j, "name", f ? td_dict_text(dict, name) : "Frame");
        td_json_bool(j, "continuous", continuous);
        td_json_uint(j, "frames", td_trace_frames(trace, f));
        td_json_end_object(j);
    }
    td_json_end_array(j);
}

/* A note that is a number; null where the trace does not have it. */
static void json_note(struct td_json *j, const struct td_trace *trace, const char *field, const char *key)
{
    const char *note = td_trace_get_note(trace, key, 0);
    char *end = NULL;
    double value = note ? strtod(note, &end) : 0;
    if (note && end != note)
        td_json_double(j, field, value);
    else
        td_json_null(j, field);
}

static void json_capture(struct td_json *j, const struct td_trace *trace)
{
    static const struct {
        const char *field, *key;
    } notes[] = {
        {"clock_error_ns", TD_NOTE_CLOCK_ERROR_NS}, {"lost_zones", TD_NOTE_LOST},
        {"lost_other", TD_NOTE_LOST_OTHER},         {"stalls", TD_NOTE_STALLS},
        {"bad_bytes", TD_NOTE_BAD_BYTES},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
        json_note(j, trace, notes[i].field, notes[i].key);
    td_json_string(j, "board", td_trace_get_note(trace, TD_NOTE_BOARD, 0));
    td_json_array(j, "faults");
    const char *fault;
    for (size_t i = 0; (fault = td_trace_get_note(trace, TD_NOTE_FAULT, i)); i++)
        td_json_string(j, NULL, fault);
    td_json_end_array(j);
}

static void json_crash(struct td_json *j, const struct td_trace *trace)
{
    const struct td_crash *crash = td_trace_crash(trace);
    if (!crash) {
        td_json_null(j, "crash");
        return;
    }
    td_json_object(j, "crash");
    td_json_uint(j, "thread", td_dict_get_track(td_trace_dict(trace), crash->track)->thread);
    td_json_int(j, "time_ns", crash->time_ns);
    td_json_string(j, "message", td_dict_text(td_trace_dict(trace), crash->text));
    td_json_end_object(j);
}

static void json_totals(struct td_json *j, const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    uint64_t zones = 0, open = 0, cores = 0;
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        struct summary s = summarize(trace, t);
        int gpu = td_dict_get_track(dict, t)->kind == TD_TRACK_GPU;
        zones += gpu ? 0 : s.zones;
        open += gpu ? 0 : s.open;
        cores += td_dict_get_track(dict, t)->kind == TD_TRACK_CORE;
    }
    td_json_uint(j, "threads", td_dict_track_count(dict) - cores);
    td_json_uint(j, "cores", cores);
    td_json_uint(j, "zones", zones);
    td_json_uint(j, "open_zones", open);
    td_json_uint(j, "messages", td_trace_messages(trace));
    td_json_uint(j, "clamped", td_trace_clamped(trace));
}

static int print_json(const struct td_trace *trace, const char *path, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_trace_info *info = td_trace_get_info(trace);
    struct count *counts = calloc(td_dict_srcloc_count(dict), sizeof *counts);
    if (!counts)
        return td_fail(err, TD_E_NOMEM, "out of memory");
    struct td_json json = {.to = stdout}, *j = &json;
    td_json_object(j, NULL);
    td_json_uint(j, "schema", 1);
    td_json_string(j, "file", path);
    td_json_string(j, "program", info->program ? info->program : "");
    td_json_string(j, "capture", info->capture_name ? info->capture_name : "");
    td_json_uint(j, "capture_time_s", info->capture_time_s);
    td_json_string(j, "host", info->host_info ? info->host_info : "");
    td_json_uint(j, "pid", info->pid);
    td_json_int(j, "last_time_ns", info->last_time_ns);
    td_json_int(j, "resolution_ns", info->resolution_ns);
    td_json_bool(j, "on_demand", info->on_demand);
    json_totals(j, trace);
    json_capture(j, trace);
    json_crash(j, trace);
    td_json_array(j, "tracks");
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        json_track(j, trace, t, counts);
    td_json_end_array(j);
    json_names(j, trace);
    json_plots(j, trace);
    json_frame_sets(j, trace);
    td_json_array(j, "app_info");
    for (size_t i = 0; i < td_trace_app_infos(trace); i++)
        td_json_string(j, NULL, td_dict_text(dict, td_trace_app_info(trace, i)));
    td_json_end_array(j);
    td_json_end_object(j);
    free(counts);
    return 0;
}

/* ---- text ---- */

static const char *duration(char *to, size_t bytes, double ns)
{
    if (ns < 1e3)
        snprintf(to, bytes, "%.0f ns", ns);
    else if (ns < 1e6)
        snprintf(to, bytes, "%.2f us", ns / 1e3);
    else if (ns < 1e9)
        snprintf(to, bytes, "%.2f ms", ns / 1e6);
    else
        snprintf(to, bytes, "%.3f s", ns / 1e9);
    return to;
}

/* A text from the trace; what could steer a terminal is replaced. */
static void print_text(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char c = (unsigned char)text[i];
        putchar(c < 0x20 || c == 0x7f ? '?' : c);
    }
}

/* The first line of a text, as much of it as fits in `width`. */
static void print_cell(const char *text, int width)
{
    int bytes = (int)strcspn(text, "\n");
    if (bytes > width) {
        print_text(text, (size_t)width - 3);
        fputs("...", stdout);
    } else {
        print_text(text, (size_t)bytes);
        printf("%*s", width - bytes, "");
    }
}

static void print_head(const struct td_trace *trace, const char *path)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_trace_info *info = td_trace_get_info(trace);
    uint64_t zones = 0, open = 0, cores = 0;
    uint32_t tracks = td_dict_track_count(dict);
    char text[64], date[64] = "";
    for (uint32_t t = 0; t < tracks; t++) {
        struct summary s = summarize(trace, t);
        int gpu = td_dict_get_track(dict, t)->kind == TD_TRACK_GPU;
        zones += gpu ? 0 : s.zones;
        open += gpu ? 0 : s.open;
        cores += td_dict_get_track(dict, t)->kind == TD_TRACK_CORE;
    }
    time_t when = (time_t)info->capture_time_s;
    struct tm parts;
    if (when && localtime_r(&when, &parts))
        strftime(date, sizeof date, ", captured %Y-%m-%d %H:%M:%S", &parts);
    printf("%s: %s%s\n", path, info->program && *info->program ? info->program : "(program not known)", date);
    printf("time      %s\n", duration(text, sizeof text, (double)info->last_time_ns));
    printf("tracks    %" PRIu64 " threads, %" PRIu64 " cores\n", tracks - cores, cores);
    printf("zones     %" PRIu64, zones);
    if (open)
        printf(" (%" PRIu64 " without end)", open);
    printf("\nmessages  %zu\nplots     %" PRIu32 "\n", td_trace_messages(trace), td_dict_plot_count(dict));
    const char *lost = td_trace_get_note(trace, TD_NOTE_LOST, 0),
               *other = td_trace_get_note(trace, TD_NOTE_LOST_OTHER, 0);
    const char *clock = td_trace_get_note(trace, TD_NOTE_CLOCK_ERROR_NS, 0);
    if (lost || other)
        printf("lost      %s zones, %s other\n", lost ? lost : "0", other ? other : "0");
    if (clock)
        printf("clock     device times within %s ns of the host's\n", clock);
    if (td_trace_crash(trace)) {
        const char *message = td_dict_text(dict, td_trace_crash(trace)->text);
        printf("crash     ");
        print_text(message, strcspn(message, "\n"));
        putchar('\n');
    }
    if (td_trace_clamped(trace))
        printf("changed   %" PRIu64 " times or nestings were not sound\n", td_trace_clamped(trace));
}

static void print_more(size_t hidden)
{
    if (hidden)
        printf("  ... %zu more (--all)\n", hidden);
}

static void print_tracks(const struct td_trace *trace, size_t limit)
{
    const struct td_dict *dict = td_trace_dict(trace);
    uint32_t tracks = td_dict_track_count(dict);
    printf("\n  %-36s %10s %10s %12s\n", "track", "zones", "messages", "busy");
    for (uint32_t t = 0; t < tracks && t < limit; t++) {
        char text[32];
        struct summary s = summarize(trace, t);
        const struct td_track *track = td_dict_get_track(dict, t);
        printf("  ");
        print_cell(track_name(dict, track), 36);
        printf(" %10" PRIu64 " %10zu %12s%s\n", s.zones, td_trace_track_messages(trace, t),
               duration(text, sizeof text, (double)s.busy_ns), track->unsynced ? "  clock not synced" : "");
    }
    print_more(tracks > limit ? tracks - limit : 0);
}

static int by_total(const void *a, const void *b)
{
    const struct td_stat *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return x->total_ns < y->total_ns ? 1 : -1;
    return x->srcloc < y->srcloc ? -1 : x->srcloc > y->srcloc;
}

static int print_names(const struct td_trace *trace, size_t limit, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const struct td_stat *stats;
    size_t count = td_trace_stats(trace, &stats);
    struct td_stat *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return td_fail(err, TD_E_NOMEM, "out of memory");
    if (count)
        memcpy(sorted, stats, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_total);
    printf("\n  %-36s %10s %12s %12s %12s %12s\n", "zone", "count", "total", "mean", "min", "max");
    for (size_t i = 0; i < count && i < limit; i++) {
        char total[32], mean[32], min[32], max[32];
        printf("  ");
        print_cell(td_dict_zone_name(dict, sorted[i].srcloc), 36);
        printf(" %10" PRIu64 " %12s %12s %12s %12s\n", sorted[i].count,
               duration(total, sizeof total, (double)sorted[i].total_ns),
               duration(mean, sizeof mean, sorted[i].mean_ns),
               duration(min, sizeof min, (double)sorted[i].min_ns),
               duration(max, sizeof max, (double)sorted[i].max_ns));
    }
    print_more(count > limit ? count - limit : 0);
    free(sorted);
    return 0;
}

static void print_app_info(const struct td_trace *trace)
{
    for (size_t i = 0; i < td_trace_app_infos(trace); i++) {
        const char *text = td_dict_text(td_trace_dict(trace), td_trace_app_info(trace, i));
        fputs(i ? "  " : "\n  ", stdout);
        print_text(text, strlen(text));
        putchar('\n');
    }
}

int td_cmd_info(int argc, char **argv, struct td_err *err)
{
    struct td_load load = {0};
    int json = 0, all = 0;
    const struct td_option options[] = {
        {'j', "json", TD_OPT_FLAG, &json, NULL, "everything, for programs (docs/info-json.md)", NULL, 0, 0},
        {'a', "all", TD_OPT_FLAG, &all, NULL, "whole tables, however long", NULL, 0, 0},
        TD_LOAD_OPTIONS(&load),
        {0},
    };
    const struct td_command_line line = {
        .name = "tendril info",
        .usage = "[options] FILE",
        .summary = "Prints what is in a trace: program, times, tracks, zones, losses.",
        .options = options,
        .min_args = 1,
        .max_args = 1,
    };
    int rc = td_options_parse(&line, argc, argv, 0, err);
    if (rc < 0)
        return rc == -2 ? 0 : 2;
    struct td_trace *trace;
    rc = td_load(argv[1], &load, "tendril info", &trace, err);
    if (rc < 0)
        return rc;
    if (json) {
        rc = print_json(trace, argv[1], err);
    } else {
        size_t limit = all ? SIZE_MAX : TABLE_LINES;
        print_head(trace, argv[1]);
        print_tracks(trace, limit);
        rc = print_names(trace, limit, err);
        print_app_info(trace);
    }
    td_trace_destroy(trace);
    if (rc == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        rc = td_fail_errno(err, "cannot write the description");
    return rc;
}
