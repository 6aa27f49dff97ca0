#include "tests/agent/saved_session_check.h"
#include "host/agent/client/saved_session.h"
#include "host/trace/trace.h"
#include "tests/wire/in_pieces.h"

#include <stdlib.h>
#include <string.h>

static int feed(void *session, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_saved_session_feed(session, bytes, count, err);
}

int saved_session_check(const uint8_t *bytes, size_t count, size_t piece)
{
    struct td_trace *trace = td_trace_create(td_dict_create());
    struct td_hub *hub = trace ? td_hub_create(td_trace_fill_dict(trace)) : NULL;
    struct td_saved_session *session = hub ? td_saved_session_create(hub) : NULL;
    if (!session || td_hub_add_sink(hub, td_trace_sink(trace)) < 0)
        abort();
    struct td_err err = {0};
    int bad = in_pieces(feed, session, bytes, count, piece, &err);
    if (!bad)
        bad = td_saved_session_close(session, &err);
    if ((bad != 0) != (err.text[0] != 0) || (bad && bad != TD_E_FORMAT && bad != TD_E_VERSION) ||
        strchr(err.text, '\n'))
        in_pieces_broken(err.text);
    if (!bad && (!td_saved_session_release(session) || td_trace_finish(trace, &err) != 0))
        in_pieces_broken("a session without an end");
    td_saved_session_destroy(session);
    td_hub_destroy(hub);
    td_trace_destroy(trace);
    return !bad;
}
