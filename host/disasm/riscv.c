/* What RISC-V instructions do, from their bits: libraries give text only. */
#include "host/disasm/disasm_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { /* bits 0 to 6 */ OP_BRANCH = 0x63, OP_JALR = 0x67, OP_JAL = 0x6f };

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

/* Instructions of 16 bits. */
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
