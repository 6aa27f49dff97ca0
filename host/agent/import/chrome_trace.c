/* Imports a trace in Chrome's format (JSON): zones from B, E, X and from the operations of b, e, n and S, T, p, F;
 * messages from i, I, R; frames from those of them whose name contains "frame"; flows from s, t, f; plots from C; names
 * of processes and threads and facts from M.
 *
 * Events may be in any order, so they are kept in a small form until close. Events that are damaged are left out and
 * counted. */
#include "host/agent/import/chrome_event.h"
#include "host/agent/import/importer.h"
#include "host/agent/import/json_events.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct td_chrome {
    struct td_hub *hub;
    struct td_dict *dict;
    struct td_timeline *timeline;
    struct td_json_events events;
    struct td_text text, key, more; /* of the event that is read */
    int64_t zero_us;                /* whole microseconds of the first time */
    bool has_zero;
};

static const char purpose[] = "for the events of a Chrome trace"; /* of td_fail_no_memory() */

static int lose(struct td_chrome *chrome, enum td_timeline_loss loss)
{
    td_timeline_get_counts(chrome->timeline)->lost[loss]++;
    return 0;
}

/* ---- members */

static struct td_timeline_id id_of_text(const struct td_text *text)
{
    return (struct td_timeline_id){text->bytes ? text->at : "", text->bytes};
}

/* The string of the dictionary; 0: there is none; UINT32_MAX: no memory. */
static uint32_t string_of(struct td_chrome *chrome, const struct td_tt_json_member *member)
{
    if (!member->kind)
        return 0;
    chrome->text.bytes = 0;
    if (td_text_add_value(&chrome->text, member) != 0)
        return UINT32_MAX;
    return td_dict_string(chrome->dict, id_of_text(&chrome->text).at, chrome->text.bytes);
}

static uint32_t process_of(struct td_chrome *chrome, const struct td_chrome_event *event)
{
    chrome->text.bytes = 0;
    if (td_chrome_add_id(&chrome->text, &event->pid) != 0)
        return UINT32_MAX;
    return td_timeline_process(chrome->timeline, id_of_text(&chrome->text));
}

static uint32_t thread_of(struct td_chrome *chrome, const struct td_chrome_event *event)
{
    const uint32_t process = process_of(chrome, event);
    chrome->text.bytes = 0;
    if (process == UINT32_MAX || td_chrome_add_id(&chrome->text, &event->tid) != 0)
        return UINT32_MAX;
    return td_timeline_thread(chrome->timeline, process, id_of_text(&chrome->text));
}

static uint32_t operation_of(struct td_chrome *chrome, const struct td_chrome_event *event, char phase)
{
    const uint32_t process = process_of(chrome, event);
    chrome->text.bytes = chrome->key.bytes = 0;
    if (process == UINT32_MAX || td_chrome_add_operation(&chrome->key, event, phase) != 0 ||
        (event->cat.kind && td_text_add_value(&chrome->text, &event->cat) != 0))
        return UINT32_MAX;
    return td_timeline_operation(chrome->timeline, process, id_of_text(&chrome->text),
                                 id_of_text(&chrome->key));
}

/* Nanoseconds since the first time of the file; false: none, or out of range. */
static bool time_of(struct td_chrome *chrome, struct td_json_number time, int64_t *ns)
{
    if (!chrome->has_zero) {
        chrome->has_zero = true;
        chrome->zero_us = time.whole;
    }
    return td_json_number_ns(time, chrome->zero_us, ns);
}

/* The source location: the event's name, and "file:line" from its member "loc". UINT32_MAX: no memory. */
static uint32_t srcloc_of(struct td_chrome *chrome, const struct td_chrome_event *event)
{
    struct td_srcloc srcloc = {.function = string_of(chrome, &event->name)};
    if (event->loc.kind == '"') {
        chrome->text.bytes = 0;
        if (td_text_add_json(&chrome->text, event->loc.value) != 0)
            return UINT32_MAX;
        srcloc.file = td_timeline_place_file(chrome->dict, id_of_text(&chrome->text), &srcloc.line);
    }
    if (srcloc.function == UINT32_MAX || srcloc.file == UINT32_MAX)
        return UINT32_MAX;
    return td_dict_srcloc(chrome->dict, &srcloc);
}

