/* Ends a session with a client that continues to run: waits for everything that the program had marked when
 * the user stopped, then takes only answers.
 *
 * A Tracy client is not asked to disconnect: it would drop what it has queued, among it answers to questions
 * about code; and on systems that do not show it context switches it would never end.
 *
 * A client alternates between sending the queues of its threads and answering questions. So the answer to a
 * question arrives after everything that was queued a turn before. The stream sends pings (questions for a
 * thread name that does not exist, which every release answers at once) until a turn brings nothing but the
 * answer, or until there were more turns than threads. */
#include "host/agent/client/client_internal.h"

#define LEAVE_MS 1500 /* the longest wait for a program that marks without a pause */

static const uint8_t is_answer[TD_ITEM_COUNT] = {
    [TD_ITEM_KeepAlive] = 1,
    [TD_ITEM_SingleStringData] = 1,
    [TD_ITEM_SecondStringData] = 1,
    [TD_ITEM_StringData] = 1,
    [TD_ITEM_ThreadName] = 1,
    [TD_ITEM_ThreadGroupHint] = 1,
    [TD_ITEM_PlotName] = 1,
    [TD_ITEM_FrameName] = 1,
    [TD_ITEM_FiberName] = 1,
    [TD_ITEM_SourceLocation] = 1,
    [TD_ITEM_AckServerQueryNoop] = 1,
    [TD_ITEM_AckSymbolCodeNotAvailable] = 1,
    [TD_ITEM_AckSourceCodeNotAvailable] = 1,
    [TD_ITEM_CallstackFrameSize] = 1,
    [TD_ITEM_CallstackFrame] = 1,
    [TD_ITEM_SymbolInformation] = 1,
    [TD_ITEM_SymbolCode] = 1,
    [TD_ITEM_SourceCode] = 1,
    [TD_ITEM_ExternalName] = 1,
    [TD_ITEM_ExternalThreadName] = 1,
    [TD_ITEM_Terminate] = 1,
};

bool td_stream_leave_takes(struct td_client_stream *stream, enum td_item item)
{
    if (is_answer[item])
        return 1;
    stream->leave.events++;
    return !stream->leave.left;
}

/* How many threads of the program have marked something. */
static size_t count_threads(const struct td_client_stream *stream)
{
    size_t count = 0;
    for (size_t i = 0; i < stream->names.kinds[TD_NAME_THREAD].count; i++)
        count += stream->names.kinds[TD_NAME_THREAD].all[i].number != TD_NO_NUMBER;
    return count;
}

void td_client_stream_leave_now(struct td_client_stream *stream)
{
    stream->leave.left = 1;
}

bool td_client_stream_has_left(const struct td_client_stream *stream)
{
    return stream->leave.left;
}

int td_client_stream_leave(struct td_client_stream *stream, int64_t now_ms, struct td_err *err)
{
    struct td_stream_leave *l = &stream->leave;
    if (l->left)
        return 1;
    if (!l->turns)
        l->began_ms = now_ms;
    else if (l->events != l->before && now_ms - l->began_ms > LEAVE_MS)
        return l->left = 1;
    else if (!td_names_has_ponged(&stream->names))
        return 0;
    else if (l->events == l->before || l->turns > count_threads(stream))
        return l->left = 1;
    l->turns++;
    l->before = l->events;
    if (td_names_ping(&stream->names) != 0)
        return td_fail_no_memory(err, "for questions to the program");
    return 0;
}
