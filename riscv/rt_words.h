/* The runtime's own words at the start of a core's local RAM, in builds with and without markers alike, so
 * that a kernel's data has the same addresses in both. gp points 0x800 above them: each is one gp-relative
 * access. Plain constants: C, C++ and assembler code include this. */
#ifndef TD_RISCV_RT_WORDS_H
#define TD_RISCV_RT_WORDS_H

#define TD_RT_BYTES 32

/* Byte offsets. */
#define TD_RT_LIMIT      0  /* a zone's close may write its slot while tp is not this address */
#define TD_RT_HIGH       4  /* high half of the clock that the lane's last TIME packet says */
#define TD_RT_START_HIGH 8  /* from a close to its slow path: high half of the clock after the open's read */
#define TD_RT_ARG        12 /* argument of this launch, td_arg() */
#define TD_RT_NEXT       12 /* of a guest, instead: the write pointer */
#define TD_RT_SKIP       16 /* of a guest: markers to be skipped before it looks for lanes again */

#define TD_RT_GP_OFFSET 0x800

/* The start code writes this word TD_GUARD_WORDS times where a core's stack ends. Whoever finds another word there
 * while the core runs or when it ends knows that the stack was too small. */
#define TD_STACK_GUARD 0x6b617473 /* "stak" */
#define TD_GUARD_WORDS 4

#endif
