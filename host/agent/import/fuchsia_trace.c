/* Imports a trace in Fuchsia's format: zones from durations and asynchronous operations, messages from instants and log
 * records, plots from counters, flows, and names of processes and threads from kernel objects.
 *
 * Records may be in any order of time, so they are kept in a small form until close. Records that are damaged are left
 * out and counted. */
#include "host/agent/import/fuchsia_record.h"
#include "host/agent/import/importer.h"
#include "host/agent/import/json_text.h"
#include "host/agent/import/timeline_switches.h"
#include "host/agent/import/timeline_threads.h"
#include "proto/fuchsia.h"

#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_WORDS 4095
#define PROVIDERS    4096
#define RECENT       64 /* threads that are found quickly */

struct td_fuchsia {
    struct td_dict *dict;
    struct td_timeline *timeline;
    struct td_fxt_tables *providers[PROVIDERS]; /* the first one: before any provider was named */
    uint64_t provider_ids[PROVIDERS];
    size_t provider_count, provider; /* provider: the one whose records come */
    struct td_text text;
    struct td_late_threads threads; /* of context switches, which know no processes */
    struct {
        uint64_t process, thread;
        uint32_t number; /* 1 + the timeline's; 0: none */
    } recent[RECENT];
    uint64_t record[RECORD_WORDS];
    size_t bytes;       /* of the record so far */
    uint64_t skip;      /* bytes of a large record that are still to come */
    bool ended, is_cut; /* ended: all that follows is left out */
};

static const char purpose[] = "for the records of a Fuchsia trace"; /* of td_fail_no_memory() */

static int lose(struct td_fuchsia *fuchsia, enum td_timeline_loss loss)
{
    td_timeline_get_counts(fuchsia->timeline)->lost[loss]++;
    return 0;
}

/* ---- parts of records */

static uint32_t process_of(struct td_fuchsia *fuchsia, uint64_t process)
{
    char text[24];
    const int bytes = snprintf(text, sizeof text, "%" PRIu64, process);
    return td_timeline_process(fuchsia->timeline, (struct td_timeline_id){text, (size_t)bytes});
}

static uint32_t thread_of(struct td_fuchsia *fuchsia, uint64_t process, uint64_t thread)
{
    char text[24];
    const size_t slot = (size_t)((process ^ thread) % RECENT);
    if (fuchsia->recent[slot].number && fuchsia->recent[slot].process == process &&
        fuchsia->recent[slot].thread == thread)
        return fuchsia->recent[slot].number - 1;
    const int bytes = snprintf(text, sizeof text, "%" PRIu64, thread);
    const uint32_t late = td_late_threads_find(&fuchsia->threads, fuchsia->timeline, (int64_t)thread),
                   number = td_timeline_thread(fuchsia->timeline, process_of(fuchsia, process),
                                               (struct td_timeline_id){text, (size_t)bytes});
    if (late == UINT32_MAX || number == UINT32_MAX)
        return UINT32_MAX;
    fuchsia->threads.at[late].pid = (int64_t)process;
    fuchsia->threads.at[late].has_pid = true;
    fuchsia->recent[slot].process = process;
    fuchsia->recent[slot].thread = thread;
    fuchsia->recent[slot].number = number + 1;
    return number;
}

static struct td_timeline_id id_of(const struct td_dict *dict, uint32_t string)
{
    return (struct td_timeline_id){td_dict_text(dict, string), td_dict_text_bytes(dict, string)};
}

struct event {
    struct td_fxt_reader reader;
    uint32_t type, thread, process, category, name, text, file, line;
    uint64_t process_id, arguments, last; /* last: the word after the arguments */
    size_t arguments_at;
    int64_t time_ns;
};

