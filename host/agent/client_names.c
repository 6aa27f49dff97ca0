#include "host/agent/client_names.h"
#include "host/agent/client_stream.h"
#include "host/base/err.h"
#include "host/base/grow.h"

#include <stdio.h>

void td_names_init(struct td_names *names, struct td_dict *dict, uint32_t space)
{
    *names = (struct td_names){.dict = dict, .space = space ? space : 1};
}

void td_names_finish(struct td_names *names)
{
    for (int kind = 0; kind < TD_NAME_KINDS; kind++) {
        td_map_finish(&names->kinds[kind].map);
        free(names->kinds[kind].all);
    }
    free(names->to_ask.all);
    free(names->srclocs_asked.all);
}

static int ask(struct td_names *names, enum td_name_kind kind, uint32_t index)
{
    if (td_grow(&names->to_ask.all, &names->to_ask.capacity, names->to_ask.count + 1,
                sizeof *names->to_ask.all))
        return -1;
    if (kind == TD_NAME_SRCLOC && td_grow(&names->srclocs_asked.all, &names->srclocs_asked.capacity,
                                          names->srclocs_asked.count + 1, sizeof *names->srclocs_asked.all))
        return -1;
    names->to_ask.all[names->to_ask.count].kind = kind;
    names->to_ask.all[names->to_ask.count++].index = index;
    if (kind == TD_NAME_SRCLOC)
        names->srclocs_asked.all[names->srclocs_asked.count++].index = index;
    names->asked_waiting++;
    return 0;
}

/* A track has its number from the start; its name is put right when it is known. */
static int begin_track(struct td_names *names, struct td_name *name, enum td_name_kind kind, uint32_t index)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%s%llu", kind == TD_NAME_FIBER ? "fiber " : "",
                     kind == TD_NAME_FIBER ? (unsigned long long)index : (unsigned long long)name->key);
    name->u.thread.fiber = TD_NO_NUMBER;
    name->u.thread.track = (struct td_track){
        .thread = kind == TD_NAME_FIBER ? (UINT64_C(1) << 32) + index : name->key,
        .name = td_dict_string(names->dict, text, (size_t)n),
    };
    name->number = td_dict_track(names->dict, &name->u.thread.track);
    return name->number == UINT32_MAX ? -1 : 0;
}

/* Without asking. TD_NO_NUMBER: no memory. */
static uint32_t add(struct td_names *names, enum td_name_kind kind, uint64_t key)
{
    size_t count = names->kinds[kind].count;
    if (count >= TD_NO_NUMBER - 1 || td_grow(&names->kinds[kind].all, &names->kinds[kind].capacity, count + 1,
                                             sizeof *names->kinds[kind].all))
        return TD_NO_NUMBER;
    struct td_name *name = &names->kinds[kind].all[count];
    memset(name, 0, sizeof *name);
    name->key = key;
    name->number = TD_NO_NUMBER;
    uint32_t index = (uint32_t)count;
    if ((kind == TD_NAME_THREAD || kind == TD_NAME_FIBER) && begin_track(names, name, kind, index) != 0)
        return TD_NO_NUMBER;
    if (td_map_add(&names->kinds[kind].map, key, index) < 0)
        return TD_NO_NUMBER;
    names->kinds[kind].count++;
    return index;
}

uint32_t td_names_see(struct td_names *names, enum td_name_kind kind, uint64_t key)
{
    uint32_t index = td_map_get(&names->kinds[kind].map, key, TD_NO_NUMBER);
    if (index != TD_NO_NUMBER)
        return index;
    index = add(names, kind, key);
    if (index != TD_NO_NUMBER && ask(names, kind, index) != 0)
        return TD_NO_NUMBER;
    return index;
}

static uint32_t text_number(struct td_names *names, uint32_t index, int force)
{
    if (index == TD_NO_NUMBER)
        return 0;
    uint32_t number = td_names_at(names, TD_NAME_TEXT, index)->number;
    return number == TD_NO_NUMBER && force ? td_dict_cstring(names->dict, TD_CLIENT_UNKNOWN) : number;
}

