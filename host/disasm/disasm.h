/* Disassembly of machine code, instruction by instruction.
 *
 *   disasm.c       the front: a decoder for an architecture, and what stands for bytes that it does not know
 *   by_capstone.c  x86, ARM and AArch64; RISC-V where libcapstone 5 or later was found at build time
 *   by_llvm.c      RISC-V, by LLVM's C interface; the library is loaded when it is first needed
 *   riscv.c        what RISC-V instructions do: jumps and calls
 *   registers.c    numbers and names of registers; riscv_registers.c: those of RISC-V instructions
 *   arch.c         names of architectures
 *
 * To disassemble:
 *
 *   struct td_disasm *d = td_disasm_open(&(struct td_disasm_options){.arch = TD_CODE_X64}, &err);
 *   for (size_t at = 0; at < bytes; at += insn.length)
 *       td_disasm_next(d, code + at, bytes - at, address + at, &insn);
 *   td_disasm_close(d);
 *
 * A decoder belongs to one thread at a time; threads may each have one. The code may be any bytes. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first five are the numbers of Tracy's protocol and files (struct td_trace_info, cpu_arch). */
enum td_code_arch {
    TD_CODE_UNKNOWN,
    TD_CODE_X86,
    TD_CODE_X64,
    TD_CODE_ARM32,
    TD_CODE_ARM64,
    TD_CODE_RISCV32,
    TD_CODE_RISCV64,
    TD_CODE_ARCHS
};
/* "x86-64". */
const char *td_code_arch_name(enum td_code_arch arch);

struct td_disasm_options {
    enum td_code_arch arch;
    bool att;        /* x86: AT&T's notation; false: Intel's */
    bool compressed; /* RISC-V: the code may have instructions of 16 bits (extension C) */
};

enum td_insn_kind {
    TD_INSN_PLAIN,
    TD_INSN_JUMP,   /* always */
    TD_INSN_BRANCH, /* on a condition */
    TD_INSN_CALL,
    TD_INSN_RETURN,
    TD_INSN_BYTES /* not decoded: .byte, .short or .word */
};

struct td_insn {
    uint64_t address;
    uint64_t target; /* of a direct jump, branch or call, if has_target */
    uint8_t length;  /* bytes; at least 1 */
    uint8_t kind;    /* enum td_insn_kind */
    bool has_target;
    char mnemonic[32];
    char operands[176]; /* direct targets as absolute addresses, in hexadecimal */
};

struct td_disasm;
/* Never NULL but without memory. If no library decodes the architecture, all code becomes .byte, .short or
 * .word, and td_disasm_missing() says why. */
struct td_disasm *td_disasm_open(const struct td_disasm_options *options, struct td_err *err);
void td_disasm_close(struct td_disasm *disasm); /* NULL is allowed */
/* Why nothing is decoded, one line; NULL: instructions are decoded. Valid as long as the decoder. */
const char *td_disasm_missing(const struct td_disasm *disasm);
/* Decodes the first instruction of `code`, which has at least one byte. */
void td_disasm_next(struct td_disasm *disasm, const uint8_t *code, size_t bytes, uint64_t address,
                    struct td_insn *insn);