/* Reads the arguments as text, a line for each. TD_E_FORMAT: they leave the record. */
static int read_arguments(struct td_fuchsia *fuchsia, struct event *event)
{
    char value_text[1 << 15];
    struct td_fxt_value value;
    int bad = 0;
    fuchsia->text.bytes = 0;
    event->arguments_at = event->reader.at;
    for (uint64_t i = 0; i < event->arguments && !bad; i++) {
        if (!td_fxt_next_argument(&event->reader, &value))
            return TD_E_FORMAT;
        td_fxt_value_text(&event->reader, &value, value_text, sizeof value_text);
        const struct td_timeline_id name = id_of(fuchsia->dict, value.name);
        bad = td_text_add(&fuchsia->text, name.at, name.bytes);
        bad = bad ? bad : td_text_add(&fuchsia->text, ": ", 2);
        bad = bad ? bad : td_text_add(&fuchsia->text, value_text, strlen(value_text));
        bad = bad ? bad : td_text_add(&fuchsia->text, "\n", 1);
        if (value.type == TD_FXT_ARG_TEXT && !strcmp(name.at, "loc")) /* as stock's importer takes it */
            event->file =
                td_timeline_place_file(fuchsia->dict, id_of(fuchsia->dict, value.text), &event->line);
    }
    event->text = bad || !fuchsia->text.bytes
                      ? 0
                      : td_dict_string(fuchsia->dict, fuchsia->text.at, fuchsia->text.bytes);
    return event->text == UINT32_MAX || event->file == UINT32_MAX ? TD_E_NOMEM : bad;
}

static bool has_last_word(uint32_t type)
{
    return type == TD_FXT_COUNTER || (type >= TD_FXT_DURATION_COMPLETE && type <= TD_FXT_FLOW_END);
}

/* 0, TD_E_FORMAT or TD_E_NOMEM. */
static int read_event(struct td_fuchsia *fuchsia, struct event *event, uint64_t header, int64_t *ticks)
{
    struct td_fxt_reader *reader = &event->reader;
    uint64_t thread;
    event->type = (uint32_t)td_fxt_bits(header, 16, 4);
    event->arguments = td_fxt_bits(header, 20, 4);
    if (!td_fxt_word(reader, (uint64_t *)ticks) ||
        !td_fxt_thread(reader, td_fxt_bits(header, 24, 8), &event->process_id, &thread) ||
        !td_fxt_string(reader, td_fxt_bits(header, 32, 16), &event->category) ||
        !td_fxt_string(reader, td_fxt_bits(header, 48, 16), &event->name))
        return TD_E_FORMAT;
    const int bad = read_arguments(fuchsia, event);
    if (bad)
        return bad;
    if (has_last_word(event->type) && !td_fxt_word(reader, &event->last))
        return TD_E_FORMAT;
    event->process = process_of(fuchsia, event->process_id);
    event->thread = thread_of(fuchsia, event->process_id, thread);
    return event->thread == UINT32_MAX || event->name == UINT32_MAX || event->category == UINT32_MAX
               ? TD_E_NOMEM
               : 0;
}

/* ---- events */

static int take_counter(struct td_fuchsia *fuchsia, struct event *event)
{
    struct td_fxt_value value;
    double number;
    int bad = 0;
    event->reader.at = event->arguments_at;
    char *name = NULL;
    const char *text = td_dict_text(fuchsia->dict, event->name);
    const int bytes =
        event->last ? asprintf(&name, "%s[%" PRIu64 "]", text, event->last) : asprintf(&name, "%s", text);
    if (bytes < 0)
        return TD_E_NOMEM;
    for (uint64_t i = 0; i < event->arguments && !bad && td_fxt_next_argument(&event->reader, &value); i++)
        bad = td_fxt_number(&value, &number)
                  ? td_timeline_point(fuchsia->timeline, event->process, event->time_ns,
                                      (struct td_timeline_id){name, (size_t)bytes},
                                      id_of(fuchsia->dict, value.name), number)
                  : lose(fuchsia, TD_LOSS_VALUE);
    free(name);
    return bad || event->arguments ? bad : lose(fuchsia, TD_LOSS_VALUE);
}

