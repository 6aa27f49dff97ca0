/* GPU contexts of a trace file with their zones and notes (P22). */
#include "host/base/grow.h"
#include "host/file/bytes.h"
#include "host/file/write_rows.h"
#include "host/file/writer.h"
#include "host/trace/gpu_order.h"

#define HEAD_BYTES  31 /* of a zone: both starts, location, call stack, thread, number of children */
#define ENDS_BYTES  16 /* both ends */
#define NOTES_SINCE TD_FILE_VERSION(0, 12, 4) /* notes, and a query in each zone */

/* Writes the zones of a track. */
struct gpu_writer {
    struct writer *w;
    struct row_walk walk;
    int gpu;           /* 1: the track has columns for CPU times, threads and queries */
    int queries;       /* 1: the version has queries */
    uint16_t thread;   /* of all zones, if the track has no such column */
    int64_t cpu, last; /* reference times: CPU, GPU */
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

/* A zone's call stack. Zones in contexts have no text, name or colour: those are counted as dropped. */
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
    int64_t start = td_rows_value_(row, TD_ZONE_START), cpu = start;
    uint16_t thread = g->thread;
    if (g->gpu) {
        cpu = td_rows_value_(row, TD_ZONE_CPU_START);
        if (td_rows_value_(row, TD_ZONE_QUERY) & TD_ZONE_NO_START)
            start = -1;
        thread = td_writer_thread_(w, (uint64_t)td_rows_value_(row, TD_ZONE_THREAD));
    }
    put_times(g, time_of(w, cpu), time_of(w, start));
    uint8_t *to = td_out_reserve(&w->out);
    td_bytes_put(to, (uint16_t)w->location[td_rows_value_(row, TD_ZONE_SRCLOC)], 2);
    td_bytes_put(to + 2, stack_of(g, td_rows_value_(row, TD_ZONE_EXTRA)), 3);
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
    int64_t start = td_rows_value_(row, TD_ZONE_START), query = 0;
    int64_t end = end_of(g->w, start, td_rows_value_(row, TD_ZONE_DURATION)), cpu = end;
    if (g->gpu) {
        cpu = end_of(g->w, td_rows_value_(row, TD_ZONE_CPU_START), td_rows_value_(row, TD_ZONE_CPU_DURATION));
        query = td_rows_value_(row, TD_ZONE_QUERY);
        if (query & TD_ZONE_NO_END)
            end = -1;
        else if (query >> TD_ZONE_BACK_SHIFT)
            end = td_writer_time_(g->w, start - (query >> TD_ZONE_BACK_SHIFT));
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

static void put_line(struct writer *w, uint32_t track)
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

/* ---- threads with several lines ---- */

static int begin_lines(struct td_gpu_order *order, const struct writer *w, const uint32_t *tracks,
                       size_t count)
{
    int rc = 0;
    td_gpu_order_begin(order, w->trace);
    for (size_t i = 0; i < count && rc == 0; i++)
        rc = td_gpu_order_add(order, tracks[i]);
    return rc;
}

/* Counts the zones at depth 0, and the zones that have children. */
static int count_zones(const struct writer *w, const uint32_t *tracks, size_t count, uint64_t *roots,
                       uint64_t *parents)
{
    struct td_gpu_order order;
    struct td_gpu_step step;
    uint32_t before = 0;
    *roots = *parents = 0;
    int rc = begin_lines(&order, w, tracks, count);
    while (rc >= 0 && (rc = td_gpu_order_next(&order, &step)) > 0) {
        *roots += step.depth == 0;
        *parents += step.depth > before;
        before = step.depth;
    }
    td_gpu_order_end(&order);
    return rc;
}

/* A zone of the outermost one that is written next. */
struct tree_zone {
    struct td_gpu_step step;
    uint64_t children;
};

struct tree {
    struct tree_zone *zones;
    size_t count, capacity;
    size_t *around; /* indices of the zones around the one that is added or written */
    size_t around_capacity;
};

static int add_to_tree(struct tree *tree, const struct td_gpu_step *step)
{
    if (td_grow(&tree->zones, &tree->capacity, tree->count + 1, sizeof *tree->zones) < 0 ||
        td_grow(&tree->around, &tree->around_capacity, (size_t)step->depth + 1, sizeof *tree->around) < 0)
        return TD_E_NOMEM;
    if (step->depth)
        tree->zones[tree->around[step->depth - 1]].children++;
    tree->around[step->depth] = tree->count;
    tree->zones[tree->count++] = (struct tree_zone){*step, 0};
    return 0;
}

static void load_zone(const struct writer *w, const struct td_gpu_step *step, int64_t *values,
                      struct row_window *window)
{
    td_series_row(td_trace_row(w->trace, step->track, step->row), step->index, values);
    *window = (struct row_window){.zone = values, .apart = 1};
}

static void put_tree(struct gpu_writer *g, struct tree *tree)
{
    int64_t values[TD_SERIES_COLUMNS];
    struct row_window window;
    size_t depth = 0;
    for (size_t i = 0; i <= tree->count; i++) {
        const uint32_t next = i < tree->count ? tree->zones[i].step.depth : 0;
        while (depth > next) {
            load_zone(g->w, &tree->zones[tree->around[--depth]].step, values, &window);
            put_ends(g, &window);
        }
        if (i == tree->count)
            break;
        load_zone(g->w, &tree->zones[i].step, values, &window);
        put_head(g, &window, tree->zones[i].children);
        tree->around[depth++] = i;
    }
    tree->count = 0;
}

static void put_lines(struct writer *w, const uint32_t *tracks, size_t count)
{
    struct gpu_writer g = {.w = w,
                           .gpu = 1,
                           .queries = w->version >= NOTES_SINCE,
                           .extras = td_trace_table(w->trace, TD_TABLE_EXTRA)};
    struct td_gpu_order order = {0};
    struct tree tree = {0};
    struct td_gpu_step step;
    uint64_t roots, parents;
    int rc = count_zones(w, tracks, count, &roots, &parents);
    td_out_u64(&w->out, td_dict_get_track(w->dict, tracks[0])->thread);
    td_out_u64(&w->out, roots);
    rc = rc < 0 ? rc : begin_lines(&order, w, tracks, count);
    while (rc >= 0 && !w->out.failed && (rc = td_gpu_order_next(&order, &step)) > 0) {
        if (step.depth == 0)
            put_tree(&g, &tree);
        rc = add_to_tree(&tree, &step);
    }
    if (rc >= 0)
        put_tree(&g, &tree);
    w->failed |= rc < 0;
    td_gpu_order_end(&order);
    free(tree.zones);
    free(tree.around);
}

/* The number of lines of the thread that begins at `first`. */
static size_t lines_of(const struct writer *w, const struct context *context, size_t first)
{
    const struct td_track *t = td_dict_get_track(w->dict, w->context_tracks[first]);
    size_t end = first + 1;
    while (context->known && end < context->first + context->count &&
           td_dict_get_track(w->dict, w->context_tracks[end])->thread == t->thread)
        end++;
    return end - first;
}

/* The number of zones with a GPU start, which the file records. */
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
                zones -= (td_series_next(row, z, TD_ZONE_QUERY) & TD_ZONE_NO_START) != 0;
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

/* Notes of one query are consecutive in the model, as in the file. */
static void put_notes(struct writer *w, const struct context *context)
{
    const struct td_series *notes = td_trace_list(w->trace, TD_TABLE_GPU_NOTE, context->row);
    uint64_t count = context->known ? td_series_count(notes) : 0, queries = count != 0;
    for (uint64_t i = 1; i < count; i++)
        queries +=
            td_series_next(notes, i, TD_GPU_NOTE_QUERY) != td_series_get(notes, i - 1, TD_GPU_NOTE_QUERY);
    td_out_u64(&w->out, queries);
    for (uint64_t i = 0, end; i < count; i = end) {
        int64_t query = td_series_get(notes, i, TD_GPU_NOTE_QUERY);
        for (end = i + 1; end < count && td_series_get(notes, end, TD_GPU_NOTE_QUERY) == query;)
            end++;
        td_out_u16(&w->out, (uint16_t)query);
        td_out_u64(&w->out, end - i);
        for (uint64_t k = i; k < end; k++) {
            td_out_u64(&w->out, (uint64_t)td_series_next(notes, k, TD_GPU_NOTE_NOTE));
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
    bool known;
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
    const size_t end = context->first + context->count;
    uint64_t threads = 0;
    for (size_t i = context->first; i < end; i += lines_of(w, context, i))
        threads++;
    td_out_u64(&w->out, threads);
    for (size_t i = context->first, lines; i < end && !w->failed; i += lines) {
        lines = lines_of(w, context, i);
        if (lines == 1)
            put_line(w, w->context_tracks[i]);
        else
            put_lines(w, w->context_tracks + i, lines);
    }
    if (notes)
        put_notes(w, context);
}

static uint64_t parents_of(struct writer *w, const struct context *context)
{
    uint64_t all = 0, parents, roots;
    for (size_t i = context->first, lines; i < context->first + context->count; i += lines) {
        lines = lines_of(w, context, i);
        if (lines == 1)
            parents = td_trace_track_parents(w->trace, w->context_tracks[i]);
        else if (count_zones(w, w->context_tracks + i, lines, &roots, &parents) < 0)
            w->failed = 1;
        all += parents;
    }
    return all;
}

void td_writer_gpu_(struct writer *w)
{
    uint64_t zones = 0, parents = 0;
    for (size_t i = 0; i < w->context_count; i++) {
        zones += started_zones(w, &w->contexts[i]);
        parents += parents_of(w, &w->contexts[i]);
    }
    td_out_u64(&w->out, zones);
    td_out_u64(&w->out, parents);
    td_out_u64(&w->out, w->context_count);
    for (size_t i = 0; i < w->context_count && !w->out.failed && !w->failed; i++)
        put_context(w, &w->contexts[i]);
}
