/* GPU contexts of a trace file with their zones and notes (P22). */
#include "host/file/bytes.h"
#include "host/file/convention.h"
#include "host/file/read_tree.h"
#include "proto/track.h"

#define HEAD_BYTES  31 /* of a zone: both starts, location, call stack, thread, number of children */
#define ENDS_BYTES  16 /* both ends */
#define QUERY_BYTES 2

struct gpu_reader {
    struct reader *r;
    uint32_t context;           /* number of the one being read */
    int notes;                  /* 1: this version has queries and notes */
    struct td_map stack_extras; /* call stack -> row of EXTRA that has only this call stack */
    int have_stack_extras;
    int64_t cpu_ns, gpu_ns; /* references */
    struct read_tree tree;
};

/* The model's type of a context. Tenstorrent's fork uses numbers that mean other types in stock versions. */
static int64_t model_type(uint32_t version, uint8_t type)
{
    int device = (type == 6 && version < TD_FILE_VERSION(0, 12, 0)) ||
                 (type == 10 && version == TD_FILE_VERSION(0, 12, 4));
    return device ? TD_GPU_TENSTORRENT : type;
}

static void no_memory_if(struct reader *r, int failed)
{
    if (failed)
        td_in_no_memory(&r->in);
}

/* Indexes the rows of EXTRA that have only a call stack, so that reading and writing a file again and again
 * does not add more of them. */