/* A message: the name, and a line for each argument. */
static int take_message(struct td_fuchsia *fuchsia, const struct event *event, struct td_timeline_place at)
{
    const struct td_timeline_id name = id_of(fuchsia->dict, event->name),
                                text = id_of(fuchsia->dict, event->text);
    if (!event->text)
        return td_timeline_message(fuchsia->timeline, at, event->name);
    fuchsia->text.bytes = 0;
    int bad = td_text_add(&fuchsia->text, name.at, name.bytes);
    bad = bad ? bad : td_text_add(&fuchsia->text, "\n", 1);
    bad = bad ? bad : td_text_add(&fuchsia->text, text.at, text.bytes - 1);
    const uint32_t string =
        bad ? UINT32_MAX : td_dict_string(fuchsia->dict, fuchsia->text.at, fuchsia->text.bytes);
    return string == UINT32_MAX ? TD_E_NOMEM : td_timeline_message(fuchsia->timeline, at, string);
}

/* Operations are known by process, category and id. */
static int take_async(struct td_fuchsia *fuchsia, const struct event *event, uint32_t srcloc)
{
    char key[64];
    const struct td_timeline_id category = id_of(fuchsia->dict, event->category);
    const int bytes = snprintf(key, sizeof key, "%" PRIu64 " %" PRIu64 " ", event->process_id, event->last);
    fuchsia->text.bytes = 0;
    int bad = td_text_add(&fuchsia->text, key, (size_t)bytes);
    bad = bad ? bad : td_text_add(&fuchsia->text, category.at, category.bytes);
    const uint32_t operation =
        bad ? UINT32_MAX
            : td_timeline_operation(fuchsia->timeline, event->process, category,
                                    (struct td_timeline_id){fuchsia->text.at, fuchsia->text.bytes});
    const struct td_timeline_place at = {event->time_ns, operation, true};
    if (operation == UINT32_MAX)
        return TD_E_NOMEM;
    return event->type == TD_FXT_ASYNC_BEGIN
               ? td_timeline_begin(fuchsia->timeline, at, srcloc, event->name, event->text)
           : event->type == TD_FXT_ASYNC_END
               ? td_timeline_end(fuchsia->timeline, at, event->name, event->text)
               : take_message(fuchsia, event, at);
}

static int take_flow(struct td_fuchsia *fuchsia, const struct event *event, struct td_timeline_place at)
{
    char id[24];
    const int bytes = snprintf(id, sizeof id, "%" PRIu64, event->last);
    const struct td_timeline_flow_id flow = {
        id_of(fuchsia->dict, event->name), {id, (size_t)bytes}, id_of(fuchsia->dict, event->category)};
    if (event->text)
        lose(fuchsia, TD_LOSS_ARGUMENT);
    return td_timeline_flow(fuchsia->timeline, at,
                            event->type == TD_FXT_FLOW_BEGIN  ? TD_TIMELINE_FLOW_OUT
                            : event->type == TD_FXT_FLOW_STEP ? TD_TIMELINE_FLOW_STEP
                                                              : TD_TIMELINE_FLOW_IN,
                            &flow);
}

static int take_complete(struct td_fuchsia *fuchsia, const struct event *event, struct td_timeline_place at,
                         uint32_t srcloc)
{
    int64_t end_ns;
    if (!td_fxt_time(event->reader.tables, event->last, &end_ns))
        return lose(fuchsia, TD_LOSS_TIME);
    if (end_ns < event->time_ns)
        return lose(fuchsia, TD_LOSS_LENGTH);
    return td_timeline_zone(fuchsia->timeline, at, end_ns, srcloc, event->text);
}

