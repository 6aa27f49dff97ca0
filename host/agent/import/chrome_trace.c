#include "host/agent/import/chrome_trace.h"
#include "host/agent/import/json_events.h"
#include "host/base/grow.h"
#include "host/event/map.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BATCH  1024
#define MAX_US 9e12 /* largest time or length: more than a hundred days */

/* Ranks of items of one time: first ends, then items in the file's order, then begins of complete zones (the
 * longest first). */
enum { ENDS, AS_IT_CAME, BEGINS };

struct chrome_item {
    int64_t time_ns, length_ns;
    uint64_t order; /* in the file */
    double value;
    uint32_t track, srcloc, subject;
    uint8_t kind, rank, whole; /* whole: a zone of length 0 */
};

struct thread {
    struct td_track track;
    uint64_t pid, tid;
    uint32_t number, name, open; /* number: of its track; UINT32_MAX: no event yet. open: zones */
};

struct td_chrome {
    struct td_hub *hub;
    struct td_dict *dict;
    struct td_json_events events;
    struct chrome_item *items;
    size_t count, capacity;
    struct thread *threads;
    size_t thread_count, thread_capacity;
    struct td_map by_thread;
    struct td_chrome_counts counts;
    uint64_t order;
};

static int no_memory(struct td_err *err)
{
    return td_fail_no_memory(err, "for the events of a Chrome trace");
}

/* ---- fields */

static const char *text_of(const cJSON *event, const char *name)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(event, name);
    return cJSON_IsString(field) ? field->valuestring : NULL;
}

/* Converts a field in microseconds to ns. False: there is no such field, or it is out of range. */
static bool get_time(const cJSON *event, const char *name, int64_t *ns)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(event, name);
    double us = cJSON_IsString(field)   ? atof(field->valuestring)
                : cJSON_IsNumber(field) ? field->valuedouble
                                        : NAN;
    if (!(us > -MAX_US && us < MAX_US))
        return false;
    *ns = llround(us * 1000);
    return true;
}

