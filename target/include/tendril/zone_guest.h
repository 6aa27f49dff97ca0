/* Opening and closing a zone in a guest, as in zone.h, with three differences: the runtime's words are
 * variables, the write pointer is one of them (with TD_GUEST_TP it is the register tp), and the host does
 * not see open zones.
 *
 * A zone takes 20 instructions, or 16 in a loop. With TD_GUEST_TP it takes 18, or 14 in a loop. Where the
 * linker knows that gp reaches the words, it removes one of them. */
#ifndef TENDRIL_ZONE_GUEST_H
#define TENDRIL_ZONE_GUEST_H

#define TD_GUEST_WORD_(word) "%%lo(td_guest_words+" TD_SPELL(word) ")"

/* Upper parts of constants: not volatile, so sites share them and loops hoist them. */
#define TD_UPPER_(constant)                                                                                  \
    __extension__({                                                                                          \
        uint32_t td_upper_;                                                                                  \
        __asm__("lui %0," constant : "=r"(td_upper_));                                                       \
        td_upper_;                                                                                           \
    })
#define TD_CLOCK_UPPER_ TD_UPPER_("%%hi(td_clock_low)")
#define TD_WORDS_UPPER_ TD_UPPER_("%%hi(td_guest_words)")
#define TD_LONG_UPPER_  TD_UPPER_("(" TD_SPELL(TD_SHORT_DUR_MASK) "+1)>>12")

#define TD_ZONE_SITE(n)    TD_SITE_ID(n)
#define TD_OPEN_ADDRESS(n) 0

TD_ALWAYS_INLINE struct td_scope td_scope_open(void)
{
    struct td_scope z;
    __asm__ __volatile__("lw %[start],%%lo(td_clock_low)(%[clock])\n\t"
                         "lw %[start_high],%%lo(td_clock_live_high)(%[clock])\n\t"
                         "lw %[high]," TD_GUEST_WORD_(TD_RT_HIGH) "(%[words])"
                         : [start] "=&r"(z.start), [start_high] "=&r"(z.start_high), [high] "=r"(z.high)
                         : [clock] "r"(TD_CLOCK_UPPER_), [words] "r"(TD_WORDS_UPPER_)
                         : "memory");
    return z;
}

TD_ALWAYS_INLINE void td_scope_close(const struct td_scope *z, uint32_t site)
{
#ifdef TD_TINY
    /* A call: the arguments are in fixed registers, the return address is in t0. */
    register uint32_t td_start_ __asm__("t1") = z->start;
    register uint32_t td_start_high_ __asm__("t2") = z->start_high;
    register uint32_t td_high_ __asm__("t3") = z->high;
    register uint32_t td_id_ __asm__("t4") = site;
    __asm__ __volatile__("jal t0,td_zone_close_tiny"
                         : "+r"(td_start_), "+r"(td_start_high_), "+r"(td_high_), "+r"(td_id_)
                         :
                         : "t0", "t5", "t6", "memory");
#else
#ifdef TD_GUEST_TP
#define TD_NEXT_       "tp"
#define TD_LOAD_NEXT_  ""
#define TD_STORE_NEXT_ ""
#else
#define TD_NEXT_       "t0"
#define TD_LOAD_NEXT_  "lw t0," TD_GUEST_WORD_(TD_RT_NEXT) "(%[words])\n\t"
#define TD_STORE_NEXT_ "sw t0," TD_GUEST_WORD_(TD_RT_NEXT) "(%[words])\n"
#endif
    /* Registers at the slow path: t1 end, t2 id, t3 end - start, t0 return address. */
    /* clang-format off */
    __asm__ __volatile__("lw t1,%%lo(td_clock_low)(%[clock])\n\t"
                         "lw t2,%%lo(td_clock_live_high)(%[clock])\n\t"
                         "sub t3,t1,%[start]\n\t"
                         "bne t2,%[high],8891f\n\t"
                         "lw t2," TD_GUEST_WORD_(TD_RT_LIMIT) "(%[words])\n\t"
                         TD_LOAD_NEXT_
                         "bgeu t3,%[long_],8891f\n\t"
                         "beq " TD_NEXT_ ",t2,8891f\n\t"
                         "or t3,t3,%[id]\n\t"
                         "sw t1,4(" TD_NEXT_ ")\n\t"
                         "sw t3,0(" TD_NEXT_ ")\n\t"
                         "addi " TD_NEXT_ "," TD_NEXT_ ",8\n\t"
                         TD_STORE_NEXT_
                         "8892:\n\t"
                         ".subsection 1\n"
                         "8891: sw %[start_high]," TD_GUEST_WORD_(TD_RT_START_HIGH) "(%[words])\n\t"
                         "mv t2,%[id]\n\t"
                         "jal t0,td_zone_slow\n\t"
                         "j 8892b\n\t"
                         ".previous"
                         :
                         : [clock] "r"(TD_CLOCK_UPPER_), [words] "r"(TD_WORDS_UPPER_), [start] "r"(z->start),
                           [start_high] "r"(z->start_high), [high] "r"(z->high), [id] "r"(site),
                           [long_] "r"(TD_LONG_UPPER_)
                         : "t0", "t1", "t2", "t3", "memory");
    /* clang-format on */
#endif
}

#define TD_ZONE_OPEN(z, unit, n)  (*(z) = td_scope_open())
#define TD_ZONE_CLOSE(z, unit, n) td_scope_close(z, TD_SITE_ID_OF(unit, n))
#endif
