/* Track events of a Perfetto trace, also those that Chrome wrote in its older form. */
#include "host/agent/import/perfetto_trace.h"
#include "host/base/grow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define FLOWS 32 /* of an event are kept */

struct legacy {
    uint64_t name_iid, id, bind_id, flow_direction;
    int64_t duration_us, pid, tid;
    struct td_timeline_id scope;
    char phase, id_kind; /* id_kind: l: of a process; 0: it has none */
    bool has_duration, has_bind_id, binds_to_enclosing, has_pid, has_tid;
};

struct event {
    const struct td_pf_packet_of *packet;
    struct td_pf_sequence *sequence;
    uint64_t type, track;
    uint32_t name, category, text, srcloc, stack;
    struct td_pf_place place;
    int64_t time_ns, delta_us, absolute_us;
    double value;
    uint64_t counters[TD_PF_EXTRA], double_counters[TD_PF_EXTRA];
    double values[TD_PF_EXTRA], double_values[TD_PF_EXTRA];
    size_t counter_count, double_counter_count, value_count, double_value_count;
    uint64_t flows[FLOWS];
    bool flow_ends[FLOWS];
    size_t flow_count;
    struct legacy legacy;
    bool has_track, has_value, has_delta, has_absolute;
};

static struct td_timeline_id id_of(const struct td_dict *dict, uint32_t string)
{
    return (struct td_timeline_id){td_dict_text(dict, string), td_dict_text_bytes(dict, string)};
}

/* ---- reading */

static int read_legacy(struct td_pb_reader message, struct legacy *legacy)
{
    struct td_pb_field field;
    while (td_pb_next(&message, &field))
        switch (field.number) {
        case TD_PF_LEGACY_EVENT_NAME_IID:
            legacy->name_iid = field.value;
            break;
        case TD_PF_LEGACY_EVENT_PHASE:
            legacy->phase = (char)field.value;
            break;
        case TD_PF_LEGACY_EVENT_DURATION_US:
            legacy->duration_us = (int64_t)field.value;
            legacy->has_duration = true;
            break;
        case TD_PF_LEGACY_EVENT_UNSCOPED_ID:
        case TD_PF_LEGACY_EVENT_LOCAL_ID:
        case TD_PF_LEGACY_EVENT_GLOBAL_ID:
            legacy->id = field.value;
            legacy->id_kind = field.number == TD_PF_LEGACY_EVENT_LOCAL_ID ? 'l' : 'g';
            break;
        case TD_PF_LEGACY_EVENT_ID_SCOPE:
            legacy->scope = td_pb_text(&field);
            break;
        case TD_PF_LEGACY_EVENT_BIND_ID:
            legacy->bind_id = field.value;
            legacy->has_bind_id = true;
            break;
        case TD_PF_LEGACY_EVENT_BIND_TO_ENCLOSING:
            legacy->binds_to_enclosing = field.value != 0;
            break;
        case TD_PF_LEGACY_EVENT_FLOW_DIRECTION:
            legacy->flow_direction = field.value;
            break;
        case TD_PF_LEGACY_EVENT_PID_OVERRIDE:
            legacy->pid = (int64_t)field.value;
            legacy->has_pid = true;
            break;
        case TD_PF_LEGACY_EVENT_TID_OVERRIDE:
            legacy->tid = (int64_t)field.value;
            legacy->has_tid = true;
            break;
        default:
            break;
        }
    return message.is_damaged ? TD_E_FORMAT : 0;
}

static void read_uuids(const struct td_pb_field *field, uint64_t *list, size_t *count)
{
    struct td_pb_numbers numbers = td_pb_list(field, false);
    uint64_t number;
    while (*count < TD_PF_EXTRA && td_pb_next_number(&numbers, &number))
        list[(*count)++] = number;
}

static void read_values(const struct td_pb_field *field, bool is_double, double *list, size_t *count)
{
    struct td_pb_numbers numbers = td_pb_list(field, is_double);
    uint64_t number;
    while (*count < TD_PF_EXTRA && td_pb_next_number(&numbers, &number)) {
        const struct td_pb_field one = {.wire = TD_PB_FIXED64, .value = number};
        list[(*count)++] = is_double ? td_pb_double(&one) : (double)(int64_t)number;
    }
}

