/* WAYPOINT("NARW"): where a core is, by tt-metal's name. The last one is in the word td_waypoint of the
 * core's memory, which a debugger finds by its symbol: up to four letters, the first one in the low byte. */
#ifndef TENDRIL_API_DEBUG_WAYPOINT_H
#define TENDRIL_API_DEBUG_WAYPOINT_H
#include <stdint.h>

#ifdef TD_PROFILE
static volatile uint32_t td_waypoint __attribute__((used));
static constexpr uint32_t td_waypoint_word_(const char *text)
{
    uint32_t word = 0;
    for (int i = 0; i < 4 && text[i]; i++)
        word |= static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << 8 * i;
    return word;
}
#define WAYPOINT(text)                                                                                       \
    do {                                                                                                     \
        constexpr uint32_t td_word_ = td_waypoint_word_(text);                                               \
        td_waypoint = td_word_;                                                                              \
    } while (0)
#else
#define WAYPOINT(text) ((void)0)
#endif

#endif
