/* The 16550 UART of hart 0: receives by interrupts into a ring, so that nothing is lost while the probe is at
 * work; sends by filling the FIFO. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Interrupts are to be off. */
void uart_init(void);
/* Bytes that have arrived, at most `room`. */
size_t uart_receive(uint8_t *to, size_t room);
/* Is there something to receive? Cheap, for a last look with interrupts off. */
bool uart_has(void);
#define UART_SILENT (-1)
/* Returns 0 when the last byte is in the FIFO; UART_SILENT if no byte was taken for as long as a host may be silent:
 * then the rest is dropped. */
int uart_send(const uint8_t *from, size_t bytes);
/* Takes what is in the FIFO. Called at the UART's interrupt, or with interrupts off. */
void uart_interrupt(void);