/* 0, TD_E_FORMAT or TD_E_NOMEM. */
static int take_event(struct td_fuchsia *fuchsia, struct td_fxt_reader reader, uint64_t header)
{
    struct event event = {.reader = reader};
    int64_t ticks;
    const int bad = read_event(fuchsia, &event, header, &ticks);
    if (bad)
        return bad;
    if (!td_fxt_time(reader.tables, (uint64_t)ticks, &event.time_ns))
        return lose(fuchsia, TD_LOSS_TIME);
    const struct td_timeline_place at = {event.time_ns, event.thread, false};
    const uint32_t srcloc = td_dict_srcloc(
        fuchsia->dict, &(struct td_srcloc){.function = event.name, .file = event.file, .line = event.line});
    if (srcloc == UINT32_MAX)
        return TD_E_NOMEM;
    switch (event.type) {
    case TD_FXT_INSTANT:
        return take_message(fuchsia, &event, at);
    case TD_FXT_COUNTER:
        return take_counter(fuchsia, &event);
    case TD_FXT_DURATION_BEGIN:
        return td_timeline_begin(fuchsia->timeline, at, srcloc, event.name, event.text);
    case TD_FXT_DURATION_END:
        return td_timeline_end(fuchsia->timeline, at, event.name, event.text);
    case TD_FXT_DURATION_COMPLETE:
        return take_complete(fuchsia, &event, at, srcloc);
    case TD_FXT_ASYNC_BEGIN:
    case TD_FXT_ASYNC_INSTANT:
    case TD_FXT_ASYNC_END:
        return take_async(fuchsia, &event, srcloc);
    case TD_FXT_FLOW_BEGIN:
    case TD_FXT_FLOW_STEP:
    case TD_FXT_FLOW_END:
        return take_flow(fuchsia, &event, at);
    default:
        return lose(fuchsia, TD_LOSS_PHASE);
    }
}

/* ---- other records */

static int add_provider(struct td_fuchsia *fuchsia, uint64_t id)
{
    for (size_t i = 1; i < fuchsia->provider_count; i++)
        if (fuchsia->provider_ids[i] == id) {
            fuchsia->provider = i;
            return 0;
        }
    if (fuchsia->provider_count == PROVIDERS)
        return TD_E_FORMAT;
    struct td_fxt_tables *tables = calloc(1, sizeof *tables);
    if (!tables)
        return TD_E_NOMEM;
    fuchsia->provider = fuchsia->provider_count;
    fuchsia->provider_ids[fuchsia->provider_count] = id;
    fuchsia->providers[fuchsia->provider_count++] = tables;
    return 0;
}

static int take_metadata(struct td_fuchsia *fuchsia, struct td_fxt_reader reader, uint64_t header)
{
    const uint64_t type = td_fxt_bits(header, 16, 4), id = td_fxt_bits(header, 20, 32);
    uint32_t name;
    if (type == TD_FXT_PROVIDER_EVENT)
        return lose(fuchsia, td_fxt_bits(header, 52, 4) ? TD_LOSS_RECORD : TD_LOSS_DROPPED);
    if (type != TD_FXT_PROVIDER_INFO && type != TD_FXT_PROVIDER_SECTION)
        return type == TD_FXT_TRACE_INFO ? 0 : lose(fuchsia, TD_LOSS_RECORD);
    const int bad = add_provider(fuchsia, id);
    if (bad || type == TD_FXT_PROVIDER_SECTION)
        return bad;
    if (!td_fxt_bytes(&reader, td_fxt_bits(header, 52, 8), &name))
        return TD_E_FORMAT;
    char *fact = NULL;
    const int bytes = name == UINT32_MAX ? -1
                                         : asprintf(&fact, "provider %" PRIu64 ": %s", id,
                                                    td_dict_text(fuchsia->dict, name));
    if (bytes < 0)
        return TD_E_NOMEM;
    const int lost = td_timeline_fact(fuchsia->timeline, (struct td_timeline_id){fact, (size_t)bytes});
    free(fact);
    return lost;
}

static int take_string(struct td_fxt_reader reader, uint64_t header)
{
    const uint64_t index = td_fxt_bits(header, 16, 15);
    uint32_t string;
    if (!td_fxt_bytes(&reader, td_fxt_bits(header, 32, 15), &string))
        return TD_E_FORMAT;
    if (string == UINT32_MAX || (index && td_map_set(&reader.tables->strings, index, string) != 0))
        return TD_E_NOMEM;
    return 0;
}

