/* Calls from the middle of a kernel's code: t0 is the return address, no register is changed that the caller
 * has not given up (tendril/zone.h). */
#include "riscv/rt_words.h"
#include "proto/device/packet.h"

/* The runtime's words, and the write pointer: tp, or a word of its own. */
#ifdef TD_GUEST
#define LOAD(to, word)            lui to, %hi(td_guest_words); lw to, %lo(td_guest_words + word)(to)
#define STORE(from, word, helper) lui helper, %hi(td_guest_words); sw from, %lo(td_guest_words + word)(helper)
#else
#define LOAD(to, word)            lw to, (word - TD_RT_GP_OFFSET)(gp)
#define STORE(from, word, helper) sw from, (word - TD_RT_GP_OFFSET)(gp)
#endif
#if defined TD_GUEST && !defined TD_GUEST_TP
#define NEXT(register)               register
#define LOAD_NEXT(register)          LOAD(register, TD_RT_NEXT)
#define STORE_NEXT(register, helper) STORE(register, TD_RT_NEXT, helper)
#else
#define NEXT(register)               tp
#define LOAD_NEXT(register)
#define STORE_NEXT(register, helper)
#endif

#define FRAME       64
#define SMALL_FRAME 16

/* t1 end, t2 site id, t3 duration; TD_RT_START_HIGH. First the case of a zone of 2^16 ticks or more that
 * fits: its begin and its end have the high half of the lane's last TIME packet. */
        .section .text.td_zone_slow,"ax",@progbits
        .globl  td_zone_slow
        .type   td_zone_slow, @function
td_zone_slow:
        addi    sp, sp, -SMALL_FRAME
        sw      t4, 0(sp)
#ifdef TD_GUEST
        LOAD(t4, TD_RT_SKIP)
        beqz    t4, 3f
        addi    t4, t4, -1
        sw      t5, 4(sp)
        STORE(t4, TD_RT_SKIP, t5)
        lw      t5, 4(sp)
        lw      t4, 0(sp)
        addi    sp, sp, SMALL_FRAME
        jr      t0
3:
#endif
        srli    t4, t3, TD_SHORT_ID_SHIFT
        beqz    t4, 2f
        sw      t5, 4(sp)
        sw      t6, 8(sp)
        lui     t4, %hi(td_clock_low)
        lw      t4, %lo(td_clock_live_high)(t4)
        LOAD(t5, TD_RT_HIGH)
        LOAD(t6, TD_RT_START_HIGH)
        bne     t4, t5, 1f
        bne     t6, t5, 1f
        LOAD(t4, TD_RT_LIMIT)
        LOAD_NEXT(t6)
        li      t5, 2 * TD_SLOT_BYTES - 1
        sub     t4, t4, NEXT(t6)
        bgeu    t5, t4, 1f
        li      t5, TD_TAG_HEAD - (TD_SLOT_VALID >> TD_SHORT_ID_SHIFT)
        srli    t4, t2, TD_SHORT_ID_SHIFT
        add     t5, t5, t4
        li      t4, TD_TAG_CONT
        sw      t3, 12(NEXT(t6))
        sw      t4, 8(NEXT(t6))
        sw      t1, 4(NEXT(t6))
        sw      t5, 0(NEXT(t6))
        addi    NEXT(t6), NEXT(t6), 2 * TD_SLOT_BYTES
        STORE_NEXT(t6, t4)
        lw      t4, 0(sp)
        lw      t5, 4(sp)
        lw      t6, 8(sp)
        addi    sp, sp, SMALL_FRAME
        jr      t0
1:      lw      t5, 4(sp)
        lw      t6, 8(sp)
2:      lw      t4, 0(sp)
        addi    sp, sp, SMALL_FRAME
        addi    sp, sp, -FRAME
        sw      t0, 0(sp)
        sw      ra, 4(sp)
        sw      a0, 8(sp)
        sw      a1, 12(sp)
        sw      a2, 16(sp)
        sw      a3, 20(sp)
        sw      a4, 24(sp)
        sw      a5, 28(sp)
        sw      a6, 32(sp)
        sw      a7, 36(sp)
        sw      t4, 40(sp)
        sw      t5, 44(sp)
        sw      t6, 48(sp)
        mv      a0, t1
        mv      a1, t3
        mv      a2, t2
        LOAD(a3, TD_RT_START_HIGH)
        call    td_zone_slow_c
        lw      t0, 0(sp)
        lw      ra, 4(sp)
        lw      a0, 8(sp)
        lw      a1, 12(sp)
        lw      a2, 16(sp)
        lw      a3, 20(sp)
        lw      a4, 24(sp)
        lw      a5, 28(sp)
        lw      a6, 32(sp)
        lw      a7, 36(sp)
        lw      t4, 40(sp)
        lw      t5, 44(sp)
        lw      t6, 48(sp)
        addi    sp, sp, FRAME
        jr      t0
        .size   td_zone_slow, . - td_zone_slow

/* The close of the tiny build: t1 start, t2 its high half, t3 TD_RT_HIGH at the open, t4 site id; t5, t6 are
 * free. */
        .section .text.td_zone_close_tiny,"ax",@progbits
        .globl  td_zone_close_tiny
        .type   td_zone_close_tiny, @function
td_zone_close_tiny:
        lui     t5, %hi(td_clock_low)
        lw      t6, %lo(td_clock_low)(t5)
        lw      t5, %lo(td_clock_live_high)(t5)
        sub     t1, t6, t1
        bne     t5, t3, 1f
        LOAD(t5, TD_RT_LIMIT)
        srli    t3, t1, TD_SHORT_ID_SHIFT
        bnez    t3, 1f
        LOAD_NEXT(t3)
        beq     NEXT(t3), t5, 1f
        or      t1, t1, t4
        sw      t6, 4(NEXT(t3))
        sw      t1, 0(NEXT(t3))
        addi    NEXT(t3), NEXT(t3), TD_SLOT_BYTES
        STORE_NEXT(t3, t5)
        jr      t0
1:      STORE(t2, TD_RT_START_HIGH, t5)
        mv      t3, t1
        mv      t1, t6
        mv      t2, t4
        j       td_zone_slow
        .size   td_zone_close_tiny, . - td_zone_close_tiny
