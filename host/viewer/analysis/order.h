/* Sorts many numbers by a key, on all processors. */
#ifndef TD_HOST_VIEWER_ANALYSIS_ORDER_H
#define TD_HOST_VIEWER_ANALYSIS_ORDER_H
#include "host/viewer/analysis/job.h"

#include <stddef.h>
#include <stdint.h>

/* Writes the numbers 0 .. count - 1 to `order`, sorted by key[number]; numbers of equal keys rise. Needs little memory
 * beside the arrays unless most keys nearly equal one another. `job` may be NULL. Returns 0, TD_E_NOMEM or
 * TD_E_STOPPED. */
int td_order_make(const int64_t *key, size_t count, uint32_t *order, struct td_job *job);
#endif
