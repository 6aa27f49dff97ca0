/* Relay: a spare core that gathers the lanes of many tiles over the NoC and pushes them, as lane frames
 * (proto/device/frame.h), into one ring in DRAM or in the host's memory. The host reads that ring instead of
 * every lane.
 *
 * Control words at the board's data_base in the relay's own L1, then the table of lanes, one entry of
 * TD_RELAY_LANE_BYTES each. 32-bit little-endian words; lines of 16 bytes have one writer, as in
 * proto/device/lane.h: H the host, C the relay.
 *
 * The relay may be stopped at any moment, because of its order of steps: it reads slots of a lane and writes
 * the frame into the ring. When the NoC reports that the frame has arrived, it publishes the lane's `taken`
 * and the ring's `tail`. Only then does it clear the slots and give the room back to the core. The reader
 * that takes a lane over from the relay begins at `taken`.
 */
#ifndef TD_PROTO_DEVICE_RELAY_H
#define TD_PROTO_DEVICE_RELAY_H

#define TD_RELAY_MAGIC 0x314c5254 /* "TRL1" */

/* clang-format off */
/* X(word index, name, writer, what) */
#define TD_RELAY_CTRL(X)                                                                                      \
    X(0, magic, H, "TD_RELAY_MAGIC once all else is filled in")                                               \
    X(1, lanes, H, "entries of the table that are valid; grows while the relay runs")                        \
    X(2, fifo_xy, H, "TD_NOC_XY of the ring's tile or bank")                                                  \
    X(3, fifo_bytes, H, "size of the ring, a power of two")                                                   \
    X(4, fifo_low, H, "its address there, a multiple of 64")                                                  \
    X(5, fifo_high, H, "")                                                                                    \
    X(6, head, H, "bytes of the ring that the host has taken, modulo 2^32")                                   \
    X(7, stop, H, "1: finish the round, then end")                                                            \
    X(8, tail, C, "bytes of the ring that are valid, modulo 2^32")                                            \
    X(9, rounds, C, "rounds over all lanes")                                                                  \
    X(10, waits, C, "times the ring was full")                                                                \
    X(11, slots, C, "slots taken, modulo 2^32")                                                               \
    X(12, reads, C, "NoC reads given, modulo 2^32")                                                           \
    X(13, writes, C, "NoC writes given")                                                                      \
    X(14, read_bytes, C, "bytes read over the NoC, modulo 2^32")                                              \
    X(15, written_bytes, C, "bytes written")                                                                  \
    X(16, note_low, H, "where the ring's tile also gets the tail, a line of 16 bytes that begins with it: for rings in the host's memory") \
    X(17, note_high, H, "")                                                                                   \
    X(18, note, H, "1: it does")

#define TD_RELAY_LANE(X)                                                                                      \
    X(0, xy, H, "TD_NOC_XY of the tile")                                                                      \
    X(1, lane, H, "the host's number")                                                                        \
    X(2, ctrl, H, "address of the lane's control words")                                                      \
    X(3, ring, H, "address of its ring")                                                                      \
    X(4, slots, H, "slots of the ring, a power of two")                                                       \
    X(5, first, H, "number of the first slot to take")                                                        \
    X(6, join, H, "number that the lane's `joined` has while its core feeds it")                              \
    X(8, taken, C, "number of the first slot that is not in the ring yet; valid when `seen` is 1")            \
    X(9, seen, C, "1: the relay has taken the lane over")
/* clang-format on */

#define TD_RELAY_CTRL_BYTES 80
#define TD_RELAY_LANE_BYTES 48
#define TD_RELAY_MAX_LANES  1024

/* Byte offsets of the words, TD_RELAY_tail, TD_RELAY_LANE_taken ... */
enum {
#define TD_X(index, name, writer, what) TD_RELAY_##name = 4 * (index),
    TD_RELAY_CTRL(TD_X)
#undef TD_X
#define TD_X(index, name, writer, what) TD_RELAY_LANE_##name = 4 * (index),
        TD_RELAY_LANE(TD_X)
#undef TD_X
};
#endif
