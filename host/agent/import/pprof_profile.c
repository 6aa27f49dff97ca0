/* Imports a profile of pprof (proto/pprof.h). Samples have values and no times: each kind of value is a track, on which
 * weights.h says which zones they become. Samples that are counted by their number are samples of call stacks, too, one
 * after the other, with addresses and lines.
 *
 * Texts come last in the file, so it is kept until the end. An item that is damaged or refers to nothing costs that item. */
#include "host/agent/import/importer.h"
#include "host/agent/import/protobuf.h"
#include "host/agent/import/weights.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "proto/pprof.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_MAX  (256u << 20)
#define TYPES     32u
#define DEPTH     4096u
#define HITS      1000000u /* samples of call stacks */
#define SAMPLE_NS 1000000  /* between them, if the profile does not say it */
#define HALF      (UINT64_C(1) << 62)

struct profiled_function {
    uint32_t name, file;
};

struct profiled_line {
    uint64_t function;
    uint32_t line;
};

struct profiled_location {
    uint64_t address, mapping;
    size_t first, count; /* of its lines */
};

struct pprof {
    struct td_dict *dict;
    struct td_timeline *timeline;
    uint8_t *bytes;
    size_t count, room;
    uint32_t *strings;
    struct profiled_function *functions;
    struct profiled_location *locations;
    struct profiled_line *lines;
    size_t string_count, function_count, location_count, line_count;
    size_t string_room, function_room, location_room, line_room;
    struct td_map by_function, by_location, by_mapping; /* mapping: its file's string */
    struct {
        uint32_t type, unit;
        struct td_weights *weights;
    } types[TYPES];
    size_t type_count, counted; /* counted: 1 + the type of the samples' number; 0: none */
    int64_t period;             /* ns; 0: not known */
    uint64_t hits;
    uint32_t thread; /* of the samples */
    struct td_timeline_call *calls;
    uint32_t *srclocs;
    size_t call_room, srcloc_room;
};

static const char purpose[] = "for a profile"; /* of td_fail_no_memory() */

static uint32_t string_at(const struct pprof *pprof, uint64_t number)
{
    return number < pprof->string_count ? pprof->strings[number] : 0;
}

static const char *text_at(const struct pprof *pprof, uint64_t number)
{
    return td_dict_text(pprof->dict, string_at(pprof, number));
}

/* ---- tables */

static int take_string(struct pprof *pprof, const struct td_pb_field *field)
{
    const struct td_timeline_id text = td_pb_text(field);
    const uint32_t string = td_dict_string(pprof->dict, text.at, text.bytes);
    return string == UINT32_MAX ? TD_E_NOMEM
                                : TD_APPEND(pprof->strings, pprof->string_count, pprof->string_room, string);
}

static int take_type(struct pprof *pprof, struct td_pb_reader message)
{
    struct td_pb_field field;
    uint64_t type = 0, unit = 0;
    while (td_pb_next(&message, &field)) {
        type = field.number == TD_PPROF_VALUE_TYPE_TYPE ? field.value : type;
        unit = field.number == TD_PPROF_VALUE_TYPE_UNIT ? field.value : unit;
    }
    if (message.is_damaged || pprof->type_count == TYPES)
        return TD_E_FORMAT;
    pprof->types[pprof->type_count].type = string_at(pprof, type);
    pprof->types[pprof->type_count].unit = string_at(pprof, unit);
    pprof->types[pprof->type_count].weights = td_weights_create();
    if (!pprof->types[pprof->type_count++].weights)
        return TD_E_NOMEM;
    if (!strcmp(text_at(pprof, type), "samples") && !strcmp(text_at(pprof, unit), "count"))
        pprof->counted = pprof->type_count;
    return 0;
}

/* An id is of one item: so a small packed file cannot fill the memory with items of a few bytes. */
static bool is_known(const struct td_map *map, uint64_t id)
{
    return td_map_get(map, id, UINT32_MAX) != UINT32_MAX;
}

