/* The code that observed processes have mapped, at one address in the trace for all of them: a library has the same
 * functions wherever a process has mapped it. Code keeps the address of the process where it was first seen, unless
 * the trace has other code there. For one thread, except where noted. */
#pragma once
#include "host/client/symbols/code_maps.h"

/* A mapping of code in a process. */
struct td_process_map {
    uint64_t start, end, offset, device, inode;
    uint64_t moved; /* what is added to an address for the trace */
    bool placed;    /* `moved` is known */
    char *path;
};
/* Where code is that no mapping explains, such as addresses from damaged stacks. */
#define TD_IMAGES_NOWHERE UINT64_C(0x200000000000)
/* The address in the trace. `map` is of the process; NULL: it has none there. */
uint64_t td_images_address(uint32_t process, struct td_process_map *map, uint64_t address);
/* Any thread. Opens the file of code in the trace; negative: it is missing. */
int td_images_open(const struct td_code_map *map);
/* Any thread. The process in which the code was first seen; the trace has its addresses there plus *moved. 0: none. */
uint32_t td_images_origin(const struct td_code_map *map, uint64_t *moved);
