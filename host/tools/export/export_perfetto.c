/* A trace of Perfetto: zones as slices of tracks, messages as instants, plots as counters, flows, samples with call stacks.
 * All packets are of one sequence; names, source locations and call stacks are interned when they are first used. A path
 * that ends in .gz is packed. */
#include "host/tools/export/perfetto_internal.h"
#include "host/query/flows/flow.h"
#include "host/tools/export/export_walk.h"
#include "host/tools/files/text_output.h"
#include "host/trace/tables.h"

#include <math.h>

#define PIECE (256u << 10)

/* ---- packets ---- */

static void flush(struct perfetto_out *p)
{
    if (p->out.used)
        fwrite(p->out.bytes, 1, p->out.used, p->to);
    p->out.used = 0;
}

size_t perfetto_begin_(struct perfetto_out *p)
{
    if (p->out.used > PIECE)
        flush(p);
    const size_t packet = protobuf_begin(&p->out, TD_PF_TRACE_PACKET);
    protobuf_uint(&p->out, TD_PF_PACKET_SEQUENCE, 1);
    return packet;
}

static size_t begin_at(struct perfetto_out *p, int64_t time_ns)
{
    const size_t packet = perfetto_begin_(p);
    protobuf_uint(&p->out, TD_PF_PACKET_SEQUENCE_FLAGS, TD_PF_NEEDS_STATE);
    protobuf_uint(&p->out, TD_PF_PACKET_TIMESTAMP, (uint64_t)time_ns);
    return packet;
}

static size_t begin_event(struct perfetto_out *p, unsigned type, uint64_t uuid)
{
    const size_t event = protobuf_begin(&p->out, TD_PF_PACKET_TRACK_EVENT);
    protobuf_uint(&p->out, TD_PF_TRACK_EVENT_TYPE, type);
    protobuf_uint(&p->out, TD_PF_TRACK_EVENT_TRACK_UUID, uuid);
    return event;
}

/* ---- tracks: the program is process 1, chip N is process N + 2; tracks are threads ---- */

static uint64_t process_of(const struct td_track *track)
{
    return track->kind == TD_TRACK_CORE ? track->chip + UINT64_C(2) : 1;
}

/* Numbers of tracks of Perfetto's: not 0. */
static uint64_t uuid_of_track(uint32_t track)
{
    return track + UINT64_C(1);
}

static uint64_t uuid_of_process(uint64_t process)
{
    return UINT64_C(1) << 32 | process;
}

static uint64_t uuid_of_plot(uint32_t plot)
{
    return UINT64_C(2) << 32 | plot;
}

static void put_process(struct perfetto_out *p, uint64_t process, const char *name)
{
    const size_t packet = perfetto_begin_(p), track = protobuf_begin(&p->out, TD_PF_PACKET_TRACK_DESCRIPTOR);
    protobuf_uint(&p->out, TD_PF_TRACK_UUID, uuid_of_process(process));
    const size_t descriptor = protobuf_begin(&p->out, TD_PF_TRACK_PROCESS);
    protobuf_uint(&p->out, TD_PF_PROCESS_PID, process);
    protobuf_name(&p->out, TD_PF_PROCESS_NAME, name);
    protobuf_end(&p->out, descriptor);
    protobuf_end(&p->out, track);
    protobuf_end(&p->out, packet);
}

static void put_thread(struct perfetto_out *p, uint32_t number)
{
    char room[TD_TRACK_LONG_NAME_BYTES];
    const uint64_t process = process_of(td_dict_get_track(p->dict, number));
    const size_t packet = perfetto_begin_(p), track = protobuf_begin(&p->out, TD_PF_PACKET_TRACK_DESCRIPTOR);
    protobuf_uint(&p->out, TD_PF_TRACK_UUID, uuid_of_track(number));
    protobuf_uint(&p->out, TD_PF_TRACK_PARENT, uuid_of_process(process));
    const size_t thread = protobuf_begin(&p->out, TD_PF_TRACK_THREAD);
    protobuf_uint(&p->out, TD_PF_THREAD_PID, process);
    protobuf_uint(&p->out, TD_PF_THREAD_TID, number + UINT64_C(1));
    protobuf_name(&p->out, TD_PF_THREAD_NAME, td_track_long_name(p->trace, number, room));
    protobuf_end(&p->out, thread);
    protobuf_end(&p->out, track);
    protobuf_end(&p->out, packet);
}

static void put_counter(struct perfetto_out *p, uint32_t number)
{
    const struct td_plot *plot = td_dict_get_plot(p->dict, number);
    const size_t packet = perfetto_begin_(p), track = protobuf_begin(&p->out, TD_PF_PACKET_TRACK_DESCRIPTOR);
    protobuf_uint(&p->out, TD_PF_TRACK_UUID, uuid_of_plot(number));
    protobuf_uint(&p->out, TD_PF_TRACK_PARENT, uuid_of_process(1));
    perfetto_put_string_(p, TD_PF_TRACK_NAME, plot->name);
    const size_t counter = protobuf_begin(&p->out, TD_PF_TRACK_COUNTER);
    if (plot->format == PLOT_BYTES)
        protobuf_uint(&p->out, TD_PF_COUNTER_UNIT, TD_PF_UNIT_BYTES);
    protobuf_end(&p->out, counter);
    protobuf_end(&p->out, track);
    protobuf_end(&p->out, packet);
}

