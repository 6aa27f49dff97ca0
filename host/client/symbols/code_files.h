/* Files that code was mapped from, and what their symbols and debug information say of an address. */
#ifndef TD_HOST_CLIENT_SYMBOLS_CODE_FILES_H
#define TD_HOST_CLIENT_SYMBOLS_CODE_FILES_H
#include "host/client/symbols/resolver.h"
#include "host/symbols/symbols.h"

#define TD_CODE_FILES 48 /* open at a time */
struct td_code_file {
    uint64_t device, inode, used;
    struct td_elf_symbols *elf, *more; /* NULL: unreadable; `more`: of its debug file */
    struct td_debug_info *info;
    int spoiled; /* its debug information is broken */
};
/* All zero at first. Belongs to one thread. */
struct td_code_files {
    int debug; /* use debug information and the program's C++ library, which allocate */
    uint64_t uses;
    struct td_code_file at[TD_CODE_FILES];
    struct td_code_file *reading;
};
void td_code_files_close(struct td_code_files *files);
/* What was being read is broken: the reader was thrown out of it. */
void td_code_files_spoil(struct td_code_files *files);
/* From the pool, the caller's; NULL: no memory. For TD_CODE_SYMBOL one line: where the function begins. */
struct td_code *td_code_find(struct td_code_files *files, enum td_code_question question, uint64_t address,
                             const struct td_code_map *map);
#endif
