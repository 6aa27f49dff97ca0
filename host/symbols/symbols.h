/* What addresses in ELF files mean: functions, files, lines.
 *
 *   elf_symbols.c   symbol tables, read without anything of the program but what `host` gives
 *   debug_info.c    inlined functions, files and lines, by elfutils' libdw, which is loaded when it is there
 *
 * Addresses are those of the file, as its symbols have them. Both also run inside of programs that are being
 * profiled, where malloc() and the loader belong to somebody else: whoever uses them says by what they go. */
#ifndef TD_HOST_SYMBOLS_SYMBOLS_H
#define TD_HOST_SYMBOLS_SYMBOLS_H
#include <stddef.h>
#include <stdint.h>

/* Functions of whoever reads files. Lives as long as what was opened with it. */
struct td_symbols_host {
    void *(*take)(
        size_t bytes); /* memory for what is returned, and for tables of symbols; NULL: there is none */
    void (*give)(void *piece); /* NULL is allowed */
    /* Around calls of the dynamic loader; 0: it must not be called. Both NULL: it may be at any time. */
    int (*enters_loader)(void);
    void (*leaves_loader)(void);
    const char *cxx; /* the C++ library to load for names, if the program has none; NULL: none */
};

/* ---- elf_symbols.c. A file's symbols; an object belongs to one thread at a time. ---- */

struct td_elf_symbols;
struct td_elf_symbol {
    const char *name; /* as long as the file's object */
    uint64_t address, bytes;
};
/* Takes over the descriptor. NULL: no 64-bit little-endian ELF file, or no memory. */
struct td_elf_symbols *td_elf_symbols_open(const struct td_symbols_host *host, int fd);
void td_elf_symbols_close(struct td_elf_symbols *elf); /* NULL is allowed */
/* The file's address of a place in the file. 0: nothing is loaded from there. */
int td_elf_symbols_address(const struct td_elf_symbols *elf, uint64_t offset, uint64_t *address);
/* The function that the address is in; 1: there is one. */
int td_elf_symbols_find(const struct td_elf_symbols *elf, uint64_t address, struct td_elf_symbol *symbol);
int td_elf_symbols_are_all(const struct td_elf_symbols *elf); /* 0: only those for other files are there */
/* The file has a place of its own in memory: it runs at its own addresses. */
int td_elf_symbols_are_fixed(const struct td_elf_symbols *elf);
/* All functions by rising address, from 0 on; 0: there is no such one. */
int td_elf_symbols_at(const struct td_elf_symbols *elf, uint32_t index, struct td_elf_symbol *symbol);

/* ---- debug_info.c. For one thread of a process; uses malloc() itself, too, as libdw does. A broken file may
 * crash libdw. ---- */

#define TD_CODE_LINES 128 /* of an address, at most */

struct td_debug_line {
    char *function; /* the receiver's, from `take`; NULL: unknown */
    char *file;     /* the same */
    uint32_t line;
    uint64_t low, bytes; /* of the function, or of the part of it that holds the address; 0: not known */
};
struct td_debug_info;
/* Takes over fd. NULL: none there, or no library for it. *symbols_fd of a file with more symbols (a separate
 * debug file), or -1. */
struct td_debug_info *td_debug_info_open(const struct td_symbols_host *host, const char *path, int fd,
                                         int *symbols_fd);
void td_debug_info_close(struct td_debug_info *info); /* NULL is allowed */
/* Lines for the file's address, innermost first; returns how many, 0: nothing known. */
unsigned td_debug_info_find(struct td_debug_info *info, uint64_t address, struct td_debug_line *lines,
                            unsigned most);
/* "ns::f(int)" for a name of C++ if there is a C++ library, else a copy; from `take`, NULL: no memory. */
char *td_debug_name(const struct td_symbols_host *host, const char *name);
#endif
