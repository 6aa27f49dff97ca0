/* Hostile bytes through the decoder of a client's stream: whatever they are, what comes out is sound. */
#ifndef TD_TESTS_WIRE_STREAM_CHECK_H
#define TD_TESTS_WIRE_STREAM_CHECK_H
#include <stddef.h>
#include <stdint.h>

/* The first byte chooses: even: packed frames as they come from a socket; odd: items of one frame each 4096
 * bytes. */
void stream_check(const uint8_t *data, size_t bytes);
#endif
