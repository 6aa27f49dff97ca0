/* Zones and messages. */
#include "host/agent/client/client_internal.h"
#include "host/base/hash.h"

#include <inttypes.h>
#include <stdio.h>

/* An event on the current track. NULL: no memory. */
static struct td_event *track_event(struct td_client_stream *stream, uint32_t kind, uint32_t ref,
                                    int64_t ticks)
{
    struct td_name *track = td_stream_track(stream);
    struct td_event *event = td_pending_add(stream, kind, ref);
    if (!event)
        return NULL;
    event->time_ns = track ? td_stream_event_forward(stream, ticks, &track->u.thread.last_ns)
                           : td_stream_event_ns(stream, ticks);
    if (track)
        event->track = track->number;
    return event;
}

/* Sets the current track. False: it has no open zone. */
static bool zone_is_open(struct td_client_stream *stream, struct td_name **track)
{
    *track = td_stream_track(stream);
    if (*track && (*track)->u.thread.open_zones)
        return 1;
    stream->counts.ignored++;
    stream->have_text = 0;
    return 0;
}

/* An event for text, name, colour, value or call stack of the innermost open zone. These have no time of
 * their own. */
static struct td_event *zone_detail(struct td_client_stream *stream, uint32_t kind,
                                    const struct td_name *track)
{
    struct td_event *event = td_pending_add(stream, kind, TD_REF_NONE);
    if (event) {
        event->time_ns = track->u.thread.last_ns;
        event->track = track->number;
    }
    return event;
}

static int zone_begin(struct td_client_stream *stream, int64_t ticks, uint32_t srcloc, uint32_t ref,
                      uint32_t stack)
{
    struct td_name *track = td_stream_track(stream);
    if (!track) {
        stream->counts.ignored++;
        return 0;
    }
    struct td_event *event = track_event(stream, TD_EVENT_ZONE_BEGIN, ref, ticks);
    if (!event)
        return TD_E_NOMEM;
    event->srcloc = srcloc;
    track->u.thread.last_srcloc = srcloc;
    track->u.thread.last_ref = ref;
    track->u.thread.has_begun = true;
    track->u.thread.open_zones++;
    stream->counts.zones++;
    stream->counts.open_zones++;
    if (!stack)
        return 0;
    event = zone_detail(stream, TD_EVENT_ZONE_STACK, track);
    if (!event)
        return TD_E_NOMEM;
    event->subject = stack;
    return 0;
}

int td_take_zone_begin(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_ZoneBegin item = TD_GET(ZoneBegin);
    int64_t ticks = td_stream_advance(&stream->thread_time, item.time);
    uint32_t stack = view->item == TD_ITEM_ZoneBeginCallstack ? td_stream_take_stack(stream) : 0;
    uint32_t index = td_names_see(&stream->names, TD_NAME_SRCLOC, item.srcloc);
    return index == TD_NO_NUMBER ? TD_E_NOMEM : zone_begin(stream, ticks, index, TD_REF_SRCLOC, stack);
}

int td_take_allocated_zone_begin(struct td_client_stream *stream, const struct td_wire_view *view)
{
    int64_t ticks = td_stream_advance(&stream->thread_time, TD_GET(ZoneBeginAllocSrcLoc).time);
    uint32_t srcloc = stream->have_srcloc ? stream->srcloc : 0;
    uint32_t stack = view->item == TD_ITEM_ZoneBeginAllocSrcLocCallstack ? td_stream_take_stack(stream) : 0;
    const uint32_t color = stream->have_srcloc ? stream->srcloc_color : 0;
    const uint64_t zones = stream->counts.zones;
    stream->have_srcloc = 0;
    const int rc = zone_begin(stream, ticks, srcloc, TD_REF_NONE, stack);
    if (rc || !color || stream->counts.zones == zones)
        return rc;
    struct td_event *event = zone_detail(stream, TD_EVENT_ZONE_COLOR, td_stream_track(stream));
    if (!event)
        return TD_E_NOMEM;
    event->subject = color;
    return 0;
}