static uint32_t srcloc_number(struct td_names *names, struct td_name *name, int force)
{
    struct td_srcloc srcloc = {0};
    if (name->answered) {
        srcloc = (struct td_srcloc){.name = text_number(names, name->u.srcloc.name, force),
                                    .function = text_number(names, name->u.srcloc.function, force),
                                    .file = text_number(names, name->u.srcloc.file, force),
                                    .line = name->u.srcloc.line,
                                    .color = name->u.srcloc.color};
        if (srcloc.name == TD_NO_NUMBER || srcloc.function == TD_NO_NUMBER || srcloc.file == TD_NO_NUMBER)
            return TD_NO_NUMBER;
    } else if (force) {
        srcloc.name = srcloc.function = td_dict_cstring(names->dict, TD_CLIENT_UNKNOWN);
    } else {
        return TD_NO_NUMBER;
    }
    return td_dict_srcloc(names->dict, &srcloc);
}

/* Plots and frame sets, once their name's number is known. */
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
    uint32_t text = td_dict_cstring(names->dict, TD_CLIENT_UNKNOWN);
    return kind == TD_NAME_TEXT ? text : named_number(names, kind, name, text);
}

void td_names_credit(struct td_names *names)
{
    if (names->in_flight)
        names->in_flight--;
    names->answers++;
}

static void answered(struct td_names *names, struct td_name *name)
{
    if (!name->answered && names->asked_waiting)
        names->asked_waiting--;
    name->answered = 1;
}

int td_names_answer(struct td_names *names, enum td_name_kind kind, uint64_t key, const uint8_t *text,
                    uint32_t bytes)
{
    td_names_credit(names);
    uint32_t index = td_map_get(&names->kinds[kind].map, key, TD_NO_NUMBER);
    if (index == TD_NO_NUMBER)
        return 0; /* nothing refers to it */
    struct td_name *name = td_names_at(names, kind, index);
    uint32_t number = td_dict_string(names->dict, (const char *)text, bytes);
    if (number == UINT32_MAX)
        return TD_E_NOMEM;
    answered(names, name);
    if (kind == TD_NAME_TEXT) {
        name->number = number;
    } else if (kind == TD_NAME_THREAD || kind == TD_NAME_FIBER) {
        name->u.thread.track.name = number;
        td_dict_track(names->dict, &name->u.thread.track);
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
    td_names_credit(names);
    if (names->srclocs_asked.begin == names->srclocs_asked.count)
        return 0;
    uint32_t index = names->srclocs_asked.all[names->srclocs_asked.begin++].index;
    uint32_t name = see_text(names, answer->name), function = see_text(names, answer->function);
    uint32_t file = see_text(names, answer->file);
    if ((answer->name && name == TD_NO_NUMBER) || (answer->function && function == TD_NO_NUMBER) ||
        (answer->file && file == TD_NO_NUMBER))
        return TD_E_NOMEM;
    struct td_name *srcloc = td_names_at(names, TD_NAME_SRCLOC, index);
    answered(names, srcloc);
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
    static const uint8_t query_of[TD_NAME_KINDS] = {
        [TD_NAME_TEXT] = TD_QUERY_String,         [TD_NAME_SRCLOC] = TD_QUERY_SourceLocation,
        [TD_NAME_PLOT] = TD_QUERY_PlotName,       [TD_NAME_FRAME] = TD_QUERY_FrameName,
        [TD_NAME_THREAD] = TD_QUERY_ThreadString, [TD_NAME_FIBER] = TD_QUERY_FiberName,
    };
    size_t bytes = 0;
    while (names->to_ask.begin < names->to_ask.count && names->in_flight < names->space &&
           room - bytes >= TD_WIRE_QUERY_BYTES) {
        enum td_name_kind kind = names->to_ask.all[names->to_ask.begin].kind;
        const struct td_name *name = td_names_at(names, kind, names->to_ask.all[names->to_ask.begin].index);
        names->to_ask.begin++;
        if (name->answered)
            continue;
        struct td_wire_query query = {query_of[kind], name->key, 0};
        td_wire_put_query(to + bytes, release, &query);
        bytes += TD_WIRE_QUERY_BYTES;
        names->in_flight++;
    }
    if (names->to_ask.begin == names->to_ask.count)
        names->to_ask.begin = names->to_ask.count = 0;
    return bytes;
}
