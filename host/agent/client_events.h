/* Inside of client_stream: the items that become events, and the queue in which those wait for names.
 *
 *   client_stream.c  the interface, and which item goes where
 *   client_events.c  zones, messages, plots, frames
 *   client_names.c   names: asked, answered
 */
#ifndef TD_HOST_AGENT_CLIENT_EVENTS_H
#define TD_HOST_AGENT_CLIENT_EVENTS_H
#include "host/agent/client_names.h"
#include "host/agent/client_stream.h"

struct td_client_stream {
    struct td_client_stream_config config;
    struct td_names names;
    struct td_client_counts counts;
    int terminated;
    int have_context;
    uint32_t context; /* id of the current thread */
    uint32_t thread;  /* its index in the names, TD_NO_NUMBER: not looked up yet */
    int64_t thread_time;
    /* Slots: what the next item that wants it takes. */
    int have_text, have_srcloc;
    uint32_t text_bytes, srcloc;
    int64_t base_frame_ns;
    /* Events that wait, from `begin` on. */
    struct td_event *waiting;
    size_t begin, count, capacity;
    uint8_t text[TD_WIRE_TEXT_MAX];
};

/* All return 0, or not: no memory. */
int td_events_zone_begin(struct td_client_stream *stream, const uint8_t *payload);
int td_events_allocated_zone_begin(struct td_client_stream *stream, const uint8_t *payload);
int td_events_zone_end(struct td_client_stream *stream, const uint8_t *payload);
int td_events_zone_text(struct td_client_stream *stream, uint32_t kind);
int td_events_zone_color(struct td_client_stream *stream, const uint8_t *payload);
int td_events_zone_value(struct td_client_stream *stream, const uint8_t *payload);
int td_events_message(struct td_client_stream *stream, const struct td_wire_view *view);
int td_events_plot(struct td_client_stream *stream, const struct td_wire_view *view);
int td_events_plot_config(struct td_client_stream *stream, const uint8_t *payload);
int td_events_frame(struct td_client_stream *stream, const struct td_wire_view *view);
int td_events_base_frame(struct td_client_stream *stream, int64_t ticks);
int td_events_source_location_payload(struct td_client_stream *stream, const uint8_t *data, uint32_t bytes);
/* Advances the thread clock. */
int64_t td_events_thread_ticks(struct td_client_stream *stream, int64_t delta);
/* Hands on the events at the queue's front that have all their names. 0 or a negative enum td_e. */
int td_events_push(struct td_client_stream *stream, int force, struct td_err *err);
#endif
