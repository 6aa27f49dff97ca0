/* Control words in a tile's L1: one tile header, then one control block a lane, then the rings.
 *
 *   lane_base (from the board's description)
 *   +0                                      tile control words          64 bytes
 *   +64 + 128 * i                           lane control words          128 bytes a lane, i = number of the
 *                                                                       lane and of its core
 *   +ring_offset + ring_bytes * i           ring of lane i
 *
 * All fields are 32-bit little-endian words. Words of one 16-byte line have one writer, so that a line
 * can be written whole without taking back what the other side wrote. Counters of slots are monotonic
 * modulo 2^32: slot number n is at ring + (n % slots) * 8 (`slots` is a power of two).
 *
 * Who writes: H = the owner of the board (the agent, or the loader before a launch), C = the core.
 */
#ifndef TD_PROTO_DEVICE_LANE_H
#define TD_PROTO_DEVICE_LANE_H

#define TD_LANE_MAGIC 0x314c4454 /* "TDL1" */

/* X(word index, name, writer, what) */
#define TD_TILE_CTRL(X)                                                                                      \
    X(0, magic, H, "TD_LANE_MAGIC once the rings are initialised")                                           \
    X(1, version, H, "TD_DEVICE_PROTO_VERSION of the host")                                                  \
    X(2, lanes, H, "number of lanes")                                                                        \
    X(3, ring_slots, H, "slots of each ring, a power of two")                                                \
    X(4, ring_offset, H, "bytes from lane_base to ring 0")                                                   \
    X(5, agent, H, "its process; 0: there is none, and a core that waits for room stops waiting")            \
    X(6, machine, H, "where that process is: a number of the machine since it was started")                  \
    X(7, heartbeat, H, "in the grid's first tile: the agent counts it up while it lives")

#define TD_LANE_CTRL(X)                                                                                      \
    /* line 0: drain, agent */                                                                               \
    X(0, head, H, "slots taken and cleared by the consumer")                                                 \
    X(1, policy, H,                                                                                          \
      "enum td_policy, read at start; a core that finds its lane full also sees a change to off")            \
    X(2, join, H,                                                                                            \
      "another number for each recording, 1 to 2^31 - 1; with TD_JOIN_REJOIN; written before policy")        \
    /* line 1: launch, loader */                                                                             \
    X(4, op, H, "op id of the next launch")                                                                  \
    X(5, arg, H, "address or value handed to main, returned by td_arg()")                                    \
    X(6, launch, H, "number of this launch, never 0")                                                        \
    X(7, left, H, "state in which the launch before was stopped, RUNNING or FAULT; 0: it has ended itself")  \
    /* line 2: progress, core */                                                                             \
    X(8, tail, C, "slots written: a hint, exact whenever `state` is not RUNNING; the ring may hold more")    \
    X(9, joined, C, "`join` that the ring's contents are for; with TD_JOIN_LEFT: for none, do not read it")  \
    X(10, lost_zones, C, "zones dropped, or (overwrite) in blocks given up, in this recording")              \
    X(11, lost_other, C, "other packets dropped, or in blocks given up")                                     \
    /* line 3: state, core */                                                                                \
    X(12, state, C, "enum td_core_state")                                                                    \
    X(13, done, C, "`launch` number of the last launch that ended")                                          \
    X(14, exit_code, C, "of that launch")                                                                    \
    X(15, proto_version, C, "TD_DEVICE_PROTO_VERSION of the running image")                                  \
    /* line 4: image, core */                                                                                \
    X(16, build_id0, C, "bytes 0..3 of the running image's build id")                                        \
    X(17, build_id1, C, "bytes 4..7")                                                                        \
    X(18, time_high, C, "high half of the clock last written as a TIME packet")                              \
    X(19, guard, H, "of the loaded image: address of the words below the stack (TD_STACK_GUARD); 0: none")   \
    /* line 5: fault, written for the core by the board (simulator), a stack overflow by the core */         \
    X(20, fault_cause, H, "0 none, else enum td_fault")                                                      \
    X(21, fault_pc, H, "")                                                                                   \
    X(22, fault_address, H, "")                                                                              \
    /* line 6: loss, core */                                                                                 \
    X(24, told_zones, C, "drop: lost zones that LOST packets have reported. overwrite: TD_GIVEN_CHECK")      \
    X(25, told_other, C,                                                                                     \
      "drop: lost other packets that LOST packets have reported. overwrite: the recording's first slot")     \
    X(26, stalls, C, "times the core waited for room")                                                       \
    X(27, calls, C, "markers that called the runtime because they found no room prepared")                   \
    /* line 7: joining, core */                                                                              \
    X(28, skipped, C, "slots that were written while the core had left the recording: lost")                 \
    X(29, given, C,                                                                                          \
      "overwrite: number of the first slot that is not given up, a block's first one; with TD_GIVEN_BUSY. "  \
      "drop: TD_LOST_CHECK of the counts")                                                                   \
    /* still line 7: written for the core by the board, as line 5, when the core has stopped */              \
    X(30, fault_time, H, "clock at the fault, low half")                                                     \
    X(31, fault_time_high, H, "")

