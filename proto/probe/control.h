/* Controls of a simulated board that are not part of its memory. Plain C, freestanding. */
#ifndef TD_PROTO_PROBE_CONTROL_H
#define TD_PROTO_PROBE_CONTROL_H

/* clang-format off */
/* X(number, NAME, what) */
#define TD_CONTROLS(X)                                                                                 \
    X(0, CLOCK_MODE, "get: enum td_clock_mode")                                                         \
    X(1, FREEZE, "add 1: returns when no core runs; add -1 (as a 64-bit number): lets them run again") \
    X(2, EPOCH, "get: number of the last epoch that has ended (virtual time)")                         \
    X(3, DRAINED, "set: all lanes were drained after that epoch")                                      \
    X(4, EPOCH_DRAINED, "get: the last number that DRAINED set")                                       \
    X(5, AGENT, "set: process that drains, 0: none; if it vanishes, the board disarms all lanes")      \
    X(6, STOP, "set 1: end the board")                                                                 \
    X(7, SET_CLOCK, "set: enum td_clock_mode, before lanes are armed, where a board can choose")
/* clang-format on */

enum td_clock_mode {
    TD_CLOCK_REAL = 0,
    TD_CLOCK_VIRTUAL = 1, /* drained at the end of each epoch, by the next four controls */
    TD_CLOCK_GATHERED = 2 /* the same; lanes that the board gathers are drained by itself then */
};

enum td_control {
#define TD_X(number, name, what) TD_CONTROL_##name = number,
    TD_CONTROLS(TD_X)
#undef TD_X
        TD_CONTROL_COUNT
};
#endif
