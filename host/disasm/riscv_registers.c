/* Which registers RISC-V instructions of 32 bits use, from their bits: libraries give text only. */
#include "host/disasm/disasm_internal.h"

#include <string.h>

enum { /* bits 0 to 6 */
       LOAD = 0x03,
       LOAD_FLOAT = 0x07,
       FENCE = 0x0f,
       BY_NUMBER = 0x13,
       AUIPC = 0x17,
       BY_NUMBER_32 = 0x1b,
       STORE = 0x23,
       STORE_FLOAT = 0x27,
       ATOMIC = 0x2f,
       BY_REGISTER = 0x33,
       LUI = 0x37,
       BY_REGISTER_32 = 0x3b,
       MULTIPLY_ADD = 0x43, /* and the next three multiples of 4 */
       FLOAT = 0x53,
       BRANCH = 0x63,
       JALR = 0x67,
       JAL = 0x6f,
       SYSTEM = 0x73
};
/* The operands: rd, rs1, rs2 of whole numbers; fd, f1, f2, f3 of floating point. */
enum { RD = 1, R1 = 2, R2 = 4, FD = 8, F1 = 16, F2 = 32, F3 = 64, UNKNOWN = 128 };

/* By bits 27 to 31. */
static unsigned operands_of_float(uint32_t word)
{
    switch (word >> 27) {
    case 0x08: /* between precisions */
    case 0x0b: /* square root */
        return FD | F1;
    case 0x14: /* compares */
        return RD | F1 | F2;
    case 0x18: /* to a whole number */
    case 0x1c: /* the bits, or the class */
        return RD | F1;
    case 0x1a: /* from a whole number */
    case 0x1e: /* from bits */
        return FD | R1;
    default:
        return FD | F1 | F2;
    }
}

static unsigned operands_of(uint32_t word)
{
    switch (word & 0x7f) {
    case LUI:
    case AUIPC:
    case JAL:
        return RD;
    case LOAD:
    case BY_NUMBER:
    case BY_NUMBER_32:
    case JALR:
        return RD | R1;
    case BY_REGISTER:
    case BY_REGISTER_32:
    case ATOMIC: /* rs2 of a load is x0 */
        return RD | R1 | R2;
    case STORE:
    case BRANCH:
        return R1 | R2;
    case LOAD_FLOAT:
        return FD | R1;
    case STORE_FLOAT:
        return R1 | F2;
    case MULTIPLY_ADD:
    case MULTIPLY_ADD + 4:
    case MULTIPLY_ADD + 8:
    case MULTIPLY_ADD + 12:
        return FD | F1 | F2 | F3;
    case FLOAT:
        return operands_of_float(word);
    case FENCE:
        return 0;
    case SYSTEM: /* of a status register, by a register or by a number; others use none */
        return !(word >> 12 & 3) ? 0 : word >> 14 & 1 ? RD : RD | R1;
    default:
        return UNKNOWN;
    }
}

static void add_whole(struct td_registers *set, uint32_t number)
{
    if (number & 31) /* x0 is always 0 */
        td_registers_add(set, number & 31);
}

bool td_riscv_add_registers(const uint8_t *code, size_t length, struct td_insn_registers *r)
{
    uint32_t word;
    if (length != sizeof word)
        return false;
    memcpy(&word, code, sizeof word);
    const unsigned operands = operands_of(word);
    if (operands & RD)
        add_whole(&r->writes, word >> 7);
    if (operands & R1)
        add_whole(&r->reads, word >> 15);
    if (operands & R2)
        add_whole(&r->reads, word >> 20);
    if (operands & FD)
        td_registers_add(&r->writes, 32 + (word >> 7 & 31));
    if (operands & F1)
        td_registers_add(&r->reads, 32 + (word >> 15 & 31));
    if (operands & F2)
        td_registers_add(&r->reads, 32 + (word >> 20 & 31));
    if (operands & F3)
        td_registers_add(&r->reads, 32 + (word >> 27 & 31));
    return !(operands & UNKNOWN);
}