/* Adds the arguments, a line for each; of another value than an object this value. 0 or TD_E_NOMEM. */
static int add_arguments(struct td_text *text, const struct td_chrome_event *event)
{
    if (!event->args.kind || (event->args.kind == '0' && td_tt_text_is(event->args.value, "null")))
        return 0;
    return event->args.kind == '{' ? td_text_add_members(text, event->args.value)
                                   : td_text_add_value(text, &event->args);
}

/* Counts arguments of an event that becomes something without a text. */
static void lose_arguments(struct td_chrome *chrome, const struct td_chrome_event *event)
{
    struct td_tt_json_member member;
    size_t at = 0;
    if (event->args.kind == '{' && td_tt_json_next(event->args.value, &at, &member) > 0)
        lose(chrome, TD_LOSS_ARGUMENT);
}

/* The arguments as text. 0: none; UINT32_MAX: no memory. */
static uint32_t arguments_of(struct td_chrome *chrome, const struct td_chrome_event *event)
{
    chrome->text.bytes = 0;
    if (add_arguments(&chrome->text, event) != 0)
        return UINT32_MAX;
    return chrome->text.bytes ? td_dict_string(chrome->dict, chrome->text.at, chrome->text.bytes) : 0;
}

/* ---- zones, messages, flows */

/* A zone of flow events' second version says itself which flows it is part of. */
static int take_bind_id(struct td_chrome *chrome, const struct td_chrome_event *event,
                        struct td_timeline_place at)
{
    const bool in = td_chrome_is_true(&event->flow_in), out = td_chrome_is_true(&event->flow_out);
    if (!event->bind_id.kind || (!in && !out))
        return 0;
    chrome->text.bytes = 0;
    if (td_chrome_add_id(&chrome->text, &event->bind_id) != 0)
        return TD_E_NOMEM;
    const struct td_timeline_flow_id flow = {.name = {"bind", 4}, .id = id_of_text(&chrome->text)};
    return td_timeline_own_flow(chrome->timeline, at,
                                in && out ? TD_TIMELINE_FLOW_STEP
                                : in      ? TD_TIMELINE_FLOW_IN
                                          : TD_TIMELINE_FLOW_OUT,
                                &flow);
}

static int take_complete(struct td_chrome *chrome, const struct td_chrome_event *event,
                         struct td_timeline_place at, struct td_json_number time)
{
    struct td_json_number length;
    int64_t end_ns = TD_TIMELINE_OPEN;
    if (event->dur.kind && (!td_chrome_number(&event->dur, &length) || length.whole < 0))
        return lose(chrome, TD_LOSS_LENGTH);
    if (event->dur.kind && !td_json_number_ns(td_json_number_add(time, length), chrome->zero_us, &end_ns))
        return lose(chrome, TD_LOSS_TIME);
    const uint32_t srcloc = srcloc_of(chrome, event), text = arguments_of(chrome, event);
    if (srcloc == UINT32_MAX || text == UINT32_MAX)
        return TD_E_NOMEM;
    const int bad = td_timeline_zone(chrome->timeline, at, end_ns, srcloc, text);
    return bad ? bad : take_bind_id(chrome, event, at);
}

static int take_begin(struct td_chrome *chrome, const struct td_chrome_event *event,
                      struct td_timeline_place at)
{
    const uint32_t srcloc = srcloc_of(chrome, event), text = arguments_of(chrome, event);
    const uint32_t name = string_of(chrome, &event->name);
    if (srcloc == UINT32_MAX || text == UINT32_MAX || name == UINT32_MAX)
        return TD_E_NOMEM;
    const int bad = td_timeline_begin(chrome->timeline, at, srcloc, name, text);
    return bad ? bad : take_bind_id(chrome, event, at);
}

static int take_end(struct td_chrome *chrome, const struct td_chrome_event *event,
                    struct td_timeline_place at)
{
    const uint32_t text = arguments_of(chrome, event), name = string_of(chrome, &event->name);
    if (text == UINT32_MAX || name == UINT32_MAX)
        return TD_E_NOMEM;
    return td_timeline_end(chrome->timeline, at, name, text);
}

/* A message: what `chrome->text` has, and the arguments. */
static int add_message(struct td_chrome *chrome, const struct td_chrome_event *event,
                       struct td_timeline_place at)
{
    struct td_text *text = &chrome->text;
    const size_t bytes = text->bytes;
    int bad = td_text_add(text, "\n", 1);
    bad = bad ? bad : add_arguments(text, event);
    if (bad)
        return TD_E_NOMEM;
    if (text->bytes == bytes + 1 || text->at[text->bytes - 1] == '\n')
        text->bytes--;
    const uint32_t string = td_dict_string(chrome->dict, text->at, text->bytes);
    return string == UINT32_MAX ? TD_E_NOMEM : td_timeline_message(chrome->timeline, at, string);
}

