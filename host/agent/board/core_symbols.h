/* What addresses of a kernel's code mean: functions, those inlined there, files and lines, from the debug
 * information of its ELF; without that, from its symbols. Belongs to one thread. */
#pragma once
#include <stdint.h>

#define TD_CORE_LINES 32 /* of one address, at most */

struct td_core_line {
    const char *function;
    const char *file; /* NULL: not known */
    uint32_t line;
    const char *begin_file; /* where the function begins; NULL: not known */
    uint32_t begin_line;
    uint32_t low, bytes; /* its code around the address; 0 bytes: not known */
    const void *code;    /* that code; NULL: the ELF does not have it */
};

struct td_lane_names;
struct td_core_symbols;
/* Those of the image with that build id, whose ELF is searched by `names` (lane_events.h), which must outlive
 * them. NULL: there is no such ELF, or no memory. */
struct td_core_symbols *td_core_symbols_open(struct td_lane_names *names, uint64_t build_id);
void td_core_symbols_close(struct td_core_symbols *symbols); /* NULL is allowed */
/* Fills the lines of an address, innermost first, and returns how many; 0: no function has the address. Their
 * texts are valid until the next call. */
unsigned td_core_symbols_find(struct td_core_symbols *symbols, uint32_t address,
                              struct td_core_line lines[TD_CORE_LINES]);
