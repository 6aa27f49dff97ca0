#include "boards/qemu_virt/harts.h"

#include "boards/qemu_virt/virt.h"
#include "host/base/err.h"
#include "proto/device/lane.h"
#include "qemu_virt_config.h"
#include "riscv/clock.h"
#include "riscv/fence.h"

#include <stdbool.h>
#include <stddef.h>

#define HOLD_TICKS (2 * BOARD_CLOCK_HZ) /* a hart with interrupts on takes microseconds */

_Static_assert(offsetof(struct hart, number) == HART_NUMBER && offsetof(struct hart, msip) == HART_MSIP &&
                   sizeof(struct hart) == HART_ROW_BYTES,
               "start.S knows these");

/* Initialised, so that clearing .bss does not touch them while the harts begin. */
#define ROW(hart, start_address, lane_address)                                                               \
    {.number = hart,                                                                                         \
     .msip = (volatile uint32_t *)(VIRT_MSIP + 4 * hart),                                                    \
     .start = start_address,                                                                                 \
     .lane = (volatile uint32_t *)lane_address},
struct hart harts[BOARD_HARTS] = {BOARD_HART_ROWS(ROW)};
volatile uint32_t harts_ready __attribute__((section(".data")));

static volatile uint32_t *const reset_word = (volatile uint32_t *)BOARD_RESET_WORD;

void harts_begin(void)
{
    *reset_word = UINT32_MAX;
    td_fence();
    harts_ready = 1;
}

static bool is_held(const struct hart *hart)
{
    return *reset_word >> hart->number & 1;
}

/* Sleeps until the hart is held or not; the software interrupt ends the sleep though interrupts are off. */
static void await(const struct hart *hart, int held)
{
    for (;;) {
        *hart->msip = 0;
        td_fence();
        if (is_held(hart) == held)
            return;
        __asm__ volatile("wfi" ::: "memory");
    }
}

void hart_park(struct hart *hart)
{
    __asm__ volatile("csrw mtvec,%0\n\tcsrw mscratch,%1\n\tcsrw mie,%2"
                     :
                     : "r"(hart_trap), "r"(hart), "r"(RISCV_MIE_SOFTWARE));
    td_fence();
    hart->state = HART_PARKED;
    await(hart, 0);
    hart->state = HART_RUNNING;
    hart_run(hart->start);
}

static enum td_fault fault_of(uint32_t cause)
{
    static const uint8_t faults[8] = {TD_FAULT_ALIGN, TD_FAULT_FETCH, TD_FAULT_ILLEGAL, TD_FAULT_OTHER,
                                      TD_FAULT_ALIGN, TD_FAULT_READ,  TD_FAULT_ALIGN,   TD_FAULT_WRITE};
    return cause < sizeof faults ? faults[cause] : TD_FAULT_OTHER;
}

void hart_stopped(struct hart *hart, uint32_t cause, uint32_t pc, uint32_t address)
{
    if (!(cause >> 31)) {
        hart->lane[TD_LANE_fault_cause / 4] = fault_of(cause);
        hart->lane[TD_LANE_fault_pc / 4] = pc;
        hart->lane[TD_LANE_fault_address / 4] = address;
        const uint64_t ticks = td_clock64();
        hart->lane[TD_LANE_fault_time / 4] = (uint32_t)ticks;
        hart->lane[TD_LANE_fault_time_high / 4] = (uint32_t)(ticks >> 32);
        td_fence();
        hart->lane[TD_LANE_state / 4] = TD_CORE_FAULT;
        td_fence();
        hart->state = HART_FAULTED;
        await(hart, 1);
    }
    hart_park(hart);
}

/* Every hart that is held is in its parking loop now. */
static int await_parked(uint32_t held, const char **wrong)
{
    const uint64_t end = td_clock64() + HOLD_TICKS;
    for (int i = 0; i < BOARD_HARTS; i++)
        while ((held >> harts[i].number & 1) && harts[i].state != HART_PARKED)
            if (td_clock64() > end) {
                *reset_word &= ~(1u << harts[i].number); /* so that it is not taken for stopped */
                *wrong = "a hart does not come back to its parking loop, since its kernel has turned "
                         "interrupts off: restart QEMU";
                return TD_E_LIMIT;
            }
    return TD_OK;
}

int harts_reset(uint32_t word, const char **wrong)
{
    const uint32_t changed = *reset_word ^ word;
    for (int i = 0; i < BOARD_HARTS; i++)
        if ((changed >> harts[i].number & 1) && harts[i].state == HART_ABSENT) {
            *wrong = "a hart is missing: QEMU has fewer than the board's description (-smp)";
            return TD_E_NOTFOUND;
        }
    *reset_word = word;
    td_fence();
    for (int i = 0; i < BOARD_HARTS; i++)
        if (changed >> harts[i].number & 1)
            *harts[i].msip = 1;
    return await_parked(changed & word, wrong);
}
