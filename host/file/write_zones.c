/* Writes texts of zones (P20) and the zones, messages and samples of all threads (P21). */
#include "host/base/wrap.h"
#include "host/file/bytes.h"
#include "host/file/convention.h"
#include "host/file/write_rows.h"
#include "host/file/writer.h"

#define HEAD_BYTES  18 /* of a zone: location, start, extra, number of children */
#define COUNT_ROWS  1024u
#define EXTRA_ROWS  256u
#define EXTRA_BYTES 12

/* Writes all rows in order, because zones refer to them by number. */
void td_writer_extras_(struct writer *w)
{
    const struct td_series *extras = td_trace_table(w->trace, TD_TABLE_EXTRA);
    uint64_t count = td_series_count(extras);
    int64_t values[TD_EXTRA_COLUMN_COUNT][EXTRA_ROWS];
    td_out_u64(&w->out, count ? count : 1);
    td_out_bytes(&w->out, (uint8_t[EXTRA_BYTES]){0}, EXTRA_BYTES);
    for (uint64_t first = 1; first < count && !w->out.failed; first += EXTRA_ROWS) {
        uint64_t n = count - first < EXTRA_ROWS ? count - first : EXTRA_ROWS;
        for (unsigned c = 0; c < TD_EXTRA_COLUMN_COUNT; c++)
            td_series_read(extras, c, first, n, values[c]);
        for (uint64_t i = 0; i < n; i++) {
            uint32_t text = (uint32_t)values[TD_EXTRA_TEXT][i], name = (uint32_t)values[TD_EXTRA_NAME][i];
            uint8_t *to = td_out_reserve(&w->out);
            td_bytes_put(to, td_writer_stack_(w, values[TD_EXTRA_STACK][i]), 3);
            td_bytes_put(to + 3, text ? td_writer_string_(w, text) + 1 : 0, 3);
            td_bytes_put(to + 6, name ? td_writer_string_(w, name) + 1 : 0, 3);
            td_bytes_put(to + 9, td_file_swap_color((uint32_t)values[TD_EXTRA_COLOR][i]), 3);
            td_out_commit(&w->out, EXTRA_BYTES);
        }
    }
}

/* A time, moved into the range that the file can hold. */
static inline int64_t bounded(struct writer *w, int64_t time_ns)
{
    return (uint64_t)time_ns < (uint64_t)TD_FILE_TIME_LIMIT ? time_ns : td_writer_time_(w, time_ns);
}

static inline int64_t end_of(struct writer *w, int64_t start_ns, int64_t duration_ns)
{
    return duration_ns < 0 ? -1 : bounded(w, td_wrap_add(start_ns, duration_ns));
}

/* Where the next byte goes, kept outside of the writer so that it stays in a register. */
struct place {
    struct writer *w;
    const int16_t *location; /* of the writer */
    uint8_t *to, *full;      /* full: from here on, the block is written */
    int64_t reference_ns;
};

static inline struct place find_place(struct writer *w)
{
    uint8_t *to = td_out_reserve(&w->out);
    return (struct place){w, w->location, to, to + TD_FILE_BLOCK_BYTES - w->out.at, 0};
}

static inline void leave_place(struct place *place)
{
    td_out_commit(&place->w->out, (size_t)(place->to - td_out_reserve(&place->w->out)));
}

/* False: writing has failed. */
static bool next_place(struct place *place)
{
    leave_place(place);
    const int64_t reference_ns = place->reference_ns;
    *place = find_place(place->w);
    place->reference_ns = reference_ns;
    return !place->w->out.failed;
}

static inline void put_end(struct place *place, const int64_t *zone, size_t apart)
{
    const int64_t end = end_of(place->w, zone[TD_ZONE_START * apart], zone[TD_ZONE_DURATION * apart]);
    td_bytes_put(place->to, (uint64_t)end - (uint64_t)place->reference_ns, 8);
    place->reference_ns = end;
    place->to += 8;
}

/* Writes all of a zone but its end. */
static inline void put_head(struct place *place, const int64_t *zone, size_t apart, uint64_t children)
{
    const uint64_t extra = (uint32_t)zone[TD_ZONE_EXTRA * apart];
    const int16_t location = place->location[zone[TD_ZONE_SRCLOC * apart]];
    const int64_t start = bounded(place->w, zone[TD_ZONE_START * apart]);
    td_bytes_put(place->to, (uint16_t)location, 2);
    td_bytes_put(place->to + 2, (uint64_t)start - (uint64_t)place->reference_ns, 8);
    td_bytes_put(place->to + 10, extra | children << 32, 8);
    place->to += HEAD_BYTES;
    place->reference_ns = start;
}

/* Writes all zones of the walk. Returns 0 or TD_E_NOMEM. The present row's next zone is kept outside of the
 * row. */