static int take_function(struct pprof *pprof, struct td_pb_reader message)
{
    struct td_pb_field field;
    struct profiled_function function = {0};
    uint64_t id = 0;
    while (td_pb_next(&message, &field)) {
        if (field.number == TD_PPROF_FUNCTION_ID)
            id = field.value;
        else if (field.number == TD_PPROF_FUNCTION_NAME)
            function.name = string_at(pprof, field.value);
        else if (field.number == TD_PPROF_FUNCTION_SYSTEM_NAME && !function.name)
            function.name = string_at(pprof, field.value);
        else if (field.number == TD_PPROF_FUNCTION_FILENAME)
            function.file = string_at(pprof, field.value);
    }
    if (message.is_damaged || is_known(&pprof->by_function, id))
        return TD_E_FORMAT;
    return TD_APPEND(pprof->functions, pprof->function_count, pprof->function_room, function) < 0
               ? TD_E_NOMEM
               : td_map_set(&pprof->by_function, id, (uint32_t)pprof->function_count - 1);
}

static int take_mapping(struct pprof *pprof, struct td_pb_reader message)
{
    struct td_pb_field field;
    uint64_t id = 0, file = 0;
    while (td_pb_next(&message, &field)) {
        id = field.number == TD_PPROF_MAPPING_ID ? field.value : id;
        file = field.number == TD_PPROF_MAPPING_FILENAME ? field.value : file;
    }
    return message.is_damaged ? TD_E_FORMAT : td_map_set(&pprof->by_mapping, id, string_at(pprof, file));
}

static int take_line(struct pprof *pprof, struct td_pb_reader message)
{
    struct td_pb_field field;
    struct profiled_line line = {0};
    while (td_pb_next(&message, &field)) {
        line.function = field.number == TD_PPROF_LINE_FUNCTION_ID ? field.value : line.function;
        line.line = field.number == TD_PPROF_LINE_LINE ? (uint32_t)field.value : line.line;
    }
    if (message.is_damaged || (!line.function && !line.line))
        return message.is_damaged ? TD_E_FORMAT : 0;
    return TD_APPEND(pprof->lines, pprof->line_count, pprof->line_room, line);
}

static int take_location(struct pprof *pprof, struct td_pb_reader message)
{
    struct td_pb_field field;
    struct profiled_location location = {.first = pprof->line_count};
    uint64_t id = 0;
    int bad = 0;
    while (!bad && td_pb_next(&message, &field)) {
        id = field.number == TD_PPROF_LOCATION_ID ? field.value : id;
        location.mapping = field.number == TD_PPROF_LOCATION_MAPPING_ID ? field.value : location.mapping;
        location.address = field.number == TD_PPROF_LOCATION_ADDRESS ? field.value : location.address;
        if (field.number == TD_PPROF_LOCATION_LINE)
            bad = take_line(pprof, field.message);
    }
    location.count = pprof->line_count - location.first;
    if (!bad && (message.is_damaged || is_known(&pprof->by_location, id)))
        bad = TD_E_FORMAT;
    if (bad) {
        pprof->line_count = location.first;
        return bad;
    }
    return TD_APPEND(pprof->locations, pprof->location_count, pprof->location_room, location) < 0
               ? TD_E_NOMEM
               : td_map_set(&pprof->by_location, id, (uint32_t)pprof->location_count - 1);
}

/* ---- samples */

static struct profiled_function function_of(const struct pprof *pprof, uint64_t id)
{
    const struct profiled_function none = {0};
    const uint32_t number = td_map_get(&pprof->by_function, id, UINT32_MAX);
    return number == UINT32_MAX ? none : pprof->functions[number];
}

/* Adds the frames of a location to `calls`: one for each function that is inlined there. 0, TD_E_NOMEM, or TD_E_FORMAT:
 * there is no such location. */
static int add_calls(struct pprof *pprof, uint64_t id, size_t *count)
{
    const uint32_t number = td_map_get(&pprof->by_location, id, UINT32_MAX);
    if (number == UINT32_MAX)
        return TD_E_FORMAT;
    const struct profiled_location *location = &pprof->locations[number];
    struct td_timeline_call call = {.address = location->address,
                                    .image = td_map_get(&pprof->by_mapping, location->mapping, 0)};
    char text[24];
    if (!location->count) {
        snprintf(text, sizeof text, "0x%" PRIx64, location->address);
        call.function = td_dict_cstring(pprof->dict, text);
        return call.function == UINT32_MAX ? TD_E_NOMEM
                                           : TD_APPEND(pprof->calls, *count, pprof->call_room, call);
    }
    int bad = 0;
    for (size_t i = 0; i < location->count && !bad; i++) {
        const struct profiled_line *line = &pprof->lines[location->first + i];
        const struct profiled_function function = function_of(pprof, line->function);
        call.function = function.name;
        call.file = function.file;
        call.line = line->line;
        call.inlined = i + 1 < location->count;
        bad = TD_APPEND(pprof->calls, *count, pprof->call_room, call);
    }
    return bad;
}

