/* Imports a trace of Perfetto (.pftrace, proto/perfetto.h): zones, messages, points of plots and flows from track events,
 * context switches and zones from events of the kernel, and samples of call stacks.
 *
 * Packets may be in any order of time, so what they say is kept in a small form until the end. A packet that is damaged
 * costs one packet. */
#include "host/agent/import/perfetto_trace.h"
#include "host/agent/import/importer.h"
#include "host/agent/import/perfetto_packets.h"
#include "host/base/grow.h"

#include <stdlib.h>

#define SEQUENCES (1u << 16)

struct perfetto {
    struct td_perfetto shared;
    struct td_pf_packets packets;
    bool is_inside; /* the packets of a packed one come */
};

static const char purpose[] = "for the packets of a Perfetto trace"; /* of td_fail_no_memory() */

/* ---- packets */

/* NULL: no memory. */
static struct td_pf_sequence *sequence_of(struct td_perfetto *perfetto, uint32_t id)
{
    const uint32_t known = td_map_get(&perfetto->by_sequence, id, UINT32_MAX),
                   number = (uint32_t)perfetto->sequence_count;
    if (known != UINT32_MAX)
        return perfetto->sequences[known];
    if (number == SEQUENCES)
        return perfetto->sequences[number - 1];
    struct td_pf_sequence *sequence = td_pf_sequence_create(id);
    if (!sequence ||
        td_grow(&perfetto->sequences, &perfetto->sequence_room, number + 1, sizeof *perfetto->sequences) ||
        td_map_add(&perfetto->by_sequence, id, number) < 0) {
        td_pf_sequence_destroy(sequence);
        return NULL;
    }
    return perfetto->sequences[perfetto->sequence_count++] = sequence;
}

struct packet_state { /* what a packet says beside its data */
    uint64_t sequence, flags, dropped;
    bool is_first, clears;
    struct td_pb_reader defaults, interned;
    bool has_defaults;
};

static const char *name_of_packet(uint32_t field)
{
    switch (field) {
#define TD_X(number, name)                                                                                   \
    case number:                                                                                             \
        return name;
        TD_PF_OTHER_PACKETS(TD_X)
#undef TD_X
    default:
        return "other packet";
    }
}

static bool is_silent(uint32_t field)
{
    switch (field) {
#define TD_X(number) case number:
        TD_PF_SILENT_PACKETS(TD_X)
#undef TD_X
        return true;
    default:
        return false;
    }
}

/* Fields 3, 79 and 98 are about who wrote the packet. */
static void read_field(const struct td_pb_field *field, struct td_pf_packet_of *packet,
                       struct packet_state *state)
{
    switch (field->number) {
    case TD_PF_PACKET_TIMESTAMP:
        packet->timestamp = field->value;
        packet->has_timestamp = true;
        break;
    case TD_PF_PACKET_TIMESTAMP_CLOCK:
        packet->clock = field->value;
        break;
    case TD_PF_PACKET_SEQUENCE:
        state->sequence = field->value;
        break;
    case TD_PF_PACKET_SEQUENCE_FLAGS:
        state->flags = field->value;
        break;
    case TD_PF_PACKET_INCREMENTAL_STATE_CLEARED:
        state->clears = field->value != 0;
        break;
    case TD_PF_PACKET_PREVIOUS_PACKET_DROPPED:
        state->dropped = field->value;
        break;
    case TD_PF_PACKET_FIRST_PACKET_ON_SEQUENCE:
        state->is_first = field->value != 0;
        break;
    case TD_PF_PACKET_DEFAULTS:
        state->defaults = field->message;
        state->has_defaults = true;
        break;
    case TD_PF_PACKET_INTERNED_DATA:
        state->interned = field->message;
        break;
    default:
        if (field->wire == TD_PB_BYTES) {
            packet->data = field->number;
            packet->message = field->message;
        }
        break;
    }
}

static int take_state(struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                      const struct packet_state *state)
{
    if (state->clears || (state->flags & TD_PF_CLEARED))
        td_pf_sequence_clear(sequence);
    else if (state->dropped && !state->is_first) {
        sequence->lacks_state = true;
        td_pf_lose(perfetto, TD_LOSS_DROPPED);
    }
    int bad = state->has_defaults ? td_pf_take_defaults(sequence, state->defaults) : 0;
    if (bad != TD_E_NOMEM && state->interned.at)
        bad = td_pf_take_interned(perfetto, sequence, state->interned);
    return bad;
}

