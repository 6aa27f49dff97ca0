/* Feeds any bytes to the decoder of byte frames, in pieces. Encodes and decodes any bytes as messages. */
#include "proto/probe/frame.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t stream[TD_FRAME_BYTES(1 << 18)], buffer[(1 << 18) + 4];

static void need(int truth)
{
    if (!truth)
        abort();
}

static uint64_t decode_all(uint32_t room, const uint8_t *bytes, uint32_t size, uint32_t piece)
{
    struct td_frame_decoder d;
    uint64_t sum = 0;
    td_frame_decoder_init(&d, buffer, room);
    for (uint32_t at = 0, used; at < size; at += used) {
        uint32_t n = size - at < piece ? size - at : piece;
        uint32_t message = td_frame_decode(&d, bytes + at, n, &used);
        need(used >= 1 && used <= n && message + 4 <= room);
        sum = message ? sum * 31 + message : sum;
    }
    need(d.stats.bad_bytes <= size && (d.stats.bad_frames == 0) == (d.stats.bad_bytes == 0));
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct td_frame_decoder d;
    uint32_t used = 0, all, n = 0;
    if (size == 0 || size > 1 << 18)
        return 0;
    need(decode_all(64, data, (uint32_t)size, 1) == decode_all(64, data, (uint32_t)size, 13));
    decode_all(sizeof buffer, data, (uint32_t)size, 4096);
    all = td_frame_encode(data, (uint32_t)size, stream);
    need(all <= TD_FRAME_BYTES(size));
    td_frame_decoder_init(&d, buffer, (uint32_t)size + 4);
    for (uint32_t at = 0; at < all && n == 0; at += used)
        n = td_frame_decode(&d, stream + at, all - at, &used);
    need(n == size && memcmp(buffer, data, size) == 0);
    return 0;
}
