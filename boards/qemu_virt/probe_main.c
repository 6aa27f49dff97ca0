/* Hart 0: the probe engine, reached through the UART. */
#include "boards/qemu_virt/harts.h"
#include "boards/qemu_virt/memory.h"
#include "boards/qemu_virt/uart.h"
#include "boards/qemu_virt/virt.h"
#include "proto/probe/frame.h"
#include "qemu_virt_config.h"
#include "riscv/clock.h"
#include "target/probe/probe.h"

#define MESSAGE_BYTES        4096  /* a damaged byte costs what is in one message */
#define RECEIVE_BYTES        256   /* taken from the UART at a time */
#define GATHERING_US         200   /* between two looks at lanes that hold nothing */
#define IDLE_US              20000 /* without lanes to look at, only the silence watch has to go on */
#define TICKS_OF(us)         ((us) * (uint64_t)(BOARD_CLOCK_HZ / 1000000))
#define CSR_SET(csr, bits)   __asm__ volatile("csrs " #csr ",%0" : : "r"(bits) : "memory")
#define CSR_CLEAR(csr, bits) __asm__ volatile("csrc " #csr ",%0" : : "r"(bits) : "memory")

static struct td_probe probe;
static struct td_probe_lane_state lanes[BOARD_HARTS];
static uint64_t out[MESSAGE_BYTES / 8];

static volatile uint32_t *word_at(uint32_t address)
{
    return (volatile uint32_t *)address;
}

/* At most that long from now: the next timer interrupt. */
static void set_deadline(uint64_t ticks)
{
    *word_at(VIRT_MTIMECMP + 4) = UINT32_MAX; /* none in between */
    *word_at(VIRT_MTIMECMP) = (uint32_t)ticks;
    *word_at(VIRT_MTIMECMP + 4) = (uint32_t)(ticks >> 32);
}

void probe_trap(void);
__attribute__((interrupt("machine"), aligned(4))) void probe_trap(void)
{
    uint32_t cause, irq;
    __asm__ volatile("csrr %0,mcause" : "=r"(cause));
    if (cause == RISCV_CAUSE_TIMER)
        set_deadline(UINT64_MAX);
    else if (cause == RISCV_CAUSE_EXTERNAL)
        while ((irq = *word_at(VIRT_PLIC_CLAIM))) {
            uart_interrupt();
            *word_at(VIRT_PLIC_CLAIM) = irq;
        }
    else
        for (;;) /* a fault of the probe's own: the host sees that it is silent */
            __asm__ volatile("wfi");
}

static void interrupts_on(void)
{
    set_deadline(UINT64_MAX);
    *word_at(VIRT_PLIC_PRIORITY + 4 * VIRT_UART_IRQ) = 1;
    *word_at(VIRT_PLIC_ENABLE) = 1u << VIRT_UART_IRQ;
    *word_at(VIRT_PLIC_THRESHOLD) = 0;
    CSR_SET(mie, RISCV_MIE_TIMER | RISCV_MIE_EXTERNAL);
    CSR_SET(mstatus, RISCV_MSTATUS_MIE);
}

/* Until something arrives or the time is over. Interrupts are off from the last look on, so that none comes
 * between it and the wfi, which they end all the same. */
static void sleep(uint32_t us)
{
    set_deadline(td_clock64() + TICKS_OF(us));
    CSR_CLEAR(mstatus, RISCV_MSTATUS_MIE);
    uart_interrupt();
    if (!uart_has())
        __asm__ volatile("wfi" ::: "memory");
    CSR_SET(mstatus, RISCV_MSTATUS_MIE);
}

static uint32_t now_ms(void)
{
    return (uint32_t)(td_clock64() / (uint32_t)(BOARD_CLOCK_HZ / 1000));
}

static int send(void *self, const void *message, uint32_t bytes)
{
    static uint8_t frame[TD_FRAME_BYTES(MESSAGE_BYTES)];
    return uart_send(frame, td_frame_encode(message, bytes, frame));
}

/* Hands on what has arrived; 0: nothing had. */
static int receive(struct td_frame_decoder *decoder)
{
    uint8_t bytes[RECEIVE_BYTES];
    uint32_t count = (uint32_t)uart_receive(bytes, sizeof bytes);
    for (uint32_t at = 0, used; at < count; at += used) {
        uint32_t message = td_frame_decode(decoder, bytes + at, count - at, &used);
        if (message)
            td_probe_message(&probe, decoder->buffer, message, now_ms());
    }
    return count != 0;
}

void probe_main(void);
void probe_main(void)
{
    static uint8_t in[MESSAGE_BYTES + 4];
    struct td_frame_decoder decoder;
    const struct td_probe_config config = {
        .board = memory_board,
        .link = {.send = send},
        .out = out,
        .out_bytes = sizeof out,
        .lanes = lanes,
        .lane_capacity = BOARD_HARTS,
    };
    td_frame_decoder_init(&decoder, in, sizeof in);
    if (td_probe_init(&probe, &config))
        return;
    harts_begin();
    uart_init();
    interrupts_on();
    for (;;)
        if (!receive(&decoder) && !td_probe_idle(&probe, now_ms()))
            sleep(td_probe_is_gathering(&probe) ? GATHERING_US : IDLE_US);
}
