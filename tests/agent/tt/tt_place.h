/* Where the test's firmware has the buffers of tt-metal's device profiler, and facts of the layout LAYOUT. */
#pragma once
#include "proto/tt/l1_profiler.h"

struct tt_layout {
    unsigned words, after, device_end, run, x, y, dropped, done, id_bit;
};
static const struct tt_layout tt_layouts[] = {
#define TD_X(name, words, after, ends, run, x, y, dropped, done, id)                                         \
    {words, after, ends, run, x, y, dropped, done, id},
    TD_TT_L1_LAYOUTS(TD_X)
#undef TD_X
};
enum { TT_SHARED = 0x1F000, TT_AT = 0x7000 };
#define TT_RING_CONTROL  0x7040 /* of the streaming profiler's rings */
#define TT_BYTES         (4 * TD_TT_L1_CORES * TD_TT_L1_BUFFER_WORDS)
#define TT_BUFFERS_OF(l) (TT_AT + (tt_layouts[l].after ? 0 : 4 * tt_layouts[l].words))
#define TT_CONTROL_OF(l) (TT_AT + (tt_layouts[l].after ? TT_BYTES + 4096 + 896 : 0))
#define TT_BUFFERS       TT_BUFFERS_OF(LAYOUT)
#define TT_CONTROL       TT_CONTROL_OF(LAYOUT)
#define TT_DEVICE_END    (tt_layouts[LAYOUT].device_end)
#define TT_RUN           (tt_layouts[LAYOUT].run)
#define TT_DONE          (tt_layouts[LAYOUT].done)
#define TT_ID_BIT        (tt_layouts[LAYOUT].id_bit)
#define TT_CORE_BITS     (LAYOUT == TD_TT_L1_2026 ? 5 : 3)
#define TT_CLEARS        (LAYOUT <= TD_TT_L1_2024B)