static int take_instant(struct td_chrome *chrome, const struct td_chrome_event *event,
                        struct td_timeline_place at)
{
    const uint32_t name = string_of(chrome, &event->name);
    if (name == UINT32_MAX)
        return TD_E_NOMEM;
    /* "frame" in upper or lower case, as Tracy's importer looks for it. */
    if (at.async || !strcasestr(td_dict_text(chrome->dict, name), "frame")) {
        chrome->text.bytes = event->name.kind ? chrome->text.bytes : 0;
        return add_message(chrome, event, at);
    }
    lose_arguments(chrome, event);
    return td_timeline_frame(chrome->timeline, at.time_ns, name);
}

/* "NAME: STEP" of an operation. */
static int take_step(struct td_chrome *chrome, const struct td_chrome_event *event,
                     struct td_timeline_place at)
{
    struct td_tt_json_member step, first;
    struct td_chrome_event rest = *event;
    size_t next = 0;
    chrome->text.bytes = 0;
    int bad = event->name.kind ? td_text_add_value(&chrome->text, &event->name) : 0;
    if (!bad && td_chrome_member(&event->args, "step", &step)) {
        bad = td_text_add(&chrome->text, ": ", 2);
        bad = bad ? bad : td_text_add_value(&chrome->text, &step);
        /* It is not repeated where it is the only one. */
        if (td_tt_json_next(event->args.value, &next, &first) > 0 &&
            td_tt_json_next(event->args.value, &next, &first) <= 0)
            rest.args.kind = 0;
    }
    return bad ? bad : add_message(chrome, &rest, at);
}

/* Adds what flows of one name and id differ in: category, scope, process of a local id. */
static int add_flow_more(struct td_text *text, const struct td_chrome_event *event, bool local)
{
    int bad = event->cat.kind ? td_text_add_value(text, &event->cat) : 0;
    if (!bad && event->scope.kind) {
        bad = td_text_add(text, ", ", text->bytes ? 2 : 0);
        bad = bad ? bad : td_text_add_value(text, &event->scope);
    }
    if (bad || !local)
        return bad;
    const char *pid = text->bytes ? ", PID " : "PID ";
    bad = td_text_add(text, pid, strlen(pid));
    return bad ? bad : td_chrome_add_id(text, &event->pid);
}

static int take_flow(struct td_chrome *chrome, const struct td_chrome_event *event,
                     struct td_timeline_place at, char phase)
{
    const bool around = event->bp.kind == '"' && td_tt_text_is(event->bp.value, "e");
    const struct td_tt_json_member *name = event->name.kind ? &event->name : &event->cat;
    struct td_tt_json_member id;
    const bool local = td_chrome_find_id(event, &id);
    if (!id.kind)
        return lose(chrome, TD_LOSS_FLOW_ID);
    chrome->text.bytes = chrome->key.bytes = chrome->more.bytes = 0;
    int bad = name->kind ? td_text_add_value(&chrome->key, name) : td_text_add(&chrome->key, "flow", 4);
    bad = bad ? bad : td_chrome_add_id(&chrome->text, &id);
    bad = bad ? bad : add_flow_more(&chrome->more, event, local);
    lose_arguments(chrome, event);
    const struct td_timeline_flow_id flow = {id_of_text(&chrome->key), id_of_text(&chrome->text),
                                             id_of_text(&chrome->more)};
    return bad ? bad
               : td_timeline_flow(chrome->timeline, at,
                                  phase == 's'   ? TD_TIMELINE_FLOW_OUT
                                  : phase == 't' ? TD_TIMELINE_FLOW_STEP
                                  : around       ? TD_TIMELINE_FLOW_IN
                                                 : TD_TIMELINE_FLOW_NEXT,
                                  &flow);
}

/* ---- counters */

static bool number_of(const struct td_tt_json_member *member, double *number)
{
    return (member->kind == '0' || member->kind == '"') && td_tt_text_double(member->value, number) &&
           isfinite(*number);
}

