/* tt-metal's NoC events: the JSON of a NoC trace, and the values in a device log.
 *
 * A trace is a list of objects, in files named noc_trace_dev<device>[_<op>]_ID<run host
 * id>[_traceID<n>].json. An object is a zone's begin or end, or an event. */
#pragma once

#define TD_TT_NOC_PREFIX "noc_trace_dev"

/* X(NAME, name in the JSON, kind, where): the fields of an object, in the order of tt-metal's files. Kinds:
 *   NUM   an integer                        TEXT   a string
 *   NOC   "NOC_0" or "NOC_1", 0 or 1        BOOL   true or false, 1 or 0
 *   TYPE  a name of TD_TT_NOC_TYPES         PHASE  TD_TT_NOC_BEGIN or TD_TT_NOC_END, 0 or 1
 * Where: TRACK the core and the time; ZONE the launch; EVENT the event alone; SEND and MUX inside the objects
 * `fabric_send` and, in it, `fabric_mux`. -1 as a destination or channel: none. */
#define TD_TT_NOC_FIELDS(X)                                                                                  \
    X(DST_DEVICE, "dst_device_id", NUM, EVENT)                                                               \
    X(DX, "dx", NUM, EVENT)                                                                                  \
    X(DY, "dy", NUM, EVENT)                                                                                  \
    X(ETH_CHAN, "eth_chan", NUM, SEND)                                                                       \
    X(MUX_NOC, "noc", NOC, MUX)                                                                              \
    X(MUX_X, "x", NUM, MUX)                                                                                  \
    X(MUX_Y, "y", NUM, MUX)                                                                                  \
    X(HOPS, "hops", NUM, SEND)                                                                               \
    X(RANGE, "range", NUM, SEND)                                                                             \
    X(START_DISTANCE, "start_distance", NUM, SEND)                                                           \
    X(KERNEL_START_DELTA, "kernel_start_delta", NUM, ZONE)                                                   \
    X(MCAST_END_X, "mcast_end_x", NUM, EVENT)                                                                \
    X(MCAST_END_Y, "mcast_end_y", NUM, EVENT)                                                                \
    X(MCAST_START_X, "mcast_start_x", NUM, EVENT)                                                            \
    X(MCAST_START_Y, "mcast_start_y", NUM, EVENT)                                                            \
    X(NOC, "noc", NOC, EVENT)                                                                                \
    X(NUM_BYTES, "num_bytes", NUM, EVENT)                                                                    \
    X(OP_NAME, "op_name", TEXT, ZONE)                                                                        \
    X(POSTED, "posted", BOOL, EVENT)                                                                         \
    X(PROC, "proc", TEXT, TRACK)                                                                             \
    X(RUN_HOST_ID, "run_host_id", NUM, ZONE)                                                                 \
    X(RUN_ID, "run_id", NUM, ZONE)                                                                           \
    X(SRC_DEVICE, "src_device_id", NUM, TRACK)                                                               \
    X(SX, "sx", NUM, TRACK)                                                                                  \
    X(SY, "sy", NUM, TRACK)                                                                                  \
    X(TIMESTAMP, "timestamp", NUM, TRACK)                                                                    \
    X(TYPE, "type", TYPE, EVENT)                                                                             \
    X(VC, "vc", NUM, EVENT)                                                                                  \
    X(ZONE, "zone", TEXT, ZONE)                                                                              \
    X(ZONE_PHASE, "zone_phase", PHASE, ZONE)
#define TD_TT_NOC_BEGIN     "ZONE_START"
#define TD_TT_NOC_END       "ZONE_END"
#define TD_TT_NOC_OLD_BEGIN "begin" /* before autumn 2025 */
#define TD_TT_NOC_OLD_END   "end"
#define TD_TT_NOC_SEND      "fabric_send"
#define TD_TT_NOC_MUX       "fabric_mux"

enum td_tt_noc_field {
#define TD_X(name, json, kind, where) TD_TT_NOC_##name,
    TD_TT_NOC_FIELDS(TD_X)
#undef TD_X
        TD_TT_NOC_FIELD_COUNT
};

/* X(NAME, number now, number of autumn 2025, number before): the types of events. 0: that numbering has
 * none. */
