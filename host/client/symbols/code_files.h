/* The files that code was mapped from. Finds the function and source lines of an address in their symbols and
 * debug information. A set of files belongs to one thread. */
#pragma once
#include "host/client/symbols/jit_names.h"
#include "host/client/symbols/resolver.h"
#include "host/symbols/symbols.h"

#define TD_CODE_FILES 48 /* open at a time */
struct td_code_file {
    uint64_t device, inode, used;
    struct td_elf_symbols *elf, *more; /* `more`: of its separate debug file; NULL: none, or unreadable */
    struct td_debug_info *info;        /* NULL: none */
    int spoiled; /* its debug information is broken. 1: the file is to be opened again, 2: it was */
};
/* All zero at first. */
struct td_code_files {
    int debug;     /* use debug information and the program's C++ library, which allocate */
    uint64_t uses; /* counts look-ups; `used` of a file is the last one */
    struct td_code_file at[TD_CODE_FILES];
    struct td_code_file *reading; /* the file that td_code_find() reads; NULL: none */
    struct td_functions *kernel;  /* NULL: not read, or hidden */
    int has_looked;               /* for the kernel's functions */
    struct td_jit_names jit;
};
void td_code_files_close(struct td_code_files *files);
/* Marks the file that was being read as broken. Call it after a jump out of td_code_find(). */
void td_code_files_spoil(struct td_code_files *files);
/* What the address means; the caller frees it with td_pool_free(). NULL: no memory. `map` may be NULL: the
 * address is in no mapping. For TD_CODE_SYMBOL the result has one line, that of the function's begin. */
struct td_code *td_code_find(struct td_code_files *files, enum td_code_question question, uint64_t address,
                             const struct td_code_map *map);
