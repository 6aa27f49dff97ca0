/* What code addresses mean: functions, files, lines, images. Files are read by host/symbols.
 *
 *   code_maps.c     which file was mapped where, and since when not any more
 *   code_files.c    what the files say
 *   resolver.c      the thread that does the work, so that the session never waits for it
 *   answer_code.c   answers to the queries for code
 */
#ifndef TD_HOST_CLIENT_SYMBOLS_H
#define TD_HOST_CLIENT_SYMBOLS_H
#include "host/symbols/symbols.h"

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

/* ---- resolver.c ---- */

struct td_code_line {
    const char *function, *file;
    uint32_t line, bytes; /* of the symbol; 0: not known, or a function that was inlined */
    uint64_t symbol;      /* its address; 0: not known */
};
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
 * some seconds at most, one if the resolver's thread is stuck, and then are what can be said without it. */
int td_resolver_next(enum td_code_question *question, struct td_code **code, int hurry);
unsigned td_resolver_pending(void); /* asked and not answered */
void td_resolver_forget(void);      /* the session is over: what is pending is not answered */
void td_resolver_end(void);         /* ends the thread; waits a few seconds at most */
/* 1: the client stays until the process has ended. 0: it is in a library, which may go. */
int td_resolver_is_in_program(void);
void td_resolver_unloads(void); /* the next end is for ever: the thread must be gone then */
void td_resolver_forked(void);  /* in the child */
/* In a handler of SIGSEGV or SIGBUS: if it is the resolver's thread that met a broken file, it goes on with
 * the next question, and this does not return. */
void td_resolver_rescue(void);
int td_resolver_is_self(void);

/* loader.c. Around calls of the dynamic loader by the resolver's thread, which wait as long as somebody loads
 * or unloads a library. 0: not any more. */
int td_loader_enter(void);
void td_loader_leave(void);
int td_loader_close(void); /* nobody enters from now on; 1: the thread is inside */
#endif
