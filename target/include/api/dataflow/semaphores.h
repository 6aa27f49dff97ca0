/* Semaphores, by tt-metal's names: words in L1 that the host has laid out. */
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
    (void)noc;
    td_noc_regs[TD_NOC_REG_VALUE / 4] = value;
    td_noc_start_(td_noc_target_(sem), td_noc_local_(sem), TD_NOC_NO_LOCAL, 4, TD_NOC_ATOMIC_ADD);
}

/* Copies the word at `from` to a semaphore of another tile, or of all tiles of a rectangle. */
static inline void noc_semaphore_set_remote(uint32_t from, uint64_t sem, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::SEMAPHORE_SET_REMOTE, sem, 4, -1);
    (void)noc;
    td_noc_write_(from, sem, 4);
}

static inline void noc_semaphore_set_multicast(uint32_t from, uint64_t sems, uint32_t tiles,
                                               bool linked = false, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::SEMAPHORE_SET_MULTICAST, sems, 4, -1);
    (void)tiles, (void)linked, (void)noc;
    td_noc_multicast_(from, sems, 4, TD_NOC_MULTICAST);
}

static inline void noc_semaphore_set_multicast_loopback_src(uint32_t from, uint64_t sems, uint32_t tiles,
                                                            bool linked = false, uint8_t noc = noc_index)
{
    RECORD_NOC_EVENT_WITH_ADDR(NocEventType::SEMAPHORE_SET_MULTICAST, sems, 4, -1);
    (void)tiles, (void)linked, (void)noc;
    td_noc_multicast_(from, sems, 4, TD_NOC_MULTICAST_SELF);
}

#endif