static void read_flows(const struct td_perfetto *perfetto, struct event *event,
                       const struct td_pb_field *field, bool is_end)
{
    const bool is_fixed = field->number >= TD_PF_TRACK_EVENT_FLOW_IDS;
    struct td_pb_numbers numbers = td_pb_list(field, is_fixed);
    uint64_t number;
    while (td_pb_next_number(&numbers, &number)) {
        if (event->flow_count == FLOWS) {
            td_pf_lose(perfetto, TD_LOSS_FLOW);
            continue;
        }
        event->flow_ends[event->flow_count] = is_end;
        event->flows[event->flow_count++] = number;
    }
}

/* Counters and flows. */
static void read_numbers(const struct td_perfetto *perfetto, struct event *event,
                         const struct td_pb_field *field)
{
    switch (field->number) {
    case TD_PF_TRACK_EVENT_COUNTER_VALUE:
        event->value = (double)(int64_t)field->value;
        event->has_value = true;
        break;
    case TD_PF_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
        event->value = td_pb_double(field);
        event->has_value = true;
        break;
    case TD_PF_TRACK_EVENT_EXTRA_COUNTER_UUIDS:
        read_uuids(field, event->counters, &event->counter_count);
        break;
    case TD_PF_TRACK_EVENT_EXTRA_COUNTER_VALUES:
        read_values(field, false, event->values, &event->value_count);
        break;
    case TD_PF_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_UUIDS:
        read_uuids(field, event->double_counters, &event->double_counter_count);
        break;
    case TD_PF_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
        read_values(field, true, event->double_values, &event->double_value_count);
        break;
    case TD_PF_TRACK_EVENT_FLOW_IDS:
    case TD_PF_TRACK_EVENT_OLD_FLOW_IDS:
        read_flows(perfetto, event, field, false);
        break;
    case TD_PF_TRACK_EVENT_TERMINATING_FLOW_IDS:
    case TD_PF_TRACK_EVENT_OLD_TERMINATING_FLOW_IDS:
        read_flows(perfetto, event, field, true);
        break;
    default:
        break;
    }
}

static int read_log(struct td_perfetto *perfetto, struct event *event, struct td_pb_reader message)
{
    struct td_pb_field field;
    int bad = 0;
    while (!bad && td_pb_next(&message, &field)) {
        if (field.number == TD_PF_LOG_MESSAGE_SOURCE_LOCATION_IID)
            event->place = td_pf_interned_place(event->sequence, field.value);
        if (field.number != TD_PF_LOG_MESSAGE_BODY_IID)
            continue;
        const struct td_timeline_id body = id_of(
            perfetto->dict, td_pf_interned_string(event->sequence, TD_PF_STRINGS_LOG_BODIES, field.value));
        bad = td_text_add(&perfetto->text, body.at, body.bytes);
        bad = bad ? bad : td_text_add(&perfetto->text, "\n", 1);
    }
    return bad ? bad : message.is_damaged ? TD_E_FORMAT : 0;
}

static int read_stack(struct td_perfetto *perfetto, struct event *event, const struct td_pb_field *field)
{
    event->stack = field->number == TD_PF_TRACK_EVENT_CALLSTACK
                       ? td_pf_inline_stack(perfetto, field->message)
                       : td_pf_interned_stack(perfetto, event->sequence, field->value);
    return event->stack == UINT32_MAX ? TD_E_NOMEM : 0;
}