/* Functions of zones, the outermost first. Their lines are those of the samples only: a function is one zone. */
static int make_srclocs(struct pprof *pprof, size_t count)
{
    if (td_grow(&pprof->srclocs, &pprof->srcloc_room, count, sizeof *pprof->srclocs) < 0)
        return TD_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct td_timeline_call *call = &pprof->calls[count - 1 - i];
        const struct td_srcloc srcloc = {.function = call->function, .file = call->file};
        pprof->srclocs[i] = td_dict_srcloc(pprof->dict, &srcloc);
        if (pprof->srclocs[i] == UINT32_MAX)
            return TD_E_NOMEM;
    }
    return 0;
}

static int add_hits(struct pprof *pprof, size_t count, uint64_t times)
{
    const uint32_t stack = td_timeline_stack(pprof->timeline, pprof->calls, count);
    const int64_t step_ns = pprof->period > 0 ? pprof->period : SAMPLE_NS;
    int bad = stack == UINT32_MAX ? TD_E_NOMEM : 0;
    for (uint64_t i = 0; i < times && !bad; i++, pprof->hits++) {
        if (pprof->hits >= HITS) {
            td_timeline_get_counts(pprof->timeline)->lost[TD_LOSS_SAMPLE] += times - i;
            break;
        }
        int64_t time_ns;
        if (__builtin_mul_overflow((int64_t)pprof->hits, step_ns, &time_ns))
            time_ns = 0;
        bad = td_timeline_sample(
            pprof->timeline, (struct td_timeline_place){.time_ns = time_ns, .owner = pprof->thread}, stack);
    }
    return bad;
}

static int add_value(struct pprof *pprof, size_t type, size_t count, int64_t value)
{
    if (value < 0 || (uint64_t)value >= HALF) {
        td_timeline_get_counts(pprof->timeline)->lost[TD_LOSS_VALUE]++;
        return 0;
    }
    int bad = value ? td_weights_add(pprof->types[type].weights, pprof->srclocs, count, (uint64_t)value) : 0;
    if (!bad && type + 1 == pprof->counted)
        bad = add_hits(pprof, count, (uint64_t)value);
    return bad;
}

static int take_sample(struct pprof *pprof, struct td_pb_reader message)
{
    struct td_pb_reader values = message;
    struct td_pb_field field;
    uint64_t number;
    size_t count = 0, type = 0;
    int bad = 0;
    while (!bad && td_pb_next(&message, &field)) {
        if (field.number == TD_PPROF_SAMPLE_LABEL)
            td_timeline_lose(pprof->timeline, "label");
        if (field.number != TD_PPROF_SAMPLE_LOCATION_ID)
            continue;
        struct td_pb_numbers ids = td_pb_list(&field, false);
        while (!bad && count < DEPTH && td_pb_next_number(&ids, &number))
            bad = add_calls(pprof, number, &count);
    }
    if (bad || message.is_damaged || !count)
        return bad ? bad : TD_E_FORMAT;
    bad = make_srclocs(pprof, count);
    while (!bad && td_pb_next(&values, &field)) {
        if (field.number != TD_PPROF_SAMPLE_VALUE)
            continue;
        struct td_pb_numbers list = td_pb_list(&field, false);
        while (!bad && td_pb_next_number(&list, &number))
            if (type < pprof->type_count)
                bad = add_value(pprof, type++, count, (int64_t)number);
    }
    return bad;
}

/* ---- the whole */

static int take_field(struct pprof *pprof, const struct td_pb_field *field, int round)
{
    static const int rounds[] = {[TD_PPROF_PROFILE_SAMPLE_TYPE] = 1, [TD_PPROF_PROFILE_SAMPLE] = 2,
                                 [TD_PPROF_PROFILE_MAPPING] = 1,     [TD_PPROF_PROFILE_LOCATION] = 1,
                                 [TD_PPROF_PROFILE_FUNCTION] = 1,    [TD_PPROF_PROFILE_STRING_TABLE] = 0};
    if (field->number > TD_PPROF_PROFILE_STRING_TABLE || !field->number || rounds[field->number] != round)
        return 0;
    switch (field->number) {
    case TD_PPROF_PROFILE_SAMPLE_TYPE:
        return take_type(pprof, field->message);
    case TD_PPROF_PROFILE_SAMPLE:
        return take_sample(pprof, field->message);
    case TD_PPROF_PROFILE_MAPPING:
        return take_mapping(pprof, field->message);
    case TD_PPROF_PROFILE_LOCATION:
        return take_location(pprof, field->message);
    case TD_PPROF_PROFILE_FUNCTION:
        return take_function(pprof, field->message);
    default:
        return take_string(pprof, field);
    }
}

