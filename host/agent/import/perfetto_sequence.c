/* The state of a sequence of a Perfetto trace: clocks, defaults, and what is interned. */
#include "host/agent/import/perfetto_trace.h"
#include "host/base/grow.h"

#include <stdlib.h>

#define STACK_FRAMES 4096

struct td_pf_sequence *td_pf_sequence_create(uint32_t id)
{
    struct td_pf_sequence *sequence = calloc(1, sizeof *sequence);
    if (sequence)
        sequence->id = id;
    return sequence;
}

static void free_interned(struct td_pf_sequence *sequence)
{
    struct td_map *maps[] = {&sequence->by_place, &sequence->by_frame, &sequence->by_mapping,
                             &sequence->by_stack, &sequence->by_task,  &sequence->by_sum};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        td_map_finish(maps[i]);
        *maps[i] = (struct td_map){0};
    }
    for (size_t i = 0; i < TD_PF_STRINGS_COUNT; i++) {
        td_map_finish(&sequence->strings[i]);
        sequence->strings[i] = (struct td_map){0};
    }
    sequence->place_count = sequence->frame_count = sequence->stack_count = 0;
    sequence->task_count = sequence->stack_frame_count = sequence->sum_count = 0;
}

void td_pf_sequence_destroy(struct td_pf_sequence *sequence)
{
    if (!sequence)
        return;
    free_interned(sequence);
    free(sequence->places);
    free(sequence->frames);
    free(sequence->stacks);
    free(sequence->tasks);
    free(sequence->sums);
    free(sequence->stack_frames);
    free(sequence);
}

void td_pf_sequence_clear(struct td_pf_sequence *sequence)
{
    free_interned(sequence);
    sequence->lacks_state = false;
    sequence->clock = sequence->track = 0;
    sequence->counter_count = sequence->double_counter_count = 0;
}

uint32_t td_pf_string(const struct td_perfetto *perfetto, const struct td_pb_field *field)
{
    const struct td_timeline_id text = td_pb_text(field);
    return td_dict_string(perfetto->dict, text.at, text.bytes);
}

bool td_pf_packet_ns(struct td_perfetto *perfetto, const struct td_pf_packet_of *packet, int64_t *ns)
{
    const uint64_t clock = packet->clock             ? packet->clock
                           : packet->sequence->clock ? packet->sequence->clock
                                                     : 0;
    if (!packet->has_timestamp)
        return false;
    const uint64_t key = clock                          ? td_pf_clock_key(clock, packet->sequence->id)
                         : perfetto->clocks.trace_clock ? perfetto->clocks.trace_clock
                                                        : TD_PF_BOOTTIME;
    return td_pf_clocks_ns(&perfetto->clocks, key, packet->timestamp, ns);
}

/* ---- what is interned */

static int take_string(const struct td_perfetto *perfetto, struct td_map *map, struct td_pb_reader message)
{
    struct td_pb_field field;
    uint64_t iid = 0;
    uint32_t string = 0;
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PF_NAMED_IID)
            iid = field.value;
        else if (field.number == TD_PF_NAMED_NAME)
            string = td_pf_string(perfetto, &field);
    }
    if (string == UINT32_MAX)
        return TD_E_NOMEM;
    return message.is_damaged ? TD_E_FORMAT : td_map_set(map, iid, string);
}

int td_pf_read_place(const struct td_perfetto *perfetto, struct td_pb_reader message,
                     struct td_pf_place *place, uint64_t *iid)
{
    struct td_pb_field field;
    *place = (struct td_pf_place){0};
    while (td_pb_next(&message, &field))
        switch (field.number) {
        case TD_PF_SOURCE_LOCATION_IID:
            *iid = field.value;
            break;
        case TD_PF_SOURCE_LOCATION_FILE:
            place->file = td_pf_string(perfetto, &field);
            break;
        case TD_PF_SOURCE_LOCATION_FUNCTION:
            place->function = td_pf_string(perfetto, &field);
            break;
        case TD_PF_SOURCE_LOCATION_LINE:
            place->line = (uint32_t)field.value;
            break;
        default:
            break;
        }
    if (place->file == UINT32_MAX || place->function == UINT32_MAX)
        return TD_E_NOMEM;
    return message.is_damaged ? TD_E_FORMAT : 0;
}

