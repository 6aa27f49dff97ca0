/* Functions of a trace by address: which one contains an address, and where its machine code is. */
#pragma once
#include "host/trace/trace.h"

#include <stdbool.h>

struct td_symbol_range {
    uint64_t address, bytes;
    int64_t row;  /* of SYMBOL, or -1 */
    int64_t code; /* row of CODE, or -1 */
};
struct td_symbol_ranges { /* real functions, in order of addresses */
    struct td_symbol_range *at;
    size_t count;
};
/* 0 or TD_E_NOMEM. Free in any case. */
int td_symbol_ranges_make(struct td_symbol_ranges *ranges, const struct td_trace *trace);
void td_symbol_ranges_free(struct td_symbol_ranges *ranges);
/* The function that contains the address; NULL: none is known to. */
const struct td_symbol_range *td_symbol_ranges_find(const struct td_symbol_ranges *ranges, uint64_t address);
