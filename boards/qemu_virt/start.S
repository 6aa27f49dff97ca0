/* Start of the probe's image: every hart comes here. Hart 0 goes to probe_main(), those of the table to their parking loops, others
 * sleep. */
#include "boards/qemu_virt/harts.h"
#include "boards/qemu_virt/virt.h"
#include "qemu_virt_config.h"

        .section .text.start,"ax",@progbits
        .globl  _start
_start:
        csrw    mie, zero
        csrr    a0, mhartid
        bnez    a0, hart_begin
        la      sp, stack_top
        la      a0, bss_begin
        la      a1, bss_end
1:      bgeu    a0, a1, 2f
        sw      zero, 0(a0)
        addi    a0, a0, 4
        j       1b
2:      la      t0, probe_trap
        csrw    mtvec, t0
        call    probe_main
sleep:  wfi
        j       sleep

/* Any other hart waits for hart 0, then finds its row of the table. */
hart_begin:
        la      a1, harts_ready
1:      lw      a2, 0(a1)
        beqz    a2, 1b
        fence
        mv      a1, a0
        la      a0, harts
        li      a2, BOARD_HARTS
2:      beqz    a2, sleep
        lw      a3, HART_NUMBER(a0)
        beq     a3, a1, 3f
        addi    a0, a0, HART_ROW_BYTES
        addi    a2, a2, -1
        j       2b
3:      addi    sp, a0, HART_ROW_BYTES
        j       hart_park

/* A kernel begins, its interrupts on. a0: where. */
        .globl  hart_run
hart_run:
        csrw    mepc, a0
        li      t0, RISCV_MSTATUS_START
        csrw    mstatus, t0
        fence
        fence.i
        mret

/* The trap handler: the traps and interrupts that stop a kernel come here. mscratch: row of the table. */
        .balign 4
        .globl  hart_trap
hart_trap:
        csrrw   a0, mscratch, a0
        sw      a1, HART_SAVE(a0)
        csrr    a1, mcause
        bgez    a1, 1f

        /* The software interrupt: is the hart held now? Else on with the kernel. */
        sw      a2, HART_SAVE+4(a0)
        lw      a2, HART_MSIP(a0)
        sw      zero, 0(a2)
        fence
        li      a2, BOARD_RESET_WORD
        lw      a2, 0(a2)
        sw      a3, HART_SAVE+8(a0)
        lw      a3, HART_NUMBER(a0)
        srl     a2, a2, a3
        lw      a3, HART_SAVE+8(a0)
        andi    a2, a2, 1
        bnez    a2, 1f
        lw      a2, HART_SAVE+4(a0)
        lw      a1, HART_SAVE(a0)
        csrrw   a0, mscratch, a0
        mret

1:      csrr    a2, mepc
        csrr    a3, mtval
        addi    sp, a0, HART_ROW_BYTES
        j       hart_stopped