static int read_field(struct td_perfetto *perfetto, struct event *event, const struct td_pb_field *field)
{
    const struct td_pf_sequence *sequence = event->sequence;
    uint64_t iid;
    switch (field->number) {
    case TD_PF_TRACK_EVENT_TYPE:
        event->type = field->value;
        return 0;
    case TD_PF_TRACK_EVENT_DELTA_US:
        event->delta_us = (int64_t)field->value;
        event->has_delta = true;
        return 0;
    case TD_PF_TRACK_EVENT_ABSOLUTE_US:
        event->absolute_us = (int64_t)field->value;
        event->has_absolute = true;
        return 0;
    case TD_PF_TRACK_EVENT_NAME_IID:
        event->name = td_pf_interned_string(sequence, TD_PF_STRINGS_NAMES, field->value);
        return 0;
    case TD_PF_TRACK_EVENT_NAME:
        event->name = td_pf_string(perfetto, field);
        return event->name == UINT32_MAX ? TD_E_NOMEM : 0;
    case TD_PF_TRACK_EVENT_CATEGORY_IIDS: {
        struct td_pb_numbers iids = td_pb_list(field, false);
        if (!event->category && td_pb_next_number(&iids, &iid))
            event->category = td_pf_interned_string(sequence, TD_PF_STRINGS_CATEGORIES, iid);
        return 0;
    }
    case TD_PF_TRACK_EVENT_CATEGORIES:
        event->category = event->category ? event->category : td_pf_string(perfetto, field);
        return event->category == UINT32_MAX ? TD_E_NOMEM : 0;
    case TD_PF_TRACK_EVENT_TRACK_UUID:
        event->track = field->value;
        event->has_track = true;
        return 0;
    case TD_PF_TRACK_EVENT_ANNOTATIONS:
        return td_pf_add_annotation(perfetto, sequence, field->message);
    case TD_PF_TRACK_EVENT_LEGACY:
        return read_legacy(field->message, &event->legacy);
    case TD_PF_TRACK_EVENT_LOG_MESSAGE:
        return read_log(perfetto, event, field->message);
    case TD_PF_TRACK_EVENT_SOURCE_LOCATION:
        return td_pf_read_place(perfetto, field->message, &event->place, &iid);
    case TD_PF_TRACK_EVENT_SOURCE_LOCATION_IID:
        event->place = td_pf_interned_place(sequence, field->value);
        return 0;
    case TD_PF_TRACK_EVENT_CALLSTACK:
    case TD_PF_TRACK_EVENT_CALLSTACK_IID:
        return read_stack(perfetto, event, field);
    default:
        read_numbers(perfetto, event, field);
        return 0;
    }
}

/* Times are those of the packet; of older writers also microseconds of CLOCK_MONOTONIC, of the event itself. */
static bool find_time(struct td_perfetto *perfetto, struct event *event)
{
    struct td_pf_sequence *sequence = event->sequence;
    if (event->has_absolute)
        sequence->time_us = event->absolute_us;
    else if (event->has_delta &&
             __builtin_add_overflow(sequence->time_us, event->delta_us, &sequence->time_us))
        return false;
    if (event->packet->has_timestamp || (!event->has_absolute && !event->has_delta))
        return td_pf_packet_ns(perfetto, event->packet, &event->time_ns);
    return sequence->time_us >= 0 && sequence->time_us < INT64_MAX / 1000 &&
           td_pf_clocks_ns(&perfetto->clocks, TD_PF_MONOTONIC, (uint64_t)sequence->time_us * 1000,
                           &event->time_ns);
}

static int read_event(struct td_perfetto *perfetto, struct event *event)
{
    struct td_pb_reader message = event->packet->message;
    struct td_pb_field field;
    int bad = 0;
    perfetto->text.bytes = 0;
    while (!bad && td_pb_next(&message, &field))
        bad = read_field(perfetto, event, &field);
    if (bad || message.is_damaged)
        return bad ? bad : TD_E_FORMAT;
    if (!event->name && event->legacy.name_iid)
        event->name = td_pf_interned_string(event->sequence, TD_PF_STRINGS_NAMES, event->legacy.name_iid);
    const struct td_srcloc srcloc = {.name = event->place.function ? event->name : 0,
                                     .function = event->place.function ? event->place.function : event->name,
                                     .file = event->place.file,
                                     .line = event->place.line};
    event->srcloc = td_dict_srcloc(perfetto->dict, &srcloc);
    event->text =
        perfetto->text.bytes ? td_dict_string(perfetto->dict, perfetto->text.at, perfetto->text.bytes) : 0;
    return event->srcloc == UINT32_MAX || event->text == UINT32_MAX ? TD_E_NOMEM : 0;
}

/* ---- where it belongs */

static uint32_t owner_of(struct td_perfetto *perfetto, const struct event *event)
{
    const struct td_pf_sequence *sequence = event->sequence;
    const struct legacy *legacy = &event->legacy;
    if (legacy->has_pid || legacy->has_tid)
        return td_pf_find_thread(perfetto, legacy->has_pid ? legacy->pid : sequence->pid,
                                 legacy->has_tid ? legacy->tid : sequence->tid);
    const uint64_t uuid = event->has_track ? event->track : sequence->track;
    if (!uuid && sequence->has_thread)
        return td_pf_find_thread(perfetto, sequence->pid, sequence->tid);
    const uint32_t track = td_pf_track_number(perfetto, uuid);
    return track == UINT32_MAX ? UINT32_MAX : td_pf_track_owner(perfetto, track);
}

