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
 *
 * With TD_STAMPED a zone is two events of the tile's timestamper instead (proto/device/stamp.h): 4 instructions, or
 * 2 where a loop keeps the two constants in registers. The host knows from the events which zones are open.
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
/* Native cores do not mark open zones, and their zones cannot be switched off. */
#define TD_ZONE_OPEN(z, unit, n)  (*(z) = td_scope_open())
#define TD_ZONE_CLOSE(z, unit, n) td_scope_close(z, TD_SITE_ID_OF(unit, n))
#define TD_ZONE_SITE(n)           TD_SITE_ID(n)
#define TD_OPEN_ADDRESS(n)        0
#elif defined TD_GUEST /* other firmware, another linker script */
#include "tendril/zone_guest.h"
#else
#define TD_GP_(word) TD_SPELL(word) "-" TD_SPELL(TD_RT_GP_OFFSET) "(gp)"

/* Constants of site n's zone. Not volatile: loops hoist them, open and close share them. Other sites do not, so a
 * site that is switched off needs none of them. */
#define TD_ZONE_UPPER_(unit, n, constant)                                                                    \
    __extension__({                                                                                          \
        uint32_t td_upper_;                                                                                  \
        __asm__(TD_SWITCH_BEGIN "lui %0," constant "\n" TD_SWITCH_END("1", n)                                \
                : "=r"(td_upper_)                                                                            \
                : "i"(unit));                                                                                \
        td_upper_;                                                                                           \
    })
#define TD_ZONE_ID_(unit, n)        TD_ZONE_UPPER_(unit, n, "%%hi(" TD_SITE_SYMBOL("1", n) ")")
#define TD_ZONE_CLOCK_(unit, n)     TD_ZONE_UPPER_(unit, n, "%%hi(td_clock_low)")
#define TD_ZONE_LONG_(unit, n)      TD_ZONE_UPPER_(unit, n, "(" TD_SPELL(TD_SHORT_DUR_MASK) "+1)>>12")
/* Upper part of the address of the site's word in .td_open. */
#define TD_ZONE_OPEN_WORD_(unit, n) TD_ZONE_UPPER_(unit, n, "%%hi(" TD_OPEN_SYMBOL("1", n) ")")

/* Id of the site of a zone that another function may close, or 0: it is switched off. */
#define TD_ZONE_SITE(n)                                                                                      \
    __extension__({                                                                                          \
        uint32_t td_id_;                                                                                     \
        __asm__(TD_SWITCH_BEGIN "lui %0,%%hi(" TD_SITE_SYMBOL("1", n) ")\n" TD_SWITCH_ZERO("1", n)           \
                : "=r"(td_id_)                                                                               \
                : TD_UNIT);                                                                                  \
        td_id_;                                                                                              \
    })
/* Address of such a site's word in .td_open. */
#define TD_OPEN_ADDRESS(n)                                                                                   \
    __extension__({                                                                                          \
        uint32_t td_word_;                                                                                   \
        __asm__("lui %0,%%hi(" TD_OPEN_SYMBOL("1", n) ")\n\taddi %0,%0,%%lo(" TD_OPEN_SYMBOL("1", n) ")"     \
                : "=r"(td_word_)                                                                             \
                : TD_UNIT);                                                                                  \
        td_word_;                                                                                            \
    })

#define TD_READ_OPEN_                                                                                        \
    "lw %[start],%%lo(td_clock_low)(%[clock])\n\t"                                                           \
    "lw %[start_high],%%lo(td_clock_live_high)(%[clock])\n\t"                                                \
    "lw %[high]," TD_GP_(TD_RT_HIGH) "\n\t"
#ifndef TD_STAMPED
/* Opens the zone of site n. */
#define TD_ZONE_OPEN(z, unit, n)                                                                             \
    __asm__ __volatile__(                                                                                    \
        TD_SWITCH_BEGIN TD_READ_OPEN_                                                                        \
        "sw %[start],%%lo(" TD_OPEN_SYMBOL("[unit_]", n) ")(%[word])\n" TD_SWITCH_END("[unit_]", n)          \
        : [start] "=&r"((z)->start), [start_high] "=&r"((z)->start_high), [high] "=&r"((z)->high)            \
        : [clock] "r"(TD_ZONE_CLOCK_(unit, n)), [word] "r"(TD_ZONE_OPEN_WORD_(unit, n)), [unit_] "i"(unit)   \
        : "memory")
#endif
TD_ALWAYS_INLINE struct td_scope td_scope_open(void)
{
    struct td_scope z;
    uint32_t base;
    __asm__("lui %0,%%hi(td_clock_low)" : "=r"(base));
    __asm__ __volatile__(TD_READ_OPEN_
                         : [start] "=&r"(z.start), [start_high] "=&r"(z.start_high), [high] "=r"(z.high)
                         : [clock] "r"(base)
                         : "memory");
    return z;
}

/* TD_CLOSE_(z, site, clock, too_long, before, after, ...): the close of a zone between two texts of assembler code, which
 * use the operands at the end. */
