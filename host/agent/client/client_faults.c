#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"
#include "host/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>

void td_stream_fault(struct td_client_stream *stream, enum td_client_fault kind, int64_t ns,
                     const uint64_t *thread)
{
    if (stream->faults.first[kind].count++)
        return;
    stream->faults.first[kind].ns = ns;
    stream->faults.first[kind].has_thread = thread != NULL;
    if (!thread)
        return;
    stream->faults.first[kind].thread = *thread;
    const struct td_name *track = kind <= TD_CLIENT_FAULT_ZONE_NAME ? td_stream_track(stream) : NULL;
    if (!track || !track->u.thread.has_begun)
        return;
    stream->faults.first[kind].has_zone = true;
    stream->faults.first[kind].zone = track->u.thread.last_srcloc;
    stream->faults.first[kind].zone_ref = track->u.thread.last_ref;
}

/* A fault of the current thread, at the time of its last item. */
static void zone_fault(struct td_client_stream *stream, enum td_client_fault kind)
{
    const uint64_t thread = stream->context;
    const struct td_name *track = td_stream_track(stream);
    int64_t ns = stream->thread_time ? td_stream_ns(stream, stream->thread_time) : -1;
    if (track && track->u.thread.has_begun && track->u.thread.last_ns > ns)
        ns = track->u.thread.last_ns;
    td_stream_fault(stream, kind, ns, &thread);
}

static void memory_fault(struct td_client_stream *stream, enum td_client_fault kind, uint64_t thread)
{
    td_stream_fault(stream, kind, td_stream_ns(stream, stream->serial_time), &thread);
}

void td_stream_faulty(struct td_client_stream *stream, const struct td_wire_view *view)
{
    switch (view->item) {
    case TD_ITEM_ZoneEnd:
        zone_fault(stream, TD_CLIENT_FAULT_ZONE_DOUBLE_END);
        break;
    case TD_ITEM_ZoneText:
        zone_fault(stream, TD_CLIENT_FAULT_ZONE_TEXT);
        break;
    case TD_ITEM_ZoneValue:
        zone_fault(stream, TD_CLIENT_FAULT_ZONE_VALUE);
        break;
    case TD_ITEM_ZoneColor:
        zone_fault(stream, TD_CLIENT_FAULT_ZONE_COLOR);
        break;
    case TD_ITEM_ZoneName:
        zone_fault(stream, TD_CLIENT_FAULT_ZONE_NAME);
        break;
    case TD_ITEM_MemFree:
    case TD_ITEM_MemFreeNamed:
    case TD_ITEM_MemFreeCallstack:
    case TD_ITEM_MemFreeCallstackNamed:
        memory_fault(stream, TD_CLIENT_FAULT_MEMORY_FREE, TD_GET(MemFree).thread);
        break;
    case TD_ITEM_MemAlloc:
    case TD_ITEM_MemAllocNamed:
    case TD_ITEM_MemAllocCallstack:
    case TD_ITEM_MemAllocCallstackNamed:
        memory_fault(stream, TD_CLIENT_FAULT_MEMORY_TWICE, TD_GET(MemAlloc).thread);
        break;
    case TD_ITEM_FrameMarkMsgStart:
    case TD_ITEM_FrameMarkMsgEnd:
        td_stream_fault(stream, TD_CLIENT_FAULT_FRAME_END, td_stream_ns(stream, TD_GET(FrameMarkMsg).time),
                        NULL);
        break;
    case TD_ITEM_FrameImage:
        td_stream_fault(stream, TD_CLIENT_FAULT_FRAME_IMAGE, -1, NULL);
        break;
    case TD_ITEM_FiberLeave: {
        const uint64_t thread = TD_GET(FiberLeave).thread;
        td_stream_fault(stream, TD_CLIENT_FAULT_FIBER_LEAVE, td_stream_ns(stream, stream->thread_time),
                        &thread);
        break;
    }
    case TD_ITEM_LockRelease:
        td_stream_fault(stream, TD_CLIENT_FAULT_LOCK_RELEASE, td_stream_ns(stream, stream->serial_time),
                        NULL);
        break;
    default:
        break;
    }
}

/* ---- numbers of zones ---- */

