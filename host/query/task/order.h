/* Sorts many numbers by a key, on all processors. */
#pragma once
#include "host/query/task/job.h"

#include <stddef.h>
#include <stdint.h>

#define TD_ORDER_BLOCK 256u

struct td_order_keys { /* one of the two, the other is NULL */
    const uint32_t *narrow;
    const int64_t *wide;
};

/* Writes the numbers 0 .. count - 1 to `order`, sorted by their keys; numbers of equal keys rise. `sums`, unless it is
 * NULL, is set to the sums of the keys of each TD_ORDER_BLOCK numbers in that order (the last block may be shorter).
 * Needs little memory beside the arrays unless most keys nearly equal one another. `job` may be NULL. Returns 0,
 * TD_E_NOMEM or TD_E_STOPPED. */
int td_order_make(struct td_order_keys keys, size_t count, uint32_t *order, int64_t *sums,
                  struct td_job *job);