int td_take_zone_end(struct td_client_stream *stream, const struct td_wire_view *view)
{
    int64_t ticks = td_stream_advance(&stream->thread_time, TD_GET(ZoneEnd).time);
    struct td_name *track;
    if (!zone_is_open(stream, &track))
        return 0;
    track->u.thread.open_zones--;
    stream->counts.open_zones--;
    if (!stream->has_late_ends)
        return track_event(stream, TD_EVENT_ZONE_END, TD_REF_NONE, ticks) ? 0 : TD_E_NOMEM;
    struct td_event *event = td_pending_add(stream, TD_EVENT_ZONE_END, TD_REF_NONE);
    if (!event)
        return TD_E_NOMEM;
    event->time_ns = td_stream_event_ns(stream, ticks);
    event->track = track->number;
    if (event->time_ns > track->u.thread.last_ns)
        track->u.thread.last_ns = event->time_ns;
    return 0;
}

/* What the number is for: td_stream_check_zone(). Zones are matched by their nesting. */
int td_take_zone_validation(struct td_client_stream *stream, const struct td_wire_view *view)
{
    return td_stream_track(stream) || !stream->have_context ? 0 : TD_E_NOMEM;
}

static int zone_string(struct td_client_stream *stream, uint32_t kind)
{
    struct td_name *track;
    uint32_t text;
    if (!zone_is_open(stream, &track))
        return 0;
    if (td_stream_passing_text(stream, &text) != 0)
        return TD_E_NOMEM;
    struct td_event *event = zone_detail(stream, kind, track);
    if (!event)
        return TD_E_NOMEM;
    event->subject = text;
    return 0;
}

int td_take_zone_text(struct td_client_stream *stream, const struct td_wire_view *view)
{
    return zone_string(stream, TD_EVENT_ZONE_TEXT);
}

int td_take_zone_name(struct td_client_stream *stream, const struct td_wire_view *view)
{
    return zone_string(stream, TD_EVENT_ZONE_NAME);
}

int td_take_zone_color(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_ZoneColor item = TD_GET(ZoneColor);
    struct td_name *track;
    if (!zone_is_open(stream, &track))
        return 0;
    struct td_event *event = zone_detail(stream, TD_EVENT_ZONE_COLOR, track);
    if (!event)
        return TD_E_NOMEM;
    event->subject = td_stream_rgb(item.r, item.g, item.b);
    return 0;
}

int td_take_zone_value(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint64_t value = TD_GET(ZoneValue).value;
    struct td_name *track;
    uint32_t text = 0;
    if (!zone_is_open(stream, &track))
        return 0;
    if (stream->release->zone_values_in_hex) {
        char both[48];
        int n = snprintf(both, sizeof both, "%" PRIu64 " [0x%" PRIx64 "]", value, value);
        text = td_dict_passing_string(stream->dict, both, (size_t)n);
        if (text == UINT32_MAX)
            return TD_E_NOMEM;
    }
    struct td_event *event = zone_detail(stream, text ? TD_EVENT_ZONE_TEXT : TD_EVENT_ZONE_VALUE, track);
    if (!event)
        return TD_E_NOMEM;
    event->subject = text;
    event->value.u64 = text ? 0 : value;
    return 0;
}

/* ---- messages ---- */

static int add_message(struct td_client_stream *stream, uint32_t ref, int64_t ticks, uint32_t text,
                       uint32_t color, uint8_t metadata, int with_stack)
{
    uint32_t stack = with_stack ? td_stream_take_stack(stream) : 0;
    uint8_t severity = TD_WIRE_SEVERITY_INFO, source = 0;
    if (!td_stream_track(stream)) {
        stream->counts.ignored++;
        return 0;
    }
    if (stream->release->tagged_messages) {
        severity = metadata >> 4 > TD_WIRE_SEVERITY_FATAL ? TD_WIRE_SEVERITY_INFO : metadata >> 4;
        source = (metadata & 15) == TD_WIRE_SOURCE_PROFILER;
    }
    struct td_event *event = track_event(stream, TD_EVENT_MESSAGE, ref, ticks);
    if (!event)
        return TD_E_NOMEM;
    event->subject = text;
    event->color = color;
    event->value.u64 = TD_EVENT_MESSAGE_WITH(stack, source, severity);
    stream->counts.messages++;
    return 0;
}

int td_take_message(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint32_t text;
    int stack = view->item == TD_ITEM_MessageCallstack || view->item == TD_ITEM_MessageColorCallstack;
    if (td_stream_passing_text(stream, &text) != 0)
        return TD_E_NOMEM;
    if (view->item == TD_ITEM_Message || view->item == TD_ITEM_MessageCallstack) {
        struct td_wire_Message item = TD_GET(Message);
        return add_message(stream, TD_REF_NONE, item.time, text, 0, item.metadata, stack);
    }
    struct td_wire_MessageColor item = TD_GET(MessageColor);
    return add_message(stream, TD_REF_NONE, item.time, text, td_stream_rgb(item.r, item.g, item.b),
                       item.metadata, stack);
}

