#include "host/agent/client/code_places.h"
#include "host/base/err.h"
#include "proto/wire/items.h"

#include <capstone/capstone.h>
#include <stdbool.h>

static bool open_decoder(uint8_t cpu_arch, csh *decoder)
{
    static const struct {
        cs_arch arch;
        cs_mode mode;
    } of[] = {[TD_WIRE_ARCH_X86] = {CS_ARCH_X86, CS_MODE_32},
              [TD_WIRE_ARCH_X64] = {CS_ARCH_X86, CS_MODE_64},
              [TD_WIRE_ARCH_ARM32] = {CS_ARCH_ARM, CS_MODE_ARM},
              [TD_WIRE_ARCH_ARM64] = {CS_ARCH_ARM64, CS_MODE_ARM}};
    if (!cpu_arch || cpu_arch > TD_WIRE_ARCH_ARM64 ||
        cs_open(of[cpu_arch].arch, of[cpu_arch].mode, decoder) != CS_ERR_OK)
        return false;
    cs_option(*decoder, CS_OPT_DETAIL, CS_OPT_ON);
    return true;
}

/* The target of a direct jump or call; 0: the instruction is neither, or reads its target. */
static uint64_t target_of(uint8_t cpu_arch, csh decoder, const cs_insn *instruction)
{
    const cs_detail *d = instruction->detail;
    if (!cs_insn_group(decoder, instruction, CS_GRP_JUMP) &&
        !cs_insn_group(decoder, instruction, CS_GRP_CALL))
        return 0;
    switch (cpu_arch) {
    case TD_WIRE_ARCH_ARM32:
        return d->arm.op_count == 1 && d->arm.operands[0].type == ARM_OP_IMM
                   ? (uint64_t)d->arm.operands[0].imm
                   : 0;
    case TD_WIRE_ARCH_ARM64:
        return d->arm64.op_count == 1 && d->arm64.operands[0].type == ARM64_OP_IMM
                   ? (uint64_t)d->arm64.operands[0].imm
                   : 0;
    default:
        return d->x86.op_count == 1 && d->x86.operands[0].type == X86_OP_IMM
                   ? (uint64_t)d->x86.operands[0].imm
                   : 0;
    }
}

int td_code_places(uint8_t cpu_arch, uint64_t address, const uint8_t *code, size_t bytes,
                   int (*take)(void *self, uint64_t address), void *self)
{
    csh decoder;
    if (!open_decoder(cpu_arch, &decoder))
        return 0;
    cs_insn *instruction = cs_malloc(decoder);
    int rc = instruction ? 0 : TD_E_NOMEM;
    while (!rc && cs_disasm_iter(decoder, &code, &bytes, &address, instruction)) {
        uint64_t target = target_of(cpu_arch, decoder, instruction);
        rc = take(self, instruction->address);
        if (!rc && target)
            rc = take(self, target);
    }
    if (instruction)
        cs_free(instruction, 1);
    cs_close(&decoder);
    return rc;
}
