#include "host/agent/client_events.h"

#include <stdlib.h>

struct td_client_stream *td_client_stream_create(const struct td_client_stream_config *config)
{
    struct td_client_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->config = *config;
    stream->thread = TD_NO_NUMBER;
    td_names_init(&stream->names, td_hub_dict(config->hub), config->query_space);
    return stream;
}

void td_client_stream_destroy(struct td_client_stream *stream)
{
    if (!stream)
        return;
    td_names_finish(&stream->names);
    free(stream->waiting);
    free(stream);
}

static int no_memory(struct td_err *err)
{
    return td_fail(err, TD_E_NOMEM, "no memory for the program's events");
}

/* The thread becomes a track when something happens in it: a context alone does not show. */
static int thread_context(struct td_client_stream *stream, uint32_t thread)
{
    if (!stream->have_context || stream->context != thread)
        stream->thread = TD_NO_NUMBER;
    stream->have_context = 1;
    stream->context = thread;
    stream->thread_time = 0;
    return 0;
}

static int fiber_enter(struct td_client_stream *stream, const uint8_t *payload)
{
    struct td_wire_FiberEnter item = td_wire_get_FiberEnter(payload, stream->config.release);
    td_events_thread_ticks(stream, item.time);
    uint32_t fiber = td_names_see(&stream->names, TD_NAME_FIBER, item.fiber);
    uint32_t thread = td_names_see(&stream->names, TD_NAME_THREAD, item.thread);
    if (fiber == TD_NO_NUMBER || thread == TD_NO_NUMBER)
        return -1;
    td_names_at(&stream->names, TD_NAME_THREAD, thread)->u.thread.fiber = fiber;
    struct td_name *name = td_names_at(&stream->names, TD_NAME_FIBER, fiber);
    if (item.groupHint && name->u.thread.track.group_hint != item.groupHint) {
        name->u.thread.track.group_hint = item.groupHint;
        td_dict_track(stream->names.dict, &name->u.thread.track);
    }
    return 0;
}

static int fiber_leave(struct td_client_stream *stream, const uint8_t *payload)
{
    struct td_wire_FiberLeave item = td_wire_get_FiberLeave(payload, stream->config.release);
    td_events_thread_ticks(stream, item.time);
    uint32_t thread = td_names_see(&stream->names, TD_NAME_THREAD, item.thread);
    if (thread == TD_NO_NUMBER)
        return -1;
    td_names_at(&stream->names, TD_NAME_THREAD, thread)->u.thread.fiber = TD_NO_NUMBER;
    return 0;
}

static int group_hint(struct td_client_stream *stream, const uint8_t *payload)
{
    struct td_wire_ThreadGroupHint item = td_wire_get_ThreadGroupHint(payload, stream->config.release);
    uint32_t index = td_names_see(&stream->names, TD_NAME_THREAD, item.thread);
    if (index == TD_NO_NUMBER)
        return -1;
    struct td_name *thread = td_names_at(&stream->names, TD_NAME_THREAD, index);
    thread->u.thread.track.group_hint = item.groupHint;
    td_dict_track(stream->names.dict, &thread->u.thread.track);
    return 0;
}

static int single_string(struct td_client_stream *stream, const struct td_wire_view *view)
{
    memcpy(stream->text, view->data, view->bytes);
    stream->text_bytes = view->bytes;
    stream->have_text = 1;
    return 0;
}

static int answer(struct td_client_stream *stream, enum td_name_kind kind, const struct td_wire_view *view)
{
    uint64_t key = td_wire_get_StringData(view->payload, stream->config.release).ptr;
    return td_names_answer(&stream->names, kind, key, view->data, view->bytes);
}

/* Items that are not kept: what of them keeps the rest right. A location that they name is asked for, since
 * its answer may come anyway (locations are answered in the order of first sight). */
