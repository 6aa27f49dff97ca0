/* Layout of the memory that ___tracy_alloc_srcloc() makes. */
#ifndef TD_HOST_CLIENT_QUEUE_SRCLOC_BLOCK_H
#define TD_HOST_CLIENT_QUEUE_SRCLOC_BLOCK_H
#include <stddef.h>
#include <stdint.h>

struct td_srcloc_block {
    uint32_t bytes;
    char data[];
};
#endif
