#include "host/base/cell_text.h"
#include "host/query/facts/trace_facts.h"
#include "host/base/plain_text.h"
#include "host/trace/note_kinds.h"
#include "host/trace/tables.h"
#include "host/query/table/format.h"
#include "host/query/code/stack_text.h"
#include "host/query/table/track_name.h"
#include "host/base/stream.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define TOPOLOGY_LINES 512

struct fact_writer {
    FILE *to;
    const struct td_trace *trace;
    const struct td_dict *dict;
    const char *heading; /* to be written before the next fact */
    bool no_memory;
};

static void begin_part(struct fact_writer *w, const char *heading)
{
    w->heading = heading;
}

static void put_fact(struct fact_writer *w, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put_fact(struct fact_writer *w, const char *label, const char *format, ...)
{
    char value[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    if (w->heading)
        fprintf(w->to, "%s\n", w->heading);
    w->heading = NULL;
    fprintf(w->to, "%s\t%s\n", TD_PLAIN(TD_CELL(label)), TD_PLAIN(TD_CELL(value)));
}

static void put_text(struct fact_writer *w, const char *label, const char *text)
{
    if (text && *text)
        put_fact(w, label, "%s", text);
}

static void put_count(struct fact_writer *w, const char *label, uint64_t count)
{
    if (count)
        put_fact(w, label, "%" PRIu64, count);
}

static void put_ns(struct fact_writer *w, const char *label, int64_t ns)
{
    char text[TD_FORMAT_BYTES];
    if (ns < 1000 && ns > -1000)
        put_fact(w, label, "%" PRId64 " ns", ns);
    else
        put_fact(w, label, "%s (%" PRId64 " ns)", td_format_ns(text, (double)ns), ns);
}

static void put_date(struct fact_writer *w, const char *label, uint64_t seconds)
{
    const time_t when = (time_t)seconds;
    char date[64];
    struct tm parts;
    if (when && localtime_r(&when, &parts) && strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &parts))
        put_fact(w, label, "%s", date);
}

/* ---- program and machine ---- */

/* Lines "WHAT: VALUE". */
static void put_host_info(struct fact_writer *w, const char *text)
{
    while (text && *text) {
        const size_t bytes = strcspn(text, "\n");
        const char *colon = memchr(text, ':', bytes);
        char label[64] = "host";
        const char *value = text;
        if (colon && colon > text && (size_t)(colon - text) < sizeof label) {
            snprintf(label, sizeof label, "%.*s", (int)(colon - text), text);
            value = colon + 1 + strspn(colon + 1, " ");
        }
        if (value < text + bytes)
            put_fact(w, label, "%.*s", (int)(text + bytes - value), value);
        text += bytes + (text[bytes] == '\n');
    }
}

static void put_program(struct fact_writer *w)
{
    const struct td_trace_info *info = td_trace_get_info(w->trace);
    begin_part(w, "Program");
    put_text(w, "program", info->program);
    put_text(w, "capture", info->capture_name);
    put_count(w, "process", info->pid);
    put_date(w, "captured", info->capture_time_s);
    put_date(w, "built", info->executable_time_s);
    begin_part(w, "Machine");
    put_host_info(w, info->host_info);
    if (info->cpu_vendor[0])
        put_fact(w, "processor maker", "%.12s", info->cpu_vendor);
    if (info->cpu_id)
        put_fact(w, "processor id", "0x%" PRIx32, info->cpu_id);
}

static void put_file(struct fact_writer *w, const char *path, uint32_t version)
{
    struct stat status;
    begin_part(w, "Trace");
    put_text(w, "file", path);
    if (*path && stat(path, &status) == 0 && S_ISREG(status.st_mode))
        put_fact(w, "file size", "%" PRIu64 " bytes", (uint64_t)status.st_size);
    if (!version)
        return;
    const unsigned major = version >> 16, minor = version >> 8 & 255, patch = version & 255;
    put_fact(w, "format version", "%u.%u.%u", major, minor, patch);
    put_fact(w, "written by", "Tracy %u.%u.%u, or for it", major, minor, patch);
}

static void put_times(struct fact_writer *w)
{
    const struct td_trace_info *info = td_trace_get_info(w->trace);
    put_text(w, "incomplete", info->salvaged);
    put_ns(w, "last time", info->last_time_ns);
    if (info->resolution_ns)
        put_ns(w, "timer resolution", info->resolution_ns);
    if (info->delay_ns)
        put_ns(w, "cost of a clock read", info->delay_ns);
    if (info->sampling_period_ns)
        put_ns(w, "sampling period", info->sampling_period_ns);
    put_fact(w, "on demand", "%s", info->on_demand ? "yes" : "no");
    if (info->frame_offset)
        put_fact(w, "frames before the capture", "%" PRIu64, info->frame_offset);
}

/* ---- contents ---- */

static uint64_t count_open(struct fact_writer *w, bool gpu)
{
    const struct td_stat *stats;
    size_t count = gpu ? td_trace_gpu_stats(w->trace, &stats) : td_trace_stats(w->trace, &stats);
    w->no_memory |= !stats && td_trace_is_finished(w->trace);
    uint64_t open = 0;
    for (size_t i = 0; i < count; i++)
        open += stats[i].open;
    return open;
}

static void put_tracks(struct fact_writer *w)
{
    uint64_t threads = 0, cores = 0, rows = 0, zones = 0, gpu_zones = 0;
    for (uint32_t t = 0; t < td_dict_track_count(w->dict); t++) {
        const struct td_track *track = td_dict_get_track(w->dict, t);
        const bool core = track->kind == TD_TRACK_CORE && !track->context;
        rows += track->context != 0;
        cores += core;
        threads += !track->context && !core;
        *(track->context ? &gpu_zones : &zones) += td_trace_track_zones(w->trace, t);
    }
    put_fact(w, "threads", "%" PRIu64, threads);
    put_count(w, "cores", cores);
    put_count(w, "GPU rows", rows);
    put_fact(w, "zones", "%" PRIu64, zones);
    put_count(w, "zones without end", count_open(w, false));
    put_count(w, "GPU zones", gpu_zones);
    put_count(w, "GPU zones without end", count_open(w, true));
}

static void put_frame_sets(struct fact_writer *w)
{
    for (uint32_t f = 0; f < td_dict_frame_set_count(w->dict); f++) {
        const size_t frames = td_trace_frames(w->trace, f);
        const char *name = td_dict_text(w->dict, td_dict_get_frame_set(w->dict, f, NULL));
        char label[100];
        snprintf(label, sizeof label, "frames in %.80s", f ? name : "Frame");
        put_count(w, label, frames);
    }
}

static void put_contents(struct fact_writer *w)
{
    static const struct {
        const char *label;
        enum td_table table;
    } tables[] = {{"plot points", TD_TABLE_POINT},       {"locks", TD_TABLE_LOCK},
                  {"lock events", TD_TABLE_LOCK_EVENT},  {"allocations", TD_TABLE_MEMORY},
                  {"frame images", TD_TABLE_IMAGE},      {"call stack samples", TD_TABLE_SAMPLE},
                  {"thread switches", TD_TABLE_SWITCH},  {"symbols", TD_TABLE_SYMBOL},
                  {"source files", TD_TABLE_SOURCE},     {"sections", TD_TABLE_SECTION},
                  {"GPU contexts", TD_TABLE_GPU_CONTEXT}};
    begin_part(w, "Contents");
    put_tracks(w);
    put_fact(w, "source locations", "%" PRIu32, td_dict_srcloc_count(w->dict));
    put_fact(w, "messages", "%zu", td_trace_messages(w->trace));
    put_fact(w, "plots", "%" PRIu32, td_dict_plot_count(w->dict));
    put_frame_sets(w);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        put_count(w, tables[i].label, td_trace_table_rows(w->trace, tables[i].table));
    if (td_trace_is_finished(w->trace))
        put_count(w, "corrected times", td_trace_clamped(w->trace));
}

/* ---- capture ---- */

static void put_capture(struct fact_writer *w)
{
    const char *text;
    begin_part(w, "Capture");
    for (const struct td_note *note = td_notes; note < td_notes + TD_NOTE_KIND_COUNT; note++)
        for (size_t i = 0; note->label && (text = td_trace_get_note(w->trace, note->key, i)); i++)
            put_fact(w, note->label, "%s", text);
    for (uint32_t t = 0; t < td_dict_track_count(w->dict); t++) {
        char room[TD_TRACK_NAME_BYTES];
        if (td_dict_get_track(w->dict, t)->unsynced)
            put_fact(w, "clock not synchronised", "%s", td_track_name(w->dict, t, room));
    }
}

static void put_crash(struct fact_writer *w)
{
    const struct td_crash *crash = td_trace_crash(w->trace);
    char room[TD_TRACK_NAME_BYTES], stack[900];
    if (!crash)
        return;
    begin_part(w, "Crash");
    const int64_t time = td_trace_crash_ns(w->trace);
    put_ns(w, "crash time", time);
    if (time != crash->time_ns)
        put_ns(w, "in the file", crash->time_ns);
    put_fact(w, "crashed thread", "%s", td_track_name(w->dict, crash->track, room));
    for (const char *text = td_dict_text(w->dict, crash->text); *text;) {
        const size_t bytes = strcspn(text, "\n");
        put_fact(w, "reason", "%.*s", (int)bytes, text);
        text += bytes + (text[bytes] == '\n');
    }
    td_stack_text(w->trace, crash->stack, "\n", 40, stack, sizeof stack);
    for (char *rest = NULL, *frame = strtok_r(stack, "\n", &rest); frame; frame = strtok_r(NULL, "\n", &rest))
        put_fact(w, "call stack", "%s", frame);
}

/* A line for each core: its processors. */
static void put_topology(struct fact_writer *w)
{
    const struct td_series *table = td_trace_table(w->trace, TD_TABLE_TOPOLOGY);
    const uint64_t rows = td_series_count(table);
    begin_part(w, "Processors");
    for (uint64_t i = 0; i < rows && i < TOPOLOGY_LINES; i++)
        put_fact(w, "processor", "%" PRId64 ": package %" PRId64 ", die %" PRId64 ", core %" PRId64,
                 td_series_get(table, i, TD_TOPOLOGY_CPU), td_series_get(table, i, TD_TOPOLOGY_PACKAGE),
                 td_series_get(table, i, TD_TOPOLOGY_DIE), td_series_get(table, i, TD_TOPOLOGY_CORE));
}

/* Without the notes, which are elsewhere. */
static void put_app_info(struct fact_writer *w)
{
    begin_part(w, "Application");
    for (size_t i = 0; i < td_trace_app_infos(w->trace); i++) {
        const char *text = td_dict_text(w->dict, td_trace_app_info(w->trace, i));
        if (strncmp(text, TD_NOTE_PREFIX, strlen(TD_NOTE_PREFIX)))
            put_text(w, "info", text);
    }
}

/* ---- the list ---- */

static int split_text(struct td_trace_facts *facts)
{
    size_t lines = 0;
    for (const char *p = facts->text; *p; p++)
        lines += *p == '\n';
    facts->split = strdup(facts->text);
    facts->list = calloc(lines + 1, sizeof *facts->list);
    if (!facts->split || !facts->list)
        return TD_E_NOMEM;
    for (char *line = facts->split; facts->count < lines; facts->count++) {
        char *end = strchr(line, '\n'), *tab = strchr(line, '\t');
        *end = 0;
        if (tab && tab < end)
            *tab = 0;
        facts->list[facts->count] = (struct td_fact){line, tab && tab < end ? tab + 1 : NULL};
        line = end + 1;
    }
    return 0;
}

int td_trace_facts_make(struct td_trace_facts *facts, const struct td_trace *trace, const char *path,
                        uint32_t version)
{
    struct fact_writer w = {.trace = trace, .dict = td_trace_dict(trace)};
    size_t bytes = 0;
    *facts = (struct td_trace_facts){0};
    w.to = open_memstream(&facts->text, &bytes);
    if (!w.to)
        return TD_E_NOMEM;
    put_program(&w);
    put_file(&w, path, version);
    put_times(&w);
    put_contents(&w);
    put_capture(&w);
    put_crash(&w);
    put_app_info(&w);
    put_topology(&w);
    int rc = td_text_close(w.to, &facts->text) && !w.no_memory ? split_text(facts) : TD_E_NOMEM;
    if (rc < 0)
        td_trace_facts_free(facts);
    return rc;
}

void td_trace_facts_free(struct td_trace_facts *facts)
{
    free(facts->text);
    free(facts->split);
    free(facts->list);
    *facts = (struct td_trace_facts){0};
}

const char *td_trace_facts_get(const struct td_trace_facts *facts, const char *label)
{
    for (size_t i = 0; i < facts->count; i++)
        if (facts->list[i].value && !strcmp(facts->list[i].label, label))
            return facts->list[i].value;
    return NULL;
}
