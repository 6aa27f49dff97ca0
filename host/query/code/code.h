/* The machine code of a function: its instructions with their samples, and the source lines of each. */
#pragma once
#include "host/disasm/costs.h"
#include "host/disasm/disasm.h"
#include "host/query/code/hardware.h"
#include "host/query/code/samples.h"

struct td_code_insn {
    uint64_t address, target; /* target: of a direct jump, branch or call, if has_target */
    uint8_t length;           /* 0: an address with samples that no code is known for */
    uint8_t kind;             /* enum td_insn_kind */
    bool has_target;
    uint64_t self;                     /* samples at the instruction */
    uint64_t called;                   /* samples in what it calls */
    struct td_hardware hardware;       /* hardware samples at the instruction */
    uint32_t first_level, level_count; /* of `levels`: source lines, innermost first; count 0: not known */
};
struct td_code_view {
    uint64_t address, byte_count; /* of the whole function, also if an inlined one was asked for */
    const uint8_t *bytes;         /* belongs to the trace; NULL: the trace does not have the code */
    uint32_t name, file, image;   /* strings */
    uint32_t line;
    enum td_code_arch arch;
    struct td_disasm *disasm; /* for td_code_text() */
    const char *missing;      /* why nothing is decoded; NULL: all is well */
    struct td_code_insn *at;  /* in order of addresses */
    size_t count;
    struct td_levels levels;
    struct td_insn_cost *costs; /* of each instruction; NULL: td_code_find_costs() was not called */
    uint64_t self, called;      /* sums of the instructions' */
    struct td_hardware hardware;
};

/* What is shown. All zero: Intel's notation, the processor of the trace. */
struct td_code_options {
    bool att;
    enum td_code_arch arch; /* TD_CODE_UNKNOWN: the one that the trace names */
};
/* The function whose code contains `address`. `counts` and `choice` may be NULL: no samples. 0, TD_E_NOTFOUND (no
 * function contains the address), TD_E_STOPPED or TD_E_NOMEM. */
int td_code_make(const struct td_trace *trace, const struct td_samples_choice *choice,
                 const struct td_stack_counts *counts, uint64_t address,
                 const struct td_code_options *options, const struct td_progress *progress,
                 struct td_code_view *code, struct td_err *err);
/* The same for code that is not in a trace, without samples and without lines: `bytes` must outlive *code. */
int td_code_make_of_bytes(const void *bytes, uint64_t byte_count, uint64_t address,
                          const struct td_code_options *options, struct td_code_view *code,
                          struct td_err *err);
void td_code_free(struct td_code_view *code);
/* Fills in what the instructions cost on a processor of LLVM's (costs.h). Nothing happens without code. 0, or a
 * negative enum td_e. */
int td_code_find_costs(struct td_code_view *code, const char *processor, struct td_err *err);
/* The instruction's text. For one thread at a time. */
void td_code_text(const struct td_code_view *code, size_t index, struct td_insn *insn);
/* The index of the instruction that contains the address; SIZE_MAX: none does. */
size_t td_code_find(const struct td_code_view *code, uint64_t address);

/* The processor that an image's code is for: RV32 for kernels (proto/kernel_image.h), else that of the trace. */
enum td_code_arch td_code_arch_of(const struct td_trace *trace, uint32_t image);
