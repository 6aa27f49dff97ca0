/* Which times of an operation cannot be right: cores' buffers may hold words of an earlier run, so that a zone
 * begins long before its launch. This is the only place that decides it; docs/report.md states the rule.
 *
 * Operations with such times are given as they are, with `doubt`; who sums operations leaves them out. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_op_sum;
struct td_op_clock;

/* X(name, what is wrong) */
#define TD_OP_DOUBTS(X)                                                                                      \
    X(NONE, "")                                                                                              \
    X(ENDS_FIRST, "a zone ends before it begins")                                                            \
    X(OUTSIDE, "a kernel is not within its firmware's zone")                                                 \
    X(NO_LENGTH, "a launch begins and ends at one time")                                                     \
    X(TWO_AT_ONCE, "a tile ran another operation meanwhile")                                                 \
    X(EARLY, "a launch begins long before the others")
enum td_op_doubt {
#define TD_X(name, what) TD_OP_DOUBT_##name,
    TD_OP_DOUBTS(TD_X)
#undef TD_X
};
const char *td_op_doubt_text(enum td_op_doubt doubt);

/* Of one launch; times that are TD_OP_NO_TIME are not compared. */
enum td_op_doubt td_op_doubt_of_launch(int64_t fw_start, int64_t fw_end, int64_t kernel_start,
                                       int64_t kernel_end);
/* Of an operation, from its spans and cores. */
enum td_op_doubt td_op_doubt_of_cores(const struct td_op_sum *op);

/* Begins before this time are too early; INT64_MIN: none is. Sorts the begins; `end` is the last end. */
int64_t td_op_earliest(const struct td_op_clock *clock, int64_t *begins, size_t count, int64_t end);
