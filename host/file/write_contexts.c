/* GPU contexts and their zones (P22): those of the trace and, for those who know that form, contexts made of
 * the tracks of device cores: a context a tile, a row a core. */
#include "host/base/grow.h"
#include "host/file/bytes.h"
#include "host/file/write_rows.h"
#include "host/file/writer.h"
#include "proto/track.h"

#include <stdio.h>

#define CONTEXT_LIMIT 255
#define HEAD_BYTES    31 /* of a zone: both starts, location, call stack, thread, number of children */
#define ENDS_BYTES    16 /* both ends */
#define NOTES_SINCE   TD_FILE_VERSION(0, 12, 4) /* notes, and a query in each zone */

/* Types of contexts: what every version knows, and what it takes for those that some do not know. */
enum { TYPE_VULKAN = 2, TYPE_LAST_COMMON = 5, TYPE_CUSTOM = 7 };

static int made_context(const struct writer *w, const struct td_track *t)
{
    return w->contexts_wanted && !t->context && t->kind == TD_TRACK_CORE && td_track_is_device(t->thread);
}

int td_writer_in_context_(const struct writer *w, uint32_t track)
{
    const struct td_track *t = td_dict_get_track(w->dict, track);
    return t->context || made_context(w, t);
}

uint8_t td_writer_gpu_type_(const struct writer *w, int64_t type, int *known)
{
    static const struct {
        uint8_t type;
        uint32_t since;
    } later[] = {{6, TD_FILE_VERSION(0, 12, 0)},
                 {7, TD_FILE_VERSION(0, 12, 0)},
                 {8, TD_FILE_VERSION(0, 12, 0)},
                 {9, TD_FILE_VERSION(0, 13, 0)},
                 {10, TD_FILE_VERSION(0, 14, 0)}};
    *known = 1;
    if (type == TD_GPU_TENSTORRENT && w->tenstorrent)
        return 6;
    if (type == TD_GPU_TENSTORRENT && w->version == TD_FILE_VERSION(0, 12, 4))
        return 10;
    if (type >= 1 && type <= TYPE_LAST_COMMON)
        return (uint8_t)type;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        if (later[i].type == type && w->version >= later[i].since)
            return (uint8_t)type;
    }
    *known = 0;
    return w->version >= TD_FILE_VERSION(0, 12, 0) ? TYPE_CUSTOM : TYPE_VULKAN;
}

static uint64_t thread_of(const struct writer *w, size_t place)
{
    return td_dict_get_track(w->dict, w->context_tracks[place])->thread;
}

struct numbered {
    uint64_t context, thread;
    uint32_t track;
};

