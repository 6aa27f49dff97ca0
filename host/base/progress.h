/* The callback through which long work reports its progress and can be stopped. The caller passes a struct
 * td_progress to the function that does the work. */
#pragma once
#include <stdint.h>

struct td_progress {
    /* Called from time to time, in the thread that asked for the work. `done` and `total` have the unit of
     * the work (bytes, events); total 0: not known. Returns 0 to continue. Any other value stops the work,
     * which then fails with TD_E_STOPPED. NULL: no reports. */
    int (*step)(void *self, uint64_t done, uint64_t total);
    void *self;
};
