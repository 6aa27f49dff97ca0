/* Machine code that may be any bytes. The first byte chooses the architecture and the notation. */
#include "host/disasm/registers.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct td_insn *insn, size_t left, uint64_t address)
{
    if (!insn->length || insn->length > left || insn->address != address || !insn->mnemonic[0] ||
        !memchr(insn->operands, 0, sizeof insn->operands))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct td_disasm *d = td_disasm_open(&(struct td_disasm_options){.arch = data[0] % TD_CODE_ARCHS,
                                                                     .att = data[0] >> 6 & 1,
                                                                     .compressed = data[0] >> 7},
                                         NULL);
    struct td_insn insn;
    for (size_t at = 1; d && at < size; at += insn.length) {
        td_disasm_next(d, data + at, size - at, 0x1000 + at, &insn);
        check(&insn, size - at, 0x1000 + at);
        struct td_insn_registers registers;
        if (td_disasm_registers(d, data + at, size - at, 0x1000 + at, &registers) &&
            insn.kind == TD_INSN_BYTES)
            abort();
    }
    td_disasm_close(d);
    return 0;
}
