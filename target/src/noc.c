/* What a kernel remembers of its requests over the NoC. Zero when a launch begins, and in L1, because the old
 * values of atomics go there. Linked into images that use tendril/noc.h. */
#include "tendril/noc.h"

struct td_noc_core td_noc_core __attribute__((section(".bss.td_l1"), aligned(16)));