/* The process, as far as it is known already. */
static uint32_t process_of(struct td_perfetto *perfetto, const struct event *event)
{
    const struct td_pf_sequence *sequence = event->sequence;
    if (event->legacy.has_pid || sequence->has_thread)
        return td_pf_find_process(perfetto, event->legacy.has_pid ? event->legacy.pid : sequence->pid);
    const uint32_t track =
        td_map_get(&perfetto->by_uuid, event->has_track ? event->track : sequence->track, UINT32_MAX);
    if (track != UINT32_MAX && (perfetto->tracks[track].has_thread || perfetto->tracks[track].has_process))
        return td_pf_find_process(perfetto, perfetto->tracks[track].pid);
    return td_timeline_process(perfetto->timeline, (struct td_timeline_id){"", 0});
}

/* Operations of the older form are known by category, scope and id. */
static uint32_t operation_of(struct td_perfetto *perfetto, const struct event *event)
{
    char text[64];
    const uint32_t process = process_of(perfetto, event);
    const struct td_timeline_id category = id_of(perfetto->dict, event->category);
    const int bytes = snprintf(text, sizeof text, "%" PRIx64 " %" PRIu32 " ", event->legacy.id,
                               event->legacy.id_kind == 'l' ? process : UINT32_MAX);
    perfetto->text.bytes = 0;
    int bad = td_text_add(&perfetto->text, text, (size_t)bytes);
    bad = bad ? bad : td_text_add(&perfetto->text, category.at, category.bytes);
    bad = bad ? bad : td_text_add(&perfetto->text, "\n", 1);
    if (!bad && event->legacy.scope.bytes)
        bad = td_text_add(&perfetto->text, event->legacy.scope.at, event->legacy.scope.bytes);
    return bad ? UINT32_MAX
               : td_timeline_operation(perfetto->timeline, process, category,
                                       (struct td_timeline_id){perfetto->text.at, perfetto->text.bytes});
}

/* ---- what it becomes */

static int add_flow(struct td_perfetto *perfetto, struct td_timeline_place at, uint64_t id,
                    enum td_timeline_flow_end end, bool is_own)
{
    char text[24];
    const int bytes = snprintf(text, sizeof text, "%" PRIu64, id);
    const struct td_timeline_flow_id flow = {{"flow", 4}, {text, (size_t)bytes}, {"", 0}};
    return is_own ? td_timeline_own_flow(perfetto->timeline, at, end, &flow)
                  : td_timeline_flow(perfetto->timeline, at, end, &flow);
}

/* is_own: they belong to the zone that was added last. */
static int add_flows(struct td_perfetto *perfetto, const struct event *event, struct td_timeline_place at,
                     bool is_own)
{
    const struct legacy *legacy = &event->legacy;
    int bad = 0;
    for (size_t i = 0; i < event->flow_count && !bad; i++)
        bad = add_flow(perfetto, at, event->flows[i],
                       event->flow_ends[i] ? TD_TIMELINE_FLOW_LAST : TD_TIMELINE_FLOW_ANY, is_own);
    if (!bad && legacy->has_bind_id && (legacy->flow_direction & 1))
        bad = add_flow(perfetto, at, legacy->bind_id,
                       legacy->flow_direction & 2 ? TD_TIMELINE_FLOW_STEP : TD_TIMELINE_FLOW_IN, is_own);
    else if (!bad && legacy->has_bind_id && (legacy->flow_direction & 2))
        bad = add_flow(perfetto, at, legacy->bind_id, TD_TIMELINE_FLOW_OUT, is_own);
    return bad;
}

static int add_message(struct td_perfetto *perfetto, const struct event *event, struct td_timeline_place at)
{
    const struct td_timeline_id name = id_of(perfetto->dict, event->name),
                                text = id_of(perfetto->dict, event->text);
    uint32_t string = event->name;
    if (event->text) {
        perfetto->text.bytes = 0;
        int bad = td_text_add(&perfetto->text, name.at, name.bytes);
        if (!bad && name.bytes)
            bad = td_text_add(&perfetto->text, "\n", 1);
        bad = bad ? bad : td_text_add(&perfetto->text, text.at, text.bytes - 1);
        string = bad ? UINT32_MAX : td_dict_string(perfetto->dict, perfetto->text.at, perfetto->text.bytes);
    }
    if (string == UINT32_MAX)
        return TD_E_NOMEM;
    const int bad = td_timeline_stack_message(perfetto->timeline, at, string, event->stack);
    return bad ? bad : add_flows(perfetto, event, at, false);
}

