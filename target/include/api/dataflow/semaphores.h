/* Semaphores, by tt-metal's names: words in L1 that the host has laid out. What a core has written over the NoC
 * has arrived before it sets or raises a semaphore of another tile: kernels expect that, and the NoC promises it
 * for no two requests. */
#ifndef TENDRIL_API_DATAFLOW_SEMAPHORES_H
#define TENDRIL_API_DATAFLOW_SEMAPHORES_H
#include "api/dataflow/noc_transfers.h"
#include "tendril/sem.h"

/* The address of semaphore n; the same in all tiles. */
template <auto... CORE_TYPE> static inline uint32_t get_semaphore(uint32_t n)
{
    return td_kernel_env_()->sems + n * TD_KERNEL_SEM_BYTES;
}

static inline void noc_semaphore_set(volatile tt_l1_ptr uint32_t *sem, uint32_t value)
{
    RECORD_NOC_EVENT(NocEventType::SEMAPHORE_SET);
    td_sem_set(sem, value);
}

static inline void noc_semaphore_wait(volatile tt_l1_ptr uint32_t *sem, uint32_t value)
{
    RECORD_NOC_EVENT(NocEventType::SEMAPHORE_WAIT);
    td_sem_wait(sem, value);
}

static inline void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t *sem, uint32_t value)
{
    RECORD_NOC_EVENT(NocEventType::SEMAPHORE_WAIT);
    td_sem_wait_min(sem, value);
}

/* Raises a semaphore of any tile. */
template <bool posted = false>
static inline void noc_semaphore_inc(uint64_t sem, uint32_t value, uint8_t noc = noc_index, uint8_t vc = 0)
{
    (void)vc;
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::SEMAPHORE_INC, sem, 0, -1);
    td_noc_write_barrier_on(noc);
    td_noc_add_on(noc, td_noc_place_of_(sem), static_cast<uint32_t>(td_noc_local_(sem)), value,
                  td_noc_no_local_());
}

/* Copies the word at `from` to a semaphore of another tile, or of all tiles of a rectangle. */
static inline void noc_semaphore_set_remote(uint32_t from, uint64_t sem, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::SEMAPHORE_SET_REMOTE, sem, 4, -1);
    td_noc_write_barrier_on(noc);
    td_noc_write_(from, sem, 4, noc);
}

static inline void noc_semaphore_set_multicast(uint32_t from, uint64_t sems, uint32_t tiles,
                                               bool linked = false, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::SEMAPHORE_SET_MULTICAST, sems, 4, -1);
    (void)tiles, (void)linked;
    td_noc_write_barrier_on(noc);
    td_noc_multicast_(from, sems, 4, false, noc);
}

static inline void noc_semaphore_set_multicast_loopback_src(uint32_t from, uint64_t sems, uint32_t tiles,
                                                            bool linked = false, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::SEMAPHORE_SET_MULTICAST, sems, 4, -1);
    (void)tiles, (void)linked;
    td_noc_write_barrier_on(noc);
    td_noc_multicast_(from, sems, 4, true, noc);
}

#endif
