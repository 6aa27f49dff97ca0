#include "host/disasm/disasm.h"
#include "host/disasm/disasm_internal.h"

#include <capstone/capstone.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct td_disasm {
    struct td_disasm_options options;
    const struct td_disasm_decoder *decoder; /* NULL: nothing is decoded */
    void *self;
    struct td_err missing;
};

static bool is_riscv(enum td_code_arch arch)
{
    return arch == TD_CODE_RISCV32 || arch == TD_CODE_RISCV64;
}

struct td_disasm *td_disasm_open(const struct td_disasm_options *options, struct td_err *err)
{
    static const struct td_disasm_decoder *const decoders[] = {&td_disasm_capstone, &td_disasm_llvm};
    struct td_disasm *d = calloc(1, sizeof *d);
    if (!d) {
        td_fail_no_memory(err, "for a disassembler");
        return NULL;
    }
    d->options = *options;
    for (size_t i = 0; i < sizeof decoders / sizeof *decoders && !d->decoder; i++) {
        struct td_err why = {0};
        d->self = decoders[i]->open(options, &why);
        if (d->self)
            d->decoder = decoders[i];
        else if (!i || is_riscv(options->arch))
            d->missing = why;
    }
    if (d->options.arch == TD_CODE_UNKNOWN)
        snprintf(d->missing.text, sizeof d->missing.text,
                 "the trace does not say which processor it is from");
    return d;
}

void td_disasm_close(struct td_disasm *d)
{
    if (d && d->decoder)
        d->decoder->close(d->self);
    free(d);
}

const char *td_disasm_missing(const struct td_disasm *d)
{
    return d->decoder ? NULL : d->missing.text;
}

/* ".word 0x00000013": a whole instruction of fixed length, else a byte. */
static void put_bytes(const struct td_disasm *d, const uint8_t *code, size_t bytes, struct td_insn *insn)
{
    const bool words = d->options.arch == TD_CODE_ARM32 || d->options.arch == TD_CODE_ARM64;
    size_t length = words || is_riscv(d->options.arch) ? 4 : 1;
    if (d->options.compressed && is_riscv(d->options.arch) && (code[0] & 3) != 3)
        length = 2;
    if (length > bytes)
        length = bytes >= 2 && length == 4 ? 2 : 1;
    uint32_t value = 0;
    for (size_t i = 0; i < length; i++)
        value |= (uint32_t)code[i] << (8 * i);
    const uint64_t address = insn->address;
    memset(insn, 0, sizeof *insn);
    insn->address = address;
    insn->length = (uint8_t)length;
    insn->kind = TD_INSN_BYTES;
    snprintf(insn->mnemonic, sizeof insn->mnemonic, "%s",
             length == 4   ? ".word"
             : length == 2 ? ".short"
                           : ".byte");
    snprintf(insn->operands, sizeof insn->operands, "0x%0*" PRIx32, (int)(2 * length), value);
}

void td_disasm_next(struct td_disasm *d, const uint8_t *code, size_t bytes, uint64_t address,
                    struct td_insn *insn)
{
    memset(insn, 0, sizeof *insn);
    insn->address = address;
    if (!d->decoder || !d->decoder->next(d->self, code, bytes, address, insn)) {
        put_bytes(d, code, bytes, insn);
        return;
    }
    if (is_riscv(d->options.arch))
        td_riscv_describe(code, address, d->options.arch == TD_CODE_RISCV64, insn);
}

bool td_disasm_registers(struct td_disasm *d, const uint8_t *code, size_t bytes, uint64_t address,
                         struct td_insn_registers *to)
{
    struct td_insn insn;
    *to = (struct td_insn_registers){0};
    td_disasm_next(d, code, bytes, address, &insn);
    if (insn.kind == TD_INSN_BYTES)
        return false;
    const bool known = is_riscv(d->options.arch)   ? td_riscv_add_registers(code, insn.length, to)
                       : d->decoder->add_registers ? d->decoder->add_registers(d->self, to)
                                                   : false;
    if (known && insn.kind == TD_INSN_CALL)
        td_registers_add_changed_by_call(&to->writes, d->options.arch);
    return known;
}
