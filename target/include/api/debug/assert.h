/* ASSERT(condition): by tt-metal's name. With WATCHER_ENABLED and markers, a condition that does not hold
 * becomes a message and ends the launch as abort() does; else it is not evaluated, as in tt-metal. */
#ifndef TENDRIL_API_DEBUG_ASSERT_H
#define TENDRIL_API_DEBUG_ASSERT_H

#if defined(WATCHER_ENABLED) && defined(TD_PROFILE)
#include "tendril/tendril.h"

#include <cstdlib>

#define ASSERT(condition, ...)                                                                               \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            TD_LOG("ASSERT failed: " #condition);                                                            \
            std::abort();                                                                                    \
        }                                                                                                    \
    } while (0)
#else
#define ASSERT(condition, ...) ((void)0)
#endif

#endif