__attribute__((format(printf, 2, 3))) static int add_fact(struct pprof *pprof, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    const int bytes = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return td_timeline_fact(
        pprof->timeline,
        (struct td_timeline_id){text, (size_t)bytes < sizeof text ? (size_t)bytes : sizeof text - 1});
}

static int take_period(struct pprof *pprof, struct td_pb_reader message, int64_t period)
{
    struct td_pb_field field;
    uint64_t type = 0, unit = 0;
    while (td_pb_next(&message, &field)) {
        type = field.number == TD_PPROF_VALUE_TYPE_TYPE ? field.value : type;
        unit = field.number == TD_PPROF_VALUE_TYPE_UNIT ? field.value : unit;
    }
    if (!strcmp(text_at(pprof, unit), "nanoseconds"))
        pprof->period = period;
    return add_fact(pprof, "period: %" PRId64 " %s of %s", period, text_at(pprof, unit),
                    text_at(pprof, type));
}

/* Facts about the profile, before the samples. */
static int take_facts(struct pprof *pprof)
{
    struct td_pb_reader message = td_pb_read(pprof->bytes, pprof->count);
    struct td_pb_reader period_type = td_pb_read(pprof->bytes, 0);
    struct td_pb_field field;
    int64_t period = 0;
    uint64_t string;
    int bad = 0;
    while (!bad && td_pb_next(&message, &field)) {
        struct td_pb_numbers comments = td_pb_list(&field, false);
        if (field.number == TD_PPROF_PROFILE_TIME_NS && field.value)
            bad = add_fact(pprof, "time: %" PRId64 " ns since 1970", (int64_t)field.value);
        if (field.number == TD_PPROF_PROFILE_DURATION_NS && field.value)
            bad = add_fact(pprof, "duration: %" PRId64 " ns", (int64_t)field.value);
        if (field.number == TD_PPROF_PROFILE_PERIOD)
            period = (int64_t)field.value;
        if (field.number == TD_PPROF_PROFILE_PERIOD_TYPE)
            period_type = field.message;
        while (field.number == TD_PPROF_PROFILE_COMMENT && !bad && td_pb_next_number(&comments, &string))
            bad = add_fact(pprof, "%s", text_at(pprof, string));
    }
    return bad || !period ? bad : take_period(pprof, period_type, period);
}

/* The track of a kind of values: "cpu (nanoseconds)". */
static int make_track(struct pprof *pprof, size_t type, uint32_t process)
{
    const char *name = td_dict_text(pprof->dict, pprof->types[type].type),
               *unit = td_dict_text(pprof->dict, pprof->types[type].unit);
    const struct td_weights *weights = pprof->types[type].weights;
    char *text = NULL;
    if (!td_weights_sum(weights))
        return 0;
    const uint64_t divisor = td_weights_divisor(weights, 1);
    const int bytes = asprintf(&text, "%s (%s)", name, unit);
    if (bytes < 0)
        return TD_E_NOMEM;
    const uint32_t thread =
        td_timeline_thread(pprof->timeline, process, (struct td_timeline_id){text, (size_t)bytes});
    free(text);
    if (thread == UINT32_MAX ||
        add_fact(pprof, "1 ns of the track %s is %" PRIu64 " %s", name, divisor, unit) < 0)
        return TD_E_NOMEM;
    return td_weights_make_zones(weights, divisor, pprof->timeline,
                                 (struct td_timeline_place){.owner = thread});
}

