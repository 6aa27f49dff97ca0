/* SIGBUS guard: keeps the process alive when mapped device memory vanishes (a card is pulled, a driver
 * unbound). A fault in a guarded range maps memory of ones there, as a bus without a device reads, and
 * marks the range as hit.
 *
 * The process has one SIGBUS handler, installed with the first range. Faults in other memory go to the
 * handler that was installed before. Thread-safe; a limited number of ranges. */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* The number of a guarded range, or an error. The memory stays the caller's. */
int td_sigbus_guard_add(void *map, size_t bytes, struct td_err *err);
/* Call it before unmapping. Negative numbers are ignored. */
void td_sigbus_guard_remove(int range);
/* Whether there was a fault in it. Cheap. */
bool td_sigbus_guard_hit(int range);
