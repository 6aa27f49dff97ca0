/* Device tracks as threads of a trace: the numbers and names that all writers and readers of traces use.
 *
 * A track's 32-bit thread id: bit 31 set (no operating system gives such ids), bits 28..18 chip,
 * 17..12 y, 11..6 x, 5..0 core (lane) number. Its name is "chip C tile X,Y CORE", CORE as the board's
 * description names it (BRISC ...); a viewer that knows this form can group by it.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define TD_TRACK_NAME_FORMAT "chip %u tile %u,%u %s"

/* Zone texts that connect the producer's zone of a flow to the consumer's: direction ("out", "in"), name,
 * number. A kernel's own zone consumes the flow TD_FLOW_LAUNCH whose number is its op id; the host's zone
 * that launched the kernel produces it. */
#define TD_FLOW_TEXT_FORMAT "flow %s %s #%lu"
#define TD_FLOW_LAUNCH      "launch"

static inline uint32_t td_track_id(unsigned chip, unsigned x, unsigned y, unsigned core)
{
    return UINT32_C(1) << 31 | (chip & 0x7ffu) << 18 | (y & 63u) << 12 | (x & 63u) << 6 | (core & 63u);
}
static inline bool td_track_is_device(uint64_t thread)
{
    return thread >> 31 == 1;
}
static inline unsigned td_track_chip(uint64_t thread)
{
    return (unsigned)(thread >> 18) & 0x7ffu;
}
static inline unsigned td_track_y(uint64_t thread)
{
    return (unsigned)(thread >> 12) & 63u;
}
static inline unsigned td_track_x(uint64_t thread)
{
    return (unsigned)(thread >> 6) & 63u;
}
static inline unsigned td_track_core(uint64_t thread)
{
    return (unsigned)thread & 63u;
}
