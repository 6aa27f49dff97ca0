/* A trace with samples whose sums are known.
 *
 * Functions: main (calls work at main.c:10), work (calls leaf at work.c:20), helper (inlined into work at
 * work.c:22; its own line is helper.h:5), leaf (leaf.c:30, no symbol address), a kernel function, and an address
 * that nothing is known of. Each stack below is main > work > ... innermost last. */
#pragma once
#include "host/trace/trace.h"

enum {
    MAIN = 0x1000,
    MAIN_CALL = 0x1015, /* the return address in main */
    WORK = 0x2000,
    WORK_LINE_21 = 0x2000,
    WORK_HELPER = 0x2003, /* helper's line 5, inlined at work.c:22 */
    WORK_CALL = 0x200b,   /* the return address in work, of the call at 0x2006 */
    HELPER = 0x2003,      /* symbol */
    LEAF = 0x3000,
    NOWHERE = 0x9000
};
#define KERNEL UINT64_C(0xffffffff81000010)

enum made_up_stack {
    IN_WORK = 1, /* main > work, at line 21 */
    IN_HELPER,   /* main > work > helper (inlined) */
    IN_LEAF,     /* main > work > leaf */
    IN_KERNEL,   /* main > work > kernel */
    IN_NOWHERE,  /* an address of no function */
    RECURSIVE,   /* main > work > work, at line 21 */
    MADE_UP_STACKS
};
/* Samples on track 0: 40 IN_WORK, 30 IN_HELPER, 20 IN_LEAF, 6 IN_KERNEL, 3 IN_NOWHERE, 1 RECURSIVE, one a
 * microsecond in this order from 1 us on. Track 1: 10 IN_LEAF from 1 us on; and 4 switches at 101 us, 103 us, 105
 * us, 107 us with the stack IN_KERNEL, each followed by 1 us of waiting, the last 0.4 us of it awake. */
struct td_trace *make_up_trace(void);
