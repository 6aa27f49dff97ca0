/* Zones of GPU contexts. Begins and ends from the host are nested; the GPU's times come later, in any order.
 * An outermost zone and its inner zones go to the hub when all their times have arrived, else at the end of
 * the session. */
#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"

/* The index of the zones of a context and a thread. TD_NO_NUMBER: no memory. */
static uint32_t find_row(struct td_client_stream *stream, uint32_t context, uint32_t thread)
{
    struct td_stream_gpu *g = &stream->gpu;
    uint64_t key = (uint64_t)context << 32 | thread;
    uint32_t index = td_map_get(&g->by_row, key, TD_NO_NUMBER);
    if (index != TD_NO_NUMBER)
        return index;
    struct td_track track = {.thread = td_client_space_thread(stream->config.space, thread),
                             .kind = TD_TRACK_GPU,
                             .context = g->contexts.at[context].row + 1};
    uint32_t number = td_dict_track(stream->dict, &track);
    if (number == UINT32_MAX || TD_LIST_ROOM(&g->rows) < 0 ||
        td_map_add(&g->by_row, key, (uint32_t)g->rows.count) < 0)
        return TD_NO_NUMBER;
    g->rows.at[g->rows.count] =
        (struct td_stream_gpu_row){.context = context, .thread = thread, .track = number};
    return (uint32_t)g->rows.count++;
}

static struct td_stream_gpu_zone *zone_at(struct td_stream_gpu_row *row, uint64_t number)
{
    return &row->zones.at[number - row->first];
}

/* Notes that the GPU will report a time for the query: the zone's start or its end. */
static int expect_time(struct td_client_stream *stream, uint32_t context, uint16_t query, uint32_t row,
                       uint64_t zone, bool is_end)
{
    struct td_stream_gpu *g = &stream->gpu;
    uint64_t key = (uint64_t)context << 16 | query;
    uint32_t slot = td_map_get(&g->by_query, key, TD_NO_NUMBER);
    if (slot == TD_NO_NUMBER) {
        slot = (uint32_t)g->queries.count;
        if (TD_LIST_ROOM(&g->queries) < 0 || td_map_add(&g->by_query, key, slot) < 0)
            return TD_E_NOMEM;
        g->queries.at[g->queries.count++].row = TD_NO_NUMBER;
    }
    stream->counts.ignored += g->queries.at[slot].row != TD_NO_NUMBER; /* that time is lost */
    g->queries.at[slot].row = row;
    g->queries.at[slot].zone = zone;
    g->queries.at[slot].is_end = is_end;
    return 0;
}

int td_stream_gpu_zone_begin(struct td_client_stream *stream, const struct td_stream_gpu_begin *begin)
{
    struct td_stream_gpu *g = &stream->gpu;
    struct td_stream_gpu_context *context = &g->contexts.at[begin->context];
    uint32_t thread = context->thread ? 0 : begin->thread;
    uint32_t index = find_row(stream, begin->context, thread);
    if (index == TD_NO_NUMBER)
        return TD_E_NOMEM;
    if (!context->announced)
        context->early_row = index;
    struct td_stream_gpu_row *row = &g->rows.at[index];
    if (TD_LIST_ROOM(&row->zones) < 0 || TD_LIST_ROOM(&row->open) < 0)
        return TD_E_NOMEM;
    uint64_t number = row->first + row->zones.count;
    uint64_t root = row->open.count ? zone_at(row, row->open.at[0])->root : number;
    row->zones.at[row->zones.count++] = (struct td_stream_gpu_zone){
        .start_ns = -1,
        .end_ns = -1,
        .cpu_start_ns = begin->cpu_ns,
        .cpu_end_ns = -1,
        .root = root,
        .depth = (uint32_t)row->open.count,
        .thread = thread,
        .srcloc = begin->srcloc,
        .stack = begin->stack,
        .query = begin->query,
        .allocated = begin->allocated,
    };
    zone_at(row, root)->pending += 2;
    row->open.at[row->open.count++] = number;
    stream->counts.gpu_zones++;
    return expect_time(stream, begin->context, begin->query, index, number, false);
}

int td_stream_gpu_end(struct td_client_stream *stream, uint32_t context, uint32_t thread, uint16_t query,
                      int64_t cpu_ns)
{
    struct td_stream_gpu *g = &stream->gpu;
    const struct td_stream_gpu_context *of = &g->contexts.at[context];
    uint64_t key = (uint64_t)context << 32 | (of->thread ? 0 : thread);
    uint32_t index = td_map_get(&g->by_row, key, TD_NO_NUMBER);
    /* Only one thread uses the context: its zones that began before the announcement are on a row of that thread. Ends
     * may name no thread then. */
    if ((of->thread || !thread) && (index == TD_NO_NUMBER || !g->rows.at[index].open.count))
        index = of->early_row;
    struct td_stream_gpu_row *row = index == TD_NO_NUMBER ? NULL : &g->rows.at[index];
    if (!row || !row->open.count) {
        stream->counts.ignored++;
        return 0;
    }
    uint64_t number = row->open.at[--row->open.count];
    zone_at(row, number)->cpu_end_ns = cpu_ns;
    return expect_time(stream, context, query, index, number, true);
}