/* Contexts of the trace in their order, then the cores for which contexts are made. */
static int in_order(const void *a, const void *b)
{
    const struct numbered *x = a, *y = b;
    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    if (x->context == UINT64_MAX && x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->track < y->track ? -1 : x->track > y->track;
}

static int collect_tracks(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    struct numbered *rows = malloc((tracks + 1) * sizeof *rows);
    w->context_tracks = malloc((tracks + 1) * sizeof *w->context_tracks);
    if (!rows || !w->context_tracks) {
        free(rows);
        return -1;
    }
    for (uint32_t t = 0; t < tracks; t++) {
        const struct td_track *track = td_dict_get_track(w->dict, t);
        if (td_writer_in_context_(w, t) && td_trace_track_zones(w->trace, t))
            rows[w->context_track_count++] =
                (struct numbered){track->context ? track->context - 1 : UINT64_MAX, track->thread, t};
    }
    qsort(rows, w->context_track_count, sizeof *rows, in_order);
    for (size_t i = 0; i < w->context_track_count; i++)
        w->context_tracks[i] = rows[i].track;
    free(rows);
    return 0;
}

static int add_context(struct writer *w, struct context context)
{
    if (td_grow(&w->contexts, &w->context_capacity, w->context_count + 1, sizeof *w->contexts) < 0)
        return -1;
    w->contexts[w->context_count++] = context;
    return 0;
}

/* Contexts of the trace, with the tracks that are theirs; also those that have none. The place of the first
 * track that is in none of them. */
static size_t add_known_contexts(struct writer *w)
{
    const struct td_series *contexts = td_trace_table(w->trace, TD_TABLE_GPU_CONTEXT);
    uint64_t count = td_series_count(contexts);
    size_t at = 0;
    for (uint64_t c = 0; c < count; c++) {
        struct context context = {.first = at, .row = c, .known = 1};
        uint32_t name = (uint32_t)td_series_get(contexts, c, TD_GPU_CONTEXT_NAME);
        while (at < w->context_track_count &&
               td_dict_get_track(w->dict, w->context_tracks[at])->context == c + 1)
            at++;
        context.count = at - context.first;
        context.name = name ? td_writer_string_(w, name) + 1 : 0;
        w->failed |= add_context(w, context) < 0;
    }
    return at;
}

static size_t groups(const struct writer *w, size_t first, unsigned shift)
{
    size_t count = w->context_track_count > first;
    for (size_t i = first + 1; i < w->context_track_count; i++)
        count += thread_of(w, i) >> shift != thread_of(w, i - 1) >> shift;
    return count;
}

static void name_context(char *to, size_t bytes, uint64_t thread, unsigned shift)
{
    if (shift == 6)
        snprintf(to, bytes, "chip %u tile %u,%u", td_track_chip(thread), td_track_x(thread),
                 td_track_y(thread));
    else if (shift == 18)
        snprintf(to, bytes, "chip %u", td_track_chip(thread));
    else
        snprintf(to, bytes, "device");
}

/* Tiles, else chips, else all in one: the first that gives few enough contexts. */
static void make_contexts(struct writer *w, size_t first)
{
    size_t most = w->context_count < CONTEXT_LIMIT ? CONTEXT_LIMIT - w->context_count : 0;
    unsigned shift = groups(w, first, 6) <= most ? 6 : groups(w, first, 18) <= most ? 18 : 31;
    for (size_t i = first; i < w->context_track_count && !w->failed; i++) {
        if (i > first && thread_of(w, i) >> shift == thread_of(w, i - 1) >> shift) {
            w->contexts[w->context_count - 1].count++;
            continue;
        }
        char name[64];
        name_context(name, sizeof name, thread_of(w, i), shift);
        struct context context = {.name = td_writer_own_string_(w, name) + 1, .first = i, .count = 1};
        w->failed |= add_context(w, context) < 0;
    }
}

void td_writer_number_contexts_(struct writer *w)
{
    if (collect_tracks(w) < 0)
        w->failed = 1;
    else
        make_contexts(w, add_known_contexts(w));
}

/* Zones of a track as the file has them. */
struct gpu_writer {
    struct writer *w;
    struct row_walk walk;
    int gpu;           /* the track has columns of its own for CPU times, threads and queries */
    int queries;       /* the version has queries */
    uint16_t thread;   /* of zones of other tracks */
    int64_t cpu, last; /* references */
    const struct td_series *extras;
};

static int64_t time_of(struct writer *w, int64_t time_ns)
{
    return time_ns < 0 ? -1 : td_writer_time_(w, time_ns);
}

static void put_times(struct gpu_writer *g, int64_t cpu_ns, int64_t gpu_ns)
{
    uint8_t *to = td_out_reserve(&g->w->out);
    td_bytes_put(to, (uint64_t)cpu_ns - (uint64_t)g->cpu, 8);
    td_bytes_put(to + 8, (uint64_t)gpu_ns - (uint64_t)g->last, 8);
    td_out_commit(&g->w->out, ENDS_BYTES);
    g->cpu = cpu_ns;
    g->last = gpu_ns;
}

/* The call stack; what else a zone has of its own has no place in contexts. */
static uint32_t stack_of(struct gpu_writer *g, int64_t extra)
{
    if (!extra)
        return 0;
    uint64_t row = (uint64_t)extra;
    g->w->notice.dropped_extras += td_series_get(g->extras, row, TD_EXTRA_TEXT) ||
                                   td_series_get(g->extras, row, TD_EXTRA_NAME) ||
                                   td_series_get(g->extras, row, TD_EXTRA_COLOR);
    return td_writer_stack_(g->w, td_series_get(g->extras, row, TD_EXTRA_STACK));
}

static void put_head(struct gpu_writer *g, const struct row_window *row, uint64_t children)
{
    struct writer *w = g->w;
    int64_t start = *td_rows_column_(row, TD_ZONE_START), cpu = start;
    uint16_t thread = g->thread;
    if (g->gpu) {
        cpu = *td_rows_column_(row, TD_ZONE_CPU_START);
        if (*td_rows_column_(row, TD_ZONE_QUERY) & TD_ZONE_NO_START)
            start = -1;
        thread = td_writer_thread_(w, (uint64_t)*td_rows_column_(row, TD_ZONE_THREAD));
    }
    put_times(g, time_of(w, cpu), time_of(w, start));
    uint8_t *to = td_out_reserve(&w->out);
    td_bytes_put(to, (uint16_t)w->location[*td_rows_column_(row, TD_ZONE_SRCLOC)], 2);
    td_bytes_put(to + 2, stack_of(g, *td_rows_column_(row, TD_ZONE_EXTRA)), 3);
    td_bytes_put(to + 5, thread, 2);
    td_bytes_put(to + 7, children, 8);
    td_out_commit(&w->out, HEAD_BYTES - ENDS_BYTES);
}

static int64_t end_of(struct writer *w, int64_t start_ns, int64_t duration_ns)
{
    return duration_ns < 0 ? -1 : td_writer_time_(w, start_ns + duration_ns);
}

static void put_ends(struct gpu_writer *g, const struct row_window *row)
{
    int64_t start = *td_rows_column_(row, TD_ZONE_START), query = 0;
    int64_t end = end_of(g->w, start, *td_rows_column_(row, TD_ZONE_DURATION)), cpu = end;
    if (g->gpu) {
        cpu = end_of(g->w, *td_rows_column_(row, TD_ZONE_CPU_START),
                     *td_rows_column_(row, TD_ZONE_CPU_DURATION));
        query = *td_rows_column_(row, TD_ZONE_QUERY);
        if (query & TD_ZONE_NO_END)
            end = -1;
    }
    put_times(g, cpu, end);
    if (g->queries)
        td_out_u16(&g->w->out, query & UINT16_MAX);
}

static void put_list(struct gpu_writer *g)
{
    struct row_window *row;
    int more;
    while ((more = td_rows_next_(&g->walk, &row)) >= 0 && !g->w->out.failed) {
        if (more) {
            uint64_t children = td_rows_children_(row);
            put_head(g, row, children);
            if (children) {
                td_rows_down_(&g->walk, children);
                continue;
            }
        } else if (g->walk.depth == 0) {
            return;
        } else {
            row = &g->walk.window[--g->walk.depth];
        }
        put_ends(g, row);
        td_rows_pass_(row);
    }
    g->w->failed |= more < 0;
}

static void put_row(struct writer *w, uint32_t track)
{
    const struct td_track *t = td_dict_get_track(w->dict, track);
    struct gpu_writer g = {
        .w = w, .queries = w->version >= NOTES_SINCE, .extras = td_trace_table(w->trace, TD_TABLE_EXTRA)};
    td_out_u64(&w->out, t->thread);
    td_out_u64(&w->out, td_trace_row_zones(w->trace, track, 0));
    if (td_rows_begin_(&g.walk, w->trace, track) < 0) {
        w->failed = 1;
    } else {
        g.gpu = g.walk.columns == TD_ZONE_GPU_COLUMNS;
        g.thread = td_writer_thread_(w, t->thread);
        put_list(&g);
    }
    td_rows_end_(&g.walk);
}

/* Zones that have a GPU start, which is the number that files give. */
static uint64_t started_zones(const struct writer *w, const struct context *context)
{
    uint64_t zones = 0;
    for (size_t i = context->first; i < context->first + context->count; i++) {
        uint32_t track = w->context_tracks[i];
        for (uint32_t r = 0; r < td_trace_rows(w->trace, track); r++) {
            const struct td_series *row = td_trace_row(w->trace, track, r);
            uint64_t count = row ? td_series_count(row) : 0;
            zones += count;
            for (uint64_t z = 0; row && row->columns == TD_ZONE_GPU_COLUMNS && z < count; z++)
                zones -= (td_series_get(row, z, TD_ZONE_QUERY) & TD_ZONE_NO_START) != 0;
        }
    }
    return zones;
}

static void put_note_names(struct writer *w, const struct context *context)
{
    const struct td_series *names = td_trace_list(w->trace, TD_TABLE_GPU_NOTE_NAME, context->row);
    uint64_t count = context->known ? td_series_count(names) : 0;
    td_out_u64(&w->out, count);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t name = (uint32_t)td_series_get(names, i, TD_GPU_NOTE_NAME_NAME);
        td_out_u64(&w->out, (uint64_t)td_series_get(names, i, TD_GPU_NOTE_NAME_NOTE));
        td_out_u24(&w->out, name ? td_writer_string_(w, name) + 1 : 0);
    }
}

