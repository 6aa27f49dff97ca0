/* Which instructions of a function have made what one of them reads, and which use what it makes: by registers, along
 * jumps and branches, over at most TD_DEPENDENCY_REACH instructions. Memory is not looked at. */
#pragma once
#include "host/disasm/registers.h"
#include "host/query/code/code.h"

#define TD_DEPENDENCY_REACH 64

struct td_dependency {            /* of an instruction; all zero: none */
    struct td_registers makes;    /* registers that it writes and the chosen one reads */
    struct td_registers uses;     /* registers that the chosen one writes and it reads */
    struct td_registers replaces; /* registers that the chosen one writes and it overwrites */
};

/* `of` has code->count elements. Of the chosen instruction itself, `uses` is all that it reads, `makes` all that it
 * writes. 0 or TD_E_NOMEM. For one thread at a time, as td_code_text(). */
int td_code_depend(const struct td_code_view *code, size_t chosen, struct td_dependency *of);
bool td_dependency_is_any(const struct td_dependency *dependency);
