#include "host/agent/client/client_internal.h"
#include "host/trace/origin.h"
#include "host/wire/hello.h"

#include <stdlib.h>

#define WAITING_BYTES 16u /* of the model, for each event that waits */

struct td_client_stream *td_client_stream_create(const struct td_client_stream_config *config)
{
    struct td_client_stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->config = *config;
    if (!stream->config.pending_max)
        stream->config.pending_max = TD_CLIENT_PENDING_MAX;
    stream->release = config->release;
    stream->hub = config->hub;
    stream->dict = td_hub_dict(config->hub);
    stream->thread = TD_NO_NUMBER;
    stream->begin_ns = td_stream_ns(stream, config->begin_ticks);
    stream->earliest_ns = stream->begin_ns > TD_TRACE_EARLY_NS ? stream->begin_ns - TD_TRACE_EARLY_NS : 1;
    stream->has_late_ends = config->welcome && td_wire_is_own_client(config->welcome);
    stream->stacks.serials = td_client_space_serials(config->space);
    if (!stream->stacks.serials)
        stream->stacks.serials = &stream->stacks.own_serials;
    td_names_init(&stream->names, stream->dict, config->query_space);
    stream->names.trace_space = config->space;
    stream->holder = (struct td_dict_holder){.hold = td_pending_hold, .self = stream};
    td_dict_add_holder(stream->dict, &stream->holder);
    return stream;
}

void td_client_stream_destroy(struct td_client_stream *stream)
{
    if (!stream)
        return;
    td_dict_remove_holder(&stream->holder);
    td_names_free(&stream->names);
    td_stream_stacks_finish(stream);
    td_stream_switches_finish(stream);
    td_stream_locks_finish(stream);
    td_stream_memory_finish(stream);
    td_stream_gpu_finish(stream);
    td_stream_faults_finish(stream);
    td_map_finish(&stream->early_images);
    td_map_finish(&stream->power);
    td_map_finish(&stream->sections);
    td_map_finish(&stream->section_categories);
    td_map_finish(&stream->hw_addresses);
    td_map_finish(&stream->parameters);
    td_map_finish(&stream->made_places);
    td_map_finish(&stream->source_files);
    free(stream->powers.at);
    free(stream->image.data);
    free(stream->waiting);
    free(stream->promised.at);
    free(stream);
}

/* Fills *err with the sinks' error if there is one, else with a lack of memory. */
static int fail_with(const struct td_client_stream *stream, int code, struct td_err *err)
{
    if (stream->err.code)
        return td_fail(err, stream->err.code, "%s", stream->err.text);
    return td_fail(err, code, "out of memory for the program's events");
}

/* ---- threads ---- */

int td_take_group_hint(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_ThreadGroupHint item = TD_GET(ThreadGroupHint);
    uint32_t index = td_names_see(&stream->names, TD_NAME_THREAD, item.thread);
    if (index == TD_NO_NUMBER)
        return TD_E_NOMEM;
    struct td_name *thread = td_names_at(&stream->names, TD_NAME_THREAD, index);
    thread->u.thread.track.group_hint = item.groupHint;
    if (thread->number != TD_NO_NUMBER)
        td_client_space_track(stream->config.space, stream->dict, &thread->u.thread.track);
    return 0;
}

/* Adds the names of threads without events, and properties of tracks that are known only at the end. */
int td_stream_threads_end(struct td_client_stream *stream)
{
    for (size_t i = 0; i < stream->names.kinds[TD_NAME_THREAD].count; i++) {
        const struct td_name *thread = &stream->names.kinds[TD_NAME_THREAD].all[i];
        const int64_t row[] = {(int64_t)thread->key, thread->u.thread.track.name};
        if (thread->number != TD_NO_NUMBER) {
            if (thread->u.thread.track.kernel_samples)
                td_client_space_track(stream->config.space, stream->dict, &thread->u.thread.track);
            continue;
        }
        int64_t added = thread->answered && !thread->u.thread.is_only_named
                            ? td_stream_row(stream, TD_TABLE_THREAD_NAME, 0, row)
                            : 0;
        if (added < 0)
            return (int)added;
    }
    return 0;
}

