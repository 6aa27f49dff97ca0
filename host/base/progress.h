/* How long work tells how far it is, and is stopped. */
#ifndef TD_HOST_BASE_PROGRESS_H
#define TD_HOST_BASE_PROGRESS_H
#include <stdint.h>

struct td_progress {
    /* Called now and then by the thread that asked for the work: so much of so much is done (bytes, events,
     * ...; total 0: not known). Returns 1 to stop: the work then fails with TD_E_STOPPED. NULL: nobody asks.
     */
    int (*step)(void *self, uint64_t done, uint64_t total);
    void *self;
};
#endif
