/* Looks up addresses of ELF files: functions, source files, lines.
 *
 *   elf_symbols.c   symbol tables; calls no function of the program except those in `host`
 *   debug_info.c    inlined functions, files and lines, by elfutils' libdw if that is installed
 *
 * Addresses are those of the file, as in its symbol table. Both files also run inside programs that are being
 * profiled. There, malloc() and the dynamic loader may be in use by the program at any moment, so the caller
 * passes the functions to use instead (struct td_symbols_host). */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions that the caller provides. Must outlive all objects that were opened with it. */
struct td_symbols_host {
    void *(*take)(size_t bytes); /* allocates results and symbol tables; NULL: no memory */
    void (*give)(void *piece);   /* frees them; must accept NULL */
    /* Called before and after calls of the dynamic loader. enters_loader() returns false if the loader must not
     * be called now. Both NULL: it may be called at any time. */
    bool (*enters_loader)(void);
    void (*leaves_loader)(void);
    /* Whether separate debug files are also asked of debuginfod servers (DEBUGINFOD_URLS), which may take seconds for
     * each ELF file. NULL: never. */
    bool (*asks_servers)(void);
    const char *cxx; /* C++ library to load for demangling if the program has none loaded; NULL: none */
};

/* ---- elf_symbols.c: a file's symbols. An object belongs to one thread at a time. ---- */

struct td_elf_symbols;
struct td_elf_symbol {
    const char *name; /* valid until td_elf_symbols_close() */
    uint64_t address, bytes;
};
/* Takes over the descriptor. NULL: no 64-bit little-endian ELF file, or no memory. */
struct td_elf_symbols *td_elf_symbols_open(const struct td_symbols_host *host, int fd);
void td_elf_symbols_close(struct td_elf_symbols *elf); /* NULL is allowed */
/* Converts an offset in the file to an address. False: no segment is loaded from there. */
bool td_elf_symbols_address(const struct td_elf_symbols *elf, uint64_t offset, uint64_t *address);
/* Finds the function that contains the address. False: none does. */
bool td_elf_symbols_find(const struct td_elf_symbols *elf, uint64_t address, struct td_elf_symbol *symbol);
/* False: the file has only its dynamic symbols. */
bool td_elf_symbols_are_all(const struct td_elf_symbols *elf);
/* The file is always loaded at its own addresses (ET_EXEC). */
bool td_elf_symbols_are_fixed(const struct td_elf_symbols *elf);
/* Function number `index`, in order of addresses. False: there are fewer. */
bool td_elf_symbols_at(const struct td_elf_symbols *elf, uint32_t index, struct td_elf_symbol *symbol);

/* ---- debug_info.c: for one thread of a process. Uses malloc() as well, as libdw does. A damaged file may
 * crash libdw. ---- */

#define TD_CODE_LINES 128 /* of one address, at most: its function and those inlined there */

struct td_debug_line {
    char *function; /* from `take`, owned by the caller; NULL: not known */
    char *file;     /* likewise */
    uint32_t line;
    uint64_t low, bytes; /* the function's range that contains the address; 0: not known */
};
struct td_debug_info;
/* Takes over fd. NULL: the file has no debug information, or libdw is not installed. *symbols_fd: a separate
 * debug file, which may have more symbols, or -1. */
struct td_debug_info *td_debug_info_open(const struct td_symbols_host *host, const char *path, int fd,
                                         int *symbols_fd);
void td_debug_info_close(struct td_debug_info *info); /* NULL is allowed */
/* Fills the lines of an address, innermost first, and returns how many; 0: nothing is known. */
unsigned td_debug_info_find(struct td_debug_info *info, uint64_t address, struct td_debug_line *lines,
                            unsigned most);
/* The demangled name ("ns::f(int)"), or a copy if it is not a C++ name or there is no C++ library. From
 * `take`; NULL: no memory. */
char *td_debug_name(const struct td_symbols_host *host, const char *name);
