/* Opening and closing a zone: the hot path.
 *
 * Open reads the clock's low half, then its live high half, and TD_RT_HIGH, the high half in the lane's last
 * TIME packet. Close reads the clock's low and live high half again. When this high half equals the
 * TD_RT_HIGH that open read, then
 *   - the clock did not wrap between open and close (TD_RT_HIGH is never ahead of the clock), so end - start
 *     is the exact duration;
 *   - the lane's last TIME packet still applies, so the low half of the end is enough.
 * One comparison proves both. If also the duration is below 2^16 and tp is not at TD_RT_LIMIT, close writes
 * the short packet: two words, the first one (with the valid flag) written last. All other zones go to
 * td_zone_slow, which gets the same clock reads and resolves them exactly.
 *
 * The start's high half: when the clock wraps between the two reads of open, the high half is one too large.
 * Such a start would be after the end of any zone shorter than 2^32 ticks, so the slow path takes the latest
 * start that is not after the end. (A zone of more than 2^32 ticks that was opened in exactly those few ticks
 * is recorded 2^32 ticks too short.)
 *
 * While the zone is open, its site's word of .td_open has the low half of its start (proto/device/site.h).
 * Open and close each take one store for that. The linker removes the `lui` of its address where the board
 * keeps .td_open in the first 2 KiB.
 *
 * A zone takes 19 instructions, or 16 where a loop keeps the three constants in registers. tp is the write
 * pointer. The slow path saves every register but t0..t3, so a leaf function remains a leaf.
 */
#ifndef TENDRIL_ZONE_H
#define TENDRIL_ZONE_H
#include "tendril/site.h"

#include "proto/device/packet.h"
#include "riscv/rt_words.h"

struct td_scope {
    uint32_t start;      /* clock, low half */
    uint32_t start_high; /* clock, live high half, read after it */
    uint32_t high;       /* TD_RT_HIGH at that time */
};

#ifdef TD_NATIVE /* the kernel runs as a thread of the host: target/native */
struct td_scope td_scope_open(void);
void td_scope_close(const struct td_scope *z, uint32_t id);
/* Native cores do not mark open zones. */
#define TD_OPEN_MARK(unit, n, start) ((void)0)
#define TD_OPEN_CLEAR(unit, n)       ((void)0)
#define TD_OPEN_ADDRESS(n)           0
#else
#define TD_GP_(word) TD_SPELL(word) "-" TD_SPELL(TD_RT_GP_OFFSET) "(gp)"

/* Upper part of the address of site n's word. Not volatile: loops hoist it, open and close share it. */
#define TD_OPEN_UPPER_(unit, n)                                                                              \
    __extension__({                                                                                          \
        uint32_t td_upper_;                                                                                  \
        __asm__("lui %0,%%hi(" TD_OPEN_SYMBOL("1", n) ")" : "=r"(td_upper_) : "i"(unit));                    \
        td_upper_;                                                                                           \
    })
/* Marks the zone of site n as open since `start`; as closed. */
#define TD_OPEN_MARK(unit, n, start)                                                                         \
    __asm__ __volatile__("sw %1,%%lo(" TD_OPEN_SYMBOL("2", n) ")(%0)"                                        \
                         :                                                                                   \
                         : "r"(TD_OPEN_UPPER_(unit, n)), "r"(start), "i"(unit))
#define TD_OPEN_CLEAR(unit, n)                                                                               \
    __asm__ __volatile__("sw zero,%%lo(" TD_OPEN_SYMBOL("1", n) ")(%0)"                                      \
                         :                                                                                   \
                         : "r"(TD_OPEN_UPPER_(unit, n)), "i"(unit))
/* Address of the word, for zones that another function may close. */
#define TD_OPEN_ADDRESS(n)                                                                                   \
    __extension__({                                                                                          \
        uint32_t td_word_;                                                                                   \
        __asm__("lui %0,%%hi(" TD_OPEN_SYMBOL("1", n) ")\n\taddi %0,%0,%%lo(" TD_OPEN_SYMBOL("1", n) ")"     \
                : "=r"(td_word_)                                                                             \
                : TD_UNIT);                                                                                  \
        td_word_;                                                                                            \
    })

TD_ALWAYS_INLINE struct td_scope td_scope_open(void)
{
    struct td_scope z;
    uint32_t base;
    __asm__("lui %0,%%hi(td_clock_low)" : "=r"(base));
    __asm__ __volatile__("lw %0,%%lo(td_clock_low)(%3)\n\t"
                         "lw %1,%%lo(td_clock_live_high)(%3)\n\t"
                         "lw %2," TD_GP_(TD_RT_HIGH)
                         : "=&r"(z.start), "=&r"(z.start_high), "=r"(z.high)
                         : "r"(base)
                         : "memory");
    return z;
}

#ifdef TD_TINY
/* A call: the arguments are in fixed registers, the return address is in t0. */
TD_ALWAYS_INLINE void td_scope_close(const struct td_scope *z, uint32_t id)
{
    register uint32_t start __asm__("t1") = z->start;
    register uint32_t start_high __asm__("t2") = z->start_high;
    register uint32_t high __asm__("t3") = z->high;
    register uint32_t site __asm__("t4") = id;
    __asm__ __volatile__("jal t0,td_zone_close_tiny"
                         : "+r"(start), "+r"(start_high), "+r"(high), "+r"(site)
                         :
                         : "t0", "t5", "t6", "memory");
}
#else
/* Registers at the slow path: t1 end, t2 id, t3 end - start, t0 return address. */
TD_ALWAYS_INLINE void td_scope_close(const struct td_scope *z, uint32_t id)
{
    uint32_t base;
    __asm__("lui %0,%%hi(td_clock_low)" : "=r"(base));
    __asm__ __volatile__("lw t1,%%lo(td_clock_low)(%[base])\n\t"
                         "lw t2,%%lo(td_clock_live_high)(%[base])\n\t"
                         "sub t3,t1,%[start]\n\t"
                         "bne t2,%[high],8891f\n\t"
                         "lw t2," TD_GP_(TD_RT_LIMIT) "\n\t"
                                                      "bgeu t3,%[too_long],8891f\n\t"
                                                      "beq tp,t2,8891f\n\t"
                                                      "or t3,t3,%[id]\n\t"
                                                      "sw t1,4(tp)\n\t"
                                                      "sw t3,0(tp)\n\t"
                                                      "addi tp,tp,8\n"
                                                      "8892:\n\t"
                                                      ".subsection 1\n"
                                                      "8891: sw %[start_high]," TD_GP_(
                                                          TD_RT_START_HIGH) "\n\t"
                                                                            "mv t2,%[id]\n\t"
                                                                            "jal t0,td_zone_slow\n\t"
                                                                            "j 8892b\n\t"
                                                                            ".previous"
                         :
                         : [base] "r"(base), [start] "r"(z->start), [start_high] "r"(z->start_high),
                           [high] "r"(z->high), [id] "r"(id), [too_long] "r"(TD_SHORT_DUR_MASK + 1)
                         : "t0", "t1", "t2", "t3", "memory");
}
#endif
#endif

#endif