static int walk_zones(struct row_walk *walk, struct place *place)
{
    struct row_window *row = walk->window;
    const int64_t *zone = row->zone;
    for (bool more = true; more; more = place->to < place->full || next_place(place)) {
        if (zone != row->stop) {
            const uint64_t children = (uint64_t)zone[TD_ZONE_CHILD_END * row->apart] - row->children;
            put_head(place, zone, row->apart, children);
            if (children) {
                (row++)->zone = zone;
                td_rows_list_(row, children);
                zone = row->zone;
            } else {
                put_end(place, zone++, row->apart);
            }
        } else if (row->later) {
            walk->depth = (uint32_t)(row - walk->window);
            if (td_rows_load_(walk, row) < 0)
                return TD_E_NOMEM;
            zone = row->zone;
        } else if (row == walk->window) {
            break;
        } else {
            (row--)->zone = zone;
            put_end(place, row->zone, row->apart);
            td_rows_pass_(row);
            zone = row->zone;
        }
    }
    return 0;
}

static void put_zones(struct writer *w, uint32_t track)
{
    struct row_walk walk;
    struct place place = find_place(w);
    if (td_rows_begin_(&walk, w->trace, track) < 0)
        w->failed = 1;
    else if (!w->out.failed)
        w->failed |= walk_zones(&walk, &place) < 0;
    leave_place(&place);
    td_rows_end_(&walk);
}

/* The number of samples with a call stack. Others are left out: readers look it up unchecked. */
static uint64_t sound_samples(const struct writer *w, const struct td_series *samples)
{
    uint64_t count = td_series_count(samples), sound = 0;
    int64_t stack[COUNT_ROWS];
    for (uint64_t first = 0; first < count; first += COUNT_ROWS) {
        uint64_t n = count - first < COUNT_ROWS ? count - first : COUNT_ROWS;
        td_series_read(samples, TD_SAMPLE_STACK, first, n, stack);
        for (uint64_t i = 0; i < n; i++)
            sound += td_writer_stack_(w, stack[i]) != 0;
    }
    return sound;
}

static void put_samples(struct writer *w, enum td_table table, uint32_t track)
{
    const struct td_series *samples = td_trace_list(w->trace, table, track);
    uint64_t count = w->strip & TD_STRIP_SAMPLES ? 0 : td_series_count(samples);
    int64_t time[COUNT_ROWS], stack[COUNT_ROWS];
    td_out_u64(&w->out, count ? sound_samples(w, samples) : 0);
    w->out.reference_ns = 0;
    for (uint64_t first = 0; first < count && !w->out.failed; first += COUNT_ROWS) {
        uint64_t n = count - first < COUNT_ROWS ? count - first : COUNT_ROWS;
        td_series_read(samples, TD_SAMPLE_TIME, first, n, time);
        td_series_read(samples, TD_SAMPLE_STACK, first, n, stack);
        for (uint64_t i = 0; i < n; i++) {
            uint32_t number = td_writer_stack_(w, stack[i]);
            if (!number)
                continue;
            td_out_time(&w->out, bounded(w, time[i]));
            td_out_u24(&w->out, number);
        }
    }
}

static void put_thread(struct writer *w, uint32_t track)
{
    const struct td_track *t = td_dict_get_track(w->dict, track);
    size_t messages = td_trace_track_messages(w->trace, track);
    int zones = td_trace_rows(w->trace, track) && !td_writer_is_in_context_(w, track);
    td_out_u64(&w->out, t->thread);
    td_out_u64(&w->out, zones ? td_trace_track_zones(w->trace, track) : 0);
    td_out_u64(&w->out, t->kernel_samples);
    td_out_u8(&w->out, t->fiber || (!t->file_number && t->thread >> 32 == 1));
    if (w->version >= TD_FILE_VERSION(0, 11, 1))
        td_out_u32(&w->out, (uint32_t)td_file_group_hint(t));
    td_out_u32(&w->out, zones ? (uint32_t)td_trace_row_zones(w->trace, track, 0) : 0);
    if (zones)
        put_zones(w, track);
    td_out_u64(&w->out, messages);
    for (size_t i = 0; i < messages; i++)
        td_out_u64(&w->out, td_trace_track_message(w->trace, track, i) + 1);
    put_samples(w, TD_TABLE_SWITCH_SAMPLE, track);
    put_samples(w, TD_TABLE_SAMPLE, track);
}

/* The track is written as a thread. A core in a context is one too if it has messages or samples. */
static bool is_thread(const struct writer *w, uint32_t track)
{
    return !td_writer_is_in_context_(w, track) || td_trace_track_messages(w->trace, track) ||
           td_series_count(td_trace_list(w->trace, TD_TABLE_SAMPLE, track));
}

void td_writer_threads_(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    uint64_t zones = 0, parents = 0, threads = 0;
    for (uint32_t t = 0; t < tracks; t++) {
        threads += (uint64_t)is_thread(w, t);
        if (td_writer_is_in_context_(w, t))
            continue;
        zones += td_trace_track_zones(w->trace, t);
        parents += td_trace_track_parents(w->trace, t);
    }
    td_out_u64(&w->out, zones);
    td_out_u64(&w->out, parents);
    td_out_u64(&w->out, threads);
    for (uint32_t t = 0; t < tracks && !w->out.failed && !w->failed; t++) {
        if (is_thread(w, t))
            put_thread(w, t);
    }
}
