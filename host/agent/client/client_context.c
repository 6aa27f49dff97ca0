/* State that items depend on: clocks, the current thread, texts that came just before. */
#include "host/agent/client/client_internal.h"
#include "host/trace/origin.h"

int64_t td_stream_signed_ns(const struct td_client_stream *stream, int64_t ticks)
{
    const struct td_stream_clock clock = td_stream_get_clock(stream);
    const double ns = td_stream_clock_about(&clock, ticks);
    if (!(ns > -TD_STREAM_NS_MOST))
        return (int64_t)-TD_STREAM_NS_MOST;
    return ns < TD_STREAM_NS_MOST ? td_stream_clock_exact(&clock, ticks) : (int64_t)TD_STREAM_NS_MOST;
}

int64_t td_stream_ns(const struct td_client_stream *stream, int64_t ticks)
{
    const struct td_stream_clock clock = td_stream_get_clock(stream);
    return td_stream_clock_ns(&clock, ticks);
}

static void note_event(struct td_client_stream *stream, int64_t ticks, int64_t ns)
{
    const struct td_stream_clock clock = td_stream_get_clock(stream);
    stream->counts.time_bent += !ns && td_stream_clock_is_early(&clock, ticks);
    td_stream_begins(stream, ns);
}

int64_t td_stream_event_ns(struct td_client_stream *stream, int64_t ticks)
{
    const int64_t ns = td_stream_ns(stream, ticks);
    note_event(stream, ticks, ns);
    return ns;
}

void td_stream_begins(struct td_client_stream *stream, int64_t ns)
{
    if (ns >= stream->begin_ns || ns < stream->earliest_ns)
        return;
    stream->begin_ns = ns;
    if (stream->config.trace)
        td_trace_begins(stream->config.trace, ns);
}

int64_t td_client_stream_begin_ns(const struct td_client_stream *stream)
{
    return stream->begin_ns;
}

void td_client_stream_set_clock(struct td_client_stream *stream, double ns_per_tick, int64_t zero_ticks,
                                int64_t zero_ns)
{
    stream->config.ns_per_tick = ns_per_tick;
    stream->config.zero_ticks = zero_ticks;
    stream->config.zero_ns = zero_ns;
}

int td_client_stream_ask_ahead(struct td_client_stream *stream)
{
    return td_names_ask_ahead(&stream->names);
}

int td_client_stream_ask_clock(struct td_client_stream *stream)
{
    return td_names_ask_clock(&stream->names);
}

uint32_t td_client_stream_clock(const struct td_client_stream *stream, uint64_t *sent, int64_t *ticks,
                                uint64_t *got)
{
    const struct td_names *names = &stream->names;
    *sent = names->clock_sent;
    *ticks = names->clock_ticks;
    *got = names->clock_got;
    return names->clock_count;
}

int64_t td_stream_event_forward(struct td_client_stream *stream, int64_t ticks, int64_t *last_ns)
{
    const int64_t ns = td_stream_ns(stream, ticks);
    if (ns >= *last_ns)
        note_event(stream, ticks, ns);
    return td_stream_forward(stream, ns, last_ns);
}

int64_t td_stream_forward(struct td_client_stream *stream, int64_t ns, int64_t *last_ns)
{
    if (ns < *last_ns) {
        stream->counts.time_bent++;
        ns = *last_ns;
    }
    *last_ns = ns;
    return ns;
}

/* ---- threads ---- */

/* The thread becomes a track only with its first event. */
int td_take_context(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint32_t thread = TD_GET(ThreadContext).thread;
    if (!stream->have_context || stream->context != thread)
        stream->thread = TD_NO_NUMBER;
    stream->have_context = 1;
    stream->context = thread;
    stream->thread_time = 0;
    return 0;
}

struct td_name *td_stream_track(struct td_client_stream *stream)
{
    if (stream->thread == TD_NO_NUMBER && stream->have_context)
        stream->thread = td_names_see(&stream->names, TD_NAME_THREAD, stream->context);
    if (stream->thread == TD_NO_NUMBER) {
        stream->lacks_memory |= stream->have_context;
        return NULL;
    }
    uint32_t index = stream->thread;
    enum td_name_kind kind = TD_NAME_THREAD;
    uint32_t fiber = td_names_at(&stream->names, kind, index)->u.thread.fiber;
    if (fiber != TD_NO_NUMBER) {
        kind = TD_NAME_FIBER;
        index = fiber;
    }
    if (td_names_track(&stream->names, kind, index) != TD_NO_NUMBER)
        return td_names_at(&stream->names, kind, index);
    stream->lacks_memory = true;
    return NULL;
}

uint32_t td_stream_thread_track(struct td_client_stream *stream, uint32_t thread)
{
    uint32_t index = td_names_see(&stream->names, TD_NAME_THREAD, thread);
    return index == TD_NO_NUMBER ? index : td_names_track(&stream->names, TD_NAME_THREAD, index);
}

int td_stream_thread(struct td_client_stream *stream, uint32_t thread)
{
    return td_names_see(&stream->names, TD_NAME_THREAD, thread) == TD_NO_NUMBER ? TD_E_NOMEM : 0;
}

/* ---- preceding texts ---- */

int td_take_single(struct td_client_stream *stream, const struct td_wire_view *view)
{
    memcpy(stream->text, view->data, view->bytes);
    stream->text_bytes = view->bytes;
    stream->have_text = 1;
    return 0;
}

int td_take_second(struct td_client_stream *stream, const struct td_wire_view *view)
{
    stream->second = td_dict_string(stream->dict, (const char *)view->data, view->bytes);
    if (stream->second != UINT32_MAX)
        return 0;
    stream->second = 0;
    return TD_E_NOMEM;
}

static uint32_t take_text(struct td_client_stream *stream)
{
    uint32_t bytes = stream->have_text ? stream->text_bytes : 0;
    stream->have_text = 0;
    return bytes;
}

int td_stream_text(struct td_client_stream *stream, uint32_t *string)
{
    *string = td_dict_string(stream->dict, (const char *)stream->text, take_text(stream));
    return *string == UINT32_MAX ? TD_E_NOMEM : 0;
}

int td_stream_passing_text(struct td_client_stream *stream, uint32_t *string)
{
    *string = td_dict_passing_string(stream->dict, (const char *)stream->text, take_text(stream));
    return *string == UINT32_MAX ? TD_E_NOMEM : 0;
}
