#include "host/agent/client/code_places.h"
#include "host/base/err.h"
#include "host/disasm/disasm.h"

int td_code_places(uint8_t cpu_arch, uint64_t address, const uint8_t *code, size_t bytes,
                   int (*take)(void *self, uint64_t address), void *self)
{
    const struct td_disasm_options options = {.arch = cpu_arch <= TD_CODE_ARM64 ? cpu_arch : TD_CODE_UNKNOWN};
    struct td_disasm *disasm = td_disasm_open(&options, NULL);
    struct td_insn insn;
    int rc = disasm ? 0 : TD_E_NOMEM;
    for (size_t at = 0; !rc && at < bytes; at += insn.length) {
        td_disasm_next(disasm, code + at, bytes - at, address + at, &insn);
        if (insn.kind == TD_INSN_BYTES)
            break;
        rc = take(self, insn.address);
        if (!rc && insn.has_target)
            rc = take(self, insn.target);
    }
    td_disasm_close(disasm);
    return rc;
}
