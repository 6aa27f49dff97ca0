#include "tests/wire/event_log.h"
#include "host/base/grow.h"

static int keep_events(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    struct event_log *log = self;
    if (td_grow(&log->events, &log->capacity, log->count + count, sizeof *events))
        return td_fail(err, TD_E_NOMEM, "no memory for the log");
    memcpy(log->events + log->count, events, count * sizeof *events);
    log->count += count;
    for (size_t i = 0; i < count; i++)
        if (events[i].kind < TD_EVENT_KINDS)
            log->kinds[events[i].kind]++;
    return 0;
}

void event_log_init(struct event_log *log)
{
    *log = (struct event_log){.dict = td_dict_create()};
    log->hub = log->dict ? td_hub_create(log->dict) : NULL;
    if (!log->hub || td_hub_add_sink(log->hub, (struct td_sink){.events = keep_events, .self = log}) != 0)
        abort();
}

void event_log_finish(struct event_log *log)
{
    td_hub_destroy(log->hub);
    td_dict_destroy(log->dict);
    free(log->events);
}

const char *event_log_location(const struct event_log *log, uint32_t srcloc)
{
    const struct td_srcloc *location = td_dict_get_srcloc(log->dict, srcloc);
    return td_dict_text(log->dict, location->name ? location->name : location->function);
}

static const char *track_name(const struct event_log *log, uint32_t track)
{
    return td_dict_text(log->dict, td_dict_get_track(log->dict, track)->name);
}

size_t event_log_zones_on(const struct event_log *log, const char *track, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < log->count; i++) {
        const struct td_event *event = &log->events[i];
        n += event->kind == TD_EVENT_ZONE_BEGIN &&
             (!track || !strcmp(track_name(log, event->track), track)) &&
             (!name || !strcmp(event_log_location(log, event->srcloc), name));
    }
    return n;
}

size_t event_log_zones(const struct event_log *log, const char *name)
{
    return event_log_zones_on(log, NULL, name);
}

size_t event_log_named(const struct event_log *log, enum td_event_kind kind, const char *text)
{
    size_t n = 0;
    for (size_t i = 0; i < log->count; i++) {
        const struct td_event *event = &log->events[i];
        if (event->kind != (uint32_t)kind)
            continue;
        uint32_t string = event->subject;
        if (kind == TD_EVENT_PLOT)
            string = td_dict_get_plot(log->dict, event->subject)->name;
        if (kind == TD_EVENT_FRAME || kind == TD_EVENT_FRAME_START || kind == TD_EVENT_FRAME_END)
            string = td_dict_get_frame_set(log->dict, event->subject, NULL);
        n += !strcmp(td_dict_text(log->dict, string), text);
    }
    return n;
}

/* For events of this kind, `a` is a number in a dictionary. Returns the dictionary's size. */
static uint32_t count_of_dictionary(const struct event_log *log, uint32_t kind)
{
    switch (kind) {
    case TD_EVENT_PLOT:
        return td_dict_plot_count(log->dict);
    case TD_EVENT_FRAME:
    case TD_EVENT_FRAME_START:
    case TD_EVENT_FRAME_END:
        return td_dict_frame_set_count(log->dict);
    case TD_EVENT_ZONE_TEXT:
    case TD_EVENT_ZONE_NAME:
    case TD_EVENT_MESSAGE:
    case TD_EVENT_APP_INFO:
    case TD_EVENT_CRASH:
        return td_dict_string_count(log->dict);
    default:
        return UINT32_MAX;
    }
}

static const char *fault_of(const struct event_log *log, const struct td_event *event, int64_t *last_ns,
                            size_t *depth)
{
    if (event->kind >= TD_EVENT_KINDS)
        return "an event of no kind";
    if (event->subject >= count_of_dictionary(log, event->kind))
        return "a number that is in no dictionary";
    if (event->kind == TD_EVENT_ZONE_BEGIN && event->srcloc >= td_dict_srcloc_count(log->dict))
        return "a location that is in no dictionary";
    if (event->time_ns < 0)
        return "a time before the trace";
    if (event->kind > TD_EVENT_MESSAGE)
        return NULL;
    if (event->track >= td_dict_track_count(log->dict))
        return "a track that is in no dictionary";
    if (event->time_ns < last_ns[event->track])
        return "a time that goes back";
    last_ns[event->track] = event->time_ns;
    if (event->kind == TD_EVENT_ZONE_BEGIN)
        depth[event->track]++;
    else if (event->kind != TD_EVENT_MESSAGE && !depth[event->track])
        return "an end or detail without a zone";
    else if (event->kind == TD_EVENT_ZONE_END)
        depth[event->track]--;
    return NULL;
}

const char *event_log_fault(const struct event_log *log)
{
    uint32_t tracks = td_dict_track_count(log->dict);
    int64_t *last_ns = calloc(tracks + 1, sizeof *last_ns);
    size_t *depth = calloc(tracks + 1, sizeof *depth);
    const char *fault = last_ns && depth ? NULL : "no memory";
    for (size_t i = 0; i < log->count && !fault; i++)
        fault = fault_of(log, &log->events[i], last_ns, depth);
    free(last_ns);
    free(depth);
    return fault;
}
