/* Lane frame: slots of one lane on their way from a gatherer (probe, relay core) to the host.
 *
 *   word 0   TD_FRAME_MAGIC << 16 | slots (1..65535)
 *   word 1   lane, the host's number
 *   word 2   number of the first slot in its lane, modulo 2^32
 *   word 3   sum of words 0..2, inverted
 *   then     `slots` slots of two words (proto/device/packet.h), in order, each valid
 *
 * Frames follow each other. A zero where a frame's word 0 would be is padding, up to the boundary that the
 * transport needs. Little-endian. Plain C, freestanding.
 */
#ifndef TD_PROTO_DEVICE_FRAME_H
#define TD_PROTO_DEVICE_FRAME_H

#define TD_FRAME_MAGIC                      0x7da7
#define TD_FRAME_HEAD_WORDS                 4
#define TD_FRAME_MAX_SLOTS                  0xffff
#define TD_FRAME_CHECK(word0, word1, word2) (~((word0) + (word1) + (word2)))
#endif