static int other(struct td_client_stream *stream, const struct td_wire_view *view)
{
    const struct td_wire_item_info *info = &td_wire_item_infos[view->item];
    uint64_t srcloc = 0;
    stream->counts.other++;
    if (info->clock == TD_CLOCK_THREAD) { /* GPU zones: their time is the first field */
        int64_t delta;
        memcpy(&delta, view->payload, sizeof delta);
        td_events_thread_ticks(stream, delta);
    }
    switch (view->item) {
    case TD_ITEM_GpuZoneBegin:
    case TD_ITEM_GpuZoneBeginCallstack:
    case TD_ITEM_GpuZoneBeginSerial:
    case TD_ITEM_GpuZoneBeginCallstackSerial:
        srcloc = td_wire_get_GpuZoneBegin(view->payload, stream->config.release).srcloc;
        break;
    case TD_ITEM_GpuZoneBeginAllocSrcLoc:
    case TD_ITEM_GpuZoneBeginAllocSrcLocCallstack:
    case TD_ITEM_GpuZoneBeginAllocSrcLocSerial:
    case TD_ITEM_GpuZoneBeginAllocSrcLocCallstackSerial:
        stream->have_srcloc = 0;
        break;
    case TD_ITEM_LockAnnounce:
        srcloc = td_wire_get_LockAnnounce(view->payload, stream->config.release).lckloc;
        break;
    case TD_ITEM_LockMark:
        srcloc = td_wire_get_LockMark(view->payload, stream->config.release).srcloc;
        break;
    case TD_ITEM_LockName:
    case TD_ITEM_GpuContextName:
    case TD_ITEM_CallstackFrameSize:
    case TD_ITEM_SymbolInformation:
    case TD_ITEM_CallstackFrame:
        stream->have_text = 0;
        break;
    default:
        break;
    }
    return srcloc && td_names_see(&stream->names, TD_NAME_SRCLOC, srcloc) == TD_NO_NUMBER ? -1 : 0;
}

/* Zones and what belongs to them. 1: not such an item. */
static int zone_item(struct td_client_stream *stream, const struct td_wire_view *view)
{
    const uint8_t *p = view->payload;
    switch (view->item) {
    case TD_ITEM_ZoneBegin:
    case TD_ITEM_ZoneBeginCallstack:
        return td_events_zone_begin(stream, p);
    case TD_ITEM_ZoneBeginAllocSrcLoc:
    case TD_ITEM_ZoneBeginAllocSrcLocCallstack:
        return td_events_allocated_zone_begin(stream, p);
    case TD_ITEM_ZoneEnd:
        return td_events_zone_end(stream, p);
    case TD_ITEM_ZoneText:
        return td_events_zone_text(stream, TD_EVENT_ZONE_TEXT);
    case TD_ITEM_ZoneName:
        return td_events_zone_text(stream, TD_EVENT_ZONE_NAME);
    case TD_ITEM_ZoneColor:
        return td_events_zone_color(stream, p);
    case TD_ITEM_ZoneValue:
        return td_events_zone_value(stream, p);
    default:
        return 1;
    }
}

/* Messages, plots, frames. 1: not such an item. */
static int moment_item(struct td_client_stream *stream, const struct td_wire_view *view)
{
    switch (view->item) {
    case TD_ITEM_Message:
    case TD_ITEM_MessageColor:
    case TD_ITEM_MessageCallstack:
    case TD_ITEM_MessageColorCallstack:
    case TD_ITEM_MessageAppInfo:
    case TD_ITEM_MessageLiteral:
    case TD_ITEM_MessageLiteralColor:
    case TD_ITEM_MessageLiteralCallstack:
    case TD_ITEM_MessageLiteralColorCallstack:
    case TD_ITEM_CrashReport:
        return td_events_message(stream, view);
    case TD_ITEM_PlotDataInt:
    case TD_ITEM_PlotDataFloat:
    case TD_ITEM_PlotDataDouble:
        return td_events_plot(stream, view);
    case TD_ITEM_PlotConfig:
        return td_events_plot_config(stream, view->payload);
    case TD_ITEM_FrameMarkMsg:
    case TD_ITEM_FrameMarkMsgStart:
    case TD_ITEM_FrameMarkMsgEnd:
        return td_events_frame(stream, view);
    default:
        return 1;
    }
}

