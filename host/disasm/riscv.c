/* What RISC-V instructions do, from their bits: libraries give text only. */
#include "host/disasm/disasm_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { /* bits 0 to 6 */
       OP_LOAD = 0x03,
       OP_LOAD_FP = 0x07,
       OP_IMM = 0x13,
       OP_AUIPC = 0x17,
       OP_IMM_32 = 0x1b,
       OP_STORE = 0x23,
       OP_STORE_FP = 0x27,
       OP_AMO = 0x2f,
       OP_OP = 0x33,
       OP_LUI = 0x37,
       OP_OP_32 = 0x3b,
       OP_BRANCH = 0x63,
       OP_JALR = 0x67,
       OP_JAL = 0x6f,
       OP_SYSTEM = 0x73
};

enum { USES_RD = 1, USES_RS1 = 2, USES_RS2 = 4 };
/* Integer registers of each opcode; none for the others, whose operands are registers of other kinds. */
static const uint8_t uses[128] = {
    [OP_LOAD] = USES_RD | USES_RS1,
    [OP_LOAD_FP] = USES_RS1,
    [OP_IMM] = USES_RD | USES_RS1,
    [OP_AUIPC] = USES_RD,
    [OP_IMM_32] = USES_RD | USES_RS1,
    [OP_STORE] = USES_RS1 | USES_RS2,
    [OP_STORE_FP] = USES_RS1,
    [OP_AMO] = USES_RD | USES_RS1 | USES_RS2,
    [OP_OP] = USES_RD | USES_RS1 | USES_RS2,
    [OP_LUI] = USES_RD,
    [OP_OP_32] = USES_RD | USES_RS1 | USES_RS2,
    [OP_BRANCH] = USES_RS1 | USES_RS2,
    [OP_JALR] = USES_RD | USES_RS1,
    [OP_JAL] = USES_RD,
};

const char *td_riscv_register_name(unsigned number)
{
    static const char *const names[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                        "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                        "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}

static void set_target(struct td_insn *insn, uint64_t address, int64_t offset, bool is_64)
{
    insn->target = address + (uint64_t)offset;
    if (!is_64)
        insn->target &= UINT32_MAX | address; /* the upper bits are a process of the trace */
    insn->has_target = true;
}

/* The bits of `word` from `low` up to and with `high`, at `to` and above. */
static uint32_t bits(uint32_t word, unsigned high, unsigned low, unsigned to)
{
    return (word >> low & ((2u << (high - low)) - 1)) << to;
}

/* The value of a number whose highest bit is `top`. */
static int64_t extended(uint32_t value, unsigned top)
{
    return value >> top & 1 ? (int64_t)value - ((int64_t)2 << top) : (int64_t)value;
}

static bool is_link(unsigned reg)
{
    return reg == 1 || reg == 5;
}

static void describe_registers(uint32_t word, struct td_insn *insn)
{
    uint8_t used = uses[word & 0x7f];
    const unsigned rd = word >> 7 & 31, rs1 = word >> 15 & 31, rs2 = word >> 20 & 31;
    if ((word & 0x7f) == OP_SYSTEM && (word >> 12 & 3)) /* accesses of CSRs; 5 to 7: with a constant */
        used = word >> 14 & 1 ? USES_RD : USES_RD | USES_RS1;
    if (used & USES_RS1 && rs1)
        insn->read[insn->read_count++] = (uint16_t)rs1;
    if (used & USES_RS2 && rs2 && rs2 != rs1)
        insn->read[insn->read_count++] = (uint16_t)rs2;
    if (used & USES_RD && rd)
        insn->written[insn->written_count++] = (uint16_t)rd;
    insn->has_registers = true;
}

static void describe_word(uint32_t word, uint64_t address, bool is_64, struct td_insn *insn)
{
    const unsigned rd = word >> 7 & 31, rs1 = word >> 15 & 31;
    switch (word & 0x7f) {
    case OP_JAL:
        insn->kind = is_link(rd) ? TD_INSN_CALL : TD_INSN_JUMP;
        set_target(insn, address,
                   extended(bits(word, 31, 31, 20) | bits(word, 19, 12, 12) | bits(word, 20, 20, 11) |
                                bits(word, 30, 21, 1),
                            20),
                   is_64);
        break;
    case OP_JALR:
        insn->kind = is_link(rd) ? TD_INSN_CALL : is_link(rs1) ? TD_INSN_RETURN : TD_INSN_JUMP;
        break;
    case OP_BRANCH:
        insn->kind = TD_INSN_BRANCH;
        set_target(insn, address,
                   extended(bits(word, 31, 31, 12) | bits(word, 7, 7, 11) | bits(word, 30, 25, 5) |
                                bits(word, 11, 8, 1),
                            12),
                   is_64);
        break;
    }
    describe_registers(word, insn);
}

static int64_t short_jump_offset(uint32_t half)
{
    return extended(bits(half, 12, 12, 11) | bits(half, 11, 11, 4) | bits(half, 10, 9, 8) |
                        bits(half, 8, 8, 10) | bits(half, 7, 7, 6) | bits(half, 6, 6, 7) |
                        bits(half, 5, 3, 1) | bits(half, 2, 2, 5),
                    11);
}

static int64_t short_branch_offset(uint32_t half)
{
    return extended(bits(half, 12, 12, 8) | bits(half, 11, 10, 3) | bits(half, 6, 5, 6) |
                        bits(half, 4, 3, 1) | bits(half, 2, 2, 5),
                    8);
}

/* Instructions of 16 bits: jumps only, without registers. */
static void describe_half(uint32_t half, uint64_t address, bool is_64, struct td_insn *insn)
{
    const unsigned rs1 = half >> 7 & 31, rs2 = half >> 2 & 31;
    switch ((half & 3) << 3 | half >> 13) {
    case 1 << 3 | 1: /* c.jal; in 64 bits c.addiw */
        if (is_64)
            break;
        insn->kind = TD_INSN_CALL;
        set_target(insn, address, short_jump_offset(half), is_64);
        break;
    case 1 << 3 | 5: /* c.j */
        insn->kind = TD_INSN_JUMP;
        set_target(insn, address, short_jump_offset(half), is_64);
        break;
    case 1 << 3 | 6: /* c.beqz */
    case 1 << 3 | 7: /* c.bnez */
        insn->kind = TD_INSN_BRANCH;
        set_target(insn, address, short_branch_offset(half), is_64);
        break;
    case 2 << 3 | 4: /* c.jr, c.jalr; others have a second register */
        if (!rs2 && rs1)
            insn->kind = half >> 12 & 1 ? TD_INSN_CALL : is_link(rs1) ? TD_INSN_RETURN : TD_INSN_JUMP;
        break;
    }
}

void td_riscv_describe(const uint8_t *code, uint64_t address, bool is_64, struct td_insn *insn)
{
    if (insn->length == 2)
        describe_half((uint32_t)code[0] | (uint32_t)code[1] << 8, address, is_64, insn);
    else if (insn->length == 4)
        describe_word((uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
                          (uint32_t)code[3] << 24,
                      address, is_64, insn);
    if (!insn->has_target)
        return;
    /* Libraries print the distance as the last operand. */
    char *last = strrchr(insn->operands, ',');
    last = last ? last + 1 : insn->operands;
    const size_t used = (size_t)(last - insn->operands);
    snprintf(last, sizeof insn->operands - used, "%s0x%" PRIx64, used ? " " : "", insn->target);
}
