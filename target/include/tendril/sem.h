/* Semaphores: words in L1 that cores wait on and that cores of any tile raise. C11 and C++.
 *
 * Cores have no atomic instructions on L1, so raising goes through the NoC, also within a tile. Setting is a
 * plain store: only while no other core raises or sets the word. */
#ifndef TENDRIL_SEM_H
#define TENDRIL_SEM_H
#include "tendril/noc.h"

typedef volatile uint32_t td_sem; /* in L1, 4-byte aligned */

static inline void td_sem_set(td_sem *sem, uint32_t value)
{
    td_fence();
    *sem = value;
}

static inline uint32_t td_sem_value(td_sem *sem)
{
    td_fence();
    return *sem;
}

/* Until it is exactly `value`. */
static inline void td_sem_wait(td_sem *sem, uint32_t value)
{
    if (td_sem_value(sem) != value) {
        TD_NOC_WAIT("semaphore");
        while (td_sem_value(sem) != value)
            ;
    }
    td_fence();
}

/* Until it is `value` or more (counters: the difference must stay below 2^31). */
static inline void td_sem_wait_min(td_sem *sem, uint32_t value)
{
    if ((int32_t)(td_sem_value(sem) - value) < 0) {
        TD_NOC_WAIT("semaphore");
        while ((int32_t)(td_sem_value(sem) - value) < 0)
            ;
    }
    td_fence();
}

/* Raises a semaphore of another tile, once what this core has written before is there: the NoC does not keep a
 * write in front of an atomic. */
static inline void td_sem_add_remote(uint32_t x, uint32_t y, uint32_t address, uint32_t value)
{
    td_noc_write_barrier();
    td_noc_atomic_add(x, y, address, value);
}

/* Raises one of the own tile; returns when that is done. */
static inline void td_sem_add(td_sem *sem, uint32_t value)
{
    td_noc_atomic_add(td_noc_my_x(), td_noc_my_y(), (uint32_t)(uintptr_t)sem, value);
    td_noc_is_started_(0);
    while (!td_noc_reads_are_done_(0))
        ;
    td_fence();
}
#endif