int td_stream_gpu_time(struct td_client_stream *stream, uint32_t context, uint16_t query, int64_t ns)
{
    struct td_stream_gpu *g = &stream->gpu;
    uint32_t slot = td_map_get(&g->by_query, (uint64_t)context << 16 | query, TD_NO_NUMBER);
    if (slot == TD_NO_NUMBER || g->queries.at[slot].row == TD_NO_NUMBER) {
        stream->counts.ignored++;
        return 0;
    }
    struct td_stream_gpu_row *row = &g->rows.at[g->queries.at[slot].row];
    g->queries.at[slot].row = TD_NO_NUMBER;
    struct td_stream_gpu_zone *zone = zone_at(row, g->queries.at[slot].zone);
    stream->counts.time_bent += ns < 0; /* a row's negative time says that none came */
    *(g->queries.at[slot].is_end ? &zone->end_ns : &zone->start_ns) = ns < 0 ? 0 : ns;
    struct td_stream_gpu_zone *root = zone_at(row, zone->root);
    if (root->pending)
        root->pending--;
    return 0;
}

/* ---- to the hub ---- */

static int push_zone(struct td_client_stream *stream, const struct td_stream_gpu_row *row,
                     const struct td_stream_gpu_zone *zone)
{
    const bool only_end = zone->start_ns < 0 && zone->end_ns >= 0; /* as stock does, it is open since then */
    uint32_t srcloc = zone->allocated ? zone->srcloc : td_pending_last(stream, TD_REF_SRCLOC, zone->srcloc);
    const int64_t values[TD_GPU_ZONE_COLUMN_COUNT] = {
        [TD_GPU_ZONE_DEPTH] = zone->depth,
        [TD_GPU_ZONE_START] = only_end ? zone->end_ns : zone->start_ns,
        [TD_GPU_ZONE_END] = only_end ? -1 : zone->end_ns,
        [TD_GPU_ZONE_SRCLOC] = srcloc,
        [TD_GPU_ZONE_STACK] = zone->stack,
        [TD_GPU_ZONE_CPU_START] = zone->cpu_start_ns,
        [TD_GPU_ZONE_CPU_DURATION] = zone->cpu_end_ns < 0 ? -1
                                     : zone->cpu_end_ns > zone->cpu_start_ns
                                         ? zone->cpu_end_ns - zone->cpu_start_ns
                                         : 0,
        [TD_GPU_ZONE_THREAD] = zone->thread,
        [TD_GPU_ZONE_QUERY] = stream->release->gpu_zone_queries ? zone->query : 0,
    };
    int64_t added = td_stream_row(stream, TD_ROW_GPU_ZONE, row->track, values);
    return added < 0 ? (int)added : 0;
}

static int push_zones(struct td_client_stream *stream, struct td_stream_gpu_row *row, size_t end)
{
    int bad = 0;
    while (!bad && row->pushed < end) {
        bad = push_zone(stream, row, &row->zones.at[row->pushed]);
        row->pushed += !bad;
    }
    return bad;
}

/* The index after the outermost zone at `begin` and its inner zones if they are complete, else `begin`. */
static size_t complete_until(struct td_client_stream *stream, const struct td_stream_gpu_row *row,
                             size_t begin)
{
    const struct td_stream_gpu_zone *root = &row->zones.at[begin];
    if (root->cpu_end_ns < 0 || root->pending)
        return begin;
    size_t end = begin;
    do {
        const struct td_stream_gpu_zone *zone = &row->zones.at[end];
        if (!zone->allocated &&
            td_names_number(&stream->names, TD_NAME_SRCLOC, zone->srcloc, 0) == TD_NO_NUMBER)
            return begin;
    } while (++end < row->zones.count && row->zones.at[end].depth);
    return end;
}

/* Removes zones that the hub has, when they are more than half. */
static void drop_pushed(struct td_stream_gpu_row *row)
{
    if (row->pushed * 2 <= row->zones.count)
        return;
    row->zones.count -= row->pushed;
    memmove(row->zones.at, row->zones.at + row->pushed, row->zones.count * sizeof *row->zones.at);
    row->first += row->pushed;
    row->pushed = 0;
}

int td_stream_gpu_flush(struct td_client_stream *stream, int force)
{
    for (size_t i = 0; i < stream->gpu.rows.count; i++) {
        struct td_stream_gpu_row *row = &stream->gpu.rows.at[i];
        int bad = 0;
        while (!force && !bad && row->pushed < row->zones.count) {
            size_t end = complete_until(stream, row, row->pushed);
            if (end == row->pushed)
                break;
            bad = push_zones(stream, row, end);
        }
        if (force)
            bad = push_zones(stream, row, row->zones.count);
        else
            drop_pushed(row);
        if (bad)
            return bad;
    }
    return 0;
}

void td_stream_gpu_finish(struct td_client_stream *stream)
{
    struct td_stream_gpu *g = &stream->gpu;
    for (size_t i = 0; i < g->rows.count; i++) {
        free(g->rows.at[i].zones.at);
        free(g->rows.at[i].open.at);
    }
    td_map_finish(&g->by_id);
    td_map_finish(&g->by_row);
    td_map_finish(&g->by_query);
    free(g->contexts.at);
    free(g->rows.at);
    free(g->queries.at);
}