/* Notes of one query stand together in the model, as they do in the file. */
static void put_notes(struct writer *w, const struct context *context)
{
    const struct td_series *notes = td_trace_list(w->trace, TD_TABLE_GPU_NOTE, context->row);
    uint64_t count = context->known ? td_series_count(notes) : 0, queries = count != 0;
    for (uint64_t i = 1; i < count; i++)
        queries +=
            td_series_get(notes, i, TD_GPU_NOTE_QUERY) != td_series_get(notes, i - 1, TD_GPU_NOTE_QUERY);
    td_out_u64(&w->out, queries);
    for (uint64_t i = 0, end; i < count; i = end) {
        int64_t query = td_series_get(notes, i, TD_GPU_NOTE_QUERY);
        for (end = i + 1; end < count && td_series_get(notes, end, TD_GPU_NOTE_QUERY) == query;)
            end++;
        td_out_u16(&w->out, (uint16_t)query);
        td_out_u64(&w->out, end - i);
        for (uint64_t k = i; k < end; k++) {
            td_out_u64(&w->out, (uint64_t)td_series_get(notes, k, TD_GPU_NOTE_NOTE));
            td_out_u64(&w->out, (uint64_t)td_series_get(notes, k, TD_GPU_NOTE_VALUE));
        }
    }
}

