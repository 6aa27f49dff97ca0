/* A call stack as lines: each frame with the functions that were inlined there. */
#pragma once
#include "host/trace/trace.h"

struct td_stack_place {
    uint32_t frame; /* 0: the innermost */
    bool is_inline, is_kernel;
    bool is_outside;                     /* of the kernel, of a system's library, or of its headers */
    uint64_t address;                    /* of the frame */
    uint64_t symbol;                     /* of the function; 0: not known */
    const char *function, *file, *image; /* "": not known */
    uint32_t line, file_string;
};

/* Returns up to `most` lines of a stack (a row of STACK), innermost first, and in *all how many there are. */
size_t td_stack_lines(const struct td_trace *trace, uint32_t stack, struct td_stack_place *lines, size_t most,
                      size_t *all);