int td_take_literal(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_MessageLiteralColor item;
    int stack =
        view->item == TD_ITEM_MessageLiteralCallstack || view->item == TD_ITEM_MessageLiteralColorCallstack;
    if (view->item == TD_ITEM_MessageLiteral || view->item == TD_ITEM_MessageLiteralCallstack) {
        struct td_wire_MessageLiteral plain = TD_GET(MessageLiteral);
        item = (struct td_wire_MessageLiteralColor){
            .time = plain.time, .text = plain.text, .metadata = plain.metadata};
    } else {
        item = TD_GET(MessageLiteralColor);
    }
    uint32_t index = td_names_see(&stream->names, TD_NAME_TEXT, item.text);
    if (index == TD_NO_NUMBER)
        return TD_E_NOMEM;
    return add_message(stream, TD_REF_TEXT, item.time, index, td_stream_rgb(item.r, item.g, item.b),
                       item.metadata, stack);
}

int td_take_app_info(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint32_t text;
    if (td_stream_text(stream, &text) != 0)
        return TD_E_NOMEM;
    struct td_event *event = td_pending_add(stream, TD_EVENT_APP_INFO, TD_REF_NONE);
    if (!event)
        return TD_E_NOMEM;
    event->time_ns = td_stream_ns(stream, TD_GET(MessageAppInfo).time);
    event->subject = text;
    return 0;
}

/* Tracy clients with fibers report crashes with a wrong time, which must not change the track's last time. */
int td_take_crash(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_CrashReport item = TD_GET(CrashReport);
    uint32_t stack = td_stream_take_stack(stream);
    uint32_t index = td_names_see(&stream->names, TD_NAME_TEXT, item.text);
    const struct td_name *track = td_stream_track(stream);
    if (!track) {
        stream->counts.ignored++;
        return 0;
    }
    struct td_event *event =
        index == TD_NO_NUMBER ? NULL : td_pending_add(stream, TD_EVENT_CRASH, TD_REF_TEXT);
    if (!event)
        return TD_E_NOMEM;
    event->time_ns = td_stream_ns(stream, item.time); /* clients report it wrong */
    if (event->time_ns < track->u.thread.last_ns)
        event->time_ns = track->u.thread.last_ns;
    event->track = track->number;
    event->subject = index;
    event->value.u64 = stack;
    stream->counts.crashes++;
    return 0;
}

/* ---- locations that come with a zone: u32 colour, u32 line, function NUL, file NUL, name ---- */

/* The location, in the colour that came first. Colours tell no locations apart: programs that were compiled against
 * headers before 0.11 pass none, and what arrives is anything. Another colour becomes one of the zone. */
static uint32_t place_without_color(struct td_client_stream *stream, const struct td_srcloc *srcloc)
{
    const uint32_t key[] = {srcloc->name, srcloc->function, srcloc->file, srcloc->line};
    const uint64_t hash = td_hash(key, sizeof key);
    const uint32_t known = td_map_get(&stream->made_places, hash, UINT32_MAX);
    stream->srcloc_color = 0;
    if (known != UINT32_MAX) {
        const struct td_srcloc *first = td_dict_get_srcloc(stream->dict, known);
        if (first->name == key[0] && first->function == key[1] && first->file == key[2] &&
            first->line == key[3]) {
            stream->srcloc_color = srcloc->color == first->color ? 0 : srcloc->color;
            return known;
        }
    }
    const uint32_t number = td_dict_srcloc(stream->dict, srcloc);
    if (number != UINT32_MAX && td_map_set(&stream->made_places, hash, number) < 0)
        return UINT32_MAX;
    return number;
}

int td_take_srcloc_payload(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_dict *dict = stream->dict;
    const uint8_t *data = view->data, *end = data + view->bytes;
    const uint8_t *function = data + 8;
    const uint8_t *function_end = view->bytes > 8 ? memchr(function, 0, view->bytes - 8) : NULL;
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
        return TD_E_NOMEM;
    stream->srcloc = place_without_color(stream, &srcloc);
    stream->have_srcloc = 1;
    return stream->srcloc == UINT32_MAX ? TD_E_NOMEM : td_stream_source_file(stream, srcloc.file);
}
