/* Times and numbers as text. Pure functions; buffers of TD_FORMAT_BYTES hold every result. */
#ifndef TD_HOST_VIEWER_FORMAT_H
#define TD_HOST_VIEWER_FORMAT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_FORMAT_BYTES 48

/* A duration with four significant digits and the unit that suits it: "12.34 us". Returns `out`. */
const char *td_format_ns(char out[TD_FORMAT_BYTES], double ns);
/* A point in time, exact to `step_ns`, in the unit that suits its size. */
const char *td_format_time(char out[TD_FORMAT_BYTES], double ns, double step_ns);
/* With thousands apart: "1 234 567". */
const char *td_format_count(char out[TD_FORMAT_BYTES], uint64_t count);
/* A plot's value; format as in struct td_plot. */
const char *td_format_value(char out[TD_FORMAT_BYTES], double value, int format);

/* Marks of a time axis: every step_ns, of which each `major`-th has a label. */
struct td_ticks {
    double step_ns;
    int major;
    double base_ns; /* labels are "+" offsets to it when `relative` */
    bool relative;
};
/* For a range drawn with ns_per_pixel, labels at least label_pixels apart. */
struct td_ticks td_ticks_for(double start_ns, double end_ns, double ns_per_pixel, double label_pixels);
#endif