/* "NAME" or "NAME[ID]", as Chrome shows them. */
static int add_counter_name(struct td_chrome *chrome, const struct td_chrome_event *event)
{
    struct td_text *key = &chrome->key;
    struct td_tt_json_member id;
    key->bytes = 0;
    td_chrome_find_id(event, &id); /* plots of several processes are kept apart without it */
    int bad = event->name.kind ? td_text_add_value(key, &event->name) : 0;
    if (bad || !id.kind)
        return bad;
    bad = td_text_add(key, "[", 1);
    bad = bad ? bad : td_chrome_add_id(key, &id);
    return bad ? bad : td_text_add(key, "]", 1);
}

static int take_counter(struct td_chrome *chrome, const struct td_chrome_event *event, int64_t time_ns)
{
    struct td_tt_json_member member;
    const uint32_t process = process_of(chrome, event);
    size_t at = 0, members = 0;
    int bad = process == UINT32_MAX ? TD_E_NOMEM : add_counter_name(chrome, event);
    while (!bad && event->args.kind == '{' && td_tt_json_next(event->args.value, &at, &member) > 0) {
        double value;
        members++;
        if (!number_of(&member, &value)) {
            lose(chrome, TD_LOSS_VALUE);
            continue;
        }
        chrome->text.bytes = 0;
        bad = td_text_add_json(&chrome->text, member.key);
        bad = bad ? bad
                  : td_timeline_point(chrome->timeline, process, time_ns, id_of_text(&chrome->key),
                                      id_of_text(&chrome->text), value);
    }
    return bad || members ? bad : lose(chrome, TD_LOSS_VALUE);
}

/* ---- facts */

/* Adds the fact "NAME: VALUE", from `key`. */
static int add_fact(struct td_chrome *chrome, const struct td_tt_json_member *value)
{
    int bad = td_text_add(&chrome->key, ": ", 2);
    bad = bad ? bad : td_text_add_value(&chrome->key, value);
    return bad ? bad : td_timeline_fact(chrome->timeline, id_of_text(&chrome->key));
}

/* "NAME (PID 1): ARGS". */
static int take_other_fact(struct td_chrome *chrome, const struct td_chrome_event *event)
{
    struct td_tt_json_member labels, value = event->args;
    if (td_tt_text_is(event->name.value, "process_labels") &&
        td_chrome_member(&event->args, "labels", &labels))
        value = labels;
    chrome->key.bytes = 0;
    int bad = td_text_add_value(&chrome->key, &event->name);
    bad = bad ? bad : td_text_add(&chrome->key, " (PID ", 6);
    bad = bad ? bad : td_chrome_add_id(&chrome->key, &event->pid);
    bad = bad ? bad : td_text_add(&chrome->key, ")", 1);
    return bad ? bad : add_fact(chrome, &value);
}

static int take_name(struct td_chrome *chrome, const struct td_chrome_event *event, bool of_thread)
{
    struct td_tt_json_member name;
    if (!td_chrome_member(&event->args, "name", &name) || name.kind != '"')
        return lose(chrome, TD_LOSS_FACT);
    const uint32_t number = of_thread ? thread_of(chrome, event) : process_of(chrome, event);
    const uint32_t string = string_of(chrome, &name);
    if (number == UINT32_MAX || string == UINT32_MAX)
        return TD_E_NOMEM;
    (of_thread ? td_timeline_name_thread : td_timeline_name_process)(chrome->timeline, number, string);
    return 0;
}

static int take_sort_index(struct td_chrome *chrome, const struct td_chrome_event *event, bool of_thread)
{
    struct td_tt_json_member index;
    struct td_json_number number;
    if (!td_chrome_member(&event->args, "sort_index", &index) || !td_chrome_number(&index, &number))
        return lose(chrome, TD_LOSS_FACT);
    const uint32_t of = of_thread ? thread_of(chrome, event) : process_of(chrome, event);
    if (of == UINT32_MAX)
        return TD_E_NOMEM;
    (of_thread ? td_timeline_sort_thread : td_timeline_sort_process)(chrome->timeline, of, number.whole);
    return 0;
}

static int take_fact(struct td_chrome *chrome, const struct td_chrome_event *event)
{
    if (event->name.kind != '"' || event->args.kind != '{')
        return lose(chrome, TD_LOSS_FACT);
    const bool thread = td_tt_text_begins(event->name.value, "thread_");
    if (td_tt_text_is(event->name.value, "thread_name") || td_tt_text_is(event->name.value, "process_name"))
        return take_name(chrome, event, thread);
    if (td_tt_text_is(event->name.value, "thread_sort_index") ||
        td_tt_text_is(event->name.value, "process_sort_index"))
        return take_sort_index(chrome, event, thread);
    return take_other_fact(chrome, event);
}