static int take_thread(struct td_fxt_reader reader, uint64_t header)
{
    const unsigned index = (unsigned)td_fxt_bits(header, 16, 8);
    uint64_t process, thread;
    if (!td_fxt_word(&reader, &process) || !td_fxt_word(&reader, &thread))
        return TD_E_FORMAT;
    if (!index)
        return 0;
    reader.tables->threads[index].process = process;
    reader.tables->threads[index].thread = thread;
    reader.tables->known_threads[index / 64] |= UINT64_C(1) << index % 64;
    return 0;
}

/* The id of the process that a thread's record names; false: none. */
static bool find_process(struct td_fxt_reader *reader, uint64_t arguments, uint64_t *process)
{
    struct td_fxt_value value;
    bool found = false;
    for (uint64_t i = 0; i < arguments && td_fxt_next_argument(reader, &value); i++)
        if ((value.type == TD_FXT_ARG_KOID || value.type == TD_FXT_ARG_UINT64) &&
            !strcmp(td_dict_text(reader->dict, value.name), "process")) {
            *process = value.u64;
            found = true;
        }
    return found;
}

static int take_object(struct td_fuchsia *fuchsia, struct td_fxt_reader reader, uint64_t header,
                       bool of_kernel)
{
    const uint64_t first = td_fxt_bits(header, 16, 8), arguments = td_fxt_bits(header, 40, 4);
    uint64_t id, process, thread;
    uint32_t name;
    if (!td_fxt_word(&reader, &id) ||
        (!of_kernel && first && !td_fxt_thread(&reader, first, &process, &thread)) ||
        (!of_kernel && !first && !td_fxt_word(&reader, &process)) ||
        !td_fxt_string(&reader, td_fxt_bits(header, 24, 16), &name))
        return TD_E_FORMAT;
    if (name == UINT32_MAX || td_map_set(&reader.tables->names, id, name) != 0)
        return TD_E_NOMEM;
    if (of_kernel && first == TD_FXT_OBJECT_PROCESS) {
        const uint32_t number = process_of(fuchsia, id);
        if (number == UINT32_MAX)
            return TD_E_NOMEM;
        td_timeline_name_process(fuchsia->timeline, number, name);
    } else if (of_kernel && first == TD_FXT_OBJECT_THREAD) {
        if (!find_process(&reader, arguments, &process))
            return lose(fuchsia, TD_LOSS_FACT);
        const uint32_t number = thread_of(fuchsia, process, id);
        if (number == UINT32_MAX)
            return TD_E_NOMEM;
        td_timeline_name_thread(fuchsia->timeline, number, name);
    }
    return 0;
}

static int take_log(struct td_fuchsia *fuchsia, struct td_fxt_reader reader, uint64_t header)
{
    uint64_t ticks, process, thread;
    uint32_t text;
    struct td_timeline_place at = {0};
    if (!td_fxt_word(&reader, &ticks) ||
        !td_fxt_thread(&reader, td_fxt_bits(header, 32, 8), &process, &thread) ||
        !td_fxt_bytes(&reader, td_fxt_bits(header, 16, 15), &text))
        return TD_E_FORMAT;
    if (!td_fxt_time(reader.tables, ticks, &at.time_ns))
        return lose(fuchsia, TD_LOSS_TIME);
    at.owner = thread_of(fuchsia, process, thread);
    return at.owner == UINT32_MAX || text == UINT32_MAX ? TD_E_NOMEM
                                                        : td_timeline_message(fuchsia->timeline, at, text);
}

/* UINT32_MAX - 1: no memory. */
static uint32_t runner_of(struct td_fuchsia *fuchsia, uint64_t thread)
{
    const uint32_t number =
        thread ? td_late_threads_find(&fuchsia->threads, fuchsia->timeline, (int64_t)thread) : 0;
    return !thread                ? TD_TIMELINE_NO_THREAD
           : number == UINT32_MAX ? UINT32_MAX - 1
                                  : fuchsia->threads.at[number].owner;
}

