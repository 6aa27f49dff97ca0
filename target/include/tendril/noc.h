/* Moving data from a core: reads, writes, multicast and atomics over the NoC. C11, C++.
 *
 *   td_noc_read(x, y, address, local, bytes);     from a tile's L1 or a DRAM bank; 4 bytes of a tile's register
 *   td_noc_write(x, y, address, local, bytes);    to a tile's L1 or a DRAM bank
 *   td_noc_multicast_write(x0, y0, x1, y1, address, local, bytes);
 *                                                 to all Tensix tiles of the rectangle but this one
 *   td_noc_atomic_add(x, y, address, value);      to a word of L1
 *   td_noc_atomic_fetch_add(x, y, address, value, local);    the same; the old value comes to `local`
 *   td_noc_read_barrier(); td_noc_write_barrier(); td_noc_barrier();
 *
 * x, y are what the board's host calls the tile (td_board_tile()): coordinates of NoC 0, or translated ones on
 * cards. Requests complete in the background and in any order: data read is there after td_noc_read_barrier(),
 * data written after td_noc_write_barrier(). `local` is an address in this tile's L1, not in the core's private
 * RAM: a stack variable cannot be a source or destination. `local` and `address` have their low 4 bits in
 * common, of a read from DRAM the low 5 bits (Wormhole) or 6 bits (Blackhole). A bad address stops the core
 * with a fault on a simulated board.
 *
 * The registers are those of cards (proto/device/noc.h). The linker script of a board says where they are, so
 * that compiled kernels are the same for all boards. Each core has an initiator of its own, and transaction
 * ids: one for reads and atomics, one for writes, one for multicasts. Cores that move data (the first two of a
 * tile) can also use NoC 1: functions with `_on` have the NoC as an argument.
 *
 * Waiting is a plain loop, to be wrapped in TD_WAIT where it should be seen. With TD_DATAFLOW_WAITS defined
 * before tendril/tendril.h and this header, a barrier that really has to wait opens a wait zone of its own.
 */
#ifndef TENDRIL_NOC_H
#define TENDRIL_NOC_H
#include "proto/device/noc.h"
#include "riscv/fence.h"
#include "tendril/l1_order.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(TENDRIL_TENDRIL_H) && defined(TD_DATAFLOW_WAITS)
#define TD_NOC_WAIT(name) TD_WAIT(name)
#else
#define TD_NOC_WAIT(name) ((void)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* Registers: of the core's own initiator, and of the NIU of the core's own NoC. */
#define TD_X(name, wormhole, blackhole, what) extern volatile uint32_t td_niu_##name[];
TD_NIU_INITIATOR_REGS(TD_X)
TD_NIU_REGS(TD_X)
#undef TD_X
extern volatile uint32_t td_niu_own_place[];  /* of this tile as the host calls it, as in NODE_ID */
extern volatile uint32_t td_niu_no_columns[]; /* NoC 0: ROUTER_CFG_1, and ROUTER_CFG_3 */
extern volatile uint32_t td_niu_no_rows[];

/* What a kernel remembers of its requests (target/src/noc.c). */
struct td_noc_core {
    uint32_t old[4]; /* in L1: where the old values of atomics go that are not asked for */
    uint32_t place;  /* this tile's, as in NODE_ID; 0: the initiator has not been set up */
    struct {
        uint32_t known; /* bool */
        uint32_t end;   /* counter of the multicasts' id once all recipients have responded */
        uint32_t due;   /* responses that may be missing */
    } multicast[2];     /* by NoC, as the caller names it */
};
extern struct td_noc_core td_noc_core;
#ifdef __cplusplus
}
#endif

