/* Hostile bytes through the decoder of a client's stream: whatever they are, what comes out is sound. */
#ifndef TD_TESTS_WIRE_STREAM_CHECK_H
#define TD_TESTS_WIRE_STREAM_CHECK_H
#include <stddef.h>
#include <stdint.h>

/* The first byte chooses. Bit 0: 0 packed frames as they come from a socket, 1 items of one frame each 4096
 * bytes; bits 1 to 3: the release, in the order of td_wire_release_at(); 4: frames before the session, 5:
 * code may be asked for, 6: sources are wanted. */
void stream_check(const uint8_t *data, size_t bytes);
#endif