/* ---- answers ---- */

int td_take_answer(struct td_client_stream *stream, const struct td_wire_view *view)
{
    enum td_name_kind kind = view->item == TD_ITEM_ThreadName  ? TD_NAME_THREAD
                             : view->item == TD_ITEM_PlotName  ? TD_NAME_PLOT
                             : view->item == TD_ITEM_FrameName ? TD_NAME_FRAME
                             : view->item == TD_ITEM_FiberName ? TD_NAME_FIBER
                                                               : TD_NAME_TEXT;
    return td_names_answer(&stream->names, kind, TD_GET(StringData).ptr, view->data, view->bytes);
}

int td_take_srcloc_answer(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_SourceLocation location = TD_GET(SourceLocation);
    return td_names_answer_srcloc(&stream->names, &location);
}

int td_take_noop(struct td_client_stream *stream, const struct td_wire_view *view)
{
    td_names_noop(&stream->names);
    return 0;
}

int td_take_terminate(struct td_client_stream *stream, const struct td_wire_view *view)
{
    stream->terminated = 1;
    return 0;
}

/* ---- frames of items ---- */

static int (*const take[TD_ITEM_COUNT])(struct td_client_stream *stream, const struct td_wire_view *view) = {
#define TD_X(item, function) [TD_ITEM_##item] = td_take_##function,
    TD_TAKEN(TD_X)
#undef TD_X
};

enum text { NO_TEXT, A_TEXT, BEFORE_THE_FRAME };

/* Items with the lowest numbers are each preceded by a text. This distinguishes the fork from Tracy: a device
 * of the fork, parsed as Tracy's items, looks like an OpenGL context and application information without a
 * text. */
static bool lacks_text(const struct td_wire_view *view, enum text *text)
{
    if (view->item > TD_ITEM_MessageAppInfo) {
        if (view->item == TD_ITEM_SingleStringData)
            *text = A_TEXT;
        else if (*text == BEFORE_THE_FRAME)
            *text = NO_TEXT;
        return 0;
    }
    const bool lacks = *text == NO_TEXT;
    *text = NO_TEXT;
    return lacks;
}

/* The frame's items make sense in this protocol. Sets *gpu if one of them is of a GPU context. */
static bool can_parse(const struct td_wire_release *release, const uint8_t *frame, size_t bytes, int *gpu)
{
    size_t at = 0;
    struct td_wire_view view;
    struct td_err ignored = {0};
    enum text text = BEFORE_THE_FRAME;
    int more;
    *gpu = 0;
    while ((more = td_wire_next(release, frame, bytes, &at, &view, &ignored)) == 1) {
        if (lacks_text(&view, &text))
            return 0;
        if (view.item >= TD_ITEM_GpuZoneBegin && view.item <= TD_ITEM_GpuZoneEndSerial)
            *gpu = 1;
        if (view.item == TD_ITEM_GpuTime || view.item == TD_ITEM_GpuContextName)
            *gpu = 1;
        if (view.item != TD_ITEM_GpuNewContext)
            continue;
        struct td_wire_GpuNewContext context = td_wire_get_GpuNewContext(view.payload, release);
        *gpu = 1;
        if (context.flags > 1 || !context.type || context.type > 6)
            return 0;
    }
    return more == 0;
}

/* Tracy 0.11.0 and the fork have the same protocol number; only items of GPU contexts differ in length. */
static void choose_release(struct td_client_stream *stream, const uint8_t *frame, size_t bytes)
{
    int gpu;
    bool is_tracy = can_parse(&td_wire_66, frame, bytes, &gpu);
    if (!gpu)
        return;
    stream->chosen = 1;
    if (!is_tracy && can_parse(&td_wire_66tt, frame, bytes, &gpu))
        stream->release = &td_wire_66tt;
}

static int begin_session(struct td_client_stream *stream)
{
    if (stream->began)
        return 0;
    stream->began = 1;
    return td_stream_memory_begin(stream);
}

