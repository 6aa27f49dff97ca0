/* Byte frames: whole messages over a stream of bytes (UART, pty, socket) that may damage or lose some.
 *
 *   0x00, stuffed(message, CRC-32 of it, low byte first), 0x00
 *
 * Stuffing (consistent overhead byte stuffing) leaves no 0x00 inside a frame: each run of up to 254 bytes
 * without one is sent behind its length + 1; a run shorter than 254 stands for a 0x00 after it as well,
 * except at the end. So a receiver finds the next frame after any damage at the next 0x00; what came before
 * is counted. CRC-32 is that of Ethernet and zip.
 *
 * The decoder knows no input or output: bytes are put in, messages come out. Plain C, freestanding.
 */
#ifndef TD_PROTO_PROBE_FRAME_H
#define TD_PROTO_PROBE_FRAME_H
#include <stdint.h>

/* Bytes on the stream of a message of n bytes, at most. */
#define TD_FRAME_BYTES(n) ((n) + 4 + ((n) + 4) / 254 + 1 + 2)

uint32_t td_frame_crc(const void *bytes, uint32_t n);

/* The frame of a message, at `to`, TD_FRAME_BYTES(bytes) long at most: its length. */
uint32_t td_frame_encode(const void *message, uint32_t bytes, uint8_t *to);

struct td_frame_stats {
    uint64_t frames, bad_frames; /* whole ones; damaged ones and such that are too long */
    uint64_t bad_bytes;          /* on the stream, in damaged frames */
};
struct td_frame_decoder {
    uint8_t *buffer; /* the caller's, room for the longest message and 4 bytes more */
    uint32_t room;
    struct td_frame_stats stats;
    /* Private. */
    uint32_t filled, raw; /* in buffer; bytes on the stream since the last 0x00 */
    uint8_t left, zero_follows, bad;
};
void td_frame_decoder_init(struct td_frame_decoder *d, uint8_t *buffer, uint32_t room);
/* Decodes bytes up to the end of a message, or all; *used = how many. Returns the length of the message,
 * which is in d->buffer until the next call, or 0. A message is at least one byte long. */
uint32_t td_frame_decode(struct td_frame_decoder *d, const uint8_t *bytes, uint32_t n, uint32_t *used);
#endif
