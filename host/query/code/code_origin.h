/* Whose code a function is: the program's own, a library's, or the kernel's. */
#pragma once
#include "host/trace/trace.h"

/* X(ID, text) */
#define TD_CODE_ORIGINS(X) X(OWN, "the program") X(LIBRARY, "a library") X(KERNEL, "the kernel")
enum td_code_origin {
#define TD_X(id, text) TD_CODE_##id,
    TD_CODE_ORIGINS(TD_X)
#undef TD_X
        TD_CODE_ORIGINS_COUNT
};
const char *td_code_origin_text(enum td_code_origin origin);

/* By the file of its source and its image, "" if they are not known. LIBRARY: of the system, or of its headers. */
enum td_code_origin td_code_origin_of(const char *file, const char *image, uint64_t address);
/* Of the innermost function of a call stack (a row of STACK) that is not inlined. */
enum td_code_origin td_code_origin_of_stack(const struct td_trace *trace, uint32_t stack);
