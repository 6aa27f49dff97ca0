#include "host/agent/client/client_names.h"
#include "host/agent/client/client_stream.h"
#include "host/base/clock.h"
#include "host/base/err.h"
#include "host/base/grow.h"
#include "host/wire/items.h"
#include "host/wire/names_ahead.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void td_names_init(struct td_names *names, struct td_dict *dict, uint32_t space)
{
    *names = (struct td_names){.dict = dict, .space = space ? space : 1};
}

void td_names_free(struct td_names *names)
{
    for (int kind = 0; kind < TD_NAME_KINDS; kind++) {
        td_map_finish(&names->kinds[kind].map);
        free(names->kinds[kind].all);
    }
    free(names->to_ask[0].all);
    free(names->to_ask[1].all);
    free(names->srclocs_asked.all);
    free(names->transfer.name);
}

static const uint8_t query_of[TD_NAME_KINDS] = {
    [TD_NAME_TEXT] = TD_QUERY_String,           [TD_NAME_SRCLOC] = TD_QUERY_SourceLocation,
    [TD_NAME_PLOT] = TD_QUERY_PlotName,         [TD_NAME_FRAME] = TD_QUERY_FrameName,
    [TD_NAME_THREAD] = TD_QUERY_ThreadString,   [TD_NAME_FIBER] = TD_QUERY_FiberName,
    [TD_NAME_EXTERNAL] = TD_QUERY_ExternalName, [TD_NAME_ADDRESS] = TD_QUERY_CallstackFrame,
    [TD_NAME_SYMBOL] = TD_QUERY_Symbol,         [TD_NAME_CODE] = TD_QUERY_SymbolCode,
    [TD_NAME_SOURCE] = TD_QUERY_SourceCode,
};

static int add_question(struct td_names *names, int later, const struct td_question *question)
{
    if (td_grow(&names->to_ask[later].all, &names->to_ask[later].capacity, names->to_ask[later].count + 1,
                sizeof *question))
        return TD_E_NOMEM;
    names->to_ask[later].all[names->to_ask[later].count++] = *question;
    return 0;
}

static int ask_name(struct td_names *names, enum td_name_kind kind, uint32_t index, uint32_t extra)
{
    struct td_question question = {
        .query = {query_of[kind], names->kinds[kind].all[index].key, extra}, .kind = kind, .index = index};
    if (kind == TD_NAME_SRCLOC && td_grow(&names->srclocs_asked.all, &names->srclocs_asked.capacity,
                                          names->srclocs_asked.count + 1, sizeof question))
        return TD_E_NOMEM;
    if (add_question(names, kind >= TD_NAME_ADDRESS, &question) != 0)
        return TD_E_NOMEM;
    if (kind == TD_NAME_SRCLOC)
        names->srclocs_asked.all[names->srclocs_asked.count++] = question;
    names->asked_waiting++;
    return 0;
}

/* Gives a thread or fiber a preliminary name. */
static int begin_thread(struct td_names *names, struct td_name *name, enum td_name_kind kind, uint32_t index)
{
    char text[32];
    int fiber = kind == TD_NAME_FIBER;
    int n = snprintf(text, sizeof text, "%s%llu", fiber ? "fiber " : "",
                     fiber ? (unsigned long long)index : (unsigned long long)name->key);
    name->u.thread.fiber = TD_NO_NUMBER;
    name->u.thread.track = (struct td_track){
        .thread = fiber ? td_client_space_fiber(names->trace_space, index)
                        : td_client_space_thread(names->trace_space, name->key),
        .fiber = (uint8_t)fiber,
        .name = td_dict_string(names->dict, text, (size_t)n),
    };
    return name->u.thread.track.name == UINT32_MAX ? TD_E_NOMEM : 0;
}

uint32_t td_names_track(struct td_names *names, enum td_name_kind kind, uint32_t index)
{
    struct td_name *name = td_names_at(names, kind, index);
    if (name->number == TD_NO_NUMBER)
        name->number = td_client_space_track(names->trace_space, names->dict, &name->u.thread.track);
    return name->number;
}

