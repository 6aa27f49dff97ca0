/* What instructions cost on a processor: latency, throughput and micro-operations, as LLVM models it. The figures come
 * from LLVM's program llvm-mca, which is run with the instructions as text; LLVM's C interface has none of them. Only
 * for x86, x86-64 and AArch64: LLVM has no model of the RISC-V cores of accelerators.
 *
 * They are those of one instruction alone, with all its data in the first cache. Thread-safe. */
#pragma once
#include "host/disasm/disasm.h"

#define TD_COSTS_MOST 65536 /* instructions of one function */

struct td_insn_cost {
    bool known;
    uint32_t uops, latency_cycles;
    double throughput_cycles; /* between two such instructions that do not depend on each other */
};
/* The costs of the instructions of `code`, in order, of which there are `count`. `processor` is a name of LLVM's, such
 * as "skylake" or "znver3". 0; TD_E_USAGE: LLVM knows no such processor; TD_E_NOTFOUND: there is no llvm-mca, or no
 * model; or another negative enum td_e. */
int td_insn_costs_find(enum td_code_arch arch, const char *processor, const uint8_t *code, size_t bytes,
                       uint64_t address, struct td_insn_cost *costs, size_t count, struct td_err *err);