static float as_float(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return (float)value;
}

static void put_facts(struct writer *w, const struct context *context, uint64_t zones)
{
    int64_t row[TD_GPU_CONTEXT_COLUMN_COUNT] = {
        [TD_GPU_CONTEXT_CALIBRATED] = 1, [TD_GPU_CONTEXT_TYPE] = TD_GPU_TENSTORRENT};
    float period = 1;
    uint32_t bits;
    int known;
    if (context->known) {
        td_series_row(td_trace_table(w->trace, TD_TABLE_GPU_CONTEXT), context->row, row);
        period = as_float(row[TD_GPU_CONTEXT_PERIOD]);
    }
    memcpy(&bits, &period, sizeof bits);
    td_out_u64(&w->out, (uint64_t)row[TD_GPU_CONTEXT_THREAD]);
    td_out_u8(&w->out, row[TD_GPU_CONTEXT_CALIBRATED] != 0);
    td_out_u64(&w->out, zones);
    td_out_u32(&w->out, bits);
    td_out_u8(&w->out, td_writer_gpu_type_(w, row[TD_GPU_CONTEXT_TYPE], &known));
    td_out_u24(&w->out, context->name);
    td_out_u64(&w->out, (uint64_t)row[TD_GPU_CONTEXT_OVERFLOW]);
}

static void put_context(struct writer *w, const struct context *context)
{
    int notes = w->version >= NOTES_SINCE;
    put_facts(w, context, started_zones(w, context));
    if (notes)
        put_note_names(w, context);
    td_out_u64(&w->out, context->count);
    for (size_t i = context->first; i < context->first + context->count && !w->failed; i++)
        put_row(w, w->context_tracks[i]);
    if (notes)
        put_notes(w, context);
}

void td_writer_contexts_(struct writer *w)
{
    uint64_t zones = 0, parents = 0;
    for (size_t i = 0; i < w->context_count; i++)
        zones += started_zones(w, &w->contexts[i]);
    for (size_t i = 0; i < w->context_track_count; i++)
        parents += td_trace_track_parents(w->trace, w->context_tracks[i]);
    td_out_u64(&w->out, zones);
    td_out_u64(&w->out, parents);
    td_out_u64(&w->out, w->context_count);
    for (size_t i = 0; i < w->context_count && !w->out.failed && !w->failed; i++)
        put_context(w, &w->contexts[i]);
}
