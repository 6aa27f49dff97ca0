/* Guard: device memory that vanishes while it is mapped (a card pulled, a driver unbound) must not end the
 * process. A fault in a guarded range puts memory of ones there, which is what a bus answers without a
 * device, and the range remembers it.
 *
 * One SIGBUS handler for the process, installed with the first range; faults elsewhere go to the handler that
 * was there before. Thread-safe; a limited number of ranges. */
#ifndef TD_HOST_TRANSPORT_LINK_SIGBUS_GUARD_H
#define TD_HOST_TRANSPORT_LINK_SIGBUS_GUARD_H
#include "host/base/err.h"

#include <stddef.h>

/* The number of a guarded range, or an error. The memory stays the caller's. */
int td_sigbus_guard_add(void *map, size_t bytes, struct td_err *err);
/* Before it is unmapped. Negative numbers are fine. */
void td_sigbus_guard_remove(int range);
/* 1: there was a fault in it. Cheap. */
int td_sigbus_guard_hit(int range);
#endif