/* The first packet forgets what the sequence had before. */
static void put_begin(struct perfetto_out *p)
{
    const size_t packet = perfetto_begin_(p);
    protobuf_uint(&p->out, TD_PF_PACKET_SEQUENCE_FLAGS, TD_PF_CLEARED);
    protobuf_uint(&p->out, TD_PF_PACKET_FIRST_PACKET_ON_SEQUENCE, 1);
    perfetto_intern_annotation_(p);
    protobuf_end(&p->out, packet);
}

/* Chips get their names with the first of their cores. */
static void put_tracks(struct perfetto_out *p)
{
    const struct td_trace_info *info = td_trace_get_info(p->trace);
    uint64_t named = 1;
    put_process(p, 1, info->program && *info->program ? info->program : "program");
    for (uint32_t t = 0; t < td_dict_track_count(p->dict); t++) {
        const struct td_track *track = td_dict_get_track(p->dict, t);
        if (process_of(track) != named && process_of(track) != 1) {
            char chip[32];
            named = process_of(track);
            snprintf(chip, sizeof chip, "chip %u", track->chip);
            put_process(p, named, chip);
        }
        put_thread(p, t);
    }
}

/* ---- zones ---- */

static void put_text_of_zone(struct perfetto_out *p, uint32_t text)
{
    if (!text)
        return;
    const size_t annotation = protobuf_begin(&p->out, TD_PF_TRACK_EVENT_ANNOTATIONS);
    protobuf_uint(&p->out, TD_PF_ANNOTATION_NAME_IID, PERFETTO_TEXT_IID);
    perfetto_put_string_(p, TD_PF_ANNOTATION_TEXT, text);
    protobuf_end(&p->out, annotation);
}

/* The arrows that begin or end at a zone. Each has the number of its receiver. */
static int put_flows(struct perfetto_out *p, const struct td_step *step, bool ends)
{
    const struct td_zone_ref zone = {p->track, step->row, step->index};
    size_t count;
    while ((count = td_flows_of(&p->flows, zone, p->pair, p->pair_room)) == p->pair_room)
        if (td_grow(&p->pair, &p->pair_room, p->pair_room + 16, sizeof *p->pair) < 0)
            return TD_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct td_zone_ref to = p->pair[i].to->zone;
        if (ends == (to.track == zone.track && to.row == zone.row && to.index == zone.index))
            protobuf_fixed64(&p->out,
                             ends ? TD_PF_TRACK_EVENT_TERMINATING_FLOW_IDS : TD_PF_TRACK_EVENT_FLOW_IDS,
                             (uint64_t)(p->pair[i].to - p->flows.ends) + 1);
    }
    return 0;
}

/* A zone that does not end receives its flows here. */
static int enter_zone(struct perfetto_out *p, const struct td_step *step, int64_t start_ns, bool is_open)
{
    const struct td_zone *zone = &step->zone;
    const uint32_t name = export_zone_name(p->trace, zone);
    const size_t packet = begin_at(p, start_ns);
    perfetto_intern_zone_(p, name, zone->srcloc, zone->stack);
    const size_t event = begin_event(p, TD_PF_SLICE_BEGIN, uuid_of_track(p->track));
    protobuf_uint(&p->out, TD_PF_TRACK_EVENT_NAME_IID, perfetto_iid_(name));
    if (zone->srcloc)
        protobuf_uint(&p->out, TD_PF_TRACK_EVENT_SOURCE_LOCATION_IID, perfetto_iid_(zone->srcloc));
    if (zone->stack)
        protobuf_uint(&p->out, TD_PF_TRACK_EVENT_CALLSTACK_IID, perfetto_iid_(zone->stack));
    put_text_of_zone(p, zone->text);
    int rc = p->has_flows ? put_flows(p, step, false) : 0;
    if (rc == 0 && p->has_flows && is_open)
        rc = put_flows(p, step, true);
    protobuf_end(&p->out, event);
    protobuf_end(&p->out, packet);
    return rc;
}

/* A receiver mostly begins before its sender, to wait: the arrow must not end before it begins. */
static int leave_zone(struct perfetto_out *p, const struct td_step *step, int64_t end_ns)
{
    if (end_ns == TD_OPEN)
        return 0;
    const size_t packet = begin_at(p, end_ns);
    const size_t event = begin_event(p, TD_PF_SLICE_END, uuid_of_track(p->track));
    const int rc = p->has_flows ? put_flows(p, step, true) : 0;
    protobuf_end(&p->out, event);
    protobuf_end(&p->out, packet);
    return p->out.failed ? TD_E_NOMEM : rc;
}