struct td_zone_ids *td_stream_zone_ids(struct td_client_stream *stream)
{
    struct td_client_faults *f = &stream->faults;
    const struct td_name *track = td_stream_track(stream);
    if (!track)
        return NULL;
    uint32_t index = td_map_get(&f->rows, track->number, TD_NO_NUMBER);
    if (index != TD_NO_NUMBER)
        return &f->ids[index];
    struct td_zone_ids ids = {0};
    size_t open = track->u.thread.open_zones;
    if (td_grow(&f->ids, &f->id_capacity, f->id_count + 1, sizeof *f->ids) < 0 ||
        td_map_add(&f->rows, track->number, (uint32_t)f->id_count) < 0 ||
        td_grow(&ids.at, &ids.capacity, open + 1, sizeof *ids.at) < 0)
        return NULL;
    memset(ids.at, 0, open * sizeof *ids.at);
    ids.count = open;
    f->ids[f->id_count] = ids;
    return &f->ids[f->id_count++];
}

/* The number that came before an item of a zone. Zones of clients that send none have 0, as has the item of a zone
 * that ended out of order when it is sent after the zones inside of it. */
static uint32_t take_number(struct td_zone_ids *ids)
{
    const uint32_t number = ids->next;
    ids->next = 0;
    return number;
}

static bool knows_zone(const struct td_zone_ids *ids, uint32_t number)
{
    for (size_t i = ids->count; i-- > 0;)
        if (ids->at[i] == number)
            return true;
    return false;
}

/* A zone ends out of order. Returns the time. */
static int64_t end_fault(struct td_client_stream *stream, const struct td_wire_view *view,
                         enum td_client_fault kind)
{
    const uint64_t thread = stream->context;
    const int64_t ticks = td_wrap_add(stream->thread_time, TD_GET(ZoneEnd).time);
    td_stream_fault(stream, kind, td_stream_ns(stream, ticks), &thread);
    return ticks;
}

/* The fault of an item whose number is not that of the innermost zone. An item for a zone that is not open here is
 * left out: TD_ZONE_LEFT_OUT. */
static int other_zone(struct td_client_stream *stream, const struct td_wire_view *view,
                      struct td_zone_ids *ids, uint32_t number)
{
    const bool is_left_out = !knows_zone(ids, number);
    if (view->item == TD_ITEM_ZoneEnd) {
        const int64_t ticks = end_fault(
            stream, view, ids->count ? TD_CLIENT_FAULT_ZONE_ORDER : TD_CLIENT_FAULT_ZONE_DOUBLE_END);
        if (is_left_out)
            stream->thread_time = ticks;
    } else {
        td_stream_faulty(stream, view);
    }
    if (!is_left_out)
        return 0;
    stream->have_text = 0;
    return TD_ZONE_LEFT_OUT;
}

int td_stream_check_zone(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_zone_ids *ids;
    uint32_t number;
    int left_out = 0;
    switch (view->item) {
    case TD_ITEM_ZoneValidation:
        stream->faults.has_ids = true;
        ids = td_stream_zone_ids(stream);
        if (ids) {
            ids->next = TD_GET(ZoneValidation).id;
            ids->is_odd = !ids->next;
        }
        return ids || !stream->have_context ? 0 : TD_E_NOMEM;
    case TD_ITEM_ZoneBegin:
    case TD_ITEM_ZoneBeginCallstack:
    case TD_ITEM_ZoneBeginAllocSrcLoc:
    case TD_ITEM_ZoneBeginAllocSrcLocCallstack:
        ids = td_stream_zone_ids(stream);
        if (!ids)
            return stream->have_context ? TD_E_NOMEM : 0;
        return TD_APPEND(ids->at, ids->count, ids->capacity, take_number(ids));
    case TD_ITEM_ZoneEnd:
    case TD_ITEM_ZoneText:
    case TD_ITEM_ZoneName:
    case TD_ITEM_ZoneColor:
    case TD_ITEM_ZoneValue:
        ids = td_stream_zone_ids(stream);
        if (!ids)
            return 0;
        number = take_number(ids);
        if (ids->is_odd && view->item == TD_ITEM_ZoneEnd)
            end_fault(stream, view, TD_CLIENT_FAULT_ZONE_ORDER);
        else if (number != (ids->count ? ids->at[ids->count - 1] : 0))
            left_out = other_zone(stream, view, ids, number);
        ids->is_odd = false;
        if (!left_out && view->item == TD_ITEM_ZoneEnd && ids->count)
            ids->count--;
        return left_out;
    default:
        return 0;
    }
}

/* ---- notes ---- */