static int take_place(const struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                      struct td_pb_reader message)
{
    struct td_pf_place place;
    uint64_t iid = 0;
    const int bad = td_pf_read_place(perfetto, message, &place, &iid);
    if (bad)
        return bad;
    return TD_APPEND(sequence->places, sequence->place_count, sequence->place_room, place) < 0
               ? TD_E_NOMEM
               : td_map_set(&sequence->by_place, iid, (uint32_t)sequence->place_count - 1);
}

/* The path of a mapping is in parts. */
static int take_mapping(const struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                        struct td_pb_reader message)
{
    struct td_pb_field field;
    struct td_text path = {0};
    uint64_t iid = 0, part;
    int bad = 0;
    while (!bad && td_pb_next(&message, &field)) {
        if (field.number == TD_PF_MAPPING_IID)
            iid = field.value;
        if (field.number != TD_PF_MAPPING_PATH_IIDS)
            continue;
        struct td_pb_numbers parts = td_pb_list(&field, false);
        while (!bad && td_pb_next_number(&parts, &part)) {
            const uint32_t text = td_pf_interned_string(sequence, TD_PF_STRINGS_MAPPING_PATHS, part);
            bad = td_text_add(&path, "/", 1);
            bad = bad ? bad
                      : td_text_add(&path, td_dict_text(perfetto->dict, text),
                                    td_dict_text_bytes(perfetto->dict, text));
        }
    }
    const uint32_t string =
        bad ? UINT32_MAX : td_dict_string(perfetto->dict, path.at ? path.at : "", path.bytes);
    td_text_free(&path);
    if (string == UINT32_MAX)
        return TD_E_NOMEM;
    return message.is_damaged ? TD_E_FORMAT : td_map_set(&sequence->by_mapping, iid, string);
}

static int take_frame(struct td_pf_sequence *sequence, struct td_pb_reader message)
{
    struct td_pb_field field;
    struct td_pf_frame_of frame = {0};
    uint64_t iid = 0;
    while (td_pb_next(&message, &field))
        switch (field.number) {
        case TD_PF_FRAME_IID:
            iid = field.value;
            break;
        case TD_PF_FRAME_FUNCTION_IID:
            frame.function = field.value;
            break;
        case TD_PF_FRAME_MAPPING_IID:
            frame.mapping = field.value;
            break;
        case TD_PF_FRAME_RELATIVE_PC:
            frame.relative_pc = field.value;
            break;
        case TD_PF_FRAME_SOURCE_PATH_IID:
            frame.source_path = field.value;
            break;
        case TD_PF_FRAME_LINE:
            frame.line = (uint32_t)field.value;
            break;
        default:
            break;
        }
    if (message.is_damaged)
        return TD_E_FORMAT;
    return TD_APPEND(sequence->frames, sequence->frame_count, sequence->frame_room, frame) < 0
               ? TD_E_NOMEM
               : td_map_set(&sequence->by_frame, iid, (uint32_t)sequence->frame_count - 1);
}

static int take_stack(struct td_pf_sequence *sequence, struct td_pb_reader message)
{
    struct td_pb_field field;
    struct td_pf_stack_of stack = {.first = sequence->stack_frame_count};
    uint64_t iid = 0, frame;
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PF_CALLSTACK_IID)
            iid = field.value;
        if (field.number != TD_PF_CALLSTACK_FRAME_IIDS)
            continue;
        struct td_pb_numbers frames = td_pb_list(&field, false);
        while (td_pb_next_number(&frames, &frame))
            if (TD_APPEND(sequence->stack_frames, sequence->stack_frame_count, sequence->stack_frame_room,
                          frame) < 0)
                return TD_E_NOMEM;
    }
    stack.count = sequence->stack_frame_count - stack.first;
    if (message.is_damaged)
        return TD_E_FORMAT;
    return TD_APPEND(sequence->stacks, sequence->stack_count, sequence->stack_room, stack) < 0
               ? TD_E_NOMEM
               : td_map_set(&sequence->by_stack, iid, (uint32_t)sequence->stack_count - 1);
}