/* A constant of the linker script, as the compiler may not know it. */
#define TD_NIU_CONST(name)                                                                                   \
    (__extension__({                                                                                         \
        uint32_t value_;                                                                                     \
        __asm__("lui %0,%%hi(td_niu_" #name ")\n\taddi %0,%0,%%lo(td_niu_" #name ")" : "=r"(value_));        \
        value_;                                                                                              \
    }))
/* Index of a register of the other NoC's NIU: 0 for cores that have one NoC. */
#define TD_NIU_AT(noc) ((noc) ? TD_NIU_CONST(other) : 0)

enum td_noc_id { TD_NOC_ID_READS, TD_NOC_ID_WRITES, TD_NOC_ID_MULTICASTS };

static inline uint32_t td_noc_id_(enum td_noc_id id)
{
    return TD_NIU_CONST(first_id) + (uint32_t)id;
}

/* Places are as in NODE_ID: x | y << 6. */
static inline uint32_t td_noc_place_(uint32_t x, uint32_t y)
{
    return x | y << 6;
}

static inline uint32_t td_noc_place_of_xy_(uint32_t xy)
{
    return td_noc_place_(xy & 0x3f, xy >> 8 & 0x3f);
}

/* NoC 1 counts from the other corner, but where places are translated. */
static inline uint32_t td_noc_place_on_(uint32_t noc, uint32_t place)
{
    if (!noc && !TD_NIU_CONST(is_noc1))
        return place;
    return (place & 0x3f) < TD_NIU_CONST(mirrored) ? TD_NIU_CONST(last_place) - place : place;
}

static inline uint32_t td_noc_own_place_(void)
{
    if (!td_noc_core.place) {
        for (uint32_t noc = 0; noc < 2; noc++)
            td_niu_TARG_MID[TD_NIU_AT(noc)] = td_niu_RET_MID[TD_NIU_AT(noc)] = 0;
        td_noc_core.place = td_niu_own_place[0] & 0xfff;
    }
    return td_noc_core.place;
}

/* Waits until the initiator is free and its next packet fits into the counter of the id. */
static inline void td_noc_begin_(uint32_t noc, uint32_t id)
{
    const uint32_t n = TD_NIU_AT(noc);
    while (td_niu_CMD_CTRL[n] & 1)
        ;
    if (id != td_noc_id_(TD_NOC_ID_MULTICASTS))
        while ((td_niu_REQS_OUTSTANDING[n + id] & 0xff) == TD_NIU_MOST_OUTSTANDING)
            ;
    td_niu_PACKET_TAG[n] = id << TD_NIU_ID_SHIFT;
}

static inline void td_noc_target_(uint32_t noc, uint32_t place, uint32_t address)
{
    td_niu_TARG_LO[TD_NIU_AT(noc)] = address;
    td_niu_TARG_PLACE[TD_NIU_AT(noc)] = place << TD_NIU_CONST(place_shift);
}

static inline void td_noc_return_(uint32_t noc, uint32_t place, uint32_t address)
{
    td_niu_RET_LO[TD_NIU_AT(noc)] = address;
    td_niu_RET_PLACE[TD_NIU_AT(noc)] = place << TD_NIU_CONST(place_shift);
}

/* `mid`: the register with the high half of the remote address, which is 0 between requests. Where it has the
 * place too, that has been written before. No store is moved across a start: GCC 12 repeats those to registers
 * when it moves others out of a loop. */
static inline void td_noc_start_(uint32_t noc, uint32_t control, uint32_t length, volatile uint32_t *mid,
                                 uint32_t high)
{
    const uint32_t n = TD_NIU_AT(noc);
    if (high)
        mid[n] = TD_NIU_CONST(place_shift) ? mid[n] | high : high;
    td_niu_CTRL[n] = control;
    td_niu_AT_LEN_BE[n] = length;
    td_niu_CMD_CTRL[n] = 1;
    __asm__ volatile("" ::: "memory");
    if (high && !TD_NIU_CONST(place_shift)) {
        while (td_niu_CMD_CTRL[n] & 1)
            ;
        mid[n] = 0;
    }
}

#define TD_NOC_CHANNEL_ (TD_NIU_RESPONSE | TD_NIU_STATIC)

static inline void td_noc_read_on(uint32_t noc, uint32_t place, uint64_t address, uint32_t local,
                                  uint32_t bytes)
{
    const uint32_t own = td_noc_place_on_(noc, td_noc_own_place_()), most = TD_NIU_CONST(packet);
    place = td_noc_place_on_(noc, place);
    td_l1_is_written_(); /* before a request reads or replaces it */
    for (uint32_t part; bytes; bytes -= part, address += part, local += part) {
        part = bytes < most ? bytes : most;
        td_noc_begin_(noc, td_noc_id_(TD_NOC_ID_READS));
        td_noc_target_(noc, place, (uint32_t)address);
        td_noc_return_(noc, own, local);
        td_noc_start_(noc, TD_NIU_READ | TD_NOC_CHANNEL_ | TD_NIU_CHANNEL(1), part, td_niu_TARG_MID,
                      (uint32_t)(address >> 32));
    }
}

static inline void td_noc_write_on(uint32_t noc, uint32_t place, uint64_t address, uint32_t local,
                                   uint32_t bytes)
{
    const uint32_t own = td_noc_place_on_(noc, td_noc_own_place_()), most = TD_NIU_CONST(packet);
    place = td_noc_place_on_(noc, place);
    td_l1_is_written_();
    for (uint32_t part; bytes; bytes -= part, address += part, local += part) {
        part = bytes < most ? bytes : most;
        td_noc_begin_(noc, td_noc_id_(TD_NOC_ID_WRITES));
        td_noc_target_(noc, own, local);
        td_noc_return_(noc, place, (uint32_t)address);
        td_noc_start_(noc, TD_NIU_WRITE | TD_NOC_CHANNEL_ | TD_NIU_CHANNEL(1), part, td_niu_RET_MID,
                      (uint32_t)(address >> 32));
    }
}

/* A word from a register of the core to a register of a tile, or to L1 where the chip can do that. */
static inline void td_noc_inline_write_on(uint32_t noc, uint32_t place, uint32_t address, uint32_t value,
                                          uint32_t byte_mask)
{
    const uint32_t own = td_noc_place_on_(noc, td_noc_own_place_());
    td_l1_is_written_();
    td_noc_begin_(noc, td_noc_id_(TD_NOC_ID_WRITES));
    td_noc_target_(noc, td_noc_place_on_(noc, place), address);
    td_noc_return_(noc, own, 0);
    td_niu_AT_DATA[TD_NIU_AT(noc)] = value;
    td_noc_start_(noc, TD_NIU_WRITE | TD_NIU_INLINE | TD_NOC_CHANNEL_ | TD_NIU_CHANNEL(1),
                  byte_mask << (address & 15), td_niu_TARG_MID, 0);
}

/* Blackhole: an inline write to L1 may also change bytes next to the word, so it is not to be made. */
static inline bool td_noc_can_inline_(uint32_t address)
{
    return address >= 0xff000000 || TD_NIU_CONST(place_shift) != TD_NIU_PLACE_SHIFT(TD_NIU_BLACKHOLE);
}

static inline uint32_t td_noc_responses_(uint32_t noc, enum td_noc_id id)
{
    return td_niu_REQS_OUTSTANDING[TD_NIU_AT(noc) + td_noc_id_(id)] & 0xff;
}

static inline bool td_noc_multicasts_are_done_(uint32_t noc)
{
    if (!td_noc_core.multicast[noc].due)
        return true;
    if (td_noc_responses_(noc, TD_NOC_ID_MULTICASTS) != td_noc_core.multicast[noc].end)
        return false;
    td_noc_core.multicast[noc].due = 0;
    return true;
}

/* How many columns (or rows) of a side of a rectangle have Tensix tiles. */
static inline uint32_t td_noc_count_(uint32_t first, uint32_t last, uint32_t without)
{
    uint32_t n = 0;
    for (uint32_t i = first; i <= last; i++)
        n += !(without >> i & 1);
    return n;
}

/* Corners in any order. */
static inline void td_noc_multicast_on(uint32_t noc, uint32_t a, uint32_t b, uint32_t address, uint32_t local,
                                       uint32_t bytes, bool to_self)
{
    const uint32_t me = td_noc_own_place_(), own = td_noc_place_on_(noc, me), most = TD_NIU_CONST(packet);
    uint32_t x0 = a & 0x3f, x1 = b & 0x3f, y0 = a >> 6, y1 = b >> 6, swap;
    if (x0 > x1)
        swap = x0, x0 = x1, x1 = swap;
    if (y0 > y1)
        swap = y0, y0 = y1, y1 = swap;
    uint32_t recipients =
        td_noc_count_(x0, x1, TD_NIU_CONST(holes) ? TD_NIU_CONST(holes) : td_niu_no_columns[0]) *
        td_noc_count_(y0, y1, TD_NIU_CONST(holes) ? 0 : td_niu_no_rows[0]);
    const uint32_t first = td_noc_place_on_(noc, td_noc_place_(x0, y0));
    const uint32_t last = td_noc_place_on_(noc, td_noc_place_(x1, y1));
    if (!to_self && (me & 0x3f) >= x0 && (me & 0x3f) <= x1 && me >> 6 >= y0 && me >> 6 <= y1)
        recipients--;
    if (!recipients)
        return;
    /* Data flows the other way on NoC 1, so there a rectangle begins at its last corner. */
    const bool from_end = noc || TD_NIU_CONST(is_noc1);
    const uint32_t rectangle = from_end ? first | last << 12 : last | first << 12;
    td_l1_is_written_();
    for (uint32_t part; bytes; bytes -= part, address += part, local += part) {
        part = bytes < most ? bytes : most;
        while (td_noc_core.multicast[noc].due + recipients > TD_NIU_MOST_OUTSTANDING &&
               !td_noc_multicasts_are_done_(noc))
            ;
        if (!td_noc_core.multicast[noc].known)
            td_noc_core.multicast[noc].end = td_noc_responses_(noc, TD_NOC_ID_MULTICASTS);
        td_noc_core.multicast[noc].known = true;
        td_noc_core.multicast[noc].end = (td_noc_core.multicast[noc].end + 1 - recipients) & 0xff;
        td_noc_core.multicast[noc].due += recipients;
        td_noc_begin_(noc, td_noc_id_(TD_NOC_ID_MULTICASTS));
        td_noc_target_(noc, own, local);
        td_noc_return_(noc, rectangle, address);
        td_noc_start_(noc,
                      TD_NIU_WRITE | TD_NIU_MULTICAST | TD_NIU_RESERVE | TD_NOC_CHANNEL_ | TD_NIU_CHANNEL(4) |
                          (to_self ? TD_NIU_TO_SELF : 0),
                      part, td_niu_RET_MID, 0);
    }
}

static inline void td_noc_add_on(uint32_t noc, uint32_t place, uint32_t address, uint32_t value,
                                 uint32_t local)
{
    const uint32_t own = td_noc_place_on_(noc, td_noc_own_place_());
    td_l1_is_written_();
    td_noc_begin_(noc, td_noc_id_(TD_NOC_ID_READS));
    td_noc_target_(noc, td_noc_place_on_(noc, place), address);
    td_noc_return_(noc, own, local);
    td_niu_AT_DATA[TD_NIU_AT(noc)] = value;
    td_noc_start_(noc, TD_NIU_ATOMIC | TD_NOC_CHANNEL_ | TD_NIU_CHANNEL(1), TD_NIU_INCREMENT(address),
                  td_niu_TARG_MID, 0);
}

static inline uint32_t td_noc_no_local_(void)
{
    return (uint32_t)(uintptr_t)td_noc_core.old;
}

/* ---- barriers */

/* The load of a counter could be done before the store that starts a request; a load of the register that was
 * stored to could not, and is done before later loads. */
static inline void td_noc_is_started_(uint32_t noc)
{
    (void)td_niu_CMD_CTRL[TD_NIU_AT(noc)];
}

static inline bool td_noc_reads_are_done_(uint32_t noc)
{
    return !td_noc_responses_(noc, TD_NOC_ID_READS);
}

static inline bool td_noc_writes_are_done_(uint32_t noc)
{
    return !td_noc_responses_(noc, TD_NOC_ID_WRITES) && td_noc_multicasts_are_done_(noc);
}

/* The data of writes has left this tile, so their sources may be changed. Recipients of multicasts respond. */
static inline bool td_noc_writes_have_left_(uint32_t noc)
{
    td_noc_is_started_(noc);
    return !(td_niu_WRITES_OUTGOING[TD_NIU_AT(noc) + td_noc_id_(TD_NOC_ID_WRITES)] & 0xff) &&
           !(td_niu_WRITES_OUTGOING[TD_NIU_AT(noc) + td_noc_id_(TD_NOC_ID_MULTICASTS)] & 0xff);
}

/* Reads and atomics. */
static inline void td_noc_read_barrier_on(uint32_t noc)
{
    td_noc_is_started_(noc);
    if (!td_noc_reads_are_done_(noc)) {
        TD_NOC_WAIT("noc read barrier");
        while (!td_noc_reads_are_done_(noc))
            ;
    }
    td_fence();
}

static inline void td_noc_write_barrier_on(uint32_t noc)
{
    td_noc_is_started_(noc);
    if (!td_noc_writes_are_done_(noc)) {
        TD_NOC_WAIT("noc write barrier");
        while (!td_noc_writes_are_done_(noc))
            ;
    }
    td_fence();
}

/* Reads, writes and atomics. */
static inline void td_noc_barrier_on(uint32_t noc)
{
    td_noc_is_started_(noc);
    if (!td_noc_reads_are_done_(noc) || !td_noc_writes_are_done_(noc)) {
        TD_NOC_WAIT("noc barrier");
        while (!td_noc_reads_are_done_(noc) || !td_noc_writes_are_done_(noc))
            ;
    }
    td_fence();
}

static inline void td_noc_read_barrier(void)
{
    td_noc_read_barrier_on(0);
}

static inline void td_noc_write_barrier(void)
{
    td_noc_write_barrier_on(0);
}

static inline void td_noc_barrier(void)
{
    td_noc_barrier_on(0);
}

/* ---- by coordinates, on the core's own NoC */

static inline void td_noc_read(uint32_t x, uint32_t y, uint64_t address, uint32_t local, uint32_t bytes)
{
    td_noc_read_on(0, td_noc_place_(x, y), address, local, bytes);
}

static inline void td_noc_write(uint32_t x, uint32_t y, uint64_t address, uint32_t local, uint32_t bytes)
{
    td_noc_write_on(0, td_noc_place_(x, y), address, local, bytes);
}

static inline void td_noc_multicast_write(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                                          uint32_t address, uint32_t local, uint32_t bytes)
{
    td_noc_multicast_on(0, td_noc_place_(x0, y0), td_noc_place_(x1, y1), address, local, bytes, false);
}

/* The own tile too, if it is in the rectangle. */
static inline void td_noc_multicast_write_self(uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                                               uint32_t address, uint32_t local, uint32_t bytes)
{
    td_noc_multicast_on(0, td_noc_place_(x0, y0), td_noc_place_(x1, y1), address, local, bytes, true);
}

static inline void td_noc_atomic_fetch_add(uint32_t x, uint32_t y, uint32_t address, uint32_t value,
                                           uint32_t local)
{
    td_noc_add_on(0, td_noc_place_(x, y), address, value, local);
}

static inline void td_noc_atomic_add(uint32_t x, uint32_t y, uint32_t address, uint32_t value)
{
    td_noc_add_on(0, td_noc_place_(x, y), address, value, td_noc_no_local_());
}

/* The own tile's coordinates, as the host calls it. */
static inline uint32_t td_noc_my_x(void)
{
    return td_noc_own_place_() & 0x3f;
}

static inline uint32_t td_noc_my_y(void)
{
    return td_noc_own_place_() >> 6;
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
    td_noc_read_on(0, td_noc_place_of_xy_(d->xy[page % d->banks]), d->base + page / d->banks * d->page_bytes,
                   local, d->page_bytes);
}

static inline void td_dram_write(const volatile struct td_dram *d, uint32_t page, uint32_t local)
{
    td_noc_write_on(0, td_noc_place_of_xy_(d->xy[page % d->banks]), d->base + page / d->banks * d->page_bytes,
                    local, d->page_bytes);
}
#endif