/* Slices must end within those around them. An open one ends with the first around it that ends. */
static int visit_zone(void *self, const struct td_step *step)
{
    struct perfetto_out *p = self;
    if (step->leaves)
        return leave_zone(p, step, p->end_ns[--p->depth]);
    const int64_t around_ns = p->depth ? p->end_ns[p->depth - 1] : TD_OPEN;
    const int64_t start_ns = step->zone.start_ns < around_ns ? step->zone.start_ns : around_ns;
    const int64_t end_ns = step->zone.end_ns < around_ns ? step->zone.end_ns : around_ns;
    if (TD_APPEND(p->end_ns, p->depth, p->end_room, end_ns) < 0)
        return TD_E_NOMEM;
    return enter_zone(p, step, start_ns, end_ns == TD_OPEN);
}

static int put_zones(const struct export_work *work, struct perfetto_out *p, struct td_err *err)
{
    uint64_t done = 0;
    int rc = td_flows_build(&p->flows, p->trace, err);
    for (p->track = 0; rc == 0 && p->track < td_dict_track_count(p->dict); p->track++) {
        size_t first, end;
        td_flows_of_track(&p->flows, p->track, &first, &end);
        p->has_flows = first < end;
        p->depth = 0;
        rc = export_each_zone(work, p->track, &done, visit_zone, p, err);
    }
    td_flows_free(&p->flows);
    return rc;
}

/* ---- messages, counters, samples ---- */

static void put_messages(struct perfetto_out *p)
{
    for (size_t i = 0; i < td_trace_messages(p->trace); i++) {
        const struct td_message message = td_trace_message(p->trace, i);
        const size_t packet = begin_at(p, message.time_ns);
        perfetto_intern_stack_(p, message.stack);
        const size_t event = begin_event(p, TD_PF_INSTANT, uuid_of_track(message.track));
        perfetto_put_string_(p, TD_PF_TRACK_EVENT_NAME, message.text);
        if (message.stack)
            protobuf_uint(&p->out, TD_PF_TRACK_EVENT_CALLSTACK_IID, perfetto_iid_(message.stack));
        protobuf_end(&p->out, event);
        protobuf_end(&p->out, packet);
    }
}

static void put_points(struct perfetto_out *p)
{
    for (uint32_t plot = 0; plot < td_dict_plot_count(p->dict); plot++) {
        put_counter(p, plot);
        for (size_t i = 0; i < td_trace_plot_points(p->trace, plot); i++) {
            const struct td_plot_point point = td_trace_plot_point(p->trace, plot, i);
            if (!isfinite(point.value))
                continue; /* no counter has such values */
            const size_t packet = begin_at(p, point.time_ns);
            const size_t event = begin_event(p, TD_PF_COUNTER_VALUE, uuid_of_plot(plot));
            protobuf_double(&p->out, TD_PF_TRACK_EVENT_DOUBLE_COUNTER_VALUE, point.value);
            protobuf_end(&p->out, event);
            protobuf_end(&p->out, packet);
        }
    }
}

static void put_samples(struct perfetto_out *p)
{
    for (uint32_t t = 0; t < td_dict_track_count(p->dict); t++) {
        const struct td_series *samples = td_trace_list(p->trace, TD_TABLE_SAMPLE, t);
        for (uint64_t i = 0; i < td_series_count(samples); i++) {
            const uint32_t stack = (uint32_t)td_series_get(samples, i, TD_SAMPLE_STACK);
            if (!stack)
                continue;
            const size_t packet = begin_at(p, td_series_get(samples, i, TD_SAMPLE_TIME));
            perfetto_intern_stack_(p, stack);
            const size_t sample = protobuf_begin(&p->out, TD_PF_PACKET_PERF_SAMPLE);
            protobuf_uint(&p->out, TD_PF_PERF_SAMPLE_PID, process_of(td_dict_get_track(p->dict, t)));
            protobuf_uint(&p->out, TD_PF_PERF_SAMPLE_TID, t + UINT64_C(1));
            protobuf_uint(&p->out, TD_PF_PERF_SAMPLE_CALLSTACK_IID, perfetto_iid_(stack));
            protobuf_end(&p->out, sample);
            protobuf_end(&p->out, packet);
        }
    }
}

static int put_all(const struct export_work *work, struct perfetto_out *p, struct td_err *err)
{
    if (perfetto_init_interning_(p) < 0)
        return td_fail_no_memory(err, NULL);
    put_begin(p);
    put_tracks(p);
    const int rc = put_zones(work, p, err);
    if (rc == 0) {
        put_messages(p);
        put_points(p);
        put_samples(p);
        flush(p);
    }
    return rc == 0 && p->out.failed ? td_fail_no_memory(err, NULL) : rc;
}

int export_perfetto(const struct export_work *work, struct td_err *err)
{
    struct text_output output;
    int rc = text_output_open(&output, work->path, TD_OUT_KEEP_OLD, text_output_is_gzip(work->path), err);
    struct perfetto_out p = {.trace = work->trace, .dict = td_trace_dict(work->trace), .to = output.to};
    rc = rc ? rc : put_all(work, &p, err);
    perfetto_free_interning_(&p);
    td_byte_buffer_free(&p.out);
    free(p.end_ns);
    free(p.pair);
    return text_output_close(&output, rc, err);
}
