#include "host/agent/client_events.h"
#include "host/base/grow.h"

/* Kinds of waiting events say, above their kind, which field still holds an index of the names. */
#define REF_SHIFT  8
#define REF_NONE   0u
#define REF_SRCLOC 1u /* .srcloc */
#define REF_TEXT   2u /* .a */
#define REF_PLOT   3u
#define REF_FRAME  4u

static int64_t to_ns(const struct td_client_stream *stream, int64_t ticks)
{
    int64_t since = (int64_t)((uint64_t)ticks - (uint64_t)stream->config.zero_ticks);
    double ns = (double)since * stream->config.ns_per_tick + (double)stream->config.zero_ns;
    if (!(ns > 0))
        return 0;
    return ns < 4e18 ? (int64_t)ns : INT64_C(4000000000000000000);
}

/* Not before the last one. */
static int64_t forward(struct td_client_stream *stream, int64_t ns, int64_t *last_ns)
{
    if (ns < *last_ns) {
        stream->counts.time_bent++;
        ns = *last_ns;
    }
    *last_ns = ns;
    return ns;
}

static struct td_event *add_event(struct td_client_stream *stream, uint32_t kind, uint32_t ref)
{
    if (stream->begin && stream->begin == stream->count)
        stream->begin = stream->count = 0;
    if (td_grow(&stream->waiting, &stream->capacity, stream->count + 1, sizeof *stream->waiting))
        return NULL;
    struct td_event *event = &stream->waiting[stream->count++];
    *event = (struct td_event){.kind = kind | ref << REF_SHIFT};
    return event;
}

/* The thread, or the fiber that it runs, whose track the current item belongs to; NULL: none was ever named.
 */
static struct td_name *track_of(struct td_client_stream *stream)
{
    if (stream->thread == TD_NO_NUMBER && stream->have_context)
        stream->thread = td_names_see(&stream->names, TD_NAME_THREAD, stream->context);
    if (stream->thread == TD_NO_NUMBER)
        return NULL;
    struct td_name *thread = td_names_at(&stream->names, TD_NAME_THREAD, stream->thread);
    if (thread->u.thread.fiber != TD_NO_NUMBER)
        return td_names_at(&stream->names, TD_NAME_FIBER, thread->u.thread.fiber);
    return thread;
}

/* An event on the current track. NULL: no memory. */
static struct td_event *track_event(struct td_client_stream *stream, uint32_t kind, uint32_t ref,
                                    int64_t ticks)
{
    struct td_name *track = track_of(stream);
    struct td_event *event = add_event(stream, kind, ref);
    if (!event)
        return NULL;
    event->time_ns = to_ns(stream, ticks);
    if (track) {
        event->time_ns = forward(stream, event->time_ns, &track->u.thread.last_ns);
        event->track = track->number;
    }
    return event;
}

/* Gives the waiting event its dictionary number; 0 when that is not known yet. */
static int resolve(struct td_client_stream *stream, struct td_event *event, int force)
{
    static const uint8_t kind_of[] = {[REF_SRCLOC] = TD_NAME_SRCLOC,
                                      [REF_TEXT] = TD_NAME_TEXT,
                                      [REF_PLOT] = TD_NAME_PLOT,
                                      [REF_FRAME] = TD_NAME_FRAME};
    uint32_t ref = event->kind >> REF_SHIFT;
    if (ref == REF_NONE)
        return 1;
    uint32_t *field = ref == REF_SRCLOC ? &event->srcloc : &event->a;
    uint32_t number = td_names_number(&stream->names, kind_of[ref], *field, 0);
    if (number == TD_NO_NUMBER) {
        if (!force)
            return 0;
        stream->counts.unnamed++;
        number = td_names_number(&stream->names, kind_of[ref], *field, 1);
    }
    *field = number;
    event->kind &= (1u << REF_SHIFT) - 1;
    return 1;
}

/* Hands on the events at the queue's front that have all their names. */
int td_events_push(struct td_client_stream *stream, int force, struct td_err *err)
{
    size_t ready = stream->begin;
    while (ready < stream->count &&
           resolve(stream, &stream->waiting[ready], force || stream->count - ready > TD_CLIENT_PENDING_MAX))
        ready++;
    size_t begin = stream->begin;
    stream->begin = ready;
    int bad =
        ready > begin ? td_hub_push(stream->config.hub, stream->waiting + begin, ready - begin, err) : 0;
    if (stream->begin > stream->count / 2) {
        stream->count -= stream->begin;
        memmove(stream->waiting, stream->waiting + stream->begin, stream->count * sizeof *stream->waiting);
        stream->begin = 0;
    }
    return bad;
}

