#include "tests/wire/stream_check.h"
#include "host/trace/trace.h"
#include "tests/wire/event_log.h"
#include "tests/wire/in_pieces.h"
#include "tests/wire/stream_feed.h"

#include <stdlib.h>

static int feed_frame(void *stream, const uint8_t *data, size_t bytes, struct td_err *err)
{
    return td_client_stream_frame(stream, data, bytes, err);
}

/* Checks the events one by one, and that rows and events make a model that can be finished. */
static void check_end(struct td_client_stream *stream, struct event_log *log, struct td_trace *trace)
{
    struct td_err end = {0};
    if (td_client_stream_close(stream, &end) != 0)
        in_pieces_broken(end.text);
    if (event_log_fault(log))
        in_pieces_broken(event_log_fault(log));
    if (td_client_stream_counts(stream)->zones != log->kinds[TD_EVENT_ZONE_BEGIN])
        abort();
    if (td_trace_finish(trace, &end) != 0)
        in_pieces_broken(end.text);
}

void stream_check(const uint8_t *data, size_t bytes)
{
    if (bytes < 2)
        return;
    struct event_log log;
    event_log_init(&log);
    struct td_trace *trace = td_trace_create(log.dict);
    struct td_client_stream_config config = {.release = td_wire_release_at(data[0] >> 1 & 7),
                                             .hub = log.hub,
                                             .ns_per_tick = 0.4,
                                             .zero_ticks = 1000,
                                             .query_space = 3,
                                             .pending_max = data[0] >> 7 ? 2 : 0,
                                             .frame_offset = data[0] >> 4 & 1,
                                             .code_transfer = data[0] >> 5 & 1,
                                             .sources = data[0] >> 6 & 1,
                                             .pid = 1};
    struct td_client_stream *stream = td_client_stream_create(&config);
    struct td_unpacker *unpacker = td_unpacker_create();
    if (!stream || !unpacker || !trace || td_hub_add_sink(log.hub, td_trace_sink(trace)) != 0)
        abort();
    struct td_err err = {0};
    int bad = data[0] & 1 ? in_pieces(feed_frame, stream, data + 1, bytes - 1, 4096, &err)
                          : stream_feed(stream, unpacker, data + 1, bytes - 1, &err);
    if ((bad != 0) != (err.text[0] != 0) || (bad && bad != TD_E_FORMAT))
        in_pieces_broken(err.text);
    uint8_t queries[64 * TD_WIRE_QUERY_BYTES];
    if (td_client_stream_queries(stream, queries, sizeof queries) > 3 * TD_WIRE_QUERY_BYTES)
        abort();
    check_end(stream, &log, trace);
    td_client_stream_destroy(stream);
    td_unpacker_destroy(unpacker);
    log.dict = NULL; /* the model's */
    event_log_finish(&log);
    td_trace_destroy(trace);
}
