/* Moving data from a core: reads, writes, multicast and atomics over the NoC (proto/device/noc.h). C11, C++.
 *
 *   td_noc_read(x, y, address, local, bytes);     from a tile's L1, a DRAM bank or a tile's clock registers
 *   td_noc_write(x, y, address, local, bytes);    to a tile's L1 or a DRAM bank
 *   td_noc_multicast_write(x0, y0, x1, y1, address, local, bytes);
 *                                                 to all Tensix tiles of the rectangle but this one
 *   td_noc_atomic_add(x, y, address, value);      to a word of L1 or DRAM
 *   td_noc_atomic_fetch_add(x, y, address, value, local);    the same; the old value comes to `local`
 *   td_noc_read_barrier(); td_noc_write_barrier(); td_noc_barrier();
 *
 * x, y are NoC 0 coordinates. Commands complete in the background: data read is there after
 * td_noc_read_barrier(), a source may be changed after td_noc_write_barrier(). Commands to one target stay in
 * order, so a write followed by an atomic add to a semaphore of the same tile needs no barrier between.
 * `local` is an address in this tile's L1, not in the core's private RAM: a stack variable cannot be a source
 * or destination. A bad address stops the core with a fault.
 *
 * Waiting is a plain loop, to be wrapped in TD_WAIT where it should be seen. With TD_DATAFLOW_WAITS defined
 * before tendril/tendril.h and this header, a barrier that really has to wait opens a wait zone of its own.
 */
#ifndef TENDRIL_NOC_H
#define TENDRIL_NOC_H
#include "proto/device/noc.h"
#include "riscv/fence.h"
#include "tendril/l1_order.h"

#include <stdint.h>

#if defined(TENDRIL_TENDRIL_H) && defined(TD_DATAFLOW_WAITS)
#define TD_NOC_WAIT(name) TD_WAIT(name)
#else
#define TD_NOC_WAIT(name) ((void)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif
extern volatile uint32_t td_noc_regs[]; /* the linker script says where */
#ifdef __cplusplus
}
#endif

static inline void td_noc_start_(uint32_t target, uint64_t address, uint32_t local, uint32_t bytes,
                                 uint32_t command)
{
    td_l1_is_written_(); /* before a command reads or replaces it */
    while (td_noc_regs[TD_NOC_REG_COMMAND / 4])
        ;
    td_noc_regs[TD_NOC_REG_TARGET / 4] = target;
    td_noc_regs[TD_NOC_REG_ADDRESS / 4] = (uint32_t)address;
    td_noc_regs[TD_NOC_REG_ADDRESS_HIGH / 4] = (uint32_t)(address >> 32);
    td_noc_regs[TD_NOC_REG_LOCAL / 4] = local;
    td_noc_regs[TD_NOC_REG_BYTES / 4] = bytes;
    td_noc_regs[TD_NOC_REG_COMMAND / 4] = command;
}

static inline void td_noc_read(uint32_t x, uint32_t y, uint64_t address, uint32_t local, uint32_t bytes)
{
    td_noc_start_(TD_NOC_XY(x, y), address, local, bytes, TD_NOC_READ);
}

static inline void td_noc_write(uint32_t x, uint32_t y, uint64_t address, uint32_t local, uint32_t bytes)
{
    td_noc_start_(TD_NOC_XY(x, y), address, local, bytes, TD_NOC_WRITE);
}

static inline void td_noc_multicast_write(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                                          uint64_t address, uint32_t local, uint32_t bytes)
{
    td_noc_start_(TD_NOC_RECTANGLE(x0, y0, x1, y1), address, local, bytes, TD_NOC_MULTICAST);
}

/* The own tile too, if it is in the rectangle. */
static inline void td_noc_multicast_write_self(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                                               uint64_t address, uint32_t local, uint32_t bytes)
{
    td_noc_start_(TD_NOC_RECTANGLE(x0, y0, x1, y1), address, local, bytes, TD_NOC_MULTICAST_SELF);
}

static inline void td_noc_atomic_fetch_add(uint32_t x, uint32_t y, uint64_t address, uint32_t value,
                                           uint32_t local)
{
    td_noc_regs[TD_NOC_REG_VALUE / 4] = value;
    td_noc_start_(TD_NOC_XY(x, y), address, local, 4, TD_NOC_ATOMIC_ADD);
}

static inline void td_noc_atomic_add(uint32_t x, uint32_t y, uint64_t address, uint32_t value)
{
    td_noc_atomic_fetch_add(x, y, address, value, TD_NOC_NO_LOCAL);
}

/* Commands of this core that have not completed. */
static inline uint32_t td_noc_outstanding(void)
{
    return td_noc_regs[TD_NOC_REG_OUTSTANDING / 4];
}

static inline void td_noc_read_barrier(void)
{
    if (td_noc_regs[TD_NOC_REG_READS_OUTSTANDING / 4]) {
        TD_NOC_WAIT("noc read barrier");
        while (td_noc_regs[TD_NOC_REG_READS_OUTSTANDING / 4])
            ;
    }
    td_fence();
}

static inline void td_noc_write_barrier(void)
{
    if (td_noc_regs[TD_NOC_REG_WRITES_OUTSTANDING / 4]) {
        TD_NOC_WAIT("noc write barrier");
        while (td_noc_regs[TD_NOC_REG_WRITES_OUTSTANDING / 4])
            ;
    }
    td_fence();
}

/* Reads, writes and atomics. */
static inline void td_noc_barrier(void)
{
    if (td_noc_outstanding()) {
        TD_NOC_WAIT("noc barrier");
        while (td_noc_outstanding())
            ;
    }
    td_fence();
}

/* The own tile's coordinates. */
static inline uint32_t td_noc_my_x(void)
{
    return td_noc_regs[TD_NOC_REG_NODE / 4] & 0xff;
}

static inline uint32_t td_noc_my_y(void)
{
    return td_noc_regs[TD_NOC_REG_NODE / 4] >> 8 & 0xff;
}

/* A buffer spread over DRAM banks, page by page: page n is in bank n % banks. The host fills it in. */
#define TD_DRAM_BANKS 16
struct td_dram {
    uint32_t base; /* address in every bank */
    uint32_t page_bytes;
    uint32_t banks;             /* 1..TD_DRAM_BANKS */
    uint32_t xy[TD_DRAM_BANKS]; /* TD_NOC_XY of each */
};

static inline void td_dram_read(const volatile struct td_dram *d, uint32_t page, uint32_t local)
{
    uint32_t xy = d->xy[page % d->banks];
    td_noc_start_(xy, d->base + page / d->banks * d->page_bytes, local, d->page_bytes, TD_NOC_READ);
}

static inline void td_dram_write(const volatile struct td_dram *d, uint32_t page, uint32_t local)
{
    uint32_t xy = d->xy[page % d->banks];
    td_noc_start_(xy, d->base + page / d->banks * d->page_bytes, local, d->page_bytes, TD_NOC_WRITE);
}
#endif