static int take_task(struct td_pf_sequence *sequence, struct td_pb_reader message)
{
    struct td_pb_field field;
    struct td_pf_task_of task = {0};
    uint64_t iid = 0;
    while (td_pb_next(&message, &field)) {
        iid = field.number == TD_PF_TASK_IID ? field.value : iid;
        task.pid = field.number == TD_PF_TASK_PID ? (int64_t)field.value : task.pid;
        task.tid = field.number == TD_PF_TASK_TID ? (int64_t)field.value : task.tid;
    }
    if (message.is_damaged)
        return TD_E_FORMAT;
    return TD_APPEND(sequence->tasks, sequence->task_count, sequence->task_room, task) < 0
               ? TD_E_NOMEM
               : td_map_set(&sequence->by_task, iid, (uint32_t)sequence->task_count - 1);
}

static int take_interned(const struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                         const struct td_pb_field *field)
{
    switch (field->number) {
#define TD_X(name, number)                                                                                   \
    case TD_PF_INTERNED_##number:                                                                            \
        return take_string(perfetto, &sequence->strings[TD_PF_STRINGS_##name], field->message);
        TD_PF_STRINGS(TD_X)
#undef TD_X
    case TD_PF_INTERNED_SOURCE_LOCATIONS:
        return take_place(perfetto, sequence, field->message);
    case TD_PF_INTERNED_FRAMES:
        return take_frame(sequence, field->message);
    case TD_PF_INTERNED_CALLSTACKS:
        return take_stack(sequence, field->message);
    case TD_PF_INTERNED_TASKS:
        return take_task(sequence, field->message);
    default:
        return 0;
    }
}

/* Mappings refer to strings, which come later in the message. */
int td_pf_take_interned(struct td_perfetto *perfetto, struct td_pf_sequence *sequence,
                        struct td_pb_reader interned)
{
    struct td_pb_field field;
    struct td_pb_reader again = interned;
    bool has_damage = false;
    int bad = 0;
    while (bad != TD_E_NOMEM && td_pb_next(&interned, &field)) {
        bad = take_interned(perfetto, sequence, &field);
        has_damage = has_damage || bad == TD_E_FORMAT;
    }
    while (bad != TD_E_NOMEM && td_pb_next(&again, &field)) {
        bad = field.number == TD_PF_INTERNED_MAPPINGS ? take_mapping(perfetto, sequence, field.message) : 0;
        has_damage = has_damage || bad == TD_E_FORMAT;
    }
    return bad == TD_E_NOMEM ? bad : has_damage || interned.is_damaged ? TD_E_FORMAT : 0;
}

static void take_numbers(const struct td_pb_field *field, uint64_t *list, size_t *count)
{
    struct td_pb_numbers numbers = td_pb_list(field, false);
    uint64_t number;
    while (td_pb_next_number(&numbers, &number))
        if (*count < TD_PF_EXTRA)
            list[(*count)++] = number;
}

int td_pf_take_defaults(struct td_pf_sequence *sequence, struct td_pb_reader defaults)
{
    struct td_pb_field field, of_event;
    sequence->clock = sequence->track = 0;
    sequence->counter_count = sequence->double_counter_count = 0;
    while (td_pb_next(&defaults, &field)) {
        if (field.number == TD_PF_PACKET_DEFAULTS_TIMESTAMP_CLOCK)
            sequence->clock = field.value;
        if (field.number != TD_PF_PACKET_DEFAULTS_TRACK_EVENT)
            continue;
        while (td_pb_next(&field.message, &of_event)) {
            if (of_event.number == TD_PF_TRACK_EVENT_TRACK_UUID)
                sequence->track = of_event.value;
            if (of_event.number == TD_PF_TRACK_EVENT_EXTRA_COUNTER_UUIDS)
                take_numbers(&of_event, sequence->counters, &sequence->counter_count);
            if (of_event.number == TD_PF_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_UUIDS)
                take_numbers(&of_event, sequence->double_counters, &sequence->double_counter_count);
        }
    }
    return defaults.is_damaged ? TD_E_FORMAT : 0;
}

/* ---- what refers to it */

uint32_t td_pf_interned_string(const struct td_pf_sequence *sequence, enum td_pf_strings kind, uint64_t iid)
{
    return iid ? td_map_get(&sequence->strings[kind], iid, 0) : 0;
}

struct td_pf_place td_pf_interned_place(const struct td_pf_sequence *sequence, uint64_t iid)
{
    const struct td_pf_place none = {0};
    const uint32_t number = td_map_get(&sequence->by_place, iid, UINT32_MAX);
    return number == UINT32_MAX ? none : sequence->places[number];
}

static struct td_timeline_call call_of(const struct td_pf_sequence *sequence, uint64_t iid)
{
    const uint32_t number = td_map_get(&sequence->by_frame, iid, UINT32_MAX);
    if (number == UINT32_MAX)
        return (struct td_timeline_call){0};
    const struct td_pf_frame_of *frame = &sequence->frames[number];
    return (struct td_timeline_call){
        .address = frame->relative_pc,
        .function = td_pf_interned_string(sequence, TD_PF_STRINGS_FUNCTIONS, frame->function),
        .file = td_pf_interned_string(sequence, TD_PF_STRINGS_SOURCE_PATHS, frame->source_path),
        .line = frame->line,
        .image = td_map_get(&sequence->by_mapping, frame->mapping, 0)};
}

/* The innermost frame comes last in the trace. */
uint32_t td_pf_interned_stack(struct td_perfetto *perfetto, struct td_pf_sequence *sequence, uint64_t iid)
{
    const uint32_t number = td_map_get(&sequence->by_stack, iid, UINT32_MAX);
    if (number == UINT32_MAX)
        return 0;
    struct td_pf_stack_of *of = &sequence->stacks[number];
    if (of->stack)
        return of->stack - 1;
    const size_t count = of->count < STACK_FRAMES ? of->count : STACK_FRAMES;
    if (td_grow(&perfetto->calls, &perfetto->call_room, count, sizeof *perfetto->calls))
        return UINT32_MAX;
    for (size_t i = 0; i < count; i++)
        perfetto->calls[i] = call_of(sequence, sequence->stack_frames[of->first + of->count - 1 - i]);
    const uint32_t stack = td_timeline_stack(perfetto->timeline, perfetto->calls, count);
    if (stack != UINT32_MAX)
        of->stack = stack + 1;
    return stack;
}

static struct td_timeline_call read_inline_frame(const struct td_perfetto *perfetto,
                                                 struct td_pb_reader message)
{
    struct td_pb_field field;
    struct td_timeline_call call = {0};
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PF_INLINE_FRAME_FUNCTION)
            call.function = td_pf_string(perfetto, &field);
        else if (field.number == TD_PF_INLINE_FRAME_FILE)
            call.file = td_pf_string(perfetto, &field);
        else if (field.number == TD_PF_INLINE_FRAME_LINE)
            call.line = (uint32_t)field.value;
    }
    return call;
}

uint32_t td_pf_inline_stack(struct td_perfetto *perfetto, struct td_pb_reader message)
{
    struct td_pb_field field;
    size_t count = 0;
    while (count < STACK_FRAMES && td_pb_next(&message, &field)) {
        if (field.number != TD_PF_INLINE_CALLSTACK_FRAMES)
            continue;
        const struct td_timeline_call call = read_inline_frame(perfetto, field.message);
        if (call.function == UINT32_MAX || call.file == UINT32_MAX ||
            TD_APPEND(perfetto->calls, count, perfetto->call_room, call) < 0)
            return UINT32_MAX;
    }
    for (size_t i = 0; i < count / 2; i++) {
        const struct td_timeline_call call = perfetto->calls[i];
        perfetto->calls[i] = perfetto->calls[count - 1 - i];
        perfetto->calls[count - 1 - i] = call;
    }
    return td_timeline_stack(perfetto->timeline, perfetto->calls, count);
}