static int index_stack_extras(struct gpu_reader *g, const struct td_series *extras)
{
    int64_t row[TD_EXTRA_COLUMN_COUNT];
    g->have_stack_extras = 1;
    for (uint64_t i = 1; i < extras->count; i++) {
        td_series_row(extras, i, row);
        if (row[TD_EXTRA_STACK] && !row[TD_EXTRA_TEXT] && !row[TD_EXTRA_NAME] && !row[TD_EXTRA_COLOR] &&
            td_map_add(&g->stack_extras, (uint64_t)row[TD_EXTRA_STACK], (uint32_t)i) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

/* The row of EXTRA for a zone with this call stack. */
static uint32_t stack_extra(struct gpu_reader *g, uint32_t stack)
{
    if (!stack || g->r->in.failed)
        return 0;
    struct td_series *extras = td_trace_fill_table(g->r->trace, TD_TABLE_EXTRA);
    int64_t row[TD_EXTRA_COLUMN_COUNT] = {[TD_EXTRA_STACK] = stack};
    if (!extras || (!g->have_stack_extras && index_stack_extras(g, extras) < 0)) {
        td_in_no_memory(&g->r->in);
        return 0;
    }
    uint32_t known = td_map_get(&g->stack_extras, stack, 0);
    if (known || extras->count >= UINT32_MAX)
        return known;
    known = (uint32_t)extras->count;
    no_memory_if(g->r, td_series_append(extras, row) < 0 || td_map_add(&g->stack_extras, stack, known) < 0);
    return known;
}

static uint64_t thread_of(struct reader *r, uint16_t number)
{
    return number < r->thread_id_count ? r->thread_ids[number] : 0;
}

static int64_t known_time(int64_t time_ns)
{
    return time_ns < 0 ? TD_UNKNOWN_NS : td_reader_bounded_(time_ns);
}

/* Enters a zone. Returns its number of children; UINT64_MAX: the reader has failed. A zone without a GPU
 * start starts at its predecessor's end. */
static uint64_t read_head(struct gpu_reader *g)
{
    struct reader *r = g->r;
    struct read_tree *tree = &g->tree;
    uint8_t room[HEAD_BYTES];
    const uint8_t *at = td_in_item(&r->in, HEAD_BYTES, room);
    if (r->in.failed)
        return UINT64_MAX;
    g->cpu_ns = (int64_t)((uint64_t)g->cpu_ns + td_bytes_get(at, 8));
    g->gpu_ns = (int64_t)((uint64_t)g->gpu_ns + td_bytes_get(at + 8, 8));
    uint32_t srcloc = td_tree_location_(r, (uint16_t)td_bytes_get(at + 16, 2));
    struct td_fill_gpu gpu = {known_time(g->cpu_ns), -1, thread_of(r, (uint16_t)td_bytes_get(at + 21, 2)), 0};
    uint64_t children = td_bytes_get(at + 23, 8);
    if (srcloc == UINT32_MAX) {
        td_in_damaged(&r->in, "a GPU zone without a source location");
        return UINT64_MAX;
    }
    if (g->gpu_ns < 0)
        gpu.query |= TD_ZONE_NO_START;
    int64_t start = g->gpu_ns < 0 ? tree->low_ns : td_tree_time_(tree, g->gpu_ns);
    td_tree_end_open_(tree, start);
    uint32_t extra = stack_extra(g, (uint32_t)td_bytes_get(at + 18, 3));
    if (td_fill_enter_gpu(&tree->fill, start, -1, srcloc, extra, &gpu) < 0)
        td_in_no_memory(&r->in);
    return r->in.failed ? UINT64_MAX : children;
}

/* The CPU duration; -1: not known. */
static int64_t cpu_duration(struct read_tree *tree, int64_t start_ns, int64_t end_ns)
{
    if (end_ns < 0)
        return -1;
    tree->fill.clamped += end_ns < start_ns;
    return end_ns < start_ns ? 0 : td_reader_bounded_(end_ns) - start_ns;
}

/* Reads the ends of the zone entered last or, with `up`, of the zone whose children were read. */
static void read_ends(struct gpu_reader *g, int up)
{
    struct td_in *in = &g->r->in;
    struct read_tree *tree = &g->tree;
    struct td_series *row = tree->fill.rows[tree->fill.depth - (up != 0)];
    uint8_t room[ENDS_BYTES + QUERY_BYTES];
    const uint8_t *at = td_in_item(in, ENDS_BYTES + (g->notes ? QUERY_BYTES : 0), room);
    if (in->failed)
        return;
    g->cpu_ns = (int64_t)((uint64_t)g->cpu_ns + td_bytes_get(at, 8));
    g->gpu_ns = (int64_t)((uint64_t)g->gpu_ns + td_bytes_get(at + 8, 8));
    int64_t query = td_series_get_last(row, TD_ZONE_QUERY), end = tree->low_ns;
    if (g->notes)
        query |= (uint16_t)td_bytes_get(at + ENDS_BYTES, 2);
    if (g->gpu_ns < 0)
        query |= TD_ZONE_NO_END;
    else
        end = td_tree_time_(tree, g->gpu_ns);
    int open = (query & (TD_ZONE_NO_START | TD_ZONE_NO_END)) == TD_ZONE_NO_END;
    if (!open)
        td_tree_end_open_(tree, end);
    int64_t duration = open ? -1 : end - td_series_get_last(row, TD_ZONE_START);
    if (up)
        td_fill_leave(&tree->fill, duration);
    td_series_set_last(row, TD_ZONE_DURATION, duration);
    td_series_set_last(row, TD_ZONE_QUERY, query);
    td_series_set_last(row, TD_ZONE_CPU_DURATION,
                       cpu_duration(tree, td_series_get_last(row, TD_ZONE_CPU_START), g->cpu_ns));
    if (open)
        td_tree_opened_(tree);
}

static void read_list(struct gpu_reader *g)
{
    struct reader *r = g->r;
    while (!r->in.failed) {
        uint32_t depth = g->tree.fill.depth;
        if (!r->depth_left[depth]) {
            if (depth == 0)
                return;
            read_ends(g, 1);
            continue;
        }
        r->depth_left[depth]--;
        uint64_t children = read_head(g);
        if (r->in.failed)
            return;
        if (children)
            td_tree_down_(r, &g->tree, children);
        else
            read_ends(g, 0);
    }
}

/* Reads a thread of a context. It is a device's core if its id says so and the context has no thread. */
static void read_row(struct gpu_reader *g, uint64_t context_thread)
{
    struct reader *r = g->r;
    uint64_t thread = td_in_u64(&r->in), zones = td_in_u64(&r->in);
    if (r->in.failed || !zones)
        return;
    struct td_track track = {.thread = thread,
                             .kind = TD_TRACK_GPU,
                             .file_number = td_map_get(&r->thread_numbers, thread, 0),
                             .context = g->context + 1,
                             .name = td_map_get(&r->thread_names, thread, 0)};
    if (!context_thread && td_track_is_device(thread))
        td_file_track_place(&track);
    uint32_t number = td_dict_track(r->dict, &track);
    if (number == UINT32_MAX)
        return td_in_no_memory(&r->in);
    if (td_tree_begin_(r, &g->tree, number, zones) < 0)
        return;
    g->cpu_ns = g->gpu_ns = 0;
    read_list(g);
    td_tree_end_(&g->tree);
}

static void read_note_names(struct gpu_reader *g)
{
    struct reader *r = g->r;
    uint64_t count = td_in_u64(&r->in);
    for (uint64_t i = 0; i < count && !r->in.failed; i++) {
        struct td_series *names = td_trace_fill_list(r->trace, TD_TABLE_GPU_NOTE_NAME, g->context);
        int64_t row[TD_GPU_NOTE_NAME_COLUMN_COUNT] = {0};
        row[TD_GPU_NOTE_NAME_NOTE] = (int64_t)td_in_u64(&r->in);
        row[TD_GPU_NOTE_NAME_NAME] = td_reader_string_(r, td_in_u24(&r->in));
        if (!r->in.failed)
            no_memory_if(r, !names || td_series_append(names, row) < 0);
    }
}

static void read_notes(struct gpu_reader *g)
{
    struct reader *r = g->r;
    uint64_t queries = td_in_u64(&r->in);
    for (uint64_t q = 0; q < queries && !r->in.failed; q++) {
        uint16_t query = td_in_u16(&r->in);
        uint64_t count = td_in_u64(&r->in);
        for (uint64_t i = 0; i < count && !r->in.failed; i++) {
            struct td_series *notes = td_trace_fill_list(r->trace, TD_TABLE_GPU_NOTE, g->context);
            int64_t row[TD_GPU_NOTE_COLUMN_COUNT] = {[TD_GPU_NOTE_QUERY] = query};
            row[TD_GPU_NOTE_NOTE] = (int64_t)td_in_u64(&r->in);
            row[TD_GPU_NOTE_VALUE] = (int64_t)td_in_u64(&r->in);
            if (!r->in.failed)
                no_memory_if(r, !notes || td_series_append(notes, row) < 0);
        }
    }
}

/* Reads a context's fields into GPU_CONTEXT. Returns its thread. */
static uint64_t read_context_facts(struct gpu_reader *g)
{
    struct reader *r = g->r;
    struct td_series *contexts = td_trace_fill_table(r->trace, TD_TABLE_GPU_CONTEXT);
    int64_t row[TD_GPU_CONTEXT_COLUMN_COUNT] = {0};
    row[TD_GPU_CONTEXT_THREAD] = (int64_t)td_in_u64(&r->in);
    row[TD_GPU_CONTEXT_CALIBRATED] = td_in_u8(&r->in) != 0;
    td_in_skip(&r->in, 8); /* zones: they are counted */
    uint32_t bits = td_in_u32(&r->in);
    float period;
    memcpy(&period, &bits, sizeof period);
    double wide = period;
    memcpy(&row[TD_GPU_CONTEXT_PERIOD], &wide, sizeof wide);
    row[TD_GPU_CONTEXT_TYPE] = model_type(r->in.version, td_in_u8(&r->in));
    row[TD_GPU_CONTEXT_NAME] = td_reader_string_(r, td_in_u24(&r->in));
    row[TD_GPU_CONTEXT_OVERFLOW] = (int64_t)td_in_u64(&r->in);
    if (!r->in.failed)
        no_memory_if(r, !contexts || td_series_append(contexts, row) < 0);
    if (!r->in.failed)
        g->context = (uint32_t)contexts->count - 1;
    return (uint64_t)row[TD_GPU_CONTEXT_THREAD];
}

void td_reader_gpu_(struct reader *r)
{
    struct gpu_reader g = {.r = r, .notes = r->in.version >= TD_FILE_VERSION(0, 12, 4)};
    td_in_skip(&r->in, 16);
    uint64_t contexts = td_in_u64(&r->in);
    for (uint64_t i = 0; i < contexts && !r->in.failed; i++) {
        uint64_t thread = read_context_facts(&g);
        if (g.notes)
            read_note_names(&g);
        uint64_t rows = td_in_u64(&r->in);
        for (uint64_t t = 0; t < rows && !r->in.failed; t++)
            read_row(&g, thread);
        if (g.notes)
            read_notes(&g);
    }
    td_map_finish(&g.stack_extras);
}
