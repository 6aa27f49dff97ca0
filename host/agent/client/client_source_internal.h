/* Inside of the client source:
 *
 *   client_source.c        connects, greets, sends and receives
 *   client_source_state.c  what its users ask it
 *   client_ahead.c         bytes that wait to be decoded
 */
#pragma once
#include "host/agent/client/client_ahead.h"
#include "host/agent/client/client_clock.h"
#include "host/agent/client/client_dial.h"
#include "host/agent/client/client_parameters.h"
#include "host/agent/client/client_source.h"
#include "host/wire/pack.h"

struct td_client_source {
    struct td_client_source_config config;
    const struct td_wire_release *release;
    struct td_client_dial dial;
    enum td_client_source_state state;
    int fd;
    int more;                                       /* 1: frames wait in the unpacker, or bytes in `ahead` */
    struct td_client_ahead ahead;                   /* bytes that are not in the unpacker yet */
    int closed;                                     /* 1: nothing comes after what is in `ahead` */
    int ask_disconnect;                             /* 1: the query is still to be sent */
    int left;                                       /* 1: the tap knows that only answers are taken */
    int64_t begin_ms, heard_ms, answer_ms, stop_ms; /* stop_ms 0: not asked to end */
    uint64_t answers;
    size_t have;  /* bytes of the greeting */
    size_t tried; /* protocols that the client has refused */
    uint64_t packed, unpacked, frame_offset;
    int64_t connected_ticks; /* on demand */
    struct td_client_clock clock;
    uint64_t hello_ticks, welcome_ticks; /* of this process: before the greeting was sent, after it arrived */
    struct td_wire_welcome welcome;
    struct td_unpacker *unpacker;
    struct td_parameter_queue parameters;
    struct td_client_stream *stream;
    struct td_client_space *space; /* or NULL */
    size_t out_begin, out_end;
    uint8_t greeting[2048];
    uint8_t out[256 * TD_WIRE_QUERY_BYTES];
};