/* What belongs to the zone that was added last. */
static int add_own(struct td_perfetto *perfetto, const struct event *event, struct td_timeline_place at)
{
    const int bad = event->stack ? td_timeline_own_stack(perfetto->timeline, event->stack) : 0;
    return bad ? bad : add_flows(perfetto, event, at, true);
}

static int add_begin(struct td_perfetto *perfetto, const struct event *event, struct td_timeline_place at)
{
    const int bad = td_timeline_begin(perfetto->timeline, at, event->srcloc, event->name, event->text);
    return bad ? bad : add_own(perfetto, event, at);
}

static int add_end(struct td_perfetto *perfetto, const struct event *event, struct td_timeline_place at)
{
    const int bad = td_timeline_end(perfetto->timeline, at, event->name, event->text);
    return bad ? bad : add_flows(perfetto, event, at, true);
}

static int add_complete(struct td_perfetto *perfetto, const struct event *event, struct td_timeline_place at)
{
    int64_t length_ns = 0, end_ns = TD_TIMELINE_OPEN;
    if (event->legacy.has_duration && (event->legacy.duration_us < 0 ||
                                       __builtin_mul_overflow(event->legacy.duration_us, 1000, &length_ns) ||
                                       __builtin_add_overflow(at.time_ns, length_ns, &end_ns)))
        return td_pf_lose(perfetto, TD_LOSS_LENGTH);
    const int bad = td_timeline_zone(perfetto->timeline, at, end_ns, event->srcloc, event->text);
    return bad ? bad : add_own(perfetto, event, at);
}

/* Values of some counters are differences to the one before, of the same sequence. */
static int add_difference(struct td_pf_sequence *sequence, uint32_t track, double *value)
{
    uint32_t sum = td_map_get(&sequence->by_sum, track, UINT32_MAX);
    if (sum == UINT32_MAX) {
        sum = (uint32_t)sequence->sum_count;
        if (TD_APPEND(sequence->sums, sequence->sum_count, sequence->sum_room, 0.0) < 0 ||
            td_map_add(&sequence->by_sum, track, sum) < 0)
            return TD_E_NOMEM;
    }
    sequence->sums[sum] += *value;
    *value = sequence->sums[sum];
    return 0;
}

static int add_value(struct td_perfetto *perfetto, struct event *event, uint64_t uuid, double value)
{
    const uint32_t number = td_pf_track_number(perfetto, uuid);
    if (number == UINT32_MAX)
        return TD_E_NOMEM;
    struct td_pf_track_of *track = &perfetto->tracks[number];
    if (track->series == UINT32_MAX)
        track->series = td_timeline_series(perfetto->timeline);
    if (track->series == UINT32_MAX ||
        (track->is_incremental && add_difference(event->sequence, number, &value) != 0))
        return TD_E_NOMEM;
    value *= (double)track->multiplier;
    return isfinite(value)
               ? td_timeline_series_point(perfetto->timeline, track->series, event->time_ns, value)
               : td_pf_lose(perfetto, TD_LOSS_VALUE);
}

/* Values of further counters, whose tracks may be defaults. */
static int add_extra(struct td_perfetto *perfetto, struct event *event)
{
    const struct td_pf_sequence *sequence = event->sequence;
    const uint64_t *uuids = event->counter_count ? event->counters : sequence->counters;
    const size_t count = event->counter_count ? event->counter_count : sequence->counter_count;
    int bad = 0;
    for (size_t i = 0; i < event->value_count && i < count && !bad; i++)
        bad = add_value(perfetto, event, uuids[i], event->values[i]);
    const uint64_t *doubles =
        event->double_counter_count ? event->double_counters : sequence->double_counters;
    const size_t double_count =
        event->double_counter_count ? event->double_counter_count : sequence->double_counter_count;
    for (size_t i = 0; i < event->double_value_count && i < double_count && !bad; i++)
        bad = add_value(perfetto, event, doubles[i], event->double_values[i]);
    return bad;
}

/* ---- the older form */

static int add_legacy_counter(struct td_perfetto *perfetto, const struct event *event)
{
    struct td_pb_reader message = event->packet->message;
    struct td_pb_field field;
    struct td_timeline_id key;
    double value;
    int bad = 0;
    const uint32_t process = process_of(perfetto, event);
    if (process == UINT32_MAX)
        return TD_E_NOMEM;
    while (!bad && td_pb_next(&message, &field))
        if (field.number == TD_PF_TRACK_EVENT_ANNOTATIONS) {
            const bool is_number =
                td_pf_annotation_number(perfetto, event->sequence, field.message, &key, &value) &&
                isfinite(value);
            bad = is_number ? td_timeline_point(perfetto->timeline, process, event->time_ns,
                                                id_of(perfetto->dict, event->name), key, value)
                            : td_pf_lose(perfetto, TD_LOSS_VALUE);
        }
    return bad;
}

