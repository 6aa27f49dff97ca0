#include "host/disasm/disasm.h"

static const char *const arch_names[TD_CODE_ARCHS] = {"unknown", "x86",     "x86-64", "arm32",
                                                      "aarch64", "riscv32", "riscv64"};

const char *td_code_arch_name(enum td_code_arch arch)
{
    return (unsigned)arch < TD_CODE_ARCHS ? arch_names[arch] : arch_names[TD_CODE_UNKNOWN];
}
