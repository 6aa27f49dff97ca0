/* What code addresses mean: functions, files, lines, images.
 *
 *   code_maps.c     which file was mapped where, and since when not any more
 *   elf_symbols.c   symbol tables, read without anything of the program: no malloc(), no lock of the loader
 *   debug_info.c    inlined functions, files and lines, by elfutils' libdw, which is loaded when it is there
 *   resolver.c      the thread that does the work, so that the session never waits for it
 *   answer_code.c   answers to the queries for code
 */
#ifndef TD_HOST_CLIENT_SYMBOLS_H
#define TD_HOST_CLIENT_SYMBOLS_H
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

/* ---- code_maps.c ---- */

/* Executable memory, as it is or was. Lives until the process ends; nothing in it changes but `live`. */
struct td_code_map {
    uint64_t start, end, offset; /* of the file */
    uint64_t device, inode;
    uint32_t number; /* from 1 on */
    int live;        /* at the last look; for the session's thread */
    char path[];     /* "" if no file is behind it */
};
/* All three are for the session's thread. NULL: no executable memory is or was there; otherwise what is there
 * now, else what was there last. Looks at the system anew if it must. */
const struct td_code_map *td_code_map_of(uint64_t address);
const struct td_code_map *td_code_map_at(uint32_t number);
void td_code_maps_look(void); /* again, with the next address */
/* Opens the file if it still is the one that was mapped; -1: it is not. Any thread. */
int td_code_map_open(const struct td_code_map *map);

/* ---- elf_symbols.c. A file's symbols; an object belongs to one thread at a time. ---- */

struct td_elf_symbols;
struct td_elf_symbol {
    const char *name; /* as long as the file's object */
    uint64_t address, bytes;
};
/* Takes over the descriptor. NULL: no ELF file of this machine's kind, or no memory. */
struct td_elf_symbols *td_elf_symbols_open(int fd);
void td_elf_symbols_close(struct td_elf_symbols *elf); /* NULL is allowed */
/* The file's address of a place in the file. 0: nothing is loaded from there. */
int td_elf_symbols_address(const struct td_elf_symbols *elf, uint64_t offset, uint64_t *address);
/* The function that the address is in; 1: there is one. */
int td_elf_symbols_find(const struct td_elf_symbols *elf, uint64_t address, struct td_elf_symbol *symbol);
int td_elf_symbols_are_all(const struct td_elf_symbols *elf); /* 0: only those for other files are there */

/* ---- debug_info.c. For the resolver's thread alone; uses the program's malloc(). ---- */

struct td_debug_line {
    char *function; /* from the pool, the receiver's; NULL: unknown */
    char *file;     /* the same */
    uint32_t line;
    uint64_t low, bytes; /* of the function, or of the part of it that holds the address; 0: not known */
};
struct td_debug_info;
/* NULL: none there, or no library for it. *fd of a file with more symbols (a separate debug file), or -1. */
struct td_debug_info *td_debug_info_open(const char *path, int fd, int *symbols_fd);
void td_debug_info_close(struct td_debug_info *info);
/* Lines for the file's address, innermost first; returns how many, 0: nothing known. */
unsigned td_debug_info_find(struct td_debug_info *info, uint64_t address, struct td_debug_line *lines,
                            unsigned most);
/* "ns::f(int)" for a name of C++ if the program has a C++ library, else a copy; from the pool, NULL: no
 * memory. */
char *td_debug_name(const char *name);

/* ---- resolver.c ---- */

struct td_code_line {
    const char *function, *file;
    uint32_t line, bytes; /* of the symbol; 0: not known, or a function that was inlined */
    uint64_t symbol;      /* its address; 0: not known */
};
#define TD_CODE_LINES 128
/* What is known of an address: one piece of the pool. */
struct td_code {
    uint64_t address;
    const struct td_code_map *map; /* NULL: not in the program */
    uint32_t count;                /* at least 1 */
    struct td_code_line lines[];   /* innermost first */
};
enum td_code_question { TD_CODE_FRAME, TD_CODE_SYMBOL };

/* For the session's thread. An address that the session is about to tell: what it means now is looked up and
 * kept, even if its library goes. */
void td_resolver_saw(uint64_t address, const struct td_code_map *map);
int td_resolver_has_room(void); /* for questions */
void td_resolver_ask(enum td_code_question question, uint64_t address, const struct td_code_map *map);
/* The next answer, in any order; the caller gives it to the pool. 0: none is ready. `hurry`: answers take
 * a second at most, and then are what can be said without the resolver's thread. */
int td_resolver_next(enum td_code_question *question, struct td_code **code, int hurry);
unsigned td_resolver_pending(void); /* asked and not answered */
void td_resolver_forget(void);      /* the session is over: what is pending is not answered */
void td_resolver_end(void);         /* ends the thread; waits a few seconds at most */
void td_resolver_unloads(void);     /* the next end is for ever: the thread must be gone then */
void td_resolver_forked(void);      /* in the child */
/* In a handler of SIGSEGV or SIGBUS: if it is the resolver's thread that met a broken file, it goes on with
 * the next question, and this does not return. */
void td_resolver_rescue(void);
int td_resolver_is_self(void);
/* Around calls of the dynamic loader by the resolver's thread, which wait as long as somebody loads or
 * unloads a library. 0: not any more. */
int td_resolver_enters_loader(void);
void td_resolver_leaves_loader(void);
#endif
