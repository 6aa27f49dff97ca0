/* What markers cost a core: instructions, and stores to L1, that a kernel executes because of them. The
 * recorder multiplies these numbers by the packets of a lane (host/agent/board/lane_bill.h). A test of the
 * runtime counts the instructions of each on an emulated core (tests/target/test_costs.c).
 *
 * Not part of it is what the compiler does around a marker: moves of arguments between registers, loads from
 * the stack, saving the return address in a function that had no call without the marker. */
#ifndef TD_PROTO_DEVICE_COST_H
#define TD_PROTO_DEVICE_COST_H

/* clang-format off */
/* X(NAME, instructions, stores, of what) */
#define TD_COSTS(X)                                                                                          \
    X(ZONE, 16, 4, "a zone, inlined, whose three constants are in registers")                                \
    X(CONSTANT, 1, 0, "a constant of a zone that no loop keeps in a register")                               \
    X(TINY, 20, 4, "a zone whose end is out of line (TD_TINY), without its two constants")                   \
    X(SPAN, 21, 4, "a zone from TD_ZONE_BEGIN to TD_ZONE_END")                                               \
    X(STAMPED, 2, 0, "a zone of the hardware timestamper, without its two constants")                        \
    X(LONG, 29, 2, "a zone of 2^16 ticks or more, in addition")                                              \
    X(LOG_0, 22, 2, "a message or a zone's text: no arguments")                                              \
    X(LOG_1, 27, 4, "1 argument")                                                                            \
    X(LOG_2, 32, 6, "2 arguments")                                                                           \
    X(LOG_3, 37, 6, "3 arguments")                                                                           \
    X(LOG_4, 43, 8, "4 arguments")                                                                           \
    X(LOG_5, 47, 10, "5 arguments")                                                                          \
    X(LOG_6, 53, 10, "6 arguments")                                                                          \
    X(LOG_7, 57, 12, "7 arguments")                                                                          \
    X(LOG_8, 66, 14, "8 arguments")                                                                          \
    X(VALUE, 29, 6, "a value of a zone")                                                                     \
    X(POINT, 27, 4, "a point of a plot, an end of a flow")                                                   \
    X(EVENT, 23, 2, "a numbered event")                                                                      \
    X(DATA, 32, 6, "an instant with a 64-bit value")                                                         \
    X(SUM, 62, 4, "a zone that is added to a sum")                                                           \
    X(LINE, 302.5, 3.5, "a printed line, without what formats it")                                           \
    X(LINE_SLOT, 210.5, 19.5, "six characters of it")                                                        \
    X(CALL_ZONE, 380, 3, "a zone that has to look for room, in addition: about once in 64 slots")            \
    X(CALL_POINT, 296, 3.5, "the same of a point")                                                           \
    X(CALL_LOG, 354, 10, "the same of a message")                                                            \
    X(BLOCK, 656, 44, "with `overwrite`, a marker that gives up a block of 32 slots, in addition")           \
    X(DROPPED, 115, 7, "a zone that is dropped, all of it")                                                  \
    X(LAUNCH, 1820, 132, "a launch, with the zone around the kernel")
/* clang-format on */
/* Calls of a launch itself (TD_LANE_calls). */
#define TD_LAUNCH_CALLS 5
/* Cycles that 1000 instructions of markers take on the chips, by the published latencies of a zone's loads
 * and stores (bench/device: zone_cycles_wormhole, zone_cycles_blackhole). */
#define TD_COST_CYCLES_1000 1570

#ifndef __ASSEMBLER__
enum td_cost {
#define TD_X(name, instructions, stores, what) TD_COST_##name,
    TD_COSTS(TD_X)
#undef TD_X
        TD_COST_COUNT
};
struct td_cost_row {
    double instructions, stores;
    const char *what;
};
/* The table's row. */
static inline struct td_cost_row td_cost_of(enum td_cost cost)
{
    static const struct td_cost_row rows[] = {
#define TD_X(name, instructions, stores, what) {instructions, stores, what},
        TD_COSTS(TD_X)
#undef TD_X
    };
    return rows[cost];
}
#endif
#endif
