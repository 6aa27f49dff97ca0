/* Times and numbers as text. Pure functions but for td_format_times(); every result fits in TD_FORMAT_BYTES. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_FORMAT_BYTES 48

/* A duration with four significant digits, such as "12.34 us". Returns `out`, as the others do. */
const char *td_format_ns(char out[TD_FORMAT_BYTES], double ns);
enum td_format_style {
    TD_FORMAT_SHORT,
    TD_FORMAT_EXACT, /* durations and times are whole nanoseconds, such as "12 345 678 ns" */
    TD_FORMAT_CLOCK /* from a minute on: durations such as "1:23.4", "12:34:56", "1d 12:34:56", and times such as
                        "1:23 456 789 012 ns" */
};
/* For all times from now on. Not thread-safe. */
void td_format_times(enum td_format_style style);
/* A time, precise to `step_ns`. */
const char *td_format_time(char out[TD_FORMAT_BYTES], double ns, double step_ns);
/* With separated thousands: "1 234 567". */
const char *td_format_count(char out[TD_FORMAT_BYTES], uint64_t count);
/* Bytes a second, such as "1.50 GiB/s". */
const char *td_format_rate(char out[TD_FORMAT_BYTES], double bytes);
/* A plot's value; format as in struct td_plot. */
const char *td_format_value(char out[TD_FORMAT_BYTES], double value, int format);