/* " in thread NAME (NUMBER), zone NAME (FILE:LINE)", as far as it is known. */
static void describe_place(struct td_client_stream *stream, unsigned kind, char *to, size_t room)
{
    size_t n = 0;
    *to = 0;
    if (stream->faults.first[kind].ns >= 0)
        n = (size_t)snprintf(to, room, " at %.9f s", (double)stream->faults.first[kind].ns / 1e9);
    if (stream->faults.first[kind].has_thread) {
        const struct td_name *thread =
            td_names_find(&stream->names, TD_NAME_THREAD, stream->faults.first[kind].thread);
        char number[24];
        snprintf(number, sizeof number, "%" PRIu64, stream->faults.first[kind].thread);
        const char *name = thread ? td_dict_text(stream->dict, thread->u.thread.track.name) : "";
        name = strcmp(name, number) ? name : ""; /* it has none of its own */
        n += (size_t)snprintf(to + n, room - n, " in thread %.80s%s%" PRIu64 "%s", name, *name ? " (" : "",
                              stream->faults.first[kind].thread, *name ? ")" : "");
    }
    if (!stream->faults.first[kind].has_zone)
        return;
    uint32_t number = stream->faults.first[kind].zone;
    if (stream->faults.first[kind].zone_ref == TD_REF_SRCLOC)
        number = td_names_number(&stream->names, TD_NAME_SRCLOC, number, 1);
    if (number == TD_NO_NUMBER)
        return;
    const struct td_srcloc *place = td_dict_get_srcloc(stream->dict, number);
    snprintf(to + n, room - n, ", after zone %.80s began (%.120s:%" PRIu32 ")",
             td_dict_zone_name(stream->dict, number), td_dict_text(stream->dict, place->file), place->line);
}

/* What stock's recorder of the same release does at the fault. */
static const char *stock_does(const struct td_client_stream *stream, enum td_client_fault kind, bool stops)
{
    const uint8_t flags = stream->config.welcome ? stream->config.welcome->flags : 0;
    const bool on_demand = flags & TD_WIRE_FLAG_ON_DEMAND, ignores = flags & TD_WIRE_FLAG_IGNORE_MEMORY;
    const uint32_t protocol = stream->release->protocol;
    if (kind == TD_CLIENT_FAULT_LOCK_THREADS)
        return "stock's capture keeps the first 64 only, or fails";
    if (kind == TD_CLIENT_FAULT_PLOT_VALUE)
        return "stock's capture leaves it out, too";
    if (!stops || (kind == TD_CLIENT_FAULT_MEMORY_FREE && (on_demand || ignores)) ||
        (kind == TD_CLIENT_FAULT_MEMORY_TWICE && protocol >= td_wire_82.protocol && ignores) ||
        (kind == TD_CLIENT_FAULT_FRAME_END && protocol >= td_wire_66.protocol && on_demand))
        return "stock's capture tolerates it too";
    return "stock's capture ends the session there";
}

int td_stream_faults_end(struct td_client_stream *stream)
{
    static const struct {
        const char *what;
        bool stops;
    } kinds[] = {
#define TD_X(kind, what, stops) {what, stops},
        TD_CLIENT_FAULTS(TD_X)
#undef TD_X
    };
    char place[500], text[900];
    for (unsigned kind = 0; kind < TD_CLIENT_FAULT_KINDS; kind++) {
        const uint64_t count = stream->faults.first[kind].count;
        if (!count)
            continue;
        describe_place(stream, kind, place, sizeof place);
        int n = snprintf(text, sizeof text, TD_NOTE_INSTRUMENTATION ": %s%s; %" PRIu64 " in all; %s",
                         kinds[kind].what, place, count,
                         stock_does(stream, (enum td_client_fault)kind, kinds[kind].stops));
        uint32_t string = td_dict_string(stream->dict, text, (size_t)n);
        struct td_event *event =
            string == UINT32_MAX ? NULL : td_pending_add(stream, TD_EVENT_APP_INFO, TD_REF_NONE);
        if (!event)
            return TD_E_NOMEM;
        event->subject = string;
    }
    return 0;
}

void td_stream_faults_finish(struct td_client_stream *stream)
{
    for (size_t i = 0; i < stream->faults.id_count; i++)
        free(stream->faults.ids[i].at);
    free(stream->faults.ids);
    td_map_finish(&stream->faults.rows);
}