#define TD_TT_NOC_TYPES(X)                                                                                   \
    X(READ, 1, 1, 1)                                                                                         \
    X(READ_SET_STATE, 2, 2, 2)                                                                               \
    X(READ_SET_TRID, 3, 3, 3)                                                                                \
    X(READ_WITH_STATE, 4, 4, 4)                                                                              \
    X(READ_WITH_STATE_AND_TRID, 5, 5, 5)                                                                     \
    X(READ_BARRIER_START, 6, 6, 6)                                                                           \
    X(READ_BARRIER_END, 7, 7, 7)                                                                             \
    X(READ_BARRIER_WITH_TRID, 8, 8, 8)                                                                       \
    X(READ_DRAM_SHARDED_SET_STATE, 9, 9, 9)                                                                  \
    X(READ_DRAM_SHARDED_WITH_STATE, 10, 10, 10)                                                              \
    X(WRITE_, 11, 11, 11)                                                                                    \
    X(WRITE_SET_TRID, 12, 12, 0)                                                                             \
    X(WRITE_WITH_TRID, 13, 13, 12)                                                                           \
    X(WRITE_INLINE, 14, 14, 13)                                                                              \
    X(WRITE_MULTICAST, 15, 15, 14)                                                                           \
    X(WRITE_SET_STATE, 16, 16, 15)                                                                           \
    X(WRITE_WITH_STATE, 17, 17, 16)                                                                          \
    X(WRITE_WITH_TRID_SET_STATE, 18, 18, 17)                                                                 \
    X(WRITE_WITH_TRID_WITH_STATE, 19, 19, 18)                                                                \
    X(WRITE_BARRIER_START, 20, 20, 19)                                                                       \
    X(WRITE_BARRIER_END, 21, 21, 20)                                                                         \
    X(WRITE_BARRIER_WITH_TRID, 22, 22, 21)                                                                   \
    X(WRITE_FLUSH, 23, 23, 22)                                                                               \
    X(WRITE_FLUSH_WITH_TRID, 24, 24, 0)                                                                      \
    X(FULL_BARRIER, 25, 25, 23)                                                                              \
    X(ATOMIC_BARRIER, 26, 26, 24)                                                                            \
    X(SEMAPHORE_INC, 27, 27, 25)                                                                             \
    X(SEMAPHORE_WAIT, 28, 28, 26)                                                                            \
    X(SEMAPHORE_SET, 29, 29, 27)                                                                             \
    X(SEMAPHORE_SET_REMOTE, 30, 0, 0)                                                                        \
    X(SEMAPHORE_SET_MULTICAST, 31, 0, 0)                                                                     \
    X(SEMAPHORE_INC_MULTICAST, 32, 0, 0)                                                                     \
    X(FABRIC_UNICAST_WRITE, 33, 30, 28)                                                                      \
    X(FABRIC_UNICAST_INLINE_WRITE, 34, 31, 29)                                                               \
    X(FABRIC_UNICAST_ATOMIC_INC, 35, 32, 30)                                                                 \
    X(FABRIC_FUSED_UNICAST_ATOMIC_INC, 36, 33, 31)                                                           \
    X(FABRIC_MULTICAST_WRITE, 37, 34, 32)                                                                    \
    X(FABRIC_MULTICAST_ATOMIC_INC, 38, 35, 33)                                                               \
    X(FABRIC_UNICAST_SCATTER_WRITE, 39, 36, 34)                                                              \
    X(FABRIC_ROUTING_FIELDS_1D, 40, 37, 35)                                                                  \
    X(FABRIC_ROUTING_FIELDS_2D, 41, 38, 0)

enum td_tt_noc_type {
    TD_TT_NOC_TYPE_NONE, /* not known */
#define TD_X(name, now, autumn_2025, before) TD_TT_NOC_TYPE_##name,
    TD_TT_NOC_TYPES(TD_X)
#undef TD_X
        TD_TT_NOC_TYPE_COUNT
};

/* The value of a NoC event in a device log (TS_DATA of the timer id TD_TT_TIMER_NOC): bytes, lowest first.
 *   now                 type, dst_x, dst_y, mcast_end_x, mcast_end_y, noc | vc << 4, chunks, posted
 *   before autumn 2025  dst_x, dst_y, mcast_end_x, mcast_end_y, noc | vc << 4, chunks, type, 0
 * Places and the channel are signed; -1: none. A NoC is 1 + its number; 0: none. A chunk has 32 bytes.
 * Events of the fabric have other contents from the sixth byte on. */
#define TD_TT_NOC_CHUNK_BYTES 32
