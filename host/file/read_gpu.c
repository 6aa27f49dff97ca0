/* GPU contexts of a trace file with their zones and notes (P22). */
#include "host/base/grow.h"
#include "host/file/bytes.h"
#include "host/file/convention.h"
#include "host/file/read_tree.h"
#include "host/trace/gpu_lines.h"
#include "proto/track.h"

#define HEAD_BYTES  31 /* of a zone: both starts, location, call stack, thread, number of children */
#define ENDS_BYTES  16 /* both ends */
#define QUERY_BYTES 2

/* Zones that wait, at most: the ends of a zone come after the zones in it. */
#define WAITING_MOST 65536u
#define IS_PLACED    SIZE_MAX

/* A zone whose children are read. */
struct gpu_parent {
    size_t index;  /* in `waiting`, or IS_PLACED: it went to its line without an end */
    uint64_t left; /* zones still to read after it in its list */
    int64_t cpu_start_ns;
};

struct gpu_reader {
    struct reader *r;
    uint32_t context;           /* number of the one being read */
    int notes;                  /* 1: this version has queries and notes */
    struct td_map stack_extras; /* call stack -> row of EXTRA that has only this call stack */
    int have_stack_extras;
    int64_t cpu_ns, gpu_ns; /* references */
    struct td_gpu_lines *lines;
    struct td_gpu_zone *waiting;
    size_t waiting_count, waiting_capacity;
    struct gpu_parent *parents;
    size_t depth, parents_capacity;
    uint64_t clamped;
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

static int64_t known_time(struct gpu_reader *g, int64_t time_ns)
{
    if (time_ns < 0)
        return TD_UNKNOWN_NS;
    g->clamped += td_reader_bounded_(time_ns) != time_ns;
    return td_reader_bounded_(time_ns);
}

/* Zones go to their lines. Those whose ends are not read yet get them later. Parents around a placed one are
 * placed. */
static void place_waiting(struct gpu_reader *g)
{
    for (size_t d = g->depth; d-- > 0 && g->parents[d].index != IS_PLACED;) {
        g->waiting[g->parents[d].index].end_ns = TD_GPU_END_LATER;
        g->parents[d].index = IS_PLACED;
    }
    for (size_t i = 0; i < g->waiting_count; i++)
        no_memory_if(g->r, td_gpu_lines_add(g->lines, &g->waiting[i]) < 0);
    g->waiting_count = 0;
}

/* Reads a zone up to its children. Returns their number. */
static uint64_t read_head(struct gpu_reader *g)
{
    struct reader *r = g->r;
    uint8_t room[HEAD_BYTES];
    const uint8_t *at = td_in_item(&r->in, HEAD_BYTES, room);
    if (r->in.failed)
        return 0;
    g->cpu_ns = (int64_t)((uint64_t)g->cpu_ns + td_bytes_get(at, 8));
    g->gpu_ns = (int64_t)((uint64_t)g->gpu_ns + td_bytes_get(at + 8, 8));
    struct td_gpu_zone zone = {.depth = (uint32_t)g->depth,
                               .srcloc = td_tree_location_(r, (uint16_t)td_bytes_get(at + 16, 2)),
                               .start_ns = known_time(g, g->gpu_ns),
                               .cpu_start_ns = known_time(g, g->cpu_ns),
                               .thread = thread_of(r, (uint16_t)td_bytes_get(at + 21, 2))};
    const uint64_t children = td_bytes_get(at + 23, 8);
    if (zone.srcloc == UINT32_MAX || children > UINT32_MAX)
        td_in_damaged(&r->in, children > UINT32_MAX ? "an impossible number of zones"
                                                    : "a GPU zone without a source location");
    if (g->waiting_count == WAITING_MOST)
        place_waiting(g);
    zone.extra = stack_extra(g, (uint32_t)td_bytes_get(at + 18, 3));
    no_memory_if(r, td_grow(&g->waiting, &g->waiting_capacity, g->waiting_count + 1, sizeof zone) < 0);
    if (!r->in.failed)
        g->waiting[g->waiting_count++] = zone;
    return children;
}

/* The CPU duration; -1: not known. */
static int64_t cpu_duration(struct gpu_reader *g, int64_t start_ns, int64_t end_ns)
{
    if (end_ns < 0)
        return -1;
    g->clamped += end_ns < start_ns;
    return end_ns < start_ns ? 0 : td_reader_bounded_(end_ns) - start_ns;
}

/* Reads the ends of a zone at the present depth. */
static void read_ends(struct gpu_reader *g, size_t index, int64_t cpu_start_ns)
{
    struct td_in *in = &g->r->in;
    struct td_gpu_zone placed = {.depth = (uint32_t)g->depth};
    uint8_t room[ENDS_BYTES + QUERY_BYTES];
    const uint8_t *at = td_in_item(in, ENDS_BYTES + (g->notes ? QUERY_BYTES : 0), room);
    if (in->failed)
        return;
    g->cpu_ns = (int64_t)((uint64_t)g->cpu_ns + td_bytes_get(at, 8));
    g->gpu_ns = (int64_t)((uint64_t)g->gpu_ns + td_bytes_get(at + 8, 8));
    if (index == IS_PLACED)
        place_waiting(g);
    struct td_gpu_zone *zone = index == IS_PLACED ? &placed : &g->waiting[index];
    zone->end_ns = known_time(g, g->gpu_ns);
    zone->cpu_duration_ns = cpu_duration(g, cpu_start_ns, g->cpu_ns);
    zone->query = g->notes ? (uint32_t)td_bytes_get(at + ENDS_BYTES, 2) : 0;
    if (index == IS_PLACED)
        td_gpu_lines_end_zone(g->lines, zone);
    if (!g->depth)
        place_waiting(g);
}

/* Reads the zones of a thread. */
static void read_zones(struct gpu_reader *g, uint64_t zones)
{
    struct reader *r = g->r;
    uint64_t left = zones;
    g->depth = 0;
    while (!r->in.failed && (left || g->depth)) {
        if (!left) {
            const struct gpu_parent parent = g->parents[--g->depth];
            left = parent.left;
            read_ends(g, parent.index, parent.cpu_start_ns);
            continue;
        }
        left--;
        const uint64_t children = read_head(g);
        if (r->in.failed)
            return;
        if (!children) {
            read_ends(g, g->waiting_count - 1, g->waiting[g->waiting_count - 1].cpu_start_ns);
            continue;
        }
        if (TD_APPEND(g->parents, g->depth, g->parents_capacity,
                      (struct gpu_parent){g->waiting_count - 1, left,
                                          g->waiting[g->waiting_count - 1].cpu_start_ns}) < 0)
            return td_in_no_memory(&r->in);
        left = children;
    }
}

static void read_lines(struct gpu_reader *g, uint32_t track, uint64_t zones)
{
    struct reader *r = g->r;
    if (td_tree_locations_(r) < 0)
        return;
    if (td_trace_track_zones(r->trace, track))
        return td_in_damaged(&r->in, "a thread occurs twice");
    g->lines = td_gpu_lines_create(r->trace, track);
    if (!g->lines)
        return td_in_no_memory(&r->in);
    g->cpu_ns = g->gpu_ns = 0;
    g->clamped = 0;
    read_zones(g, zones);
    place_waiting(g); /* of a damaged file: what there is */
    no_memory_if(r, td_gpu_lines_finish(g->lines, g->clamped) < 0);
    td_gpu_lines_destroy(g->lines);
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
    read_lines(g, number, zones);
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
    free(g.waiting);
    free(g.parents);
}
