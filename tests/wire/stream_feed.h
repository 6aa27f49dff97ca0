/* Feeds the bytes of a client, from its first frame on, through the LZ4 reader and the stream decoder, as the
 * agent does. For tests. */
#pragma once
#include "host/agent/client/client_stream.h"
#include "host/wire/pack.h"

#include <string.h>

static inline int stream_feed(struct td_client_stream *stream, struct td_unpacker *unpacker,
                              const uint8_t *bytes, size_t count, struct td_err *err)
{
    while (count) {
        uint8_t *at;
        size_t n = td_unpacker_room(unpacker, &at);
        n = n > count ? count : n;
        memcpy(at, bytes, n);
        td_unpacker_fed(unpacker, n);
        bytes += n;
        count -= n;
        const uint8_t *frame;
        int got;
        while ((got = td_unpacker_next(unpacker, &frame, err)) > 0) {
            int bad = td_client_stream_frame(stream, frame, (size_t)got, err);
            if (bad)
                return bad;
        }
        if (got < 0)
            return got;
    }
    return 0;
}