static int take_scheduling(struct td_fuchsia *fuchsia, struct td_fxt_reader reader, uint64_t header)
{
    static const char states[16] = {[TD_FXT_NEW] = 'R',     [TD_FXT_RUNNING] = 'R', [TD_FXT_SUSPENDED] = 'T',
                                    [TD_FXT_BLOCKED] = 'S', [TD_FXT_DYING] = 'X',   [TD_FXT_DEAD] = 'X'};
    struct td_fxt_scheduling of;
    if (!td_fxt_read_scheduling(&reader, header, &of))
        return of.type > TD_FXT_WAKEUP ? lose(fuchsia, TD_LOSS_RECORD) : TD_E_FORMAT;
    struct td_timeline_switched change = {.cpu = (uint32_t)of.cpu,
                                          .out = runner_of(fuchsia, of.out),
                                          .in = runner_of(fuchsia, of.in),
                                          .state = states[of.state]};
    if (change.out == UINT32_MAX - 1 || change.in == UINT32_MAX - 1)
        return TD_E_NOMEM;
    if (!td_fxt_time(reader.tables, of.ticks, &change.time_ns))
        return lose(fuchsia, TD_LOSS_TIME);
    if (of.type != TD_FXT_WAKEUP)
        return td_timeline_switch(fuchsia->timeline, &change);
    return of.in ? td_timeline_wakeup(fuchsia->timeline, change.time_ns, change.cpu, change.in) : TD_E_FORMAT;
}

static int take_record(struct td_fuchsia *fuchsia, size_t words)
{
    const uint64_t header = fuchsia->record[0];
    struct td_fxt_reader reader = {fuchsia->record, words, 1, fuchsia->providers[fuchsia->provider],
                                   fuchsia->dict};
    switch (td_fxt_bits(header, 0, 4)) {
    case TD_FXT_METADATA:
        return take_metadata(fuchsia, reader, header);
    case TD_FXT_INITIALIZATION:
        return td_fxt_word(&reader, &reader.tables->ticks_a_second) ? 0 : TD_E_FORMAT;
    case TD_FXT_STRING:
        return take_string(reader, header);
    case TD_FXT_THREAD:
        return take_thread(reader, header);
    case TD_FXT_EVENT:
        return take_event(fuchsia, reader, header);
    case TD_FXT_BLOB:
        return lose(fuchsia, TD_LOSS_BLOB);
    case TD_FXT_USER_OBJECT:
    case TD_FXT_KERNEL_OBJECT:
        return take_object(fuchsia, reader, header, td_fxt_bits(header, 0, 4) == TD_FXT_KERNEL_OBJECT);
    case TD_FXT_SCHEDULING:
        return take_scheduling(fuchsia, reader, header);
    case TD_FXT_LOG:
        return take_log(fuchsia, reader, header);
    default:
        return lose(fuchsia, TD_LOSS_RECORD);
    }
}

/* ---- the stream */

/* The bytes of the record, of which the header is there. 0: it has no length, so what follows cannot be read. */
static uint64_t record_bytes(const struct td_fuchsia *fuchsia)
{
    const uint64_t header = le64toh(fuchsia->record[0]);
    return 8 * (td_fxt_bits(header, 0, 4) == TD_FXT_LARGE ? td_fxt_bits(header, 4, 32)
                                                          : td_fxt_bits(header, 4, 12));
}

static int end_header(struct td_fuchsia *fuchsia, uint64_t bytes)
{
    if (!bytes) {
        fuchsia->ended = fuchsia->is_cut = true;
        return lose(fuchsia, TD_LOSS_DAMAGED);
    }
    if (td_fxt_bits(le64toh(fuchsia->record[0]), 0, 4) != TD_FXT_LARGE)
        return 0;
    fuchsia->skip = bytes - 8;
    fuchsia->bytes = 0;
    return lose(fuchsia, TD_LOSS_BLOB);
}

