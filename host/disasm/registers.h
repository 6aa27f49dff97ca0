/* Which registers an instruction reads and writes. Parts of a register are the register: al, ax and eax are rax; a
 * register that is always 0 and the program counter are none. Condition flags are one register.
 *
 *   struct td_insn_registers r;
 *   if (td_disasm_registers(d, code, bytes, address, &r))
 *       for (unsigned n = 0; n < TD_REGISTERS; n++)
 *           if (td_registers_have(&r.reads, n)) printf("%s", td_register_name(arch, n, room));
 *
 * Of a call, what is written includes each register that the called function may change by the calling convention
 * (System V's on x86). */
#pragma once
#include "host/disasm/disasm.h"

#define TD_REGISTERS      128
#define TD_REGISTER_BYTES 8 /* of a name, with its end */

struct td_registers { /* a set of their numbers; all zero: none */
    uint64_t bits[TD_REGISTERS / 64];
};
struct td_insn_registers {
    struct td_registers reads, writes;
};

static inline bool td_registers_have(const struct td_registers *set, unsigned number)
{
    return set->bits[number / 64] >> number % 64 & 1;
}

static inline void td_registers_add(struct td_registers *set, unsigned number)
{
    set->bits[number / 64] |= UINT64_C(1) << number % 64;
}

static inline bool td_registers_any(const struct td_registers *set)
{
    return set->bits[0] || set->bits[1];
}

/* Of the first instruction of `code`. False: they are not known, because nothing decodes the instruction, or it is a
 * RISC-V one of 16 bits. */
bool td_disasm_registers(struct td_disasm *disasm, const uint8_t *code, size_t bytes, uint64_t address,
                         struct td_insn_registers *registers);
/* The name of its widest form. Returns `room`. */
const char *td_register_name(enum td_code_arch arch, unsigned number, char room[TD_REGISTER_BYTES]);