/* What the other items need, and answers. 1: not such an item. */
static int state_item(struct td_client_stream *stream, const struct td_wire_view *view)
{
    const uint8_t *p = view->payload;
    switch (view->item) {
    case TD_ITEM_ThreadContext:
        return thread_context(stream, td_wire_get_ThreadContext(p, stream->config.release).thread);
    case TD_ITEM_SingleStringData:
        return single_string(stream, view);
    case TD_ITEM_SourceLocationPayload:
        return td_events_source_location_payload(stream, view->data, view->bytes);
    case TD_ITEM_FiberEnter:
        return fiber_enter(stream, p);
    case TD_ITEM_FiberLeave:
        return fiber_leave(stream, p);
    case TD_ITEM_ThreadGroupHint:
        return group_hint(stream, p);
    case TD_ITEM_StringData:
        return answer(stream, TD_NAME_TEXT, view);
    case TD_ITEM_ThreadName:
        return answer(stream, TD_NAME_THREAD, view);
    case TD_ITEM_PlotName:
        return answer(stream, TD_NAME_PLOT, view);
    case TD_ITEM_FrameName:
        return answer(stream, TD_NAME_FRAME, view);
    case TD_ITEM_FiberName:
        return answer(stream, TD_NAME_FIBER, view);
    case TD_ITEM_SourceLocation: {
        struct td_wire_SourceLocation location = td_wire_get_SourceLocation(p, stream->config.release);
        return td_names_answer_srcloc(&stream->names, &location);
    }
    case TD_ITEM_AckServerQueryNoop:
        td_names_credit(&stream->names);
        return 0;
    case TD_ITEM_Terminate:
        stream->terminated = 1;
        return 0;
    default:
        return 1;
    }
}

/* 0, or not: no memory. */
static int item(struct td_client_stream *stream, const struct td_wire_view *view)
{
    int how = zone_item(stream, view);
    if (how == 1)
        how = state_item(stream, view);
    if (how == 1)
        how = moment_item(stream, view);
    return how == 1 ? other(stream, view) : how;
}

int td_client_stream_frame(struct td_client_stream *stream, const uint8_t *frame, size_t bytes,
                           struct td_err *err)
{
    size_t at = 0;
    struct td_wire_view view;
    int more, bad = 0;
    while (!bad && (more = td_wire_next(stream->config.release, frame, bytes, &at, &view, err)) != 0) {
        if (more < 0)
            bad = more;
        else if (item(stream, &view) != 0)
            bad = no_memory(err);
        else
            stream->counts.items++;
    }
    int pushed = td_events_push(stream, 0, err);
    return bad ? bad : pushed;
}

size_t td_client_stream_queries(struct td_client_stream *stream, uint8_t *to, size_t room)
{
    return td_names_queries(&stream->names, stream->config.release, to, room);
}

int td_client_stream_terminated(const struct td_client_stream *stream)
{
    return stream->terminated;
}

int td_client_stream_complete(const struct td_client_stream *stream)
{
    return stream->names.asked_waiting == 0;
}

uint64_t td_client_stream_answers(const struct td_client_stream *stream)
{
    return stream->names.answers;
}

int td_client_stream_close(struct td_client_stream *stream, struct td_err *err)
{
    return td_events_push(stream, 1, err);
}

const struct td_client_counts *td_client_stream_counts(const struct td_client_stream *stream)
{
    return &stream->counts;
}

int td_client_stream_base_frame(struct td_client_stream *stream, int64_t ticks, struct td_err *err)
{
    return td_events_base_frame(stream, ticks) != 0 ? no_memory(err) : td_events_push(stream, 0, err);
}
