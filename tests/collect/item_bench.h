/* Items of the protocol, put one after the other into frames, and the model that they fill. */
#pragma once
#include "host/agent/client/client_stream.h"
#include "host/trace/tables.h"
#include "host/trace/trace.h"
#include "host/wire/items.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct bench {
    const struct td_wire_release *release;
    struct td_dict *dict;
    struct td_hub *hub;
    struct td_trace *trace;
    struct td_client_stream *stream;
    uint8_t *at, frame[8192];
};

static inline void begin(struct bench *b, const struct td_wire_release *release)
{
    b->release = release;
    b->dict = td_dict_create();
    b->trace = td_trace_create(b->dict);
    b->hub = td_hub_create(b->dict);
    assert_true(b->trace && b->hub);
    assert_int_equal(td_hub_add_sink(b->hub, td_trace_sink(b->trace)), 0);
    struct td_client_stream_config config = {
        .release = release, .hub = b->hub, .ns_per_tick = 1, .query_space = 1000, .pid = 50};
    b->stream = td_client_stream_create(&config);
    assert_non_null(b->stream);
    b->at = b->frame;
}

static inline void send_frame(struct bench *b)
{
    struct td_err err = {0};
    if (td_client_stream_frame(b->stream, b->frame, (size_t)(b->at - b->frame), &err) != 0)
        fail_msg("%s", err.text);
    b->at = b->frame;
}

/* What is left is looked at when the session is over. */
static inline void finish(struct bench *b)
{
    struct td_err err = {0};
    send_frame(b);
    assert_int_equal(td_client_stream_close(b->stream, &err), 0);
    assert_int_equal(td_trace_finish(b->trace, &err), 0);
}

static inline void end(struct bench *b)
{
    td_client_stream_destroy(b->stream);
    td_hub_destroy(b->hub);
    td_trace_destroy(b->trace);
}

#define PUT(b, NAME, ...)                                                                                    \
    ((b)->at = td_wire_put_##NAME((b)->at, (b)->release, &(struct td_wire_##NAME){__VA_ARGS__}))
#define PUT_EMPTY(b, NAME) ((b)->at = td_wire_put_##NAME((b)->at, (b)->release, NULL))
