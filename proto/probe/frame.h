/* Byte frames: whole messages over a stream of bytes (UART, pty, socket) that may damage or lose bytes.
 *
 *   0x00, stuffed(message, CRC-32 of it, low byte first), 0x00
 *
 * Stuffing (consistent overhead byte stuffing) leaves no 0x00 inside a frame. The bytes are split into runs
 * of up to 254 bytes other than 0x00. Each run is sent after one byte that holds its length + 1. A run
 * shorter than 254 is followed by a 0x00 in the original, except at the end. So after damage a receiver finds
 * the next frame at the next 0x00, and counts the bytes before it as bad. CRC-32 is that of Ethernet and zip.
 *
 * The decoder does no input or output: the caller gives it bytes and gets messages. Plain C, freestanding.
 */
#pragma once
#include <stdint.h>

/* The most bytes that a message of n bytes takes on the stream. */
#define TD_FRAME_BYTES(n) ((n) + 4 + ((n) + 4) / 254 + 1 + 2)

uint32_t td_frame_crc(const void *bytes, uint32_t n);

/* Writes the frame of a message to `to`, which has room for TD_FRAME_BYTES(bytes). Returns its length. */
uint32_t td_frame_encode(const void *message, uint32_t bytes, uint8_t *to);

struct td_frame_stats {
    uint64_t frames, bad_frames; /* whole ones; damaged or too long ones */
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
/* Decodes bytes up to the end of a message, or all n; *used = the bytes decoded. Returns the length of the
 * message, which is in d->buffer until the next call; 0: no message has ended. No message is empty. */
uint32_t td_frame_decode(struct td_frame_decoder *d, const uint8_t *bytes, uint32_t n, uint32_t *used);