/* Adds a thing without asking for its name. TD_NO_NUMBER: no memory. */
static uint32_t add_name(struct td_names *names, enum td_name_kind kind, uint64_t key)
{
    size_t count = names->kinds[kind].count;
    if (count >= TD_NO_NUMBER - 1 || td_grow(&names->kinds[kind].all, &names->kinds[kind].capacity, count + 1,
                                             sizeof *names->kinds[kind].all))
        return TD_NO_NUMBER;
    struct td_name *name = &names->kinds[kind].all[count];
    memset(name, 0, sizeof *name);
    name->key = key;
    name->number = TD_NO_NUMBER;
    if (kind == TD_NAME_PLOT)
        name->u.plot.fill = 1;
    uint32_t index = (uint32_t)count;
    if ((kind == TD_NAME_THREAD || kind == TD_NAME_FIBER) && begin_thread(names, name, kind, index) != 0)
        return TD_NO_NUMBER;
    if (td_map_add(&names->kinds[kind].map, key, index) < 0)
        return TD_NO_NUMBER;
    names->kinds[kind].count++;
    return index;
}

uint32_t td_names_see(struct td_names *names, enum td_name_kind kind, uint64_t key)
{
    uint32_t index = td_map_get(&names->kinds[kind].map, key, TD_NO_NUMBER);
    if (index != TD_NO_NUMBER) {
        if (kind == TD_NAME_THREAD)
            names->kinds[kind].all[index].u.thread.is_only_named = false;
        return index;
    }
    index = add_name(names, kind, key);
    if (index != TD_NO_NUMBER && ask_name(names, kind, index, 0) != 0)
        return TD_NO_NUMBER;
    return index;
}

#define TRANSFER_MAX 65536u
#define PART_BYTES   12u

static int begin_transfer(struct td_names *names, uint64_t bytes)
{
    free(names->transfer.name);
    names->transfer.name = bytes && bytes <= TRANSFER_MAX ? calloc(1, bytes + 1) : NULL;
    names->transfer.bytes = names->transfer.name ? (uint32_t)bytes : 0;
    names->transfer.have = 0;
    return bytes && bytes <= TRANSFER_MAX && !names->transfer.name ? TD_E_NOMEM : 0;
}

static void continue_transfer(struct td_names *names, const struct td_wire_query *query)
{
    uint8_t part[PART_BYTES];
    uint32_t left = names->transfer.bytes - names->transfer.have;
    uint32_t count = left < PART_BYTES ? left : PART_BYTES;
    memcpy(part, &query->ptr, 8);
    memcpy(part + 8, &query->extra, 4);
    if (count)
        memcpy(names->transfer.name + names->transfer.have, part, count);
    names->transfer.have += count;
}

/* The file's name was transferred before; the answer has the query's number. */
static int see_source_query(struct td_names *names, uint32_t number)
{
    uint32_t index;
    if (!names->transfer.name || names->transfer.have != names->transfer.bytes)
        return 0;
    uint32_t file = td_dict_cstring(names->dict, names->transfer.name);
    if (file == UINT32_MAX || td_names_want(names, TD_NAME_SOURCE, number, 0, &index) < 0)
        return TD_E_NOMEM;
    if (!td_names_at(names, TD_NAME_SOURCE, index)->answered)
        td_names_at(names, TD_NAME_SOURCE, index)->u.source = file;
    return begin_transfer(names, 0);
}

int td_names_see_query(struct td_names *names, const struct td_wire_query *query)
{
    switch (query->query) {
    case TD_QUERY_DataTransfer:
        return begin_transfer(names, query->ptr);
    case TD_QUERY_DataTransferPart:
        continue_transfer(names, query);
        return 0;
    case TD_QUERY_SourceCode:
        return see_source_query(names, (uint32_t)query->ptr);
    default:
        break;
    }
    for (enum td_name_kind kind = TD_NAME_TEXT; kind <= TD_NAME_FIBER; kind++)
        if (query_of[kind] == query->query)
            return td_names_see(names, kind, query->ptr) == TD_NO_NUMBER ? TD_E_NOMEM : 0;
    return 0;
}

int td_names_want(struct td_names *names, enum td_name_kind kind, uint64_t key, uint32_t extra,
                  uint32_t *index)
{
    *index = td_map_get(&names->kinds[kind].map, key, TD_NO_NUMBER);
    if (*index != TD_NO_NUMBER)
        return 0;
    *index = add_name(names, kind, key);
    return *index == TD_NO_NUMBER || ask_name(names, kind, *index, extra) != 0 ? TD_E_NOMEM : 1;
}

