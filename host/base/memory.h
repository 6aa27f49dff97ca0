/* The memory limit of this process, and how near its memory is to it.
 *
 * Anonymous memory counts (RssAnon of /proc/self/status): heap, stacks, mappings without a file. Pages of files and
 * of mapped devices do not; callers add what they may have in memory of their temporary files. */
#pragma once
#include "host/base/address_space.h"
#include "host/base/err.h"

#include <stdint.h>

/* "64", "512k", "512M", "4G", "1T" (powers of 1024): 0, or a usage error that names `option`. */
int td_memory_size(const char *text, const char *option, uint64_t *bytes, struct td_err *err);

#define TD_MEMORY_LEAST (UINT64_C(64) << 20) /* lower limits are raised to this */

#define TD_MEMORY_SPACE_LIMIT "the limit of address space (ulimit)"

struct td_memory_limit {
    uint64_t bytes;         /* of data in memory; not more than `address_space` */
    uint64_t address_space; /* UINT64_MAX: no limit */
    const char *what;       /* "its limit (-m)": for messages */
};

/* `text`: a percentage of the machine's memory from 1 to 999 ("25"), or a size with a unit ("600M"). NULL:
 * the default, three quarters of the memory that is free now for the machine and for this process's
 * control group. A limit above that is lowered to it. Call it at the start of a command: it also sets
 * malloc() up so that freed arrays go back to the system. 0, or TD_E_USAGE. */
int td_memory_limit_parse(const char *text, struct td_memory_limit *limit, struct td_err *err);

enum td_memory_state {
    TD_MEMORY_FINE,
    TD_MEMORY_STOP, /* ask the sources to end; what they still send has room */
    TD_MEMORY_OVER  /* there is no room for more data */
};
/* Bytes that are free now, for the machine and for this process's control group. Takes about 0.1 ms. */
uint64_t td_memory_free(void);
/* `files`: bytes of temporary files that are or may be in memory; `needed`: bytes that finishing the work will take
 * in addition. */
enum td_memory_state td_memory_look(const struct td_memory_limit *limit, uint64_t files, uint64_t needed);
/* The same where address space is limited: mapped files and stacks count there. The reserve gets `needed` bytes and
 * keeps them until the caller frees it to finish the work: collecting runs out of address space before finishing
 * does. `growth`: bytes that may be allocated at once before the next look. */
enum td_memory_state td_memory_look_at_space(const struct td_memory_limit *limit,
                                             struct td_space_reserve *reserve, uint64_t needed,
                                             uint64_t growth);