int td_client_stream_frame(struct td_client_stream *stream, const uint8_t *frame, size_t bytes,
                           struct td_err *err)
{
    size_t at = 0;
    struct td_wire_view view;
    int more, bad = begin_session(stream);
    if (bad)
        return fail_with(stream, bad, err);
    if (stream->release == &td_wire_66 && !stream->chosen)
        choose_release(stream, frame, bytes);
    stream->zones.waits = 0;
    while (!bad && (bad = td_stream_zone_run(stream, frame, bytes, &at)) == 0 &&
           (more = td_wire_next(stream->release, frame, bytes, &at, &view, err)) != 0) {
        if (more < 0) {
            td_pending_push(stream, 0);
            return more;
        }
        if (!td_stream_leave_takes(stream, view.item))
            continue;
        const uint64_t odd = stream->counts.ignored + stream->counts.odd_memory;
        if (stream->faults.has_ids || view.item == TD_ITEM_ZoneValidation)
            bad = td_stream_check_zone(stream, &view);
        if (bad == TD_ZONE_LEFT_OUT)
            bad = 0;
        else if (!bad && take[view.item])
            bad = take[view.item](stream, &view);
        else
            stream->counts.other++;
        if (stream->counts.ignored + stream->counts.odd_memory != odd)
            td_stream_faulty(stream, &view);
        stream->counts.items++;
    }
    int later = td_pending_push(stream, 0);
    bad = bad ? bad : stream->lacks_memory ? TD_E_NOMEM : later;
    bad = bad ? bad : td_stream_memory_flush(stream);
    bad = bad ? bad : td_stream_gpu_flush(stream, 0);
    stream->counts.questions = stream->names.asked_waiting;
    return bad ? fail_with(stream, bad, err) : 0;
}

/* ---- the rest of the interface ---- */

size_t td_client_stream_queries(struct td_client_stream *stream, uint8_t *to, size_t room)
{
    return td_names_queries(&stream->names, stream->release, to, room);
}

int td_client_stream_asked(struct td_client_stream *stream, const uint8_t *bytes, struct td_err *err)
{
    struct td_wire_query query;
    td_wire_get_query(bytes, stream->release, &query);
    return td_names_see_query(&stream->names, &query) == 0 ? 0 : fail_with(stream, TD_E_NOMEM, err);
}

bool td_client_stream_is_terminated(const struct td_client_stream *stream)
{
    return stream->terminated;
}

bool td_client_stream_is_complete(const struct td_client_stream *stream)
{
    return td_names_is_complete(&stream->names);
}

uint64_t td_client_stream_answers(const struct td_client_stream *stream)
{
    return stream->names.answers;
}

int td_client_stream_close(struct td_client_stream *stream, struct td_err *err)
{
    int bad = begin_session(stream);
    stream->counts.unanswered = td_names_unanswered(&stream->names);
    bad = bad ? bad : td_stream_faults_end(stream);
    td_stream_zones_counted(stream);
    int later = td_pending_push(stream, 1);
    bad = bad ? bad : later;
    bad = bad ? bad : td_stream_memory_flush(stream);
    bad = bad ? bad : td_stream_gpu_flush(stream, 1);
    bad = bad ? bad : td_stream_switches_end(stream);
    bad = bad ? bad : td_stream_threads_end(stream);
    return bad ? fail_with(stream, bad, err) : 0;
}

const struct td_wire_release *td_client_stream_release(const struct td_client_stream *stream)
{
    return stream->release;
}

uint64_t td_client_stream_growth(const struct td_client_stream *stream)
{
    uint64_t bytes = td_stream_memory_growth(stream) + td_map_growth(&stream->stacks.by_content) +
                     (stream->count - stream->begin) * WAITING_BYTES;
    for (int kind = 0; kind < TD_NAME_KINDS; kind++)
        bytes += td_map_growth(&stream->names.kinds[kind].map);
    return bytes;
}

const struct td_client_counts *td_client_stream_counts(const struct td_client_stream *stream)
{
    return &stream->counts;
}

int td_client_stream_base_frame(struct td_client_stream *stream, int64_t ticks, struct td_err *err)
{
    int bad = td_stream_base_frame(stream, ticks);
    bad = bad ? bad : td_pending_push(stream, 0);
    return bad ? fail_with(stream, bad, err) : 0;
}