/* Whether the text is one value. */
static bool is_json(const char *text, size_t bytes)
{
    struct td_json_check check = {0};
    td_json_check_byte(&check, '[');
    for (size_t i = 0; i < bytes; i++)
        if (td_json_check_byte(&check, text[i]) != TD_JSON_MORE)
            return false;
    return td_json_check_byte(&check, ']') == TD_JSON_DONE;
}

/* A member of the object around the list of events: a fact, or one for each of its members. */
static int take_member(void *self, const char *key, const char *value, size_t bytes, struct td_err *err)
{
    struct td_chrome *chrome = self;
    struct td_tt_json_member member = {.value =
                                           td_tt_text_trim((struct td_tt_text){value ? value : "", bytes})};
    if (!member.value.bytes || !is_json(value, bytes))
        return lose(chrome, TD_LOSS_FACT);
    member.kind = strchr("\"{[", *member.value.at) ? *member.value.at : '0';
    if (member.kind == '"')
        member.value = (struct td_tt_text){member.value.at + 1, member.value.bytes - 2};
    struct td_tt_json_member each;
    size_t at = 0;
    int bad = 0;
    if (member.kind != '{') {
        chrome->key.bytes = 0;
        bad = td_text_add(&chrome->key, key, strlen(key));
        bad = bad ? bad : add_fact(chrome, &member);
        return bad ? td_fail_no_memory(err, purpose) : 0;
    }
    while (!bad && td_tt_json_next(member.value, &at, &each) > 0) {
        chrome->key.bytes = 0;
        bad = td_text_add(&chrome->key, key, strlen(key));
        bad = bad ? bad : td_text_add(&chrome->key, ".", 1);
        bad = bad ? bad : td_text_add_json(&chrome->key, each.key);
        bad = bad ? bad : add_fact(chrome, &each);
    }
    return bad ? td_fail_no_memory(err, purpose) : 0;
}

/* ---- events */

/* The kind of what is left out because of its phase. */
static enum td_timeline_loss loss_of_phase(char phase)
{
    return !phase                  ? TD_LOSS_PHASE
           : strchr("NOD", phase)  ? TD_LOSS_OBJECT
           : strchr("vV", phase)   ? TD_LOSS_MEMORY
           : phase == 'P'          ? TD_LOSS_SAMPLE
           : strchr("()c=", phase) ? TD_LOSS_MARK
                                   : TD_LOSS_PHASE;
}

static int take_at(struct td_chrome *chrome, const struct td_chrome_event *event, char phase,
                   struct td_json_number time)
{
    struct td_timeline_place at = {.async = strchr("benSTpF", phase) != NULL};
    if (!time_of(chrome, time, &at.time_ns))
        return lose(chrome, TD_LOSS_TIME);
    if (phase == 'C')
        return take_counter(chrome, event, at.time_ns);
    at.owner = at.async ? operation_of(chrome, event, phase) : thread_of(chrome, event);
    if (at.owner == UINT32_MAX)
        return TD_E_NOMEM;
    switch (phase) {
    case 'X':
        return take_complete(chrome, event, at, time);
    case 'B':
    case 'b':
    case 'S':
        return take_begin(chrome, event, at);
    case 'E':
    case 'e':
    case 'F':
        return take_end(chrome, event, at);
    case 's':
    case 't':
    case 'f':
        return take_flow(chrome, event, at, phase);
    case 'T':
    case 'p':
        return take_step(chrome, event, at);
    default:
        return take_instant(chrome, event, at);
    }
}

static int take_event(void *self, const char *text, size_t bytes, struct td_err *err)
{
    struct td_chrome *chrome = self;
    struct td_chrome_event event;
    struct td_json_number time;
    td_chrome_event_read((struct td_tt_text){text, bytes}, &event);
    const char phase = event.ph.kind == '"' && event.ph.value.bytes == 1 ? *event.ph.value.at : 0;
    int bad;
    if (phase == 'M')
        bad = take_fact(chrome, &event);
    else if (!phase || !strchr("BEXbeniIRCSTpFstf", phase))
        bad = lose(chrome, loss_of_phase(phase));
    else if (!td_chrome_number(&event.ts, &time))
        bad = lose(chrome, TD_LOSS_TIME);
    else
        bad = take_at(chrome, &event, phase, time);
    return bad ? td_fail_no_memory(err, purpose) : 0;
}

