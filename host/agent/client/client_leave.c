/* The end of a session that the client goes on with: what the program had marked when the user stopped is
 * awaited, then only answers are taken.
 *
 * A stock client is not asked to disconnect. It would drop what it has queued, answers to questions about
 * code among it, and where the system shows it no context switches it would never end. It takes what threads
 * have queued, then questions, in turns; so an answer comes after what was queued a turn before. It is asked
 * for a name that means nothing (which every release answers at once) until a turn brings no more than the
 * answer, or each thread has had its turn. */
#include "host/agent/client/client_internal.h"

#define LEAVE_MS 1500 /* a program that marks all the time is not awaited for longer */

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

int td_stream_leave_takes(struct td_client_stream *stream, enum td_item item)
{
    if (is_answer[item])
        return 1;
    stream->leave.events++;
    return !stream->leave.left;
}

/* The program's threads that have marked something. */
static size_t threads(const struct td_client_stream *stream)
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

int td_client_stream_has_left(const struct td_client_stream *stream)
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
    else if (!td_names_pinged(&stream->names))
        return 0;
    else if (l->events == l->before || l->turns > threads(stream))
        return l->left = 1;
    l->turns++;
    l->before = l->events;
    if (td_names_ping(&stream->names) != 0)
        return td_fail(err, TD_E_NOMEM, "no memory to ask the program");
    return 0;
}
