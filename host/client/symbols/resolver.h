/* The thread that looks up what addresses of code mean, so that the session never waits for it. */
#ifndef TD_HOST_CLIENT_SYMBOLS_RESOLVER_H
#define TD_HOST_CLIENT_SYMBOLS_RESOLVER_H
#include "host/client/symbols/code_maps.h"

#include <stdint.h>

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
#endif