struct td_name *td_names_find(struct td_names *names, enum td_name_kind kind, uint64_t key)
{
    uint32_t index = td_map_get(&names->kinds[kind].map, key, TD_NO_NUMBER);
    return index == TD_NO_NUMBER ? NULL : td_names_at(names, kind, index);
}

int td_names_request(struct td_names *names, enum td_query query, uint64_t argument)
{
    struct td_question question = {.query = {query, argument, 0}, .kind = TD_NAME_KINDS};
    if (add_question(names, 0, &question) != 0)
        return TD_E_NOMEM;
    names->plain++;
    return 0;
}

/* Keys of pings: thread numbers have 32 bits, so no thread has these, but an answer returns the whole key. */
#define PING_KEY (UINT64_C(0xffffffff) << 32)

int td_names_ping(struct td_names *names)
{
    struct td_question question = {.query = {TD_QUERY_ThreadString, PING_KEY | ++names->ping, 0},
                                   .kind = TD_NAME_KINDS};
    return add_question(names, 0, &question);
}

int td_names_ask_clock(struct td_names *names)
{
    if (names->clock_asked)
        return 0;
    struct td_question question = {
        .query = {TD_QUERY_ThreadString, TD_WIRE_CLOCK_KEY | (names->clock_count + 1), 0},
        .kind = TD_NAME_KINDS};
    if (add_question(names, 0, &question) != 0)
        return TD_E_NOMEM;
    names->clock_asked = names->clock_count + 1;
    names->clock_sent = td_host_ticks();
    return 0;
}

int td_names_ask_ahead(struct td_names *names)
{
    struct td_question question = {.query = {TD_QUERY_ThreadString, TD_WIRE_AHEAD_KEY, 0},
                                   .kind = TD_NAME_KINDS};
    return add_question(names, 0, &question);
}

/* The next answer is about this thing, which need not be asked about any more. But threads are: they may get a name
 * soon after they have begun. */
static int see_ahead(struct td_names *names, uint32_t query, const uint8_t *text, uint32_t bytes)
{
    char number[24] = "";
    memcpy(number, text, bytes < sizeof number ? bytes : sizeof number - 1);
    const uint64_t key = strtoull(number, NULL, 16);
    enum td_name_kind kind = TD_NAME_TEXT;
    while (kind <= TD_NAME_FIBER && query_of[kind] != query)
        kind++;
    if (kind > TD_NAME_FIBER)
        return 0;
    uint32_t index = td_map_get(&names->kinds[kind].map, key, TD_NO_NUMBER);
    if (index == TD_NO_NUMBER && kind == TD_NAME_THREAD) {
        index = td_names_see(names, kind, key);
        if (index != TD_NO_NUMBER)
            names->kinds[kind].all[index].u.thread.is_only_named = true;
    } else if (index == TD_NO_NUMBER) {
        index = add_name(names, kind, key);
        names->asked_waiting++;
    }
    names->ahead = index;
    names->is_ahead = index != TD_NO_NUMBER;
    return names->is_ahead ? 0 : TD_E_NOMEM;
}

/* An answer has come. False: it is to no question. */
static bool take_credit(struct td_names *names)
{
    const bool is_ahead = names->is_ahead;
    names->is_ahead = false;
    if (!is_ahead)
        td_names_credit(names);
    return !is_ahead;
}

static void take_clock(struct td_names *names, uint64_t key, const uint8_t *text, uint32_t bytes)
{
    char number[24] = "";
    if (!names->clock_asked || (uint32_t)key != names->clock_asked)
        return;
    names->clock_asked = 0;
    memcpy(number, text, bytes < sizeof number ? bytes : sizeof number - 1);
    names->clock_ticks = (int64_t)strtoull(number, NULL, 10);
    names->clock_got = td_host_ticks();
    names->clock_count++;
}

bool td_names_has_ponged(const struct td_names *names)
{
    return names->pong == names->ping;
}

