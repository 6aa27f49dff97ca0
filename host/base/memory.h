/* How much memory this process may take, and whether it comes near to that.
 *
 * What counts is its anonymous memory (RssAnon of /proc/self/status): heap, stacks, mappings without a file.
 * Pages of files and of mapped devices do not; callers add what they have in temporary files. */
#ifndef TD_HOST_BASE_MEMORY_H
#define TD_HOST_BASE_MEMORY_H
#include "host/base/err.h"

#include <stdint.h>

/* "64", "512k", "512M", "4G", "1T" (powers of 1024): 0, or a usage error that names `option`. */
int td_memory_size(const char *text, const char *option, uint64_t *bytes, struct td_err *err);

#define TD_MEMORY_LEAST (UINT64_C(64) << 20) /* a lower limit than this is taken for this one */

struct td_memory_limit {
    uint64_t bytes;         /* of data, in memory and in temporary files together */
    uint64_t in_memory;     /* of them in memory, at most */
    uint64_t address_space; /* RLIMIT_AS and RLIMIT_DATA; UINT64_MAX: none */
    const char *what;       /* "its limit (-m)": for messages */
};

/* `text`: what the user wants, a percentage of the machine's memory from 1 to 999 ("25"), or a size with a
 * unit
 * ("600M"). NULL: by default three quarters of what is free now, for the machine and for the control group of
 * this process; more than that is never kept in memory. For the start of a command: malloc() is set up so
 * that limits hold. 0, or TD_E_USAGE. */
int td_memory_limit_parse(const char *text, struct td_memory_limit *limit, struct td_err *err);

enum td_memory_state {
    TD_MEMORY_FINE,
    TD_MEMORY_STOP, /* it is time to take in no more; what is on its way has room */
    TD_MEMORY_OVER  /* that has no room any more either */
};
/* Bytes that the machine and the control group of this process have free now. Takes some 0.1 ms. */
uint64_t td_memory_free(void);
/* `elsewhere`: bytes in temporary files; `needed`: bytes that the work to come takes in addition. */
enum td_memory_state td_memory_look(const struct td_memory_limit *limit, uint64_t elsewhere, uint64_t needed);
#endif
