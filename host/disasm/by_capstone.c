#include "host/disasm/disasm_internal.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct by_capstone {
    csh handle;
    cs_insn *insn;
    enum td_code_arch arch;
};

static bool find_mode(const struct td_disasm_options *o, cs_arch *arch, cs_mode *mode)
{
    switch (o->arch) {
    case TD_CODE_X86:
        return *arch = CS_ARCH_X86, *mode = CS_MODE_32, true;
    case TD_CODE_X64:
        return *arch = CS_ARCH_X86, *mode = CS_MODE_64, true;
    case TD_CODE_ARM32:
        return *arch = CS_ARCH_ARM, *mode = CS_MODE_ARM, true;
    case TD_CODE_ARM64:
        return *arch = CS_ARCH_ARM64, *mode = CS_MODE_ARM, true;
#if CS_API_MAJOR >= 5
    case TD_CODE_RISCV32:
    case TD_CODE_RISCV64:
        *arch = CS_ARCH_RISCV;
        *mode = o->arch == TD_CODE_RISCV32 ? CS_MODE_RISCV32 : CS_MODE_RISCV64;
        *mode |= o->compressed ? CS_MODE_RISCVC : 0;
        return true;
#endif
    default:
        return false;
    }
}

static void close_capstone(void *self)
{
    struct by_capstone *c = self;
    if (c->insn)
        cs_free(c->insn, 1);
    if (c->handle)
        cs_close(&c->handle);
    free(c);
}

static void *open_capstone(const struct td_disasm_options *o, struct td_err *why)
{
    cs_arch arch = CS_ARCH_X86;
    cs_mode mode = CS_MODE_32;
    if (!find_mode(o, &arch, &mode)) {
        td_fail(why, TD_E_NOTFOUND, "libcapstone %d does not decode %s", CS_API_MAJOR,
                td_code_arch_name(o->arch));
        return NULL;
    }
    struct by_capstone *c = calloc(1, sizeof *c);
    if (!c) {
        td_fail_no_memory(why, "for a disassembler");
        return NULL;
    }
    c->arch = o->arch;
    cs_err bad = cs_open(arch, mode, &c->handle);
    if (bad == CS_ERR_OK) {
        cs_option(c->handle, CS_OPT_DETAIL, CS_OPT_ON);
        if (arch == CS_ARCH_X86)
            cs_option(c->handle, CS_OPT_SYNTAX, o->att ? CS_OPT_SYNTAX_ATT : CS_OPT_SYNTAX_INTEL);
        c->insn = cs_malloc(c->handle);
        bad = c->insn ? CS_ERR_OK : CS_ERR_MEM;
    } else {
        c->handle = 0;
    }
    if (bad == CS_ERR_OK)
        return c;
    td_fail(why, TD_E_NOTFOUND, "libcapstone does not decode %s: %s", td_code_arch_name(o->arch),
            cs_strerror(bad));
    close_capstone(c);
    return NULL;
}

static void set_target(struct td_insn *insn, int64_t target)
{
    insn->target = (uint64_t)target;
    insn->has_target = true;
}

static void describe_x86(const struct by_capstone *c, struct td_insn *insn)
{
    const cs_x86 *x86 = &c->insn->detail->x86;
    const bool jumps = cs_insn_group(c->handle, c->insn, CS_GRP_JUMP),
               calls = cs_insn_group(c->handle, c->insn, CS_GRP_CALL);
    if (calls)
        insn->kind = TD_INSN_CALL;
    else if (cs_insn_group(c->handle, c->insn, CS_GRP_RET))
        insn->kind = TD_INSN_RETURN;
    else if (jumps)
        insn->kind =
            c->insn->id == X86_INS_JMP || c->insn->id == X86_INS_LJMP ? TD_INSN_JUMP : TD_INSN_BRANCH;
    if ((jumps || calls) && x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM)
        set_target(insn, x86->operands[0].imm);
}