/* Sends bytes to the client: in questions, twelve in each. */
static int transfer_bytes(struct td_names *names, const char *bytes, size_t count)
{
    struct td_question question = {.query = {TD_QUERY_DataTransfer, count, 0}, .kind = TD_NAME_KINDS};
    if (add_question(names, 1, &question) != 0)
        return TD_E_NOMEM;
    names->plain++;
    for (size_t at = 0; at < count; at += 12) {
        uint8_t part[12] = {0};
        memcpy(part, bytes + at, count - at < 12 ? count - at : 12);
        question.query.query = TD_QUERY_DataTransferPart;
        memcpy(&question.query.ptr, part, 8);
        memcpy(&question.query.extra, part + 8, 4);
        if (add_question(names, 1, &question) != 0)
            return TD_E_NOMEM;
        names->plain++;
    }
    return 0;
}

int td_names_want_source(struct td_names *names, uint32_t file)
{
    uint32_t index;
    if (transfer_bytes(names, td_dict_text(names->dict, file), td_dict_text_bytes(names->dict, file) + 1) !=
            0 ||
        td_names_want(names, TD_NAME_SOURCE, names->kinds[TD_NAME_SOURCE].count, 0, &index) < 0)
        return TD_E_NOMEM;
    td_names_at(names, TD_NAME_SOURCE, index)->u.source = file;
    return 0;
}

static uint32_t text_number(struct td_names *names, uint32_t index, int force)
{
    if (index == TD_NO_NUMBER)
        return 0;
    const struct td_name *text = td_names_at(names, TD_NAME_TEXT, index);
    if (text->number != TD_NO_NUMBER && (force || text->promise != TD_PROMISE_OPEN))
        return text->number;
    return force ? td_dict_cstring(names->dict, TD_CLIENT_UNKNOWN) : TD_NO_NUMBER;
}

/* Fills the source location from its answers. False: texts of it are missing. */
static bool compose_srcloc(struct td_names *names, const struct td_name *name, int force,
                           struct td_srcloc *srcloc)
{
    *srcloc = (struct td_srcloc){0};
    if (name->answered) {
        *srcloc = (struct td_srcloc){.name = text_number(names, name->u.srcloc.name, force),
                                     .function = text_number(names, name->u.srcloc.function, force),
                                     .file = text_number(names, name->u.srcloc.file, force),
                                     .line = name->u.srcloc.line,
                                     .color = name->u.srcloc.color};
        if (name->u.srcloc.name != TD_NO_NUMBER && !srcloc->name)
            srcloc->flags = TD_SRCLOC_EMPTY_NAME;
    } else if (force) {
        srcloc->name = srcloc->function = td_dict_cstring(names->dict, TD_CLIENT_UNKNOWN);
    } else {
        return false;
    }
    return srcloc->name != TD_NO_NUMBER && srcloc->function != TD_NO_NUMBER && srcloc->file != TD_NO_NUMBER;
}

/* Locations are distinguished by their address in the program, because instances of a template have locations
 * of equal content. With `force`, the content alone decides, and the caller does not keep the number. */
static uint32_t srcloc_number(struct td_names *names, const struct td_name *name, int force)
{
    struct td_srcloc srcloc;
    if (!compose_srcloc(names, name, force, &srcloc))
        return TD_NO_NUMBER;
    return force ? td_dict_srcloc(names->dict, &srcloc) : td_dict_own_srcloc(names->dict, &srcloc);
}

/* The number of a plot or frame set, whose name is known. */
static uint32_t named_number(struct td_names *names, enum td_name_kind kind, const struct td_name *name,
                             uint32_t text)
{
    if (kind == TD_NAME_FRAME)
        return td_dict_frame_set(names->dict, text, name->u.frame.continuous);
    struct td_plot plot = name->u.plot;
    plot.name = text;
    return td_dict_plot(names->dict, &plot);
}

uint32_t td_names_number(struct td_names *names, enum td_name_kind kind, uint32_t index, int force)
{
    struct td_name *name = td_names_at(names, kind, index);
    if (name->number != TD_NO_NUMBER)
        return name->number;
    if (kind == TD_NAME_SRCLOC) {
        uint32_t number = srcloc_number(names, name, force);
        if (!force)
            name->number = number;
        return number;
    }
    if (!force)
        return TD_NO_NUMBER;
    if (kind == TD_NAME_TEXT)
        return td_dict_cstring(names->dict, TD_CLIENT_UNKNOWN);
    return named_number(
        names, kind, name,
        td_client_space_name(names->trace_space, names->dict, TD_CLIENT_UNKNOWN, strlen(TD_CLIENT_UNKNOWN)));
}