/* The number of a process or thread; a hash if it is a text. */
static uint64_t id_of(const cJSON *event, const char *name)
{
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(event, name);
    if (cJSON_IsNumber(field) && field->valuedouble >= 0 && field->valuedouble < 4294967296.)
        return (uint64_t)field->valuedouble;
    uint32_t hash = 2166136261u;
    for (const char *c = cJSON_IsString(field) ? field->valuestring : ""; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619u;
    return cJSON_IsString(field) ? hash : 0;
}

/* The index of the event's thread; UINT32_MAX: no memory. */
static uint32_t thread_of(struct td_chrome *chrome, const cJSON *event)
{
    uint64_t pid = id_of(event, "pid"), tid = id_of(event, "tid"), key = pid << 32 | tid;
    uint32_t at = td_map_get(&chrome->by_thread, key, UINT32_MAX);
    if (at != UINT32_MAX)
        return at;
    if (td_grow(&chrome->threads, &chrome->thread_capacity, chrome->thread_count + 1,
                sizeof *chrome->threads))
        return UINT32_MAX;
    at = (uint32_t)chrome->thread_count;
    if (td_map_add(&chrome->by_thread, key, at) < 0)
        return UINT32_MAX;
    chrome->threads[chrome->thread_count++] =
        (struct thread){.track.thread = key, .pid = pid, .tid = tid, .number = UINT32_MAX};
    return at;
}

static int add_item(struct td_chrome *chrome, const struct chrome_item *item, struct td_err *err)
{
    if (td_grow(&chrome->items, &chrome->capacity, chrome->count + 1, sizeof *item))
        return no_memory(err);
    chrome->items[chrome->count] = *item;
    chrome->items[chrome->count++].order = chrome->order++;
    return 0;
}

/* ---- kinds of events */

static int take_name(struct td_chrome *chrome, const cJSON *event, struct td_err *err)
{
    const char *what = text_of(event, "name");
    const char *name = text_of(cJSON_GetObjectItemCaseSensitive(event, "args"), "name");
    if (!what || strcmp(what, "thread_name") != 0 || !name)
        return 0;
    uint32_t thread = thread_of(chrome, event), text = td_dict_cstring(chrome->dict, name);
    if (thread == UINT32_MAX || text == UINT32_MAX)
        return no_memory(err);
    chrome->threads[thread].name = text;
    return 0;
}

/* The source location: the event's name, and "file:line" from its field "loc". UINT32_MAX: no memory. */
static uint32_t srcloc_of(struct td_chrome *chrome, const cJSON *event)
{
    const char *name = text_of(event, "name"), *place = text_of(event, "loc");
    const char *colon = place ? strrchr(place, ':') : NULL;
    struct td_srcloc srcloc = {.function = td_dict_cstring(chrome->dict, name ? name : "")};
    if (place)
        srcloc.file = td_dict_string(chrome->dict, place, colon ? (size_t)(colon - place) : strlen(place));
    srcloc.line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    if (srcloc.function == UINT32_MAX || srcloc.file == UINT32_MAX)
        return UINT32_MAX;
    return td_dict_srcloc(chrome->dict, &srcloc);
}

/* The arguments as text, a line for each. 0: none; UINT32_MAX: no memory. */
static uint32_t arguments_of(struct td_chrome *chrome, const cJSON *event)
{
    const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args"), *arg;
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = cJSON_IsObject(args) && args->child ? open_memstream(&text, &bytes) : NULL;
    if (!to)
        return cJSON_IsObject(args) && args->child ? UINT32_MAX : 0;
    cJSON_ArrayForEach(arg, args)
    {
        char *printed = cJSON_IsString(arg) ? NULL : cJSON_PrintUnformatted(arg);
        fprintf(to, "%s: %s\n", arg->string, printed ? printed : cJSON_IsString(arg) ? arg->valuestring : "");
        cJSON_free(printed);
    }
    uint32_t string = fclose(to) == 0 ? td_dict_string(chrome->dict, text, bytes) : UINT32_MAX;
    free(text);
    return string;
}

static int take_zone(struct td_chrome *chrome, const cJSON *event, struct chrome_item *item, int complete,
                     struct td_err *err)
{
    item->kind = TD_EVENT_ZONE_BEGIN;
    item->srcloc = srcloc_of(chrome, event);
    item->subject = arguments_of(chrome, event);
    if (item->srcloc == UINT32_MAX || item->subject == UINT32_MAX)
        return no_memory(err);
    if (!complete)
        return add_item(chrome, item, err);
    int64_t length = 0;
    if (!get_time(event, "dur", &length) || length < 0)
        length = 0;
    item->rank = BEGINS;
    item->length_ns = length;
    item->whole = !length;
    int bad = add_item(chrome, item, err);
    if (bad || !length)
        return bad;
    *item = (struct chrome_item){
        .time_ns = item->time_ns + length, .track = item->track, .kind = TD_EVENT_ZONE_END, .rank = ENDS};
    return add_item(chrome, item, err);
}

/* The name contains "frame" in upper or lower case, as Tracy's importer looks for it. */
static bool is_frame(const char *name)
{
    for (; *name; name++)
        if (!strncasecmp(name, "frame", 5))
            return true;
    return false;
}

static int take_instant(struct td_chrome *chrome, const cJSON *event, struct chrome_item *item,
                        struct td_err *err)
{
    const char *name = text_of(event, "name");
    item->subject = td_dict_cstring(chrome->dict, name ? name : "");
    if (item->subject == UINT32_MAX)
        return no_memory(err);
    item->kind = name && is_frame(name) ? TD_EVENT_FRAME : TD_EVENT_MESSAGE;
    return add_item(chrome, item, err);
}

/* Each argument that is a number is a plot; those named ..._bytes are memory sizes. */
static int take_counter(struct td_chrome *chrome, const cJSON *event, struct chrome_item *item,
                        struct td_err *err)
{
    const cJSON *args = cJSON_GetObjectItemCaseSensitive(event, "args"), *arg;
    int bad = 0;
    item->kind = TD_EVENT_PLOT;
    cJSON_ArrayForEach(arg, args)
    {
        size_t n = cJSON_IsNumber(arg) && arg->string ? strlen(arg->string) : 0;
        if (!n || !isfinite(arg->valuedouble))
            continue;
        struct td_plot plot = {.name = td_dict_string(chrome->dict, arg->string, n), .fill = 1};
        plot.format = n >= 6 && !strcmp(arg->string + n - 6, "_bytes");
        item->subject = plot.name == UINT32_MAX ? UINT32_MAX : td_dict_plot(chrome->dict, &plot);
        item->value = arg->valuedouble;
        bad = item->subject == UINT32_MAX ? no_memory(err) : add_item(chrome, item, err);
        if (bad)
            return bad;
    }
    return 0;
}

static int take_parsed(struct td_chrome *chrome, const cJSON *event, struct td_err *err)
{
    const char *phase = text_of(event, "ph");
    struct chrome_item item = {.rank = AS_IT_CAME};
    char what = phase && !phase[1] ? *phase : 0;
    if (what == 'M')
        return take_name(chrome, event, err);
    if (!what || !strchr("BEXbeiIC", what) || !get_time(event, "ts", &item.time_ns)) {
        chrome->counts.ignored++;
        return 0;
    }
    item.track = thread_of(chrome, event);
    if (item.track == UINT32_MAX)
        return no_memory(err);
    switch (what) {
    case 'B':
    case 'b':
    case 'X':
        return take_zone(chrome, event, &item, what == 'X', err);
    case 'E':
    case 'e':
        item.kind = TD_EVENT_ZONE_END;
        return add_item(chrome, &item, err);
    case 'C':
        return take_counter(chrome, event, &item, err);
    default:
        return take_instant(chrome, event, &item, err);
    }
}

/* The greatest number of lists and objects in each other. */
static size_t deepest_nesting(const char *text, size_t bytes)
{
    size_t depth = 0, most = 0;
    for (size_t i = 0, in_string = 0; i < bytes; i++) {
        if (in_string && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_string = !in_string;
        else if (!in_string && (text[i] == '[' || text[i] == '{'))
            most = ++depth > most ? depth : most;
        else if (!in_string && depth && (text[i] == ']' || text[i] == '}'))
            depth--;
    }
    return most;
}

static int take_event(void *self, const char *text, size_t bytes, struct td_err *err)
{
    struct td_chrome *chrome = self;
    cJSON *event = cJSON_ParseWithLength(text, bytes);
    if (!event && deepest_nesting(text, bytes) > CJSON_NESTING_LIMIT)
        return td_fail(err, TD_E_FORMAT,
                       "event %llu of the Chrome trace has more than %d lists in each other",
                       (unsigned long long)(chrome->order + 1), CJSON_NESTING_LIMIT);
    if (!event)
        return td_fail(err, TD_E_FORMAT, "event %llu of the Chrome trace is damaged",
                       (unsigned long long)(chrome->order + 1));
    int bad = take_parsed(chrome, event, err);
    cJSON_Delete(event);
    return bad;
}

/* ---- into the hub */

static int compare_items(const void *a, const void *b)
{
    const struct chrome_item *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->length_ns != y->length_ns)
        return x->length_ns > y->length_ns ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* The number of the thread's track, made at the first call; UINT32_MAX: no memory. */
static uint32_t track_of(struct td_chrome *chrome, struct thread *thread)
{
    char text[96];
    if (thread->number != UINT32_MAX)
        return thread->number;
    unsigned long long pid = thread->pid, tid = thread->tid;
    if (thread->name)
        snprintf(text, sizeof text, "(PID %llu TID %llu) %.40s", pid, tid,
                 td_dict_text(chrome->dict, thread->name));
    else
        snprintf(text, sizeof text, "PID %llu TID %llu", pid, tid);
    thread->track.name = td_dict_string(chrome->dict, text, strlen(text));
    if (thread->track.name != UINT32_MAX)
        thread->number = td_dict_track(chrome->dict, &thread->track);
    return thread->number;
}

struct batch {
    struct td_event events[BATCH + 3];
    size_t count;
};

static void put(struct batch *batch, const struct chrome_item *item, int64_t zero_ns, uint32_t track,
                uint32_t kind, uint32_t a)
{
    struct td_event *event = &batch->events[batch->count++];
    *event =
        (struct td_event){.time_ns = item->time_ns - zero_ns, .track = track, .kind = kind, .subject = a};
    if (kind == TD_EVENT_ZONE_BEGIN)
        event->srcloc = item->srcloc;
    if (kind == TD_EVENT_PLOT)
        event->value.f64 = item->value;
}

/* Adds an item as one to three events. */
static void put_item(struct td_chrome *chrome, struct thread *thread, const struct chrome_item *item,
                     int64_t zero_ns, struct batch *batch)
{
    switch (item->kind) {
    case TD_EVENT_ZONE_END:
        if (!thread->open) {
            chrome->counts.ignored++;
            return;
        }
        thread->open--;
        put(batch, item, zero_ns, thread->number, item->kind, 0);
        return;
    case TD_EVENT_ZONE_BEGIN:
        chrome->counts.zones++;
        thread->open += !item->whole;
        put(batch, item, zero_ns, thread->number, item->kind, 0);
        if (item->subject)
            put(batch, item, zero_ns, thread->number, TD_EVENT_ZONE_TEXT, item->subject);
        if (item->whole)
            put(batch, item, zero_ns, thread->number, TD_EVENT_ZONE_END, 0);
        return;
    default:
        chrome->counts.messages += item->kind == TD_EVENT_MESSAGE;
        chrome->counts.frames += item->kind == TD_EVENT_FRAME;
        chrome->counts.plot_points += item->kind == TD_EVENT_PLOT;
        put(batch, item, zero_ns, item->kind == TD_EVENT_MESSAGE ? thread->number : 0, item->kind,
            item->subject);
    }
}

static int push_all(struct td_chrome *chrome, struct batch *batch, struct td_err *err)
{
    int bad = 0;
    for (size_t i = 0; i < chrome->count && !bad; i++) {
        struct chrome_item *item = &chrome->items[i];
        struct thread *thread = &chrome->threads[item->track];
        int in_track = item->kind != TD_EVENT_PLOT && item->kind != TD_EVENT_FRAME;
        if (in_track && track_of(chrome, thread) == UINT32_MAX)
            return no_memory(err);
        if (item->kind ==
            TD_EVENT_FRAME) { /* sets are numbered in order of their first frames, as in Tracy */
            item->subject = td_dict_frame_set(chrome->dict, item->subject, 1);
            if (item->subject == UINT32_MAX)
                return no_memory(err);
        }
        put_item(chrome, thread, item, chrome->items[0].time_ns, batch);
        if (batch->count < BATCH && i + 1 < chrome->count)
            continue;
        bad = td_hub_push(chrome->hub, batch->events, batch->count, err);
        batch->count = 0;
    }
    return bad;
}

/* ---- the interface */

struct td_chrome *td_chrome_create(struct td_hub *hub)
{
    struct td_chrome *chrome = calloc(1, sizeof *chrome);
    if (!chrome)
        return NULL;
    chrome->hub = hub;
    chrome->dict = td_hub_dict(hub);
    chrome->events.event = take_event;
    chrome->events.self = chrome;
    return chrome;
}

void td_chrome_destroy(struct td_chrome *chrome)
{
    if (!chrome)
        return;
    td_json_events_free(&chrome->events);
    td_map_finish(&chrome->by_thread);
    free(chrome->items);
    free(chrome->threads);
    free(chrome);
}

bool td_chrome_begins(const uint8_t *bytes, size_t count)
{
    return count && (strchr("{[ \t\r\n", bytes[0]) || bytes[0] == 0xef) && bytes[0];
}

int td_chrome_feed(struct td_chrome *chrome, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_json_events_feed(&chrome->events, (const char *)bytes, count, err);
}

int td_chrome_close(struct td_chrome *chrome, struct td_err *err)
{
    int bad = td_json_events_end_stream(&chrome->events, &chrome->counts.cut, err);
    if (bad || !chrome->count)
        return bad;
    qsort(chrome->items, chrome->count, sizeof *chrome->items, compare_items);
    struct batch *batch = calloc(1, sizeof *batch);
    bad = batch ? push_all(chrome, batch, err) : no_memory(err);
    free(batch);
    return bad;
}

const struct td_chrome_counts *td_chrome_get_counts(const struct td_chrome *chrome)
{
    return &chrome->counts;
}