static int add_legacy_flow(struct td_perfetto *perfetto, const struct event *event,
                           struct td_timeline_place at)
{
    char text[24];
    const struct legacy *legacy = &event->legacy;
    if (!legacy->has_bind_id && !legacy->id_kind)
        return td_pf_lose(perfetto, TD_LOSS_FLOW_ID);
    const int bytes =
        snprintf(text, sizeof text, "%" PRIu64, legacy->has_bind_id ? legacy->bind_id : legacy->id);
    const struct td_timeline_flow_id flow = {
        id_of(perfetto->dict, event->name), {text, (size_t)bytes}, id_of(perfetto->dict, event->category)};
    if (event->text)
        td_pf_lose(perfetto, TD_LOSS_ARGUMENT);
    return td_timeline_flow(perfetto->timeline, at,
                            legacy->phase == 's'         ? TD_TIMELINE_FLOW_OUT
                            : legacy->phase == 't'       ? TD_TIMELINE_FLOW_STEP
                            : legacy->binds_to_enclosing ? TD_TIMELINE_FLOW_IN
                                                         : TD_TIMELINE_FLOW_NEXT,
                            &flow);
}

static int add_operation(struct td_perfetto *perfetto, const struct event *event)
{
    const struct td_timeline_place at = {event->time_ns, operation_of(perfetto, event), true};
    if (at.owner == UINT32_MAX)
        return TD_E_NOMEM;
    switch (event->legacy.phase) {
    case 'b':
    case 'S':
        return add_begin(perfetto, event, at);
    case 'e':
    case 'F':
        return add_end(perfetto, event, at);
    default:
        return add_message(perfetto, event, at);
    }
}

static int add_legacy(struct td_perfetto *perfetto, const struct event *event, struct td_timeline_place at)
{
    switch (event->legacy.phase) {
    case 'B':
        return add_begin(perfetto, event, at);
    case 'E':
        return add_end(perfetto, event, at);
    case 'X':
        return add_complete(perfetto, event, at);
    case 'i':
    case 'I':
    case 'R':
        return add_message(perfetto, event, at);
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
    case 'T':
    case 'p':
        return add_operation(perfetto, event);
    case 's':
    case 't':
    case 'f':
        return add_legacy_flow(perfetto, event, at);
    case 'C':
        return add_legacy_counter(perfetto, event);
    case 'N':
    case 'O':
    case 'D':
        return td_pf_lose(perfetto, TD_LOSS_OBJECT);
    case 'v':
    case 'V':
        return td_pf_lose(perfetto, TD_LOSS_MEMORY);
    case 'P':
        return td_pf_lose(perfetto, TD_LOSS_SAMPLE);
    default:
        return td_pf_lose(perfetto, TD_LOSS_PHASE);
    }
}

int td_pf_take_event(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet)
{
    struct event event = {.packet = packet, .sequence = packet->sequence};
    int bad = read_event(perfetto, &event);
    const bool has_time = bad != TD_E_NOMEM && find_time(perfetto, &event); /* also moves the sequence's */
    if (bad)
        return bad;
    if (!has_time)
        return td_pf_lose(perfetto, TD_LOSS_TIME);
    bad = add_extra(perfetto, &event);
    if (bad)
        return bad;
    if (event.type == TD_PF_COUNTER_VALUE)
        return event.has_value ? add_value(perfetto, &event,
                                           event.has_track ? event.track : event.sequence->track, event.value)
                               : td_pf_lose(perfetto, TD_LOSS_VALUE);
    const struct td_timeline_place at = {.time_ns = event.time_ns, .owner = owner_of(perfetto, &event)};
    if (at.owner == UINT32_MAX)
        return TD_E_NOMEM;
    switch (event.type) {
    case TD_PF_SLICE_BEGIN:
        return add_begin(perfetto, &event, at);
    case TD_PF_SLICE_END:
        return add_end(perfetto, &event, at);
    case TD_PF_INSTANT:
        return add_message(perfetto, &event, at);
    default:
        return add_legacy(perfetto, &event, at);
    }
}
