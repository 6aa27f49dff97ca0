/* Describes the client and its machine for the handshake. Used by the session's thread. */
#pragma once
#include "host/wire/hello.h"

#include <stddef.h>
#include <stdint.h>

void td_welcome_measure(void); /* measures the clock's resolution and the cost of a marker; call it first */
/* `end`: ticks at the end of the client's start. Waits until what has started the client is in the queues. */
void td_welcome_fill(struct td_wire_welcome *welcome, int64_t end);
/* The release that both sides speak; NULL: there is none. */
const struct td_wire_release *td_welcome_release(uint32_t protocol);
uint8_t td_welcome_flags(const struct td_wire_release *release);