#ifdef TD_TINY
/* A call: the arguments are in fixed registers, the return address is in t0. */
#define TD_CLOSE_(z, site, clock, too_long, before, after, ...)                                              \
    do {                                                                                                     \
        register uint32_t td_start_ __asm__("t1") = (z)->start;                                              \
        register uint32_t td_start_high_ __asm__("t2") = (z)->start_high;                                    \
        register uint32_t td_high_ __asm__("t3") = (z)->high;                                                \
        register uint32_t td_id_ __asm__("t4") = (site);                                                     \
        __asm__ __volatile__(before "jal t0,td_zone_close_tiny\n" after                                      \
                             : "+r"(td_start_), "+r"(td_start_high_), "+r"(td_high_), "+r"(td_id_)           \
                             : __VA_ARGS__                                                                   \
                             : "t0", "t5", "t6", "memory");                                                  \
    } while (0)
#else
/* Registers at the slow path: t1 end, t2 id, t3 end - start, t0 return address. */
#define TD_CLOSE_(z, site, clock, too_long, before, after, ...)                                              \
    __asm__ __volatile__(before "lw t1,%%lo(td_clock_low)(%[base])\n\t"                                      \
                                "lw t2,%%lo(td_clock_live_high)(%[base])\n\t"                                \
                                "sub t3,t1,%[start]\n\t"                                                     \
                                "bne t2,%[high],8891f\n\t"                                                   \
                                "lw t2," TD_GP_(TD_RT_LIMIT) "\n\t"                                          \
                                                             "bgeu t3,%[long_],8891f\n\t"                    \
                                                             "beq tp,t2,8891f\n\t"                           \
                                                             "or t3,t3,%[id]\n\t"                            \
                                                             "sw t1,4(tp)\n\t"                               \
                                                             "sw t3,0(tp)\n\t"                               \
                                                             "addi tp,tp,8\n"                                \
                                                             "8892:\n\t"                                     \
                                                             ".subsection 1\n"                               \
                                                             "8891: sw %[start_high]," TD_GP_(               \
                                                                 TD_RT_START_HIGH) "\n\t"                    \
                                                                                   "mv t2,%[id]\n\t"         \
                                                                                   "jal t0,td_zone_slow\n\t" \
                                                                                   "j 8892b\n\t"             \
                                                                                   ".previous\n" after       \
                         :                                                                                   \
                         : [base] "r"(clock), [start] "r"((z)->start), [start_high] "r"((z)->start_high),    \
                           [high] "r"((z)->high), [id] "r"(site), [long_] "r"(too_long), ##__VA_ARGS__       \
                         : "t0", "t1", "t2", "t3", "memory")
#endif
#ifdef TD_STAMPED
#define TD_STAMP_(word)         "sw " word ",%%lo(td_stamp_register)(%[stamp])\n"
/* Upper part of the address of the timestamper's register. */
#define TD_ZONE_STAMP_(unit, n) TD_ZONE_UPPER_(unit, n, "%%hi(td_stamp_register)")
#define TD_ZONE_OPEN(z, unit, n)                                                                             \
    do {                                                                                                     \
        *(z) = (struct td_scope){0, 0, 0};                                                                   \
        __asm__ __volatile__(                                                                                \
            TD_SWITCH_BEGIN TD_STAMP_("%[id]") TD_SWITCH_END("[unit_]", n)                                   \
            :                                                                                                \
            : [id] "r"(TD_ZONE_ID_(unit, n)), [stamp] "r"(TD_ZONE_STAMP_(unit, n)), [unit_] "i"(unit)        \
            : "memory");                                                                                     \
    } while (0)
#define TD_ZONE_CLOSE(z, unit, n)                                                                            \
    __asm__ __volatile__(TD_SWITCH_BEGIN TD_STAMP_("tp") TD_SWITCH_END("[unit_]", n)                         \
                         :                                                                                   \
                         : [stamp] "r"(TD_ZONE_STAMP_(unit, n)), [unit_] "i"(unit)                           \
                         : "memory")
/* Of a zone that another function may close. */
TD_ALWAYS_INLINE void td_scope_stamp_begin(uint32_t site)
{
    uint32_t base;
    __asm__("lui %0,%%hi(td_stamp_register)" : "=r"(base));
    __asm__ __volatile__(TD_STAMP_("%[id]") : : [id] "r"(site), [stamp] "r"(base) : "memory");
}
TD_ALWAYS_INLINE void td_scope_stamp_end(void)
{
    uint32_t base;
    __asm__("lui %0,%%hi(td_stamp_register)" : "=r"(base));
    __asm__ __volatile__(TD_STAMP_("tp") : : [stamp] "r"(base) : "memory");
}
#else
/* Closes the zone of site n. */
#define TD_ZONE_CLOSE(z, unit, n)                                                                            \
    TD_CLOSE_(z, TD_ZONE_ID_(unit, n), TD_ZONE_CLOCK_(unit, n), TD_ZONE_LONG_(unit, n), TD_SWITCH_BEGIN,     \
              "\tsw zero,%%lo(" TD_OPEN_SYMBOL("[unit_]", n) ")(%[word])\n" TD_SWITCH_END("[unit_]", n),     \
              [word] "r"(TD_ZONE_OPEN_WORD_(unit, n)), [unit_] "i"(unit))
#endif

TD_ALWAYS_INLINE void td_scope_close(const struct td_scope *z, uint32_t id)
{
#ifdef TD_TINY
    TD_CLOSE_(z, id, 0, 0, "", "");
#else
    uint32_t base;
    __asm__("lui %0,%%hi(td_clock_low)" : "=r"(base));
    TD_CLOSE_(z, id, base, TD_SHORT_DUR_MASK + 1, "", "");
#endif
}
#endif

#endif
