/* Any words as those of a ring of tt-metal's streaming profiler, and any memory as that of a tile with such rings. */
#include "host/tt/stream_ring.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS = TD_TT_RING_CONTROL_WORDS + TD_TT_L1_CORES * TD_TT_RING_WORDS + 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t memory[WORDS];
    const size_t count = size / 4 < TD_TT_RING_WORDS ? size / 4 : TD_TT_RING_WORDS;
    uint32_t *ring = memory + TD_TT_RING_CONTROL_WORDS;
    memset(memory, 0, sizeof memory);
    if (count)
        memcpy(ring, data, 4 * count);
    memory[TD_TT_RING_TAIL] = (uint32_t)count;
    const uint32_t found = td_tt_ring_find(memory, WORDS, 0x1000);
    if (found && (found < 0x1000 || found > 0x1000 + 4 * 16))
        abort();
    struct td_tt_ring_state state = {0};
    struct td_tt_ring_item item;
    size_t at = 0, before = 0;
    while (td_tt_ring_next(&state, ring, count, &at, size, &item)) {
        if (at <= before || at > count || item.begin > item.end ||
            (item.kind == TD_TT_RING_IS_DATA && item.data + item.count > ring + count))
            abort();
        before = at;
    }
    return at != count ? (abort(), 1) : 0;
}
