/* A link over any stream of bytes: a socket, a UART, a pty; messages travel in frames (proto/probe/frame.h).
 * Used by both ends. */
#pragma once
#include "host/transport/link.h"

/* Takes ownership of the descriptor, also on failure (NULL). name: for messages, copied. bytes_per_s: 0:
 * unknown. */
struct td_link *td_stream_link(int fd, const char *name, uint32_t bytes_per_s, struct td_err *err);
