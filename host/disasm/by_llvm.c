/* RISC-V by LLVM's C interface. The library takes tens of megabytes and milliseconds, so it is loaded when the
 * first such decoder is opened, and stays loaded. */
#include "host/disasm/disasm_internal.h"

#ifdef TD_LLVM_LIBRARY
#include <dlfcn.h>
#include <llvm-c/Disassembler.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* X(type of the result, name, parameters) */
/* clang-format off */
#define FUNCTIONS(X) \
    X(void, LLVMInitializeRISCVTargetInfo, (void)) \
    X(void, LLVMInitializeRISCVTargetMC, (void)) \
    X(void, LLVMInitializeRISCVDisassembler, (void)) \
    X(LLVMDisasmContextRef, LLVMCreateDisasmCPUFeatures, (const char *triple, const char *cpu, \
        const char *features, void *info, int tag, LLVMOpInfoCallback operand, LLVMSymbolLookupCallback symbol)) \
    X(size_t, LLVMDisasmInstruction, (LLVMDisasmContextRef context, uint8_t *bytes, uint64_t count, \
        uint64_t address, char *text, size_t room)) \
    X(void, LLVMDisasmDispose, (LLVMDisasmContextRef context))
/* clang-format on */

struct by_llvm {
    void *library;
    LLVMDisasmContextRef context;
#define TD_X(result, name, parameters) result(*name) parameters;
    FUNCTIONS(TD_X)
#undef TD_X
};

static int find_functions(struct by_llvm *l, struct td_err *why)
{
    const struct {
        const char *name;
        void *to;
    } functions[] = {
#define TD_X(result, name, parameters) {#name, &l->name},
        FUNCTIONS(TD_X)
#undef TD_X
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(l->library, functions[i].name);
        if (!found)
            return td_fail(why, TD_E_NOTFOUND, TD_LLVM_LIBRARY " has no %s", functions[i].name);
        memcpy(functions[i].to, &found, sizeof found);
    }
    return 0;
}

static void close_llvm(void *self)
{
    struct by_llvm *l = self;
    if (l->context)
        l->LLVMDisasmDispose(l->context);
    if (l->library)
        dlclose(l->library);
    free(l);
}

/* LLVM's list of targets is the process's, and registering in it is not thread-safe. */
static void register_target(const struct by_llvm *l)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    l->LLVMInitializeRISCVTargetInfo();
    l->LLVMInitializeRISCVTargetMC();
    l->LLVMInitializeRISCVDisassembler();
    pthread_mutex_unlock(&lock);
}

static void *open_llvm(const struct td_disasm_options *o, struct td_err *why)
{
    if (o->arch != TD_CODE_RISCV32 && o->arch != TD_CODE_RISCV64) {
        td_fail(why, TD_E_NOTFOUND, "LLVM is used for RISC-V only");
        return NULL;
    }
    struct by_llvm *l = calloc(1, sizeof *l);
    if (!l) {
        td_fail_no_memory(why, "for a disassembler");
        return NULL;
    }
    l->library = dlopen(TD_LLVM_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!l->library) {
        td_fail(why, TD_E_NOTFOUND, "cannot load the library that decodes RISC-V: %s", dlerror());
    } else if (find_functions(l, why) == 0) {
        register_target(l);
        l->context = l->LLVMCreateDisasmCPUFeatures(o->arch == TD_CODE_RISCV32 ? "riscv32" : "riscv64", "",
                                                    o->compressed ? "+m,+a,+f,+d,+c" : "+m,+a,+f,+d", NULL, 0,
                                                    NULL, NULL);
        if (l->context)
            return l;
        td_fail(why, TD_E_NOTFOUND, TD_LLVM_LIBRARY " was built without RISC-V");
    }
    close_llvm(l);
    return NULL;
}

static bool next_by_llvm(void *self, const uint8_t *code, size_t bytes, uint64_t address,
                         struct td_insn *insn)
{
    struct by_llvm *l = self;
    char text[sizeof insn->mnemonic + sizeof insn->operands];
    uint8_t copy[4]; /* LLVM does not promise to leave the bytes alone */
    bytes = bytes < sizeof copy ? bytes : sizeof copy;
    memcpy(copy, code, bytes);
    size_t length = l->LLVMDisasmInstruction(l->context, copy, bytes, address, text, sizeof text);
    if (!length || length > bytes)
        return false;
    const char *mnemonic = text + strspn(text, "\t "), *end = mnemonic + strcspn(mnemonic, "\t "),
               *operands = end + strspn(end, "\t ");
    const size_t name = (size_t)(end - mnemonic), rest = strlen(operands);
    if (!name || name >= sizeof insn->mnemonic || rest >= sizeof insn->operands)
        return false;
    insn->length = (uint8_t)length;
    memcpy(insn->mnemonic, mnemonic, name);
    memcpy(insn->operands, operands, rest);
    return true;
}

const struct td_disasm_decoder td_disasm_llvm = {open_llvm, close_llvm, next_by_llvm, NULL};
#else
static void *open_nothing(const struct td_disasm_options *o, struct td_err *why)
{
    td_fail(why, TD_E_NOTFOUND, "this build has no library that decodes %s", td_code_arch_name(o->arch));
    return NULL;
}

static void close_nothing(void *self)
{
}

static bool next_of_nothing(void *self, const uint8_t *code, size_t bytes, uint64_t address,
                            struct td_insn *insn)
{
    return false;
}

const struct td_disasm_decoder td_disasm_llvm = {open_nothing, close_nothing, next_of_nothing, NULL};
#endif