static void describe_arm64(const struct by_capstone *c, struct td_insn *insn)
{
    const cs_arm64 *arm = &c->insn->detail->arm64;
    switch (c->insn->id) {
    case ARM64_INS_BL:
    case ARM64_INS_BLR:
        insn->kind = TD_INSN_CALL;
        break;
    case ARM64_INS_RET:
        insn->kind = TD_INSN_RETURN;
        break;
    case ARM64_INS_B:
    case ARM64_INS_BR:
        insn->kind = arm->cc == ARM64_CC_INVALID || arm->cc == ARM64_CC_AL ? TD_INSN_JUMP : TD_INSN_BRANCH;
        break;
    case ARM64_INS_CBZ:
    case ARM64_INS_CBNZ:
    case ARM64_INS_TBZ:
    case ARM64_INS_TBNZ:
        insn->kind = TD_INSN_BRANCH;
        break;
    default:
        return;
    }
    if (arm->op_count && arm->operands[arm->op_count - 1].type == ARM64_OP_IMM)
        set_target(insn, arm->operands[arm->op_count - 1].imm);
}

static void describe_arm32(const struct by_capstone *c, struct td_insn *insn)
{
    const cs_arm *arm = &c->insn->detail->arm;
    switch (c->insn->id) {
    case ARM_INS_BL:
    case ARM_INS_BLX:
        insn->kind = TD_INSN_CALL;
        break;
    case ARM_INS_BX:
        insn->kind =
            arm->op_count == 1 && arm->operands[0].type == ARM_OP_REG && arm->operands[0].reg == ARM_REG_LR
                ? TD_INSN_RETURN
                : TD_INSN_JUMP;
        break;
    case ARM_INS_B:
        insn->kind = arm->cc == ARM_CC_INVALID || arm->cc == ARM_CC_AL ? TD_INSN_JUMP : TD_INSN_BRANCH;
        break;
    default:
        return;
    }
    if (arm->op_count == 1 && arm->operands[0].type == ARM_OP_IMM)
        set_target(insn, arm->operands[0].imm);
}

static void describe(const struct by_capstone *c, struct td_insn *insn)
{
    if (c->arch == TD_CODE_X86 || c->arch == TD_CODE_X64)
        describe_x86(c, insn);
    else if (c->arch == TD_CODE_ARM64)
        describe_arm64(c, insn);
    else if (c->arch == TD_CODE_ARM32)
        describe_arm32(c, insn);
    /* RISC-V: riscv.c */
}

static bool next_by_capstone(void *self, const uint8_t *code, size_t bytes, uint64_t address,
                             struct td_insn *insn)
{
    struct by_capstone *c = self;
    if (!cs_disasm_iter(c->handle, &code, &bytes, &address, c->insn))
        return false;
    insn->length = (uint8_t)c->insn->size;
    snprintf(insn->mnemonic, sizeof insn->mnemonic, "%s", c->insn->mnemonic);
    snprintf(insn->operands, sizeof insn->operands, "%s", c->insn->op_str);
    describe(c, insn);
    return true;
}

static bool compares_on_arm64(const struct by_capstone *c)
{
    static const unsigned ids[] = {ARM64_INS_CMP,  ARM64_INS_CMN,  ARM64_INS_TST,  ARM64_INS_CCMP,
                                   ARM64_INS_CCMN, ARM64_INS_FCMP, ARM64_INS_FCMPE};
    bool found = false;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        found |= c->arch == TD_CODE_ARM64 && c->insn->id == ids[i];
    return found;
}

static bool add_registers_by_capstone(void *self, struct td_insn_registers *registers)
{
    const struct by_capstone *c = self;
    cs_regs read, written;
    uint8_t reads, writes;
    if (cs_regs_access(c->handle, c->insn, read, &reads, written, &writes) != CS_ERR_OK)
        return false;
    for (uint8_t i = 0; i < reads; i++) {
        const char *name = cs_reg_name(c->handle, read[i]);
        if (name)
            td_registers_add_named(&registers->reads, c->arch, name);
    }
    const bool compares = compares_on_arm64(c); /* libcapstone 4 says that they write what they read */
    for (uint8_t i = 0; i < writes; i++) {
        const char *name = cs_reg_name(c->handle, written[i]);
        if (name)
            td_registers_add_named(compares && strcmp(name, "nzcv") != 0 ? &registers->reads
                                                                         : &registers->writes,
                                   c->arch, name);
    }
    return true;
}

const struct td_disasm_decoder td_disasm_capstone = {open_capstone, close_capstone, next_by_capstone,
                                                     add_registers_by_capstone};