/* ---- the interface */

static void *create_chrome(struct td_hub *hub)
{
    struct td_chrome *chrome = calloc(1, sizeof *chrome);
    if (!chrome)
        return NULL;
    chrome->hub = hub;
    chrome->dict = td_hub_dict(hub);
    chrome->timeline = td_timeline_create(hub);
    chrome->events = (struct td_json_events){.event = take_event, .member = take_member, .self = chrome};
    if (chrome->timeline)
        return chrome;
    free(chrome);
    return NULL;
}

static void destroy_chrome(void *self)
{
    struct td_chrome *chrome = self;
    if (!chrome)
        return;
    td_json_events_free(&chrome->events);
    td_timeline_destroy(chrome->timeline);
    td_text_free(&chrome->text);
    td_text_free(&chrome->key);
    td_text_free(&chrome->more);
    free(chrome);
}

static bool begins_chrome(const uint8_t *bytes, size_t count)
{
    return count && (strchr("{[ \t\r\n", bytes[0]) || bytes[0] == 0xef) && bytes[0];
}

static int feed_chrome(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    struct td_chrome *chrome = self;
    return td_json_events_feed(&chrome->events, (const char *)bytes, count, err);
}

static int fail_all_lost(const struct td_json_events *events, struct td_err *err)
{
    if (events->deep)
        return td_fail(err, TD_E_FORMAT,
                       "event %" PRIu64
                       " of the Chrome trace has more than %d lists in each other, and no other "
                       "event can be read",
                       events->first_lost, TD_JSON_DEPTH_MAX);
    if (events->damaged)
        return td_fail(err, TD_E_FORMAT,
                       "event %" PRIu64 " of the Chrome trace is damaged, and no other event can be read",
                       events->first_lost);
    return td_fail(err, TD_E_FORMAT, "this is not a Chrome trace: no item of the list is an event");
}

/* A fact: which time became 0. */
static int push_zero(const struct td_chrome *chrome, int64_t zero_ns, struct td_err *err)
{
    char text[80];
    const int64_t us = zero_ns / 1000 - (zero_ns % 1000 < 0), ns = zero_ns - us * 1000;
    const int bytes =
        snprintf(text, sizeof text, "time 0 is ts %" PRId64 ".%03d us", chrome->zero_us + us, (int)ns);
    const struct td_event event = {.kind = TD_EVENT_APP_INFO,
                                   .subject = td_dict_string(chrome->dict, text, (size_t)bytes)};
    return event.subject == UINT32_MAX ? td_fail_no_memory(err, purpose)
                                       : td_hub_push(chrome->hub, &event, 1, err);
}

/* Pushes all events to the hub. TD_E_FORMAT: also if there are events and all are damaged. */
static int end_chrome_file(void *self, bool *cut, struct td_err *err)
{
    struct td_chrome *chrome = self;
    const struct td_json_events *events = &chrome->events;
    uint64_t *lost = td_timeline_get_counts(chrome->timeline)->lost;
    int64_t zero_ns;
    int bad = td_json_events_end_stream(&chrome->events, cut, err);
    if (!bad && !events->whole && (events->damaged || events->deep || events->other))
        return fail_all_lost(events, err);
    lost[TD_LOSS_DAMAGED] = events->damaged;
    lost[TD_LOSS_DEEP] = events->deep;
    lost[TD_LOSS_OTHER] = events->other;
    bad = bad ? bad : td_timeline_finish(chrome->timeline, &zero_ns, err);
    return bad || !chrome->has_zero ? bad : push_zero(chrome, zero_ns, err);
}

static const struct td_timeline_counts *counts_of_chrome(const void *self)
{
    return td_timeline_get_counts(((const struct td_chrome *)self)->timeline);
}

const struct td_importer td_import_chrome = {
    .name = "a Chrome trace",
    .about =
        "It is JSON, with zones, asynchronous operations, messages, counters, frames and flows. Zones that "
        "overlap get tracks of their own. What is damaged or not understood is left out; one line says how "
        "much of each kind.",
    .begins = begins_chrome,
    .create = create_chrome,
    .destroy = destroy_chrome,
    .feed = feed_chrome,
    .end_file = end_chrome_file,
    .counts = counts_of_chrome,
};
