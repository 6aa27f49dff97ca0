/* A call stack as lines: each frame with the functions that were inlined there. */
#pragma once
#include "host/query/table/query_table.h"

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

/* Whether a function is not the program's own. `file`, `image`: "": not known. */
bool td_is_outside_program(const char *file, const char *image, uint64_t address);

/* The same as a table; `only` of the request is 1 + the row of STACK. It is not in the list of tables. */
extern const struct td_query_table td_table_stack_lines;
const struct td_stack_place *td_stack_line_at(const struct td_query_rows *rows, uint64_t row);
