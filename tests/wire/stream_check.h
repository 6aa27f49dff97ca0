/* Feeds hostile bytes to the decoder of a client's stream and checks that the events are consistent. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* The first byte is a set of options.
 *   bit 0         0: packed frames as from a socket; 1: items, a frame every 4096 bytes
 *   bits 1 to 3   the release, as in td_wire_release_at()
 *   bit 4         frames before the session
 *   bit 5         code transfer
 *   bit 6         source files
 *   bit 7         at most two pending names */
void stream_check(const uint8_t *data, size_t bytes);