int64_t td_events_thread_ticks(struct td_client_stream *stream, int64_t delta)
{
    stream->thread_time = (int64_t)((uint64_t)stream->thread_time + (uint64_t)delta);
    return stream->thread_time;
}

static int take_text(struct td_client_stream *stream, uint32_t *number)
{
    uint32_t bytes = stream->have_text ? stream->text_bytes : 0;
    stream->have_text = 0;
    *number = td_dict_string(td_hub_dict(stream->config.hub), (const char *)stream->text, bytes);
    return *number == UINT32_MAX ? -1 : 0;
}

/* 1 and the open zone's track, or 0: no zone is open. */
static int zone_is_open(struct td_client_stream *stream, struct td_name **track)
{
    *track = track_of(stream);
    if (*track && (*track)->u.thread.open_zones)
        return 1;
    stream->counts.ignored++;
    stream->have_text = 0;
    return 0;
}

static int zone_begin(struct td_client_stream *stream, int64_t ticks, uint32_t srcloc, uint32_t ref)
{
    struct td_name *track = track_of(stream);
    if (!track) {
        stream->counts.ignored++;
        return 0;
    }
    struct td_event *event = track_event(stream, TD_EVENT_ZONE_BEGIN, ref, ticks);
    if (!event)
        return -1;
    event->srcloc = srcloc;
    track->u.thread.open_zones++;
    stream->counts.zones++;
    stream->counts.open_zones++;
    return 0;
}

int td_events_zone_begin(struct td_client_stream *stream, const uint8_t *payload)
{
    struct td_wire_ZoneBegin item = td_wire_get_ZoneBegin(payload, stream->config.release);
    int64_t ticks = td_events_thread_ticks(stream, item.time);
    uint32_t index = td_names_see(&stream->names, TD_NAME_SRCLOC, item.srcloc);
    return index == TD_NO_NUMBER ? -1 : zone_begin(stream, ticks, index, REF_SRCLOC);
}

int td_events_allocated_zone_begin(struct td_client_stream *stream, const uint8_t *payload)
{
    int64_t ticks = td_events_thread_ticks(
        stream, td_wire_get_ZoneBeginAllocSrcLoc(payload, stream->config.release).time);
    uint32_t srcloc = stream->have_srcloc ? stream->srcloc : 0;
    stream->have_srcloc = 0;
    return zone_begin(stream, ticks, srcloc, REF_NONE);
}

int td_events_zone_end(struct td_client_stream *stream, const uint8_t *payload)
{
    int64_t ticks = td_events_thread_ticks(stream, td_wire_get_ZoneEnd(payload, stream->config.release).time);
    struct td_name *track;
    if (!zone_is_open(stream, &track))
        return 0;
    track->u.thread.open_zones--;
    stream->counts.open_zones--;
    return track_event(stream, TD_EVENT_ZONE_END, REF_NONE, ticks) ? 0 : -1;
}

/* Text, name, colour and value belong to the innermost open zone and have no time of their own. */
static struct td_event *zone_detail(struct td_client_stream *stream, uint32_t kind,
                                    const struct td_name *track)
{
    struct td_event *event = add_event(stream, kind, REF_NONE);
    if (event) {
        event->time_ns = track->u.thread.last_ns;
        event->track = track->number;
    }
    return event;
}

int td_events_zone_text(struct td_client_stream *stream, uint32_t kind)
{
    struct td_name *track;
    uint32_t text;
    if (!zone_is_open(stream, &track))
        return 0;
    if (take_text(stream, &text) != 0)
        return -1;
    struct td_event *event = zone_detail(stream, kind, track);
    if (!event)
        return -1;
    event->a = text;
    return 0;
}

int td_events_zone_color(struct td_client_stream *stream, const uint8_t *payload)
{
    struct td_wire_ZoneColor item = td_wire_get_ZoneColor(payload, stream->config.release);
    struct td_name *track;
    if (!zone_is_open(stream, &track))
        return 0;
    struct td_event *event = zone_detail(stream, TD_EVENT_ZONE_COLOR, track);
    if (!event)
        return -1;
    event->a = (uint32_t)item.r << 16 | (uint32_t)item.g << 8 | item.b;
    return 0;
}

int td_events_zone_value(struct td_client_stream *stream, const uint8_t *payload)
{
    struct td_name *track;
    if (!zone_is_open(stream, &track))
        return 0;
    struct td_event *event = zone_detail(stream, TD_EVENT_ZONE_VALUE, track);
    if (!event)
        return -1;
    event->value.u64 = td_wire_get_ZoneValue(payload, stream->config.release).value;
    return 0;
}