uint32_t td_names_promise(struct td_names *names, enum td_name_kind kind, uint32_t index)
{
    struct td_name *name = td_names_at(names, kind, index);
    if (name->number != TD_NO_NUMBER)
        return name->number;
    uint32_t number =
        kind == TD_NAME_SRCLOC ? td_dict_promise_srcloc(names->dict) : td_dict_promise_string(names->dict);
    if (kind == TD_NAME_PLOT)
        name->u.plot.name = number;
    if (number != UINT32_MAX && (kind == TD_NAME_PLOT || kind == TD_NAME_FRAME))
        number = named_number(names, kind, name, number);
    if (number == UINT32_MAX)
        return TD_NO_NUMBER;
    name->number = number;
    name->promise = TD_PROMISE_OPEN;
    return number;
}

int td_names_keep(struct td_names *names, uint32_t index, int force)
{
    struct td_name *name = td_names_at(names, TD_NAME_SRCLOC, index);
    struct td_srcloc srcloc;
    if (!compose_srcloc(names, name, force, &srcloc))
        return 0;
    if (td_dict_keep_srcloc(names->dict, name->number, &srcloc) != 0)
        return TD_E_NOMEM;
    name->promise = TD_PROMISE_KEPT;
    return 1;
}

/* Gives a promise its content: a text, or the name of a plot or frame set. A second answer changes
 * nothing. */
static int keep_text(struct td_names *names, enum td_name_kind kind, struct td_name *name,
                     const uint8_t *text, uint32_t bytes)
{
    uint32_t string = name->number;
    const char *content = (const char *)text;
    if (name->promise == TD_PROMISE_KEPT)
        return 0;
    if (kind == TD_NAME_PLOT || kind == TD_NAME_FRAME) {
        string =
            kind == TD_NAME_PLOT ? name->u.plot.name : td_dict_get_frame_set(names->dict, name->number, NULL);
        uint32_t whole = td_client_space_name(names->trace_space, names->dict, content, bytes);
        if (whole == UINT32_MAX)
            return TD_E_NOMEM;
        content = td_dict_text(names->dict, whole);
        bytes = (uint32_t)td_dict_text_bytes(names->dict, whole);
    }
    if (td_dict_keep_string(names->dict, string, content, bytes) != 0)
        return TD_E_NOMEM;
    name->promise = TD_PROMISE_KEPT;
    td_names_answered(names, name);
    return 0;
}

uint64_t td_names_unnamed(const struct td_names *names)
{
    uint64_t unnamed = 0;
    for (int kind = 0; kind < TD_NAME_KINDS; kind++) {
        for (size_t i = 0; i < names->kinds[kind].count; i++) {
            const struct td_name *name = &names->kinds[kind].all[i];
            unnamed += name->promise == TD_PROMISE_OPEN ? name->unnamed : 0;
        }
    }
    return unnamed;
}

void td_names_credit(struct td_names *names)
{
    if (names->in_flight)
        names->in_flight--;
    names->answers++;
}

void td_names_answered(struct td_names *names, struct td_name *name)
{
    if (!name->answered && names->asked_waiting)
        names->asked_waiting--;
    name->answered = 1;
}

void td_names_noop(struct td_names *names)
{
    td_names_credit(names);
    if (names->plain)
        names->plain--;
    else
        names->given_up++;
}

uint64_t td_names_unanswered(const struct td_names *names)
{
    uint64_t waiting = names->asked_waiting > names->given_up ? names->asked_waiting - names->given_up : 0;
    return names->plain + waiting;
}

bool td_names_is_complete(const struct td_names *names)
{
    return !td_names_unanswered(names);
}

