/* Prints the model of a trace as JSON: its tables, with names instead of numbers, and all zones. tests/compat
 * compares it with what a second reader finds in the same file. Fails if times of the trace were changed, when it was
 * recorded or read: unless it was broken on purpose, which `--changed` says.
 *
 *     trace_dump [--changed] FILE
 */
#include "host/file/file.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- values ---- */

/* Bytes from 0x80 on are printed unchanged; the reader decides about the encoding. */
static void put_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void put_string(const struct td_trace *trace, int64_t string)
{
    if (string)
        put_text(td_dict_text(td_trace_dict(trace), (uint32_t)string));
    else
        printf("null");
}

static void put_srcloc(const struct td_trace *trace, int64_t number)
{
    if (!number) {
        printf("null");
        return;
    }
    const struct td_srcloc *s = td_dict_get_srcloc(td_trace_dict(trace), (uint32_t)number);
    printf("[");
    if (s->flags & TD_SRCLOC_EMPTY_NAME)
        printf("\"\"");
    else
        put_string(trace, s->name);
    printf(",");
    put_string(trace, s->function);
    printf(",");
    put_string(trace, s->file);
    printf(",%" PRIu32 ",%" PRIu32 "]", s->line, s->color);
}

static void put_stack(const struct td_trace *trace, int64_t number)
{
    if (number <= 0) {
        printf("null");
        return;
    }
    const struct td_series *stacks = td_trace_table(trace, TD_TABLE_STACK),
                           *entries = td_trace_table(trace, TD_TABLE_STACK_ENTRY);
    if ((uint64_t)number >= td_series_count(stacks)) {
        printf("\"no such call stack\"");
        return;
    }
    uint64_t first = (uint64_t)td_series_get(stacks, (uint64_t)number - 1, TD_STACK_END),
             end = (uint64_t)td_series_get(stacks, (uint64_t)number, TD_STACK_END);
    for (uint64_t i = first; i < end; i++)
        printf("%c%" PRIu64, i == first ? '[' : ',',
               (uint64_t)td_series_get(entries, i, TD_STACK_ENTRY_FRAME));
    printf("%s", first == end ? "[]" : "]");
}

static void put_bytes(const uint8_t *data, int64_t count)
{
    putchar('"');
    for (int64_t i = 0; i < count; i++)
        printf("%02x", data[i]);
    putchar('"');
}

/* 17 digits preserve every double; JSON has only finite ones. */
static void put_double(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    if (value - value == 0)
        printf("%.17g", value);
    else
        printf("\"%g\"", value);
}

/* ---- tables ---- */

static void put_value(const struct td_trace *trace, const struct td_table_shape *shape,
                      const struct td_series *series, uint64_t row, unsigned column)
{
    int64_t value = td_series_get(series, row, column);
    switch (shape->column[column].type) {
    case TD_TYPE_STRING:
        put_string(trace, value);
        break;
    case TD_TYPE_SRCLOC:
        put_srcloc(trace, value);
        break;
    case TD_TYPE_TRACK:
        printf("%" PRIu64, td_dict_get_track(td_trace_dict(trace), (uint32_t)value)->thread);
        break;
    case TD_TYPE_STACK:
        put_stack(trace, value);
        break;
    case TD_TYPE_F64:
        put_double(value);
        break;
    case TD_TYPE_BLOB:
        put_bytes(td_trace_blob(value), td_series_get(series, row, column + 1));
        break;
    default:
        printf("%" PRId64, value);
    }
}

static void put_series(const struct td_trace *trace, enum td_table table, const struct td_series *series)
{
    const struct td_table_shape *shape = td_table_get_shape(table);
    printf("[");
    for (uint64_t i = 0; i < td_series_count(series); i++) {
        for (unsigned c = 0; c < shape->columns; c++) {
            printf("%s", c ? "," : i ? ",\n[" : "[");
            put_value(trace, shape, series, i, c);
        }
        printf("]");
    }
    printf("]");
}

static void put_tables(const struct td_trace *trace)
{
    for (enum td_table t = 0; t < TD_TABLE_COUNT; t++) {
        const struct td_table_shape *shape = td_table_get_shape(t);
        printf(",\n\"%s\":", shape->name);
        if (!shape->each) {
            put_series(trace, t, td_trace_table(trace, t));
            continue;
        }
        printf("[");
        for (uint64_t i = 0; i < td_trace_lists(trace, t); i++) {
            printf("%s", i ? ",\n" : "");
            put_series(trace, t, td_trace_list(trace, t, i));
        }
        printf("]");
    }
}

/* ---- zones ---- */