static int message(struct td_client_stream *stream, uint32_t kind, uint32_t ref, int64_t ticks, uint32_t text,
                   uint32_t color)
{
    if (kind == TD_EVENT_MESSAGE && !track_of(stream)) {
        stream->counts.ignored++;
        return 0;
    }
    struct td_event *event =
        kind == TD_EVENT_MESSAGE ? track_event(stream, kind, ref, ticks) : add_event(stream, kind, ref);
    if (!event)
        return -1;
    if (kind != TD_EVENT_MESSAGE) {
        /* Off the track's order: stock clients with fibers report crashes with a wrong time. */
        const struct td_name *track = track_of(stream);
        event->time_ns = to_ns(stream, ticks);
        event->track = track ? track->number : 0;
        if (kind == TD_EVENT_CRASH && track && event->time_ns < track->u.thread.last_ns)
            event->time_ns = track->u.thread.last_ns;
    }
    event->a = text;
    event->srcloc = color;
    stream->counts.messages += kind == TD_EVENT_MESSAGE;
    stream->counts.crashes += kind == TD_EVENT_CRASH;
    return 0;
}

static int text_message(struct td_client_stream *stream, uint32_t kind, int64_t ticks, uint32_t color)
{
    uint32_t text;
    return take_text(stream, &text) != 0 ? -1 : message(stream, kind, REF_NONE, ticks, text, color);
}

static int literal_message(struct td_client_stream *stream, uint32_t kind, int64_t ticks, uint64_t key,
                           uint32_t color)
{
    uint32_t index = td_names_see(&stream->names, TD_NAME_TEXT, key);
    return index == TD_NO_NUMBER ? -1 : message(stream, kind, REF_TEXT, ticks, index, color);
}

static int plot(struct td_client_stream *stream, uint64_t key, int64_t delta, double value)
{
    int64_t ticks = td_events_thread_ticks(stream, delta);
    uint32_t index = td_names_see(&stream->names, TD_NAME_PLOT, key);
    if (index == TD_NO_NUMBER)
        return -1;
    if (value - value != 0) { /* not finite */
        stream->counts.ignored++;
        return 0;
    }
    struct td_event *event = add_event(stream, TD_EVENT_PLOT, REF_PLOT);
    if (!event)
        return -1;
    event->time_ns = to_ns(stream, ticks);
    event->a = index;
    event->value.f64 = value;
    stream->counts.plot_points++;
    return 0;
}

int td_events_plot_config(struct td_client_stream *stream, const uint8_t *payload)
{
    struct td_wire_PlotConfig item = td_wire_get_PlotConfig(payload, stream->config.release);
    uint32_t index = td_names_see(&stream->names, TD_NAME_PLOT, item.name);
    if (index == TD_NO_NUMBER)
        return -1;
    struct td_name *name = td_names_at(&stream->names, TD_NAME_PLOT, index);
    struct td_plot *known = &name->u.plot;
    known->format = item.type;
    known->step = item.step != 0;
    known->fill = item.fill != 0;
    known->color = item.color & 0xffffff;
    if (name->number != TD_NO_NUMBER)
        td_dict_plot(td_hub_dict(stream->config.hub), known);
    return 0;
}

int td_events_base_frame(struct td_client_stream *stream, int64_t ticks)
{
    struct td_event *event = add_event(stream, TD_EVENT_FRAME, REF_NONE);
    if (!event)
        return -1;
    event->time_ns = forward(stream, to_ns(stream, ticks), &stream->base_frame_ns);
    return 0;
}

static int frame(struct td_client_stream *stream, uint32_t kind, int64_t ticks, uint64_t key)
{
    if (!key && kind == TD_EVENT_FRAME) {
        stream->counts.frames++;
        return td_events_base_frame(stream, ticks);
    }
    int continuous = kind == TD_EVENT_FRAME;
    size_t before = stream->names.kinds[TD_NAME_FRAME].count;
    uint32_t index = td_names_see(&stream->names, TD_NAME_FRAME, key);
    if (index == TD_NO_NUMBER)
        return -1;
    struct td_name *set = td_names_at(&stream->names, TD_NAME_FRAME, index);
    if (index == before)
        set->u.frame.continuous = (uint8_t)continuous;
    int sound = set->u.frame.continuous == continuous &&
                (continuous || set->u.frame.open == (kind == TD_EVENT_FRAME_END));
    if (!sound) {
        stream->counts.ignored++;
        return 0;
    }
    struct td_event *event = add_event(stream, kind, REF_FRAME);
    if (!event)
        return -1;
    event->time_ns = forward(stream, to_ns(stream, ticks), &set->u.frame.last_ns);
    event->a = index;
    set->u.frame.open = kind == TD_EVENT_FRAME_START;
    stream->counts.frames += kind != TD_EVENT_FRAME_END;
    return 0;
}