int td_names_answer(struct td_names *names, enum td_name_kind kind, uint64_t key, const uint8_t *text,
                    uint32_t bytes)
{
    if (kind == TD_NAME_THREAD && key > TD_WIRE_AHEAD_KEY && key < TD_WIRE_CLOCK_KEY)
        return see_ahead(names, (uint32_t)key, text, bytes);
    const bool was_asked = take_credit(names);
    if (kind == TD_NAME_THREAD && key >= PING_KEY)
        names->pong = (uint32_t)key;
    else if (kind == TD_NAME_THREAD && key >= TD_WIRE_CLOCK_KEY)
        take_clock(names, key, text, bytes);
    uint32_t index = td_map_get(&names->kinds[kind].map, key, TD_NO_NUMBER);
    if (index == TD_NO_NUMBER)
        return 0; /* nothing refers to it */
    struct td_name *name = td_names_at(names, kind, index);
    if (name->promise != TD_PROMISE_NONE)
        return keep_text(names, kind, name, text, bytes);
    const bool is_of_process = kind == TD_NAME_PLOT || kind == TD_NAME_FRAME;
    uint32_t number = is_of_process
                          ? td_client_space_name(names->trace_space, names->dict, (const char *)text, bytes)
                          : td_dict_string(names->dict, (const char *)text, bytes);
    if (number == UINT32_MAX)
        return TD_E_NOMEM;
    if (was_asked || kind != TD_NAME_THREAD)
        td_names_answered(names, name);
    if (kind == TD_NAME_TEXT) {
        name->number = number;
    } else if (kind == TD_NAME_THREAD || kind == TD_NAME_FIBER) {
        name->u.thread.track.name = number;
        if (name->number != TD_NO_NUMBER)
            td_client_space_track(names->trace_space, names->dict, &name->u.thread.track);
    } else {
        if (kind == TD_NAME_PLOT)
            name->u.plot.name = number;
        name->number = named_number(names, kind, name, number);
    }
    return 0;
}

static uint32_t see_text(struct td_names *names, uint64_t key)
{
    return key ? td_names_see(names, TD_NAME_TEXT, key) : TD_NO_NUMBER;
}

int td_names_answer_srcloc(struct td_names *names, const struct td_wire_SourceLocation *answer)
{
    uint32_t index = names->ahead;
    if (take_credit(names)) {
        if (names->srclocs_asked.begin == names->srclocs_asked.count)
            return 0;
        index = names->srclocs_asked.all[names->srclocs_asked.begin++].index;
    } else if (index >= names->kinds[TD_NAME_SRCLOC].count) {
        return 0; /* the program says that a location is another kind of thing */
    }
    uint32_t name = see_text(names, answer->name), function = see_text(names, answer->function);
    uint32_t file = see_text(names, answer->file);
    if ((answer->name && name == TD_NO_NUMBER) || (answer->function && function == TD_NO_NUMBER) ||
        (answer->file && file == TD_NO_NUMBER))
        return TD_E_NOMEM;
    struct td_name *srcloc = td_names_at(names, TD_NAME_SRCLOC, index);
    td_names_answered(names, srcloc);
    srcloc->u.srcloc.name = name;
    srcloc->u.srcloc.function = function;
    srcloc->u.srcloc.file = file;
    srcloc->u.srcloc.line = answer->line;
    srcloc->u.srcloc.color = (uint32_t)answer->r << 16 | (uint32_t)answer->g << 8 | answer->b;
    return 0;
}

size_t td_names_queries(struct td_names *names, const struct td_wire_release *release, uint8_t *to,
                        size_t room)
{
    size_t bytes = 0;
    for (int later = 0; later < 2; later++) {
        while (names->to_ask[later].begin < names->to_ask[later].count && names->in_flight < names->space &&
               room - bytes >= TD_WIRE_QUERY_BYTES) {
            const struct td_question *question = &names->to_ask[later].all[names->to_ask[later].begin++];
            /* Answers about source locations are in the order of their questions: each has one. */
            if (question->kind != TD_NAME_KINDS && question->kind != TD_NAME_SRCLOC &&
                td_names_at(names, (enum td_name_kind)question->kind, question->index)->answered)
                continue;
            td_wire_put_query(to + bytes, release, &question->query);
            bytes += TD_WIRE_QUERY_BYTES;
            names->in_flight++;
        }
        if (names->to_ask[later].begin == names->to_ask[later].count)
            names->to_ask[later].begin = names->to_ask[later].count = 0;
    }
    return bytes;
}