static int end_record(struct td_fuchsia *fuchsia, struct td_err *err)
{
    const size_t words = fuchsia->bytes / 8;
    fuchsia->bytes = 0;
    for (size_t i = 0; i < words; i++)
        fuchsia->record[i] = le64toh(fuchsia->record[i]);
    const int bad = take_record(fuchsia, words);
    if (bad == TD_E_FORMAT)
        return lose(fuchsia, TD_LOSS_DAMAGED);
    return bad ? td_fail_no_memory(err, purpose) : 0;
}

static int feed_fuchsia(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct td_fuchsia *fuchsia = self;
    int bad = 0;
    for (size_t at = 0, part; at < count && !bad && !fuchsia->ended; at += part) {
        part = count - at;
        if (fuchsia->skip) {
            part = part < fuchsia->skip ? part : (size_t)fuchsia->skip;
            fuchsia->skip -= part;
            continue;
        }
        const uint64_t wanted = fuchsia->bytes < 8 ? 8 : record_bytes(fuchsia);
        part = part < wanted - fuchsia->bytes ? part : (size_t)(wanted - fuchsia->bytes);
        memcpy((uint8_t *)fuchsia->record + fuchsia->bytes, bytes + at, part);
        fuchsia->bytes += part;
        if (fuchsia->bytes == 8 && wanted == 8)
            bad = end_header(fuchsia, record_bytes(fuchsia));
        if (!bad && !fuchsia->ended && fuchsia->bytes >= 8 && fuchsia->bytes == record_bytes(fuchsia))
            bad = end_record(fuchsia, err);
    }
    return bad;
}

/* ---- the interface */

static void destroy_fuchsia(void *self)
{
    struct td_fuchsia *fuchsia = self;
    if (!fuchsia)
        return;
    for (size_t i = 0; i < fuchsia->provider_count; i++) {
        if (fuchsia->providers[i])
            td_fxt_tables_free(fuchsia->providers[i]);
        free(fuchsia->providers[i]);
    }
    td_timeline_destroy(fuchsia->timeline);
    td_late_threads_free(&fuchsia->threads);
    td_text_free(&fuchsia->text);
    free(fuchsia);
}

static void *create_fuchsia(struct td_hub *hub)
{
    struct td_fuchsia *fuchsia = calloc(1, sizeof *fuchsia);
    if (!fuchsia)
        return NULL;
    fuchsia->dict = td_hub_dict(hub);
    fuchsia->timeline = td_timeline_create(hub);
    fuchsia->providers[0] = calloc(1, sizeof *fuchsia->providers[0]);
    fuchsia->provider_count = 1;
    if (fuchsia->timeline && fuchsia->providers[0])
        return fuchsia;
    destroy_fuchsia(fuchsia);
    return NULL;
}

static bool begins_fuchsia(const uint8_t *bytes, size_t count)
{
    uint64_t first = 0;
    if (count >= sizeof first)
        memcpy(&first, bytes, sizeof first);
    return le64toh(first) == TD_FXT_MAGIC;
}

/* *cut: the trace breaks off inside a record, or at a record without a length. */
static int end_fuchsia_file(void *self, bool *cut, struct td_err *err)
{
    struct td_fuchsia *fuchsia = self;
    int64_t zero_ns;
    *cut = fuchsia->is_cut || fuchsia->bytes || fuchsia->skip;
    return td_late_threads_settle(&fuchsia->threads, fuchsia->timeline) != 0
               ? td_fail_no_memory(err, purpose)
               : td_timeline_finish(fuchsia->timeline, &zero_ns, err);
}

static const struct td_timeline_counts *counts_of_fuchsia(const void *self)
{
    return td_timeline_get_counts(((const struct td_fuchsia *)self)->timeline);
}

const struct td_importer td_import_fuchsia = {
    .name = "a Fuchsia trace",
    .about = "It is a file .fxt. What a Chrome trace has is imported in the same way.",
    .begins = begins_fuchsia,
    .create = create_fuchsia,
    .destroy = destroy_fuchsia,
    .feed = feed_fuchsia,
    .end_file = end_fuchsia_file,
    .counts = counts_of_fuchsia,
};
