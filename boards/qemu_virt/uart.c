#include "boards/qemu_virt/uart.h"

#include "boards/qemu_virt/virt.h"
#include "qemu_virt_config.h"
#include "riscv/clock.h"
#include "target/probe/probe.h"

#include <stdbool.h>

/* Registers of the 16550: one byte each. */
enum {
    DATA = 0,
    DIVISOR_LOW = 0,
    INTERRUPTS = 1,
    DIVISOR_HIGH = 1,
    FIFO = 2,
    LINE = 3,
    MODEM = 4,
    STATUS = 5
};
#define FIFO_ON_EMPTY   0xc7 /* interrupt at 14 bytes, or when no more come for the time of four */
#define FIFO_BYTES      16
#define FIFO_LEVEL      14
#define REASON          0x0f /* read from FIFO */
#define REASON_LEVEL    0x04
#define LINE_8N1        0x03
#define LINE_DIVISOR    0x80
#define MODEM_READY     0x0b
#define STATUS_RECEIVED 0x01
#define STATUS_CAN_SEND 0x20 /* the FIFO is empty */

#define TICKS_OF(ms) ((ms) * (uint64_t)(BOARD_CLOCK_HZ / 1000))
#define RING_BYTES   65536 /* a power of two */

static volatile uint8_t *const reg = (volatile uint8_t *)VIRT_UART;

static struct {
    uint8_t ring[RING_BYTES];
    volatile uint32_t in, out; /* bytes put in and taken out, modulo 2^32 */
    volatile int full;         /* receiving waits in the FIFO until there is room again */
} state;

void uart_init(void)
{
    reg[INTERRUPTS] = 0;
    reg[LINE] = LINE_8N1 | LINE_DIVISOR;
    reg[DIVISOR_LOW] = 1;
    reg[DIVISOR_HIGH] = 0;
    reg[LINE] = LINE_8N1;
    reg[FIFO] = FIFO_ON_EMPTY;
    reg[MODEM] = MODEM_READY;
    reg[INTERRUPTS] = 1;
}

bool uart_has(void)
{
    return state.in != state.out;
}

/* At most `count` bytes that are known to be in the FIFO. 0: no room, they stay there. */
static int take_bytes(uint32_t count)
{
    if (RING_BYTES - (state.in - state.out) < count) {
        state.full = 1;
        reg[INTERRUPTS] = 0;
        return 0;
    }
    for (uint32_t i = 0; i < count; i++)
        state.ring[(state.in + i) % RING_BYTES] = reg[DATA];
    state.in += count;
    return 1;
}

void uart_interrupt(void)
{
    /* The interrupt's reason announces 14 bytes at once: fewer reads of the UART. */
    while ((reg[FIFO] & REASON) == REASON_LEVEL)
        if (!take_bytes(FIFO_LEVEL))
            return;
    while (reg[STATUS] & STATUS_RECEIVED)
        if (!take_bytes(1))
            return;
}

size_t uart_receive(uint8_t *to, size_t room)
{
    uint32_t there = state.in - state.out;
    if (room > there)
        room = there;
    for (size_t i = 0; i < room; i++)
        to[i] = state.ring[(state.out + i) % RING_BYTES];
    state.out += (uint32_t)room;
    if (room && state.full) {
        state.full = 0;
        reg[INTERRUPTS] = 1; /* what waits in the FIFO interrupts at once */
    }
    return room;
}

/* Waits for the host as long as for a silent one, and counts as long as the engine does: the clock also runs
 * while the machine that this one is emulated on does other things. */
static bool can_send(void)
{
    if (reg[STATUS] & STATUS_CAN_SEND)
        return true;
    uint64_t before = td_clock64(), waited = 0;
    while (waited < TICKS_OF(TD_PROBE_SILENCE_MS)) {
        if (reg[STATUS] & STATUS_CAN_SEND)
            return true;
        const uint64_t now = td_clock64(), passed = now - before;
        waited += passed < TICKS_OF(TD_PROBE_LOOK_MS) ? passed : TICKS_OF(TD_PROBE_LOOK_MS);
        before = now;
    }
    return false;
}

int uart_send(const uint8_t *from, size_t bytes)
{
    while (bytes) {
        if (!can_send())
            return UART_SILENT;
        size_t n = bytes < FIFO_BYTES ? bytes : FIFO_BYTES;
        for (size_t i = 0; i < n; i++)
            reg[DATA] = from[i];
        from += n;
        bytes -= n;
    }
    return 0;
}
