/* The cases of kernel.c: functions with one marker, and those without to compare them with. */
#pragma once

#define BENCH_CASE_SHIFT 24 /* in the launch's argument; below it the number of zones of a loop */

enum bench_case {
    LINE_WITHOUT,
    LINE_WITH,
    LOOP_WITHOUT,
    LOOP_WITH,
    LOG_WITHOUT,
    LOG,
    LOG_PLAIN,
    LOG_EIGHT,
    PLOT,
    FLOW,
    VALUE,
    TEXT,
    LONG_WITHOUT,
    LONG_ZONE,
    SPAN,
    SUMS,
    DATA,
    EVENT,
    LOG_ONE,
    LOG_TWO,
    LOG_FOUR,
    LOG_FIVE,
    LOG_SIX,
    LOG_SEVEN,
    LINE_SHORT,
    LINE_LONG,
    PLOTS,
    LOGS,
    LINE_CALLS,
    LOG_CALLS
};