/* How a core joins a recording. The agent writes `join`, then `policy`, at any time, and does not touch the
 * ring and `head` until `joined` has its number. At its next launch a core that finds a policy other than
 * off, and another number in `joined`, clears the ring, begins at slot number `head`, and then writes
 * `joined`. From then on the slots from `head` on are exact, over all launches, until the core leaves the
 * recording: it sets TD_JOIN_LEFT in `joined` before it overwrites a slot that was not taken. A core that
 * rejoins the same recording counts the slots that it wrote meanwhile in `skipped`. */
#define TD_JOIN_REJOIN 1u          /* in `join`: the same recording as before */
#define TD_JOIN_LEFT   0x80000000u /* in `joined` */
/* The most slots that a core may have written past its tail. */
#define TD_TAIL_BEHIND(ring_slots) ((ring_slots) / 4 + 96)
/* Overwrite: a core gives up the oldest block of TD_BLOCK_SLOTS slots at a time. It writes the number of the
 * first slot after the block, with TD_GIVEN_BUSY, into `given`, counts and clears the block, and writes
 * `given` again without the flag. So a slot that was read is whole if its number is not below the value that
 * `given` has after the read. New slots have numbers below `given` + the ring's slots, a block less while the
 * flag is set. */
#define TD_GIVEN_BUSY  1u
#define TD_BLOCK_SLOTS 32u

/* Kernels may write over these words. So the core has its counts elsewhere, too, and writes the words from
 * there: when they change, when it waits, and when its launch ends. In `drop` a check lies in another line than
 * the counts. */
#define TD_LOST_CHECK(zones, other) (~((zones) + (other)))
/* In `overwrite` a check of `given` and of the counts: lost zones, lost other packets, and slots in blocks given
 * up that hold what no marker has written. So the host learns the number of those, too. It is written after the
 * counts and before the block is cleared. 0: of a runtime that had no check. */
#define TD_GIVEN_CHECK(given, counts) (~((given) + (counts)))

#define TD_TILE_CTRL_BYTES    64
#define TD_LANE_CTRL_BYTES    128
#define TD_DEFAULT_RING_SLOTS 256 /* 512 words */

/* What a core does when its lane is full.  X(value, NAME, command line name, what) */
#define TD_POLICIES(X)                                                                                       \
    X(0, OFF, "off", "there is no reader: the ring is reused, nothing is counted")                           \
    X(1, BLOCK, "block", "wait for room; the wait is a STALL packet")                                        \
    X(2, DROP, "drop", "drop new packets and count them; a LOST packet follows when there is room again")    \
    X(3, OVERWRITE, "overwrite", "overwrite the oldest and count them")

#define TD_CORE_STATES(X)                                                                                    \
    X(0, RESET, "never started")                                                                             \
    X(1, RUNNING, "in crt0 or main")                                                                         \
    X(2, DONE, "main returned, tail is exact")                                                               \
    X(3, FAULT, "stopped by a fault, see fault_*; packets beyond tail may be valid")

#define TD_FAULTS(X)                                                                                         \
    X(0, NONE, "none")                                                                                       \
    X(1, READ, "read of an address that does not exist")                                                     \
    X(2, WRITE, "write to an address that does not exist")                                                   \
    X(3, FETCH, "jump to an address that does not exist")                                                    \
    X(4, ILLEGAL, "illegal instruction")                                                                     \
    X(5, ALIGN, "misaligned access")                                                                         \
    X(6, VERSION, "the image was built for another version of the lanes")                                    \
    X(7, OTHER, "other exception")                                                                           \
    X(8, STACK, "stack overflow")

#ifndef __ASSEMBLER__
#include <stdint.h>
enum td_policy {
#define TD_X(value, name, cli, what) TD_POLICY_##name = value,
    TD_POLICIES(TD_X)
#undef TD_X
};
enum td_core_state {
#define TD_X(value, name, what) TD_CORE_##name = value,
    TD_CORE_STATES(TD_X)
#undef TD_X
};
enum td_fault {
#define TD_X(value, name, what) TD_FAULT_##name = value,
    TD_FAULTS(TD_X)
#undef TD_X
};
/* Byte offsets of the words, TD_TILE_magic, TD_LANE_head ... */
enum {
#define TD_X(index, name, writer, what) TD_TILE_##name = 4 * (index),
    TD_TILE_CTRL(TD_X)
#undef TD_X
#define TD_X(index, name, writer, what) TD_LANE_##name = 4 * (index),
        TD_LANE_CTRL(TD_X)
#undef TD_X
};
#endif
#endif
