#include "boards/tensix_sim/sim.h"

#include <stdbool.h>

static uint32_t reg_value(uc_engine *uc, uint32_t number)
{
    uint32_t value = 0;
    if (number)
        uc_reg_read(uc, UC_RISCV_REG_X0 + (int)number, &value);
    return value;
}

static bool op_imm_is_legal(uint32_t funct3, uint32_t funct7)
{
    if (funct3 == 1)
        return funct7 == 0;
    if (funct3 == 5)
        return funct7 == 0 || funct7 == 0x20;
    return true;
}

bool insn_is_legal(uint32_t insn)
{
    uint32_t funct3 = insn >> 12 & 7, funct7 = insn >> 25;
    switch (insn & 0x7f) {
    case 0x37: /* lui */
    case 0x17: /* auipc */
    case 0x6f: /* jal */
        return true;
    case 0x67: /* jalr */
        return funct3 == 0;
    case 0x63: /* branches */
        return funct3 != 2 && funct3 != 3;
    case 0x03: /* loads */
        return funct3 <= 2 || funct3 == 4 || funct3 == 5;
    case 0x23: /* stores */
        return funct3 <= 2;
    case 0x13:
        return op_imm_is_legal(funct3, funct7);
    case 0x33: /* with M */
        return funct7 <= 1 || (funct7 == 0x20 && (funct3 == 0 || funct3 == 5));
    case 0x0f: /* fence, fence.i */
        return funct3 <= 1;
    case 0x73: /* ecall, ebreak: legal, but nothing handles them; no CSRs */
        return insn == 0x00000073 || insn == 0x00100073;
    }
    return false;
}

uint32_t insn_address(uint32_t insn, uc_engine *uc)
{
    uint32_t base = insn >> 15 & 31;
    if ((insn & 0x7f) == 0x03)
        return reg_value(uc, base) + (uint32_t)((int32_t)insn >> 20);
    if ((insn & 0x7f) == 0x23)
        return reg_value(uc, base) + ((uint32_t)((int32_t)insn >> 25) << 5 | (insn >> 7 & 31));
    return 0;
}

bool insn_accesses(uint32_t insn, int is_store, uint32_t address, uc_engine *uc)
{
    return (insn & 0x7f) == (is_store ? 0x23u : 0x03u) && insn_address(insn, uc) == address;
}
