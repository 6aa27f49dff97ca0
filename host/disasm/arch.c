#include "host/disasm/disasm.h"

#include <string.h>

static const char *const arch_names[TD_CODE_ARCHS] = {"unknown", "x86",     "x86-64", "arm32",
                                                      "aarch64", "riscv32", "riscv64"};

const char *td_code_arch_name(enum td_code_arch arch)
{
    return (unsigned)arch < TD_CODE_ARCHS ? arch_names[arch] : arch_names[TD_CODE_UNKNOWN];
}

enum td_code_arch td_code_arch_from_name(const char *name)
{
    for (int i = 1; i < TD_CODE_ARCHS; i++)
        if (!strcmp(arch_names[i], name))
            return (enum td_code_arch)i;
    return TD_CODE_UNKNOWN;
}
