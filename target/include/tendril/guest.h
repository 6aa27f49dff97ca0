/* Tendril for kernels that run in firmware that is not Tendril's: all markers of tendril.h, without its start
 * code, linker script and loader. docs/guest-firmware.md says how to use it.
 *
 * Compile with `-include tendril/guest.h`, or include it before other headers of Tendril, and link
 * tendril-guest.o (or tendril-guest-tp.o with -DTD_GUEST_TP). These macros say where the lanes are and which core it is:
 *
 *   TD_GUEST_LANES=0x...        their address, as in the board's description (lane_base)
 *   TD_GUEST_LANES_WORD=0x...   or the address of a word that has it; 0 in that word: there are none yet
 *                               (neither: the symbol td_guest_lanes, which the firmware or the link defines)
 *   TD_GUEST_CORE=N             number of the core; by default it follows from tt-metal's COMPILE_FOR_BRISC,
 *                               COMPILE_FOR_NCRISC or COMPILE_FOR_TRISC=N
 *
 *   TD_GUEST_HAS_FENCE=0        the cores' fence instruction orders nothing, and is not to be used; the default
 *                               where tt-metal's ARCH_WORMHOLE is defined, else 1
 *
 * TD_GUEST_OFF: all markers expand to nothing, and nothing needs to be linked.
 */
#ifndef TENDRIL_GUEST_H
#define TENDRIL_GUEST_H

#ifndef TD_GUEST_OFF
#ifdef TENDRIL_TENDRIL_H
#error "tendril: include tendril/guest.h before other headers of Tendril"
#endif
#ifndef TD_GUEST
#define TD_GUEST
#endif
#ifndef TD_PROFILE
#define TD_PROFILE
#endif
#endif

#include "tendril/tendril.h"

#ifdef TD_GUEST
#include "tendril/guest_place.h"

#ifndef TD_GUEST_CORE
#if defined COMPILE_FOR_BRISC
#define TD_GUEST_CORE 0
#elif defined COMPILE_FOR_NCRISC
#define TD_GUEST_CORE 1
#elif defined COMPILE_FOR_TRISC
#define TD_GUEST_CORE (2 + COMPILE_FOR_TRISC)
#else
#error "tendril: define TD_GUEST_CORE, the number of the core that this is compiled for"
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif
#if defined TD_GUEST_LANES
#define TD_GUEST_PLACE_ (TD_GUEST_LANES), 0
#elif defined TD_GUEST_LANES_WORD
#define TD_GUEST_PLACE_ 0, (TD_GUEST_LANES_WORD)
#else
extern uint32_t td_guest_lanes[];
#define TD_GUEST_PLACE_ (uintptr_t) td_guest_lanes, 0
#endif
/* tt-metal's builds define the architecture. */
#if !defined TD_GUEST_HAS_FENCE && defined ARCH_WORMHOLE
#define TD_GUEST_HAS_FENCE 0
#elif !defined TD_GUEST_HAS_FENCE
#define TD_GUEST_HAS_FENCE 1
#endif
/* One for an image, however many sources it has. Link-time optimisation does not see that the runtime uses
 * it. */
extern const struct td_guest_place td_guest_place __attribute__((weak));
__attribute__((used)) const struct td_guest_place td_guest_place = {TD_GUEST_CORE, TD_GUEST_PLACE_};
extern const uint32_t td_guest_has_fence __attribute__((weak));
__attribute__((used)) const uint32_t td_guest_has_fence = TD_GUEST_HAS_FENCE;
#ifdef __cplusplus
}
#endif

#define TD_GUEST_KERNEL_(n, name)                                                                            \
    TD_SITE_NAMED(n, TD_KIND_MAIN, name, 0);                                                                 \
    TD_CHECK_NAME(name);                                                                                     \
    TD_MAIN_SCOPE_(n)
/* The zone of a whole kernel, to the end of the block: "BRISC-KERNEL" and so on. The host sees its begin at
 * once, and at its end all that was recorded. */
#define TD_KERNEL(name) TD_GUEST_KERNEL_(__COUNTER__, name)
#else
#define TD_KERNEL(name) TD_NOTHING
#endif

#endif
