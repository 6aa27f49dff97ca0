/* The ticks of a time axis. */
#pragma once
#include <stdbool.h>

/* Ticks of a time axis, one every step_ns; every `major`-th has a label. */
struct td_ticks {
    double step_ns;
    int major;
    double base_ns; /* when `relative`, labels are offsets from it */
    bool relative;
};
/* Ticks of a range at ns_per_pixel; labels are at least label_pixels apart. */
struct td_ticks td_ticks_for(double start_ns, double end_ns, double ns_per_pixel, double label_pixels);