static int take_packet(void *self, struct td_pb_reader bytes);

static int take_packed(struct perfetto *perfetto, const struct td_pf_packet_of *packet)
{
    struct td_pf_packets packets = {0};
    if (perfetto->is_inside)
        return TD_E_FORMAT;
    perfetto->is_inside = true;
    const int bad = td_pf_unpack(&packets, packet->message,
                                 packet->data == TD_PF_PACKET_ZSTD_COMPRESSED_PACKETS, take_packet, perfetto);
    perfetto->is_inside = false;
    td_pf_packets_free(&packets);
    return bad;
}

static int take_data(struct perfetto *of, const struct td_pf_packet_of *packet)
{
    struct td_perfetto *perfetto = &of->shared;
    switch (packet->data) {
    case TD_PF_PACKET_TRACK_EVENT:
        return td_pf_take_event(perfetto, packet);
    case TD_PF_PACKET_TRACK_DESCRIPTOR:
        return td_pf_take_track(perfetto, packet->sequence, packet->message);
    case TD_PF_PACKET_FTRACE_EVENTS:
        return td_pf_take_kernel(perfetto, packet);
    case TD_PF_PACKET_PROCESS_TREE:
        return td_pf_take_tree(perfetto, packet->message);
    case TD_PF_PACKET_CLOCK_SNAPSHOT:
        return td_pf_clocks_take_snapshot(&perfetto->clocks, packet->message, packet->sequence->id);
    case TD_PF_PACKET_PROCESS_DESCRIPTOR:
        return td_pf_take_process(perfetto, packet->message);
    case TD_PF_PACKET_THREAD_DESCRIPTOR:
        return td_pf_take_thread(perfetto, packet->sequence, packet->message);
    case TD_PF_PACKET_PERF_SAMPLE:
    case TD_PF_PACKET_STREAMING_PROFILE:
    case TD_PF_PACKET_STACK_SAMPLE:
        return td_pf_take_sample(perfetto, packet);
    case TD_PF_PACKET_COMPRESSED_PACKETS:
    case TD_PF_PACKET_ZSTD_COMPRESSED_PACKETS:
        return take_packed(of, packet);
    default:
        if (packet->data && !is_silent(packet->data))
            td_timeline_lose(perfetto->timeline, name_of_packet(packet->data));
        return 0;
    }
}

static int take_packet(void *self, struct td_pb_reader bytes)
{
    struct perfetto *perfetto = self;
    struct td_pf_packet_of packet = {0};
    struct packet_state state = {0};
    struct td_pb_field field;
    while (td_pb_next(&bytes, &field))
        read_field(&field, &packet, &state);
    if (bytes.is_damaged)
        return td_pf_lose(&perfetto->shared, TD_LOSS_DAMAGED);
    packet.sequence = sequence_of(&perfetto->shared, (uint32_t)state.sequence);
    if (!packet.sequence)
        return TD_E_NOMEM;
    int bad = take_state(&perfetto->shared, packet.sequence, &state);
    if (bad == TD_E_FORMAT)
        td_pf_lose(&perfetto->shared, TD_LOSS_DAMAGED);
    if (bad == TD_E_NOMEM)
        return bad;
    if (packet.sequence->lacks_state && (state.flags & TD_PF_NEEDS_STATE)) {
        td_timeline_lose(perfetto->shared.timeline, "undecodable packet");
        return 0;
    }
    bad = take_data(perfetto, &packet);
    return bad == TD_E_FORMAT ? td_pf_lose(&perfetto->shared, TD_LOSS_DAMAGED) : bad;
}

/* ---- the interface */

