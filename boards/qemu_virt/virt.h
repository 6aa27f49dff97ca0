/* Devices of QEMU's "virt" machine. Plain constants: C and assembler code include this. */
#pragma once

/* CLINT: a word a hart that raises its software interrupt; a 64-bit deadline a hart. The time itself is in
 * the board's description. */
#define VIRT_MSIP     0x02000000
#define VIRT_MTIMECMP 0x02004000

/* PLIC, as hart 0 in machine mode sees it (context 0). */
#define VIRT_PLIC_PRIORITY  0x0c000000
#define VIRT_PLIC_ENABLE    0x0c002000
#define VIRT_PLIC_THRESHOLD 0x0c200000
#define VIRT_PLIC_CLAIM     0x0c200004

/* 16550 UART. */
#define VIRT_UART     0x10000000
#define VIRT_UART_IRQ 10

/* mie, mstatus, mcause */
#define RISCV_MIE_SOFTWARE   0x008
#define RISCV_MIE_TIMER      0x080
#define RISCV_MIE_EXTERNAL   0x800
#define RISCV_MSTATUS_MIE    0x008
#define RISCV_MSTATUS_START  0x1880 /* MPP: machine mode, MPIE: interrupts on after mret */
#define RISCV_CAUSE_TIMER    0x80000007
#define RISCV_CAUSE_EXTERNAL 0x8000000b
