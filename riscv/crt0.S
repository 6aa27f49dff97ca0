/* Start of every image: from the jump at the core's reset address to main and, after it, to rest.
 * The symbols are the linker script's (ld/kernel.ld). */
#include "riscv/rt_words.h"

        .section .text.td_crt0,"ax",@progbits
        .globl  _start
        .type   _start, @function
_start:
        .cfi_startproc
        .cfi_undefined ra

        /* 1. gp (in reach of all of local RAM), the stack at local RAM's end; nothing is written to the lane yet. */
        .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
        la      sp, td_stack_top
        li      tp, 0

        /* 2. The runtime's words are zero. */
        la      a0, td_rt_words
        addi    a1, a0, TD_RT_BYTES
        jal     td_clear

        /* 3. Initialised data from L1: to local RAM, and to its place in L1, so that a second start of the same
              image begins like the first. */
        la      a0, td_data_begin
        la      a1, td_data_end
        la      a2, td_data_load
        jal     td_copy
        la      a0, td_l1_data_begin
        la      a1, td_l1_data_end
        la      a2, td_l1_data_load
        jal     td_copy

        /* 4. Data that starts as zero. */
        la      a0, td_bss_begin
        la      a1, td_bss_end
        jal     td_clear
        la      a0, td_l1_bss_begin
        la      a1, td_l1_bss_end
        jal     td_clear

        /* The words below the stack say whether it was large enough. */
        la      a0, td_stack_end
        li      a1, TD_STACK_GUARD
        sw      a1, 0(a0)
        sw      a1, 4(a0)
        sw      a1, 8(a0)
        sw      a1, 12(a0)

        /* 5. The launch is known to be running, the lane is open, the kernel's zone begins. */
        jal     td_launch_begin

        /* 6. Constructors, main, destructors. */
        la      s0, td_init_array_begin
        la      s1, td_init_array_end
        jal     td_call_all
        li      a0, 0
        li      a1, 0
        call    main
        mv      s2, a0
        la      s0, td_fini_array_begin
        la      s1, td_fini_array_end
        jal     td_call_all
        mv      a0, s2

        /* 7. _exit(code): all that was recorded is in the lane, the launch is known to be done; the core rests in a jump
              to itself, where the board may stop it. */
        .globl  _exit
        .type   _exit, @function
_exit:
        jal     td_launch_end
        .globl  td_park
td_park:
        j       td_park
        .cfi_endproc
        .size   _start, . - _start

/* Words from a0 up to a1 = 0. All borders are multiples of 4. */
td_clear:
        bgeu    a0, a1, 2f
1:      sw      zero, 0(a0)
        addi    a0, a0, 4
        bltu    a0, a1, 1b
2:      ret

/* Words from a0 up to a1 = those at a2. */
td_copy:
        bgeu    a0, a1, 2f
1:      lw      a3, 0(a2)
        sw      a3, 0(a0)
        addi    a2, a2, 4
        addi    a0, a0, 4
        bltu    a0, a1, 1b
2:      ret

/* Calls the functions of the table from s0 up to s1. Clobbers s3: the start code has no caller. */
td_call_all:
        mv      s3, ra
1:      bgeu    s0, s1, 2f
        lw      a0, 0(s0)
        addi    s0, s0, 4
        jalr    a0
        j       1b
2:      jr      s3
