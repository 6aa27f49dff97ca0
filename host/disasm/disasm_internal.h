/* The libraries that decode, for disasm.c. */
#pragma once
#include "host/disasm/registers.h"

struct td_disasm_decoder {
    /* NULL: this library does not decode such code; *why says why, in one line. */
    void *(*open)(const struct td_disasm_options *options, struct td_err *why);
    void (*close)(void *self);
    /* Fills length, mnemonic and operands, and what the library knows of kind and target; the rest
     * is zero. False: the bytes are no instruction. */
    bool (*next)(void *self, const uint8_t *code, size_t bytes, uint64_t address, struct td_insn *insn);
    /* Adds those of the instruction that next() decoded last; false: they are not known. NULL: never known. */
    bool (*add_registers)(void *self, struct td_insn_registers *registers);
};
extern const struct td_disasm_decoder td_disasm_capstone, td_disasm_llvm;

/* Fills kind and target of a RISC-V instruction from its bits, insn->length of which are known. */
void td_riscv_describe(const uint8_t *code, uint64_t address, bool is_64, struct td_insn *insn);
/* Adds the registers of a RISC-V instruction; false: they are not known. */
bool td_riscv_add_registers(const uint8_t *code, size_t length, struct td_insn_registers *registers);

/* registers.c: adds the register of that name in any of its forms; of other names, nothing. */
void td_registers_add_named(struct td_registers *set, enum td_code_arch arch, const char *name);
void td_registers_add_changed_by_call(struct td_registers *set, enum td_code_arch arch);
