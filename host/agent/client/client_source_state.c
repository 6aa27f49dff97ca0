#include "host/agent/client/client_source_internal.h"

#include <poll.h>

uint64_t td_client_source_growth(const struct td_client_source *source)
{
    return source->stream ? td_client_stream_growth(source->stream) + source->ahead.bytes : 0;
}

int td_client_source_set_parameter(struct td_client_source *source, uint32_t index, int32_t value,
                                   struct td_err *err)
{
    return td_parameter_queue_add(&source->parameters, index, value, err);
}

int td_client_source_fd(const struct td_client_source *source)
{
    return source->fd;
}

short td_client_source_events(const struct td_client_source *source)
{
    if (source->state == TD_SOURCE_CONNECTING)
        return POLLOUT;
    return POLLIN | (source->out_begin < source->out_end ? POLLOUT : 0);
}

int td_client_source_wait_ms(const struct td_client_source *source)
{
    switch (source->state) {
    case TD_SOURCE_CONNECTING:
        return TD_CLIENT_DIAL_MS;
    case TD_SOURCE_GREETING:
    case TD_SOURCE_ENDING:
        return source->more ? 0 : 100;
    case TD_SOURCE_STREAM:
        if (source->more || td_parameter_queue_is_waiting(&source->parameters))
            return 0;
        if (source->clock.may_ask)
            return TD_CLIENT_CLOCK_MS;
        return source->stop_ms ? 100 : -1;
    default:
        return -1;
    }
}

void td_client_source_wait(const struct td_client_source *source, int most_ms)
{
    const int wait_ms = td_client_source_wait_ms(source);
    struct pollfd fd = {td_client_source_fd(source), td_client_source_events(source), 0};
    poll(&fd, fd.fd >= 0, wait_ms < 0 || wait_ms > most_ms ? most_ms : wait_ms);
}

enum td_client_source_state td_client_source_get_state(const struct td_client_source *source)
{
    return source->state;
}

const struct td_wire_welcome *td_client_source_welcome(const struct td_client_source *source)
{
    return &source->welcome;
}

struct td_client_counts td_client_source_counts(const struct td_client_source *source)
{
    return source->stream ? *td_client_stream_counts(source->stream) : (struct td_client_counts){0};
}

const struct td_wire_release *td_client_source_release(const struct td_client_source *source)
{
    return source->stream ? td_client_stream_release(source->stream) : source->release;
}

uint64_t td_client_source_frame_offset(const struct td_client_source *source)
{
    return source->frame_offset;
}

void td_client_source_bytes(const struct td_client_source *source, uint64_t *packed, uint64_t *unpacked)
{
    *packed = source->packed;
    *unpacked = source->unpacked;
}

double td_client_source_clock_error_ns(const struct td_client_source *source)
{
    return source->clock.error_ns;
}

const struct td_client_space *td_client_source_space(const struct td_client_source *source)
{
    return source->space;
}
