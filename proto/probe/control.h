/* Controls of a simulated board that are not part of its memory. Plain C, freestanding. */
#ifndef TD_PROTO_PROBE_CONTROL_H
#define TD_PROTO_PROBE_CONTROL_H

/* clang-format off */
/* X(number, NAME, what) */
#define TD_CONTROLS(X)                                                                                 \
    X(0, CLOCK_MODE, "get: 0 real time, 1 virtual time (insn)")                                        \
    X(1, FREEZE, "add 1: returns when no core runs; add -1 (as a 64-bit number): lets them run again") \
    X(2, EPOCH, "get: number of the last epoch that has ended (virtual time)")                         \
    X(3, DRAINED, "set: all lanes were drained after that epoch")                                      \
    X(4, EPOCH_DRAINED, "get: the last number that DRAINED set")                                       \
    X(5, AGENT, "set: process that drains, 0: none; if it vanishes, the board disarms all lanes")      \
    X(6, STOP, "set 1: end the board")
/* clang-format on */

enum td_control {
#define TD_X(number, name, what) TD_CONTROL_##name = number,
    TD_CONTROLS(TD_X)
#undef TD_X
        TD_CONTROL_COUNT
};
#endif
