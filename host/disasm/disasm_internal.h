/* The libraries that decode, for disasm.c. */
#pragma once
#include "host/disasm/disasm.h"

struct td_disasm_decoder {
    /* NULL: this library does not decode such code; *why says why, in one line. */
    void *(*open)(const struct td_disasm_options *options, struct td_err *why);
    void (*close)(void *self);
    /* Fills length, mnemonic and operands, and what the library knows of kind and target; the rest
     * is zero. False: the bytes are no instruction. */
    bool (*next)(void *self, const uint8_t *code, size_t bytes, uint64_t address, struct td_insn *insn);
};
extern const struct td_disasm_decoder td_disasm_capstone, td_disasm_llvm;

/* Fills kind and target of a RISC-V instruction from its bits, insn->length of which are known. */
void td_riscv_describe(const uint8_t *code, uint64_t address, bool is_64, struct td_insn *insn);
