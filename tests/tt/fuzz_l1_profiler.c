/* Any memory as that of a tile with the buffers of tt-metal's device profiler. What is found is inside. */
#include "host/tt/l1_profiler.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS = 64 + TD_TT_L1_CORES * TD_TT_L1_BUFFER_WORDS + 64 };

/* Input: bytes of which words are made, over buffers that firmware has set up. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint32_t memory[WORDS];
    static struct td_tt_l1_buffer buffer;
    const struct td_tt_l1_xy tile[] = {{0, 0}, {1, 2}};
    memset(memory, 0, sizeof memory);
    for (uint32_t core = 0; core < TD_TT_L1_CORES; core++)
        for (uint32_t i = TD_TT_L1_FW_START; i < TD_TT_L1_OTHERS; i++)
            memory[64 + core * TD_TT_L1_BUFFER_WORDS + i] = TD_TT_L1_VALID | (core ? 0 : 0x12345000);
    for (size_t i = 0; i + 6 <= size; i += 6)
        memcpy(&memory[(data[i] | data[i + 1] << 8) % WORDS], data + i + 2, 4);
    const struct td_tt_l1_place place = td_tt_l1_find(memory, WORDS, 0x1000, tile, 2);
    if (!place.layout)
        return 0;
    if (place.buffers < 0x1000 ||
        place.buffers + 4 * TD_TT_L1_CORES * TD_TT_L1_BUFFER_WORDS > 0x1000 + sizeof memory ||
        place.control < 0x1000 || place.control + 4u * place.layout->words > 0x1000 + sizeof memory)
        abort();
    for (uint32_t core = 0; core < TD_TT_L1_CORES; core++) {
        const uint32_t *words = memory + (place.buffers - 0x1000) / 4 + core * TD_TT_L1_BUFFER_WORDS;
        td_tt_l1_read(words, size ? data[0] * 3u : 0, &buffer);
        if (buffer.count > TD_TT_L1_MARKERS_MOST)
            abort();
    }
    return 0;
}