static void destroy_perfetto(void *self)
{
    struct perfetto *perfetto = self;
    if (!perfetto)
        return;
    struct td_perfetto *shared = &perfetto->shared;
    for (size_t i = 0; i < shared->sequence_count; i++)
        td_pf_sequence_destroy(shared->sequences[i]);
    struct td_map *maps[] = {&shared->by_sequence, &shared->by_uuid, &shared->names};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        td_map_finish(maps[i]);
    td_pf_clocks_free(&shared->clocks);
    td_late_threads_free(&shared->threads);
    td_timeline_destroy(shared->timeline);
    td_text_free(&shared->text);
    td_pf_packets_free(&perfetto->packets);
    free(shared->sequences);
    free(shared->tracks);
    free(shared->calls);
    free(perfetto);
}

static void *create_perfetto(struct td_hub *hub)
{
    struct perfetto *perfetto = calloc(1, sizeof *perfetto);
    if (!perfetto)
        return NULL;
    perfetto->shared.dict = td_hub_dict(hub);
    perfetto->shared.timeline = td_timeline_create(hub);
    if (perfetto->shared.timeline)
        return perfetto;
    free(perfetto);
    return NULL;
}

/* Whether the field can be one of a packet: those that are known have their wire types. */
static bool fits_packet(const struct td_pb_field *field)
{
    switch (field->number) {
    case 3: /* who wrote it */
    case TD_PF_PACKET_TIMESTAMP:
    case TD_PF_PACKET_SEQUENCE:
    case TD_PF_PACKET_SEQUENCE_FLAGS:
    case TD_PF_PACKET_INCREMENTAL_STATE_CLEARED:
    case TD_PF_PACKET_PREVIOUS_PACKET_DROPPED:
    case TD_PF_PACKET_TIMESTAMP_CLOCK:
    case 79:
    case TD_PF_PACKET_FIRST_PACKET_ON_SEQUENCE:
    case 98:
        return field->wire == TD_PB_VARINT;
    default:
        return field->wire == TD_PB_BYTES && field->number < 2000;
    }
}

/* The first packet that is not empty has fields of packets only, as far as it is there. */
static bool begins_perfetto(const uint8_t *bytes, size_t count)
{
    struct td_pb_reader reader = td_pb_read(bytes, count);
    struct td_pb_field field;
    uint64_t key, length = 0;
    bool has_field = false;
    while (!length)
        if (!td_pb_varint(&reader, &key) || key != td_pb_key(TD_PF_TRACE_PACKET, TD_PB_BYTES) ||
            !td_pb_varint(&reader, &length) || length > UINT32_MAX)
            return false;
    const bool is_whole = length <= (size_t)(reader.end - reader.at);
    struct td_pb_reader packet = is_whole ? td_pb_read(reader.at, (size_t)length) : reader;
    while (td_pb_next(&packet, &field)) {
        has_field = true;
        if (!fits_packet(&field))
            return false;
    }
    return has_field ? !packet.is_damaged || !is_whole : !is_whole && count > 1000;
}

static int feed_perfetto(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct perfetto *perfetto = self;
    const int bad = td_pf_packets_feed(&perfetto->packets, bytes, count, take_packet, perfetto);
    return bad ? td_fail_no_memory(err, purpose) : 0;
}

static int end_perfetto_file(void *self, bool *cut, struct td_err *err)
{
    struct perfetto *perfetto = self;
    int64_t zero_ns;
    *cut = td_pf_packets_are_cut(&perfetto->packets);
    for (uint64_t i = 0; i < perfetto->packets.too_large; i++)
        td_timeline_lose(perfetto->shared.timeline, "too large packet");
    if (td_pf_settle(&perfetto->shared) != 0)
        return td_fail_no_memory(err, purpose);
    return td_timeline_finish(perfetto->shared.timeline, &zero_ns, err);
}

static const struct td_timeline_counts *counts_of_perfetto(const void *self)
{
    return td_timeline_get_counts(((const struct perfetto *)self)->shared.timeline);
}

const struct td_importer td_import_perfetto = {
    .name = "a Perfetto trace",
    .about = "It is a file .pftrace or .perfetto-trace. Track events become zones, messages, plots and "
             "flows; context "
             "switches and samples of call stacks are kept.",
    .begins = begins_perfetto,
    .create = create_perfetto,
    .destroy = destroy_perfetto,
    .feed = feed_perfetto,
    .end_file = end_perfetto_file,
    .counts = counts_of_perfetto,
};
