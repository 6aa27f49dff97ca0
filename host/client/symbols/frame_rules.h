/* How a function's frame is unwound at an address, by the tables that compilers write for exceptions (.eh_frame), of
 * x86-64. The tables are read as memory that may be unmapped meanwhile. Used by the session's thread; allocates
 * nothing and takes no lock. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The frame ends at sp + `size`, or fp + `size`. The return address is just below that. */
struct td_frame_rule {
    bool known, by_fp, saves_fp;
    int32_t size, fp_at; /* fp_at: where the caller's frame register is, from the frame's end */
};
/* The rule at an address; known == false: there is none of this form. */
struct td_frame_rule td_frame_rule_at(uint64_t address);

/* The same from tables that are given, for tests: the begin of .eh_frame_hdr. */
struct td_frame_rule td_frame_rule_in(uint64_t header, uint64_t address);
