/* Rows of tracks, adding zones to them (fill.h), and rows of EXTRA. */
#include "host/trace/model.h"

#include <string.h>

const struct track *td_trace_find_track_(const struct td_trace *trace, uint32_t number)
{
    uint64_t at;
    if (number >= __atomic_load_n(&trace->tracks.count, __ATOMIC_ACQUIRE))
        return NULL;
    unsigned k = td_trace_place_(number, &at);
    const struct track *group = __atomic_load_n(&trace->tracks.groups[k], __ATOMIC_ACQUIRE);
    return group ? &group[at] : NULL;
}

struct track *td_trace_track_(struct td_trace *trace, uint32_t number)
{
    struct track *found = (struct track *)(uintptr_t)td_trace_find_track_(trace, number);
    if (found)
        return found;
    uint64_t at;
    unsigned k = td_trace_place_(number, &at);
    pthread_mutex_lock(&trace->fill_lock);
    struct track *group = trace->tracks.groups[k];
    if (!group) {
        size_t bytes = ((size_t)16 << k) * sizeof *group;
        group = td_store_alloc(trace->store, bytes);
        if (group) {
            memset(group, 0, bytes);
            __atomic_store_n(&trace->tracks.groups[k], group, __ATOMIC_RELEASE);
        }
    }
    if (group && number >= trace->tracks.count)
        __atomic_store_n(&trace->tracks.count, number + 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&trace->fill_lock);
    return group ? &group[at] : NULL;
}

int td_trace_make_rows_(struct td_trace *trace, struct rows **rows, uint32_t need, unsigned columns)
{
    struct rows *now = *rows;
    if (need > UINT32_MAX / 2) /* more than any memory has room for */
        return TD_E_NOMEM;
    if (!now || need > now->room) {
        uint32_t room = now ? now->room : 4;
        while (room < need)
            room *= 2;
        struct rows *larger = td_store_alloc(trace->store, sizeof *larger + room * sizeof *larger->at);
        if (!larger)
            return TD_E_NOMEM;
        larger->room = room;
        larger->count = now ? now->count : 0;
        if (now)
            memcpy(larger->at, now->at, now->count * sizeof *now->at);
        __atomic_store_n(rows, larger, __ATOMIC_RELEASE);
        now = larger;
    }
    while (now->count < need) {
        struct td_series *row = td_store_alloc(trace->store, sizeof *row);
        if (!row)
            return TD_E_NOMEM;
        td_series_init(row, trace->store, columns, 0);
        now->at[now->count] = row;
        __atomic_store_n(&now->count, now->count + 1, __ATOMIC_RELEASE);
    }
    return 0;
}

unsigned td_trace_zone_columns_(const struct td_trace *trace, uint32_t track)
{
    return td_dict_get_track(trace->dict, track)->context ? TD_ZONE_GPU_COLUMNS : TD_ZONE_COLUMNS;
}

static void use_rows(struct td_fill *fill, const struct track *track)
{
    fill->rows = track->rows ? track->rows->at : NULL;
    fill->row_count = track->rows ? track->rows->count : 0;
}

int td_fill_begin(struct td_fill *fill, struct td_trace *trace, uint32_t number, struct td_err *err)
{
    *fill = (struct td_fill){.trace = trace, .track = number};
    if (number >= td_dict_track_count(trace->dict))
        return td_fail(err, TD_E_USAGE, "zones of unknown track %u", (unsigned)number);
    struct track *track = td_trace_track_(trace, number);
    if (!track)
        return td_fail_no_memory(err, "while filling the trace");
    use_rows(fill, track);
    return 0;
}

int td_fill_deeper_(struct td_fill *fill)
{
    struct track *track = td_trace_track_(fill->trace, fill->track);
    unsigned columns = td_trace_zone_columns_(fill->trace, fill->track);
    int rc = td_trace_make_rows_(fill->trace, &track->rows, fill->depth + 2, columns);
    use_rows(fill, track);
    return rc;
}

void td_fill_end(struct td_fill *fill)
{
    while (fill->depth)
        td_fill_leave(fill, td_series_get_last(fill->rows[fill->depth - 1], TD_ZONE_DURATION));
    /* Most of thousands of tracks wait long for td_trace_finish(): pack them. Failing only costs memory. */
    for (uint32_t r = 0; r < fill->row_count; r++)
        td_series_settle(fill->rows[r]);
    struct track *track = fill->trace ? td_trace_track_(fill->trace, fill->track) : NULL;
    if (track) {
        __atomic_fetch_add(&track->parents, fill->parents, __ATOMIC_RELAXED);
        td_trace_clamp_(fill->trace, fill->clamped);
        if (fill->trace->last_time_ns < fill->last_time_ns)
            fill->trace->last_time_ns = fill->last_time_ns;
        fill->clamped = 0;
    }
    fill->parents = 0;
}

int td_fill_enter_gpu(struct td_fill *fill, int64_t start_ns, int64_t duration_ns, uint32_t srcloc,
                      uint32_t extra, const struct td_fill_gpu *gpu)
{
    struct td_series *row = td_fill_put_(fill, start_ns, duration_ns, srcloc, extra);
    if (!row)
        return TD_E_NOMEM;
    td_series_put_(row, TD_ZONE_CPU_START, gpu->cpu_start_ns);
    td_series_put_(row, TD_ZONE_CPU_DURATION, gpu->cpu_duration_ns);
    td_series_put_(row, TD_ZONE_THREAD, (int64_t)gpu->thread);
    td_series_put_(row, TD_ZONE_QUERY, gpu->query);
    td_series_put_(row, TD_ZONE_ORDER, (int64_t)(gpu->order ? gpu->order : fill->zones));
    td_series_put_(row, TD_ZONE_PARENT, (int64_t)gpu->parent);
    td_series_publish_(row);
    return 0;
}

uint32_t td_trace_extra_(struct td_trace *trace, const struct extra *extra)
{
    struct td_series *table = td_trace_fill_table(trace, TD_TABLE_EXTRA);
    int64_t row[TD_EXTRA_COLUMN_COUNT] = {0};
    if (!table || (!table->count && td_series_append(table, row) < 0) || table->count > UINT32_MAX)
        return 0;
    row[TD_EXTRA_STACK] = extra->stack;
    row[TD_EXTRA_TEXT] = extra->text;
    row[TD_EXTRA_NAME] = extra->name;
    row[TD_EXTRA_COLOR] = extra->color;
    return td_series_append(table, row) < 0 ? 0 : (uint32_t)(table->count - 1);
}

const struct td_series *td_trace_row(const struct td_trace *trace, uint32_t number, uint32_t row)
{
    const struct track *track = td_trace_find_track_(trace, number);
    const struct rows *rows = track ? __atomic_load_n(&track->rows, __ATOMIC_ACQUIRE) : NULL;
    if (!rows || row >= __atomic_load_n(&rows->count, __ATOMIC_ACQUIRE))
        return NULL;
    const struct td_series *series = rows->at[row];
    return td_series_count(series) ? series : NULL;
}
