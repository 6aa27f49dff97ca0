/* The zones of a trace file: what few of them have (P20) and the trees of all threads (P21). */
#include "host/file/convention.h"
#include "host/file/writer.h"
#include "host/trace/walk.h"

/* In the order of tracks, rows, zones: number_extras() counted them so. */
void td_writer_extras_(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    uint64_t extras = 1;
    if (tracks)
        extras = w->extra_first[tracks - 1][td_trace_rows(w->trace, tracks - 1)];
    td_out_u64(&w->out, extras);
    td_out_bytes(&w->out, (uint8_t[12]){0}, 12);
    for (uint32_t t = 0; t < tracks; t++) {
        uint32_t rows = td_writer_in_context_(w, t) ? 0 : td_trace_rows(w->trace, t);
        for (uint32_t r = 0; r < rows; r++) {
            size_t zones = td_trace_row_has_extras(w->trace, t, r) ? td_trace_row_zones(w->trace, t, r) : 0;
            for (size_t i = 0; i < zones; i++) {
                struct td_zone zone = td_trace_zone(w->trace, t, r, i);
                if (!zone.text && !zone.name && !zone.color)
                    continue;
                td_out_u24(&w->out, 0); /* call stack */
                td_out_u24(&w->out, zone.text ? td_writer_string_(w, zone.text) + 1 : 0);
                td_out_u24(&w->out, zone.name ? td_writer_string_(w, zone.name) + 1 : 0);
                td_out_u24(&w->out, td_file_swap_color(zone.color));
            }
        }
    }
}

static void put_begin(struct writer *w, const struct td_zone *zone, uint32_t *next_extra)
{
    int extra = zone->text || zone->name || zone->color;
    td_out_u16(&w->out, (uint16_t)w->location[zone->srcloc]);
    td_out_time(&w->out, td_writer_time_(w, zone->start_ns));
    td_out_u32(&w->out, extra ? (*next_extra)++ : 0);
    td_out_u32(&w->out, (uint32_t)(zone->child_end - zone->child_begin));
}

static void put_zones(struct writer *w, uint32_t track)
{
    struct td_walk walk;
    struct td_step step;
    if (td_walk_begin(&walk, w->trace, track) < 0) {
        w->failed = 1;
        return;
    }
    w->out.reference_ns = 0;
    while (!w->out.failed && td_walk_next(&walk, &step)) {
        if (step.leaves)
            td_out_time(&w->out, td_writer_time_(w, step.zone.end_ns));
        else
            put_begin(w, &step.zone, &w->extra_first[track][step.row]);
    }
    td_walk_end(&walk);
}

static void put_thread(struct writer *w, uint32_t track)
{
    const struct td_track *t = td_dict_get_track(w->dict, track);
    size_t messages = td_trace_track_messages(w->trace, track);
    int zones = td_trace_rows(w->trace, track) && !td_writer_in_context_(w, track);
    td_out_u64(&w->out, t->thread);
    td_out_u64(&w->out, zones ? td_trace_track_zones(w->trace, track) : 0);
    td_out_u64(&w->out, 0);                   /* kernel samples */
    td_out_u8(&w->out, t->thread >> 32 == 1); /* a fiber */
    td_out_u32(&w->out, (uint32_t)td_file_group_hint(t));
    td_out_u32(&w->out, zones ? (uint32_t)td_trace_row_zones(w->trace, track, 0) : 0);
    if (zones)
        put_zones(w, track);
    td_out_u64(&w->out, messages);
    for (size_t i = 0; i < messages; i++)
        td_out_u64(&w->out, td_trace_track_message(w->trace, track, i) + 1);
    td_out_u64(&w->out, 0); /* samples at context switches */
    td_out_u64(&w->out, 0); /* samples */
}

/* A core in a context is a thread as well only where it has messages, which need one. */
static int is_thread(const struct writer *w, uint32_t track)
{
    return !td_writer_in_context_(w, track) || td_trace_track_messages(w->trace, track);
}

void td_writer_threads_(struct writer *w)
{
    uint32_t tracks = td_dict_track_count(w->dict);
    uint64_t zones = 0, parents = 0, threads = 0;
    for (uint32_t t = 0; t < tracks; t++) {
        threads += (uint64_t)is_thread(w, t);
        if (td_writer_in_context_(w, t))
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
