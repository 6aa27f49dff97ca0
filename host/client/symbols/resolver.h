/* A thread that looks up what addresses of code mean, so that the session never waits for debug
 * information. The session's thread asks and fetches answers; td_resolver_rescue() is for
 * any thread. */
#pragma once
#include "host/client/symbols/code_maps.h"

#include <stdbool.h>
#include <stdint.h>

struct td_code_line {
    const char *function, *file;
    uint32_t line, bytes; /* of the symbol; 0: not known, or a function that was inlined */
    uint64_t symbol;      /* its address; 0: not known */
};
/* What an address means: one piece of the pool. */
struct td_code {
    uint64_t address;
    const struct td_code_map *map; /* NULL: in no mapping */
    const char *image;             /* of the kernel's code: its module; NULL: that of the mapping */
    uint32_t count;                /* at least 1 */
    struct td_code_line lines[];   /* innermost first */
};
enum td_code_question { TD_CODE_FRAME, TD_CODE_SYMBOL }; /* a call stack's address; a function's begin */

/* Looks an address up ahead, when the session sends it. The answer is kept, even if its library is
 * unloaded. */
void td_resolver_saw(uint64_t address, const struct td_code_map *map);
bool td_resolver_has_room(void); /* for more questions */
/* Asks; the answer comes through td_resolver_next(). `map` may be NULL: the address is in no mapping. */
void td_resolver_ask(enum td_code_question question, uint64_t address, const struct td_code_map *map);
/* 1: *code is the next answer, in any order; NULL if memory ran out. The caller frees it with td_pool_free().
 * 0: none is ready. `hurry`: an answer takes a few seconds at most, one if the thread makes no progress. Late
 * ones are made without the thread, from symbol tables alone. */
bool td_resolver_next(enum td_code_question *question, struct td_code **code, int hurry);
unsigned td_resolver_pending(void); /* questions without an answer */
void td_resolver_forget(void);      /* drops all questions: the session is over */
void td_resolver_end(void);         /* ends the thread; waits a few seconds at most */
/* Whether the client is part of the program itself. Else it is in a library, which may be unloaded. */
bool td_resolver_is_in_program(void);
void td_resolver_unloads(void); /* the client is unloaded next: td_resolver_end() must not leave a thread */
void td_resolver_forked(void);  /* in the child of fork() */
/* For handlers of SIGSEGV and SIGBUS. If the calling thread is the resolver's, a broken file raised the
 * signal: the thread continues with the next question, and this does not return. */
void td_resolver_rescue(void);
