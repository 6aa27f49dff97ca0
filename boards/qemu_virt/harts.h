/* The harts that run kernels: parked until the board's reset word lets them go, brought back to parking by a
 * software interrupt when the word holds them again, and by a trap. */
#pragma once

/* Byte offsets in struct hart, for start.S. */
#define HART_SAVE        0
#define HART_NUMBER      12
#define HART_MSIP        16
#define HART_ROW_BYTES   288
#define HART_STACK_WORDS 64

#ifndef __ASSEMBLER__
#include <stdint.h>

enum hart_state { HART_ABSENT, HART_PARKED, HART_RUNNING, HART_FAULTED };

/* A row of the table, aligned as a stack is. */
struct hart {
    uint32_t save[3];        /* registers of what runs, while an interrupt is looked at */
    uint32_t number;         /* of the hart; its bit in the reset word too */
    volatile uint32_t *msip; /* its software interrupt */
    uint32_t start;          /* first address after parking */
    volatile uint32_t *lane; /* its lane control words */
    volatile enum hart_state state;
    uint32_t stack[HART_STACK_WORDS]; /* of the parking loop, and of traps */
} __attribute__((aligned(16)));

extern struct hart harts[];

/* Starts the harts, which run to their parking loops and are held there. Called once. */
void harts_begin(void);
/* Sets the reset word: stores it, interrupts the harts and waits until those that are held are in their
 * parking loops. 0, or a negative enum td_e and what is wrong. */
int harts_reset(uint32_t word, const char **wrong);

/* For start.S: a hart begins; a kernel was stopped by an interrupt or exception. Neither returns. */
void hart_park(struct hart *hart) __attribute__((noreturn));
void hart_stopped(struct hart *hart, uint32_t cause, uint32_t pc, uint32_t address) __attribute__((noreturn));
/* In start.S. */
void hart_trap(void);
void hart_run(uint32_t start) __attribute__((noreturn));
#endif