/* Prints the zone's columns and the number of its children; parents before children. */
static void put_zones(const struct td_trace *trace, uint32_t track, uint32_t depth, uint64_t first,
                      uint64_t end)
{
    const struct td_series *row = td_trace_row(trace, track, depth);
    const struct td_series *extras = td_trace_table(trace, TD_TABLE_EXTRA);
    int gpu = td_dict_get_track(td_trace_dict(trace), track)->context != 0;
    for (uint64_t i = first; i < end; i++) {
        uint64_t from = i ? (uint64_t)td_series_get(row, i - 1, TD_ZONE_CHILD_END) : 0,
                 to = (uint64_t)td_series_get(row, i, TD_ZONE_CHILD_END);
        uint64_t extra = (uint64_t)td_series_get(row, i, TD_ZONE_EXTRA);
        printf("%s[%" PRIu32 ",%" PRIu64 ",", depth || i ? ",\n" : "", depth, to - from);
        put_srcloc(trace, td_series_get(row, i, TD_ZONE_SRCLOC));
        printf(",%" PRId64 ",%" PRId64 ",", td_series_get(row, i, TD_ZONE_START),
               td_series_get(row, i, TD_ZONE_DURATION));
        put_stack(trace, extra ? td_series_get(extras, extra, TD_EXTRA_STACK) : 0);
        printf(",");
        put_string(trace, extra ? td_series_get(extras, extra, TD_EXTRA_TEXT) : 0);
        printf(",");
        put_string(trace, extra ? td_series_get(extras, extra, TD_EXTRA_NAME) : 0);
        printf(",%" PRId64, extra ? td_series_get(extras, extra, TD_EXTRA_COLOR) : 0);
        for (unsigned c = TD_ZONE_CPU_START; gpu && c < TD_ZONE_GPU_COLUMNS; c++)
            printf(",%" PRId64, td_series_get(row, i, c));
        printf("]");
        if (from < to)
            put_zones(trace, track, depth + 1, from, to);
    }
}

static void put_tracks(const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    printf(",\n\"tracks\":[");
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++) {
        const struct td_track *track = td_dict_get_track(dict, t);
        printf("%s{\"thread\":%" PRIu64 ",\"name\":", t ? ",\n" : "", track->thread);
        put_string(trace, track->name);
        printf(",\"fiber\":%d,\"hint\":%" PRId32 ",\"context\":%" PRIu32 ",\"kernel_samples\":%" PRIu64
               ",\"count\":%" PRIu64 ",\"zones\":[",
               track->fiber, track->group_hint, track->context, track->kernel_samples,
               td_trace_track_zones(trace, t));
        const struct td_series *roots = td_trace_row(trace, t, 0);
        if (roots)
            put_zones(trace, t, 0, 0, td_series_count(roots));
        printf("]}");
    }
    printf("]");
}

/* ---- the rest ---- */

static void put_info(const struct td_trace *trace)
{
    const struct td_trace_info *info = td_trace_get_info(trace);
    printf("{\"resolution\":%" PRId64 ",\"timer_mul\":%.17g,\"last_time\":%" PRId64
           ",\"frame_offset\":%" PRIu64 ",\"pid\":%" PRIu64 ",\"sampling_period\":%" PRId64,
           info->resolution_ns, info->timer_mul, info->last_time_ns, info->frame_offset, info->pid,
           info->sampling_period_ns);
    printf(",\"cpu_arch\":%u,\"cpu_id\":%" PRIu32 ",\"ctime\":%" PRIu64 ",\"etime\":%" PRIu64
           ",\"on_demand\":%u",
           info->cpu_arch, info->cpu_id, info->capture_time_s, info->executable_time_s, info->on_demand);
    char vendor[13] = {0};
    memcpy(vendor, info->cpu_vendor, 12);
    const char *const names[] = {"vendor",  vendor,        "capture_name", info->capture_name,
                                 "program", info->program, "host",         info->host_info};
    for (size_t i = 0; i < sizeof names / sizeof *names; i += 2) {
        printf(",\"%s\":", names[i]);
        put_text(names[i + 1] ? names[i + 1] : "");
    }
    const struct td_crash *crash = td_trace_crash(trace);
    printf(",\"crash\":");
    if (crash) {
        printf("[%" PRIu64 ",%" PRId64 ",", td_dict_get_track(td_trace_dict(trace), crash->track)->thread,
               crash->time_ns);
        put_string(trace, crash->text);
        printf(",");
        put_stack(trace, crash->stack);
        printf("]");
    } else {
        printf("null");
    }
}

static void put_names(const struct td_trace *trace)
{
    const struct td_dict *dict = td_trace_dict(trace);
    printf(",\n\"plots\":[");
    for (uint32_t p = 0; p < td_dict_plot_count(dict); p++) {
        const struct td_plot *plot = td_dict_get_plot(dict, p);
        printf("%s[%u,%u,%u,%u,%" PRIu32 ",", p ? "," : "", plot->kind, plot->format, plot->step, plot->fill,
               plot->color);
        put_string(trace, plot->name);
        printf("]");
    }
    printf("],\n\"frame_sets\":[");
    for (uint32_t f = 0; f < td_dict_frame_set_count(dict); f++) {
        int continuous;
        uint32_t name = td_dict_get_frame_set(dict, f, &continuous);
        printf("%s[", f ? "," : "");
        put_string(trace, name);
        printf(",%d]", continuous);
    }
    printf("]");
}

int main(int argc, char **argv)
{
    struct td_trace *trace;
    struct td_err err = {0};
    const int may_change = argc == 3 && strcmp(argv[1], "--changed") == 0;
    if (argc != 2 + may_change) {
        fprintf(stderr, "usage: trace_dump [--changed] FILE\n");
        return 2;
    }
    if (td_file_read(argv[argc - 1], &trace, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    put_info(trace);
    put_names(trace);
    put_tracks(trace);
    put_tables(trace);
    printf("}\n");
    const uint64_t changed = td_trace_clamped(trace);
    if (changed && !may_change)
        fprintf(stderr, "%s: %" PRIu64 " times were changed\n", argv[1], changed);
    td_trace_destroy(trace);
    return changed && !may_change;
}