static int read_profile(struct pprof *pprof, bool *cut)
{
    const struct td_timeline_id none = {"", 0}, samples = {"samples", 7};
    int bad = 0;
    const uint32_t process = td_timeline_process(pprof->timeline, none);
    pprof->thread = td_timeline_thread(pprof->timeline, process, samples);
    if (pprof->thread == UINT32_MAX)
        return TD_E_NOMEM;
    for (int round = 0; round < 3 && bad != TD_E_NOMEM; round++) {
        struct td_pb_reader message = td_pb_read(pprof->bytes, pprof->count);
        struct td_pb_field field;
        if (round == 2)
            bad = take_facts(pprof);
        while (bad != TD_E_NOMEM && td_pb_next(&message, &field)) {
            bad = take_field(pprof, &field, round);
            if (bad == TD_E_FORMAT)
                td_timeline_get_counts(pprof->timeline)->lost[TD_LOSS_DAMAGED]++;
        }
        *cut = message.is_damaged;
    }
    bad = bad == TD_E_NOMEM ? bad : 0;
    for (size_t i = 0; i < pprof->type_count && !bad; i++)
        bad = make_track(pprof, i, process);
    return bad;
}

/* ---- the interface */

static void destroy_pprof(void *self)
{
    struct pprof *pprof = self;
    if (!pprof)
        return;
    td_timeline_destroy(pprof->timeline);
    for (size_t i = 0; i < pprof->type_count; i++)
        td_weights_destroy(pprof->types[i].weights);
    td_map_finish(&pprof->by_function);
    td_map_finish(&pprof->by_location);
    td_map_finish(&pprof->by_mapping);
    free(pprof->bytes);
    free(pprof->strings);
    free(pprof->functions);
    free(pprof->locations);
    free(pprof->lines);
    free(pprof->calls);
    free(pprof->srclocs);
    free(pprof);
}

static void *create_pprof(struct td_hub *hub)
{
    struct pprof *pprof = calloc(1, sizeof *pprof);
    if (!pprof)
        return NULL;
    pprof->dict = td_hub_dict(hub);
    pprof->timeline = td_timeline_create(hub);
    if (pprof->timeline)
        return pprof;
    free(pprof);
    return NULL;
}

static bool fits_profile(const struct td_pb_field *field)
{
    struct td_pb_reader message = field->message;
    struct td_pb_field of_type;
    if (field->number == TD_PPROF_PROFILE_COMMENT)
        return field->wire == TD_PB_VARINT || field->wire == TD_PB_BYTES;
    const bool is_message =
        field->number <= TD_PPROF_PROFILE_STRING_TABLE || field->number == TD_PPROF_PROFILE_PERIOD_TYPE;
    if (field->number > 15 || field->wire != (is_message ? (uint32_t)TD_PB_BYTES : (uint32_t)TD_PB_VARINT))
        return false;
    while (field->number == TD_PPROF_PROFILE_SAMPLE_TYPE && td_pb_next(&message, &of_type))
        if (of_type.wire != TD_PB_VARINT || of_type.number > 2)
            return false;
    return !message.is_damaged;
}

/* All fields are those of profiles, as far as they are there. */
static bool begins_pprof(const uint8_t *bytes, size_t count)
{
    struct td_pb_reader reader = td_pb_read(bytes, count);
    struct td_pb_field field;
    unsigned fields = 0;
    while (fields < 100 && td_pb_next(&reader, &field)) {
        fields++;
        if (!fits_profile(&field))
            return false;
    }
    return reader.is_damaged ? fields >= 3 : fields > 0;
}

static int feed_pprof(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct pprof *pprof = self;
    if (count > FILE_MAX - pprof->count)
        return td_fail(err, TD_E_FORMAT, "a profile of more than %u MiB cannot be read", FILE_MAX >> 20);
    if (td_grow(&pprof->bytes, &pprof->room, pprof->count + count, 1) < 0)
        return td_fail_no_memory(err, purpose);
    memcpy(pprof->bytes + pprof->count, bytes, count);
    pprof->count += count;
    return 0;
}

static int end_pprof_file(void *self, bool *cut, struct td_err *err)
{
    struct pprof *pprof = self;
    int64_t zero_ns;
    return read_profile(pprof, cut) != 0 ? td_fail_no_memory(err, purpose)
                                         : td_timeline_finish(pprof->timeline, &zero_ns, err);
}

static const struct td_timeline_counts *counts_of_pprof(const void *self)
{
    return td_timeline_get_counts(((const struct pprof *)self)->timeline);
}

const struct td_importer td_import_pprof = {
    .name = "a profile of pprof",
    .about = "It is a file .pb.gz. Each kind of values becomes a track of zones as wide as the values; "
             "counted samples "
             "are samples of call stacks, too.",
    .begins = begins_pprof,
    .create = create_pprof,
    .destroy = destroy_pprof,
    .feed = feed_pprof,
    .end_file = end_pprof_file,
    .counts = counts_of_pprof,
};
