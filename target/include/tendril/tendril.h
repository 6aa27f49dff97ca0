/* Tendril for kernels: zones, messages, plots and flows from a core, in C11 and C++. GCC for RISC-V.
 *
 *   ZoneScoped;                        the rest of this block is a zone, named after the function
 *   ZoneScopedN("unpack");             ... with a name; names are string literals
 *   ZoneScopedC(0x00ff00);             ... with a colour 0xRRGGBB; ZoneScopedNC(name, color)
 *   TD_WAIT("cb full");                ... in which the core waits: own colour and category
 *   ZoneText("tile %d", i);            text for the innermost zone that is open now (ZoneTextF is the same)
 *   ZoneValue(n);                      a number for it, up to 64 bits
 *   TD_ZONE_BEGIN(z, "phase 1");       a zone between two statements, not bound to a block; declares z, a
 *   TD_ZONE_END(z);                    struct td_span, which may be passed to another function
 *   TD_LOG("tile %d of %d", i, n);     a message on the core's track
 *   TD_PLOT_INT("queue", depth);       a point of a plot
 *   TD_PLOT_FLOAT("load", x);          ... of a float
 *   TD_FLOW_OUT("page", id);           the open zone produces what ...
 *   TD_FLOW_IN("page", id);            ... the zone that is open here, on any core, consumes: same name and id
 *   td_arg()                           the word that the host passed to this launch
 *   td_arg_at(i), td_arg_count()       the i-th of up to 64 words, and their number
 *
 * The host formats messages, with printf's formats, so a message costs its arguments only. It takes up to 8
 * arguments of one word each (tendril/args.h).
 *
 * Markers exist where TD_PROFILE is defined (td_add_kernel and tendril.mk define it). Without it a marker is
 * nothing: its arguments are not evaluated, and the code is that of a source without markers. TD_TINY makes
 * zones smaller and slower.
 *
 * A core runs one thread, and markers must not be used in interrupt handlers. `tp` belongs to the runtime:
 * compile with -ffixed-tp.
 */
#ifndef TENDRIL_TENDRIL_H
#define TENDRIL_TENDRIL_H
#include "riscv/clock.h"
#include "riscv/rt_words.h"

#include <stdint.h>

/* Variables in the core's part of L1 instead of its small local RAM: zero at the start, with a value at the
 * start, and of any content (large buffers; the start does not spend time on them). */
#define TD_L1        __attribute__((section(".bss.td_l1")))
#define TD_L1_DATA   __attribute__((section(".td_l1_data")))
#define TD_L1_NOINIT __attribute__((section(".noinit.td_l1")))

/* Argument of this launch (td_device_prepare()). */
#ifdef TD_NATIVE
uint32_t td_arg(void);
#else
static __inline__ uint32_t td_arg(void)
{
    uint32_t arg;
    __asm__("lw %0,12-0x800(gp)" : "=r"(arg));
    return arg;
}
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* Their number, then the arguments of this launch (td_device_prepare_args()). */
extern uint32_t td_launch_args[];
static __inline__ uint32_t td_arg_count(void)
{
    return td_launch_args[0];
}
static __inline__ uint32_t td_arg_at(uint32_t i)
{
    return td_launch_args[1 + i];
}
/* Ends the launch with this exit code, from any depth. */
void _exit(int code) __attribute__((noreturn));
#ifdef __cplusplus
}
#endif

#ifdef TD_PROFILE
#include "tendril/markers.h"
#else
struct td_span {
    char unused;
};
#define TD_NOTHING             ((void)0)
#define ZoneScoped             TD_NOTHING
#define ZoneScopedN(name)      TD_NOTHING
#define ZoneScopedC(color)     TD_NOTHING
#define ZoneScopedNC(name, c)  TD_NOTHING
#define TD_WAIT(name)          TD_NOTHING
#define ZoneText(...)          TD_NOTHING
#define ZoneTextF(...)         TD_NOTHING
#define ZoneValue(value)       TD_NOTHING
#define TD_ZONE_BEGIN(var, n)  __attribute__((unused)) struct td_span var
#define TD_ZONE_END(var)       TD_NOTHING
#define TD_LOG(...)            TD_NOTHING
#define TD_PLOT_INT(name, v)   TD_NOTHING
#define TD_PLOT_FLOAT(name, v) TD_NOTHING
#define TD_FLOW_OUT(name, id)  TD_NOTHING
#define TD_FLOW_IN(name, id)   TD_NOTHING
#endif

#endif