/* u32 colour, u32 line, function NUL, file NUL, name to the end. */
int td_events_source_location_payload(struct td_client_stream *stream, const uint8_t *data, uint32_t bytes)
{
    struct td_dict *dict = td_hub_dict(stream->config.hub);
    const uint8_t *end = data + bytes;
    const uint8_t *function = data + 8;
    const uint8_t *function_end = bytes > 8 ? memchr(function, 0, bytes - 8) : NULL;
    const uint8_t *file_end =
        function_end ? memchr(function_end + 1, 0, (size_t)(end - function_end - 1)) : NULL;
    stream->have_srcloc = 0;
    if (!file_end) {
        stream->counts.ignored++;
        return 0;
    }
    struct td_srcloc srcloc = {0};
    memcpy(&srcloc.color, data, 4);
    memcpy(&srcloc.line, data + 4, 4);
    srcloc.color &= 0xffffff;
    srcloc.function = td_dict_string(dict, (const char *)function, (size_t)(function_end - function));
    srcloc.file = td_dict_string(dict, (const char *)function_end + 1, (size_t)(file_end - function_end - 1));
    srcloc.name = td_dict_string(dict, (const char *)file_end + 1, (size_t)(end - file_end - 1));
    if (srcloc.function == UINT32_MAX || srcloc.file == UINT32_MAX || srcloc.name == UINT32_MAX)
        return -1;
    stream->srcloc = td_dict_srcloc(dict, &srcloc);
    stream->have_srcloc = 1;
    return stream->srcloc == UINT32_MAX ? -1 : 0;
}

static uint32_t rgb(uint8_t r, uint8_t g, uint8_t b)
{
    return (uint32_t)r << 16 | (uint32_t)g << 8 | b;
}

int td_events_message(struct td_client_stream *stream, const struct td_wire_view *view)
{
    const uint8_t *p = view->payload;
    switch (view->item) {
    case TD_ITEM_MessageColor:
    case TD_ITEM_MessageColorCallstack: {
        struct td_wire_MessageColor item = td_wire_get_MessageColor(p, stream->config.release);
        return text_message(stream, TD_EVENT_MESSAGE, item.time, rgb(item.r, item.g, item.b));
    }
    case TD_ITEM_MessageAppInfo:
        return text_message(stream, TD_EVENT_APP_INFO,
                            td_wire_get_MessageAppInfo(p, stream->config.release).time, 0);
    case TD_ITEM_MessageLiteral:
    case TD_ITEM_MessageLiteralCallstack: {
        struct td_wire_MessageLiteral item = td_wire_get_MessageLiteral(p, stream->config.release);
        return literal_message(stream, TD_EVENT_MESSAGE, item.time, item.text, 0);
    }
    case TD_ITEM_MessageLiteralColor:
    case TD_ITEM_MessageLiteralColorCallstack: {
        struct td_wire_MessageLiteralColor item = td_wire_get_MessageLiteralColor(p, stream->config.release);
        return literal_message(stream, TD_EVENT_MESSAGE, item.time, item.text, rgb(item.r, item.g, item.b));
    }
    case TD_ITEM_CrashReport: {
        struct td_wire_CrashReport item = td_wire_get_CrashReport(p, stream->config.release);
        return literal_message(stream, TD_EVENT_CRASH, item.time, item.text, 0);
    }
    default:
        return text_message(stream, TD_EVENT_MESSAGE, td_wire_get_Message(p, stream->config.release).time, 0);
    }
}

int td_events_plot(struct td_client_stream *stream, const struct td_wire_view *view)
{
    switch (view->item) {
    case TD_ITEM_PlotDataInt: {
        struct td_wire_PlotDataInt item = td_wire_get_PlotDataInt(view->payload, stream->config.release);
        return plot(stream, item.name, item.time, (double)item.val);
    }
    case TD_ITEM_PlotDataFloat: {
        struct td_wire_PlotDataFloat item = td_wire_get_PlotDataFloat(view->payload, stream->config.release);
        return plot(stream, item.name, item.time, item.val);
    }
    default: {
        struct td_wire_PlotDataDouble item =
            td_wire_get_PlotDataDouble(view->payload, stream->config.release);
        return plot(stream, item.name, item.time, item.val);
    }
    }
}

int td_events_frame(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_FrameMarkMsg item =
        td_wire_get_FrameMarkMsg(view->payload, stream->config.release); /* all three look the same */
    uint32_t kind = view->item == TD_ITEM_FrameMarkMsg        ? TD_EVENT_FRAME
                    : view->item == TD_ITEM_FrameMarkMsgStart ? TD_EVENT_FRAME_START
                                                              : TD_EVENT_FRAME_END;
    return frame(stream, kind, item.time, item.name);
}
